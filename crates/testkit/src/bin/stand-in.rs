//! A program to record: `camlscope record -- target/debug/stand-in --speed 10`.

use std::process::ExitCode;

use camlscope_testkit::stand_in::StandIn;
use clap::Parser;

fn main() -> ExitCode {
    match StandIn::parse().run() {
        Ok(status) => ExitCode::from(status),
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
