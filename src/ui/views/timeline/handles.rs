//! The two compared times as handles on the timeline, which can be dragged or moved with the arrow keys.

use std::rc::Rc;

use web_sys::Element;
use yew::prelude::*;

use crate::ui::platform::pointer::Pointer;
use crate::ui::store::view::ViewAction;
use camlscope_engine::query::filter::When;
use camlscope_present::layout::timeline::Plot;
use camlscope_view::page::components::comparison::time_words;
use camlscope_view::page::views::timeline::times::{ComparedTimes, snapshot_after, snapshot_before};

/// The distance from a handle's line to the edge of its label.
const PILL_PX: f64 = 17.0;

#[derive(Properties, PartialEq)]
pub struct HandlesProps {
    pub times: ComparedTimes,
    pub plot: Plot,
    pub size: (f64, f64),
    pub end_us: u64,
    /// The times that can be chosen, or empty if any time can.
    pub snapshots_us: Rc<Vec<u64>>,
    pub dispatch: Callback<ViewAction>,
}

#[component]
pub fn Handles(props: &HandlesProps) -> Html {
    let HandlesProps { times, plot, size, end_us, snapshots_us, dispatch } = props;
    let (times, end_us) = (*times, *end_us);
    let svg = use_node_ref();
    let dragged = use_state_eq(|| None::<char>);
    let handle = |letter: char, when: When, us: u64, set: fn(ComparedTimes, When) -> ViewAction| {
        let x = plot.x(us as f64);
        if !(plot.left - 0.5..=plot.right + 0.5).contains(&x) {
            return Html::default();
        }
        let onpointerdown = {
            let dragged = dragged.setter();
            Callback::from(move |event: PointerEvent| {
                if let Some(element) = event.target_dyn_into::<Element>().filter(|_| event.button() == 0) {
                    let _ = element.set_pointer_capture(event.pointer_id());
                    dragged.set(Some(letter));
                }
            })
        };
        let onpointermove = {
            let (svg, plot, dispatch, is_dragged) = (svg.clone(), *plot, dispatch.clone(), *dragged == Some(letter));
            Callback::from(move |event: PointerEvent| {
                if let Some(at) = Pointer::on(&svg, &event).filter(|_| is_dragged) {
                    dispatch.emit(set(times, When::At(plot.pointed_us(at.x) as u64)));
                }
            })
        };
        let on_end = Callback::from(dragged.setter()).reform(|_: PointerEvent| None);
        let onkeydown = {
            let (dispatch, snapshots_us) = (dispatch.clone(), Rc::clone(snapshots_us));
            let step = ((plot.to_us - plot.from_us) / 100.0).max(1.0) as u64;
            Callback::from(move |event: KeyboardEvent| {
                let has_snapshots = !snapshots_us.is_empty();
                let to = match event.key().as_str() {
                    "ArrowLeft" | "ArrowDown" if has_snapshots => When::At(snapshot_before(&snapshots_us, us)),
                    "ArrowRight" | "ArrowUp" if has_snapshots => When::At(snapshot_after(&snapshots_us, us)),
                    "ArrowLeft" | "ArrowDown" => When::At(us.saturating_sub(step)),
                    "ArrowRight" | "ArrowUp" => When::At(us.saturating_add(step).min(end_us)),
                    "Home" => When::At(0),
                    "End" => When::End,
                    "p" => When::Peak,
                    _ => return,
                };
                event.prevent_default();
                dispatch.emit(set(times, to));
            })
        };
        let (class, name, aside) = match letter {
            'A' => ("time-handle is-a", "Time A (before)", -17.0),
            // At the end of the axis, there is no space to the right of the line.
            _ if x + PILL_PX > size.0 => ("time-handle is-b", "Time B (after)", -17.0),
            _ => ("time-handle is-b", "Time B (after)", 1.0),
        };
        // Below the label of the peak.
        let (top, bottom) = (plot.top - 3.0, plot.rates_bottom);
        html! {
            <g {class} role="slider" tabindex="0" aria-label={name} aria-valuemin="0"
                aria-valuemax={format!("{:.6}", end_us as f64 / 1e6)} aria-valuenow={format!("{:.6}", us as f64 / 1e6)}
                aria-valuetext={time_words(when)} transform={format!("translate({x:.1},0)")}
                {onpointerdown} {onpointermove} onpointerup={on_end.clone()} onpointercancel={on_end} {onkeydown}>
                <rect class="time-grip" x="-6" y={top.to_string()} width="12" height={(bottom - top).to_string()} />
                <line x1="0" x2="0" y1={top.to_string()} y2={bottom.to_string()} />
                <rect class="time-pill" x={aside.to_string()} y={(top - 1.0).to_string()} width="16" height="15" rx="7.5" />
                <text x={(aside + 8.0).to_string()} y={(top + 10.5).to_string()}>{ letter }</text>
            </g>
        }
    };
    html! {
        <svg ref={svg.clone()} class="time-handles" width={size.0.to_string()} height={size.1.to_string()}>
            { handle('A', times.before, times.before_us, ComparedTimes::with_before) }
            { handle('B', times.after, times.after_us, ComparedTimes::with_after) }
        </svg>
    }
}
