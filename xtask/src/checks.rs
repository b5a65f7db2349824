//! The checks that every change must pass. `check` is quick, for use while you work. `test` runs everything.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use clap::Args;

use crate::page;
use crate::toolchain::{self, Compiler};
use crate::{axe, browser, packages, shell, vscode};

/// Checks formatting and lints, and runs the unit tests.
pub fn check(root: &Path) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = run_checks(root, &mut steps);
    steps.finish(outcome)
}

#[derive(Debug, Args)]
pub struct TestOptions {
    /// Run all browser tests in Firefox and WebKit, too
    #[arg(long)]
    all_engines: bool,
    /// Run only the tests in Chromium whose names contain NAME, on a page that is built quickly
    #[arg(long, value_name = "NAME", conflicts_with = "all_engines")]
    page: Option<String>,
}

pub fn test(root: &Path, options: &TestOptions) -> Result<()> {
    let mut steps = Steps::default();
    let outcome = match &options.page {
        Some(name) => run_page_tests(root, name, &mut steps),
        None => run_tests(root, options, &mut steps),
    };
    steps.finish(outcome)
}

fn run_checks(root: &Path, steps: &mut Steps) -> Result<()> {
    steps.run("formatting", || check_format(root))?;
    steps.run("lints, native", || each_target(|| clippy(root), &["--", "-D", "warnings"]))?;
    let compiler = steps.run("a compiler for the browser", toolchain::set_up)?;
    steps.run("lints, WebAssembly", || lint_wasm(root, &compiler))?;
    // The simulations take longer than all other unit tests together.
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
    let vscode = vscode::SetUp::start(root);
    // The page's build uses one core most of the time, so the native steps can use the others.
    let page = PageBuild::start(root)?;
    steps.run("native tests, compiled and linted", || {
        shell::run(linted(root, "test")?.args(XTASK).args(["--all-targets", "--no-run"]))?;
        each_target(|| product(root, "test"), &["--no-run"])
    })?;
    steps.run("native tests", || {
        // Some tests wait for other programs, so there are more threads than cores.
        shell::run(product(root, "test")?.arg("--tests").env("RUST_TEST_THREADS", "4"))?;
        shell::run(linted(root, "test")?.args(XTASK))
    })?;
    steps.run("the page, with its lints", || page.finish())?;
    let others = steps.run("VS Code", || others.with_vscode(vscode.finish(root)))?;
    steps.run("browser tests", || {
        let mut tests = browser::tests(root, &root.join("dist"), &pair, &others)?;
        tests.args(browser::ALL_ENGINES.into_iter().filter(|_| options.all_engines));
        shell::run(tests.env("CAMLSCOPE_AXE", &axe))
    })
}

fn run_page_tests(root: &Path, name: &str, steps: &mut Steps) -> Result<()> {
    let compiler = steps.run("a compiler for the browser", toolchain::set_up)?;
    let pair = steps.run("Chromium", browser::set_up_for_tests)?;
    let axe = steps.run("axe-core", || axe::set_up(root))?;
    let dist = root.join("dist");
    let vscode = "vscode".contains(name).then(|| vscode::SetUp::start(root));
    steps.run("the page", || page::build(root, &compiler, &dist, page::QUICK_PROFILE))?;
    let others = match vscode {
        Some(vscode) => browser::Others::default().with_vscode(vscode.finish(root))?,
        None => browser::Others::default(),
    };
    steps.run("browser tests", || {
        let mut tests = browser::tests(root, &dist, &pair, &others)?;
        tests.args([name, "--skip=firefox::", "--skip=webkit::"]);
        shell::run(tests.env("CAMLSCOPE_AXE", &axe))
    })
}

/// Runs a command for every target. `--all-targets` leaves out the browser tests, because a plain `cargo test` doesn't run them.
/// They are named in a command of their own: next to `--all-targets`, cargo ignores a name.
fn each_target(command: impl Fn() -> Result<Command>, more: &[&str]) -> Result<()> {
    shell::run(command()?.arg("--all-targets").args(more))?;
    shell::run(command()?.args(["--test", "browser"]).args(more))
}

/// Lints everything except the page, which is linted for WebAssembly.
fn clippy(root: &Path) -> Result<Command> {
    need_component("clippy")?;
    let mut cargo = shell::cargo_in(root, "clippy");
    cargo.args(["--workspace", "--exclude", page::PACKAGE]);
    Ok(cargo)
}

/// Returns a cargo command for all packages except xtask and the page, which is compiled only for WebAssembly. Every command names
/// the same packages, because another set can enable other features, and cargo would compile dependencies again.
pub fn product(root: &Path, subcommand: &str) -> Result<Command> {
    let mut cargo = linted(root, subcommand)?;
    cargo.args(["--workspace", "--exclude", "xtask", "--exclude", page::PACKAGE]);
    Ok(cargo)
}

/// Separate from the others, because cargo would merge the features of shared dependencies and compile many of them again.
const XTASK: [&str; 2] = ["--package", "xtask"];

/// Returns a cargo command that lints while it compiles. `cargo clippy` only checks, so the tests would need another compilation,
/// which takes two minutes.
fn linted(root: &Path, subcommand: &str) -> Result<Command> {
    let mut cargo = shell::cargo_in(root, subcommand);
    lint_with(&mut cargo, &active_clippy(root)?);
    Ok(cargo)
}

/// Returns clippy's driver of the compiler that builds the page.
pub fn clippy_for(root: &Path, compiler: &Compiler) -> Result<PathBuf> {
    match compiler {
        Compiler::Active => active_clippy(root),
        // The active toolchain's clippy can't read another compiler's libraries.
        Compiler::Distribution { rustc, .. } => distribution_clippy(rustc),
    }
}

fn active_clippy(root: &Path) -> Result<PathBuf> {
    need_component("clippy")?;
    let sysroot = shell::answer(Command::new("rustc").args(["--print", "sysroot"]).current_dir(root));
    let folder = Path::new(&sysroot.context("rustc isn't installed")?).join("bin");
    Ok(folder.join(format!("clippy-driver{}", env::consts::EXE_SUFFIX)))
}

/// Uses clippy as the compiler of the workspace's packages, and turns its warnings into errors. `cargo clippy` sets the same
/// variables.
fn lint_with(cargo: &mut Command, driver: &Path) {
    cargo.env("RUSTC_WORKSPACE_WRAPPER", driver);
    cargo.env("CLIPPY_ARGS", "-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
}

/// Does the same for WebAssembly, but lints only the page. The other packages have no code of their own for WebAssembly, and are
/// linted with the native tests.
pub fn lint_page_with(cargo: &mut Command, driver: &Path) {
    lint_with(cargo, driver);
    cargo.env("CLIPPY_ARGS", "--no-deps__CLIPPY_HACKERY__-D__CLIPPY_HACKERY__warnings__CLIPPY_HACKERY__");
}

/// Another process, which lints and builds the page while the native tests run. Its output is shown when it ends.
struct PageBuild {
    child: Child,
    log: PathBuf,
}

impl PageBuild {
    fn start(root: &Path) -> Result<PageBuild> {
        let folder = shell::target_dir(root);
        fs::create_dir_all(&folder)?;
        let log = folder.join("page.log");
        let file = File::create(&log).with_context(|| format!("can't write {}", log.display()))?;
        println!("• the page: built in the background");
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["build", "--lint"]).stdout(file.try_clone()?).stderr(file);
        Ok(PageBuild { child: command.spawn().context("can't start the page's build")?, log })
    }

    fn finish(mut self) -> Result<()> {
        let status = self.child.wait()?;
        print!("{}", fs::read_to_string(&self.log)?);
        if !status.success() {
            bail!("the build of the page failed");
        }
        Ok(())
    }
}

/// Installs all packages that the tests need with one call of apt. If this fails, the step that needs a package reports it.
fn install_packages() -> Result<()> {
    let mut missing = [browser::missing_packages(), axe::missing_packages()].concat();
    if shell::find("tmux").is_none() {
        // A test runs the terminal UI in it. Without tmux, that test is skipped with a message, but in CI it fails.
        missing.push("tmux");
    }
    if shell::find("emacs").is_none() {
        // The same holds for the tests of camlscope.el.
        missing.push("emacs-nox");
    }
    if missing.is_empty() {
        println!("  nothing");
    } else if !packages::available() {
        println!("  missing, and apt isn't available to install them: {}", missing.join(", "));
    } else if let Err(error) = packages::install(&missing, "the tests need them") {
        println!("  {error:#}");
    }
    Ok(())
}

fn check_format(root: &Path) -> Result<()> {
    need_component("rustfmt")?;
    shell::run(shell::cargo_in(root, "fmt").args(["--all", "--check"]))
}

/// Lints the page's code with the compiler that builds it.
fn lint_wasm(root: &Path, compiler: &Compiler) -> Result<()> {
    // With the page's profile, so that the build afterwards doesn't compile the macros again.
    let mut cargo = compiler.cargo(root, "check");
    lint_page_with(&mut cargo, &clippy_for(root, compiler)?);
    cargo.args(["--profile", page::PROFILE, "--package", page::PACKAGE, "--all-targets"]);
    shell::run(&mut cargo)
}

fn distribution_clippy(rustc: &Path) -> Result<PathBuf> {
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

/// Makes sure that `cargo fmt` or `cargo clippy` is installed.
fn need_component(name: &str) -> Result<()> {
    let command = if name == "rustfmt" { "fmt" } else { name };
    let there = || shell::answer(shell::cargo().args([command, "--version"])).is_some();
    if there() {
        return Ok(());
    }
    println!("  installing {name} with rustup");
    let mut add = Command::new("rustup");
    shell::succeeds_within(add.args(["component", "add", name]), Duration::from_secs(120));
    if !there() {
        bail!("the toolchain has no {name}. Install it with `rustup component add {name}`");
    }
    Ok(())
}

/// The steps so far, with their times.
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

    /// Prints one line per step, and the total time.
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
