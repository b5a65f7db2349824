//! Measures: makes the traces, runs the native bench on them, then the built page in Chromium on the same files, so that
//! all ratios come from one run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::page::{self, Effort};
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
}

impl Bench {
    fn name(self) -> &'static str {
        match self {
            Bench::Decode => "decode",
            Bench::Query => "query",
            Bench::Frames => "frames",
            Bench::Size => "size",
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

    if !matches!(options.what, Bench::Frames) {
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
    shell::step("measuring the page in Chromium", || {
        let mut cargo = shell::cargo_in(root, "bench");
        cargo.args(["--package", "camlscope", "--features", "browser-tests", "--bench", &format!("{name}_browser")]);
        cargo.env("CAMLSCOPE_BENCH_RESULTS", &results).env("CAMLSCOPE_DIST", &dist);
        cargo.env("CAMLSCOPE_CHROMIUM", &pair.chromium).env("CAMLSCOPE_CHROMEDRIVER", &pair.driver);
        // The others take the files from the native results.
        if matches!(options.what, Bench::Frames) {
            cargo.arg("--").args(&files);
        }
        shell::run(&mut cargo)
    })
}

/// For decoding, of each shape one of some 100 MB and, if wanted, one of a gigabyte; for questions, two of ten million
/// objects. They are the same every time, so they are kept.
fn make_traces(root: &Path, folder: &Path, options: &Options) -> Result<Vec<PathBuf>> {
    // A compiler's stacks are the hard case: half of all look-ups make a new node at this rate.
    let (compiler, server, leak) = (("compiler", "0.1"), ("server", "0.01"), ("leak", "0.01"));
    let (sizes, shapes): (&[[&str; 3]], &[(&str, &str)]) = match (options.what, options.large) {
        (Bench::Decode, false) => (&[["100MB", "--bytes", "100M"]], &[compiler, server, leak]),
        (Bench::Decode, true) => (&[["100MB", "--bytes", "100M"], ["1GB", "--bytes", "1G"]], &[compiler, server, leak]),
        // These have traces of their own.
        (Bench::Size, _) => (&[], &[]),
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
