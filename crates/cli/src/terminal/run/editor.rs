//! The user's editor, opened at a line.

use std::env;
use std::io;
use std::path::Path;
use std::process::{Command, ExitStatus};

use crate::terminal::source::Edit;

/// A command from the environment, with its options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Editor(String);

pub const NO_EDITOR: &str = "No editor is set. Set EDITOR and start again, such as: export EDITOR=vi";

impl Editor {
    /// As other programs do, prefers VISUAL to EDITOR.
    pub fn of_environment() -> Option<Editor> {
        let of = |name: &str| env::var(name).ok().filter(|value| !value.trim().is_empty());
        of("VISUAL").or_else(|| of("EDITOR")).map(Editor)
    }

    /// Runs the editor until it ends. The error is for the user.
    pub fn open(&self, edit: &Edit) -> Result<(), String> {
        let arguments = self.arguments(edit);
        let failed = |error: io::Error| format!("Can't start the editor “{}”: {error}.", self.0);
        match self.run(&arguments).map_err(failed)? {
            status if status.success() => Ok(()),
            status if cfg!(unix) && status.code() == Some(127) => {
                Err(format!("Can't find the editor “{}”. Set EDITOR to another one.", self.0))
            }
            status => Err(format!("The editor “{}” failed ({status}).", self.0)),
        }
    }

    /// A shell reads the command, because it may have quotes and options.
    #[cfg(unix)]
    fn run(&self, arguments: &[String]) -> io::Result<ExitStatus> {
        Command::new("sh").arg("-c").arg(format!("{} \"$@\"", self.0)).arg(&self.0).args(arguments).status()
    }

    #[cfg(not(unix))]
    fn run(&self, arguments: &[String]) -> io::Result<ExitStatus> {
        let mut words = self.0.split_whitespace();
        Command::new(words.next().unwrap_or_default()).args(words).args(arguments).status()
    }

    /// Returns the line and the file in the way the editor understands. Others than these get only the file.
    fn arguments(&self, Edit { path, line }: &Edit) -> Vec<String> {
        let file = path.display().to_string();
        match self.name() {
            "vi" | "vim" | "nvim" | "view" | "gvim" | "emacs" | "emacsclient" | "mg" | "nano" | "pico" | "micro"
            | "ne" | "joe" | "jed" | "kak" | "gedit" => vec![format!("+{line}"), file],
            "code" | "code-insiders" | "codium" | "cursor" | "windsurf" => {
                vec!["--goto".to_owned(), format!("{file}:{line}")]
            }
            "hx" | "helix" | "subl" | "zed" => vec![format!("{file}:{line}")],
            _ => vec![file],
        }
    }

    /// Returns the name of the program: `vim` for `/usr/bin/vim -u NONE`.
    fn name(&self) -> &str {
        let program = self.0.split_whitespace().next().unwrap_or_default().trim_matches(['"', '\'']);
        Path::new(program).file_stem().and_then(|name| name.to_str()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arguments(editor: &str) -> String {
        let edit = Edit { path: "src/orders.ml".into(), line: 88 };
        Editor(editor.to_owned()).arguments(&edit).join(" ")
    }

    #[test]
    fn each_editor_gets_the_line_in_its_own_way() {
        for editor in ["vi", "/usr/bin/nvim -u NONE", "emacs -nw", "emacsclient -t", "nano", "\"/opt/my/vim\""] {
            assert_eq!(arguments(editor), "+88 src/orders.ml", "{editor}");
        }
        assert_eq!(arguments("code --wait"), "--goto src/orders.ml:88");
        assert_eq!(arguments("hx"), "src/orders.ml:88");
        assert_eq!(arguments("my-editor"), "src/orders.ml", "an unknown editor could take +88 for a file");
    }
}
