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
        match (self.state.tab, self.list_answer()) {
            (Tab::Summary, _) => summary::n_rows(self),
            (Tab::Tree, _) => tree::rows(&self.state, &self.answers).len(),
            (_, Some(Answer::Table(table))) => table.n_rows,
            (_, Some(Answer::Growth(growth))) => growth.sites.len(),
            (_, Some(Answer::Compare(comparison))) => comparison.rows.len(),
            _ => 0,
        }
    }

    /// The answer whose rows the open screen lists, once it has arrived.
    fn list_answer(&self) -> Option<&Answer> {
        let request = match self.state.tab {
            Tab::Table => requests::table(&self.state, self.size),
            Tab::Leaks => requests::growth(&self.state),
            Tab::Compare => requests::comparison(&self.state),
            Tab::Summary | Tab::Timeline | Tab::Tree => return None,
        };
        self.answers.ok(&request)
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
