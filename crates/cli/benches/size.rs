//! Runs the command line on large traces with a memory limit. For each query it prints the duration and the peak memory
//! of the process, as a table for `benches/README.md`.
//!
//! `cargo xtask bench size` creates the traces and runs this, then the page in Chromium.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

const GIB: f64 = (1_u64 << 30) as f64;
const MIB: f64 = (1_u64 << 20) as f64;

fn main() -> Result<()> {
    let variable = |name: &str| std::env::var(name).with_context(|| format!("{name} is not set"));
    let (memory, second) = (variable("CAMLSCOPE_BENCH_MEMORY")?, PathBuf::from(variable("CAMLSCOPE_BENCH_SECOND")?));
    for trace in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).map(PathBuf::from) {
        println!("\n{}, `--memory {memory}`\n", title(&trace)?);
        println!("| question | s | MiB |\n| --- | ---: | ---: |");
        for question in questions(&trace, &second) {
            let asked = ask(&memory, &question)?;
            println!("| `{}` | {:.2} | {:.0} |{}", asked.name, asked.seconds, asked.peak_mib, asked.failure);
        }
    }
    Ok(())
}

/// `compiler-1024MiB.ctf, 1.00 GiB`.
fn title(trace: &Path) -> Result<String> {
    let bytes = fs::metadata(trace).with_context(|| format!("reading {}", trace.display()))?.len();
    let name = trace.file_name().unwrap_or_default().display();
    Ok(format!("{name}, {:.2} GiB", bytes as f64 / GIB))
}

/// Returns the arguments of each query. The trace comes first.
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
    /// Without file names.
    name: String,
    seconds: f64,
    peak_mib: f64,
    /// Empty, or what went wrong.
    failure: String,
}

/// Runs a query and discards its output. Errors go to a file, so that they don't end up in the table.
fn ask(memory: &str, question: &[String]) -> Result<Asked> {
    let complaints = Path::new(env!("CARGO_TARGET_TMPDIR")).join("size-complaints.txt");
    let began = Instant::now();
    let mut command = Command::new(env!("CARGO_BIN_EXE_camlscope"));
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

/// Returns the peak resident memory of the process so far, or `None` if it has exited or there is no `/proc`.
fn resident_peak_kib(child: &Child) -> Option<u32> {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches("kB").trim().parse().ok()
}
