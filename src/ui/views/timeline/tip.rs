//! Beside the pointer, or the moment that keys move: the figures of every layer at that time, with the total.

use yew::prelude::*;

use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::placement::{Anchor, place};
use crate::ui::query::SharedAnswer;
use crate::ui::views::timeline::controls::short;
use crate::ui::views::timeline::request::as_timeline;
use crate::ui::views::timeline::swatch::Swatch;
use camlscope_engine::query::timeline::Timeline;
use camlscope_engine::query::timeline::point::TimelinePoint;
use camlscope_present::layout::timeline::{Axes, LayerReading, Plot, Reading, paint_of};

#[derive(Properties, PartialEq)]
pub struct TipProps {
    pub answer: SharedAnswer,
    pub reading: Reading,
    /// The series under the pointer.
    pub pointed: Option<usize>,
    /// In the window.
    pub at: (f64, f64),
}

/// Not for screen readers: the slider's own text has the figures.
#[component]
pub fn Tip(props: &TipProps) -> Html {
    let WorkspaceContext { colors, .. } = use_workspace();
    let node = use_node_ref();
    use_effect_with((props.at, props.reading.layers.len()), {
        let node = node.clone();
        move |&((x, y), _)| place(&node, &Anchor::Pointer(x, y))
    });
    let Some(timeline) = as_timeline(Some(&props.answer)) else { return Html::default() };
    let row = |LayerReading { nth, amount }: &LayerReading| {
        let Some(series) = timeline.series.get(*nth) else { return Html::default() };
        html! {
            <div key={*nth} class={classes!((props.pointed == Some(*nth)).then_some("is-pointed"))}>
                <dt><Swatch paint={paint_of(*nth, series, &colors)} />{ short(series) }</dt>
                <dd>{ amount }</dd>
            </div>
        }
    };
    html! {
        <div ref={node} class="timeline-tip" aria-hidden="true">
            <p><b>{ &props.reading.total }</b>{ " at " }{ &props.reading.time }</p>
            if let Some(event) = &props.reading.event {
                <p>{ format!("event “{event}”") }</p>
            }
            <dl>{ for props.reading.layers.iter().map(row) }</dl>
        </div>
    }
}

/// The same in words, the largest layer first; `None` where no layers are told apart.
pub fn words(timeline: &Timeline, point: &TimelinePoint, plot: &Plot, axes: &Axes, us: f64) -> Option<String> {
    let reading = Reading::new(timeline, point, plot, axes, us)?;
    let layer = |LayerReading { nth, amount }: &LayerReading| {
        timeline.series.get(*nth).map(|series| format!("{} {amount}", short(series)))
    };
    let layers: Vec<String> = reading.layers.iter().rev().filter_map(layer).collect();
    Some(format!("{} in all: {}", reading.total, layers.join(", "))).filter(|_| !layers.is_empty())
}
