//! Fuzzing with libFuzzer and a stable compiler. Every rustc has LLVM's coverage passes, so neither a nightly compiler nor
//! cargo-fuzz is needed.
//!
//! Inputs that reach new code are kept in `fuzz/corpus`, and the next run starts from them.

use std::env;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

use anyhow::{Context, Result, bail};
use clap::Args;

use self::seeds::write_seeds;
use crate::{packages, shell};

mod seeds;

#[derive(Debug, Args)]
pub struct Options {
    /// Only this target: stream, spacetime, decompress, ask or typed
    target: Option<String>,
    /// How long each target runs
    #[arg(long, default_value_t = 60)]
    seconds: u64,
}

const TARGETS: [&str; 5] = ["stream", "spacetime", "decompress", "ask", "typed"];

/// Adds a counter for each edge of the code and a table of their locations. Also traces comparisons, so that libFuzzer learns
/// which values a check expects.
const FLAGS: [&str; 5] = [
    "-Cpasses=sancov-module",
    "-Cllvm-args=-sanitizer-coverage-level=4",
    "-Cllvm-args=-sanitizer-coverage-inline-8bit-counters",
    "-Cllvm-args=-sanitizer-coverage-pc-table",
    "-Cllvm-args=-sanitizer-coverage-trace-compares",
];

/// An input that takes longer counts as a hang. Most inputs take a few milliseconds, so this is enough on a busy machine.
const MAX_SECONDS_PER_INPUT: u32 = 60;
/// An input that takes more memory counts as a failure.
const MAX_MEMORY_MB: u32 = 2048;
/// Larger inputs are slow and don't find more than small ones.
const MAX_INPUT_BYTES: u32 = 32 << 10;

pub fn run(root: &Path, options: &Options) -> Result<()> {
    match &options.target {
        None => run_targets(root, &TARGETS, options.seconds),
        Some(name) => match TARGETS.into_iter().find(|target| target == name) {
            Some(target) => run_targets(root, &[target], options.seconds),
            None => bail!("there is no fuzz target {name}. The targets are {}", TARGETS.join(", ")),
        },
    }
}

/// Builds the targets and runs each of them for `seconds`.
fn run_targets(root: &Path, targets: &[&str], seconds: u64) -> Result<()> {
    need_cpp_compiler()?;
    let programs = build(root, targets)?;
    let n_processors = thread::available_parallelism().map_or(1, usize::from);
    let mut failed = Vec::new();
    for targets in targets.chunks(n_processors) {
        let programs = &programs;
        thread::scope(|scope| {
            let running: Vec<_> = targets
                .iter()
                .map(|target| (target, scope.spawn(move || run_target(root, programs, target, seconds))))
                .collect();
            for (target, running) in running {
                if let Err(error) = running.join().unwrap_or_else(|_| bail!("can't run {target}")) {
                    println!("  {error:#}");
                    failed.push(*target);
                }
            }
        });
    }
    if !failed.is_empty() {
        bail!("fuzzing found a failure in {}", failed.join(", "));
    }
    Ok(())
}

/// Builds the targets and returns the folder of the binaries.
fn build(root: &Path, targets: &[&str]) -> Result<PathBuf> {
    let host = host()?;
    let target_dir = shell::target_dir(root).join("fuzz");
    let mut cargo = shell::cargo_in(root, "build");
    cargo.args(["--manifest-path", "fuzz/Cargo.toml", "--target", &host, "--target-dir"]).arg(&target_dir);
    // With `--target`, the flags don't apply to build scripts and macros.
    cargo.env("RUSTFLAGS", FLAGS.join(" "));
    for target in targets {
        cargo.args(["--bin", target]);
    }
    shell::run(&mut cargo)?;
    Ok(target_dir.join(host).join("debug"))
}

fn run_target(root: &Path, programs: &Path, target: &str, seconds: u64) -> Result<()> {
    let folder = shell::target_dir(root).join("fuzz");
    let seeds = folder.join("seeds").join(target);
    let (corpus, artifacts) = (root.join("fuzz/corpus").join(target), root.join("fuzz/artifacts").join(target));
    for made in [&seeds, &corpus, &artifacts] {
        fs::create_dir_all(made).with_context(|| format!("can't create {}", made.display()))?;
    }
    write_seeds(root, target, &seeds)?;
    let log_path = folder.join(format!("{target}.log"));
    let log = File::create(&log_path).with_context(|| format!("can't write {}", log_path.display()))?;
    let program = programs.join(format!("{target}{}", env::consts::EXE_SUFFIX));
    let status = Command::new(&program)
        .arg(&corpus)
        .arg(&seeds)
        .arg(format!("-max_total_time={seconds}"))
        .arg(format!("-timeout={MAX_SECONDS_PER_INPUT}"))
        .arg(format!("-rss_limit_mb={MAX_MEMORY_MB}"))
        .arg(format!("-max_len={MAX_INPUT_BYTES}"))
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg("-print_final_stats=1")
        .env("RUST_BACKTRACE", "1")
        .stdout(log.try_clone()?)
        .stderr(log)
        .status()
        .with_context(|| format!("can't start {}", program.display()))?;
    let log = String::from_utf8_lossy(&fs::read(&log_path)?).into_owned();
    println!("  {target}: {}", Outcome::of(&log).words());
    if status.success() {
        return Ok(());
    }
    let input = log.lines().find_map(|line| line.split_once("Test unit written to ")).map_or("", |(_, path)| path);
    bail!(
        "{target} failed: {}. The input is {input}, the log is {}. Run it again with `{} {input}`",
        reason(&log),
        log_path.display(),
        program.display()
    )
}

/// Statistics of a run, from libFuzzer's log.
#[derive(Debug, Default, PartialEq, Eq)]
struct Outcome {
    runs: u64,
    edges: u64,
    new_inputs: u64,
}

impl Outcome {
    fn of(log: &str) -> Outcome {
        let number = |text: &str| text.split_whitespace().next().and_then(|word| word.parse::<u64>().ok());
        let last = |key: &str| log.lines().filter_map(|line| number(line.split_once(key)?.1)).next_back().unwrap_or(0);
        Outcome {
            runs: last("stat::number_of_executed_units:"),
            edges: last(" cov: "),
            new_inputs: last("stat::new_units_added:"),
        }
    }

    fn words(&self) -> String {
        format!("{} runs, {} edges covered, {} new inputs", self.runs, self.edges, self.new_inputs)
    }
}

/// Returns why a target failed: the panic, or libFuzzer's error.
fn reason(log: &str) -> String {
    let after_panic = log.lines().skip_while(|line| !line.contains("panicked at")).take(2).collect::<Vec<_>>();
    let error = log.lines().find_map(|line| line.split_once("ERROR: libFuzzer: ")).map(|(_, why)| why.to_owned());
    if after_panic.is_empty() { error.unwrap_or_else(|| "no reason given".to_owned()) } else { after_panic.join(" ") }
}

/// Returns the package of a C++ compiler, which libFuzzer needs, unless one is installed.
fn missing_packages() -> Vec<&'static str> {
    let is_there =
        env::var_os("CXX").is_some() || ["c++", "g++", "clang++"].into_iter().any(|name| shell::find(name).is_some());
    if is_there { Vec::new() } else { vec!["g++"] }
}

fn need_cpp_compiler() -> Result<()> {
    if !missing_packages().is_empty() && packages::available() {
        packages::install(&missing_packages(), "it compiles libFuzzer")?;
    }
    if !missing_packages().is_empty() {
        bail!("fuzzing needs a C++ compiler for libFuzzer: install g++ or clang");
    }
    Ok(())
}

fn host() -> Result<String> {
    let rustc = env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let about = shell::answer(Command::new(rustc).arg("-vV")).context("rustc doesn't start")?;
    let host = about.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("rustc doesn't report its host")?.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOG: &str = "#2\tINITED cov: 813 ft: 900 corp: 1/1b exec/s: 0 rss: 40Mb\n\
                       #512\tNEW    cov: 1204 ft: 2100 corp: 12/3Kb lim: 17 exec/s: 512 rss: 44Mb\n\
                       stat::number_of_executed_units: 1649\n\
                       stat::new_units_added:          38\n";

    #[test]
    fn statistics_are_read_from_the_log() {
        assert_eq!(Outcome::of(LOG), Outcome { runs: 1649, edges: 1204, new_inputs: 38 });
        assert_eq!(Outcome::of(""), Outcome::default());
    }

    #[test]
    fn failure_reason_is_the_panic_or_the_error_of_libfuzzer() {
        let panic = "thread '<unnamed>' panicked at src/a.rs:1:2:\nattempt to add with overflow\n==1== ERROR: libFuzzer: deadly signal\n";
        assert_eq!(reason(panic), "thread '<unnamed>' panicked at src/a.rs:1:2: attempt to add with overflow");
        assert_eq!(reason("==1== ERROR: libFuzzer: timeout after 61 seconds\n"), "timeout after 61 seconds");
    }
}
