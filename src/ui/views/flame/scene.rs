//! The current state of the screen: the responses, their visible part, and the keyboard cursor. Pointer and keyboard
//! handlers read it, so that each event acts on what the user currently sees.
//!
//! A sandwich is two graphs that share a row: callers grow up from it and callees grow down. Any other graph is only a
//! lower half. The difference graph of the Compare tab is one, too: it has its own queries, and everything else is the
//! same.

use std::mem;
use std::ops::Range;
use std::rc::Rc;

use crate::ui::context::WorkspaceContext;
use crate::ui::store::view::compare::CompareAction;
use crate::ui::store::view::{ViewAction, ViewState};
use crate::ui::views::flame::state::{Cursor, FlameAction, FlameState, Half, Hit, StackReading, Zoom, ZoomSubject};
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::compare::DiffConfig;
use camlscope_engine::query::filter::Clause;
use camlscope_engine::query::flame::{BoxSelector, Direction, Flame, FlameBox, FlameConfig};
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::diff::{DiffPicture, Width};
use camlscope_present::layout::draw::Paint;
use camlscope_present::layout::flame::{self, CollapsedFrames, ROW, Stage};
use camlscope_view::page::components::comparison;
use camlscope_view::page::query::event::SharedAnswer;
use camlscope_view::page::shared::Shared;

#[derive(Clone)]
pub struct FlameScene {
    pub workspace: WorkspaceContext,
    pub kind: GraphKind,
    pub size: (f64, f64),
    pub ratio: f64,
    pub lower: Option<Boxes>,
    pub upper: Option<Boxes>,
    pub orientation: Orientation,
    pub flame_state: Rc<FlameState>,
}

/// Each rendering has a new scene, so components that show it are always redrawn.
impl PartialEq for FlameScene {
    fn eq(&self, _: &FlameScene) -> bool {
        false
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphKind {
    Stacks,
    /// Two traces or two times, colored by the change.
    Difference,
}

impl GraphKind {
    /// Returns the action that makes a frame the root.
    pub fn root_action(self, root: Vec<Label>) -> ViewAction {
        match self {
            GraphKind::Difference => ViewAction::Compare(CompareAction::Zoom(root)),
            GraphKind::Stacks => ViewAction::Zoom(root),
        }
    }
}

/// The boxes of a response.
#[derive(Clone, PartialEq)]
pub enum Boxes {
    Stacks(SharedAnswer),
    Difference(Shared<DiffPicture>),
}

impl Boxes {
    pub fn flame(&self) -> Option<&Flame> {
        match self {
            Boxes::Stacks(answer) => answer.get(),
            Boxes::Difference(picture) => Some(&picture.flame),
        }
    }

    /// Returns the color of each box, if it doesn't depend on the name.
    pub fn paints(&self) -> Option<&[Paint]> {
        match self {
            Boxes::Stacks(_) => None,
            Boxes::Difference(picture) => Some(&picture.paints),
        }
    }
}

/// Where the root is drawn. In a sandwich, it is always in the middle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Orientation {
    /// At the top.
    #[default]
    Icicle,
    /// At the bottom, so stacks grow up.
    Flame,
}

/// Levels to query beyond the visible ones. The total is rounded up to a multiple, so that panning rarely needs a
/// query.
const SPARE_LEVELS: u32 = 16;
/// The extra width to query on either side, as a fraction of the visible width, so that panning finds it loaded.
const SPARE_WIDTH: f64 = 0.25;
/// The least number of levels to query of a difference, whose response doesn't tell whether there are more.
const DIFF_LEVELS: usize = 100;
/// Narrower matches are zoomed to.
const NARROW_MATCH_PX: f64 = 24.0;
/// The width that they are zoomed to.
const ZOOMED_MATCH_PX: f64 = 160.0;

impl FlameScene {
    fn view_state(&self) -> &ViewState {
        &self.workspace.view_state
    }

    pub fn is_sandwich(&self) -> bool {
        self.kind == GraphKind::Stacks && self.view_state().flame.direction.function().is_some()
    }

    pub fn grows_up(&self, half: Half) -> bool {
        half == Half::Upper || !self.is_sandwich() && self.orientation == Orientation::Flame
    }

    pub fn direction(&self, half: Half) -> Direction {
        if self.kind == GraphKind::Difference {
            return Direction::TopDown;
        }
        match (self.view_state().flame.direction.function(), half) {
            (Some(function), Half::Upper) => Direction::Callers(function.clone()),
            (Some(function), Half::Lower) => Direction::Callees(function.clone()),
            (None, _) => self.view_state().flame.direction.clone(),
        }
    }

    pub fn stack_reading(&self) -> StackReading {
        let view_state = self.view_state();
        StackReading {
            direction: self.direction(Half::Lower),
            grain: view_state.grain,
            folds: view_state.fold_recursion,
        }
    }

    /// Returns the path to the root. A sandwich is never zoomed to a frame.
    pub fn root(&self) -> &[Label] {
        match self.kind {
            GraphKind::Difference => &self.view_state().compare.root,
            GraphKind::Stacks if self.is_sandwich() => &[],
            GraphKind::Stacks => &self.view_state().flame.root,
        }
    }

    /// Returns the action that makes a frame the root.
    pub fn root_action(&self, root: Vec<Label>) -> ViewAction {
        self.kind.root_action(root)
    }

    pub fn zoom(&self) -> Zoom {
        let view_state = self.view_state();
        let mut clauses = view_state.filter().clauses;
        clauses.retain(|clause| !matches!(clause, Clause::LiveAt(_)));
        let subject = ZoomSubject {
            stacks: self.stack_reading(),
            root: self.root().to_vec(),
            clauses,
            measure: mem::discriminant(&view_state.measure),
            width: view_state.compare.width,
        };
        let known = self.flame_state.zoom.clone().filter(|zoom| zoom.subject == subject);
        known.unwrap_or(Zoom { subject, lower: 0.0..1.0, upper: 0.0..1.0, top: None })
    }

    pub fn cursor(&self) -> Cursor {
        let stacks = self.stack_reading();
        let known = self.flame_state.cursor.clone().filter(|cursor| cursor.stacks == stacks);
        known.unwrap_or_else(|| self.cursor_at(Half::Lower, self.root().to_vec()))
    }

    pub fn cursor_at(&self, half: Half, path: Vec<Label>) -> Cursor {
        Cursor { stacks: self.stack_reading(), half, path }
    }

    /// Whether the half exists and its size is known.
    pub fn is_shown(&self, half: Half) -> bool {
        self.size.0 > 0.0 && (half == Half::Lower || self.is_sandwich())
    }

    pub fn question(&self, half: Half) -> Option<Request> {
        if !self.is_shown(half) {
            return None;
        }
        let zoom = self.zoom();
        let x = zoom.x(half);
        let spare = (x.end - x.start) * SPARE_WIDTH;
        let query = (x.start - spare).max(0.0)..(x.end + spare).min(1.0);
        let (width, height) = self.size;
        let n_rows = ((zoom.top.unwrap_or(0.0).abs() + height) / ROW).ceil() as u32;
        let levels = n_rows + self.flame_state.n_collapsed;
        let width_px = width * (query.end - query.start) / (x.end - x.start);
        Some(self.request(half, query, width_px, (levels + SPARE_LEVELS).next_multiple_of(SPARE_LEVELS)))
    }

    /// Returns the query for a part of the root's width, drawn `width_px` wide.
    pub fn request(&self, half: Half, x: Range<f64>, width_px: f64, n_levels: u32) -> Request {
        let (view_state, root) = (self.view_state(), self.root().to_vec());
        if self.kind == GraphKind::Difference {
            let pair = comparison::compared(view_state, &self.workspace.loaded);
            let config = DiffConfig {
                root,
                width_px: width_px / (x.end - x.start),
                max_levels: (n_levels as usize).max(DIFF_LEVELS),
                x,
                x_of: usize::from(view_state.compare.width == Width::After),
            };
            let question = Question::DiffFlame { versus: comparison::versus(view_state, pair), config };
            return comparison::request(view_state, pair, question);
        }
        let root = if root.is_empty() { BoxSelector::Top } else { BoxSelector::Path(root) };
        let config = FlameConfig { direction: self.direction(half), root, width_px, x, depths: 0..n_levels };
        view_state.request(Question::Flame(config))
    }

    pub fn boxes(&self, half: Half) -> Option<&Boxes> {
        match half {
            Half::Lower => self.lower.as_ref(),
            Half::Upper => self.upper.as_ref().filter(|_| self.is_sandwich()),
        }
    }

    pub fn flame(&self, half: Half) -> Option<&Flame> {
        self.boxes(half)?.flame()
    }

    /// Returns the frames of a half that can be collapsed, whether or not they are.
    pub fn collapsible_frames(&self, half: Half) -> CollapsedFrames {
        self.flame(half).map_or_else(CollapsedFrames::default, CollapsedFrames::of)
    }

    /// Returns the frames of a half that are currently collapsed.
    pub fn collapsed_frames(&self, half: Half) -> CollapsedFrames {
        if self.flame_state.is_expanded { CollapsedFrames::default() } else { self.collapsible_frames(half) }
    }

    /// Returns the number of currently collapsed frames.
    pub fn n_collapsed(&self) -> u32 {
        self.collapsed_frames(Half::Lower).n_frames() + self.collapsed_frames(Half::Upper).n_frames()
    }

    /// Whether a box is part of a collapsed row.
    pub fn is_collapsed(&self, hit: Hit) -> bool {
        self.box_at(hit).is_some_and(|flame_box| self.collapsed_frames(hit.half).holds(flame_box.depth))
    }

    /// Returns the range of positions of the root's row.
    fn tops(&self) -> Range<f64> {
        let n_rows = |half| {
            let last = self.flame(half).and_then(|flame| flame.n_depths.checked_sub(1));
            last.map_or(0, |last| self.collapsed_frames(half).row(last) + 1)
        };
        let height = |half| f64::from(n_rows(half)) * ROW;
        if self.grows_up(Half::Lower) {
            let lowest = self.size.1 - ROW;
            return lowest..lowest.max(height(Half::Lower) - ROW);
        }
        let above = (height(Half::Upper) - ROW).max(0.0);
        above.min(self.size.1 - height(Half::Lower))..above
    }

    pub fn top(&self) -> f64 {
        let tops = self.tops();
        let usual = match self.grows_up(Half::Lower) {
            _ if self.is_sandwich() => (self.size.1 / 2.0 / ROW).floor() * ROW,
            true => tops.start,
            false => tops.end,
        };
        self.zoom().top.unwrap_or(usual).clamp(tops.start, tops.end)
    }

    /// Returns the number of rows above and below the visible area.
    pub fn n_hidden_rows(&self) -> (u32, u32) {
        let stages = [Half::Lower, Half::Upper].map(|half| self.stage(half).zip(self.flame(half)));
        let rows = stages.into_iter().flatten();
        let ends = rows.flat_map(|(stage, flame)| [0, flame.n_depths.saturating_sub(1)].map(|depth| stage.row(depth)));
        let (above, below) =
            ends.fold((0.0_f64, 0.0_f64), |(above, below), y| (above.max(-y), below.max(y + ROW - self.size.1)));
        ((above / ROW).ceil() as u32, (below / ROW).ceil() as u32)
    }

    /// Whether the stacks are deeper than the responses.
    pub fn is_deeper(&self) -> bool {
        [Half::Lower, Half::Upper].into_iter().any(|half| self.flame(half).is_some_and(|flame| flame.is_deeper))
    }

    /// Scrolls by almost the visible height: down if `pages` is 1, up if it is -1.
    pub fn scrolled(&self, pages: f64) -> FlameAction {
        let page = (self.size.1 - 2.0 * ROW).max(ROW);
        FlameAction::Zoom(Some(Zoom { top: Some(self.top() - pages * page), ..self.zoom() }))
    }

    /// Scrolls by a distance, down if it is positive. Returns `None` at the end.
    pub fn scrolled_by(&self, distance: f64) -> Option<FlameAction> {
        let (tops, top) = (self.tops(), self.top());
        let moved = (top - distance).clamp(tops.start, tops.end);
        (moved != top).then(|| FlameAction::Zoom(Some(Zoom { top: Some(moved), ..self.zoom() })))
    }

    pub fn stage(&self, half: Half) -> Option<Stage> {
        let flame = self.flame(half)?;
        let x = self.zoom().x(half).clone();
        let (width, height) = self.size;
        let (is_upward, collapsed) = (self.grows_up(half), self.collapsed_frames(half));
        let mut stage = Stage { x, width, height, top: self.top(), is_upward, collapsed, ratio: self.ratio };
        // Until the response for a new root arrives, enlarge its box in the old graph.
        if half == Half::Lower
            && let Some(flame_box) = flame::locate(flame, self.root()).map(|place| flame.boxes[place])
        {
            let span = flame_box.x1 - flame_box.x0;
            stage.x = flame_box.x0 + stage.x.start * span..flame_box.x0 + stage.x.end * span;
            stage.top -= stage.offset(flame_box.depth);
        }
        Some(stage)
    }

    /// Returns the box at a position on the canvas.
    pub fn hit(&self, x: f64, y: f64) -> Option<Hit> {
        [Half::Lower, Half::Upper].into_iter().find_map(|half| {
            let place = self.stage(half)?.hit(self.flame(half)?, x, y)?;
            Some(Hit { half, place })
        })
    }

    /// Returns the box under the pointer, unless the keyboard was used since.
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

    /// Returns the half and the path of a box that stands for one frame.
    pub fn frame_at(&self, hit: Hit) -> Option<(Half, Vec<Label>)> {
        let is_one = self.box_at(hit)?.n_merged == 0 && !self.is_collapsed(hit);
        is_one.then(|| (hit.half, self.path_to(hit)))
    }

    pub fn path_to(&self, hit: Hit) -> Vec<Label> {
        self.flame(hit.half).map_or_else(Vec::new, |flame| flame::path_to(flame, hit.place))
    }

    /// Returns the widest frame below a half's root.
    pub fn widest(&self, half: Half) -> Option<Label> {
        let flame = self.flame(half)?;
        let flame_box = flame.boxes.iter().find(|flame_box| flame_box.depth == 1 && flame_box.n_merged == 0)?;
        flame.names.get(flame_box.name as usize).map(|name| name.label.clone())
    }

    /// Returns the box at the keyboard cursor, if it is drawn.
    pub fn cursor_hit(&self) -> Option<Hit> {
        let cursor = self.cursor();
        let place = flame::locate(self.flame(cursor.half)?, &cursor.path)?;
        Some(Hit { half: cursor.half, place })
    }

    /// Returns the fraction of a half's width to the left of a position on the canvas.
    pub fn fraction_at(&self, x: f64, half: Half) -> f64 {
        let zoom = self.zoom();
        let range = zoom.x(half);
        range.start + x / self.size.0.max(1.0) * (range.end - range.start)
    }

    /// Zooms or pans a half horizontally.
    pub fn with_x(&self, half: Half, x: Range<f64>) -> FlameAction {
        let mut zoom = self.zoom();
        *zoom.x_mut(half) = x;
        FlameAction::Zoom(Some(zoom))
    }

    /// Zooms to a box, either as the new root or, in a sandwich, by its range.
    pub fn zoom_to(&self, hit: Hit) -> Option<Effect> {
        let flame_box = self.box_at(hit)?;
        let path = self.path_to(hit);
        // Merged boxes directly below the root are split when zoomed in.
        if self.is_sandwich() || path == self.root() && flame_box.n_merged > 0 {
            return Some(Effect::Flame(self.with_x(hit.half, flame_box.x0..flame_box.x1)));
        }
        self.zoom_to_frame(hit.half, &path)
    }

    /// Zooms to a frame, or, if it already fills the width, out to its caller.
    pub fn zoom_to_frame(&self, half: Half, path: &[Label]) -> Option<Effect> {
        if self.is_sandwich() {
            let place = flame::locate(self.flame(half)?, path)?;
            return self.zoom_to(Hit { half, place });
        }
        let path = if path == self.root() { &path[..path.len().saturating_sub(1)] } else { path };
        (path != self.root()).then(|| Effect::View(self.root_action(path.to_vec())))
    }

    /// Zooms out by one step: to the full width, then to the frame that was zoomed to before. Returns `None` if
    /// everything is visible.
    pub fn zoom_out(&self) -> Option<Effect> {
        let (zoom, root) = (self.zoom(), self.root());
        if zoom.lower != (0.0..1.0) || zoom.upper != (0.0..1.0) {
            return Some(Effect::Flame(FlameAction::Zoom(Some(Zoom { lower: 0.0..1.0, upper: 0.0..1.0, ..zoom }))));
        }
        let is_outside = |outer: &&Vec<Label>| outer.len() < root.len() && root.starts_with(outer);
        let outer = self.flame_state.earlier_roots.iter().filter(is_outside).max_by_key(|outer| outer.len());
        (!root.is_empty()).then(|| Effect::View(self.root_action(outer.cloned().unwrap_or_default())))
    }

    /// Returns the action that makes a box visible, or `None` if it already is.
    pub fn reveal(&self, half: Half, flame_box: &FlameBox) -> Option<FlameAction> {
        let zoom = self.zoom_showing(half, flame_box)?;
        (zoom != self.zoom()).then_some(FlameAction::Zoom(Some(zoom)))
    }

    /// Like [`FlameScene::reveal`], for a search match. Zooms in if it is too narrow to see.
    pub fn reveal_match(&self, half: Half, flame_box: &FlameBox) -> Option<FlameAction> {
        let mut zoom = self.zoom_showing(half, flame_box)?;
        let width = self.size.0.max(1.0);
        let x = zoom.x_mut(half);
        if (flame_box.x1 - flame_box.x0) / (x.end - x.start) * width < NARROW_MATCH_PX {
            *x = flame::around(&(flame_box.x0..flame_box.x1), (ZOOMED_MATCH_PX / width).min(1.0));
        }
        (zoom != self.zoom()).then_some(FlameAction::Zoom(Some(zoom)))
    }

    fn zoom_showing(&self, half: Half, flame_box: &FlameBox) -> Option<Zoom> {
        let mut zoom = self.zoom();
        let y = self.stage(half)?.row(flame_box.depth);
        let by = (-y).max(0.0) - (y + ROW - self.size.1).max(0.0);
        if by != 0.0 {
            zoom.top = Some(self.top() + by);
        }
        let x = zoom.x_mut(half);
        let is_seen = flame_box.x0 < x.end && flame_box.x1 > x.start;
        if !is_seen {
            *x = flame::panned(x, (flame_box.x0 + flame_box.x1) / 2.0 - (x.start + x.end) / 2.0);
        }
        Some(zoom)
    }
}

/// The effect of a click or a key: a change of the view state, which links include, or of the flame state.
#[derive(Clone, Debug)]
pub enum Effect {
    View(ViewAction),
    Flame(FlameAction),
}
