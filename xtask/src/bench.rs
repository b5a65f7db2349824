//! Generates traces, runs the native benchmark on them, then the built page in Chromium on the same files. So all ratios come
//! from one run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use camlscope_serve::Server;
use clap::{Args, ValueEnum};

use crate::browser::{self, Others};
use crate::{page, server, shell, toolchain, vscode};

#[derive(Debug, Args)]
pub struct Options {
    /// What to measure
    what: Bench,
    /// Traces to measure in addition to synthetic ones
    files: Vec<PathBuf>,
    /// Also measure synthetic traces of a gigabyte or thirty million objects
    #[arg(long)]
    large: bool,
    /// Only the native code
    #[arg(long)]
    native: bool,
    /// Shrink the traces of `size`, and the command line's budget with them: 0.1 is a tenth
    #[arg(long, default_value_t = 1.0)]
    scale: f64,
    /// A directory with another build of the page, which `start` visits in turn with this one
    #[arg(long)]
    beside: Option<PathBuf>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Bench {
    /// Decoding a file
    Decode,
    /// Queries on ten million objects
    Query,
    /// Frame times of the page, on two million objects (Chromium only)
    Frames,
    /// Time and memory of every query, on traces of 1, 2 and 5 GiB
    Size,
    /// Time until the page accepts a file, until the worker is ready, and until everything is (Chromium only)
    Start,
    /// Opening a trace of 113 MB in VS Code and outside
    Vscode,
}

pub fn run(root: &Path, options: &Options) -> Result<()> {
    let bench = options.what;
    if bench == Bench::Vscode {
        return measure_vscode(root);
    }
    let name = bench.to_possible_value().context("every bench has a name")?.get_name().to_owned();
    let folder = shell::target_dir(root).join("bench");
    fs::create_dir_all(&folder)?;
    let mut files = shell::step("making traces", || {
        traces(options).iter().map(|(name, how)| make(root, &folder, name, how)).collect::<Result<Vec<_>>>()
    })?;
    let second = if bench == Bench::Size { files.pop().unwrap_or_default() } else { PathBuf::new() };
    files.extend(options.files.iter().cloned());
    let cargo = |bench: &str| {
        let mut cargo = shell::cargo_in(root, "bench");
        // `size` runs the command line. The others share code with the benchmarks in the browser.
        let package = if bench == "size" { "camlscope" } else { "camlscope-benches" };
        cargo.args(["--package", package, "--bench", bench]);
        cargo.env("CAMLSCOPE_BENCH_RESULTS", folder.join(format!("{name}.json")));
        cargo.env("CAMLSCOPE_BENCH_SECOND", &second);
        cargo.env("CAMLSCOPE_BENCH_MEMORY", format!("{:.0}M", 1024.0 * options.scale.min(1.0)));
        cargo.arg("--");
        cargo
    };

    if !matches!(bench, Bench::Frames | Bench::Start) {
        shell::step("measuring the native code", || shell::run(cargo(&name).args(&files)))?;
    }
    if options.native {
        return Ok(());
    }
    let dist = root.join("dist");
    let compiler = shell::step("a compiler for the browser", toolchain::set_up)?;
    shell::step("the page", || page::build(root, &compiler, &dist, page::PROFILE))?;
    let pair = shell::step("a browser", browser::set_up)?;
    let servers = match bench {
        Bench::Start => start_servers(&dist, options.beside.as_deref(), &folder)?,
        _ => Vec::new(),
    };
    shell::step("measuring the page in Chromium", || {
        let mut cargo = cargo(&format!("{name}_browser"));
        cargo.env("CAMLSCOPE_DIST", &dist);
        cargo.env("CAMLSCOPE_CHROMIUM", &pair.chromium).env("CAMLSCOPE_CHROMEDRIVER", &pair.driver);
        match bench {
            Bench::Start => {
                cargo.args(servers.iter().map(|server| format!("http://127.0.0.1:{}/", server.address().port())))
            }
            Bench::Frames | Bench::Size => cargo.args(&files),
            // The first two read the names of the files from the native results. The last one has its own measurement.
            Bench::Decode | Bench::Query | Bench::Vscode => &mut cargo,
        };
        shell::run(&mut cargo)
    })
}

/// Runs the measurement, which is one of the browser tests because they can drive VS Code.
fn measure_vscode(root: &Path) -> Result<()> {
    let dist = root.join("dist");
    let compiler = shell::step("a compiler for the browser", toolchain::set_up)?;
    let vscode = vscode::SetUp::start(root);
    shell::step("the page", || page::build(root, &compiler, &dist, page::PROFILE))?;
    let pair = shell::step("a browser", browser::set_up_for_tests)?;
    let others = Others::default().with_vscode(vscode.finish(root))?;
    shell::step("measuring VS Code", || {
        shell::run(browser::tests(root, &dist, &pair, &others)?.args(["--ignored", "--nocapture", "vscode::"]))
    })
}

/// Serves the page and, from a copy with gzipped files, the page to compare it with. So both are sent the same way.
fn start_servers(dist: &Path, beside: Option<&Path>, folder: &Path) -> Result<Vec<Server>> {
    let mut servers = vec![server::start(server::listen(0)?, dist)?];
    if let Some(beside) = beside {
        let copy = folder.join("beside");
        page::copy_gzipped(beside, &copy).with_context(|| format!("copying {}", beside.display()))?;
        servers.push(server::start(server::listen(0)?, &copy)?);
    }
    Ok(servers)
}

/// Returns the name and the `synth` options of each trace to generate.
fn traces(options: &Options) -> Vec<(String, String)> {
    // A compiler's stacks are the hard case: at this rate, six in ten lookups need a new stack node.
    let (compiler, server, leak) = (("compiler", "0.1"), ("server", "0.01"), ("leak", "0.01"));
    let (sizes, shapes): (&[[&str; 2]], &[(&str, &str)]) = match (options.what, options.large) {
        (Bench::Decode, false) => (&[["100MB", "--bytes 100M"]], &[compiler, server, leak]),
        (Bench::Decode, true) => (&[["100MB", "--bytes 100M"], ["1GB", "--bytes 1G"]], &[compiler, server, leak]),
        (Bench::Frames, _) => (&[["2M", "--objects 2000000"]], &[compiler]),
        (Bench::Query, false) => (&[["10M", "--objects 10000000"]], &[compiler, server]),
        (Bench::Query, true) => (&[["10M", "--objects 10000000"], ["30M", "--objects 30000000"]], &[compiler, server]),
        (Bench::Size, _) => return large_traces(options.scale),
        (Bench::Start | Bench::Vscode, _) => return Vec::new(),
    };
    let pairs = sizes.iter().flat_map(|size| shapes.iter().map(move |shape| (size, shape)));
    let trace = |([name, extent], (shape, rate)): (&[&str; 2], &(&str, &str))| {
        (format!("{shape}-{name}"), format!("--shape {shape} --rate {rate} {extent}"))
    };
    pairs.map(trace).collect()
}

/// Returns the traces for `size`. Each of the others is compared with the last one.
fn large_traces(scale: f64) -> Vec<(String, String)> {
    let traces = [
        ("compiler", 1.0, "--shape compiler --rate 0.1"),
        ("server", 5.0, "--shape server"),
        ("domains", 2.0, "--shape server --domains 4"),
        ("second", 0.25, "--shape compiler --rate 0.1 --seed 2"),
    ];
    let trace = |(name, gib, how): (&str, f64, &str)| {
        let mib = (gib * 1024.0 * scale).ceil().max(1.0);
        (format!("size-{name}-{mib:.0}MiB"), format!("{how} --bytes {mib:.0}M"))
    };
    traces.into_iter().map(trace).collect()
}

/// Generates a trace, unless an earlier run did. The same options always generate the same trace.
fn make(root: &Path, folder: &Path, name: &str, how: &str) -> Result<PathBuf> {
    let file = folder.join(format!("{name}.ctf"));
    if !file.exists() {
        let unfinished = file.with_extension("part");
        let mut cargo = shell::cargo_in(root, "run");
        cargo.args(["--quiet", "--release", "--package", "camlscope-testkit", "--bin", "synth", "--"]);
        shell::run(cargo.args(how.split(' ')).arg("-o").arg(&unfinished))?;
        fs::rename(unfinished, &file)?;
    }
    Ok(file)
}
