//! A stand-in for an OCaml program that calls `Memtrace.trace_if_requested`: it reads MEMTRACE and MEMTRACE_RATE, and
//! writes a synthetic trace at the pace of a real one. Tests of `camlscope record` run it.

use std::env;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::PathBuf;
use std::process;
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use camlscope_formats::ctf::encode::EncodeError;
use clap::{Parser, ValueEnum};

use crate::synth::{Extent, Options, RunInfo, Shape, generate_run};

/// Writes a synthetic trace to the file in MEMTRACE, as a program with memtrace does.
#[derive(Clone, Debug, Parser)]
pub struct StandIn {
    /// How many objects to sample.
    #[arg(long, default_value = "5000")]
    objects: u64,
    /// How many times faster than a real program it runs; 0 for no pauses.
    #[arg(long, default_value = "1")]
    speed: f64,
    /// Never call memtrace.
    #[arg(long)]
    silent: bool,
    /// Stop after this many packets.
    #[arg(long)]
    packets: Option<usize>,
    /// What to do at the end.
    #[arg(long, value_enum, default_value = "exit")]
    then: Then,
    /// The exit status.
    #[arg(long, default_value = "0")]
    status: u8,
    /// Copy standard input to standard output first.
    #[arg(long)]
    echo: bool,
    /// How many lines to print before the end.
    #[arg(long, default_value = "0")]
    lines: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Then {
    Exit,
    /// Be killed by a signal.
    Abort,
    /// Wait for a signal.
    Wait,
}

/// Runs with the options in STAND_IN, for tests that record their own executable.
pub fn run_as_test() -> ! {
    let options = env::var("STAND_IN").unwrap_or_default();
    let stand_in = StandIn::parse_from(["stand-in"].into_iter().chain(options.split_whitespace()));
    process::exit(stand_in.run().map_or(1, i32::from))
}

impl StandIn {
    /// Returns the exit status.
    pub fn run(&self) -> io::Result<u8> {
        if self.echo {
            io::copy(&mut io::stdin().lock(), &mut io::stdout())?;
        }
        let path = env::var_os("MEMTRACE").filter(|path| !path.is_empty() && !self.silent);
        let written = path.map_or(Ok(()), |path| self.write(path.into()));
        for n in 1..=self.lines {
            println!("line {n} of the program");
        }
        match self.then {
            Then::Exit => {}
            Then::Abort => process::abort(),
            Then::Wait => {
                println!("the program waits");
                loop {
                    thread::park();
                }
            }
        }
        written.map(|()| self.status)
    }

    fn write(&self, path: PathBuf) -> io::Result<()> {
        let rate = env::var("MEMTRACE_RATE").ok().and_then(|rate| rate.parse().ok()).unwrap_or(1e-6);
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(io::Error::other)?;
        let start_us = u64::try_from(now.as_micros()).map_err(io::Error::other)?;
        let program = env::current_exe()?.display().to_string();
        let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_else(|_| "nowhere".to_owned());
        let run = RunInfo {
            program: Some(program),
            host: Some(host.trim_end().to_owned()),
            start_us: Some(start_us),
            pid: Some(process::id()),
        };
        let options =
            Options { shape: Shape::Server, extent: Extent::Objects(self.objects), rate, domains: 1, seed: 1 };
        let out = Paced {
            out: File::create(path)?,
            start_us,
            began: Instant::now(),
            speed: self.speed,
            n_left: self.packets.unwrap_or(usize::MAX),
        };
        match generate_run(&options, run, out) {
            Ok(_) => Ok(()),
            // It was told to stop.
            Err(EncodeError::Io(error)) if error.kind() == io::ErrorKind::WriteZero => Ok(()),
            Err(error) => Err(io::Error::other(error)),
        }
    }
}

/// Writes each packet when its last event has happened.
struct Paced {
    out: File,
    start_us: u64,
    began: Instant,
    speed: f64,
    /// Packets until it stops.
    n_left: usize,
}

/// Where a packet's header has the time of its last event.
const END_AT: usize = 16;

impl Write for Paced {
    fn write(&mut self, packet: &[u8]) -> io::Result<usize> {
        if self.n_left == 0 {
            return Ok(0);
        }
        self.n_left -= 1;
        let end_us =
            packet.get(END_AT..END_AT + 8).and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_le_bytes);
        if self.speed > 0.0 {
            let due = Duration::from_micros(end_us.saturating_sub(self.start_us)).div_f64(self.speed);
            thread::sleep(due.saturating_sub(self.began.elapsed()));
        }
        self.out.write_all(packet)?;
        Ok(packet.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}
