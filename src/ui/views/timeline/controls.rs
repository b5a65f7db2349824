//! The controls above the timeline: its legend and settings.

use std::iter;

use yew::prelude::*;

use crate::ui::components::select::{SelectOption, options, select};
use crate::ui::components::text_field::TextField;
use crate::ui::context::WorkspaceContext;
use crate::ui::store::view::settings::{Layers, TimelineSettings};
use crate::ui::store::view::{Capabilities, ViewAction, ViewState};
use crate::ui::views::timeline::swatch::Swatch;
use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, NameTest, When, WhichFrame};
use camlscope_engine::query::label::NO_FRAME;
use camlscope_engine::query::timeline::{By, Graph, Series, SeriesOf, Timeline};
use camlscope_engine::query::tree::Grain;
use camlscope_present::layout::draw::Paint;
use camlscope_present::layout::flame::title;
use camlscope_present::layout::timeline::{Plot, paint_of};
use camlscope_present::words::errors::not_a_time_range;

/// Lower layers can't be seen.
const LEAST_LAYER_PX: f64 = 2.0;

/// The color and name of each visible layer, largest first. A click filters by the layer, or for snapshots shows its
/// callers.
pub fn legend(timeline: Option<&Timeline>, plot: Option<&Plot>, workspace: &WorkspaceContext) -> Html {
    let WorkspaceContext { capabilities, colors, dispatch, .. } = workspace;
    // Reserve the space before the layers arrive, so that nothing moves.
    let Some(timeline) = timeline.filter(|timeline| !timeline.series.is_empty()) else {
        return html! { <div class="legend" /> };
    };
    let entry = |(nth, series): (usize, &Series)| {
        let swatch = html! { <Swatch paint={paint_of(nth, series, colors)} /> };
        match action_of(series, *capabilities) {
            Some(action) => {
                let title = match action {
                    ViewAction::Descend(_) => format!("Show callers of {}", series.name),
                    _ => format!("Show only {}", series.name),
                };
                let onclick = dispatch.reform(move |_: MouseEvent| action.clone());
                html! { <button class="legend-entry" {title} {onclick}>{ swatch }{ short(series) }</button> }
            }
            None => html! { <span class="legend-entry">{ swatch }{ short(series) }</span> },
        }
    };
    let is_visible = |series: &Series| {
        let most = series.live_last.iter().copied().fold(0.0, f64::max);
        plot.is_none_or(|plot| plot.y(0.0) - plot.y(most) >= LEAST_LAYER_PX)
    };
    let (others, frames): (Vec<_>, Vec<_>) =
        timeline.series.iter().enumerate().partition(|(_, series)| matches!(series.of, SeriesOf::Others { .. }));
    let (shown, hidden): (Vec<_>, Vec<_>) = frames.into_iter().partition(|(_, series)| is_visible(series));
    let n_merged = others.iter().map(|(_, series)| if let SeriesOf::Others { n } = series.of { n } else { 0 });
    let n_others = hidden.len() + n_merged.sum::<usize>();
    html! {
        <div class="legend" role="group" aria-label="Layers, largest first">
            { for shown.into_iter().map(entry) }
            if n_others > 0 {
                <span class="legend-entry legend-others"><Swatch paint={Paint::Rest} />{ others_words(n_others) }</span>
            }
        </div>
    }
}

fn others_words(n: usize) -> String {
    format!("{n} other{}", if n == 1 { "" } else { "s" })
}

pub fn short(series: &Series) -> String {
    match &series.of {
        SeriesOf::Frame(label) if label.name == NO_FRAME => "no callers".to_owned(),
        SeriesOf::Frame(label) => title(label),
        SeriesOf::Others { n } => others_words(*n),
        SeriesOf::Heap(_) | SeriesOf::Domain(_) | SeriesOf::Unknown => series.name.clone(),
    }
}

/// Returns the action of a click on a layer, or `None` if the layer isn't a part of the program.
pub fn action_of(series: &Series, capabilities: Capabilities) -> Option<ViewAction> {
    match &series.of {
        SeriesOf::Frame(label) if label.name == NO_FRAME => None,
        SeriesOf::Frame(label) if capabilities.has_snapshots && !label.file.is_empty() => {
            Some(ViewAction::Descend(label.name.clone()))
        }
        _ => focus_clause(series).map(ViewAction::AddClause),
    }
}

fn focus_clause(series: &Series) -> Option<Clause> {
    match &series.of {
        SeriesOf::Heap(heap) => Some(Clause::Heap(vec![*heap])),
        SeriesOf::Domain(id) => Some(Clause::Domain(vec![*id])),
        SeriesOf::Frame(label) => {
            let part = match (label.place, label.file.is_empty()) {
                (None, true) if label.name.contains(".ml") => FrameField::File,
                (None, true) => FrameField::Module,
                _ => FrameField::Function,
            };
            let (name, which) = (NameTest::is(&label.name), WhichFrame::Responsible);
            Some(Clause::Frame(FrameTest { part, name, not: false, which }))
        }
        SeriesOf::Others { .. } | SeriesOf::Unknown => None,
    }
}

/// For snapshots: which of the three graphs to draw, and which measure all views show.
pub fn graph_switch(view_state: &ViewState, dispatch: &Callback<ViewAction>) -> Html {
    let button = |graph: Graph, text: &'static str, title: &'static str| {
        let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::Graph(graph));
        let is_shown = view_state.graph() == graph;
        html! { <button class="quiet" aria-pressed={is_shown.to_string()} {title} {onclick}>{ text }</button> }
    };
    html! {
        <span class="switch timeline-graphs" role="group" aria-label="Graph">
            { button(Graph::LiveBytes, "Live bytes", "Live bytes at each snapshot") }
            { button(Graph::LiveBlocks, "Live blocks", "Live blocks at each snapshot") }
            { button(Graph::Allocated, "Allocated so far", "Total allocated up to each snapshot") }
        </span>
    }
}

/// One button, or two if the filtered objects peak at a different time than the trace.
pub fn peak_buttons(has_snapshots: bool, filter_peak_us: Option<u64>, dispatch: &Callback<ViewAction>) -> Html {
    let button = |when: When, text: &'static str, title: &'static str| {
        let onclick = dispatch.reform(move |_: MouseEvent| match has_snapshots {
            true => ViewAction::MoveTime(when),
            false => ViewAction::ChooseTime(when),
        });
        html! { <button class="quiet" {onclick} {title}>{ text }</button> }
    };
    match filter_peak_us {
        None => button(When::Peak, "peak", "Show live bytes at the peak"),
        Some(us) => html! {
            <>
                { button(When::Peak, "trace’s peak", "Show live bytes at the peak of the trace") }
                { button(When::At(us), "filter’s peak", "Show live bytes at the peak of filtered objects") }
            </>
        },
    }
}

/// The selected time range as a text field.
pub fn brush_fields(view_state: &ViewState, dispatch: &Callback<ViewAction>) -> Html {
    let Some(at) = view_state.chips.iter().position(|chip| chip.is_on && matches!(chip.clause, Clause::Allocated(_)))
    else {
        return Html::default();
    };
    let value = view_state.chips[at].clause.value();
    let on_commit = {
        let dispatch = dispatch.clone();
        Callback::from(move |typed: String| {
            let clause = Clause::parse("allocated", typed.trim()).map_err(|_| not_a_time_range(&typed))?;
            dispatch.emit(ViewAction::SetChip(at, clause));
            Ok(())
        })
    };
    let clear = dispatch.reform(move |_: MouseEvent| ViewAction::RemoveChip(at));
    html! {
        <span class="brush-fields">
            <TextField class="brush-input" {value} {on_commit} label="Selected time range, such as 1s..2s" />
            <button class="quiet" onclick={clear} aria-label="Clear selection">{ "×" }</button>
        </span>
    }
}

pub fn stack_select(settings: &TimelineSettings, capabilities: Capabilities, dispatch: &Callback<ViewAction>) -> Html {
    let is_offered = |by: &By| capabilities.has_objects || matches!(by, By::Grain(_));
    let option = |by: By| {
        let noun = match by {
            By::Grain(grain @ Grain::Function) => capabilities.frame_noun(grain),
            by => by.as_str(),
        };
        (Some(by), SelectOption::new(by.as_str(), format!("stacked by {noun}")))
    };
    let choices = iter::once((None, "total".into())).chain(By::ALL.into_iter().filter(is_offered).map(option));
    let on_choice = dispatch.reform(move |by: Option<By>| {
        ViewAction::StackBy(match by {
            None => Layers::Total,
            by if by == Layers::Usual.by(capabilities) => Layers::Usual,
            Some(by) => Layers::By(by),
        })
    });
    select("Stack by", choices.collect(), &settings.layers.by(capabilities), on_choice)
}

pub fn clock_select(settings: &TimelineSettings, dispatch: &Callback<ViewAction>, start_us: u64) -> Html {
    // An anonymized trace has no start time.
    if start_us == 0 {
        return Html::default();
    }
    let clocks = options(&[(false, "elapsed", "elapsed"), (true, "wall", "time of day (UTC)")]);
    select("Time axis", clocks, &settings.wall_clock, dispatch.reform(ViewAction::WallClock))
}
