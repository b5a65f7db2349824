//! Measures: makes the traces, runs the native bench on them, then the built page in Chromium on the same files, so that
//! all ratios come from one run.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Result;
use clap::{Args, ValueEnum};

use crate::page::{self, Effort};
use crate::{browser, shell, toolchain};

#[derive(Debug, Args)]
pub struct Options {
    /// What to measure
    what: Bench,
    /// Traces to measure beside those that are made
    files: Vec<PathBuf>,
    /// Also make and measure traces of a gigabyte
    #[arg(long)]
    large: bool,
    /// Only the native code
    #[arg(long)]
    native: bool,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Bench {
    /// From a file's bytes to the model
    Decode,
}

pub fn run(root: &Path, options: &Options) -> Result<()> {
    let Bench::Decode = options.what;
    let folder = shell::target_dir(root).join("bench");
    fs::create_dir_all(&folder)?;
    let results = folder.join("decode.json");
    let mut files = shell::step("making traces", || make_traces(root, &folder, options.large))?;
    files.extend(options.files.iter().cloned());

    shell::step("measuring the native code", || {
        let mut cargo = shell::cargo_in(root, "bench");
        cargo.args(["--package", "camlscope", "--bench", "decode", "--"]).args(&files);
        shell::run(cargo.env("CAMLSCOPE_BENCH_RESULTS", &results))
    })?;
    if options.native {
        return Ok(());
    }
    let dist = root.join("dist");
    let compiler = shell::step("a compiler for the browser", toolchain::set_up)?;
    shell::step("the page", || page::build(root, &compiler, &dist, Effort::Full))?;
    let pair = shell::step("a browser", browser::set_up)?;
    shell::step("measuring the page in Chromium", || {
        let mut cargo = shell::cargo_in(root, "bench");
        cargo.args(["--package", "camlscope", "--features", "browser-tests", "--bench", "decode_browser"]);
        cargo.env("CAMLSCOPE_BENCH_RESULTS", &results).env("CAMLSCOPE_DIST", &dist);
        cargo.env("CAMLSCOPE_CHROMIUM", &pair.chromium).env("CAMLSCOPE_CHROMEDRIVER", &pair.driver);
        shell::run(&mut cargo)
    })
}

/// Of each shape one of some 100 MB and, if wanted, one of a gigabyte. They are the same every time, so they are kept.
fn make_traces(root: &Path, folder: &Path, large: bool) -> Result<Vec<PathBuf>> {
    let sizes: &[(&str, &str)] = if large { &[("100MB", "100M"), ("1GB", "1G")] } else { &[("100MB", "100M")] };
    let mut files = Vec::new();
    for (name, bytes) in sizes {
        // A compiler's stacks are the hard case: half of all look-ups make a new node at this rate.
        for (shape, rate) in [("compiler", "0.1"), ("server", "0.01"), ("leak", "0.01")] {
            let file = folder.join(format!("{shape}-{name}.ctf"));
            if !file.exists() {
                let unfinished = file.with_extension("part");
                let mut cargo = shell::cargo_in(root, "run");
                cargo.args(["--quiet", "--release", "--package", "camlscope", "--bin", "camlscope", "--", "synth"]);
                cargo.args(["--shape", shape, "--rate", rate, "--bytes", bytes, "-o"]).arg(&unfinished);
                shell::run(&mut cargo)?;
                fs::rename(unfinished, &file)?;
            }
            files.push(file);
        }
    }
    Ok(files)
}
