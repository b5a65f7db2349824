//! Keyboard shortcuts of both flame graphs: `w a s d`, `+` and `-` zoom and pan, Page Up and Page Down scroll, Escape
//! zooms out, `0` shows everything, Enter zooms to a frame, and `m` opens its menu. Arrow keys move through the tree
//! ([`super::tree`]), and `/` searches, as on the rest of the page.

use std::ops::Range;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

use crate::ui::store::view::ViewAction;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::{Effect, FlameScene};
use crate::ui::views::flame::state::FlameAction;
use camlscope_present::layout::flame;

/// The zoom factor per key press, and the fraction of the visible width to pan by.
const ZOOM: f64 = 1.3;
const PAN: f64 = 0.15;
/// Keys that zoom and pan.
const NEARER: [&str; 9] = ["+", "=", "-", "0", "w", "a", "s", "d", "Escape"];

/// Listens on the entire page, so that keys work even if nothing has the focus.
pub fn pressed(handlers: &Handlers, event: &KeyboardEvent) {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else { return };
    let within = |css: &str| target.closest(css).ok().flatten().is_some();
    let is_nowhere = ["BODY", "MAIN"].contains(&target.tag_name().as_str());
    // While the pointer is over the graph, these keys apply to it, whatever has the focus, except when typing.
    let is_pointed = NEARER.contains(&event.key().as_str())
        && handlers.scene().flame_state.hover.is_some()
        && !within("input, select, textarea");
    if within("[role=menu], [role=dialog]") || !is_nowhere && !is_pointed && !within("[data-graph]") {
        return;
    }
    // On a button, these keys activate it.
    let presses = ["Enter", " ", "Escape"].contains(&event.key().as_str());
    if presses && !is_nowhere && !is_pointed && !within(".flame-tree") {
        return;
    }
    // Escape closes an open popover first.
    let has_popover = || gloo::utils::document().query_selector(":popover-open").is_ok_and(|open| open.is_some());
    if event.key() == "Escape" && has_popover() {
        return;
    }
    if handle(handlers, &handlers.scene(), &event.key(), is_nowhere) {
        event.prevent_default();
    }
}

/// Returns whether the key was handled.
fn handle(handlers: &Handlers, scene: &FlameScene, key: &str, is_nowhere: bool) -> bool {
    let cursor = scene.cursor();
    // Zoom around the pointer, unless the keyboard was used since.
    let pointer = scene.flame_state.hover.filter(|_| !scene.flame_state.by_keyboard);
    let half = pointer.map_or(cursor.half, |pointer| scene.half_at(pointer.y));
    let x = scene.zoom().x(half).clone();
    let span = x.end - x.start;
    let cursor_box = scene.cursor_hit().and_then(|hit| scene.box_at(hit));
    let middle = match (pointer, cursor_box) {
        (Some(pointer), _) => x.start + pointer.x / scene.size.0.max(1.0) * span,
        // Zoom around the visible part of the frame at the keyboard cursor.
        (None, Some(flame_box)) => ((flame_box.x0.max(x.start) + flame_box.x1.min(x.end)) / 2.0).clamp(x.start, x.end),
        (None, None) => x.start + span / 2.0,
    };
    let show = |x: Range<f64>| handlers.flame_dispatch.emit(scene.with_x(half, x));
    match key {
        "w" | "+" | "=" => show(flame::zoomed(&x, middle, 1.0 / ZOOM)),
        "s" | "-" => show(flame::zoomed(&x, middle, ZOOM)),
        "a" => show(flame::panned(&x, -PAN * span)),
        "d" => show(flame::panned(&x, PAN * span)),
        "PageUp" if !is_nowhere => handlers.flame_dispatch.emit(scene.scrolled(-1.0)),
        "PageDown" if !is_nowhere => handlers.flame_dispatch.emit(scene.scrolled(1.0)),
        "0" => show_all(handlers, scene),
        "Enter" => handlers.run(scene.cursor_hit().and_then(|hit| scene.zoom_to(hit))),
        " " => scene.cursor_hit().into_iter().for_each(|hit| handlers.select(scene, hit)),
        "m" | "ContextMenu" => open_menu(handlers, scene),
        "Escape" => handlers.run(Some(scene.zoom_out().unwrap_or(Effect::View(ViewAction::Select(None))))),
        "ArrowUp" | "ArrowDown" | "ArrowLeft" | "ArrowRight" if is_nowhere => {
            handlers.take_focus();
            handlers.flame_dispatch.emit(FlameAction::Cursor { cursor, by_keyboard: true });
        }
        _ => return false,
    }
    true
}

pub fn show_all(handlers: &Handlers, scene: &FlameScene) {
    handlers.flame_dispatch.emit(FlameAction::Zoom(None));
    if !scene.root().is_empty() {
        handlers.dispatch.emit(scene.root_action(Vec::new()));
    }
}

fn open_menu(handlers: &Handlers, scene: &FlameScene) {
    let place = scene.cursor_hit().and_then(|hit| {
        let area = scene.stage(hit.half)?.area(scene.box_at(hit)?)?;
        let stage = handlers.stage.cast::<HtmlElement>()?.get_bounding_client_rect();
        Some((hit, stage.left() + area.x + 8.0, stage.top() + area.y + area.h))
    });
    if let Some((hit, x, y)) = place {
        handlers.open_menu(scene, hit, x, y);
    }
}
