//! The tooltip at the pointer or at the keyboard's time, with every layer's figure and the total.

use web_sys::Element;
use yew::prelude::*;

use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::placement::{Anchor, place};
use crate::ui::views::timeline::controls::short;
use crate::ui::views::timeline::drag::Pointing;
use crate::ui::views::timeline::scene::TimelineScene;
use crate::ui::views::timeline::swatch::Swatch;
use camlscope_engine::query::timeline::Timeline;
use camlscope_present::layout::timeline::{LayerReading, Reading, paint_of};
use camlscope_view::page::query::event::SharedAnswer;

/// Shows the figures of `point` at the time `us`. Returns `None` without layers.
pub fn tooltip(scene: &TimelineScene, pointing: Pointing, us: f64, point: Option<&SharedAnswer>) -> Option<Html> {
    let (answer, plot) = (scene.alone()?.clone(), scene.plot?);
    let reading = Reading::new(answer.get()?, point?.get()?, &plot, &scene.axes, us)?;
    let at = pointing.client.filter(|_| !pointing.is_keyed).or_else(|| {
        let area = scene.canvas.cast::<Element>()?.get_bounding_client_rect();
        Some((area.left() + plot.x(us), area.top() + plot.top))
    })?;
    (!reading.layers.is_empty()).then(|| html! { <TimelineTooltip {answer} {reading} pointed={pointing.layer} {at} /> })
}

#[derive(Properties, PartialEq)]
struct TimelineTooltipProps {
    answer: SharedAnswer,
    reading: Reading,
    /// The series under the pointer.
    pointed: Option<usize>,
    /// The position in the window.
    at: (f64, f64),
}

/// Hidden from screen readers, because the slider's own text has the figures.
#[component]
fn TimelineTooltip(props: &TimelineTooltipProps) -> Html {
    let WorkspaceContext { colors, .. } = use_workspace();
    let node = use_node_ref();
    use_effect_with((node.clone(), props.at, props.reading.layers.len()), |(node, (x, y), _)| {
        place(node, &Anchor::Pointer(*x, *y));
    });
    let Some(timeline) = props.answer.get::<Timeline>() else { return Html::default() };
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
