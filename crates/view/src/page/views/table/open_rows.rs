//! Expanded rows, and the trees of callers and callees below them, which are queried level by level as the user expands
//! them. Rows are identified by their index, so a change of order or search collapses all of them.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::page::reducer::Reducer;
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::flame::{BoxSelector, Branch, BranchConfig, Branches, Direction};
use camlscope_engine::query::tree::Label;

/// The number of children to load at first, and with each "more".
const STEP: usize = 50;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct OpenRows {
    open: BTreeMap<usize, Opened>,
}

#[derive(Clone, Debug, PartialEq)]
struct Opened {
    label: Label,
    /// Callers, then callees.
    halves: Vec<TreeNode>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct TreeNode {
    /// `None` for the root of the callers or callees.
    branch: Option<Branch>,
    child_rows: Option<ChildRows>,
}

#[derive(Clone, Debug, PartialEq)]
struct ChildRows {
    children: Vec<TreeNode>,
    /// `None` before the response.
    n_children: Option<usize>,
    n_wanted: usize,
    failed: bool,
}

/// A path from a row to a line below it: callers or callees, then the index at each level.
pub type Path = Vec<usize>;

/// The kind of a line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineAt {
    Row(usize),
    /// `nth` is counted from the row.
    Below {
        row: usize,
        nth: usize,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line<'a> {
    pub path: Path,
    pub what: LineKind<'a>,
    /// `None` if there is nothing to expand.
    pub is_open: Option<bool>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum LineKind<'a> {
    /// The number of callers, once known.
    Callers(Option<usize>),
    Callees(Option<usize>),
    Branch(&'a Branch),
    /// The number of children not shown.
    More(usize),
    Failed,
}

#[derive(Debug)]
pub enum OpenRowsAction {
    ToggleRow(usize, Label),
    Toggle(usize, Path),
    More(usize, Path),
    Got(MissingRows, Option<Branches>),
    Reset,
}

/// Children that are wanted but not loaded.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingRows {
    row: usize,
    label: Label,
    path: Path,
    parent: BoxSelector,
    rows: Range<usize>,
}

impl MissingRows {
    /// `view` is that of the table.
    pub fn request(&self, mut view: View) -> Request {
        let direction = match self.path.first() {
            Some(0) => Direction::Callers(self.label.clone()),
            _ => Direction::Callees(self.label.clone()),
        };
        view.measure = view.measure.in_bytes();
        let config = BranchConfig { direction, parent: self.parent.clone(), rows: self.rows.clone() };
        Request { view, question: Question::Branches(config) }
    }
}

impl OpenRows {
    pub fn n_lines_below(&self) -> usize {
        self.open.values().map(Opened::n_lines).sum()
    }

    pub fn is_open(&self, row: usize) -> bool {
        self.open.contains_key(&row)
    }

    pub fn at(&self, line: usize) -> LineAt {
        let mut n_below = 0;
        for (&row, opened) in &self.open {
            let first = row + 1 + n_below;
            let n = opened.n_lines();
            if line < first {
                break;
            }
            if line < first + n {
                return LineAt::Below { row, nth: line - first };
            }
            n_below += n;
        }
        LineAt::Row(line - n_below)
    }

    /// Returns the line of a row.
    pub fn line_of(&self, row: usize) -> usize {
        row + self.open.range(..row).map(|(_, opened)| opened.n_lines()).sum::<usize>()
    }

    /// Returns all lines below a row.
    pub fn below(&self, row: usize) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        if let Some(opened) = self.open.get(&row) {
            for (nth, half) in opened.halves.iter().enumerate() {
                half.lines(&mut vec![nth], &mut lines);
            }
        }
        lines
    }

    fn node(&mut self, row: usize, path: &[usize]) -> Option<&mut TreeNode> {
        let (half, rest) = path.split_first()?;
        let half = self.open.get_mut(&row)?.halves.get_mut(*half)?;
        rest.iter().try_fold(half, |node, nth| node.child_rows.as_mut()?.children.get_mut(*nth))
    }

    /// Returns the next level to query.
    pub fn missing(&self) -> Option<MissingRows> {
        self.open.iter().find_map(|(&row, opened)| {
            let mut halves = opened.halves.iter().enumerate();
            halves.find_map(|(nth, half)| half.missing(&mut vec![nth])).map(|(path, parent, rows)| MissingRows {
                row,
                label: opened.label.clone(),
                path,
                parent,
                rows,
            })
        })
    }

    fn toggle_row(&mut self, row: usize, label: Label) {
        if self.open.remove(&row).is_none() {
            let half = TreeNode { branch: None, child_rows: Some(ChildRows::wanted()) };
            self.open.insert(row, Opened { label, halves: vec![half.clone(), half] });
        }
    }

    fn take(&mut self, missing: &MissingRows, found: Option<Branches>) {
        // The row may have been collapsed or replaced in the meantime.
        if self.open.get(&missing.row).is_none_or(|opened| opened.label != missing.label) {
            return;
        }
        let Some(child_rows) = self.node(missing.row, &missing.path).and_then(|node| node.child_rows.as_mut()) else {
            return;
        };
        match found {
            Some(found) if child_rows.children.len() == missing.rows.start => {
                child_rows.n_children = Some(found.n_children);
                child_rows.children.extend(
                    found.children.into_iter().map(|branch| TreeNode { branch: Some(branch), child_rows: None }),
                );
            }
            Some(_) => {}
            None => child_rows.failed = true,
        }
    }
}

impl Reducer for OpenRows {
    type Action = OpenRowsAction;

    fn apply(&mut self, action: OpenRowsAction) {
        match action {
            OpenRowsAction::ToggleRow(row, label) => self.toggle_row(row, label),
            OpenRowsAction::Toggle(row, path) => {
                if let Some(node) = self.node(row, &path) {
                    node.child_rows = if node.child_rows.is_some() { None } else { Some(ChildRows::wanted()) };
                }
            }
            OpenRowsAction::More(row, path) => {
                if let Some(child_rows) = self.node(row, &path).and_then(|node| node.child_rows.as_mut()) {
                    child_rows.n_wanted += STEP;
                }
            }
            OpenRowsAction::Got(missing, found) => self.take(&missing, found),
            OpenRowsAction::Reset => *self = OpenRows::default(),
        }
    }
}

impl Opened {
    fn n_lines(&self) -> usize {
        self.halves.iter().map(TreeNode::n_lines).sum()
    }
}

impl TreeNode {
    fn n_lines(&self) -> usize {
        let below = self.child_rows.as_ref().map_or(0, |child_rows| {
            child_rows.children.iter().map(TreeNode::n_lines).sum::<usize>()
                + usize::from(child_rows.n_more() > 0 || child_rows.failed)
        });
        1 + below
    }

    fn lines<'a>(&'a self, path: &mut Path, lines: &mut Vec<Line<'a>>) {
        let n_children = self.child_rows.as_ref().and_then(|child_rows| child_rows.n_children);
        let (what, can_open) = match &self.branch {
            Some(branch) => (LineKind::Branch(branch), branch.has_children),
            None if path.first() == Some(&0) => (LineKind::Callers(n_children), n_children != Some(0)),
            None => (LineKind::Callees(n_children), n_children != Some(0)),
        };
        lines.push(Line { path: path.clone(), what, is_open: can_open.then_some(self.child_rows.is_some()) });
        let Some(child_rows) = &self.child_rows else { return };
        for (nth, child) in child_rows.children.iter().enumerate() {
            path.push(nth);
            child.lines(path, lines);
            path.pop();
        }
        let last = match child_rows.n_more() {
            _ if child_rows.failed => LineKind::Failed,
            0 => return,
            n => LineKind::More(n),
        };
        let mut path = path.clone();
        path.push(child_rows.children.len());
        lines.push(Line { path, what: last, is_open: None });
    }

    fn missing(&self, path: &mut Path) -> Option<(Path, BoxSelector, Range<usize>)> {
        let child_rows = self.child_rows.as_ref().filter(|child_rows| !child_rows.failed)?;
        let n_wanted = child_rows.n_wanted.min(child_rows.n_children.unwrap_or(usize::MAX));
        if child_rows.children.len() < n_wanted {
            let parent = self.branch.as_ref().map_or(BoxSelector::Top, |branch| BoxSelector::Id(branch.id));
            return Some((path.clone(), parent, child_rows.children.len()..n_wanted));
        }
        child_rows.children.iter().enumerate().find_map(|(nth, child)| {
            path.push(nth);
            let missing = child.missing(path);
            path.pop();
            missing
        })
    }
}

impl ChildRows {
    fn wanted() -> ChildRows {
        ChildRows { children: Vec::new(), n_children: None, n_wanted: STEP, failed: false }
    }

    fn n_more(&self) -> usize {
        self.n_children.unwrap_or(0).saturating_sub(self.children.len())
    }
}

#[cfg(test)]
mod tests;
