//! The rows of the open screen: how many there are, and which is which, so that the selected one stays selected when a trace
//! has grown and rows changed their places.

use super::app::App;
use super::draw::summary;
use super::requests;
use super::tab::Tab;
use super::tree::{self, TreeRow};
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::tree::Label;

impl App {
    /// How many rows the open screen has to choose from.
    pub fn n_rows(&self) -> usize {
        let state = &self.state;
        let answer = |request| self.answers.ok(&request);
        match state.tab {
            Tab::Summary => summary::n_rows(self),
            Tab::Timeline => 0,
            Tab::Table => match answer(requests::table(state, self.size)) {
                Some(Answer::Table(table)) => table.n_rows,
                _ => 0,
            },
            Tab::Tree => tree::rows(state, &self.answers).len(),
            Tab::Leaks => match answer(requests::growth(state)) {
                Some(Answer::Growth(growth)) => growth.sites.len(),
                _ => 0,
            },
            Tab::Compare => match answer(requests::comparison(state)) {
                Some(Answer::Compare(comparison)) => comparison.rows.len(),
                _ => 0,
            },
        }
    }

    /// What the selected row is about.
    pub(super) fn selected_path(&self) -> Option<Vec<Label>> {
        let (first, paths) = self.row_paths();
        paths.into_iter().nth(self.state.selected().checked_sub(first)?).filter(|path| !path.is_empty())
    }

    /// Selects the row that is about this, if it is there.
    pub(super) fn select_path(&mut self, path: &[Label]) {
        let (first, paths) = self.row_paths();
        if let Some(at) = paths.iter().position(|other| other == path) {
            self.state.select(first + at);
        }
    }

    /// What the rows are about that are known, and the number of the first of these. A row of the tree is a path, others
    /// are one label; what has none is empty.
    fn row_paths(&self) -> (usize, Vec<Vec<Label>>) {
        let state = &self.state;
        let answer = |request| self.answers.ok(&request);
        match state.tab {
            Tab::Table => match answer(requests::table(state, self.size)) {
                Some(Answer::Table(table)) => {
                    let rows = self.size.list_rows(Tab::Table);
                    let paths = table.rows.iter().map(|row| vec![row.label()]);
                    (state.selected() / rows * rows, paths.collect())
                }
                _ => (0, Vec::new()),
            },
            Tab::Tree => {
                let path = |row| match row {
                    TreeRow::Branch { path, .. } => path,
                    TreeRow::Below { .. } | TreeRow::Waiting { .. } => Vec::new(),
                };
                (0, tree::rows(state, &self.answers).into_iter().map(path).collect())
            }
            Tab::Leaks => match answer(requests::growth(state)) {
                Some(Answer::Growth(growth)) => (0, growth.sites.iter().map(|site| vec![site.label()]).collect()),
                _ => (0, Vec::new()),
            },
            Tab::Compare => match answer(requests::comparison(state)) {
                Some(Answer::Compare(comparison)) => {
                    (0, comparison.rows.iter().map(|row| vec![row.label.clone()]).collect())
                }
                _ => (0, Vec::new()),
            },
            Tab::Summary | Tab::Timeline => (0, Vec::new()),
        }
    }
}
