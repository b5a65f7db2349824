//! Runs other programs. Each step and command is printed before it runs, so the user knows what they are waiting for.

use std::env;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

/// Prints the name of a step, runs it, and prints how long it took.
pub fn step<T>(words: &str, work: impl FnOnce() -> Result<T>) -> Result<T> {
    println!("• {words}");
    let start = Instant::now();
    let result = work();
    let verdict = if result.is_ok() { "done in" } else { "failed after" };
    println!("  {verdict} {}", seconds(start.elapsed()));
    result
}

/// Prints the command and runs it in this terminal. Fails unless the command succeeds.
pub fn run(command: &mut Command) -> Result<()> {
    println!("  $ {}", line(command));
    let name = short(command);
    let status = command.status().with_context(|| format!("can't start `{name}`"))?;
    if !status.success() {
        bail!("`{name}` exited with {status}");
    }
    Ok(())
}

/// Returns the command's output, or `None` if it can't be started or fails.
pub fn answer(command: &mut Command) -> Option<String> {
    let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Runs the command without output, and kills it after `limit`. Returns whether it succeeded.
pub fn succeeds_within(command: &mut Command, limit: Duration) -> bool {
    let silent = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let Ok(mut child) = silent.spawn() else {
        return false;
    };
    let start = Instant::now();
    while start.elapsed() < limit {
        match child.try_wait() {
            Ok(Some(status)) => return status.success(),
            Ok(None) => thread::sleep(Duration::from_millis(50)),
            Err(_) => break,
        }
    }
    // These fail only if the child has just exited, which is fine.
    let _ = child.kill();
    let _ = child.wait();
    false
}

/// Finds a program in PATH.
pub fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path).map(|dir| dir.join(&file)).find(|candidate| candidate.is_file())
}

/// The cargo that runs this program.
pub fn cargo() -> Command {
    Command::new(env::var_os("CARGO").as_deref().unwrap_or(OsStr::new("cargo")))
}

/// Returns a cargo command that runs in the repository.
pub fn cargo_in(root: &Path, subcommand: &str) -> Command {
    let mut cargo = cargo();
    cargo.current_dir(root).arg(subcommand);
    cargo
}

/// The repository's root: the directory above this package.
pub fn repository() -> Result<PathBuf> {
    let package = env::var_os("CARGO_MANIFEST_DIR").context("run this as `cargo xtask`")?;
    let root = Path::new(&package).parent().context("this package is inside the repository")?;
    Ok(root.to_owned())
}

/// Returns cargo's target directory.
pub fn target_dir(root: &Path) -> PathBuf {
    root.join(env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into()))
}

/// Formats a time: `4.2 s`, `2 min 14 s`.
pub fn seconds(time: Duration) -> String {
    let whole = time.as_secs();
    if whole < 60 { format!("{:.1} s", time.as_secs_f64()) } else { format!("{} min {} s", whole / 60, whole % 60) }
}

/// Returns the program and its subcommand. An error needs no more, because the full command was printed before.
fn short(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or_default();
    let first = command.get_args().next().unwrap_or_default();
    format!("{} {}", program.display(), first.display()).trim_end().to_owned()
}

fn line(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_stem().unwrap_or(command.get_program());
    let set = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
    let mut words: Vec<String> = set.map(|(name, value)| format!("{}={}", name.display(), quoted(value))).collect();
    words.push(program.display().to_string());
    words.extend(command.get_args().map(quoted));
    words.join(" ")
}

fn quoted(word: &OsStr) -> String {
    let word = word.display().to_string();
    if word.is_empty() || word.contains([' ', '\'', '"', '*', '$']) { format!("{word:?}") } else { word }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short_and_readable() {
        assert_eq!(seconds(Duration::from_millis(4240)), "4.2 s");
        assert_eq!(seconds(Duration::from_secs(134)), "2 min 14 s");
    }

    #[test]
    fn command_is_shown_as_a_shell_line() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.args(["test", "--", "two words"]).env("LEVEL", "1");
        assert_eq!(line(&command), "LEVEL=1 cargo test -- \"two words\"");
    }

    #[test]
    fn command_is_killed_after_the_time_limit() {
        let start = Instant::now();
        assert!(!succeeds_within(Command::new("sleep").arg("20"), Duration::from_millis(120)));
        assert!(start.elapsed() < Duration::from_secs(5));
    }

    #[test]
    fn missing_program_returns_none() {
        assert_eq!(answer(&mut Command::new("no-such-program-here")), None);
        assert_eq!(find("no-such-program-here"), None);
    }
}
