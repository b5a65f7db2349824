use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    camlscope::commands::run(&camlscope::commands::Cli::parse())
}
