//! What must hold before a change goes in. The steps run from the quick to the slow and stop at the first that fails.

use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::page::{self, Effort};
use crate::toolchain::{self, Compiler};
use crate::{axe, browser, fuzz, packages, shell};

pub fn check(root: &Path) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = run_checks(root, &mut steps).map(drop);
    steps.finish(outcome)
}

#[derive(Debug, Args)]
pub struct TestOptions {
    /// Run every browser test that Firefox and WebKit can do there, not only those where engines differ
    #[arg(long)]
    all_engines: bool,
}

pub fn test(root: &Path, options: &TestOptions) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = run_tests(root, options, &mut steps);
    steps.finish(outcome)
}

fn run_checks(root: &Path, steps: &mut Steps) -> Result<Compiler> {
    steps.run("formatting", || {
        need_component("rustfmt")?;
        shell::run(shell::cargo_in(root, "fmt").args(["--all", "--check"]))
    })?;
    steps.run("lints, native", || {
        need_component("clippy")?;
        for scope in [&OWN_COMMANDS[..], &PRODUCT[..]] {
            let mut clippy = shell::cargo_in(root, "clippy");
            shell::run(clippy.args(scope).args(["--all-targets", "--", "-D", "warnings"]))?;
        }
        Ok(())
    })?;
    let compiler = steps.run("a compiler for the browser", toolchain::set_up)?;
    steps.run("lints, WebAssembly", || lint_wasm(root, &compiler))?;
    Ok(compiler)
}

fn run_tests(root: &Path, options: &TestOptions, steps: &mut Steps) -> Result<()> {
    let compiler = run_checks(root, steps)?;
    steps.run("a terminal", || {
        need_tmux();
        Ok(())
    })?;
    steps.run("native tests", || {
        shell::run(shell::cargo_in(root, "test").args(PRODUCT).args(["--lib", "--bins", "--tests"]))?;
        shell::run(shell::cargo_in(root, "test").args(OWN_COMMANDS))
    })?;
    steps.run("fuzzing", || fuzz::run_all(root, FUZZ_SECONDS))?;
    let dist = root.join("dist");
    steps.run("the page", || page::build(root, &compiler, &dist, Effort::Full))?;
    let pair = steps.run("a browser", browser::set_up)?;
    let others = steps.run("Firefox and WebKit", || browser::set_up_others(root))?;
    let axe = steps.run("axe-core", || axe::set_up(root))?;
    steps.run("browser tests", || {
        let mut tests = browser::tests(root, &dist, &pair, &others);
        tests.args(browser::ALL_ENGINES.into_iter().filter(|_| options.all_engines));
        shell::run(tests.env("CAMLSCOPE_AXE", &axe))
    })
}

/// Each fuzz target runs this long: enough to find what a change has just broken.
const FUZZ_SECONDS: u64 = 10;

// Apart, since cargo would merge the features that both ask of their dependencies, and so compile many of them a second time.
const OWN_COMMANDS: [&str; 2] = ["--package", "xtask"];
/// The page's own code compiles natively too, so its lints and tests run with the others.
const PRODUCT: [&str; 3] = ["--workspace", "--exclude", "xtask"];

/// Lints what the browser runs with the compiler that builds it.
fn lint_wasm(root: &Path, compiler: &Compiler) -> Result<()> {
    // In the page's own profile, so that the build that follows finds the macros compiled.
    let profile = ["--profile", page::PROFILE];
    let scope = ["--package", "camlscope-page", "--lib", "--bins"];
    match compiler {
        Compiler::Active => {
            shell::run(compiler.cargo(root, "clippy").args(profile).args(scope).args(["--", "-D", "warnings"]))
        }
        Compiler::Distribution { rustc, .. } => {
            // `cargo clippy` always takes the active toolchain's lints, which read no other compiler's libraries. What
            // it does is `cargo check` with clippy's driver in the compiler's place, and so do we.
            let driver = distribution_clippy(rustc)?;
            let mut cargo = compiler.cargo(root, "check");
            cargo.args(profile).args(scope).env("RUSTC_WORKSPACE_WRAPPER", driver);
            shell::run(cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__"))
        }
    }
}

fn distribution_clippy(rustc: &Path) -> Result<std::path::PathBuf> {
    let driver = rustc.with_file_name("clippy-driver");
    if !driver.is_file() {
        let owner = shell::answer(Command::new("dpkg").arg("--search").arg(rustc)).unwrap_or_default();
        let package = if owner.starts_with("rustc-web:") { "rust-web-clippy" } else { "rust-clippy" };
        packages::install(&[package], "the lints of the compiler that builds for the browser")?;
    }
    if !driver.is_file() {
        bail!("{} is missing: it comes with the distribution's package of clippy", driver.display());
    }
    Ok(driver)
}

/// The terminal view is tested in tmux. Where it cannot be had, that test says that it is left out; in CI it fails.
fn need_tmux() {
    if shell::find("tmux").is_some() {
        return;
    }
    if !packages::available() {
        println!("  tmux is missing: the terminal view is not tested in a real terminal");
    } else if let Err(error) = packages::install(&["tmux"], "a real terminal for the tests of the terminal view") {
        println!("  {error:#}: the terminal view is not tested in a real terminal");
    }
}

/// Makes sure that `cargo fmt` or `cargo clippy` is there.
fn need_component(name: &str) -> Result<()> {
    let command = if name == "rustfmt" { "fmt" } else { name };
    let there = || shell::answer(shell::cargo().args([command, "--version"])).is_some();
    if there() {
        return Ok(());
    }
    println!("  {name} is missing; asking rustup for it");
    let mut add = Command::new("rustup");
    shell::succeeds_within(add.args(["component", "add", name]), Duration::from_secs(120));
    if !there() {
        bail!("the toolchain lacks {name}: get it with `rustup component add {name}`");
    }
    Ok(())
}

/// The steps taken so far, with their times.
#[derive(Debug, Default)]
struct Steps {
    taken: Vec<(&'static str, Duration)>,
}

impl Steps {
    fn run<T>(&mut self, name: &'static str, work: impl FnOnce() -> Result<T>) -> Result<T> {
        let start = Instant::now();
        let result = shell::step(name, work).with_context(|| format!("stopped at the step “{name}”"));
        self.taken.push((name, start.elapsed()));
        result
    }

    /// Prints one line a step, and the sum.
    fn finish(&self, outcome: Result<()>) -> Result<()> {
        println!();
        for (place, (name, time)) in self.taken.iter().enumerate() {
            let failed = outcome.is_err() && place + 1 == self.taken.len();
            println!("{:6} {name:28} {:>12}", if failed { "failed" } else { "passed" }, shell::seconds(*time));
        }
        let total = self.taken.iter().map(|(_, time)| *time).sum();
        println!("{:6} {:28} {:>12}", "", "together", shell::seconds(total));
        outcome
    }
}
