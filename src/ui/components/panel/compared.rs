//! The selection on both sides of a comparison. It may be on one side only, so nothing here is about a single trace.

use yew::prelude::*;

use crate::ui::components::location::Location;
use crate::ui::components::name::breakable;
use crate::ui::components::panel::text::dash;
use crate::ui::components::panel::{actions, close_button, place_text};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::compare::ComparePair;
use camlscope_engine::protocol::Question;
use camlscope_engine::query::compare::{Change, Comparison, Sum};
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::tree::Label;
use camlscope_present::format::Units;
use camlscope_present::layout::names;
use camlscope_view::page::components::comparison;
use camlscope_view::page::components::panel::subject::Subject;
use camlscope_view::page::views::compare::words;

/// As many as in the table of changes.
const MAX_ROWS: usize = 10_000;

#[derive(Properties, PartialEq)]
pub struct ComparedProps {
    pub label: Label,
}

#[component]
pub fn Compared(props: &ComparedProps) -> Html {
    let label = &props.label;
    let workspace = use_workspace();
    let WorkspaceContext { view_state, loaded, dispatch, capabilities, units, .. } = &workspace;
    let pair = comparison::compared(view_state, loaded);
    let request = |sum| {
        let config = comparison::config(view_state, pair, sum, MAX_ROWS);
        let question = Question::Compare { versus: comparison::versus(view_state, pair), config };
        comparison::request(view_state, pair, question)
    };
    let total = use_query(Some(request(Sum::Total)));
    let own = use_query(Some(request(Sum::Own)));
    let subject = Subject::new(label, view_state.grain);
    let change_of = |comparison: Option<&Comparison>| -> Option<Change> {
        comparison?.rows.iter().find(|row| row.label == *label).map(|row| row.change)
    };
    let (unit, suffix) = total.get::<Comparison>().map_or((Unit::Bytes, ""), |all| (all.unit, all.scale.suffix()));
    let change = change_of(total.get());
    let own_change = change_of(own.get());
    let has_no_own = change.is_some() && own_change.is_none() && own.get::<Comparison>().is_some();
    let is_gone = change.is_none() && !total.is_waiting && (total.answer.is_some() || total.error.is_some());
    let format = Format { unit, units: *units, suffix, has_samples: capabilities.has_samples };
    html! {
        <>
            <div class="panel-head">
                <h2 class="panel-name" title={label.name.clone()} data-figure="selected.name"
                    data-value={label.name.clone()}>{ breakable(&names::plain(&label.name)) }</h2>
                { close_button(dispatch) }
            </div>
            <p class="panel-file" title={label.exact_location()}>
                <Location label={label.clone()} text={place_text(label, subject.grain)} />
            </p>
            <p>{ change.map(|change| verdict(&change, format.has_samples)) }</p>
            { actions(&subject, view_state, dispatch, false) }
            if is_gone {
                <p class="panel-gone">{ "No data on either side with this filter." }</p>
            }
            <h3>{ about(pair) }</h3>
            { figures("compared.total", "Total", change, &format) }
            if has_no_own {
                <p class="panel-muted">{ "Allocates nothing itself." }</p>
            } else {
                { figures("compared.self", "Self", own_change, &format) }
            }
        </>
    }
}

struct Format {
    unit: Unit,
    units: Units,
    suffix: &'static str,
    has_samples: bool,
}

fn about(pair: ComparePair) -> String {
    match pair {
        ComparePair::Traces => "A (before) and B (after)".to_owned(),
        ComparePair::Times { before, after } => {
            format!("{} and {}", comparison::time_words(before), comparison::time_words(after))
        }
    }
}

fn verdict(change: &Change, has_samples: bool) -> Html {
    html! {
        <>
            <span class={words::verdict_class(change.verdict)}>
                { words::verdict(change.verdict, change.change, !has_samples) }
            </span>
            { words::factor(change).map(|factor| format!(" {factor}")) }
        </>
    }
}

/// Figures that aren't known yet are a dash, so the list keeps its length.
fn figures(name: &'static str, title: &'static str, change: Option<Change>, format: &Format) -> Html {
    let Format { unit, units, suffix, has_samples } = *format;
    let entry = |what: &'static str, figure: &'static str, value: Option<f64>, text: Option<String>| {
        let exact = value.map(|value| value.to_string());
        html! {
            <div>
                <dt>{ what }</dt>
                <dd data-figure={format!("{name}.{figure}")} data-value={exact.clone()} title={exact}>
                    { text.unwrap_or_else(dash) }
                </dd>
            </div>
        }
    };
    let amount = |value: f64| format!("{}{suffix}", units.amount(unit, value));
    let of = |value: fn(&Change) -> f64| change.as_ref().map(value);
    let (before, after) = (of(|change| change.before), of(|change| change.after));
    html! {
        <>
            <h4>{ title }</h4>
            <dl class="panel-figures">
                { entry("A (before)", "before", before, before.map(amount)) }
                { entry("B (after)", "after", after, after.map(amount)) }
                { entry("change", "change", of(|change| change.change),
                    change.map(|change| with_margin(words::row_change((unit, units), suffix, &change)))) }
                if has_samples {
                    { entry("samples", "samples_after", of(|change| change.samples_after as f64),
                        change.map(|change| words::samples(change.samples_before, change.samples_after))) }
                }
            </dl>
        </>
    }
}

fn with_margin((change, margin): (String, String)) -> String {
    format!("{change} {margin}").trim().to_owned()
}
