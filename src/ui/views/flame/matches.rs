//! The search matches, in the order that Enter steps through. They cover the entire width and all rows, wherever the
//! graph is zoomed or scrolled to, so a step can go to any of them.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::{Boxes, FlameScene};
use crate::ui::views::flame::state::{FlameAction, Half, Hit};
use camlscope_engine::protocol::Request;
use camlscope_engine::query::flame::{Flame, FlameName};
use camlscope_present::layout::flame;
use camlscope_view::page::views::flame::matches::next;

/// Deeper matches are skipped, since stacks that deep are recursion.
const MOST_LEVELS: u32 = 1024;

/// Matching boxes in the full graphs.
pub struct Matches {
    lower: Boxes,
    upper: Option<Boxes>,
    hits: Vec<Hit>,
}

/// Returns the request for the full graph of a half.
pub fn question(scene: &FlameScene, half: Half) -> Option<Request> {
    scene.is_shown(half).then(|| scene.request(half, 0.0..1.0, scene.size.0, MOST_LEVELS))
}

impl Matches {
    pub fn new(lower: Boxes, upper: Option<Boxes>, is_match: impl Fn(&FlameName) -> bool) -> Matches {
        let of_half = |half: Half, flame: &Flame| -> Vec<Hit> {
            let is_found: Vec<bool> = flame.names.iter().map(&is_match).collect();
            let is_hit = |place: &usize| {
                let flame_box = &flame.boxes[*place];
                flame_box.n_merged == 0 && is_found.get(flame_box.name as usize) == Some(&true)
            };
            (0..flame.boxes.len()).filter(is_hit).map(|place| Hit { half, place }).collect()
        };
        let halves = [(Half::Lower, lower.flame()), (Half::Upper, upper.as_ref().and_then(Boxes::flame))];
        let hits = halves.into_iter().filter_map(|(half, flame)| Some(of_half(half, flame?))).flatten().collect();
        Matches { lower, upper, hits }
    }

    fn flame(&self, half: Half) -> Option<&Flame> {
        match half {
            Half::Lower => self.lower.flame(),
            Half::Upper => self.upper.as_ref()?.flame(),
        }
    }

    pub fn len(&self) -> usize {
        self.hits.len()
    }

    /// Returns the index of the match at the keyboard cursor.
    pub fn position(&self, scene: &FlameScene) -> Option<usize> {
        let cursor = scene.cursor();
        let place = flame::locate(self.flame(cursor.half)?, &cursor.path)?;
        self.hits.iter().position(|hit| *hit == Hit { half: cursor.half, place })
    }
}

/// Steps to the next or previous match. A step before the matches are known is done once they are.
#[hook]
pub fn use_step(handlers: &Handlers, matches: &Rc<Option<Matches>>) -> Callback<bool> {
    let ahead = use_mut_ref(|| None::<bool>);
    use_effect_with(matches.is_some(), {
        let (handlers, matches, ahead) = (handlers.clone(), Rc::clone(matches), Rc::clone(&ahead));
        move |_| {
            if let Some(matches) = matches.as_ref()
                && let Some(is_forward) = ahead.take()
            {
                step(&handlers, matches, is_forward);
            }
        }
    });
    let (handlers, matches) = (handlers.clone(), Rc::clone(matches));
    Callback::from(move |is_forward: bool| match matches.as_ref() {
        Some(matches) => step(&handlers, matches, is_forward),
        None => *ahead.borrow_mut() = Some(is_forward),
    })
}

fn step(handlers: &Handlers, matches: &Matches, is_forward: bool) {
    let scene = handlers.scene();
    if let Some(next) = next(matches.position(&scene), matches.len(), is_forward) {
        let Hit { half, place } = matches.hits[next];
        if let Some(flame) = matches.flame(half) {
            handlers.show(&scene, half, flame, place, true);
        }
    }
}

impl Handlers {
    /// Moves the keyboard cursor to a box of the full graph, and zooms and scrolls so that it can be seen.
    /// `by_keyboard` also shows its tooltip.
    pub fn show(&self, scene: &FlameScene, half: Half, whole: &Flame, place: usize, by_keyboard: bool) {
        let cursor = scene.cursor_at(half, flame::path_to(whole, place));
        self.flame_dispatch.emit(FlameAction::Cursor { cursor, by_keyboard });
        let flame_box = &whole.boxes[place];
        if scene.collapsed_frames(half).holds(flame_box.depth) {
            self.flame_dispatch.emit(FlameAction::Expand(true));
        }
        scene.reveal_match(half, flame_box).into_iter().for_each(|action| self.flame_dispatch.emit(action));
    }
}
