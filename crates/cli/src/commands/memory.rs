//! Memory limits. A process that runs out of memory is aborted without a chance to explain why, so the system's limits
//! are checked first. They lower the default of `--memory`, and a `--memory` that can't fit is an error.

use std::fs;
use std::io::Read;
use std::path::Path;

use super::context::{Context, Failure};
use crate::UNITS;
use camlscope_engine::trace::Budget;
use camlscope_present::format;
use camlscope_present::words::errors::UserError;

/// With less memory, a large trace has too few samples left for any figure.
pub const MIN_BUDGET: u64 = 16 << 20;

/// Bytes that a process needs in addition to its budget: the program, thread stacks, and address space that the
/// allocator reserves.
const OVERHEAD: u64 = 220 << 20;

/// The same for a small trace, in addition to its model.
const OVERHEAD_SMALL: u64 = 32 << 20;

/// The maximum memory per byte of a trace, for its model and queries.
const MAX_PER_FILE_BYTE: u64 = 64;

/// A memory limit of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit {
    pub bytes: u64,
    /// The source of the limit: `ulimit -v`.
    pub name: &'static str,
}

/// Parses `--memory`.
pub fn parse(text: &str) -> Result<u64, String> {
    match format::parse_bytes(text)? {
        bytes if bytes < MIN_BUDGET => Err(format!("the minimum is {}", option(MIN_BUDGET))),
        bytes => Ok(bytes),
    }
}

/// Returns the lowest limit of the system.
pub fn limit() -> Option<Limit> {
    let cgroup = cgroup_bytes(Path::new("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    let cgroup = cgroup.map(|bytes| Limit { bytes, name: "cgroup limit" });
    resource_limits().into_iter().chain(cgroup).min_by_key(|limit| limit.bytes)
}

#[cfg(unix)]
fn resource_limits() -> Vec<Limit> {
    use rustix::process::{Resource, getrlimit};
    let of = |resource, name| getrlimit(resource).current.map(|bytes| Limit { bytes, name });
    [of(Resource::As, "ulimit -v"), of(Resource::Data, "ulimit -d")].into_iter().flatten().collect()
}

#[cfg(not(unix))]
fn resource_limits() -> Vec<Limit> {
    Vec::new()
}

/// Returns the lowest limit of a process's cgroup and its ancestors, for cgroup v1 and v2.
fn cgroup_bytes(of_process: &Path, root: &Path) -> Option<u64> {
    let text = fs::read_to_string(of_process).ok()?;
    let limits = text.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        let (controllers, path) = (fields.next()?, fields.next()?.trim_start_matches('/'));
        let (root, file) = match controllers {
            "" => (root.to_owned(), "memory.max"),
            _ if controllers.split(',').any(|name| name == "memory") => (root.join("memory"), "memory.limit_in_bytes"),
            _ => return None,
        };
        let folder = root.join(path);
        let folders = folder.ancestors().take_while(|folder| folder.starts_with(&root));
        // If there is no limit, the value is "max" or more than any machine has.
        let bytes = |folder: &Path| fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
        folders.filter_map(bytes).filter(|bytes| *bytes < 1 << 60).min()
    });
    limits.min()
}

impl Context {
    /// Returns the memory budget for files and queries together. It's an error if that exceeds the system's limit.
    pub fn budget(&self, files: &[&Path]) -> Result<Budget, Failure> {
        self.budget_for(files, size_of_all(files))
    }

    /// The same for a live trace, which may grow.
    pub fn budget_of_growing(&self, file: &Path) -> Result<Budget, Failure> {
        self.budget_for(&[file], None)
    }

    fn budget_for(&self, files: &[&Path], file_bytes: Option<u64>) -> Result<Budget, Failure> {
        let usual = self.memory.unwrap_or(Budget::default().bytes as u64);
        let Some(limit) = self.limit else { return Ok(in_bytes(usual)) };
        let fitting = fitting(limit);
        let bytes = if self.memory.is_some() { usual } else { usual.min(fitting.unwrap_or(MIN_BUDGET)) };
        if needed(bytes, file_bytes) <= limit.bytes {
            return Ok(in_bytes(bytes));
        }
        let path = files.first().map_or_else(|| Path::new("-"), |path| *path);
        Err(Failure::input(path, refusal(self.memory, limit, fitting)))
    }

    /// Returns the number of threads that fit, and the budget of each.
    pub fn budget_of_threads(&self, n_threads: usize, files: &[&Path]) -> Result<(usize, Budget), Failure> {
        let budget = self.budget(files)?.bytes as u64;
        let mut most = budget / MIN_BUDGET;
        let mut shared = budget;
        if let Some(limit) = self.limit {
            // Every thread reserves address space of its own.
            let n = (n_threads as u64).min(limit.bytes / (4 * OVERHEAD)).max(1);
            most = most.min(n);
            let others = Limit { bytes: limit.bytes.saturating_sub((n - 1) * OVERHEAD), ..limit };
            shared = shared.min(fitting(others).unwrap_or(MIN_BUDGET));
        }
        let n_threads = n_threads.min(usize::try_from(most).unwrap_or(usize::MAX)).max(1);
        Ok((n_threads, in_bytes(shared / n_threads as u64)))
    }

    /// Notes that a trace was downsampled because of the system's limit.
    pub fn note_limit(&self, downsampled: Option<u32>) {
        let usual = Budget::default().bytes as u64;
        let lowered = self.limit.filter(|_| self.memory.is_none() && downsampled.is_some_and(|factor| factor > 1));
        if let Some((limit, fitting)) = lowered.and_then(|limit| Some((limit, fitting(limit)?)))
            && fitting < usual
        {
            self.note(&format!(
                "Memory is limited to {} ({}), so --memory is {}. A higher limit keeps more samples.",
                UNITS.bytes(limit.bytes as f64),
                limit.name,
                option(fitting)
            ));
        }
    }
}

fn in_bytes(bytes: u64) -> Budget {
    Budget { bytes: usize::try_from(bytes).unwrap_or(usize::MAX) }
}

/// Returns the largest budget that fits, in whole mebibytes, or `None` if not even the smallest fits.
fn fitting(limit: Limit) -> Option<u64> {
    let bytes = limit.bytes.saturating_sub(OVERHEAD) / 5 * 4;
    Some(bytes >> 20 << 20).filter(|bytes| *bytes >= MIN_BUDGET)
}

/// Returns the peak memory of a process with this budget: temporarily a quarter more, plus [`OVERHEAD`].
fn needed(budget: u64, file_bytes: Option<u64>) -> u64 {
    let with_budget = budget.saturating_add(budget / 4).saturating_add(OVERHEAD);
    let for_file = |bytes: u64| bytes.saturating_mul(MAX_PER_FILE_BYTE).saturating_add(OVERHEAD_SMALL);
    file_bytes.map_or(with_budget, |bytes| for_file(bytes).min(with_budget))
}

/// Returns the total size of all files, or `None` if it isn't known, as for pipes and compressed files.
fn size_of_all(files: &[&Path]) -> Option<u64> {
    let size = |path: &Path| match fs::metadata(path) {
        _ if path.as_os_str() == "-" => None,
        Ok(metadata) => Some(metadata.len()).filter(|_| metadata.is_file() && !is_compressed(path)),
        // A file that can't be opened needs no memory.
        Err(_) => Some(0),
    };
    files.iter().try_fold(0u64, |sum, path| Some(sum.saturating_add(size(path)?)))
}

/// Whether a file is compressed with gzip or zstd, regardless of its name.
fn is_compressed(path: &Path) -> bool {
    let mut head = [0; 4];
    let read = fs::File::open(path).and_then(|mut file| file.read(&mut head));
    read.is_ok() && (head.starts_with(&[0x1f, 0x8b]) || head == [0x28, 0xb5, 0x2f, 0xfd])
}

fn refusal(asked: Option<u64>, limit: Limit, fitting: Option<u64>) -> UserError {
    let allowed = format!("memory is limited to {} ({})", UNITS.bytes(limit.bytes as f64), limit.name);
    let text = match asked {
        Some(asked) => format!(
            "--memory {} can use up to {}, but {allowed}.",
            option(asked),
            UNITS.bytes(needed(asked, None) as f64)
        ),
        None => format!(
            "This trace can use up to {} even with the smallest --memory, but {allowed}.",
            UNITS.bytes(needed(MIN_BUDGET, None) as f64)
        ),
    };
    let advice = match fitting {
        Some(fitting) => format!("Use --memory {}.", option(fitting)),
        None => format!("Raise the limit to {} or more.", UNITS.bytes(needed(MIN_BUDGET, None) as f64)),
    };
    UserError::no_memory(&text, &advice)
}

/// Formats bytes in the syntax of `--memory`: `605M`.
fn option(bytes: u64) -> String {
    match bytes {
        bytes if bytes >> 30 << 30 == bytes => format!("{}G", bytes >> 30),
        bytes => format!("{}M", bytes >> 20),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_fitting_budget_stays_within_the_limit() {
        for mib in [250, 976, 4000, 100_000] {
            let limit = Limit { bytes: mib << 20, name: "ulimit -v" };
            let fits = fitting(limit).expect("nothing fits");
            assert!(needed(fits, None) <= limit.bytes && needed(fits + (8 << 20), None) > limit.bytes, "{mib}");
        }
        assert_eq!(fitting(Limit { bytes: 200 << 20, name: "ulimit -v" }), None);
    }

    #[test]
    fn sizes_use_the_syntax_of_the_option() {
        for (bytes, text) in [(MIN_BUDGET, "16M"), (2 << 30, "2G"), (605 << 20, "605M"), (2304 << 20, "2304M")] {
            assert_eq!((option(bytes).as_str(), parse(text)), (text, Ok(bytes)));
        }
        assert_eq!(parse("1"), Err("the minimum is 16M".to_owned()));
    }

    #[test]
    fn the_lowest_limit_of_all_ancestor_cgroups_applies() {
        let root = std::env::temp_dir().join(format!("camlscope-cgroup-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("no parent folder")).expect("can't create the folder");
            fs::write(path, text).expect("can't write the file");
        };
        write("two", "0::/a/b\n");
        write("v2/a/memory.max", "1000\n");
        write("v2/a/b/memory.max", "max\n");
        write("one", "3:cpu:/x\n2:blkio,memory:/x\n");
        write("v1/memory/x/memory.limit_in_bytes", "9223372036854771712\n");
        write("v1/memory/memory.limit_in_bytes", "2000\n");
        let limits = [("two", "v2"), ("one", "v1"), ("none", "v2")];
        let found = limits.map(|(process, folder)| cgroup_bytes(&root.join(process), &root.join(folder)));
        let _ = fs::remove_dir_all(&root);
        assert_eq!(found, [Some(1000), Some(2000), None]);
    }
}
