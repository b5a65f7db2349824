//! Writes synthetic traces and profiles: `cargo run --release --package camlscope-testkit --bin synth -- --help`.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use clap::error::ErrorKind;

use camlscope_formats::ctf::encode::EncodeError;
use camlscope_present::format::{self, Units};
use camlscope_testkit::synth::{Extent, Format, Options, RunInfo, Shape, generate_profile, generate_run};

/// Writes a synthetic trace with the statistics of a real one.
#[derive(Clone, Debug, Parser)]
#[command(group = clap::ArgGroup::new("extent").required(true))]
struct Args {
    /// What to write: a memtrace trace or a Spacetime profile.
    #[arg(long, value_enum, default_value = "memtrace")]
    format: Format,
    /// How many objects to allocate.
    #[arg(long, value_name = "N", group = "extent")]
    objects: Option<u64>,
    /// How many bytes to write, at least: `500M`, `5G` (units of 1024).
    #[arg(long, value_name = "SIZE", group = "extent", value_parser = format::parse_bytes)]
    bytes: Option<u64>,
    /// What the program does [default: server].
    #[arg(long, value_enum)]
    shape: Option<Shape>,
    /// Probability with which a word is sampled [default: 0.01].
    #[arg(long, value_name = "R", value_parser = parse_rate)]
    rate: Option<f64>,
    /// How many domains run; more than one makes a trace of version 3 [default: 1].
    #[arg(long, value_name = "D", value_parser = clap::value_parser!(u16).range(1..=128))]
    domains: Option<u16>,
    /// The same seed makes the same trace.
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// What the trace calls the program [default: after its shape].
    #[arg(long, value_name = "NAME")]
    program: Option<String>,
    /// Where the trace says that it ran.
    #[arg(long, value_name = "NAME")]
    host: Option<String>,
    /// When the trace says that it began, in µs since 1970.
    #[arg(long, value_name = "US")]
    start_us: Option<u64>,
    /// The file to write; `-` for standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Writes the file and prints a one-line summary to standard error. The exit status is 0, or 1 if writing failed.
fn main() -> ExitCode {
    let args = Args::parse();
    let started = Instant::now();
    let name = args.output.display();
    if args.format == Format::Spacetime
        && let Some(option) = args.option_of_traces()
    {
        let text = format!("the argument '{option}' cannot be used with '--format spacetime'\n");
        clap::Error::raw(ErrorKind::ArgumentConflict, text).exit();
    }
    let written = if args.output.as_os_str() == "-" {
        write(&args, io::stdout().lock())
    } else {
        File::create(&args.output).map_err(EncodeError::from).and_then(|file| write(&args, file))
    };
    match written {
        Ok((bytes, text)) => {
            let speed = bytes as f64 / 1e6 / started.elapsed().as_secs_f64().max(1e-6);
            eprintln!("{name}: {text}, {speed:.0} MB/s");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{name}: {error}");
            ExitCode::from(1)
        }
    }
}

impl Args {
    /// Returns the first option that was given but doesn't apply to profiles.
    fn option_of_traces(&self) -> Option<&'static str> {
        let given = [
            ("--objects", self.objects.is_some()),
            ("--shape", self.shape.is_some()),
            ("--rate", self.rate.is_some()),
            ("--domains", self.domains.is_some()),
            ("--program", self.program.is_some()),
            ("--host", self.host.is_some()),
            ("--start-us", self.start_us.is_some()),
        ];
        given.into_iter().find_map(|(option, is_given)| is_given.then_some(option))
    }
}

/// Returns the number of bytes written and a description of the contents.
fn write(args: &Args, out: impl io::Write) -> Result<(u64, String), EncodeError> {
    match args.format {
        Format::Memtrace => {
            let options = Options {
                shape: args.shape.unwrap_or(Shape::Server),
                extent: args.objects.map_or(Extent::Bytes(args.bytes.unwrap_or(0)), Extent::Objects),
                rate: args.rate.unwrap_or(0.01),
                domains: args.domains.unwrap_or(1),
                seed: args.seed,
            };
            let (program, host) = (args.program.clone(), args.host.clone());
            let run = RunInfo { program, host, start_us: args.start_us, pid: None };
            let written = generate_run(&options, run, out)?;
            let (objects, packets) = (format::count(written.n_objects), format::count(written.n_packets));
            let text = format!("{objects} objects, {} in {packets} packets", Units::Binary.bytes(written.bytes as f64));
            Ok((written.bytes, text))
        }
        Format::Spacetime => {
            let written = generate_profile(args.bytes.unwrap_or(0), args.seed, out)?;
            let (snapshots, points) = (format::count(written.n_snapshots), format::count(written.n_points));
            let size = Units::Binary.bytes(written.bytes as f64);
            Ok((written.bytes, format!("{snapshots} snapshots of {points} allocation points, {size}")))
        }
    }
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1.0 => Ok(rate),
        _ => Err("a rate is above 0 and at most 1".to_owned()),
    }
}
