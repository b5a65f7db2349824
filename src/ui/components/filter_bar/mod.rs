//! The filter bar: what all views show, and how much that is, in one row. For example, "Live at peak, bytes, size ≤ 256
//! words: 31.6 MiB of 32.8 MiB". Each part can be edited in place.

mod chips;
mod compare_sentence;
pub mod editor;
mod name_field;
mod nothing;
mod range;

use std::rc::Rc;

use yew::prelude::*;

use self::chips::Chips;
use self::compare_sentence::CompareFigures;
use self::nothing::Nothing;
use crate::ui::components::filter_peak::use_filter_peak;
use crate::ui::components::select::{Select, SelectProps, prominent_select};
use crate::ui::components::text_field::TextField;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::{QueryContext, use_query, use_query_context};
use crate::ui::store::Loaded;
use crate::ui::store::view::compare::parse_time;
use crate::ui::store::view::{Capabilities, Tab, ViewAction, ViewState};
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::amounts::{Amount, Amounts};
use camlscope_engine::query::filter::{Clause, DiesWithin, When};
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::summary::PeakSummary;
use camlscope_present::format::{self, Units};
use camlscope_present::words::errors::{not_a_time, parse_error};
use camlscope_view::page::components::comparison;
use camlscope_view::page::components::filter_bar::shown_measure::{self, Quantity, ShownMeasure};
use camlscope_view::page::query::hook::QueryState;

const GROWTH_TITLE: &str = "Bytes per second that are never freed";

#[component]
pub fn FilterBar() -> Html {
    let workspace = use_workspace().for_filter_bar();
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, later, .. } = &workspace;
    let is_busy = use_busy();
    let is_comparing = view_state.tab == Tab::Compare;
    // A comparison has its own figures. When it compares two times, the measure is fixed.
    let amounts = use_query((!is_comparing).then(|| view_state.request(Question::Amounts)));
    let whole = use_query(whole(view_state).filter(|_| !is_comparing));
    let filter_peak = use_filter_peak(&workspace).filter(|_| !is_comparing);
    let has_measure = !is_comparing || comparison::shows_both(view_state, loaded);
    let shown = ShownMeasure::of(view_state);
    html! {
        <section class="sentence" aria-label="Measure and filters">
            if is_comparing {
                { compare_sentence::pair(&workspace) }
            }
            if view_state.tab == Tab::Leaks {
                <span class="say-fixed" title={GROWTH_TITLE}>{ "Growth" }</span>
            } else if has_measure {
                { what(&workspace, shown, filter_peak) }
                { time(&workspace, shown) }
                { threshold(&workspace, shown) }
                { unit(&workspace, shown) }
            }
            if is_comparing {
                { compare_sentence::scale(&workspace) }
            }
            <Chips view_state={Rc::clone(view_state)} dispatch={dispatch.clone()} />
            if is_comparing {
                <CompareFigures />
            } else {
                { figures(&workspace, shown, filter_peak, &amounts, &whole) }
            }
            if let Some(later) = later.module() {
                { (later.explanation)(view_state, *capabilities) }
            }
            if is_busy {
                <progress class="working" aria-label="Calculating" />
            }
        </section>
    }
}

/// The total for the share, if the measure doesn't provide it.
fn whole(view_state: &ViewState) -> Option<Request> {
    let filter = ShownMeasure::of(view_state).whole()?;
    Some(Request { view: View { filter, ..view_state.query_view() }, question: Question::Amounts })
}

/// Whether any query is pending.
#[hook]
fn use_busy() -> bool {
    let is_busy = use_state_eq(|| false);
    let QueryContext { client, .. } = use_query_context();
    use_effect_with(client, {
        let is_busy = is_busy.setter();
        move |client| {
            client.set_on_busy(Callback::from(is_busy));
            let client = client.clone();
            move || client.set_on_busy(Callback::noop())
        }
    });
    *is_busy
}

fn what(workspace: &WorkspaceContext, shown: ShownMeasure, filter_peak: Option<PeakSummary>) -> Html {
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, .. } = workspace;
    let measures = quantities(view_state, loaded, shown, filter_peak).into_iter();
    let capabilities = *capabilities;
    let on_what = counting(view_state, shown, dispatch, move |what| (what, unit_of(what, shown, capabilities)));
    let measures = measures.map(|(what, text)| (what, text.into())).collect();
    let title = match shown.what {
        Quantity::Growth => Some(AttrValue::Static(GROWTH_TITLE)),
        Quantity::Temporary(_) => Some(AttrValue::Static("Collected soon after allocation")),
        _ => None,
    };
    html! { <Select {title} is_prominent=true ..SelectProps::of("Measure", measures, &shown.what, on_what) /> }
}

/// Returns each measure with its name, whether it is shown, and the action that shows it.
pub fn measure_actions(view_state: &Rc<ViewState>, loaded: &Loaded) -> Vec<(&'static str, bool, ViewAction)> {
    let (shown, capabilities) = (ShownMeasure::of(view_state), loaded.main.capabilities);
    let action = |(what, text)| {
        let (measure, chips) = shown.with(view_state, what, unit_of(what, shown, capabilities));
        (text, what == shown.what, ViewAction::Count { measure, chips })
    };
    quantities(view_state, loaded, shown, None).into_iter().map(action).collect()
}

/// The same for the units of the shown measure.
pub fn unit_actions(view_state: &ViewState, capabilities: Capabilities) -> Vec<(&'static str, bool, ViewAction)> {
    let shown = ShownMeasure::of(view_state);
    let action = |&(unit, text): &(Unit, &'static str)| {
        let (measure, chips) = shown.with(view_state, shown.what, unit);
        (text, unit == shown.unit, ViewAction::Count { measure, chips })
    };
    match units_of(shown, capabilities) {
        [_] => Vec::new(),
        units => units.iter().map(action).collect(),
    }
}

/// Without objects, block counts are known only for live memory.
fn unit_of(what: Quantity, shown: ShownMeasure, Capabilities { has_objects, .. }: Capabilities) -> Unit {
    let in_bytes = !has_objects && !matches!(what, Quantity::Live(_)) || shown.unit == Unit::Calls;
    if in_bytes { Unit::Bytes } else { shown.unit }
}

/// Returns the measures to choose from, with their names.
fn quantities(
    view_state: &ViewState,
    loaded: &Loaded,
    shown: ShownMeasure,
    filter_peak: Option<PeakSummary>,
) -> Vec<(Quantity, &'static str)> {
    let is_comparing = view_state.tab == Tab::Compare;
    let peak = match filter_peak {
        _ if is_comparing => "Live at the peak of each",
        Some(_) => "Live at the trace’s peak",
        None => "Live at peak",
    };
    let filter_peak = filter_peak.map(|peak| When::At(peak.at_us));
    let time = match shown.what {
        Quantity::Live(when @ When::At(_)) if Some(when) != filter_peak => when,
        _ => When::At(loaded.main.summary.peak.at_us),
    };
    let mut measures = vec![(Quantity::Live(When::Peak), peak)];
    measures.extend(filter_peak.map(|peak| (Quantity::Live(peak), "Live at the filter’s peak")));
    measures.extend([
        // Once selected, the time is in a field next to it.
        (Quantity::Live(time), if shown.what == Quantity::Live(time) { "Live at" } else { "Live at a time" }),
        (Quantity::Live(When::End), if is_comparing { "Live at the end of each" } else { "Live at end" }),
    ]);
    let Capabilities { has_objects, has_snapshots, has_calls, .. } = loaded.main.capabilities;
    measures.push((Quantity::Allocated, if has_snapshots { "Allocated so far" } else { "Allocated" }));
    if has_objects {
        let within = match shown.what {
            Quantity::Temporary(within) => within,
            _ => DiesWithin::default(),
        };
        measures.extend([
            (Quantity::Promoted, "Promoted"),
            // Once selected, the threshold is in a field next to it.
            (Quantity::Temporary(within), "Temporary"),
            (Quantity::ByteSeconds, "Bytes × lifetime"),
        ]);
    }
    measures.push((Quantity::Growth, "Growth"));
    measures.extend(has_calls.then_some((Quantity::Calls, "Calls")));
    measures
}

/// The field for the time.
fn time(WorkspaceContext { view_state, dispatch, capabilities, .. }: &WorkspaceContext, shown: ShownMeasure) -> Html {
    let Quantity::Live(when @ When::At(_)) = shown.what else {
        return Html::default();
    };
    let value = Clause::LiveAt(when).value();
    let on_commit = {
        let (view_state, dispatch) = (Rc::clone(view_state), dispatch.clone());
        Callback::from(move |typed: String| {
            let when = parse_time(&typed).ok_or_else(|| not_a_time(&typed))?;
            let (measure, chips) = shown.with(&view_state, Quantity::Live(when), shown.unit);
            dispatch.emit(ViewAction::Count { measure, chips });
            Ok(())
        })
    };
    let label = match capabilities.has_snapshots {
        true => "CPU time, such as 2.5s. Shows the snapshot before it.",
        false => "Time, such as 2.5s",
    };
    html! { <TextField class="field say-time" {label} {value} {on_commit} /> }
}

/// The field for the threshold of temporary allocations.
fn threshold(WorkspaceContext { view_state, dispatch, .. }: &WorkspaceContext, shown: ShownMeasure) -> Html {
    let Quantity::Temporary(within) = shown.what else {
        return Html::default();
    };
    let value = Clause::Temporary(within).value();
    let on_commit = {
        let (view_state, dispatch) = (Rc::clone(view_state), dispatch.clone());
        Callback::from(move |typed: String| {
            let Clause::Temporary(within) =
                Clause::parse("temporary", typed.trim()).map_err(|error| parse_error(&error))?
            else {
                return Ok(());
            };
            let (measure, chips) = shown.with(&view_state, Quantity::Temporary(within), shown.unit);
            dispatch.emit(ViewAction::Count { measure, chips });
            Ok(())
        })
    };
    let label = "Collected within a time (10ms) or further allocation (4MiB)";
    html! {
        <>
            <span class="say-quiet" aria-hidden="true">{ "within" }</span>
            <TextField class="field say-time" {label} {value} {on_commit} />
        </>
    }
}

fn unit(WorkspaceContext { view_state, dispatch, capabilities, .. }: &WorkspaceContext, shown: ShownMeasure) -> Html {
    if shown.what == Quantity::Calls {
        return Html::default();
    }
    let units = units_of(shown, *capabilities);
    if shown.unit == Unit::ByteSeconds {
        let title = "Divide by the trace's duration to get the mean live size";
        return html! { <span class="say-fixed" {title}>{ "byte-seconds" }</span> };
    }
    let choices = units.iter().map(|(unit, text)| (*unit, (*text).into())).collect();
    let on_unit = counting(view_state, shown, dispatch, move |unit| (shown.what, unit));
    match units {
        [(_, only)] => html! { <span class="say-fixed">{ *only }</span> },
        _ => prominent_select("Unit", choices, &shown.unit, on_unit),
    }
}

/// Returns the units that the shown measure can be counted in.
fn units_of(shown: ShownMeasure, capabilities: Capabilities) -> &'static [(Unit, &'static str)] {
    const ALL_UNITS: [(Unit, &str); 3] = [(Unit::Bytes, "bytes"), (Unit::Blocks, "blocks"), (Unit::Samples, "samples")];
    match shown.what {
        Quantity::Calls | Quantity::ByteSeconds => &ALL_UNITS[..1],
        _ if capabilities.has_samples => &ALL_UNITS,
        Quantity::Allocated | Quantity::Growth => &ALL_UNITS[..1],
        _ => &ALL_UNITS[..2],
    }
}

fn counting<T: 'static>(
    view_state: &Rc<ViewState>,
    shown: ShownMeasure,
    dispatch: &Callback<ViewAction>,
    chosen: impl Fn(T) -> (Quantity, Unit) + 'static,
) -> Callback<T> {
    let (view_state, dispatch) = (Rc::clone(view_state), dispatch.clone());
    Callback::from(move |choice: T| {
        let (what, unit) = chosen(choice);
        let (measure, chips) = shown.with(&view_state, what, unit);
        dispatch.emit(ViewAction::Count { measure, chips });
    })
}

/// The amount, or why it is zero.
fn figures(
    workspace: &WorkspaceContext,
    shown: ShownMeasure,
    filter_peak: Option<PeakSummary>,
    query: &QueryState,
    whole: &QueryState,
) -> Html {
    let body = match (&query.error, query.get::<Amounts>()) {
        (Some(error), _) => html! {
            <span class="say-error" data-error={error.kind.clone()}>{ &error.text }{ " " }{ &error.advice }</span>
        },
        (None, Some(amounts)) => {
            let amounts = match whole.get::<Amounts>() {
                Some(whole) if shown.implied_chip.is_some() => shown_measure::of_whole(*amounts, whole.passing),
                _ => *amounts,
            };
            match amounts.passing.samples {
                // The Leaks tab shows its own message, for its own time range.
                0 if workspace.view_state.tab == Tab::Leaks => Html::default(),
                0 => html! { <Nothing {filter_peak} /> },
                _ => amounts_in_words(&amounts, workspace),
            }
        }
        _ => html! { <span>{ "Counting…" }</span> },
    };
    html! { <p class="say-figures" role="status" data-waiting={query.is_waiting.to_string()}>{ body }</p> }
}

fn amounts_in_words(amounts: &Amounts, workspace: &WorkspaceContext) -> Html {
    let WorkspaceContext { view_state, capabilities, units, .. } = workspace;
    let Amounts { unit, passing, whole, .. } = amounts;
    let is_promised = view_state.shown_finding().is_some_and(|followed| followed.function.is_none());
    let is_all = passing.objects == whole.objects;
    html! {
        <>
            <b class={classes!(is_promised.then_some("promised"))} data-figure="passing.passing.value"
                data-value={passing.value.to_string()} title={exact(*unit, passing.value)}>
                { shown_measure::amount(*unit, passing.value, *units) }
            </b>
            <span hidden={is_all}>
                { " of " }
                <span data-figure="passing.whole.value" data-value={whole.value.to_string()}
                    title={exact(*unit, whole.value)}>{ shown_measure::amount(*unit, whole.value, *units) }</span>
                { " · " }
                <span data-figure="passing.share_error" data-value={amounts.share_error.unwrap_or_default().to_string()}
                    title="Share that passes the filter">{ shown_measure::share(amounts) }</span>
            </span>
            if is_all {
                { error_in_words(*unit, passing, *units) }
            }
            <span class="say-samples" hidden={unit.counted() == Unit::Samples || !capabilities.has_samples}>
                { " · " }
                <span data-figure="passing.passing.samples" data-value={passing.samples.to_string()}>
                    { shown_measure::samples(passing.samples) }
                </span>
            </span>
        </>
    }
}

fn error_in_words(unit: Unit, amount: &Amount, units: Units) -> Html {
    let margin = units.margin(unit, amount.value, amount.value * amount.error.unwrap_or_default());
    html! { <span title={format::MARGIN}>{ margin }</span> }
}

/// The exact value, for tooltips.
fn exact(unit: Unit, value: f64) -> String {
    let noun = unit.counted().name();
    match unit.is_per_second() {
        true => format!("{} {noun} per second", format::decimal(value)),
        false => format!("{} {noun}", format::count(value.round() as u64)),
    }
}
