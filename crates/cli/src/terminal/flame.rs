//! The flame graph: where its boxes are in the grid of characters, and the user's settings. Colors, names and collapsed
//! frames are the page's.

use std::ops::Range;

use super::answers::Answers;
use super::requests;
use super::size::Size;
use super::state::State;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::flame::{Direction, Flame, FlameBox};
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::flame::{CollapsedFrames, locate, path_to};

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlameState {
    /// From main to sites, or from sites to their callers.
    pub direction: Direction,
    /// The path to the box that fills the width, from the top.
    pub root: Vec<Label>,
    /// The path to the selected box, from the top.
    pub selected: Vec<Label>,
    /// The row at the top of the screen.
    pub first_row: usize,
    /// Whether frames that carry nearly all memory have their own rows.
    pub is_expanded: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Toward {
    Up,
    Down,
    Left,
    Right,
}

impl FlameState {
    /// Resets what depends on how frames are grouped.
    pub fn forget_paths(&mut self) {
        *self =
            FlameState { direction: self.direction.clone(), is_expanded: self.is_expanded, ..FlameState::default() };
    }

    /// Fills the width with a box.
    pub fn zoom_to(&mut self, root: Vec<Label>) {
        (self.selected, self.root, self.first_row) = (root.clone(), root, 0);
    }
}

/// A response in the grid of characters.
#[derive(Clone, Copy, Debug)]
pub struct Grid<'a> {
    pub flame: &'a Flame,
    pub collapsed: CollapsedFrames,
    /// In characters.
    width: usize,
    /// The number of visible rows.
    height: usize,
}

impl<'a> Grid<'a> {
    /// Returns `None` until the response has arrived.
    pub fn new(state: &State, answers: &'a Answers, size: Size) -> Option<Grid<'a>> {
        let Some(Answer::Flame(flame)) = answers.ok(&requests::flame(state, size)) else { return None };
        let collapsed = if state.flame.is_expanded { CollapsedFrames::default() } else { CollapsedFrames::of(flame) };
        let (width, height) = (usize::from(size.width), size.list_rows(super::tab::Tab::Flame));
        Some(Grid { flame, collapsed, width, height })
    }

    /// Returns the columns of a box. A merged box may be too narrow for any.
    pub fn columns(&self, of: &FlameBox) -> Range<usize> {
        let column = |x: f64| (x.clamp(0.0, 1.0) * self.width as f64).round() as usize;
        column(of.x0)..column(of.x1)
    }

    /// Returns the boxes of a row from left to right, each with its index.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (usize, &'a FlameBox)> {
        let depth = self.depth(row);
        let first = self.flame.boxes.partition_point(|of| of.depth < depth);
        (first..).zip(&self.flame.boxes[first..]).take_while(move |(_, of)| of.depth == depth)
    }

    fn depth(&self, row: usize) -> u32 {
        self.collapsed.depth(u32::try_from(row).unwrap_or(u32::MAX))
    }

    fn row_of(&self, place: usize) -> usize {
        self.flame.boxes.get(place).map_or(0, |of| self.collapsed.row(of.depth) as usize)
    }

    pub fn n_rows(&self) -> usize {
        match self.flame.n_depths {
            0 => 0,
            n => self.collapsed.row(n - 1) as usize + 1,
        }
    }

    /// Returns the selected box, or the nearest one above it that is wide enough. Frames that share a row are selected
    /// together, so this is the first of them.
    pub fn selected(&self, state: &State) -> Option<usize> {
        let path = &state.flame.selected;
        let is_single = |place: &usize| self.flame.boxes[*place].n_merged == 0;
        let place = (0..=path.len()).rev().find_map(|n| locate(self.flame, &path[..n]).filter(is_single));
        let place = place.or_else(|| (!self.flame.boxes.is_empty()).then_some(0))?;
        match self.collapsed.holds(self.flame.boxes[place].depth) {
            true => self.row(1).next().map(|(place, _)| place),
            false => Some(place),
        }
    }

    /// Returns the row at the top of the screen, such that the selected box is visible.
    pub fn first_row(&self, state: &State) -> usize {
        let selected = self.selected(state).map_or(0, |place| self.row_of(place));
        let most = self.n_rows().saturating_sub(self.height);
        state.flame.first_row.clamp((selected + 1).saturating_sub(self.height), selected).min(most)
    }

    /// Returns the box at a position on the screen. For a merged box, that's its parent.
    pub fn at(&self, state: &State, column: usize, line: usize) -> Option<usize> {
        let row = (line < self.height).then(|| self.first_row(state) + line)?;
        let (place, of) = self.row(row).find(|(_, of)| self.columns(of).contains(&column))?;
        if of.n_merged > 0 { self.after(place, Toward::Up) } else { Some(place) }
    }

    /// Returns the next box in a direction.
    pub fn after(&self, place: usize, toward: Toward) -> Option<usize> {
        let of = self.flame.boxes.get(place)?;
        let row = self.row_of(place);
        let middle = (of.x0 + of.x1) / 2.0;
        let is_single = |(_, of): &(usize, &FlameBox)| of.n_merged == 0;
        let found = match toward {
            Toward::Up => self.row(row.checked_sub(1)?).find(|(_, above)| (above.x0..above.x1).contains(&middle)),
            // The last of the frames that share a row may be narrower than the first.
            Toward::Down => {
                self.row(row + 1).filter(is_single).find(|(_, below)| below.x0 >= of.x0 && below.x0 < of.x1)
            }
            Toward::Left => self.row(row).filter(is_single).take_while(|(other, _)| *other < place).last(),
            Toward::Right => self.row(row).filter(is_single).find(|(other, _)| *other > place),
        };
        found.map(|(place, _)| place)
    }

    pub fn label(&self, of: &FlameBox) -> Option<&'a Label> {
        self.flame.names.get(of.name as usize).map(|name| &name.label)
    }

    /// Returns the next box whose name the search found, in reading order, after the last one the first.
    pub fn next_found(&self, place: usize, keys: &[u32]) -> Option<usize> {
        let is_found = |at: &usize| {
            let of = &self.flame.boxes[*at];
            let name = self.flame.names.get(of.name as usize);
            let is_named = name.is_some_and(|name| keys.binary_search(&name.key).is_ok());
            of.n_merged == 0 && is_named && !self.collapsed.holds(of.depth)
        };
        (place + 1..self.flame.boxes.len()).chain(0..=place).find(is_found)
    }
}

impl State {
    /// Selects a box of the flame graph and scrolls to it.
    pub fn select_box(&mut self, grid: &Grid<'_>, place: usize) {
        self.flame.selected = path_to(grid.flame, place);
        self.flame.first_row = grid.first_row(self);
    }
}
