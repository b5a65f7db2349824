//! The timeline as text for screen readers.

use yew::prelude::*;

use crate::ui::views::timeline::controls::short;
use crate::ui::views::timeline::scene::TimelineScene;
use camlscope_engine::query::filter::{Span, When};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::timeline::Graph;
use camlscope_engine::query::timeline::point::TimelinePoint;
use camlscope_present::format;
use camlscope_present::layout::timeline::{LayerReading, Reading, TimeRange, Times};
use camlscope_present::words;
use camlscope_view::page::components::comparison;
use camlscope_view::page::query::event::SharedAnswer;

/// The selected time, each layer's amount at that time, the peak and the selected time range.
pub fn value_text(scene: &TimelineScene, point: Option<&SharedAnswer>, brush: Option<Span>) -> String {
    let (view_state, axes, timeline) = (&scene.workspace.view_state, &scene.axes, scene.timeline());
    let peak = timeline.filter(|_| axes.graph != Graph::Allocated).map_or_else(String::new, |timeline| {
        let (name, trace_peak) = match timeline.filter_peak() {
            Some(_) => {
                let at = axes.time_words(timeline.unfiltered_peak.at_us);
                ("filter’s peak", format!("; trace’s peak at {at}"))
            }
            None => ("peak", String::new()),
        };
        let at = axes.time_words(timeline.peak.at_us);
        format!("; {name} {} at {at}{trace_peak}", axes.amount(timeline.peak.bytes))
    });
    let time = match (view_state.measure, &axes.times) {
        (Measure::Live(When::At(us)), _) => format!("live at {}", axes.time_words(us)),
        (measure @ Measure::Live(_), _) => words::measure::measure(measure),
        (measure, Times::Cpu(_)) => {
            let verb = if measure == Measure::Allocated { "allocated up to" } else { "live at" };
            match view_state.time() {
                When::At(us) => format!("{verb} {}", axes.time_words(us)),
                when => format!("{verb} {}", comparison::time_words(when)),
            }
        }
        _ => "no time selected".to_owned(),
    };
    let marked = timeline.zip(brush).map_or_else(String::new, |(timeline, span)| {
        format!("; selected {}", TimeRange::new(span, timeline, axes.graph).words(axes))
    });
    let figures = scene.time().and(point).and_then(|point| layers(scene, point.get()?));
    let figures = figures.map_or_else(String::new, |figures| format!(", {figures}"));
    format!("{time}{figures}{peak}{marked}")
}

/// The layers' amounts at the selected time, largest first. `None` if the timeline isn't stacked.
fn layers(scene: &TimelineScene, point: &TimelinePoint) -> Option<String> {
    let timeline = scene.timeline()?;
    let reading = Reading::new(timeline, point, &scene.plot?, &scene.axes, scene.cursor_us() as f64)?;
    let layer = |LayerReading { nth, amount }: &LayerReading| {
        timeline.series.get(*nth).map(|series| format!("{} {amount}", short(series)))
    };
    let layers: Vec<String> = reading.layers.iter().rev().filter_map(layer).collect();
    Some(format!("{} total: {}", reading.total, layers.join(", "))).filter(|_| !layers.is_empty())
}

/// The events flagged on the timeline.
pub fn events(profile: &ProfileSummary) -> Html {
    if profile.marks.is_empty() {
        return Html::default();
    }
    let events = profile.marks.iter().map(|mark| {
        html! { <li>{ format!("{} at {} of CPU time", mark.name, format::elapsed_us(mark.at_us)) }</li> }
    });
    html! { <ul class="visually-hidden" aria-label="Program events">{ for events }</ul> }
}
