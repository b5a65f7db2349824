//! Places to go back to: a tab with the filter, zoom and search it was seen with.

use super::flame::FlameState;
use super::source::SourceState;
use super::state::{State, TreeState};
use super::tab::Tab;
use camlscope_engine::protocol::View;

#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    tab: Tab,
    view: View,
    selected: [usize; Tab::ALL.len()],
    tree: TreeState,
    flame: FlameState,
    search: String,
    source: Option<SourceState>,
}

/// Older places are forgotten.
const MOST: usize = 100;

impl State {
    pub fn place(&self) -> Place {
        Place {
            tab: self.tab,
            view: self.view.clone(),
            selected: self.selected,
            tree: self.tree.clone(),
            flame: self.flame.clone(),
            search: self.search.clone(),
            source: self.source.clone(),
        }
    }

    /// Called after each key or click with the place before it. A step within a screen isn't worth going back to.
    pub fn remember(&mut self, before: Place) {
        let is_elsewhere = before.tab != self.tab
            || before.view.filter != self.view.filter
            || before.tree.direction != self.tree.direction
            || before.flame.root != self.flame.root
            || before.flame.direction != self.flame.direction
            || before.source.is_some() != self.source.is_some();
        if is_elsewhere {
            if self.history.len() >= MOST {
                self.history.remove(0);
            }
            self.history.push(before);
        }
    }

    pub fn go_back(&mut self) {
        let Some(Place { tab, view, selected, tree, flame, search, source }) = self.history.pop() else { return };
        (self.tab, self.view, self.selected) = (tab, view, selected);
        (self.tree, self.flame, self.search, self.source) = (tree, flame, search, source);
        self.problem = None;
    }
}
