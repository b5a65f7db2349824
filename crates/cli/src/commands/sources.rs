//! The source files of a trace, for commands that show code: which there are, and where.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::context::{Context, Failure};
use super::input::Loaded;
use crate::source::{self, Search, SourcePath, shown};
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::lines::{SourceFile, SourceFiles};
use camlscope_present::source_files::TraceFile;
use camlscope_present::words::errors::UserError;

/// The most names in a message. The others are counted.
const MAX_NAMED: usize = 5;

/// Returns the trace's files, largest total first.
pub fn files_of(loaded: &mut Loaded, view: &View) -> Result<SourceFiles, Failure> {
    match loaded.ask(view.clone(), Question::SourceFiles)? {
        Answer::SourceFiles(files) => Ok(files),
        _ => Err(loaded.lost()),
    }
}

pub fn trace_file(file: &SourceFile) -> TraceFile<'_> {
    TraceFile { path: &file.file, is_library: file.is_library }
}

/// Finds files of the trace below the folders of `--source`.
pub fn search(context: &Context, folders: &[PathBuf], wanted: &[TraceFile<'_>]) -> Result<Search, Failure> {
    let search = source::search(folders, wanted).map_err(|(folder, error)| unreadable_folder(&folder, &error))?;
    if search.is_cut {
        context.warn("--source has too many files, so not all were searched. Use the folder of the project.");
    }
    Ok(search)
}

/// Checks the folders of `--source` before a large trace is read.
pub fn check_folders(folders: &[PathBuf]) -> Result<(), Failure> {
    folders.iter().try_for_each(|folder| match std::fs::read_dir(folder) {
        Ok(_) => Ok(()),
        Err(error) => Err(unreadable_folder(folder, &error)),
    })
}

fn unreadable_folder(folder: &Path, error: &std::io::Error) -> Failure {
    let text = format!("Can't read the folder of --source: {error}.");
    Failure::input(folder, user_error("unreadable", &text, "Use the folder with the source code."))
}

pub fn user_error(kind: &str, text: &str, advice: &str) -> UserError {
    UserError { kind: kind.to_owned(), text: text.to_owned(), advice: advice.to_owned(), offset: None }
}

/// `list.ml, hashtbl.ml and 3 more`
pub fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let n_more = names.len().saturating_sub(MAX_NAMED);
    let named: Vec<&str> = names.take(MAX_NAMED).collect();
    match n_more {
        0 => named.join(", "),
        n_more => format!("{} and {n_more} more", named.join(", ")),
    }
}

/// Explains why a file of the trace has no source. `None` if it has one.
pub fn why_missing(file: &str, place: &SourcePath) -> Option<String> {
    Some(match place {
        SourcePath::At(_) => return None,
        SourcePath::Missing => format!("There is no source of {file} in the folders of --source."),
        SourcePath::GeneratedFrom(original) => {
            format!("{file} is generated from {} and isn't there. Build the project.", shown(original))
        }
        SourcePath::Ambiguous(several) => {
            let several: Vec<String> = several.iter().map(|path| shown(path)).collect();
            format!("{file} could be any of {}.", listed(several.iter().map(String::as_str)))
        }
    })
}

/// Returns when the trace was recorded: the program's start, or for a profile the end of its file.
pub fn recorded_at(loaded: &Loaded, path: &Path) -> Option<SystemTime> {
    match loaded.trace().map(|trace| trace.info.start_us) {
        Some(start_us) if start_us > 0 => SystemTime::UNIX_EPOCH.checked_add(Duration::from_micros(start_us)),
        _ => std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok(),
    }
}
