//! The source files of a trace, for commands that show code: which there are, and where.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::context::{Context, Failure};
use super::input::Loaded;
use crate::source::{self, Search, words};
use camlscope_engine::protocol::{Answer, Question, View};
use camlscope_engine::query::lines::{SourceFile, SourceFiles};
use camlscope_present::source_files::TraceFile;
use camlscope_present::words::errors::UserError;

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
        context.warn(words::SEARCH_CUT);
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

/// Returns when the trace was recorded.
pub fn recorded_at(loaded: &Loaded, path: &Path) -> Option<SystemTime> {
    source::recorded_at(loaded.trace().map(|trace| trace.info.start_us), path)
}
