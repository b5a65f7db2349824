//! The table by keyboard: arrow keys walk its lines, right and left open and close them.

use std::rc::Rc;

use web_sys::{Element, KeyboardEvent};
use yew::prelude::*;

use crate::ui::components::virtual_list::Window;
use crate::ui::query::paged::Pages;
use crate::ui::store::view::ViewAction;
use crate::ui::views::table::forest::{At, Forest, ForestAction, What};
use crate::ui::views::table::row::{self, Heading};
use crate::ui::views::table::rows;
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::table::has_few_samples;
use camlscope_engine::query::tree::Label;
use camlscope_present::format::Units;

/// All that a key may need to know or to move.
#[derive(Clone)]
pub struct Walker {
    pub pages: UseReducerHandle<Pages>,
    pub forest: UseReducerHandle<Forest>,
    pub active: UseStateHandle<Option<usize>>,
    pub window: Window,
    pub n_lines: usize,
    pub scroller: NodeRef,
    /// How wide the column of names is, and the size of the font.
    pub name_px: f64,
    pub em: f64,
    pub headings: Rc<[Heading]>,
    /// Of the columns of bytes.
    pub unit: Unit,
    pub units: Units,
    pub is_profile: bool,
    pub dispatch: Callback<ViewAction>,
    /// Shows a function in the flame graph.
    pub show: Callback<Label>,
}

impl Walker {
    pub fn press(&self, event: &KeyboardEvent) {
        if self.n_lines == 0 || event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let last = self.n_lines - 1;
        let now = self.active.map(|line| line.min(last));
        let at = now.unwrap_or(0);
        match event.key().as_str() {
            "ArrowDown" => self.go(now.map_or(0, |line| (line + 1).min(last))),
            "ArrowUp" => self.go(at.saturating_sub(1)),
            "PageDown" => self.go((at + self.window.page()).min(last)),
            "PageUp" => self.go(at.saturating_sub(self.window.page())),
            "Home" => self.go(0),
            "End" => self.go(last),
            "ArrowRight" => self.open(at),
            "ArrowLeft" => self.close(at),
            " " => match self.label(at) {
                Some(label) => self.dispatch.emit(ViewAction::Select(Some(label))),
                None => self.open(at),
            },
            "Enter" => match self.label(at) {
                Some(label) => self.show.emit(label),
                None => self.open(at),
            },
            _ => return,
        }
        event.prevent_default();
    }

    /// Whether a row's figures rest on a few samples; those of a profile are exact.
    pub fn has_few_samples(&self, samples: u64) -> bool {
        !self.is_profile && has_few_samples(samples)
    }

    /// How many letters of a name have room.
    pub fn n_letters(&self, level: usize) -> usize {
        row::n_letters(self.name_px, self.em, level)
    }

    /// Makes a line the active one, and has it seen.
    pub fn go(&self, line: usize) {
        self.active.set(Some(line));
        if let (Some(px), Some(scroller)) = (self.window.scroll_to(line), self.scroller.cast::<Element>()) {
            scroller.set_scroll_top(px.round() as i32);
        }
    }

    /// The function that a line is about; none for a line of words, or one that is not there yet.
    pub fn label(&self, line: usize) -> Option<Label> {
        match self.forest.at(line) {
            At::Row(row) => rows::row(&self.pages, row).map(|row| row.label()),
            At::Below { row, nth } => match self.forest.below(row).get(nth)?.what {
                What::Branch(branch) => Some(branch.label.clone()),
                _ => None,
            },
        }
    }

    /// Opens a line, or goes to the first below it if it is open.
    fn open(&self, line: usize) {
        let action = match self.forest.at(line) {
            At::Row(row) if self.forest.is_open(row) => return self.go(line + 1),
            At::Row(row) => rows::row(&self.pages, row).map(|found| ForestAction::ToggleRow(row, (found).label())),
            At::Below { row, nth } => {
                let below = self.forest.below(row);
                below.get(nth).and_then(|found| match (&found.what, found.is_open) {
                    (What::More(_), _) => {
                        let parent = &found.path[..found.path.len() - 1];
                        Some(ForestAction::More(row, parent.to_vec()))
                    }
                    (_, Some(false)) => Some(ForestAction::Toggle(row, found.path.clone())),
                    (_, Some(true)) => {
                        self.go(line + 1);
                        None
                    }
                    _ => None,
                })
            }
        };
        if let Some(action) = action {
            self.forest.dispatch(action);
        }
    }

    /// Closes a line, or goes to the one that it is below of.
    fn close(&self, line: usize) {
        match self.forest.at(line) {
            At::Row(row) => {
                if let Some(found) = rows::row(&self.pages, row).filter(|_| self.forest.is_open(row)) {
                    self.forest.dispatch(ForestAction::ToggleRow(row, (found).label()));
                }
            }
            At::Below { row, nth } => {
                let below = self.forest.below(row);
                let Some(found) = below.get(nth) else { return };
                if found.is_open == Some(true) {
                    return self.forest.dispatch(ForestAction::Toggle(row, found.path.clone()));
                }
                let parent = &found.path[..found.path.len() - 1];
                let nth_of_parent = below.iter().position(|line| line.path == parent);
                let row_line = self.forest.line_of(row);
                self.go(nth_of_parent.map_or(row_line, |nth| row_line + 1 + nth));
            }
        }
    }
}
