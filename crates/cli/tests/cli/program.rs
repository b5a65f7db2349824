//! Runs the program and captures its output.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use expect_test::Expect;
use serde_json::Value;

/// Returns the path of a fixture.
pub fn fixture(name: &str) -> String {
    camlscope_testkit::fixtures::folder().join(name).display().to_string()
}

pub fn run(args: &[&str], input: &[u8]) -> Output {
    run_with(args, input, &[])
}

pub fn run_with(args: &[&str], input: &[u8], environment: &[(&str, &str)]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_camlscope"))
        .args(args)
        .env_remove("NO_COLOR")
        .env_remove("CLICOLOR_FORCE")
        .envs(environment.iter().copied())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("starts");
    // A command that doesn't read its input may already have exited.
    let _ = child.stdin.take().expect("piped").write_all(input);
    child.wait_with_output().expect("ends")
}

/// Returns the standard output of a command that must succeed with nothing on standard error.
pub fn stdout(args: &[&str]) -> String {
    let output = run(args, b"");
    assert_eq!(output.status.code(), Some(0), "{}", stderr_of(&output));
    assert_eq!(stderr_of(&output), "");
    String::from_utf8(output.stdout).expect("UTF-8")
}

pub fn stderr_of(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

pub fn check(args: &[&str], expected: Expect) {
    expected.assert_eq(&stdout(args));
}

/// Checks a usage error: status 2, nothing on standard output, and a message on standard error.
pub fn check_refused(args: &[&str], expected: Expect) {
    let output = run(args, b"");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
    expected.assert_eq(&stderr_of(&output));
}

/// Runs a command on a fixture, which replaces FILE.
pub fn run_on(fixture_name: &str, command: &str) -> Output {
    let file = fixture(fixture_name);
    let args: Vec<&str> = command.split(' ').map(|word| if word == "FILE" { &file } else { word }).collect();
    run(&args, b"")
}

/// Checks the messages of commands on standard error, without clap's hint about `--help`. A command that fails must
/// print nothing to standard output.
pub fn check_messages(status: i32, fixture_name: &str, commands: &[&str], expected: Expect) {
    let mut messages = String::new();
    for command in commands {
        let output = run_on(fixture_name, command);
        assert_eq!(output.status.code(), Some(status), "{command}: {}", stderr_of(&output));
        assert!(status == 0 || output.stdout.is_empty(), "{command}");
        messages += &stderr_of(&output).replace("\n\nFor more information, try '--help'.", "");
    }
    expected.assert_eq(&messages);
}

pub fn json(args: &[&str]) -> Value {
    json_of(&[args, &["--json"]].concat(), b"", 0)
}

pub fn json_of(args: &[&str], input: &[u8], status: i32) -> Value {
    let output = run(args, input);
    assert_eq!(output.status.code(), Some(status), "{}", stderr_of(&output));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

/// Returns the sum of the weights of folded stacks.
pub fn folded_sum(text: &str) -> f64 {
    let weight = |line: &str| line.rsplit_once(' ').and_then(|(_, n)| n.parse::<f64>().ok()).expect("a weight");
    text.lines().map(weight).sum()
}

/// A file or folder for one test, deleted at the end.
pub struct TempPath(PathBuf);

impl TempPath {
    pub fn new(name: &str) -> TempPath {
        TempPath(std::env::temp_dir().join(format!("camlscope-{}-{name}", std::process::id())))
    }

    pub fn path(&self) -> &str {
        self.0.to_str().expect("UTF-8")
    }
}

impl Drop for TempPath {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0).or_else(|_| std::fs::remove_dir_all(&self.0));
    }
}
