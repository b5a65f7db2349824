//! The source files of a trace on this machine. The only part of the UI that reads files next to the trace, when the
//! runner asks for it.

use std::path::{Path, PathBuf};
use std::time::SystemTime;

use rustc_hash::FxHashMap;

use super::app::App;
use crate::source::figures::expanded;
use crate::source::words::{self, why_missing};
use crate::source::{self, SourcePath, shown};
use camlscope_engine::protocol::Slot;
use camlscope_engine::query::lines::SourceFiles;
use camlscope_present::source_files::TraceFile;
use camlscope_present::terminal_text::clean;

/// The sources of both traces.
#[derive(Debug, Default)]
pub struct SourceCode {
    /// Empty without `--source`.
    folders: Vec<PathBuf>,
    /// By [`Slot`]. Where the files of the trace are, once one of them was needed.
    places: [FxHashMap<String, SourcePath>; 2],
    /// By [`Slot`]. The files that were read.
    texts: [FxHashMap<String, SourceText>; 2],
    /// Whether there were too many files to search all.
    is_cut: bool,
}

/// A file's text, or why there is none.
#[derive(Clone, Debug, Default)]
pub struct SourceText {
    pub full_path: Option<PathBuf>,
    /// The same for people.
    pub path: Option<String>,
    /// Without tabs and control characters.
    pub lines: Vec<String>,
    /// Why it isn't there, or why figures may be on the wrong lines.
    pub problem: Option<String>,
}

impl SourceText {
    pub fn n_lines(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }
}

impl SourceCode {
    pub fn new(folders: Vec<PathBuf>) -> SourceCode {
        SourceCode { folders, ..SourceCode::default() }
    }

    pub fn has_folders(&self) -> bool {
        !self.folders.is_empty()
    }

    pub fn text(&self, slot: Slot, file: &str) -> Option<&SourceText> {
        self.texts[slot as usize].get(file)
    }

    /// Reads a file of a trace. `files` are all of them: the names of others tell which of several files is meant.
    fn read(&mut self, slot: Slot, file: &str, files: &SourceFiles, recorded_at: Option<SystemTime>) {
        let places = &mut self.places[slot as usize];
        if !places.contains_key(file) {
            let wanted: Vec<_> = { files.files.iter() }
                .map(|file| TraceFile { path: &file.file, is_library: file.is_library })
                .collect();
            match source::search(&self.folders, &wanted) {
                Ok(search) => {
                    self.is_cut |= search.is_cut;
                    places.extend(files.files.iter().map(|file| file.file.clone()).zip(search.found));
                }
                Err((folder, error)) => {
                    let problem = Some(format!("Can't read {}: {error}.", shown(&folder)));
                    let text = SourceText { problem, ..SourceText::default() };
                    self.texts[slot as usize].insert(file.to_owned(), text);
                    return;
                }
            }
        }
        let place = places.get(file).cloned().unwrap_or(SourcePath::Missing);
        let text = read(file, &place, recorded_at, self.is_cut);
        self.texts[slot as usize].insert(file.to_owned(), text);
    }
}

fn read(file: &str, place: &SourcePath, recorded_at: Option<SystemTime>, is_cut: bool) -> SourceText {
    let SourcePath::At(path) = place else {
        let why = why_missing(file, place).unwrap_or_default();
        let cut = if is_cut { words::SEARCH_CUT } else { "" };
        let problem = format!("{why} {cut}").trim_end().to_owned();
        return SourceText { problem: Some(problem), ..SourceText::default() };
    };
    match source::read(path) {
        Ok(source) => {
            let is_newer = source.modified.zip(recorded_at).is_some_and(|(modified, recorded)| modified > recorded);
            SourceText {
                full_path: Some(path.clone()),
                path: Some(shown(path)),
                lines: source.lines.iter().map(|line| clean(&expanded(line)).into_owned()).collect(),
                problem: is_newer.then(|| words::newer(&shown(path))),
            }
        }
        Err(error) => {
            SourceText { problem: Some(format!("Can't read {}: {error}.", shown(path))), ..SourceText::default() }
        }
    }
}

impl App {
    /// Reads the source file that the screen needs, if there is one. `traces` are the files of both slots.
    pub fn read_missing_source(&mut self, traces: [Option<&Path>; 2]) {
        let Some((file, files)) = self.missing_source() else { return };
        let slot = self.state.slot;
        let summary = self.state.summary.as_ref();
        let start_us = summary.filter(|summary| summary.profile.is_none()).map(|summary| summary.info.start_time_us);
        let recorded_at = traces[slot as usize].and_then(|trace| source::recorded_at(start_us, trace));
        self.source_code.read(slot, &file, &files, recorded_at);
        self.settle();
    }

    /// Reads all sources again when they are needed again, because an editor may have changed them.
    pub fn forget_source(&mut self) {
        self.source_code.texts = Default::default();
    }
}
