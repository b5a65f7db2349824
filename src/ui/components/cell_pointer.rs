//! Hovering over and selecting bars and cells, by pointer and keyboard. A bar chart is a grid with one row.

use std::rc::Rc;

use web_sys::{KeyboardEvent, PointerEvent};
use yew::prelude::*;

use crate::ui::platform::pointer::Pointer;

/// The column, counted from the left, and the row, counted from the bottom.
pub type GridCell = (usize, usize);

/// Returns the leftmost and the rightmost column of two cells.
pub fn columns_between((one, _): GridCell, (two, _): GridCell) -> (usize, usize) {
    (one.min(two), one.max(two))
}

/// A selection, from the cell where it started to the current one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Picked {
    pub anchor: GridCell,
    pub head: GridCell,
    /// The pointer is still down.
    pub is_held: bool,
}

/// The grid that the pointer moves over.
pub trait CellGrid {
    /// Returns the number of columns and rows.
    fn extent(&self) -> GridCell;
    /// Returns the cell at a position, or the nearest one.
    fn at(&self, x: f64, y: f64) -> Option<GridCell>;
    /// Limits how far a selection can extend.
    fn within(&self, _anchor: GridCell, wanted: GridCell) -> GridCell {
        wanted
    }
    /// Filters by the range between two cells.
    fn filter(&self, anchor: GridCell, head: GridCell);
    /// Whether a drag filters immediately instead of leaving a selection.
    fn filters_by_drag(&self) -> bool {
        false
    }
}

#[derive(Clone)]
pub struct CellPointer {
    pub node: NodeRef,
    pub grid: Rc<dyn CellGrid>,
    /// The last hovered cell. It stays when the pointer leaves, so that sites in the readout can be clicked.
    pub hover: UseStateHandle<Option<GridCell>>,
    pub picked: UseStateHandle<Option<Picked>>,
}

#[hook]
pub fn use_cell_pointer(node: &NodeRef, grid: Rc<dyn CellGrid>) -> CellPointer {
    CellPointer { node: node.clone(), grid, hover: use_state_eq(|| None), picked: use_state_eq(|| None) }
}

impl CellPointer {
    /// Clears hover and selection, which don't carry over to another chart.
    pub fn clear(&self) {
        self.hover.set(None);
        self.picked.set(None);
    }

    fn mark(&self, anchor: GridCell, wanted: GridCell, is_held: bool) {
        self.picked.set(Some(Picked { anchor, head: self.grid.within(anchor, wanted), is_held }));
    }

    pub fn on<E: 'static>(&self, handler: fn(&CellPointer, &E)) -> Callback<E> {
        let pointer = self.clone();
        Callback::from(move |event: E| handler(&pointer, &event))
    }

    fn cell(&self, event: &PointerEvent) -> Option<GridCell> {
        let Pointer { x, y, .. } = Pointer::on(&self.node, event)?;
        self.grid.at(x, y)
    }

    pub fn down(&self, event: &PointerEvent) {
        if let (0, Some(at)) = (event.button(), self.cell(event)) {
            Pointer::capture(&self.node, event);
            self.mark(at, at, true);
        }
    }

    pub fn moved(&self, event: &PointerEvent) {
        let at = self.cell(event);
        self.hover.set(at);
        if let (Some(held), Some(at)) = (self.picked.filter(|picked| picked.is_held), at) {
            self.mark(held.anchor, at, true);
        }
    }

    /// A click filters. A drag filters, or leaves a selection and a button to filter by it.
    pub fn up(&self, _: &PointerEvent) {
        if let Some(Picked { anchor, head, .. }) = self.picked.filter(|picked| picked.is_held) {
            let filters = anchor == head || self.grid.filters_by_drag();
            self.picked.set((!filters).then_some(Picked { anchor, head, is_held: false }));
            if filters {
                self.grid.filter(anchor, head);
            }
        }
    }

    pub fn key(&self, event: &KeyboardEvent) {
        let (n_across, n_up) = self.grid.extent();
        let (Some(right), Some(top)) = (n_across.checked_sub(1), n_up.checked_sub(1)) else { return };
        let now = self.picked.map(|Picked { head: (across, up), .. }| (across.min(right), up.min(top)));
        // With a single row, up and down act as right and left.
        let key = match event.key().as_str() {
            "ArrowUp" if top == 0 => "ArrowRight".to_owned(),
            "ArrowDown" if top == 0 => "ArrowLeft".to_owned(),
            other => other.to_owned(),
        };
        let head = match (key.as_str(), now) {
            ("Home", now) => (0, now.map_or(0, |(_, up)| up)),
            ("End", now) => (right, now.map_or(0, |(_, up)| up)),
            // The first key press only shows the cursor.
            ("ArrowRight" | "ArrowUp", None) => (0, 0),
            ("ArrowLeft" | "ArrowDown", None) => (right, 0),
            ("ArrowRight", Some((across, up))) => ((across + 1).min(right), up),
            ("ArrowLeft", Some((across, up))) => (across.saturating_sub(1), up),
            ("ArrowUp", Some((across, up))) => (across, (up + 1).min(top)),
            ("ArrowDown", Some((across, up))) => (across, up.saturating_sub(1)),
            ("Enter", Some(_)) => {
                event.prevent_default();
                if let Some(Picked { anchor, head, .. }) = *self.picked {
                    self.grid.filter(anchor, head);
                }
                return;
            }
            ("Escape", Some(_)) => {
                event.prevent_default();
                return self.picked.set(None);
            }
            _ => return,
        };
        event.prevent_default();
        let anchor = self.picked.filter(|_| event.shift_key()).map_or(head, |picked| picked.anchor);
        self.mark(anchor, head, false);
    }
}
