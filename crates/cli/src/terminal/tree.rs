//! The rows of the tree, from its open branches. It isn't recursive, because stacks may be deep.

use super::answers::Answers;
use super::requests;
use super::state::State;
use camlscope_engine::protocol::{Answer, Request};
use camlscope_engine::query::flame::{Branch, Branches};
use camlscope_engine::query::tree::Label;

#[derive(Clone, Debug, PartialEq)]
pub enum TreeRow {
    Branch {
        path: Vec<Label>,
        branch: Branch,
        /// The part of its total that never left the minor heap, or `None` if that isn't known (yet).
        minor: Option<f64>,
        is_open: bool,
    },
    /// Branches of a parent that are not listed: their number and indentation.
    Below { n: usize, depth: usize },
    /// Its branches are being loaded.
    Waiting { depth: usize },
}

/// Returns the requests of the open branches.
pub fn requests(state: &State, answers: &Answers) -> Vec<Request> {
    let open = rows(state, answers).into_iter().filter_map(|row| match row {
        TreeRow::Branch { path, is_open: true, .. } => Some(path),
        _ => None,
    });
    let of_path = |path: Vec<Label>| {
        let minor = (!state.is_profile()).then(|| requests::minor_branches(state, &path));
        [requests::branches(state, &path)].into_iter().chain(minor)
    };
    [Vec::new()].into_iter().chain(open).flat_map(of_path).collect()
}

/// Returns the visible rows, from top to bottom.
pub fn rows(state: &State, answers: &Answers) -> Vec<TreeRow> {
    let mut rows = Vec::new();
    // A stack of rows to list, next one last.
    let mut left = listed(state, answers, &[]);
    left.reverse();
    while let Some(row) = left.pop() {
        if let TreeRow::Branch { path, is_open: true, .. } = &row {
            let mut below = listed(state, answers, path);
            below.reverse();
            left.append(&mut below);
        }
        rows.push(row);
    }
    rows
}

/// Returns the branches directly below a path.
fn listed(state: &State, answers: &Answers, path: &[Label]) -> Vec<TreeRow> {
    let depth = path.len();
    let Some(answered) = branches(answers, &requests::branches(state, path)) else {
        return vec![TreeRow::Waiting { depth }];
    };
    let minor = branches(answers, &requests::minor_branches(state, path));
    let has_minor = answers.get(&requests::minor_branches(state, path)).is_some() && !state.is_profile();
    let minor_of = |label: &Label| {
        let found = minor.and_then(|minor| minor.children.iter().find(|branch| branch.label == *label));
        has_minor.then(|| found.map_or(0.0, |branch| branch.total))
    };
    let is_listed = |branch: &&Branch| branch.samples >= state.tree.min_samples;
    let row = |branch: &Branch| {
        let path: Vec<Label> = path.iter().chain([&branch.label]).cloned().collect();
        let is_open = branch.has_children && state.tree.open.contains(&path);
        TreeRow::Branch { minor: minor_of(&branch.label), branch: branch.clone(), is_open, path }
    };
    let mut rows: Vec<TreeRow> = answered.children.iter().filter(is_listed).map(row).collect();
    let n = answered.n_children - rows.len();
    if n > 0 {
        rows.push(TreeRow::Below { n, depth });
    }
    rows
}

fn branches<'a>(answers: &'a Answers, request: &Request) -> Option<&'a Branches> {
    match answers.ok(request)? {
        Answer::Branches(branches) => Some(branches),
        _ => None,
    }
}
