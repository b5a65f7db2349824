//! The rows of the open screen. They are identified by content, so that the selected row stays selected when a trace
//! has grown and rows have moved.

use super::app::App;
use super::draw::summary;
use super::requests;
use super::tab::Tab;
use super::tree::{self, TreeRow};
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::histogram::columns;

impl App {
    /// Returns the number of rows in the open screen.
    pub fn n_rows(&self) -> usize {
        match (self.state.tab, self.list_answer()) {
            (Tab::Summary, _) => summary::n_rows(self),
            (Tab::Tree, _) => tree::rows(&self.state, &self.answers).len(),
            (_, Some(Answer::Table(table))) => table.n_rows,
            (_, Some(Answer::Growth(growth))) => growth.sites.len(),
            (_, Some(Answer::Compare(comparison))) => comparison.rows.len(),
            (_, Some(Answer::Histogram(histogram))) => columns(histogram, self.state.histogram.bins()).len(),
            _ => 0,
        }
    }

    /// Returns the response whose rows the open screen lists, once it has arrived.
    fn list_answer(&self) -> Option<&Answer> {
        let request = match self.state.tab {
            Tab::Table => requests::table(&self.state, self.size),
            Tab::Leaks => requests::growth(&self.state),
            Tab::Compare => requests::comparison(&self.state),
            Tab::Histograms => requests::histogram(&self.state),
            Tab::Summary | Tab::Timeline | Tab::Tree | Tab::Flame => return None,
        };
        self.answers.ok(&request)
    }

    /// Returns the labels that identify the selected row.
    pub(super) fn selected_path(&self) -> Option<Vec<Label>> {
        let (first, paths) = self.row_paths();
        paths.into_iter().nth(self.state.selected().checked_sub(first)?).filter(|path| !path.is_empty())
    }

    /// Selects the row with these labels, if it exists.
    pub(super) fn select_path(&mut self, path: &[Label]) {
        let (first, paths) = self.row_paths();
        if let Some(at) = paths.iter().position(|other| other == path) {
            self.state.select(first + at);
        }
    }

    /// Returns the labels of all loaded rows, and the number of the first one. A row of the tree has a path, other rows
    /// have one label. Rows without a label are empty.
    fn row_paths(&self) -> (usize, Vec<Vec<Label>>) {
        match (self.state.tab, self.list_answer()) {
            (Tab::Tree, _) => {
                let path = |row| match row {
                    TreeRow::Branch { path, .. } => path,
                    TreeRow::Below { .. } | TreeRow::Waiting { .. } => Vec::new(),
                };
                (0, tree::rows(&self.state, &self.answers).into_iter().map(path).collect())
            }
            (_, Some(Answer::Table(table))) => {
                let rows = self.size.list_rows(Tab::Table);
                let paths = table.rows.iter().map(|row| vec![row.label()]);
                (self.state.selected() / rows * rows, paths.collect())
            }
            (_, Some(Answer::Growth(growth))) => (0, growth.sites.iter().map(|site| vec![site.label()]).collect()),
            (_, Some(Answer::Compare(comparison))) => {
                (0, comparison.rows.iter().map(|row| vec![row.label.clone()]).collect())
            }
            _ => (0, Vec::new()),
        }
    }
}
