//! The command line: the same engine as the page, for terminals, scripts and CI. Each command has its own file.
//!
//! Commands print text, or JSON with `--json` (docs/json.md). [`help`] lists the exit statuses.

mod annotate;
mod anonymize;
mod arg_values;
mod batch;
mod compare;
mod context;
mod convert;
mod dump;
mod empty;
mod filter;
mod flame;
mod fleet;
mod help;
mod histogram;
mod input;
mod json;
mod leaks;
mod measure;
mod memory;
mod open;
mod page_file;
mod progress;
mod record;
mod report;
mod shell;
mod sites;
mod snapshots;
mod sources;
mod stacks;
mod summary;
mod table;
mod text;
mod timeline;
mod view;
mod watch;
mod written;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use self::context::{Color, Context, terminal_width};

/// Analyze memory traces of OCaml programs.
#[derive(Debug, Parser)]
#[command(name = "camlscope", version, max_term_width = 100, after_long_help = help::GENERAL)]
pub struct Cli {
    /// Print JSON on standard output: one object, or one per line where there are several (fleet, watch, convert).
    #[arg(long, global = true, help_heading = "Global options")]
    json: bool,
    /// Memory limit for a trace and its queries, such as `512M` or `16G` (at least `16M`). Larger traces are downsampled
    /// [default: 2304M, or less if the system allows less].
    #[arg(long, global = true, help_heading = "Global options", value_name = "SIZE", value_parser = memory::parse)]
    memory: Option<u64>,
    /// When to use colors.
    #[arg(long, global = true, help_heading = "Global options", value_enum, default_value = "auto")]
    color: Color,
    /// Width of tables, in characters [default: the width of the terminal].
    #[arg(long, global = true, help_heading = "Global options", value_name = "N")]
    width: Option<usize>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Record(record::Args),
    Open(open::Args),
    View(view::Args),
    Summary(summary::Args),
    Table(table::Args),
    Sites(sites::Args),
    Annotate(annotate::Args),
    Flame(flame::Args),
    Timeline(timeline::Args),
    Histogram(histogram::Args),
    Leaks(leaks::Args),
    Compare(compare::Args),
    Watch(watch::Args),
    Dump(dump::Args),
    Convert(convert::Args),
    Fleet(fleet::Args),
    Report(report::Args),
    Completions(shell::CompletionsArgs),
    Man(shell::ManArgs),
}

/// Runs a command and returns its exit status.
pub fn run(cli: &Cli) -> ExitCode {
    let width = cli.width.or_else(terminal_width);
    let json_lines =
        matches!(cli.command, Command::Fleet(_) | Command::Watch(_) | Command::Convert(_) | Command::Open(_));
    let context =
        Context { json: cli.json, json_lines, memory: cli.memory, limit: memory::limit(), color: cli.color, width };
    let done = match &cli.command {
        // Its status is that of another program.
        Command::Record(args) => {
            return record::run(args, &context).unwrap_or_else(|failure| context.fail(&failure));
        }
        Command::Open(args) => open::run(args, &context),
        Command::Summary(args) => summary::run(args, &context),
        Command::View(args) => view::run(args, &context),
        Command::Flame(args) => flame::run(args, &context),
        Command::Table(args) => table::run(args, &context),
        Command::Sites(args) => sites::run(args, &context),
        Command::Annotate(args) => annotate::run(args, &context),
        Command::Histogram(args) => histogram::run(args, &context),
        Command::Leaks(args) => leaks::run(args, &context),
        Command::Compare(args) => compare::run(args, &context),
        Command::Timeline(args) => timeline::run(args, &context),
        Command::Watch(args) => watch::run(args, &context),
        Command::Dump(args) => dump::run(args, &context),
        Command::Convert(args) => convert::run(args, &context),
        Command::Fleet(args) => fleet::run(args, &context),
        Command::Report(args) => report::run(args, &context),
        Command::Completions(args) => shell::completions(args, &context),
        Command::Man(args) => shell::man(args, &context),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => context.fail(&failure),
    }
}
