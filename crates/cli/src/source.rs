//! Source files on disk: finds those of a trace below some folders, and reads them.

pub mod figures;
pub mod words;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustc_hash::FxHashSet;

use camlscope_present::source_files::{
    FoundFile, RealFile, TraceFile, file_name, find_files, is_searched, sources_of_generated,
};

/// Where a file of the trace is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourcePath {
    At(PathBuf),
    Ambiguous(Vec<PathBuf>),
    GeneratedFrom(PathBuf),
    Missing,
}

/// The result of a search for files of a trace.
#[derive(Clone, Debug)]
pub struct Search {
    /// In the order of the files that were searched for.
    pub found: Vec<SourcePath>,
    /// Whether the search ended early, because the folders have too many files.
    pub is_cut: bool,
}

/// A source file's text.
#[derive(Clone, Debug)]
pub struct Source {
    pub lines: Vec<String>,
    pub modified: Option<SystemTime>,
}

/// The most files and folders to visit. A project has fewer, and a disk would take minutes.
const MAX_ENTRIES: usize = 500_000;

/// Larger files aren't source code that a person wrote, and their listing would fill memory.
const MAX_BYTES: u64 = 64 << 20;

/// Searches folders for files of a trace. A folder that can't be read is an error.
pub fn search(folders: &[PathBuf], wanted: &[TraceFile<'_>]) -> Result<Search, (PathBuf, io::Error)> {
    let names: FxHashSet<String> = wanted.iter().flat_map(|file| names_of(file.path)).collect();
    let mut files = Files { names, found: BTreeMap::new(), n_left: MAX_ENTRIES };
    for folder in folders {
        files.walk(folder).map_err(|error| (folder.clone(), error))?;
    }
    let real: Vec<&FileOnDisk> = files.found.values().collect();
    let paths: Vec<RealFile<'_>> =
        real.iter().map(|file| RealFile { folder: &file.folder, path: &file.path }).collect();
    let path = |at: usize| real[at].on_disk.clone();
    let found = find_files(wanted, &paths).into_iter().map(|found| match found {
        FoundFile::At(at) => SourcePath::At(path(at)),
        FoundFile::Ambiguous(several) => SourcePath::Ambiguous(several.into_iter().map(path).collect()),
        FoundFile::GeneratedFrom(at) => SourcePath::GeneratedFrom(path(at)),
        FoundFile::Missing => SourcePath::Missing,
    });
    Ok(Search { found: found.collect(), is_cut: files.n_left == 0 })
}

/// Reads a source file. Text that isn't UTF-8 is shown as well as possible.
pub fn read(path: &Path) -> io::Result<Source> {
    let metadata = fs::metadata(path)?;
    if metadata.len() > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "the file is too large for source code"));
    }
    let text = fs::read(path)?;
    let lines = String::from_utf8_lossy(&text).lines().map(str::to_owned).collect();
    Ok(Source { lines, modified: metadata.modified().ok() })
}

/// Returns when a trace was recorded: the program's start, or for a profile the end of its file.
pub fn recorded_at(start_us: Option<u64>, trace: &Path) -> Option<SystemTime> {
    match start_us {
        Some(start_us) if start_us > 0 => SystemTime::UNIX_EPOCH.checked_add(Duration::from_micros(start_us)),
        _ => fs::metadata(trace).and_then(|metadata| metadata.modified()).ok(),
    }
}

/// Returns a path as text, without a leading `./`.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(".").unwrap_or(path).display().to_string()
}

/// The names that lead to a file of the trace: its own, and those of the files it may be generated from.
fn names_of(path: &str) -> impl Iterator<Item = String> {
    let name = file_name(path);
    std::iter::once(name.to_owned()).chain(sources_of_generated(name))
}

#[derive(Debug)]
struct FileOnDisk {
    folder: String,
    path: String,
    on_disk: PathBuf,
}

#[derive(Debug)]
struct Files {
    names: FxHashSet<String>,
    /// By absolute path, because folders can overlap.
    found: BTreeMap<PathBuf, FileOnDisk>,
    n_left: usize,
}

impl Files {
    /// Collects the files with a wanted name. Skips hidden folders and links to folders, which may lead back.
    fn walk(&mut self, folder: &Path) -> io::Result<()> {
        let absolute = folder.canonicalize()?;
        fs::read_dir(folder)?;
        let mut pending = vec![PathBuf::new()];
        while let Some(below) = pending.pop() {
            // A folder without permission to read it is skipped.
            for entry in fs::read_dir(folder.join(&below)).into_iter().flatten().flatten() {
                if self.n_left == 0 {
                    return Ok(());
                }
                self.n_left -= 1;
                let (name, path) = (entry.file_name().to_string_lossy().into_owned(), below.join(entry.file_name()));
                if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    if is_searched(&name) {
                        pending.push(path);
                    }
                } else if self.names.contains(&name) && folder.join(&path).is_file() {
                    let file = FileOnDisk {
                        folder: absolute.to_string_lossy().into_owned(),
                        path: path.to_string_lossy().into_owned(),
                        on_disk: folder.join(&path),
                    };
                    self.found.entry(absolute.join(&path)).or_insert(file);
                }
            }
        }
        Ok(())
    }
}
