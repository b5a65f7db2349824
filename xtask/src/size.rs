//! `cargo xtask bench size`: large traces, natively under a budget and in the page. For each question it prints how long the
//! answer took and the most memory the process had until then, as a table for `benches/README.md`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use crate::page::{self, Effort};
use crate::{browser, shell, toolchain};

/// What each command of the command line may take.
const MEMORY: &str = "1G";
const GIB: f64 = (1_u64 << 30) as f64;
const MIB: f64 = (1_u64 << 20) as f64;

struct Made {
    name: &'static str,
    gib: f64,
    options: &'static [&'static str],
}

const TRACES: [Made; 3] = [
    Made { name: "compiler", gib: 1.0, options: &["--shape", "compiler", "--rate", "0.1"] },
    Made { name: "server", gib: 5.0, options: &["--shape", "server"] },
    Made { name: "domains", gib: 2.0, options: &["--shape", "server", "--domains", "4"] },
];
/// What each of them is compared with.
const SECOND: Made =
    Made { name: "second", gib: 0.25, options: &["--shape", "compiler", "--rate", "0.1", "--seed", "2"] };

/// `scale` shrinks the traces and the budgets alike; `files` are measured beside them.
pub fn run(root: &Path, folder: &Path, scale: f64, is_native_only: bool, files: &[PathBuf]) -> Result<()> {
    let camlscope = shell::step("building the command line", || build(root))?;
    let (mut traces, second) = shell::step("making traces", || {
        let traces: Result<Vec<PathBuf>> = TRACES.iter().map(|made| make(&camlscope, folder, made, scale)).collect();
        Ok((traces?, make(&camlscope, folder, &SECOND, scale)?))
    })?;
    traces.extend(files.iter().cloned());
    let memory = if scale < 1.0 { format!("{:.0}M", 1024.0 * scale) } else { MEMORY.to_owned() };

    shell::step("asking the command line", || {
        for trace in &traces {
            println!("\n{}, `--memory {memory}`\n", title(trace)?);
            println!("| question | s | MiB |\n| --- | ---: | ---: |");
            for question in questions(trace, &second) {
                let asked = ask(&camlscope, &memory, &question, folder)?;
                println!("| `{}` | {:.2} | {:.0} |{}", asked.name, asked.seconds, asked.peak_mib, asked.failure);
            }
        }
        Ok(())
    })?;
    if is_native_only {
        return Ok(());
    }
    let dist = root.join("dist");
    let compiler = shell::step("a compiler for the browser", toolchain::set_up)?;
    shell::step("the page", || page::build(root, &compiler, &dist, Effort::Full))?;
    let pair = shell::step("a browser", browser::set_up)?;
    shell::step("asking the page in Chromium", || {
        let mut cargo = shell::cargo_in(root, "bench");
        cargo.args(["--package", "camlscope", "--features", "browser-tests", "--bench", "size_browser"]);
        cargo.env("CAMLSCOPE_BENCH_SECOND", &second).env("CAMLSCOPE_DIST", &dist);
        cargo.env("CAMLSCOPE_CHROMIUM", &pair.chromium).env("CAMLSCOPE_CHROMEDRIVER", &pair.driver);
        shell::run(cargo.arg("--").args(&traces))
    })
}

fn build(root: &Path) -> Result<PathBuf> {
    let mut cargo = shell::cargo_in(root, "build");
    shell::run(cargo.args(["--release", "--package", "camlscope", "--bin", "camlscope"]))?;
    let name = format!("camlscope{}", std::env::consts::EXE_SUFFIX);
    Ok(shell::target_dir(root).join("release").join(name))
}

/// A trace is the same every time, so it is kept.
fn make(camlscope: &Path, folder: &Path, made: &Made, scale: f64) -> Result<PathBuf> {
    let mib = (made.gib * 1024.0 * scale).ceil().max(1.0);
    let file = folder.join(format!("size-{}-{mib:.0}MiB.ctf", made.name));
    if !file.exists() {
        let unfinished = file.with_extension("part");
        let mut synth = Command::new(camlscope);
        synth.arg("synth").args(made.options).args(["--bytes", &format!("{mib:.0}M"), "-o"]).arg(&unfinished);
        shell::run(&mut synth)?;
        fs::rename(unfinished, &file)?;
    }
    Ok(file)
}

/// `compiler-1024MiB.ctf, 1.00 GiB`.
fn title(trace: &Path) -> Result<String> {
    let bytes = fs::metadata(trace).with_context(|| format!("reading {}", trace.display()))?.len();
    let name = trace.file_name().unwrap_or_default().display();
    Ok(format!("{name}, {:.2} GiB", bytes as f64 / GIB))
}

/// Each as the arguments of the command line; the trace comes first.
fn questions(trace: &Path, second: &Path) -> Vec<Vec<String>> {
    let (trace, second) = (trace.display().to_string(), second.display().to_string());
    let plain = ["summary", "table", "flame", "timeline", "leaks"];
    let mut questions: Vec<Vec<String>> =
        plain.map(|question| vec![question.to_owned(), trace.clone()]).into_iter().collect();
    let more = [
        ("timeline", vec!["--by", "module"]),
        ("histogram", vec!["--of", "lifetime"]),
        ("convert", vec!["--to", "folded", "-o", "-"]),
    ];
    for (question, options) in more {
        let words = [question, &trace].into_iter().chain(options);
        questions.push(words.map(str::to_owned).collect());
    }
    questions.push(vec!["compare".to_owned(), trace, second]);
    questions
}

struct Asked {
    /// Without the names of files.
    name: String,
    seconds: f64,
    peak_mib: f64,
    /// Empty, or what went wrong.
    failure: String,
}

/// Asks and throws the answer away. Complaints go to a file of the bench's folder, so that the table stays whole.
fn ask(camlscope: &Path, memory: &str, question: &[String], folder: &Path) -> Result<Asked> {
    let complaints = folder.join("size-complaints.txt");
    let began = Instant::now();
    let mut command = Command::new(camlscope);
    command.args(["--memory", memory]).args(question).stdin(Stdio::null()).stdout(Stdio::null());
    let mut child = command.stderr(fs::File::create(&complaints)?).spawn().context("starting camlscope")?;
    let mut peak_kib = 0;
    let status = loop {
        peak_kib = resident_peak_kib(&child).unwrap_or_default().max(peak_kib);
        if let Some(status) = child.try_wait()? {
            break status;
        }
        thread::sleep(Duration::from_millis(2));
    };
    let seconds = began.elapsed().as_secs_f64();
    let words = question.iter().filter(|word| !word.ends_with(".ctf")).map(String::as_str);
    let failure = match status.success() {
        true => String::new(),
        false => format!(" {status}: {}", fs::read_to_string(&complaints)?.lines().last().unwrap_or_default()),
    };
    Ok(Asked {
        name: words.collect::<Vec<_>>().join(" "),
        seconds,
        peak_mib: f64::from(peak_kib) * 1024.0 / MIB,
        failure,
    })
}

/// The most that the process has had in memory so far; `None` once it has ended, and where there is no `/proc`.
fn resident_peak_kib(child: &Child) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_question_is_asked_of_the_trace_and_one_of_both() {
        let questions = questions(Path::new("a.ctf"), Path::new("b.ctf"));
        assert!(questions.iter().all(|question| question[1] == "a.ctf"));
        assert_eq!(questions.iter().filter(|question| question.contains(&"b.ctf".to_owned())).count(), 1);
    }
}
