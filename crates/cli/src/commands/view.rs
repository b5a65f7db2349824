//! `camlscope view`: the interactive terminal UI.

use std::env;
use std::io::{self, IsTerminal};
use std::path::PathBuf;
use std::time::Duration;

use super::context::{Color, Context, Failure};
use super::help;
use super::sources::check_folders;
use super::watch::time;
use crate::terminal::colors::Colors;
use crate::terminal::run::{Config, Ended, run as show};

/// Explore a trace in an interactive terminal UI.
#[derive(Debug, clap::Args)]
#[command(after_long_help = help::VIEW)]
pub struct Args {
    /// The trace or profile.
    file: PathBuf,
    /// A second trace or profile to compare with.
    #[arg(conflicts_with = "follow")]
    other: Option<PathBuf>,
    /// Follow the trace while the program writes it. Waits for a file that doesn't exist yet, and starts again when a new run
    /// replaces it.
    #[arg(long)]
    follow: bool,
    /// Folder with the source code, for Enter on a site and for $EDITOR. Can be repeated.
    #[arg(long, value_name = "DIR")]
    source: Vec<PathBuf>,
    /// How often to check the file for new data.
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = time, requires = "follow")]
    every: Duration,
}

pub fn run(args: &Args, context: &Context) -> Result<(), Failure> {
    for path in [&args.file].into_iter().chain(&args.other) {
        Failure::if_standard_input(path, "view", "it needs the keyboard")?;
    }
    check("view")?;
    check_folders(&args.source)?;
    let has_color = match context.color {
        Color::Auto => env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()),
        Color::Always => true,
        Color::Never => false,
    };
    let colors = if has_color { Colors::detect() } else { Colors::None };
    let config = Config {
        file: args.file.clone(),
        other: args.other.clone(),
        follow_every: args.follow.then_some(args.every),
        source: args.source.clone(),
        budget: match (args.follow, &args.other) {
            (true, _) => context.budget_of_growing(&args.file)?,
            (false, None) => context.budget(&[&args.file])?,
            (false, Some(other)) => context.budget(&[&args.file, other])?,
        },
        colors,
    };
    show(&config).map_err(|ended| match ended {
        Ended::Input(path, error) => Failure::Input { path, error },
        Ended::Terminal(error) => Failure::from(error),
        // As if the signal had ended the program.
        Ended::Signal(signal) => std::process::exit(128 + signal),
    })
}

/// Rejects pipes, and terminals that can't position text.
pub(super) fn check(command: &str) -> Result<(), Failure> {
    let dumb = env::var_os("TERM").is_some_and(|name| name == "dumb");
    check_terminal(command, io::stdin().is_terminal() && io::stdout().is_terminal(), dumb)
}

fn check_terminal(command: &str, is_terminal: bool, is_dumb: bool) -> Result<(), Failure> {
    let instead = "For plain text, use camlscope summary, table, leaks or timeline.";
    match (is_terminal, is_dumb) {
        (false, _) => Err(Failure::Usage(format!("{command} needs a terminal for input and output. {instead}"))),
        (true, true) => Err(Failure::Usage(format!("{command} doesn't work in this terminal (TERM=dumb). {instead}"))),
        (true, false) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pipes_and_dumb_terminals_are_rejected() {
        let words = |is_terminal, is_dumb| match check_terminal("view", is_terminal, is_dumb) {
            Err(Failure::Usage(words)) => words,
            _ => String::new(),
        };
        assert!(words(false, false).contains("needs a terminal"));
        assert!(words(true, true).contains("TERM=dumb"));
        assert_eq!(words(true, false), "");
    }
}
