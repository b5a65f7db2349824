//! The source view: which file and line it shows, and how its rows follow from the responses and the file.

use super::app::App;
use super::flame::Grid;
use super::requests;
use super::source_code::SourceText;
use super::state::State;
use super::tab::Tab;
use crate::source::figures::About;
use crate::source::words;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, NameTest, WhichFrame, line_name, parse_line};
use camlscope_engine::query::lines::{FileLines, SourceFigures, SourceFiles};
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::terminal_text::wrapped;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceState {
    /// The path in the trace.
    pub file: String,
    /// Where it begins.
    pub at: SourceTarget,
    /// The line that the user selected.
    pub line: Option<u32>,
    /// The row at the top of the screen, once the user has moved.
    pub first_row: Option<usize>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceTarget {
    Line(u32),
    /// The function's hottest line. Has the compiler's name.
    Function(String),
    /// The file's hottest line.
    File,
}

/// A line to open in an editor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    pub path: std::path::PathBuf,
    pub line: u32,
}

/// Everything that the view shows.
#[derive(Clone, Debug)]
pub struct SourceRows<'a> {
    pub lines: &'a FileLines,
    pub text: &'a SourceText,
    pub about: About,
    /// The numbers of the lines: those of the file, then those with figures past its end.
    pub numbers: Vec<u32>,
    /// The index of the selected line.
    pub selected: usize,
}

/// How to get source code.
pub const NO_SOURCE: &str = "Start with --source DIR to see source code: camlscope view --source . trace.ctf";
const NO_FILE: &str = "This row has no source file. Group by function, site or file (g).";

impl SourceState {
    /// Returns `None` if the label stands for code without a file.
    pub fn of_label(label: &Label, grain: Grain) -> Option<SourceState> {
        let (file, at) = match (label.place, parse_line(&label.name)) {
            (Some(place), _) => (label.file.as_str(), SourceTarget::Line(place.line)),
            // In a profile, functions are named by file and line.
            (None, Some((file, line))) => (file, SourceTarget::Line(line)),
            (None, None) if grain == Grain::File => (label.name.as_str(), SourceTarget::File),
            (None, None) => (label.file.as_str(), SourceTarget::Function(label.name.clone())),
        };
        let has_file = !file.is_empty() && !file.starts_with('(');
        has_file.then(|| SourceState { file: file.to_owned(), at, line: None, first_row: None })
    }

    /// Returns the selected line, or where the view begins.
    fn line(&self, lines: &FileLines) -> u32 {
        let hottest = || lines.lines.iter().max_by(|one, two| one.figures.total.total_cmp(&two.figures.total));
        let begin = match &self.at {
            SourceTarget::Line(line) => Some(*line),
            SourceTarget::Function(name) => { lines.functions.iter() }
                .find(|function| function.name == *name)
                .map(|function| function.hottest_line.unwrap_or(function.first_line)),
            SourceTarget::File => hottest().map(|line| line.line),
        };
        self.line.or(begin).unwrap_or(1)
    }
}

/// Returns whether a label is a call site or, in a profile, a line.
pub fn is_site(label: &Label) -> bool {
    label.place.is_some() || parse_line(&label.name).is_some()
}

impl<'a> SourceRows<'a> {
    /// Returns `None` until everything is loaded.
    fn new(source: &SourceState, lines: &'a FileLines, text: &'a SourceText, about: About) -> SourceRows<'a> {
        let line = source.line(lines);
        let n_lines = text.n_lines();
        let mut beyond: Vec<u32> = lines.lines.iter().map(|line| line.line).chain([line]).collect();
        beyond.retain(|&line| line == 0 || line > n_lines);
        beyond.sort_unstable();
        beyond.dedup();
        let numbers: Vec<u32> = (1..=n_lines).chain(beyond).collect();
        let selected = numbers.iter().position(|&number| number == line).unwrap_or(0);
        SourceRows { lines, text, about, numbers, selected }
    }

    pub fn line(&self) -> u32 {
        self.numbers.get(self.selected).copied().unwrap_or(1)
    }

    pub fn figures(&self, line: u32) -> Option<&SourceFigures> {
        let at = self.lines.lines.binary_search_by_key(&line, |line| line.line).ok()?;
        Some(&self.lines.lines[at].figures)
    }

    /// Returns what the user must know about the file, in lines of this width.
    pub fn messages(&self, width: usize) -> Vec<String> {
        let n_lines = self.text.n_lines();
        let is_beyond = |line: u32| line == 0 || line > n_lines;
        let n_beyond = self.lines.lines.iter().filter(|line| is_beyond(line.line)).count();
        let lacking = match &self.text.path {
            Some(path) if n_beyond > 0 => Some(words::beyond(path, n_beyond, n_lines as usize)),
            Some(path) if is_beyond(self.line()) => Some(words::no_line(path, self.line(), n_lines as usize)),
            _ => None,
        };
        self.text.problem.iter().cloned().chain(lacking).flat_map(|text| wrapped(&text, width)).collect()
    }

    /// Returns the next or previous hot line, after the last one the first.
    fn next_hot(&self, is_forward: bool) -> Option<u32> {
        let hot = self.about.hot_lines(&self.lines.lines);
        let hot = || hot.iter().map(|line| line.line);
        let now = self.line();
        match is_forward {
            true => hot().find(|&line| line > now).or_else(|| hot().next()),
            false => hot().rfind(|&line| line < now).or_else(|| hot().next_back()),
        }
    }
}

impl App {
    /// Returns the rows of the open source view, once everything is loaded.
    pub fn source_rows<'a>(&'a self, source: &SourceState) -> Option<SourceRows<'a>> {
        let Some(Answer::Lines(lines)) = self.answers.ok(&requests::lines(&self.state, &source.file)) else {
            return None;
        };
        let text = self.source_code.text(self.state.slot, &source.file)?;
        let about = About { measure: self.state.view.measure, all: lines.all, is_profile: self.state.is_profile() };
        Some(SourceRows::new(source, lines, text, about))
    }

    /// Returns the file whose source is needed and not read yet, with all files of the trace.
    pub fn missing_source(&self) -> Option<(String, SourceFiles)> {
        let source = self.state.source.as_ref().or(self.state.editing.as_ref())?;
        let is_known = self.source_code.text(self.state.slot, &source.file).is_some();
        match self.answers.ok(&requests::source_files(&self.state)) {
            Some(Answer::SourceFiles(files)) if !is_known => Some((source.file.clone(), files.clone())),
            _ => None,
        }
    }

    /// Returns the number of rows of code that fit.
    pub fn source_height(&self, rows: &SourceRows<'_>) -> usize {
        let n_messages = rows.messages(usize::from(self.size.width)).len();
        self.size.body_rows().saturating_sub(2 + n_messages).max(1)
    }

    /// Returns the row at the top of the screen. The first line that is shown is in the middle.
    pub fn first_source_row(&self, source: &SourceState, rows: &SourceRows<'_>) -> usize {
        let (height, selected) = (self.source_height(rows), rows.selected);
        let wished = source.first_row.unwrap_or_else(|| selected.saturating_sub(height / 2));
        let most = rows.numbers.len().saturating_sub(height);
        wished.clamp((selected + 1).saturating_sub(height), selected).min(most)
    }

    /// Shows the source of the selected row, or says why there is none.
    pub fn show_source(&mut self) {
        match self.selected_source() {
            Ok(source) => self.state.source = Some(source),
            Err(why) => self.state.problem = Some(why.to_owned()),
        }
    }

    /// Opens the selected line, or the line of the selected row, in an editor.
    pub fn edit_source(&mut self) {
        match self.state.source.clone().map_or_else(|| self.selected_source(), Ok) {
            Ok(source) => self.state.editing = Some(source),
            Err(why) => self.state.problem = Some(why.to_owned()),
        }
    }

    fn selected_source(&self) -> Result<SourceState, &'static str> {
        if !self.source_code.has_folders() {
            return Err(NO_SOURCE);
        }
        let label = self.selected_label();
        label.and_then(|label| SourceState::of_label(&label, self.state.view.grain)).ok_or(NO_FILE)
    }

    /// Whether Enter shows the source of the selected row.
    pub fn is_source_on_enter(&self) -> bool {
        let has_sites = matches!(self.state.tab, Tab::Table | Tab::Tree | Tab::Leaks | Tab::Compare);
        has_sites && self.source_code.has_folders() && self.selected_label().is_some_and(|label| is_site(&label))
    }

    fn selected_label(&self) -> Option<Label> {
        if self.state.tab == Tab::Flame {
            let grid = Grid::new(&self.state, &self.answers, self.size)?;
            return grid.label(&grid.flame.boxes[grid.selected(&self.state)?]).cloned();
        }
        self.selected_path()?.pop()
    }

    /// Returns the line to open in an editor, once it is known. A file that isn't found is a problem.
    pub fn take_edit(&mut self) -> Option<Edit> {
        let editing = self.state.editing.as_ref()?;
        let rows = self.source_rows(editing)?;
        let line = rows.line().clamp(1, rows.text.n_lines().max(1));
        let (path, problem) = (rows.text.full_path.clone(), rows.text.problem.clone());
        self.state.editing = None;
        if path.is_none() {
            self.state.problem = problem;
        }
        Some(Edit { path: path?, line })
    }

    /// Selects the row that is this many rows further.
    pub(super) fn move_in_source(&mut self, rows: isize) {
        self.select_in_source(|shown| {
            let last = shown.numbers.len().saturating_sub(1);
            shown.numbers.get(shown.selected.saturating_add_signed(rows).min(last)).copied()
        });
    }

    pub(super) fn go_to_hot_line(&mut self, is_forward: bool) {
        self.select_in_source(|shown| shown.next_hot(is_forward));
    }

    /// Selects the line in a row of the screen, counted from the first line of code.
    pub(super) fn click_in_source(&mut self, row: usize) {
        let Some(source) = self.state.source.clone() else { return };
        let Some(rows) = self.source_rows(&source) else { return };
        let n_messages = rows.messages(usize::from(self.size.width)).len();
        let Some(row) = row.checked_sub(2 + n_messages).filter(|&row| row < self.source_height(&rows)) else { return };
        let at = self.first_source_row(&source, &rows) + row;
        self.select_in_source(|shown| shown.numbers.get(at).copied());
    }

    fn select_in_source(&mut self, line: impl FnOnce(&SourceRows<'_>) -> Option<u32>) {
        let Some(source) = self.state.source.clone() else { return };
        let Some(rows) = self.source_rows(&source) else { return };
        let first = self.first_source_row(&source, &rows);
        let moved = SourceState { line: line(&rows).or(source.line), first_row: Some(first), ..source };
        // Scrolls as far as needed.
        let first_row = self.source_rows(&moved).map(|rows| self.first_source_row(&moved, &rows));
        self.state.source = Some(SourceState { first_row, ..moved });
    }

    /// Keeps only stacks through the selected line.
    pub(super) fn filter_by_line(&mut self) {
        let Some(source) = &self.state.source else { return };
        let Some(rows) = self.source_rows(source) else { return };
        let name = NameTest::is(&line_name(&source.file, rows.line()));
        let clause = Clause::Frame(FrameTest { part: FrameField::Line, name, not: false, which: WhichFrame::Any });
        self.state.change_view(|view| {
            if !view.filter.clauses.contains(&clause) {
                view.filter.clauses.push(clause);
            }
        });
    }
}

impl State {
    /// Opens a tab, in front of everything else.
    pub fn open_tab(&mut self, tab: Tab) {
        self.tab = tab;
        self.source = None;
    }
}
