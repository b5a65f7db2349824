//! What only the flame graph knows of its own state: how far the user has zoomed and scrolled, where pointer and keyboard are,
//! what is open above the picture. None of it is in a link.

use std::ops::Range;
use std::rc::Rc;

use yew::Reducible;

use crate::ui::platform::pointer::Pointer;
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::tree::{Grain, Label};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Half {
    Lower,
    Upper,
}

/// A box of the answers in hand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    pub half: Half,
    pub place: usize,
}

/// How stacks are read: places of one way mean nothing in another.
#[derive(Clone, Debug, PartialEq)]
pub struct StackReading {
    pub direction: Direction,
    pub grain: Grain,
    pub folds: bool,
}

/// Which stretch of the root shows, and where its row stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Zoom {
    pub stacks: (StackReading, Vec<Label>),
    pub lower: Range<f64>,
    pub upper: Range<f64>,
    /// None: where it usually is.
    pub top: Option<f64>,
}

/// Where the keyboard stands: names from the picture's top, which is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    pub stacks: StackReading,
    pub half: Half,
    pub path: Vec<Label>,
}

/// The frame that a menu is about, and where it opens in the window.
#[derive(Clone, Debug, PartialEq)]
pub struct MenuAt {
    pub half: Half,
    /// To the frame, which is its last.
    pub path: Vec<Label>,
    pub x: f64,
    pub y: f64,
}

/// What only this view knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlameState {
    pub zoom: Option<Zoom>,
    /// Where the pointer is. Which box that is, each new picture says.
    pub hover: Option<Pointer>,
    pub cursor: Option<Cursor>,
    /// Whether the keyboard was used last: then its box is told about, not the pointer's.
    pub by_keyboard: bool,
    pub menu: Option<MenuAt>,
    /// Whether frames that can share a row have rows of their own.
    pub is_expanded: bool,
    /// How many frames of the pictures in hand share a row: so many more levels are asked for.
    pub n_collapsed: u32,
    /// Of which frame the source is wanted, while the link's form is asked for.
    pub source_form: Option<Label>,
    /// What was just done, for those who cannot see it.
    pub announcement: String,
}

#[derive(Clone, Debug)]
pub enum FlameAction {
    Zoom(Option<Zoom>),
    Hover(Option<Pointer>),
    Cursor {
        cursor: Cursor,
        by_keyboard: bool,
    },
    Menu(Option<MenuAt>),
    Expand(bool),
    Collapsed(u32),
    SourceForm(Option<Label>),
    /// Keys go elsewhere from now on.
    Rest,
    Say(String),
}

impl Reducible for FlameState {
    type Action = FlameAction;

    fn reduce(self: Rc<FlameState>, action: FlameAction) -> Rc<FlameState> {
        let mut flame_state = Rc::unwrap_or_clone(self);
        match action {
            FlameAction::Zoom(zoom) => flame_state.zoom = zoom,
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
