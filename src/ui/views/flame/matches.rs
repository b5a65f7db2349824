//! The search matches, in the order that Enter steps through. They cover the entire width and all rows, wherever the
//! graph is zoomed or scrolled to, so a step can go to any of them.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::query::{QueryState, SharedAnswer};
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::{FlameAction, Half, Hit};
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::flame::{Flame, FlameConfig, Found};
use camlscope_present::layout::flame;

/// Deeper matches are skipped, since stacks that deep are recursion.
const MOST_LEVELS: u32 = 1024;

/// Matching boxes in the full graphs.
pub struct Matches {
    lower: Option<SharedAnswer>,
    upper: Option<SharedAnswer>,
    hits: Vec<Hit>,
}

/// Returns the request for the full graph of a half.
pub fn question(scene: &FlameScene, half: Half) -> Option<Request> {
    if !scene.is_shown(half) {
        return None;
    }
    let config = FlameConfig {
        direction: scene.direction(half),
        root: scene.root_selector(),
        x: 0.0..1.0,
        width_px: scene.size.0,
        depths: 0..MOST_LEVELS,
    };
    Some(scene.workspace.view_state.request(Question::Flame(config)))
}

impl Matches {
    /// Returns `None` until the full graphs have arrived.
    pub fn new(found: &Found, lower: &QueryState, upper: &QueryState) -> Option<Matches> {
        if lower.is_waiting || upper.is_waiting || lower.answer.is_none() {
            return None;
        }
        let mut matches = Matches { lower: lower.answer.clone(), upper: upper.answer.clone(), hits: Vec::new() };
        matches.hits = [Half::Lower, Half::Upper].into_iter().flat_map(|half| matches.of_half(half, found)).collect();
        Some(matches)
    }

    fn of_half(&self, half: Half, found: &Found) -> Vec<Hit> {
        let Some(picture) = self.picture(half) else { return Vec::new() };
        let is_found = |place: &usize| {
            let flame_box = &picture.boxes[*place];
            let name = picture.names.get(flame_box.name as usize);
            flame_box.n_merged == 0 && name.is_some_and(|name| found.keys.binary_search(&name.key).is_ok())
        };
        (0..picture.boxes.len()).filter(is_found).map(|place| Hit { half, place }).collect()
    }

    fn picture(&self, half: Half) -> Option<&Flame> {
        (if half == Half::Lower { &self.lower } else { &self.upper }).as_ref()?.get()
    }

    pub fn len(&self) -> usize {
        self.hits.len()
    }

    /// Returns the index of the match at the keyboard cursor.
    pub fn position(&self, scene: &FlameScene) -> Option<usize> {
        let cursor = scene.cursor();
        let place = flame::locate(self.picture(cursor.half)?, &cursor.path)?;
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
    let n = matches.len();
    let next = match matches.position(&scene) {
        _ if n == 0 => return,
        Some(at) if is_forward => (at + 1) % n,
        Some(at) => (at + n - 1) % n,
        None if is_forward => 0,
        None => n - 1,
    };
    let Hit { half, place } = matches.hits[next];
    let Some(picture) = matches.picture(half) else { return };
    let cursor = scene.cursor_at(half, flame::path_to(picture, place));
    handlers.flame_dispatch.emit(FlameAction::Cursor { cursor, by_keyboard: true });
    let flame_box = &picture.boxes[place];
    if scene.collapsed_frames(half).holds(flame_box.depth) {
        handlers.flame_dispatch.emit(FlameAction::Expand(true));
    }
    scene.reveal_match(half, flame_box).into_iter().for_each(|action| handlers.flame_dispatch.emit(action));
}
