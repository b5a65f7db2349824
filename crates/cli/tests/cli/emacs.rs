//! The Emacs package: its own tests run in Emacs, with this program.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::program::TempPath;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../editors/emacs")
}

/// Runs Emacs without the user's settings, in a folder with copies of the package. Returns what it printed, or `None` if
/// Emacs is missing, which is an error in CI.
fn emacs(test: &str, args: &[&str]) -> Option<(bool, String)> {
    let is_there =
        Command::new("emacs").arg("--version").stdout(Stdio::null()).status().is_ok_and(|status| status.success());
    if !is_there {
        assert!(std::env::var_os("CI").is_none(), "Emacs is missing: `cargo xtask test` installs emacs-nox");
        eprintln!("skipped, because Emacs is missing: {test}");
        return None;
    }
    let copies = TempPath::new(test);
    std::fs::create_dir_all(copies.path()).expect("a folder");
    for name in ["camlscope.el", "camlscope-test.el"] {
        std::fs::copy(folder().join(name), Path::new(copies.path()).join(name)).expect("copied");
    }
    let output = Command::new("emacs")
        .args(["-Q", "--batch", "--directory", "."])
        .args(args)
        .current_dir(copies.path())
        .env("HOME", copies.path())
        .env("LC_ALL", "C.UTF-8")
        .env("CAMLSCOPE", env!("CARGO_BIN_EXE_camlscope"))
        .env("CAMLSCOPE_FIXTURES", camlscope_testkit::fixtures::folder())
        .stdin(Stdio::null())
        .output()
        .expect("Emacs starts");
    let text = [output.stdout, output.stderr].concat();
    Some((output.status.success(), String::from_utf8_lossy(&text).into_owned()))
}

#[test]
fn emacs_shows_the_figures_of_the_command_line() {
    let args = ["--load", "camlscope-test.el", "--funcall", "ert-run-tests-batch-and-exit"];
    let Some((has_passed, text)) = emacs("emacs-tests", &args) else { return };
    assert!(has_passed && text.contains("0 unexpected"), "{text}");
}

#[test]
fn the_emacs_package_compiles_without_warnings_and_passes_checkdoc() {
    let compile = ["--eval", "(setq byte-compile-error-on-warn t)", "--funcall", "batch-byte-compile", "camlscope.el"];
    let Some((has_compiled, text)) = emacs("emacs-compile", &compile) else { return };
    assert!(has_compiled && !text.contains("Warning"), "{text}");
    for name in ["camlscope.el", "camlscope-test.el"] {
        let check = format!("(checkdoc-file \"{name}\")");
        let Some((has_run, text)) = emacs("emacs-checkdoc", &["--eval", &check]) else { return };
        assert_eq!((has_run, text.trim()), (true, ""), "{name}");
    }
}
