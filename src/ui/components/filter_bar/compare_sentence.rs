//! The Compare tab's version of the filter bar: "Compare trace A with trace B, live at the peak of each, in bytes", or
//! "Compare A 30 s with B end", followed by the totals of both sides.

use yew::prelude::*;

use crate::ui::components::select::{SelectOption, prominent_select};
use crate::ui::components::text_field::TextField;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::compare::{CompareAction, ComparePair, SCALES, parse_time, scale_text, time_text};
use crate::ui::store::view::{Capabilities, ViewAction};
use camlscope_engine::protocol::Question;
use camlscope_engine::query::compare::{Change, Comparison, Scale, Sum, Verdict};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::statistics;
use camlscope_engine::query::summary::Summary;
use camlscope_present::format::Units;
use camlscope_present::words::errors::not_a_time;
use camlscope_view::page::components::comparison::{self, compared, signed, suggested_pairs};
use camlscope_view::page::query::hook::QueryState;

/// The choice of what to compare.
pub fn pair(workspace: &WorkspaceContext) -> Html {
    let WorkspaceContext { view_state, dispatch, loaded, .. } = workspace;
    let now = compared(view_state, loaded);
    let mut pairs = suggested_pairs(view_state, loaded);
    if !pairs.iter().any(|(pair, _)| *pair == now) {
        pairs.push((now, "two points in time".to_owned()));
    }
    let pairs = pairs.into_iter().map(|(pair, words)| (pair, SelectOption::new(pair.to_string(), words))).collect();
    let on_pair = dispatch.reform(|pair| ViewAction::Compare(CompareAction::Pair(pair)));
    let fields = match now {
        ComparePair::Traces => Html::default(),
        ComparePair::Times { before, after } => html! {
            <>
                <span>{ "live at" }</span>
                { time("A", before, dispatch, move |before| ComparePair::Times { before, after }) }
                <span aria-hidden="true">{ "→" }</span>
                { time("B", after, dispatch, move |after| ComparePair::Times { before, after }) }
            </>
        },
    };
    html! {
        <>
            { prominent_select("Comparison", pairs, &now, on_pair) }
            { fields }
        </>
    }
}

/// The choice of how to scale the figures of two traces.
pub fn scale(workspace: &WorkspaceContext) -> Html {
    let WorkspaceContext { view_state, dispatch, loaded, .. } = workspace;
    if compared(view_state, loaded) != ComparePair::Traces {
        return Html::default();
    }
    let option = |scale: Scale| {
        let words = match scale {
            Scale::AsIs => "unscaled",
            Scale::PerSecond => "per second",
            Scale::PerAllocated => "per MiB allocated",
        };
        // Live bytes don't grow with elapsed time.
        let is_disabled = scale == Scale::PerSecond && view_state.query_view().is_stock();
        (scale, SelectOption { is_disabled, ..SelectOption::new(scale_text(scale), words) })
    };
    let now = comparison::scale(view_state, ComparePair::Traces);
    let on_scale = dispatch.reform(|scale| ViewAction::Compare(CompareAction::Scale(scale)));
    prominent_select("Scale", SCALES.map(option).into(), &now, on_scale)
}

/// A text field for a point in time.
fn time(
    name: &'static str,
    when: When,
    dispatch: &Callback<ViewAction>,
    with: impl Fn(When) -> ComparePair + 'static,
) -> Html {
    let on_commit = {
        let dispatch = dispatch.clone();
        Callback::from(move |typed: String| {
            let when = parse_time(&typed).ok_or_else(|| not_a_time(&typed))?;
            dispatch.emit(ViewAction::Compare(CompareAction::Pair(with(when))));
            Ok(())
        })
    };
    let class = if name == "A" { "ab ab-a" } else { "ab ab-b" };
    let label = format!("Time {name}, such as 2.5s, peak or end");
    html! {
        <span class="say-ab">
            <span {class} aria-hidden="true">{ name }</span>
            <TextField class="field say-time" {label} value={time_text(when)} {on_commit} />
        </span>
    }
}

/// The totals of both sides.
#[component]
pub fn CompareFigures() -> Html {
    let WorkspaceContext { view_state, loaded, capabilities, units, .. } = use_workspace();
    let pair = compared(&view_state, &loaded);
    // Only the totals are needed. With `Sum::Own` they take a single pass.
    let config = comparison::config(&view_state, pair, Sum::Own, 0);
    let question = Question::Compare { versus: comparison::versus(&view_state, pair), config };
    let query = use_query(Some(comparison::request(&view_state, pair, question)));
    let after = match (pair, &loaded.other) {
        (ComparePair::Traces, Some(other)) => &other.summary,
        _ => &loaded.main.summary,
    };
    html! {
        <p class="say-figures" role="status" data-waiting={query.is_waiting.to_string()}>
            { figures(&query, &loaded.main.summary, after, (capabilities, units)) }
        </p>
    }
}

fn figures(query: &QueryState, before: &Summary, after: &Summary, shown: (Capabilities, Units)) -> Html {
    match (&query.error, query.get()) {
        (Some(error), _) => html! {
            <span class="say-error" data-error={error.kind.clone()}>{ &error.text }{ " " }{ &error.advice }</span>
        },
        (None, Some(comparison)) => in_words(comparison, before, after, shown),
        _ => html! { <span>{ "Comparing…" }</span> },
    }
}

/// Returns `A 32.8 MiB ±1.6 → B 41.9 MiB ±1.8 · +9.1 MiB ±2.4, significant`.
fn in_words(
    comparison: &Comparison,
    before: &Summary,
    after: &Summary,
    (capabilities, units): (Capabilities, Units),
) -> Html {
    let (unit, all) = (comparison.unit, &comparison.all);
    let suffix = comparison.scale.suffix();
    let side = |name: &str, value: f64, samples: u64, of: &Summary| {
        let error = statistics::relative_margin(samples, of.kept_rate()).map_or(0.0, |error| error * value);
        let error = units.margin(unit, value, error);
        html! { <><b>{ format!("{name} {}{suffix}", units.amount(unit, value)) }</b>{ error }</> }
    };
    html! {
        <>
            { side("A", all.before, all.samples_before, before) }
            { " → " }
            { side("B", all.after, all.samples_after, after) }
            { " · " }
            <b class={change_class(all)} data-figure="compare.change" data-value={all.change.to_string()}>
                { signed((unit, units), suffix, all.change, all.error) }
            </b>
            if capabilities.has_samples {
                { format!(", {}", sureness(all.verdict)) }
            }
        </>
    }
}

fn change_class(all: &Change) -> Option<&'static str> {
    all.verdict.is_significant().then_some(if all.change < 0.0 { "change-less" } else { "change-more" })
}

fn sureness(verdict: Verdict) -> &'static str {
    if verdict.is_significant() { "significant" } else { verdict.as_str() }
}
