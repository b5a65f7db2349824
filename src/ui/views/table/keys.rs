//! Keyboard navigation of the table: arrow keys move between rows, and right and left expand and collapse them.

use std::rc::Rc;

use web_sys::KeyboardEvent;
use yew::prelude::*;

use crate::ui::components::virtual_list::Scroll;
use crate::ui::store::view::ViewAction;
use crate::ui::views::table::row::{self, Heading};
use crate::ui::views::table::rows;
use crate::ui::yew_reducer::YewReducer;
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::table::has_few_samples;
use camlscope_engine::query::tree::Label;
use camlscope_present::format::Units;
use camlscope_view::page::components::virtual_list::ScrollWindow;
use camlscope_view::page::query::paged::Pages;
use camlscope_view::page::views::table::open_rows::{LineAt, LineKind, OpenRows, OpenRowsAction};

/// State that key presses read and change.
#[derive(Clone)]
pub struct TableHandlers {
    pub pages: UseReducerHandle<YewReducer<Pages>>,
    pub open_rows: UseReducerHandle<YewReducer<OpenRows>>,
    pub active: UseStateHandle<Option<usize>>,
    pub window: ScrollWindow,
    pub n_lines: usize,
    pub scroll: Scroll,
    /// The width of the name column, and the font size.
    pub name_px: f64,
    pub em: f64,
    pub headings: Rc<[Heading]>,
    /// The unit of the byte columns.
    pub unit: Unit,
    pub units: Units,
    pub has_samples: bool,
    pub dispatch: Callback<ViewAction>,
    pub show: Callback<Label>,
}

impl TableHandlers {
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

    /// Whether a row has too few samples.
    pub fn has_few_samples(&self, samples: u64) -> bool {
        self.has_samples && has_few_samples(samples)
    }

    /// Returns how many letters of a name fit.
    pub fn n_letters(&self, level: usize) -> usize {
        row::n_letters(self.name_px, self.em, level)
    }

    /// Makes a line the active one and scrolls it into view.
    pub fn go(&self, line: usize) {
        self.active.set(Some(line));
        self.window.scroll_to(line).into_iter().for_each(|px| self.scroll.to_px(px));
    }

    /// Returns a line's function, or `None` if the line is only text or not loaded yet.
    pub fn label(&self, line: usize) -> Option<Label> {
        match self.open_rows.at(line) {
            LineAt::Row(row) => rows::row(&self.pages, row).map(|row| row.label()),
            LineAt::Below { row, nth } => match self.open_rows.below(row).get(nth)?.what {
                LineKind::Branch(branch) => Some(branch.label.clone()),
                _ => None,
            },
        }
    }

    /// Expands a line, or if it is already expanded, moves to the first line below it.
    fn open(&self, line: usize) {
        let action = match self.open_rows.at(line) {
            LineAt::Row(row) if self.open_rows.is_open(row) => return self.go(line + 1),
            LineAt::Row(row) => {
                rows::row(&self.pages, row).map(|found| OpenRowsAction::ToggleRow(row, (found).label()))
            }
            LineAt::Below { row, nth } => {
                let below = self.open_rows.below(row);
                below.get(nth).and_then(|found| match (&found.what, found.is_open) {
                    (LineKind::More(_), _) => {
                        let parent = &found.path[..found.path.len() - 1];
                        Some(OpenRowsAction::More(row, parent.to_vec()))
                    }
                    (_, Some(false)) => Some(OpenRowsAction::Toggle(row, found.path.clone())),
                    (_, Some(true)) => {
                        self.go(line + 1);
                        None
                    }
                    _ => None,
                })
            }
        };
        if let Some(action) = action {
            self.open_rows.dispatch(action);
        }
    }

    /// Collapses a line, or moves to its parent.
    fn close(&self, line: usize) {
        match self.open_rows.at(line) {
            LineAt::Row(row) => {
                if let Some(found) = rows::row(&self.pages, row).filter(|_| self.open_rows.is_open(row)) {
                    self.open_rows.dispatch(OpenRowsAction::ToggleRow(row, (found).label()));
                }
            }
            LineAt::Below { row, nth } => {
                let below = self.open_rows.below(row);
                let Some(found) = below.get(nth) else { return };
                if found.is_open == Some(true) {
                    return self.open_rows.dispatch(OpenRowsAction::Toggle(row, found.path.clone()));
                }
                let parent = &found.path[..found.path.len() - 1];
                let nth_of_parent = below.iter().position(|line| line.path == parent);
                let row_line = self.open_rows.line_of(row);
                self.go(nth_of_parent.map_or(row_line, |nth| row_line + 1 + nth));
            }
        }
    }
}
