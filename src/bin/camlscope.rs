use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    camlscope::cli::run(&camlscope::cli::Cli::parse())
}
