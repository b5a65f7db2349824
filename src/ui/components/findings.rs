//! The findings. Each links to the view that shows it.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_kept_query;
use crate::ui::store::view::{FindingLink, Tab, ViewAction, ViewState};
use camlscope_engine::protocol::{Question, Request, View as Everything};
use camlscope_engine::query::findings::{Finding, Kind, View};
use camlscope_engine::query::tree::Grain;
use camlscope_present::format::{self, Units};
use camlscope_present::words;

#[component]
pub fn Findings() -> Html {
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, units, .. } = use_workspace();
    let noun = capabilities.frame_noun(Grain::Function);
    // Findings cover the entire trace, so they are queried only once.
    let query = use_kept_query(Request { view: Everything::default(), question: Question::Findings });
    let body = match (query.get::<[Finding]>(), &query.error) {
        (_, Some(error)) => html! { <p class="findings-none">{ &error.text }{ " " }{ &error.advice }</p> },
        (Some([]), _) => html! {
            <p class="findings-none">{ format!("No findings: no single {noun} accounts for most of the memory. See \
                Leaks for an upper bound on growth.") }</p>
        },
        (Some(findings), _) => html! {
            <ol class="findings">
                { for findings.iter().enumerate().map(|(at, one)| html! { <li>{ finding(at, one, &view_state, &dispatch, units) }</li> }) }
            </ol>
        },
        _ => html! { <p class="findings-none" role="status">{ "Looking for findings…" }</p> },
    };
    html! {
        <section aria-labelledby="findings-title">
            <h2 id="findings-title">{ "Findings" }</h2>
            if loaded.main.growth.is_growing() {
                <p class="provisional" role="note">{ "Provisional: the program is still running." }</p>
            }
            { body }
        </section>
    }
}

fn finding(
    at: usize,
    finding: &Finding,
    view_state: &Rc<ViewState>,
    dispatch: &Callback<ViewAction>,
    units: Units,
) -> Html {
    let inside = html! {
        <>
            <span class={classes!("finding-kind", (finding.kind() == Kind::Growing).then_some("finding-worst"))}>
                { kind(finding.kind()) }
            </span>
            <span class="finding-words">{ emphasized(&words::findings::headline(finding, units)) }</span>
            <span class="finding-figures">{ figures(at, finding, units) }</span>
        </>
    };
    let data_kind = format!("{:?}", finding.kind());
    let Some((place, tab)) = place(finding.view) else {
        return html! { <div class="finding" data-finding={data_kind}>{ inside }</div> };
    };
    let (filter, function) = (finding.filter.clone(), finding.function_of_figures().cloned());
    let follow = ViewAction::Follow(FindingLink { filter, measure: finding.measure, tab, function });
    let shown = Rc::clone(view_state).reduce(follow.clone());
    let onclick = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: MouseEvent| {
            // With a modifier key, the browser handles the click, for example to open a new tab.
            if event.ctrl_key() || event.meta_key() || event.shift_key() {
                return;
            }
            event.prevent_default();
            dispatch.emit(follow.clone());
            gloo::utils::window().scroll_to_with_x_and_y(0.0, 0.0);
        })
    };
    html! {
        <a class="finding" data-finding={data_kind} href={format!("#{}", shown.to_hash())} {onclick}>
            { inside }
            <span class="finding-place">{ place }{ " " }<span aria-hidden="true">{ "→" }</span></span>
        </a>
    }
}

/// Highlights names, which are in quotes, so that they are easy to spot.
fn emphasized(text: &str) -> Html {
    text.split_inclusive(['“', '”'])
        .map(|part| match part.strip_suffix('”') {
            Some(name) => html! { <><b>{ name }</b>{ "”" }</> },
            None => html! { { part } },
        })
        .collect()
}

fn figures(at: usize, finding: &Finding, units: Units) -> Html {
    let figures = &finding.figures;
    let figure = |name: &str, value: String, text: String| {
        html! { <span data-figure={format!("findings.{at}.figures.{name}")} data-value={value}>{ text }</span> }
    };
    let share = words::findings::share(figures);
    let share =
        figure("share", figures.share.to_string(), format!("{share} {}", words::findings::share_of(figures.share_of)));
    if figures.samples == 0 {
        return share;
    }
    let samples = format!("{} sample{}", format::count(figures.samples), if figures.samples == 1 { "" } else { "s" });
    let growth = figures.bytes_per_second.filter(|_| finding.kind() == Kind::Growing).map(|rate| {
        let text = format!("{}/s", units.bytes(rate));
        html! { <>{ figure("bytes_per_second", rate.to_string(), text) }{ " · " }</> }
    });
    html! {
        <>
            { growth }{ figure("bytes", figures.bytes.to_string(), units.bytes(figures.bytes)) }{ " · " }{ share }{ " · " }
            { figure("samples", figures.samples.to_string(), samples) }
        </>
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::TooFewSamples => "few samples",
        Kind::Growing => "growing",
        Kind::PeakHolder => "peak",
        Kind::Burst => "burst",
        Kind::NeverFreed => "never freed",
        Kind::PromotedDies => "promotion",
        Kind::LargeBlocks => "large blocks",
        Kind::OutsideHeap => "outside the heap",
        Kind::Allocator => "allocation",
        Kind::Rush => "allocation burst",
        Kind::Idle => "idle",
        Kind::Short => "short trace",
    }
}

/// Returns the link's text and the tab it opens. The timeline is visible on every tab.
fn place(view: View) -> Option<(&'static str, Option<Tab>)> {
    let tab = match view {
        View::Summary => return None,
        View::Timeline => return Some(("Timeline", None)),
        View::Table => Tab::Table,
        View::Flame => Tab::Flame,
        View::Histograms => Tab::Histograms,
        View::Leaks => Tab::Leaks,
    };
    Some((tab.title(), Some(tab)))
}
