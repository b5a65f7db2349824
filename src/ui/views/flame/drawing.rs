//! Draws the flame graph on its canvas. Zooming to a frame is animated so that the eye can follow, unless the user
//! prefers reduced motion. Other zooming and panning is immediate.

use std::cell::RefCell;
use std::rc::Rc;

use gloo::render::{AnimationFrame, request_animation_frame};
use gloo::utils::window;
use web_sys::HtmlCanvasElement;
use yew::prelude::*;

use crate::ui::components::picture::{self, PictureContent};
use crate::ui::platform::canvas::Canvas;
use crate::ui::platform::pictures::{Pictured, use_picture};
use crate::ui::views::flame::scene::{Boxes, FlameScene};
use crate::ui::views::flame::state::Half;
use camlscope_engine::query::flame::{Direction, Flame};
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::color::ModuleColors;
use camlscope_present::layout::draw::{Op, TextWidth};
use camlscope_present::layout::flame::{Colors, Marks, Stage, carried, draw, legend, midway, title, tooltips};
use camlscope_present::layout::picture::Parts;
use camlscope_present::words;
use camlscope_view::page::platform::theme::Theme;

/// The duration of the zoom animation.
const WAY_MS: f64 = 180.0;

/// Everything that a drawing depends on.
#[derive(Clone, PartialEq)]
pub struct FlameDrawing {
    lower: Option<Boxes>,
    upper: Option<Boxes>,
    stages: [Option<Stage>; 2],
    size: (f64, f64),
    root: Vec<Label>,
    selected: Option<Label>,
    found: Option<Vec<u32>>,
    colors: Colors,
    modules: Rc<ModuleColors>,
    theme: Theme,
}

/// `found` has the keys of the names that match the search, if there is one.
#[hook]
pub fn use_drawing(canvas_ref: &NodeRef, scene: &FlameScene, found: Option<Vec<u32>>, colors: Colors) -> FlameDrawing {
    let theme = use_context::<Theme>().unwrap_or_default();
    let motion = use_mut_ref(Motion::default);
    let drawing = FlameDrawing {
        lower: scene.lower.clone(),
        upper: scene.upper.clone(),
        stages: [scene.stage(Half::Lower), scene.stage(Half::Upper)],
        size: scene.size,
        root: scene.root().to_vec(),
        selected: scene.workspace.view_state.selected.clone(),
        found,
        colors,
        modules: Rc::clone(&scene.workspace.colors),
        theme,
    };
    let canvas_ref = canvas_ref.clone();
    use_effect_with(drawing.clone(), move |drawing| {
        motion.borrow_mut().aim(drawing);
        step(&motion, &canvas_ref);
    });
    drawing
}

/// Registers the image for export.
#[hook]
pub fn use_flame_picture(drawing: &FlameDrawing, scene: &FlameScene) {
    use_picture(Pictured::View, drawing.lower.is_some().then(|| picture_of(drawing, scene)));
}

impl FlameDrawing {
    /// Draws the boxes at the animation's final position.
    pub fn ops(&self, text: &dyn TextWidth) -> Vec<Op> {
        let [lower, upper] = &self.stages;
        ops(self, [lower.as_ref(), upper.as_ref()], text)
    }

    /// Returns where the lower half is drawn.
    pub fn stage(&self) -> Option<&Stage> {
        self.stages[0].as_ref()
    }

    pub fn size(&self) -> (f64, f64) {
        self.size
    }
}

/// The zoom animation. Only the lower half moves, because the upper half has no frames to zoom to.
#[derive(Default)]
struct Motion {
    aim: Option<FlameDrawing>,
    /// The last painted position.
    seen: Option<Stage>,
    /// The start position and time.
    from: Option<(Stage, f64)>,
    frame: Option<AnimationFrame>,
}

impl Motion {
    fn aim(&mut self, drawing: &FlameDrawing) {
        let old = self.aim.replace(drawing.clone());
        let began = self.from.take();
        let (Some(old), Some(end)) = (old, &drawing.stages[0]) else { return };
        let (Some(before), Some(after)) = (flame_of(&old.lower), flame_of(&drawing.lower)) else { return };
        let leaps = old.root != drawing.root && !prefers_none();
        let began = began.or_else(|| self.seen.clone().filter(|_| leaps).map(|seen| (seen, now())));
        self.from = began.and_then(|(stage, since)| Some((carried(&stage, before, after, end.collapsed)?, since)));
        self.from.take_if(|(stage, _)| stage.width != end.width);
    }

    /// Returns the current position and whether the animation has finished.
    fn place(&self, end: &Stage) -> (Stage, bool) {
        match &self.from {
            Some((from, since)) if now() - since < WAY_MS => (midway(from, end, (now() - since) / WAY_MS), false),
            _ => (end.clone(), true),
        }
    }
}

/// Paints the current frame and requests the next one until the animation has finished.
fn step(motion: &Rc<RefCell<Motion>>, canvas_ref: &NodeRef) {
    let mut now_moving = motion.borrow_mut();
    now_moving.frame = None;
    let Some(drawing) = now_moving.aim.clone() else { return };
    let lower = drawing.stages[0].as_ref().map(|end| now_moving.place(end));
    let has_arrived = lower.as_ref().is_none_or(|(_, has_arrived)| *has_arrived);
    let stage = lower.map(|(stage, _)| stage);
    paint(canvas_ref, &drawing, [stage.as_ref(), drawing.stages[1].as_ref()]);
    now_moving.seen = stage;
    if has_arrived {
        now_moving.from = None;
    } else {
        let (motion, canvas_ref) = (Rc::clone(motion), canvas_ref.clone());
        now_moving.frame = Some(request_animation_frame(move |_| step(&motion, &canvas_ref)));
    }
}

fn paint(canvas_ref: &NodeRef, drawing: &FlameDrawing, stages: [Option<&Stage>; 2]) {
    let began = now();
    let Some(element) = canvas_ref.cast::<HtmlCanvasElement>() else { return };
    let Some(canvas) = Canvas::new(&element, drawing.size) else { return };
    canvas.draw(&ops(drawing, stages, &canvas));
    // For tests, because drawing has a time budget.
    let _ = element.set_attribute("data-draw-ms", &format!("{:.2}", now() - began));
}

/// Draws both halves, if there are two.
fn ops(drawing: &FlameDrawing, stages: [Option<&Stage>; 2], text: &dyn TextWidth) -> Vec<Op> {
    let sandwich_labels = [(Half::Lower, &drawing.lower), (Half::Upper, &drawing.upper)];
    let of_half = |((half, boxes), stage): ((Half, &Option<Boxes>), Option<&Stage>)| {
        let marks = Marks {
            selected: drawing.selected.as_ref(),
            found: drawing.found.as_deref(),
            colors: drawing.colors,
            modules: &drawing.modules,
            paints: boxes.as_ref().and_then(Boxes::paints),
            skips_root: half == Half::Upper,
        };
        Some(draw(flame_of(boxes)?, stage?, &marks, text))
    };
    sandwich_labels.into_iter().zip(stages).filter_map(of_half).flatten().collect()
}

/// Returns the image for export, at the animation's final position.
fn picture_of(drawing: &FlameDrawing, scene: &FlameScene) -> impl Fn(&dyn TextWidth) -> Parts + use<> {
    let (drawing, workspace) = (drawing.clone(), scene.workspace.clone());
    move |text| {
        let FlameDrawing { stages: [lower, upper], size, .. } = &drawing;
        let sandwich_labels =
            [flame_of(&drawing.lower).zip(lower.as_ref()), flame_of(&drawing.upper).zip(upper.as_ref())];
        let sandwich_labels: Vec<(&Flame, &Stage)> = sandwich_labels.into_iter().flatten().collect();
        let view = workspace.view_state.query_view();
        let direction = match &workspace.view_state.flame.direction {
            Direction::TopDown => "callers above callees".to_owned(),
            Direction::Inverted => "callees above callers".to_owned(),
            Direction::Callers(function) | Direction::Callees(function) => {
                format!("callers and callees of {}", title(function))
            }
        };
        let drawn = PictureContent {
            name: "Flame graph",
            about: vec![
                picture::counted_words(&words::measure::counted(view.measure), &view.filter),
                format!("{}, {direction}", picture::stack_words(&workspace, &drawing.root)),
            ],
            legend: legend(&sandwich_labels, drawing.colors, &drawing.modules),
            ops: drawing.ops(text),
            tooltips: sandwich_labels
                .iter()
                .flat_map(|(flame, stage)| tooltips(flame, stage, stage.is_upward))
                .collect(),
            size: *size,
            is_both: false,
        };
        picture::with_words(&workspace, drawn)
    }
}

fn flame_of(boxes: &Option<Boxes>) -> Option<&Flame> {
    boxes.as_ref()?.flame()
}

fn now() -> f64 {
    window().performance().map_or(0.0, |clock| clock.now())
}

fn prefers_none() -> bool {
    let query = window().match_media("(prefers-reduced-motion: reduce)").ok().flatten();
    query.is_some_and(|query| query.matches())
}
