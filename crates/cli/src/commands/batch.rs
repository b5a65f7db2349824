//! Processes many files in parallel within the memory limit, with results in order.

use std::ffi::OsString;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::{fs, thread};

use rustc_hash::FxHashSet;

use super::context::{Context, Failure};
use super::input::{Loaded, load_quietly};
use super::progress::ProgressLine;
use camlscope_engine::protocol::Slot;
use camlscope_engine::session::Session;
use camlscope_present::words::errors::UserError;

/// Returns the result for each file, in the order of `files`. A file that can't be opened doesn't stop the others.
pub fn each_file<T: Send>(
    context: &Context,
    files: &[PathBuf],
    work: impl Fn(&mut Loaded, &Path) -> Result<T, Failure> + Sync,
) -> Result<Vec<Result<T, Failure>>, Failure> {
    let n_threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(files.len()).max(1);
    let paths: Vec<&Path> = files.iter().map(PathBuf::as_path).collect();
    let (n_threads, budget) = context.budget_of_threads(n_threads, &paths)?;
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::channel();
    let mut done: Vec<Option<Result<T, Failure>>> = files.iter().map(|_| None).collect();
    thread::scope(|scope| {
        for _ in 0..n_threads {
            let (sender, next, work) = (sender.clone(), &next, &work);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(path) = files.get(at) else { return };
                    let result = load_quietly(budget, path).and_then(|mut loaded| {
                        let result = work(&mut loaded, path);
                        loaded.close();
                        result
                    });
                    if sender.send((at, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        let mut line = ProgressLine::new();
        for (n_done, (at, result)) in receiver.into_iter().enumerate() {
            done[at] = Some(result);
            if line.is_due() {
                let share = (n_done + 1) as f64 / files.len() as f64;
                line.show(&format!("{} files", files.len()), Some(share));
            }
        }
    });
    Ok(done.into_iter().flatten().collect())
}

/// Returns, for each file, the other files of the same run: complete, truncated or downsampled copies of a trace.
pub fn same_runs(files: &[PathBuf]) -> Vec<Vec<&Path>> {
    let runs: Vec<Option<Run>> = files.iter().map(|path| Run::of(path)).collect();
    let others = |at: usize| {
        let is_other = |other: &usize| *other != at && runs[at].is_some() && runs[*other] == runs[at];
        (0..files.len()).filter(is_other).map(|other| files[other].as_path()).collect()
    };
    (0..files.len()).map(others).collect()
}

/// The identity of a program's run.
#[derive(Debug, PartialEq, Eq)]
enum Run {
    Started {
        host: String,
        executable: String,
        pid: u64,
        start_us: u64,
    },
    /// The file doesn't contain the start time of its program.
    Unknown {
        name: OsString,
        bytes: u64,
    },
}

/// The first packet of a trace identifies the run, and fits into this many bytes.
const HEAD_BYTES: u64 = 64 << 10;

impl Run {
    /// Reads only the head of the file. Returns `None` for standard input and for files that can't be opened.
    fn of(path: &Path) -> Option<Run> {
        let mut head = Vec::new();
        let file = File::open(path).ok()?;
        let metadata = file.metadata().ok().filter(Metadata::is_file)?;
        file.take(HEAD_BYTES).read_to_end(&mut head).ok()?;
        let mut session = Session::new();
        session.begin(Slot::Main, None);
        session.push(&head).ok()?;
        let info = session.finish().ok()?.info;
        Some(match info.start_time_us {
            0 => Run::Unknown { name: path.file_name()?.to_owned(), bytes: metadata.len() },
            start_us => Run::Started { host: info.host, executable: info.executable, pid: info.pid, start_us },
        })
    }
}

/// Reports which of several files are left out, and why.
pub fn report_failures(context: &Context, mut failures: Vec<Failure>, n: usize) -> Result<(), Failure> {
    let n_failed = failures.len();
    match (failures.pop(), n) {
        (None, _) => Ok(()),
        (Some(failure), 1) => Err(failure),
        (Some(last), _) => {
            failures.iter().chain([&last]).for_each(|failure| context.leave_out(failure));
            Err(Failure::Some { n_failed, n })
        }
    }
}

/// Expands folders to all traces and profiles in them, sorted by name. Files stay as they are. Also returns a failure
/// for each folder without any.
pub fn files_in(paths: &[PathBuf]) -> Result<(Vec<PathBuf>, Vec<Failure>), Failure> {
    let (mut files, mut failures) = (Vec::new(), Vec::new());
    for path in paths {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let mut folders = vec![path.clone()];
        let mut found = Vec::new();
        while let Some(folder) = folders.pop() {
            let entries = fs::read_dir(&folder).and_then(Iterator::collect::<io::Result<Vec<_>>>);
            let unreadable = |error: io::Error| Failure::input(&folder, UserError::unreadable(&error.to_string()));
            for entry in entries.map_err(unreadable)? {
                // Links to folders aren't followed, because they may lead back here.
                match entry.file_type().map_err(unreadable)? {
                    kind if kind.is_dir() => folders.push(entry.path()),
                    _ if is_named_as_trace(&entry.file_name().to_string_lossy()) => found.push(entry.path()),
                    _ => {}
                }
            }
        }
        if found.is_empty() {
            failures.push(Failure::input(path, UserError::no_traces()));
        }
        found.sort();
        files.extend(found);
    }
    // The user may pass both a file and its folder.
    let mut seen = FxHashSet::default();
    files.retain(|path| path.canonicalize().map_or(true, |path| seen.insert(path)));
    Ok((files, failures))
}

fn is_named_as_trace(name: &str) -> bool {
    let bare = [".gz", ".zst"].iter().find_map(|ending| name.strip_suffix(ending)).unwrap_or(name);
    let pid = bare.strip_prefix("spacetime-").map(|rest| rest.strip_suffix(".p").unwrap_or(rest));
    bare.ends_with(".ctf") || pid.is_some_and(|pid| !pid.is_empty() && pid.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn traces_and_profiles_are_recognized_by_name() {
        let named = ["a.ctf", "a.ctf.gz", "b.ctf.zst", "spacetime-17", "spacetime-17.p"];
        assert!(named.into_iter().all(is_named_as_trace));
        assert!(
            !["a.json", "ctf", "x.gz", "report.html", "spacetime-17.facts.json"].into_iter().any(is_named_as_trace)
        );
    }
}
