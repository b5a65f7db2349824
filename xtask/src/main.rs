//! The repository's own commands. They're written in Rust, so a fresh clone needs no bundler, no scripts in other languages and
//! no tools to install first. Each command prints what it's about to do.

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

mod assets;
mod axe;
mod bench;
mod browser;
mod checks;
mod fuzz;
mod one_file;
mod packages;
mod page;
mod pictures;
mod serve;
mod server;
mod shell;
mod texts;
mod toolchain;
mod vscode;
mod weigh;

#[derive(Debug, Parser)]
#[command(name = "cargo xtask", about = "Build, serve, test and measure camlscope", version)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Build the page and serve it locally
    Serve(serve::Options),
    /// Build the page, for any static host
    Build(page::Options),
    /// Check formatting, lints (native and WebAssembly) and unit tests
    Check,
    /// Run all lints and tests, native and in browsers
    Test(checks::TestOptions),
    /// Fuzz the decoders, the query protocol and the text parsers
    Fuzz(fuzz::Options),
    /// Measure speed and memory, native and in Chromium
    Bench(bench::Options),
    /// Show the size of the page by function, crate and view
    Weigh,
    /// Take screenshots for the docs, and of every view
    Pictures,
    /// Build the extension for VS Code, as a .vsix file
    Vscode(vscode::Options),
    /// Print all texts that users see: help, labels, findings, errors
    Texts,
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Without a backtrace, which doesn't help anyone who builds the page.
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<()> {
    let root = shell::repository()?;
    match Cli::parse().command {
        Command::Serve(options) => serve::run(&root, &options),
        Command::Build(options) => page::run(&root, &options),
        Command::Check => checks::check(&root),
        Command::Test(options) => checks::test(&root, &options),
        Command::Fuzz(options) => fuzz::run(&root, &options),
        Command::Bench(options) => bench::run(&root, &options),
        Command::Weigh => weigh::run(&root),
        Command::Pictures => pictures::run(&root),
        Command::Vscode(options) => vscode::run(&root, &options),
        Command::Texts => texts::run(&root),
    }
}
