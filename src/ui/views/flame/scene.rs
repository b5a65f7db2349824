//! What is on the screen at the moment: the answers in hand, the stretch of them that shows, where the keyboard stands.
//! Pointer and keys read it, so that each click and key is handled by what the user sees and not by what was drawn before.
//!
//! A sandwich is two pictures that share a row: callers grow upwards from it, callees downwards. Any other picture is its
//! lower half alone.

use std::ops::Range;
use std::rc::Rc;

use yew::Reducible;

use crate::layout::flame::{self, ROW, Stage};
use crate::protocol::{Answer, Question, Request};
use crate::query::flame::{Direction, Flame, FlameBox, FlameConfig, Spot};
use crate::query::tree::{Grain, Label};
use crate::ui::context::WorkspaceContext;
use crate::ui::query::SharedAnswer;
use crate::ui::store::view::{ViewAction, ViewState};

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
pub struct Ways {
    direction: Direction,
    grain: Grain,
    folds: bool,
}

/// Which stretch of the root shows, and where its row stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Zoom {
    of: (Ways, Vec<Label>),
    pub lower: Range<f64>,
    pub upper: Range<f64>,
    /// None: where it usually is.
    pub top: Option<f64>,
}

/// Where the keyboard stands: names from the picture's top, which is left out.
#[derive(Clone, Debug, PartialEq)]
pub struct Cursor {
    of: Ways,
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

/// Where the pointer is. Which box that is, each new picture says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pointer {
    /// On the canvas.
    pub x: f64,
    pub y: f64,
    /// In the window.
    pub client: (f64, f64),
}

/// What only this view knows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FlameState {
    pub zoom: Option<Zoom>,
    pub hover: Option<Pointer>,
    pub cursor: Option<Cursor>,
    /// Whether the keyboard was used last: then its box is told about, not the pointer's.
    pub by_keyboard: bool,
    pub menu: Option<MenuAt>,
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
    SourceForm(Option<Label>),
    /// Keys go elsewhere from now on.
    Rest,
    Say(String),
}

impl Reducible for FlameState {
    type Action = FlameAction;

    fn reduce(self: Rc<FlameState>, flame_dispatch: FlameAction) -> Rc<FlameState> {
        let mut flame_state = Rc::unwrap_or_clone(self);
        match flame_dispatch {
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
            FlameAction::SourceForm(label) => flame_state.source_form = label,
            FlameAction::Rest => flame_state.by_keyboard = false,
            FlameAction::Say(words) => flame_state.announcement = words,
        }
        Rc::new(flame_state)
    }
}

#[derive(Clone)]
pub struct Scene {
    pub workspace: WorkspaceContext,
    pub size: (f64, f64),
    pub ratio: f64,
    pub lower: Option<SharedAnswer>,
    pub upper: Option<SharedAnswer>,
    pub flame_state: Rc<FlameState>,
}

/// Levels that are asked for beyond the visible ones; rounded up by as many, so that panning seldom asks.
const SPARE_LEVELS: u32 = 16;
/// How much is asked for on either side, of what shows: panning finds it there.
const SPARE_WIDTH: f64 = 0.25;

impl Scene {
    fn view_state(&self) -> &ViewState {
        &self.workspace.view_state
    }

    pub fn is_sandwich(&self) -> bool {
        self.view_state().flame.direction.function().is_some()
    }

    pub fn direction(&self, half: Half) -> Direction {
        match (self.view_state().flame.direction.function(), half) {
            (Some(function), Half::Upper) => Direction::Callers(function.clone()),
            (Some(function), Half::Lower) => Direction::Callees(function.clone()),
            (None, _) => self.view_state().flame.direction.clone(),
        }
    }

    pub fn ways(&self) -> Ways {
        let view_state = self.view_state();
        Ways { direction: self.direction(Half::Lower), grain: view_state.grain, folds: view_state.fold_recursion }
    }

    /// Where the half begins; a sandwich is never zoomed to a frame.
    pub fn root(&self) -> &[Label] {
        if self.is_sandwich() { &[] } else { &self.view_state().flame.root }
    }

    pub fn zoom(&self) -> Zoom {
        let of = (self.ways(), self.root().to_vec());
        let known = self.flame_state.zoom.clone().filter(|zoom| zoom.of == of);
        known.unwrap_or(Zoom { of, lower: 0.0..1.0, upper: 0.0..1.0, top: None })
    }

    pub fn cursor(&self) -> Cursor {
        let of = self.ways();
        let known = self.flame_state.cursor.clone().filter(|cursor| cursor.of == of);
        known.unwrap_or_else(|| self.cursor_at(Half::Lower, self.root().to_vec()))
    }

    pub fn cursor_at(&self, half: Half, path: Vec<Label>) -> Cursor {
        Cursor { of: self.ways(), half, path }
    }

    pub fn question(&self, half: Half) -> Option<Request> {
        if half == Half::Upper && !self.is_sandwich() {
            return None;
        }
        let zoom = self.zoom();
        let x = zoom.x(half);
        let spare = (x.end - x.start) * SPARE_WIDTH;
        let query = (x.start - spare).max(0.0)..(x.end + spare).min(1.0);
        let (width, height) = self.size;
        let levels = ((zoom.top.unwrap_or(0.0).abs() + height) / ROW).ceil() as u32;
        Some(self.view_state().request(Question::Flame(FlameConfig {
            direction: self.direction(half),
            root: if self.root().is_empty() { Spot::Top } else { Spot::Path(self.root().to_vec()) },
            width_px: width * (query.end - query.start) / (x.end - x.start),
            x: query,
            depths: 0..(levels + SPARE_LEVELS).next_multiple_of(SPARE_LEVELS),
        })))
    }

    pub fn flame(&self, half: Half) -> Option<&Flame> {
        let answer = match half {
            Half::Lower => self.lower.as_deref(),
            Half::Upper if self.is_sandwich() => self.upper.as_deref(),
            Half::Upper => None,
        };
        match answer {
            Some(Answer::Flame(flame)) => Some(flame),
            _ => None,
        }
    }

    /// Between which places the root's row can be moved.
    fn tops(&self) -> Range<f64> {
        let rows = |half| self.flame(half).map_or(0.0, |flame| f64::from(flame.n_depths) * ROW);
        let above = (rows(Half::Upper) - ROW).max(0.0);
        above.min(self.size.1 - rows(Half::Lower))..above
    }

    pub fn top(&self) -> f64 {
        let tops = self.tops();
        let usual = if self.is_sandwich() { (self.size.1 / 2.0 / ROW).floor() * ROW } else { tops.end };
        self.zoom().top.unwrap_or(usual).clamp(tops.start, tops.end)
    }

    pub fn stage(&self, half: Half) -> Option<Stage> {
        let flame = self.flame(half)?;
        let x = self.zoom().x(half).clone();
        let (width, height) = self.size;
        let is_upward = half == Half::Upper;
        let mut stage = Stage { x, width, height, top: self.top(), is_upward, ratio: self.ratio };
        // While the answer for a new root is on its way, its box in the old picture is shown as large.
        if !is_upward && let Some(of) = flame::locate(flame, self.root()).map(|place| flame.boxes[place]) {
            let span = of.x1 - of.x0;
            stage.x = of.x0 + stage.x.start * span..of.x0 + stage.x.end * span;
            stage.top -= f64::from(of.depth) * ROW;
        }
        Some(stage)
    }

    /// At a place on the canvas.
    pub fn hit(&self, x: f64, y: f64) -> Option<Hit> {
        [Half::Lower, Half::Upper].into_iter().find_map(|half| {
            let place = self.stage(half)?.hit(self.flame(half)?, x, y)?;
            Some(Hit { half, place })
        })
    }

    /// What the pointer is on, unless the keyboard was used since.
    pub fn hovered(&self) -> Option<Hit> {
        let pointer = self.flame_state.hover.filter(|_| !self.flame_state.by_keyboard)?;
        self.hit(pointer.x, pointer.y)
    }

    pub fn half_at(&self, y: f64) -> Half {
        if self.is_sandwich() && y < self.top() { Half::Upper } else { Half::Lower }
    }

    pub fn box_at(&self, hit: Hit) -> Option<&FlameBox> {
        self.flame(hit.half)?.boxes.get(hit.place)
    }

    pub fn label_at(&self, hit: Hit) -> Option<&Label> {
        let flame = self.flame(hit.half)?;
        Some(&flame.names.get(flame.boxes.get(hit.place)?.name as usize)?.label)
    }

    pub fn path_to(&self, hit: Hit) -> Vec<Label> {
        self.flame(hit.half).map_or_else(Vec::new, |flame| flame::path_to(flame, hit.place))
    }

    /// Where the keyboard stands, if that is drawn.
    pub fn cursor_hit(&self) -> Option<Hit> {
        let cursor = self.cursor();
        let place = flame::locate(self.flame(cursor.half)?, &cursor.path)?;
        Some(Hit { half: cursor.half, place })
    }

    /// A half zoomed or moved sideways.
    pub fn with_x(&self, half: Half, x: Range<f64>) -> FlameAction {
        let mut zoom = self.zoom();
        *zoom.x_mut(half) = x;
        FlameAction::Zoom(Some(zoom))
    }

    /// Fills the width with a box: by a new root, or in a sandwich by its stretch.
    pub fn zoom_to(&self, hit: Hit) -> Effect {
        let Some(of) = self.box_at(hit) else {
            return Effect::Nothing;
        };
        if self.is_sandwich() {
            return Effect::Flame(self.with_x(hit.half, of.x0..of.x1));
        }
        let path = self.path_to(hit);
        match path == self.root() {
            // Narrow ones right below the root: nearer, they are boxes of their own.
            true if of.n_merged > 0 => Effect::Flame(self.with_x(hit.half, of.x0..of.x1)),
            true => Effect::View(ViewAction::Zoom(path[..path.len().saturating_sub(1)].to_vec())),
            false => Effect::View(ViewAction::Zoom(path)),
        }
    }

    /// What moves the picture so that a box shows; none where it does.
    pub fn reveal(&self, hit: Hit) -> Option<FlameAction> {
        let (of, stage) = (self.box_at(hit)?, self.stage(hit.half)?);
        let mut zoom = self.zoom();
        let down = f64::from(of.depth) * ROW;
        let y = if hit.half == Half::Upper { stage.top - down } else { stage.top + down };
        let by = (-y).max(0.0) - (y + ROW - self.size.1).max(0.0);
        if by != 0.0 {
            zoom.top = Some(self.top() + by);
        }
        let x = zoom.x(hit.half).clone();
        let is_seen = of.x0 < x.end && of.x1 > x.start;
        if !is_seen {
            *zoom.x_mut(hit.half) = flame::panned(&x, (of.x0 + of.x1) / 2.0 - (x.start + x.end) / 2.0);
        }
        (by != 0.0 || !is_seen).then_some(FlameAction::Zoom(Some(zoom)))
    }
}

/// What a click or a key leads to: a change that a link carries, or one of this view alone.
#[derive(Clone, Debug)]
pub enum Effect {
    Nothing,
    View(ViewAction),
    Flame(FlameAction),
}

impl Zoom {
    pub fn x(&self, half: Half) -> &Range<f64> {
        match half {
            Half::Lower => &self.lower,
            Half::Upper => &self.upper,
        }
    }

    fn x_mut(&mut self, half: Half) -> &mut Range<f64> {
        match half {
            Half::Lower => &mut self.lower,
            Half::Upper => &mut self.upper,
        }
    }
}
