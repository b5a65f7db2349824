//! `camlscope synth`, for those who work on camlscope itself.

use std::fs::File;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;

use super::{Extent, Options, Shape, generate};
use crate::ctf::encode::{EncodeError, Written};
use crate::format;

/// Writes a synthetic trace with the statistics of a real one.
#[derive(Clone, Debug, clap::Args)]
#[command(group = clap::ArgGroup::new("extent").required(true))]
pub struct Args {
    /// How many objects to allocate.
    #[arg(long, value_name = "N", group = "extent")]
    objects: Option<u64>,
    /// How many bytes to write, at least: `500M`, `5G` (units of 1024).
    #[arg(long, value_name = "SIZE", group = "extent", value_parser = format::parse_bytes)]
    bytes: Option<u64>,
    /// What the program does.
    #[arg(long, value_enum, default_value = "server")]
    shape: Shape,
    /// Probability with which a word is sampled.
    #[arg(long, value_name = "R", default_value = "0.01", value_parser = parse_rate)]
    rate: f64,
    /// How many domains run; more than one makes a trace of version 3.
    #[arg(long, value_name = "D", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=128))]
    domains: u16,
    /// The same seed makes the same trace.
    #[arg(long, value_name = "S", default_value = "1")]
    seed: u64,
    /// The file to write; `-` for standard output.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

/// Writes the trace and says on standard error what was written: 0 done, 1 not written.
pub fn run(args: &Args) -> ExitCode {
    let started = Instant::now();
    let name = args.output.display();
    match write(args) {
        Ok(written) => {
            eprintln!(
                "{name}: {} objects, {} in {} packets, {:.0} MB/s",
                format::count(written.n_objects),
                format::bytes(written.bytes as f64),
                format::count(written.n_packets),
                written.bytes as f64 / 1e6 / started.elapsed().as_secs_f64().max(1e-6),
            );
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("camlscope: {name}: {error}");
            ExitCode::from(1)
        }
    }
}

fn write(args: &Args) -> Result<Written, EncodeError> {
    let extent = match (args.objects, args.bytes) {
        (Some(n), _) => Extent::Objects(n),
        (None, n) => Extent::Bytes(n.unwrap_or(0)),
    };
    let Args { shape, rate, domains, seed, .. } = *args;
    let options = Options { shape, extent, rate, domains, seed };
    if args.output.as_os_str() == "-" {
        generate(&options, io::stdout().lock())
    } else {
        generate(&options, File::create(&args.output)?)
    }
}

fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if rate > 0.0 && rate <= 1.0 => Ok(rate),
        _ => Err("a rate is above 0 and at most 1".to_owned()),
    }
}
