//! Measures: makes the traces, runs the native bench on them, then the built page in Chromium on the same files, so that
//! all ratios come from one run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use clap::{Args, ValueEnum};

use crate::page::{self, Effort};
use crate::server::{self, Server};
use crate::{browser, shell, size, toolchain};

#[derive(Debug, Args)]
pub struct Options {
    /// What to measure
    what: Bench,
    /// Traces to measure beside those that are made
    files: Vec<PathBuf>,
    /// Also make and measure traces of a gigabyte, or of thirty million objects
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

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Bench {
    /// From a file's bytes to the model
    Decode,
    /// From a question to its answer, on ten million objects
    Query,
    /// How smoothly the page moves, on two million objects; only in Chromium
    Frames,
    /// Time and memory of every question, on traces of 1, 2 and 5 GiB
    Size,
    /// From the navigation to a ready worker, on first and later visits over three networks; only in Chromium
    Start,
}

impl Bench {
    fn name(self) -> &'static str {
        match self {
            Bench::Decode => "decode",
            Bench::Query => "query",
            Bench::Frames => "frames",
            Bench::Size => "size",
            Bench::Start => "start",
        }
    }
}

pub fn run(root: &Path, options: &Options) -> Result<()> {
    let name = options.what.name();
    let folder = shell::target_dir(root).join("bench");
    fs::create_dir_all(&folder)?;
    if matches!(options.what, Bench::Size) {
        return size::run(root, &folder, options.scale, options.native, &options.files);
    }
    let results = folder.join(format!("{name}.json"));
    let mut files = shell::step("making traces", || make_traces(root, &folder, options))?;
    files.extend(options.files.iter().cloned());

    if !matches!(options.what, Bench::Frames | Bench::Start) {
        shell::step("measuring the native code", || {
            let mut cargo = shell::cargo_in(root, "bench");
            cargo.args(["--package", "camlscope", "--bench", name, "--"]).args(&files);
            shell::run(cargo.env("CAMLSCOPE_BENCH_RESULTS", &results))
        })?;
    }
    if options.native {
        return Ok(());
    }
    let dist = root.join("dist");
    let compiler = shell::step("a compiler for the browser", toolchain::set_up)?;
    shell::step("the page", || page::build(root, &compiler, &dist, Effort::Full))?;
    let pair = shell::step("a browser", browser::set_up)?;
    let servers = match options.what {
        Bench::Start => start_servers(&dist, options.beside.as_deref(), &folder)?,
        _ => Vec::new(),
    };
    shell::step("measuring the page in Chromium", || {
        let mut cargo = shell::cargo_in(root, "bench");
        cargo.args(["--package", "camlscope", "--features", "browser-tests", "--bench", &format!("{name}_browser")]);
        cargo.env("CAMLSCOPE_BENCH_RESULTS", &results).env("CAMLSCOPE_DIST", &dist);
        cargo.env("CAMLSCOPE_CHROMIUM", &pair.chromium).env("CAMLSCOPE_CHROMEDRIVER", &pair.driver);
        cargo.arg("--").args(servers.iter().map(|server| format!("http://127.0.0.1:{}/", server.port)));
        // The others take the files from the native results.
        if matches!(options.what, Bench::Frames) {
            cargo.args(&files);
        }
        shell::run(&mut cargo)
    })
}

/// Serves the page, and the one beside it from a copy with gzipped twins, so that both are sent alike.
fn start_servers(dist: &Path, beside: Option<&Path>, folder: &Path) -> Result<Vec<Server>> {
    let mut servers = vec![server::start(server::listen(0)?, dist)?];
    if let Some(beside) = beside {
        let copy = folder.join("beside");
        page::copy_gzipped(beside, &copy).with_context(|| format!("copying {}", beside.display()))?;
        servers.push(server::start(server::listen(0)?, &copy)?);
    }
    Ok(servers)
}

/// For decoding, of each shape one of some 100 MB and, if wanted, one of a gigabyte; for questions, two of ten million
/// objects. They are the same every time, so they are kept.
fn make_traces(root: &Path, folder: &Path, options: &Options) -> Result<Vec<PathBuf>> {
    // A compiler's stacks are the hard case: half of all look-ups make a new node at this rate.
    let (compiler, server, leak) = (("compiler", "0.1"), ("server", "0.01"), ("leak", "0.01"));
    let (sizes, shapes): (&[[&str; 3]], &[(&str, &str)]) = match (options.what, options.large) {
        (Bench::Decode, false) => (&[["100MB", "--bytes", "100M"]], &[compiler, server, leak]),
        (Bench::Decode, true) => (&[["100MB", "--bytes", "100M"], ["1GB", "--bytes", "1G"]], &[compiler, server, leak]),
        // These have traces of their own, or none.
        (Bench::Size | Bench::Start, _) => (&[], &[]),
        (Bench::Frames, _) => (&[["2M", "--objects", "2000000"]], &[compiler]),
        (Bench::Query, false) => (&[["10M", "--objects", "10000000"]], &[compiler, server]),
        (Bench::Query, true) => {
            (&[["10M", "--objects", "10000000"], ["30M", "--objects", "30000000"]], &[compiler, server])
        }
    };
    let mut files = Vec::new();
    for [name, extent, amount] in sizes {
        for (shape, rate) in shapes {
            let file = folder.join(format!("{shape}-{name}.ctf"));
            if !file.exists() {
                let unfinished = file.with_extension("part");
                let mut cargo = shell::cargo_in(root, "run");
                cargo.args(["--quiet", "--release", "--package", "camlscope", "--bin", "camlscope", "--", "synth"]);
                cargo.args(["--shape", shape, "--rate", rate, extent, amount, "-o"]).arg(&unfinished);
                shell::run(&mut cargo)?;
                fs::rename(unfinished, &file)?;
            }
            files.push(file);
        }
    }
    Ok(files)
}
