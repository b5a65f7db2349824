//! The folder of a dataset, and how traces are added so that an interruption never leaves half a trace.
//!
//! A trace's tables are written to `.staging/ID.partial`, which is renamed to `.staging/ID.whole` when all of them are
//! complete. Then the old files of the trace are removed, `traces` first, and the new ones are moved into place,
//! `traces` last. So the files in place always come from the same write, and a row in `traces` means that the trace has
//! all its files. An interrupted run leaves `ID.whole`, which the next run moves into place.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// In the order in which they are moved into place.
const TABLES: [&str; 5] = ["frames", "stacks", "snapshots", "objects", "traces"];

const PARTIAL: &str = ".partial";
const WHOLE: &str = ".whole";

/// A dataset, locked against other writers.
#[derive(Debug)]
pub struct Dataset {
    folder: PathBuf,
    /// Locked until the process exits, for whatever reason.
    _lock: File,
}

impl Dataset {
    /// Opens or creates a dataset. Waits while another process writes to the folder, calling `on_wait` first, and
    /// finishes what an interrupted run left.
    pub fn open(folder: &Path, on_wait: impl FnOnce()) -> io::Result<Dataset> {
        fs::create_dir_all(staging_folder(folder))?;
        let lock = File::create(staging_folder(folder).join("lock"))?;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) => {
                on_wait();
                lock.lock()?;
            }
            // Some network file systems don't support locks.
            Err(TryLockError::Error(error)) if error.kind() != ErrorKind::Unsupported => return Err(error),
            Ok(()) | Err(TryLockError::Error(_)) => {}
        }
        recover(folder)?;
        Ok(Dataset { folder: folder.to_owned(), _lock: lock })
    }

    /// Starts writing a trace. See [`run_id`](super::run_id).
    pub fn stage(&self, id: &str) -> io::Result<Staging<'_>> {
        let partial = staging_folder(&self.folder).join(format!("{id}{PARTIAL}"));
        fs::create_dir_all(&partial)?;
        Ok(Staging { dataset: &self.folder, id: id.to_owned(), partial })
    }
}

/// The tables of a trace that is being written. They are deleted unless they are published.
#[derive(Debug)]
pub struct Staging<'a> {
    dataset: &'a Path,
    pub id: String,
    partial: PathBuf,
}

impl Staging<'_> {
    pub fn file(&self, table: &str) -> PathBuf {
        staged_file(&self.partial, table)
    }

    /// Replaces the trace's files in the dataset with the new tables, all of which must be complete.
    pub fn publish(self) -> io::Result<()> {
        let whole = staging_folder(self.dataset).join(format!("{}{WHOLE}", self.id));
        fs::rename(&self.partial, &whole)?;
        publish(self.dataset, &whole, &self.id)
    }
}

impl Drop for Staging<'_> {
    fn drop(&mut self) {
        // Complete tables have been renamed, so this deletes only partial ones.
        let _ = fs::remove_dir_all(&self.partial);
    }
}

/// Query engines ignore folders whose names start with a dot.
fn staging_folder(dataset: &Path) -> PathBuf {
    dataset.join(".staging")
}

fn staged_file(staged: &Path, table: &str) -> PathBuf {
    staged.join(format!("{table}.parquet"))
}

/// Publishes what an interrupted run completed, and deletes the rest.
fn recover(dataset: &Path) -> io::Result<()> {
    for entry in fs::read_dir(staging_folder(dataset))? {
        let staged = entry?.path();
        let name = staged.file_name().unwrap_or_default().to_string_lossy();
        if let Some(id) = name.strip_suffix(WHOLE) {
            publish(dataset, &staged, id)?;
        } else if name.ends_with(PARTIAL) {
            fs::remove_dir_all(&staged)?;
        }
    }
    Ok(())
}

fn publish(dataset: &Path, whole: &Path, id: &str) -> io::Result<()> {
    for step in steps(dataset, whole, id)? {
        step.take()?;
    }
    fs::remove_dir(whole)
}

#[derive(Debug)]
enum Step {
    Remove(PathBuf),
    Move { from: PathBuf, to: PathBuf },
}

/// Returns the remaining steps. A table that is no longer staged is already in place.
fn steps(dataset: &Path, whole: &Path, id: &str) -> io::Result<Vec<Step>> {
    let mut moves = Vec::new();
    for table in TABLES {
        let from = staged_file(whole, table);
        if from.try_exists()? {
            moves.push((from, dataset.join(table).join(format!("trace={id}")).join("part-0.parquet")));
        }
    }
    let removals = moves.iter().rev().map(|(_, to)| Step::Remove(to.clone()));
    let mut steps: Vec<Step> = removals.collect();
    steps.extend(moves.into_iter().map(|(from, to)| Step::Move { from, to }));
    Ok(steps)
}

impl Step {
    fn take(&self) -> io::Result<()> {
        match self {
            Step::Remove(file) => match fs::remove_file(file) {
                Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            },
            Step::Move { from, to } => {
                fs::create_dir_all(to.parent().unwrap_or(to))?;
                fs::rename(from, to)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const ID: &str = "orders.exe-17";
    const OF_TRACE: [&str; 4] = ["frames", "stacks", "objects", "traces"];

    /// A dataset for one test, deleted at the end.
    struct TempDataset(PathBuf);

    impl TempDataset {
        fn new(name: &str) -> TempDataset {
            let folder = std::env::temp_dir().join(format!("camlscope-dataset-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&folder);
            TempDataset(folder)
        }

        fn open(&self) -> Dataset {
            Dataset::open(&self.0, || panic!("another process is writing")).expect("can't open the dataset")
        }

        /// Writes tables whose content identifies the write.
        fn write<'a>(&self, dataset: &'a Dataset, writing: &str) -> Staging<'a> {
            let staging = dataset.stage(ID).expect("staged");
            for table in OF_TRACE {
                fs::write(staging.file(table), writing).expect("written");
            }
            staging
        }

        /// Returns what a reader sees, by table.
        fn read(&self) -> BTreeMap<&'static str, String> {
            let file = |table: &str| self.0.join(table).join(format!("trace={ID}/part-0.parquet"));
            TABLES.into_iter().filter_map(|table| Some((table, fs::read_to_string(file(table)).ok()?))).collect()
        }
    }

    impl Drop for TempDataset {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    fn all_of(writing: &str) -> BTreeMap<&'static str, String> {
        OF_TRACE.into_iter().map(|table| (table, writing.to_owned())).collect()
    }

    #[test]
    fn an_interrupted_write_never_mixes_old_and_new_tables() {
        for n_steps in 0..=8 {
            let temp = TempDataset::new(&n_steps.to_string());
            let dataset = temp.open();
            temp.write(&dataset, "old").publish().expect("published");
            let staging = temp.write(&dataset, "new");
            let whole = staging_folder(&temp.0).join(format!("{ID}{WHOLE}"));
            fs::rename(&staging.partial, &whole).expect("renamed");
            let steps = steps(&temp.0, &whole, ID).expect("read");
            assert_eq!(steps.len(), 8);
            steps.iter().take(n_steps).for_each(|step| step.take().expect("taken"));

            let found = temp.read();
            assert!(found.values().all(|writing| writing == "old") || found.values().all(|writing| writing == "new"));
            assert!(found.len() == OF_TRACE.len() || !found.contains_key("traces"), "{n_steps}: {found:?}");
            drop(staging);
            drop(dataset);
            drop(temp.open());
            assert_eq!(temp.read(), all_of("new"), "{n_steps}");
        }
    }

    #[test]
    fn partial_tables_of_an_interrupted_run_are_deleted() {
        let temp = TempDataset::new("partial");
        let dataset = temp.open();
        temp.write(&dataset, "old").publish().expect("published");
        let staging = dataset.stage(ID).expect("staged");
        fs::write(staging.file("objects"), "half").expect("written");
        // A killed process doesn't run destructors.
        let partial = staging.partial.clone();
        std::mem::forget(staging);
        drop(dataset);
        drop(temp.open());
        assert_eq!((temp.read(), partial.exists()), (all_of("old"), false));
    }

    #[test]
    fn a_second_run_waits_for_the_first() {
        let temp = TempDataset::new("two");
        let first = temp.open();
        std::thread::scope(|scope| {
            let (sender, receiver) = std::sync::mpsc::channel();
            let folder = &temp.0;
            let second = scope.spawn(move || Dataset::open(folder, || sender.send(()).expect("heard")).map(drop));
            receiver.recv().expect("it waits");
            drop(first);
            second.join().expect("ends").expect("opens");
        });
    }
}
