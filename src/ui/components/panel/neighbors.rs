//! The largest callers and callees of the selection, with their shares. Clicking one shows it.

use yew::prelude::*;

use crate::ui::components::panel::text::dash;
use camlscope_engine::query::flame::{Branch, Branches};
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::tree::Label;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::names;

/// `found` is `None` until both lists have arrived. Each list is `None` if it isn't available.
pub fn lists(
    found: Option<(Option<&Branches>, Option<&Branches>)>,
    has_samples: bool,
    (unit, units): (Unit, Units),
    on_choice: &Callback<Label>,
) -> Html {
    let Some((callers, callees)) = found else {
        return html! { <div class="panel-lists" aria-busy="true"><p class="panel-muted">{ "Loading callers…" }</p></div> };
    };
    html! {
        <div class="panel-lists">
            { list("Called by", "callers", callers, "no callers", (has_samples, unit, units), on_choice) }
            { list("Calls", "callees", callees, "self", (has_samples, unit, units), on_choice) }
        </div>
    }
}

/// `own` is the label for the part without a caller or callee.
fn list(
    title: &'static str,
    name: &'static str,
    found: Option<&Branches>,
    own: &'static str,
    (has_samples, unit, units): (bool, Unit, Units),
    on_choice: &Callback<Label>,
) -> Html {
    let share = |part: f64| found.filter(|found| found.total > 0.0).map(|found| part / found.total);
    let entry = |branch: &Branch| {
        let label = branch.label.clone();
        let onclick = on_choice.reform(move |_: MouseEvent| label.clone());
        let hint = match has_samples {
            true => format!("{}, {}, {} samples", branch.label.name, units.amount(unit, branch.total), branch.samples),
            false => branch.label.name.clone(),
        };
        html! {
            <li>
                <button class="neighbor" title={hint} {onclick} data-value={branch.total.to_string()}>
                    { bar(share(branch.total), names::plain(&branch.label.name)) }
                </button>
            </li>
        }
    };
    let own_entry = found.filter(|found| found.own > 0.0).map(|found| {
        html! { <li><span class="neighbor neighbor-own">{ bar(share(found.own), own.to_owned()) }</span></li> }
    });
    let n_more = found.map_or(0, |found| found.n_children - found.children.len());
    html! {
        <section class="panel-list" data-list={name}>
            <div class="panel-list-head"><h3>{ title }</h3><span>{ "share" }</span></div>
            <ul>
                { for found.iter().flat_map(|found| &found.children).map(entry) }
                { own_entry }
            </ul>
            if n_more > 0 {
                <p class="panel-muted">{ format!("and {} more", format::count(n_more as u64)) }</p>
            }
            if found.is_none_or(|found| found.total <= 0.0) {
                <p class="panel-muted">{ "none in this view" }</p>
            }
        </section>
    }
}

fn bar(share: Option<f64>, name: String) -> Html {
    let width = format!("{:.2}%", share.unwrap_or(0.0) * 100.0);
    html! {
        <>
            <svg class="bar" aria-hidden="true"><rect {width} height="100%" rx="3" /></svg>
            <span class="neighbor-name">{ name }</span>
            <span>{ share.map_or_else(dash, format::percent) }</span>
        </>
    }
}
