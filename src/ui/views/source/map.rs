//! The overview next to the code: where in the file the hot lines are, and which part is visible. A click goes there.

use web_sys::{Element, MouseEvent};
use yew::prelude::*;

use camlscope_engine::query::lines::SourceLine;
use camlscope_present::format;
use camlscope_present::layout::source::{HOT, SourceRows, hot_marks};

/// More marks would be thinner than a pixel.
const N_MARKS: usize = 200;

/// `visible` is the visible part of the file, from 0 to 1. `on_row` is called with the row of a click.
pub fn map(rows: &SourceRows, lines: &[SourceLine], all: f64, visible: (f64, f64), on_row: Callback<usize>) -> Html {
    let n_rows = rows.len();
    let n_marks = N_MARKS.min(n_rows);
    let percent = |part: f64| format!("{:.2}%", part * 100.0);
    let mark = |(at, mark): (usize, _)| {
        let camlscope_present::layout::source::HotMark { row, share, is_very_hot } = mark;
        let class = match share {
            _ if is_very_hot => "map-very-hot",
            HOT.. => "map-hot",
            _ => "map-cool",
        };
        let line = rows.line(row).unwrap_or_default();
        html! {
            <rect key={at} {class} y={percent(at as f64 / n_marks as f64)} width="100%" height="3">
                <title>{ format!("Line {line}: {}", format::percent(share)) }</title>
            </rect>
        }
    };
    let onclick = Callback::from(move |event: MouseEvent| {
        let Some(map) = event.current_target().map(wasm_bindgen::JsCast::unchecked_into::<Element>) else {
            return;
        };
        let area = map.get_bounding_client_rect();
        let part = (f64::from(event.client_y()) - area.top()) / area.height().max(1.0);
        on_row.emit(((part.clamp(0.0, 1.0) * n_rows as f64) as usize).min(n_rows.saturating_sub(1)));
    });
    let (from, to) = visible;
    html! {
        <svg class="source-map" aria-hidden="true" {onclick}>
            <rect class="map-window" y={percent(from)} width="100%" height={percent(to - from)} />
            { for hot_marks(rows, lines, all, n_marks).into_iter().map(mark) }
        </svg>
    }
}
