//! What must hold before a change goes in. `check` is quick, for while one works; `test` is everything.

use std::env;
use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::page;
use crate::toolchain::{self, Compiler};
use crate::{axe, browser, packages, shell};

/// Formatting, lints and unit tests.
pub fn check(root: &Path) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = run_checks(root, &mut steps);
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

fn run_checks(root: &Path, steps: &mut Steps) -> Result<()> {
    steps.run("formatting", || check_format(root))?;
    steps.run("lints, native", || each_target(|| clippy(root), &["--", "-D", "warnings"]))?;
    let compiler = steps.run("a compiler for the browser", toolchain::set_up)?;
    steps.run("lints, WebAssembly", || lint_wasm(root, &compiler))?;
    // Simulated programs take longer than all the others together.
    let scope = ["--lib", "--bins", "--", "--skip", "simulations"];
    steps.run("unit tests", || shell::run(product(root, "test")?.args(scope)))
}

fn run_tests(root: &Path, options: &TestOptions, steps: &mut Steps) -> Result<()> {
    steps.run("formatting", || check_format(root))?;
    steps.run("what is missing", install_packages)?;
    steps.run("a compiler for the browser", toolchain::set_up)?;
    let pair = steps.run("Chromium", browser::set_up_for_tests)?;
    let others = steps.run("Firefox and WebKit", browser::set_up_others)?;
    let axe = steps.run("axe-core", || axe::set_up(root))?;
    // Most of its build uses one processor, so the native steps get the others.
    let page = PageBuild::start(root)?;
    steps.run("native tests, compiled and linted", || {
        shell::run(linted(root, "test")?.args(XTASK).args(["--all-targets", "--no-run"]))?;
        each_target(|| product(root, "test"), &["--no-run"])
    })?;
    steps.run("native tests", || {
        shell::run(product(root, "test")?.arg("--tests"))?;
        shell::run(linted(root, "test")?.args(XTASK))
    })?;
    steps.run("the page, and its lints", || page.finish())?;
    steps.run("browser tests", || {
        let mut tests = browser::tests(root, &root.join("dist"), &pair, &others)?;
        tests.args(browser::ALL_ENGINES.into_iter().filter(|_| options.all_engines));
        shell::run(tests.env("CAMLSCOPE_AXE", &axe))
    })
}

/// Each target of each package once: `--all-targets` leaves out what a plain `cargo test` doesn't run, the browser tests.
fn each_target(command: impl Fn() -> Result<Command>, more: &[&str]) -> Result<()> {
    shell::run(command()?.arg("--all-targets").args(more))?;
    shell::run(command()?.args(["--test", "browser"]).args(more))
}

/// Lints everything but the page, which is linted for WebAssembly.
fn clippy(root: &Path) -> Result<Command> {
    need_component("clippy")?;
    let mut cargo = shell::cargo_in(root, "clippy");
    cargo.args(["--workspace", "--exclude", page::PACKAGE]);
    Ok(cargo)
}

/// A cargo command on all packages but this one. The page's code compiles natively too, so its unit tests run with the others.
/// Every command names the same packages: cargo would compile dependencies again for another set, with the features that this
/// one asks for.
pub fn product(root: &Path, subcommand: &str) -> Result<Command> {
    let mut cargo = linted(root, subcommand)?;
    cargo.args(["--workspace", "--exclude", "xtask"]);
    Ok(cargo)
}

/// Apart from the others, since cargo would merge the features that both ask of their dependencies, and so compile many a
/// second time.
const XTASK: [&str; 2] = ["--package", "xtask"];

/// A cargo command that lints while it compiles: `cargo clippy` only checks, so the tests would need everything compiled again,
/// which takes two minutes.
fn linted(root: &Path, subcommand: &str) -> Result<Command> {
    need_component("clippy")?;
    let sysroot = shell::answer(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root));
    let driver = Path::new(&sysroot.context("there is no rustc")?)
        .join("bin")
        .join(format!("clippy-driver{}", env::consts::EXE_SUFFIX));
    let mut cargo = shell::cargo_in(root, subcommand);
    lint_with(&mut cargo, &driver);
    Ok(cargo)
}

/// Puts clippy in the compiler's place for the packages of the workspace, and makes its warnings errors. `cargo clippy` sets the
/// same variables.
fn lint_with(cargo: &mut Command, driver: &Path) {
    cargo.env("RUSTC_WORKSPACE_WRAPPER", driver);
    cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
}

/// The page, linted and built by another process next to the native tests. Its output is shown when it ends.
struct PageBuild {
    child: Child,
    log: std::path::PathBuf,
}

impl PageBuild {
    fn start(root: &Path) -> Result<PageBuild> {
        let folder = shell::target_dir(root);
        fs::create_dir_all(&folder)?;
        let log = folder.join("page.log");
        let file = File::create(&log).with_context(|| format!("could not write {}", log.display()))?;
        println!("• the page: built in the background");
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["build", "--lint"]).stdout(file.try_clone()?).stderr(file);
        Ok(PageBuild { child: command.spawn().context("could not start the page's build")?, log })
    }

    fn finish(mut self) -> Result<()> {
        let status = self.child.wait()?;
        print!("{}", fs::read_to_string(&self.log)?);
        if !status.success() {
            bail!("the page could not be built");
        }
        Ok(())
    }
}

/// Installs everything that the tests need and apt has, in one call. The step that needs a missing package reports it.
fn install_packages() -> Result<()> {
    let mut missing = [browser::missing_packages(), axe::missing_packages()].concat();
    if shell::find("tmux").is_none() {
        // The terminal view is tested in it. Where it cannot be had, that test says that it is left out; in CI it fails.
        missing.push("tmux");
    }
    if missing.is_empty() {
        println!("  nothing");
    } else if !packages::available() {
        println!("  not there, and there is no apt to install them: {}", missing.join(", "));
    } else if let Err(error) = packages::install(&missing, "the tests need them") {
        println!("  {error:#}");
    }
    Ok(())
}

fn check_format(root: &Path) -> Result<()> {
    need_component("rustfmt")?;
    shell::run(shell::cargo_in(root, "fmt").args(["--all", "--check"]))
}

/// Lints what the browser runs with the compiler that builds it.
pub fn lint_wasm(root: &Path, compiler: &Compiler) -> Result<()> {
    // In the page's own profile, so that the build that follows finds the macros compiled.
    let profile = ["--profile", page::PROFILE];
    let scope = ["--package", page::PACKAGE, "--all-targets"];
    match compiler {
        Compiler::Active => {
            shell::run(compiler.cargo(root, "clippy").args(profile).args(scope).args(["--", "-D", "warnings"]))
        }
        Compiler::Distribution { rustc, .. } => {
            // `cargo clippy` always takes the active toolchain's lints, which read no other compiler's libraries.
            let mut cargo = compiler.cargo(root, "check");
            lint_with(&mut cargo, &distribution_clippy(rustc)?);
            shell::run(cargo.args(profile).args(scope))
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
