//! The labels of a sandwich's two halves, next to the graph so that they cover no frame.

use yew::prelude::*;

use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::Half;
use camlscope_present::layout::flame::ROW;

const WIDTH: f64 = 66.0;

pub fn sandwich_labels(scene: &FlameScene) -> Html {
    if !scene.is_sandwich() {
        return Html::default();
    }
    let (middle, height) = (scene.top() + ROW / 2.0, scene.size.1);
    let has_rows = |half| scene.flame(half).is_some_and(|flame| flame.n_depths > 1);
    // Next to the first row of the half, as long as any of it is visible.
    let word = |half, some: &'static str, none: &'static str, y: f64| {
        let words = if has_rows(half) { some } else { none };
        let y = y.clamp(ROW / 2.0, (height - ROW / 2.0).max(ROW / 2.0));
        html! {
            <text x={(WIDTH - 6.0).to_string()} y={y.to_string()} text-anchor="end" dominant-baseline="central">{ words }</text>
        }
    };
    // The label of a half without rows is next to the middle row.
    let above = if has_rows(Half::Upper) { middle - ROW } else { middle };
    html! {
        <svg class="flame-halves" width={WIDTH.to_string()} height={height.max(0.0).to_string()} role="img"
            aria-label="Callers above, callees below">
            { word(Half::Upper, "callers ↑", "no callers", above) }
            { word(Half::Lower, "callees ↓", "no callees", middle + ROW) }
        </svg>
    }
}
