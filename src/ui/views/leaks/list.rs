//! The list of sites: a line of figures and a line of reason each. Arrow keys open the neighbour.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};
use yew::prelude::*;

use crate::format;
use crate::layout::{names, spark};
use crate::query::leaks::Site;
use crate::query::tree::Label;
use crate::ui::components::name::breakable;
use crate::ui::store::view::ViewAction;
use crate::ui::views::leaks::verdict::{badge, growth};

/// So many are drawn at first, and with each press for more: what matters stands at the top.
pub const PAGE: usize = 100;
/// In its own units; the style sheet says how large it is.
const SPARK: (f64, f64) = (96.0, 24.0);

/// `promised` is the site that a finding led to by what it keeps.
pub fn list(
    sites: &[Site],
    opened: usize,
    promised: Option<&Label>,
    n_shown: &UseStateHandle<usize>,
    is_profile: bool,
    dispatch: &Callback<ViewAction>,
) -> Html {
    let n = sites.len().min((**n_shown).max(opened + 1));
    let labels: Vec<Label> = sites[..n].iter().map(Site::label).collect();
    let line = |(at, site): (usize, &Site)| {
        let label = labels[at].clone();
        let is_promised = promised == Some(&label);
        let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::OpenLeak(Some(label.clone())));
        row(at, site, (at == opened, is_promised), is_profile, onclick)
    };
    let onkeydown = keys(labels.clone(), opened, dispatch.clone());
    let more = (n < sites.len()).then(|| {
        let n_shown = n_shown.clone();
        let words = format!("{} more…", format::count((sites.len() - n) as u64));
        let onclick = Callback::from(move |_: MouseEvent| n_shown.set(n + PAGE));
        html! { <li><button class="button leaks-more" {onclick}>{ words }</button></li> }
    });
    html! {
        <ol class="leaks-list" aria-label="Sites, those that grow first" {onkeydown}>
            // Screen readers hear what each figure is from the line itself.
            <li class="leak leak-heads" aria-hidden="true">
                <span>{ "Site" }</span><span>{ "Verdict" }</span><span>{ "Live" }</span><span>{ "Growth, end" }</span>
            </li>
            { for sites[..n].iter().enumerate().map(line) }
            { more }
        </ol>
    }
}

fn row(
    at: usize,
    site: &Site,
    (is_open, is_promised): (bool, bool),
    is_profile: bool,
    onclick: Callback<MouseEvent>,
) -> Html {
    let figure = format!("sites.{at}");
    let of = |name: &str| format!("{figure}.{name}");
    html! {
        <li>
            <button id={row_id(at)} class={classes!("leak", is_open.then_some("is-open"))} {onclick}
                tabindex={if is_open { "0" } else { "-1" }} aria-current={is_open.then_some("true")}>
                <span class="leak-name" title={site.name.clone()} data-figure={of("name")} data-value={site.name.clone()}>
                    <b>{ breakable(&names::plain(&site.name)) }</b>{ " " }
                    <span class="leak-place">{ names::place(&site.label()) }</span>
                </span>
                <span class="leak-verdict" data-figure={of("verdict")} data-value={site.verdict.name()}>
                    { badge(site.verdict, is_profile) }
                </span>
                { sparkline(&site.sparkline) }
                <span class="leak-figures">
                    { growth(site, figure.clone(), is_profile) }
                    <span class="leak-end" title={format!("{} bytes at the end", site.end_bytes)}
                        data-figure={of("end_bytes")} data-value={site.end_bytes.to_string()}>
                        <span class={classes!(is_promised.then_some("promised"))}>
                            { format!("{} at the end", format::bytes(site.end_bytes)) }
                        </span>
                    </span>
                </span>
                <span class="leak-reason" data-figure={of("reason")} data-value={site.reason.clone()}>
                    { &site.reason }
                </span>
            </button>
        </li>
    }
}

pub fn sparkline(values: &[f64]) -> Html {
    let view_box = format!("0 0 {} {}", SPARK.0, SPARK.1);
    html! {
        <svg class="spark" viewBox={view_box} preserveAspectRatio="none" aria-hidden="true">
            if let Some((line, area)) = spark::paths(values, SPARK.0, SPARK.1) {
                <path class="curve-area" d={area} />
                <path class="curve-line" d={line} vector-effect="non-scaling-stroke" />
            }
        </svg>
    }
}

fn keys(labels: Vec<Label>, opened: usize, dispatch: Callback<ViewAction>) -> Callback<KeyboardEvent> {
    Callback::from(move |event: KeyboardEvent| {
        let last = labels.len().saturating_sub(1);
        let to = match event.key().as_str() {
            "ArrowDown" => (opened + 1).min(last),
            "ArrowUp" => opened.saturating_sub(1),
            "Home" => 0,
            "End" => last,
            _ => return,
        };
        event.prevent_default();
        dispatch.emit(ViewAction::OpenLeak(Some(labels[to].clone())));
        let row = gloo::utils::document().get_element_by_id(&row_id(to));
        if let Some(row) = row.and_then(|row| row.dyn_into::<HtmlElement>().ok()) {
            let _ = row.focus();
        }
    })
}

fn row_id(at: usize) -> String {
    format!("leak-{at}")
}
