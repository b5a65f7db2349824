//! Which rows are open, and the callers and callees below them: trees that are asked for level by level, as deep as the
//! reader goes. Rows are known by their place in the table, so a change of order or search closes all of them.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use yew::prelude::*;

use crate::ui::query::QueryEvent;
use crate::ui::query::use_channel;
use crate::ui::views::table::rows::Base;
use camlscope_engine::protocol::{Answer, Question, Request};
use camlscope_engine::query::flame::{BoxSelector, Branch, BranchConfig, Branches, Direction};
use camlscope_engine::query::tree::Label;

/// The children that are loaded at first, and with each "more".
const STEP: usize = 50;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Forest {
    open: BTreeMap<usize, Opened>,
}

#[derive(Clone, Debug, PartialEq)]
struct Opened {
    label: Label,
    /// Callers, then callees.
    halves: Vec<Node>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Node {
    /// None for a half.
    branch: Option<Branch>,
    kids: Option<Kids>,
}

#[derive(Clone, Debug, PartialEq)]
struct Kids {
    children: Vec<Node>,
    /// None before the answer.
    n_children: Option<usize>,
    n_wanted: usize,
    failed: bool,
}

/// From a row to something below it: the half, then the place among its siblings at each level.
pub type Path = Vec<usize>;

/// What a line of the table is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    Row(usize),
    /// Counted from the row.
    Below {
        row: usize,
        nth: usize,
    },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line<'a> {
    pub path: Path,
    pub what: What<'a>,
    /// None where there is nothing to open.
    pub is_open: Option<bool>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum What<'a> {
    /// How many there are, once it is known.
    Callers(Option<usize>),
    Callees(Option<usize>),
    Branch(&'a Branch),
    /// So many are not shown.
    More(usize),
    Failed,
}

#[derive(Debug)]
pub enum ForestAction {
    ToggleRow(usize, Label),
    Toggle(usize, Path),
    More(usize, Path),
    Got(Wish, Option<Branches>),
    Reset,
}

/// Children that are wanted and not there.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    row: usize,
    label: Label,
    path: Path,
    parent: BoxSelector,
    rows: Range<usize>,
}

impl Forest {
    pub fn n_lines_below(&self) -> usize {
        self.open.values().map(Opened::n_lines).sum()
    }

    pub fn is_open(&self, row: usize) -> bool {
        self.open.contains_key(&row)
    }

    pub fn at(&self, line: usize) -> At {
        let mut n_below = 0;
        for (&row, opened) in &self.open {
            let first = row + 1 + n_below;
            let n = opened.n_lines();
            if line < first {
                break;
            }
            if line < first + n {
                return At::Below { row, nth: line - first };
            }
            n_below += n;
        }
        At::Row(line - n_below)
    }

    /// The line that a row stands in.
    pub fn line_of(&self, row: usize) -> usize {
        row + self.open.range(..row).map(|(_, opened)| opened.n_lines()).sum::<usize>()
    }

    /// All lines below a row.
    pub fn below(&self, row: usize) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        if let Some(opened) = self.open.get(&row) {
            for (nth, half) in opened.halves.iter().enumerate() {
                half.lines(&mut vec![nth], &mut lines);
            }
        }
        lines
    }

    fn node(&mut self, row: usize, path: &[usize]) -> Option<&mut Node> {
        let (half, rest) = path.split_first()?;
        let half = self.open.get_mut(&row)?.halves.get_mut(*half)?;
        rest.iter().try_fold(half, |node, nth| node.kids.as_mut()?.children.get_mut(*nth))
    }

    /// The next level that has to be asked for.
    fn wish(&self) -> Option<Wish> {
        self.open.iter().find_map(|(&row, opened)| {
            let mut halves = opened.halves.iter().enumerate();
            halves.find_map(|(nth, half)| half.wish(&mut vec![nth])).map(|(path, parent, rows)| Wish {
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
            let half = Node { branch: None, kids: Some(Kids::wanted()) };
            self.open.insert(row, Opened { label, halves: vec![half.clone(), half] });
        }
    }

    fn take(&mut self, wish: &Wish, found: Option<Branches>) {
        // The row may have been closed, or be another one by now.
        if self.open.get(&wish.row).is_none_or(|opened| opened.label != wish.label) {
            return;
        }
        let Some(kids) = self.node(wish.row, &wish.path).and_then(|node| node.kids.as_mut()) else {
            return;
        };
        match found {
            Some(found) if kids.children.len() == wish.rows.start => {
                kids.n_children = Some(found.n_children);
                kids.children
                    .extend(found.children.into_iter().map(|branch| Node { branch: Some(branch), kids: None }));
            }
            Some(_) => {}
            None => kids.failed = true,
        }
    }
}

impl Reducible for Forest {
    type Action = ForestAction;

    fn reduce(self: Rc<Forest>, action: ForestAction) -> Rc<Forest> {
        let mut forest = Rc::unwrap_or_clone(self);
        match action {
            ForestAction::ToggleRow(row, label) => forest.toggle_row(row, label),
            ForestAction::Toggle(row, path) => {
                if let Some(node) = forest.node(row, &path) {
                    node.kids = if node.kids.is_some() { None } else { Some(Kids::wanted()) };
                }
            }
            ForestAction::More(row, path) => {
                if let Some(kids) = forest.node(row, &path).and_then(|node| node.kids.as_mut()) {
                    kids.n_wanted += STEP;
                }
            }
            ForestAction::Got(wish, found) => forest.take(&wish, found),
            ForestAction::Reset => forest = Forest::default(),
        }
        Rc::new(forest)
    }
}

impl Opened {
    fn n_lines(&self) -> usize {
        self.halves.iter().map(Node::n_lines).sum()
    }
}

impl Node {
    fn n_lines(&self) -> usize {
        let below = self.kids.as_ref().map_or(0, |kids| {
            kids.children.iter().map(Node::n_lines).sum::<usize>() + usize::from(kids.n_more() > 0 || kids.failed)
        });
        1 + below
    }

    fn lines<'a>(&'a self, path: &mut Path, lines: &mut Vec<Line<'a>>) {
        let n_children = self.kids.as_ref().and_then(|kids| kids.n_children);
        let (what, can_open) = match &self.branch {
            Some(branch) => (What::Branch(branch), branch.has_children),
            None if path.first() == Some(&0) => (What::Callers(n_children), n_children != Some(0)),
            None => (What::Callees(n_children), n_children != Some(0)),
        };
        lines.push(Line { path: path.clone(), what, is_open: can_open.then_some(self.kids.is_some()) });
        let Some(kids) = &self.kids else { return };
        for (nth, child) in kids.children.iter().enumerate() {
            path.push(nth);
            child.lines(path, lines);
            path.pop();
        }
        let last = match kids.n_more() {
            _ if kids.failed => What::Failed,
            0 => return,
            n => What::More(n),
        };
        let mut path = path.clone();
        path.push(kids.children.len());
        lines.push(Line { path, what: last, is_open: None });
    }

    fn wish(&self, path: &mut Path) -> Option<(Path, BoxSelector, Range<usize>)> {
        let kids = self.kids.as_ref().filter(|kids| !kids.failed)?;
        let n_wanted = kids.n_wanted.min(kids.n_children.unwrap_or(usize::MAX));
        if kids.children.len() < n_wanted {
            let parent = self.branch.as_ref().map_or(BoxSelector::Top, |branch| BoxSelector::Id(branch.id));
            return Some((path.clone(), parent, kids.children.len()..n_wanted));
        }
        kids.children.iter().enumerate().find_map(|(nth, child)| {
            path.push(nth);
            let wish = child.wish(path);
            path.pop();
            wish
        })
    }
}

impl Kids {
    fn wanted() -> Kids {
        Kids { children: Vec::new(), n_children: None, n_wanted: STEP, failed: false }
    }

    fn n_more(&self) -> usize {
        self.n_children.unwrap_or(0).saturating_sub(self.children.len())
    }
}

/// Asks for one level after the other, and closes all rows when they become others.
#[hook]
pub fn use_branches(forest: &UseReducerHandle<Forest>, base: &Base) {
    let channel = use_channel();
    use_effect_with(base.clone(), {
        let dispatcher = forest.dispatcher();
        move |_| dispatcher.dispatch(ForestAction::Reset)
    });
    let dispatcher = forest.dispatcher();
    use_effect_with((base.clone(), forest.wish()), move |(base, wish)| {
        if let Some(wish) = wish.clone() {
            let request = request(base, &wish);
            let on_event = Callback::from(move |event: QueryEvent| {
                let QueryEvent::Finished(answer, _) = event else { return };
                let found = match answer.as_deref() {
                    Ok(Answer::Branches(found)) => Some(found.clone()),
                    _ => None,
                };
                dispatcher.dispatch(ForestAction::Got(wish.clone(), found));
            });
            channel.query(request, on_event);
        }
        move || channel.forget()
    });
}

fn request(base: &Base, wish: &Wish) -> Request {
    let direction = match wish.path.first() {
        Some(0) => Direction::Callers(wish.label.clone()),
        _ => Direction::Callees(wish.label.clone()),
    };
    let mut view = base.view.clone();
    view.measure = view.measure.in_bytes();
    let config = BranchConfig { direction, parent: wish.parent.clone(), rows: wish.rows.clone() };
    Request { view, question: Question::Branches(config) }
}

#[cfg(test)]
mod tests;
