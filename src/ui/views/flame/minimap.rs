//! A small version of the entire graph while only a part of it is visible. It shows where that part is, and a click
//! moves it.

use std::ops::Range;

use web_sys::{Element, MouseEvent};
use yew::prelude::*;

use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::Half;
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::flame::{BoxSelector, Flame, FlameConfig};
use camlscope_present::layout::flame;

const WIDTH: f64 = 160.0;
const LEVELS: u32 = 12;
const LEVEL: f64 = 2.0;

/// Queries the full graph only if a part of it is hidden. Callers and callees have no full graph.
pub fn question(scene: &FlameScene) -> Option<Request> {
    let is_part = !scene.root().is_empty() || *scene.zoom().x(Half::Lower) != (0.0..1.0);
    (is_part && scene.is_shown(Half::Lower) && !scene.is_sandwich()).then(|| {
        let direction = scene.direction(Half::Lower);
        let config = FlameConfig { direction, root: BoxSelector::Top, x: 0.0..1.0, width_px: WIDTH, depths: 0..LEVELS };
        scene.workspace.view_state.request(Question::Flame(config))
    })
}

pub fn minimap(scene: &FlameScene, handlers: &Handlers, whole: &Flame) -> Html {
    let root = root_range(scene, whole);
    let seen = scene.zoom().x(Half::Lower).clone();
    let width = root.end - root.start;
    let window = root.start + seen.start * width..root.start + seen.end * width;
    let outline: String =
        whole.boxes.iter().filter(|flame_box| flame_box.n_merged == 0).fold(String::new(), |outline, flame_box| {
            let (x, y) = (flame_box.x0 * WIDTH, f64::from(flame_box.depth) * LEVEL);
            let across = ((flame_box.x1 - flame_box.x0) * WIDTH - 0.3).max(0.2);
            outline + &format!("M{x:.1} {y:.1}h{across:.1}v{:.1}h-{across:.1}z", LEVEL - 0.5)
        });
    let onclick = {
        let handlers = handlers.clone();
        Callback::from(move |event: MouseEvent| move_to(&handlers, &root, &event))
    };
    let height = f64::from(LEVELS) * LEVEL;
    html! {
        <svg class="flame-minimap" viewBox={format!("0 0 {WIDTH} {height}")} width={WIDTH.to_string()}
            height={height.to_string()} role="img" aria-label={extent(&seen)} {onclick}>
            <path class="flame-minimap-boxes" d={outline} />
            <rect class="flame-minimap-window" x={format!("{:.1}", window.start * WIDTH)} y="0.5"
                width={format!("{:.1}", ((window.end - window.start) * WIDTH).max(2.0))} height={(height - 1.0).to_string()} />
        </svg>
    }
}

/// Describes the visible range.
pub fn extent(x: &Range<f64>) -> String {
    format!("showing {:.0}% to {:.0}% of the width", x.start * 100.0, x.end * 100.0)
}

/// Returns the root's range as fractions of the full width. If the root is too narrow to be drawn, uses its nearest
/// visible caller.
fn root_range(scene: &FlameScene, whole: &Flame) -> Range<f64> {
    let root = scene.root();
    let places = (0..=root.len()).rev().filter_map(|n| flame::locate(whole, &root[..n]));
    places.map(|place| whole.boxes[place].x0..whole.boxes[place].x1).next().unwrap_or(0.0..1.0)
}

/// Centers the visible range around the pointer, keeping its width.
fn move_to(handlers: &Handlers, root: &Range<f64>, event: &MouseEvent) {
    let Some(target) = event.target_dyn_into::<Element>() else { return };
    let Ok(Some(map)) = target.closest("svg") else { return };
    let area = map.get_bounding_client_rect();
    let at = (f64::from(event.client_x()) - area.left()) / area.width().max(1.0);
    let scene = handlers.scene();
    let seen = scene.zoom().x(Half::Lower).clone();
    let half = (seen.end - seen.start) / 2.0;
    let within = ((at - root.start) / (root.end - root.start).max(f64::MIN_POSITIVE)).clamp(half, 1.0 - half);
    handlers.flame_dispatch.emit(scene.with_x(Half::Lower, within - half..within + half));
}
