//! `camlscope completions` and `camlscope man`: files that a package installs for the shell and `man`.

use clap::CommandFactory;

use super::Cli;
use super::context::{Context, Failure};

/// Print shell completions: `camlscope completions bash > camlscope.bash`.
#[derive(Debug, clap::Args)]
pub struct CompletionsArgs {
    shell: clap_complete::Shell,
}

/// Print the manual page of camlscope or of a command: `camlscope man table | man -l -`.
#[derive(Debug, clap::Args)]
pub struct ManArgs {
    /// The command [default: camlscope itself].
    command: Option<String>,
}

pub fn completions(args: &CompletionsArgs, context: &Context) -> Result<(), Failure> {
    let mut text = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "camlscope", &mut text);
    context.print(&String::from_utf8_lossy(&text))
}

pub fn man(args: &ManArgs, context: &Context) -> Result<(), Failure> {
    let mut cli = Cli::command();
    cli.build();
    let command = match &args.command {
        None => cli,
        Some(name) => {
            let found = cli.get_subcommands().find(|command| command.get_name() == name).cloned();
            found.ok_or_else(|| Failure::Usage(format!("Unknown command {name}. Run `camlscope help` for a list.")))?
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    context.print(&String::from_utf8_lossy(&text))
}
