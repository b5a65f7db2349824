//! State that only the flame graph uses: zoom and scroll position, pointer, keyboard cursor, and open menus and
//! dialogs. Links don't include any of it.

use std::mem::Discriminant;
use std::ops::Range;
use std::rc::Rc;

use yew::Reducible;

use crate::ui::platform::pointer::Pointer;
use camlscope_engine::query::filter::Clause;
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::layout::diff::Width;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Lower,
    Upper,
}

/// A box of the current responses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    pub half: Half,
    pub place: usize,
}

/// How stacks are grouped and directed. Positions are only valid for the same settings.
#[derive(Clone, Debug, PartialEq)]
pub struct StackReading {
    pub direction: Direction,
    pub grain: Grain,
    pub folds: bool,
}

/// The graph that a zoom belongs to. Another graph is shown in full, from its top.
#[derive(Clone, Debug, PartialEq)]
pub struct ZoomSubject {
    pub stacks: StackReading,
    pub root: Vec<Label>,
    /// Without times, so that a zoomed graph can be watched over time.
    pub clauses: Vec<Clause>,
    pub measure: Discriminant<Measure>,
    /// The side that determines the widths in a comparison.
    pub width: Width,
}

/// The visible range of the root, and the position of its row.
#[derive(Clone, Debug, PartialEq)]
pub struct Zoom {
    pub subject: ZoomSubject,
    pub lower: Range<f64>,
    pub upper: Range<f64>,
    /// `None` means the default position.
    pub top: Option<f64>,
}

/// The path to the keyboard cursor, without the root.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    pub stacks: StackReading,
    pub half: Half,
    pub path: Vec<Label>,
}

/// The frame that a menu belongs to, and the menu's position in the window.
#[derive(Clone, Debug, PartialEq)]
pub struct MenuAt {
    pub half: Half,
    /// The path to the frame, including it.
    pub path: Vec<Label>,
    pub x: f64,
    pub y: f64,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlameState {
    pub zoom: Option<Zoom>,
    /// The frames that were zoomed to before, for Escape.
    pub earlier_roots: Vec<Vec<Label>>,
    /// The pointer's position. The box under it depends on the current graph.
    pub hover: Option<Pointer>,
    pub cursor: Option<Cursor>,
    /// Whether the keyboard was used last. Then the tooltip describes its box instead of the pointer's.
    pub by_keyboard: bool,
    pub menu: Option<MenuAt>,
    /// Whether collapsible frames are expanded.
    pub is_expanded: bool,
    /// The number of collapsed frames. Queries ask for that many more levels.
    pub n_collapsed: u32,
    /// The frame whose source the user wants, while the link form is open.
    pub source_form: Option<Label>,
    /// The last action, for screen readers.
    pub announcement: String,
}

#[derive(Clone, Debug)]
pub enum FlameAction {
    Zoom(Option<Zoom>),
    /// The graph is about to be zoomed from this frame to another one.
    LeaveRoot(Vec<Label>),
    Hover(Option<Pointer>),
    Cursor {
        cursor: Cursor,
        by_keyboard: bool,
    },
    Menu(Option<MenuAt>),
    Expand(bool),
    Collapsed(u32),
    SourceForm(Option<Label>),
    /// The focus has moved elsewhere.
    Rest,
    Say(String),
}

impl Reducible for FlameState {
    type Action = FlameAction;

    fn reduce(self: Rc<FlameState>, action: FlameAction) -> Rc<FlameState> {
        let mut flame_state = Rc::unwrap_or_clone(self);
        match action {
            FlameAction::Zoom(zoom) => flame_state.zoom = zoom,
            FlameAction::LeaveRoot(root) => {
                if !flame_state.earlier_roots.contains(&root) {
                    flame_state.earlier_roots.push(root);
                }
            }
            FlameAction::Hover(hover) => {
                flame_state.by_keyboard &= hover.is_none();
                flame_state.hover = hover;
            }
            FlameAction::Cursor { cursor, by_keyboard } => {
                flame_state.by_keyboard = by_keyboard;
                flame_state.cursor = Some(cursor);
            }
            FlameAction::Menu(menu) => flame_state.menu = menu,
            FlameAction::Expand(is_expanded) => flame_state.is_expanded = is_expanded,
            FlameAction::Collapsed(n_collapsed) => flame_state.n_collapsed = n_collapsed,
            FlameAction::SourceForm(label) => flame_state.source_form = label,
            FlameAction::Rest => flame_state.by_keyboard = false,
            FlameAction::Say(words) => flame_state.announcement = words,
        }
        Rc::new(flame_state)
    }
}

impl Zoom {
    pub fn x(&self, half: Half) -> &Range<f64> {
        match half {
            Half::Lower => &self.lower,
            Half::Upper => &self.upper,
        }
    }

    pub fn x_mut(&mut self, half: Half) -> &mut Range<f64> {
        match half {
            Half::Lower => &mut self.lower,
            Half::Upper => &mut self.upper,
        }
    }
}
