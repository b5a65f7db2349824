//! The program's source code next to the trace: opening its folder, finding the trace's files in it, and reading them.

pub mod code;
mod open;
pub mod report;
pub mod text;

use std::collections::HashMap;
use std::rc::Rc;

use yew::prelude::*;

pub use self::open::{OpenFolder, open_dropped, use_known_folder};
use crate::ui::platform::source_folder::{Folder, FolderFile};
use crate::ui::query::use_kept_query;
use crate::ui::store::Sources;
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::lines::SourceFiles;
use camlscope_present::source_files::{FoundFile, RealFile, TraceFile, find_files};
use camlscope_view::page::query::hook::QueryState;

/// Where the trace's files are in the open folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FoundSources {
    /// By path in the trace.
    by_file: HashMap<String, FoundFile>,
    /// The real files, largest total first.
    real: Vec<usize>,
    sources: Option<Sources>,
}

impl FoundSources {
    /// All files of the trace, whatever the view shows. So a filter never changes where a file is found.
    fn new(sources: Option<Sources>, files: Option<&SourceFiles>) -> FoundSources {
        let Some(folder) = &sources else { return FoundSources::default() };
        let files = files.map_or(&[][..], |files| &files.files);
        let wanted: Vec<TraceFile<'_>> =
            files.iter().map(|file| TraceFile { path: &file.file, is_library: file.is_library }).collect();
        let real: Vec<RealFile<'_>> =
            folder.files.iter().map(|file| RealFile { folder: &folder.name, path: &file.path }).collect();
        let found = find_files(&wanted, &real);
        let mut all_real = Vec::new();
        for found in &found {
            // Two paths of the trace can lead to the same file.
            if let FoundFile::At(at) = found
                && !all_real.contains(at)
            {
                all_real.push(*at);
            }
        }
        let by_file = files.iter().map(|file| file.file.clone()).zip(found).collect();
        FoundSources { by_file, real: all_real, sources }
    }

    pub fn folder(&self) -> Option<&Folder> {
        self.sources.as_deref()
    }

    /// Returns how a file of the trace was found. Missing if no folder is open.
    pub fn of(&self, file: &str) -> &FoundFile {
        self.by_file.get(file).unwrap_or(&FoundFile::Missing)
    }

    pub fn file(&self, at: usize) -> Option<&FolderFile> {
        self.folder()?.files.get(at)
    }

    /// Returns the real file, if there is exactly one.
    pub fn real(&self, file: &str) -> Option<&FolderFile> {
        match self.of(file) {
            FoundFile::At(at) => self.file(*at),
            _ => None,
        }
    }

    /// Returns the real files that are sources of the trace, largest total first.
    pub fn all_real(&self) -> Vec<&FolderFile> {
        self.real.iter().filter_map(|at| self.file(*at)).collect()
    }
}

/// Finds all files of the trace in the folder. Also returns whether they are known yet.
#[hook]
pub fn use_found_sources(sources: Option<Sources>) -> (Rc<FoundSources>, QueryState) {
    let query = use_kept_query(Request { view: View::default(), question: Question::SourceFiles });
    let found = use_memo((sources, query.answer.clone()), |(sources, answer)| {
        let files = answer.as_ref().and_then(|answer| answer.get::<SourceFiles>());
        FoundSources::new(sources.clone(), files)
    });
    (found, query)
}
