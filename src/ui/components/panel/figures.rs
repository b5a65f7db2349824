//! The selection's table row, as a list. Unknown figures are shown as a dash, so the list never changes its length.

use yew::prelude::*;

use crate::ui::components::panel::text::{dash, of_all, share_of_total};
use crate::ui::store::view::ViewState;
use camlscope_engine::query::measure::{Measure, Unit};
use camlscope_engine::query::table::{Row, has_few_samples};
use camlscope_present::format::{self, Units};
use camlscope_present::words;

/// Growth is per second and counts objects that were never freed.
pub fn list(row: Option<&Row>, all_bytes: f64, measure: Measure, units: Units) -> Html {
    let (unit, is_growth) = (measure.in_bytes().unit(), measure.is_growth());
    let share = row.filter(|_| all_bytes > 0.0).map(|row| row.total_bytes / all_bytes);
    let error = row.map(|row| units.margin(unit, row.total_bytes, row.total_bytes * row.error.unwrap_or_default()));
    let error = error.unwrap_or_default();
    let bytes = |name, of: fn(&Row) -> f64, more: &str| {
        let value = row.map(of);
        entry(name, value, value.map(|value| format!("{}{more}", units.amount(unit, value))))
    };
    let part = |name, of: fn(&Row) -> f64| {
        entry(name, row.map(of), row.map(|row| format::percent(share_of_total(row, of(row)))))
    };
    let blocks = if is_growth { Unit::BlocksPerSecond } else { Unit::Blocks };
    let lifetime = row.and_then(|row| row.mean_lifetime_us);
    let class =
        classes!("panel-figures", row.is_some_and(|row| has_few_samples(row.total_samples)).then_some("is-faint"));
    html! {
        <dl {class}>
            <div><dt>{ "total" }</dt>{ bytes("selected.total_bytes", |row| row.total_bytes, &error) }</div>
            <div><dt>{ "share of total" }</dt>{ entry("selected.share", share, share.map(format::percent)) }</div>
            <div><dt>{ "self" }</dt>{ bytes("selected.self_bytes", |row| row.self_bytes, "") }</div>
            <div>
                <dt>{ "samples" }</dt>
                { entry("selected.total_samples", row.map(|row| row.total_samples as f64),
                    row.map(|row| format::count(row.total_samples))) }
            </div>
            if !is_growth {
                <div>
                    <dt title="Weighted by bytes. Uncollected objects count until the end.">{ "mean lifetime" }</dt>
                    { entry("selected.mean_lifetime_us", lifetime, lifetime.map(|us| format::duration_us(us.round() as u64))) }
                </div>
                <div><dt>{ "promoted" }</dt>{ part("selected.promoted_bytes", |row| row.promoted_bytes) }</div>
                <div><dt>{ "never freed" }</dt>{ part("selected.end_bytes", |row| row.end_bytes) }</div>
            }
            <div>
                <dt>{ "blocks" }</dt>
                { entry("selected.blocks", row.map(|row| row.blocks), row.map(|row| units.amount(blocks, row.blocks))) }
            </div>
        </dl>
    }
}

/// Like [`list`], but without objects: figures are exact, and there are no lifetimes.
pub fn exact_list(row: Option<&Row>, all_bytes: f64, has_calls: bool, view_state: &ViewState, units: Units) -> Html {
    let share = row.filter(|_| all_bytes > 0.0).map(|row| row.total_bytes / all_bytes);
    let unit = view_state.measure.in_bytes().unit();
    let bytes = |name, of: fn(&Row) -> f64| entry(name, row.map(of), row.map(|row| units.amount(unit, of(row))));
    let count =
        |name, of: fn(&Row) -> f64| entry(name, row.map(of), row.map(|row| format::count(of(row).round() as u64)));
    let total = match view_state.measure {
        Measure::Allocated => "allocated so far".to_owned(),
        Measure::Growth(_) => "growth".to_owned(),
        measure @ Measure::Live(_) => words::measure::measure(measure),
        _ => words::measure::measure(Measure::Live(view_state.time())),
    };
    html! {
        <dl class="panel-figures">
            <div><dt>{ total }</dt>{ bytes("selected.total_bytes", |row| row.total_bytes) }</div>
            <div><dt>{ "share of total" }</dt>{ entry("selected.share", share, share.map(format::percent)) }</div>
            <div><dt>{ "self" }</dt>{ bytes("selected.self_bytes", |row| row.self_bytes) }</div>
            if view_state.measure != Measure::Allocated && !view_state.measure.is_growth() {
                <div><dt>{ "blocks" }</dt>{ count("selected.blocks", |row| row.blocks) }</div>
            }
            if has_calls {
                <div>
                    <dt>{ "calls" }</dt>
                    { count("selected.self_calls", |row| row.self_calls.unwrap_or_default() as f64) }
                </div>
            }
        </dl>
    }
}

/// The tooltip has the exact value.
fn entry(name: &'static str, value: Option<f64>, text: Option<String>) -> Html {
    let exact = value.map(|value| value.to_string());
    html! { <dd data-figure={name} data-value={exact.clone()} title={exact}>{ text.unwrap_or_else(dash) }</dd> }
}

/// Returns the heading, which names the objects that are counted.
pub fn title(view_state: &ViewState) -> String {
    match view_state.measure {
        measure @ Measure::Live(_) => format!("Bytes {}", words::measure::measure(measure)),
        Measure::Promoted => "Promoted".to_owned(),
        Measure::Temporary(_) => "Temporary".to_owned(),
        Measure::Growth(_) => "Growth".to_owned(),
        // The row is in bytes, even if other views count something else.
        Measure::Allocated | Measure::Blocks | Measure::ByteSeconds | Measure::Samples | Measure::Calls => {
            of_all(view_state).to_owned()
        }
    }
}
