//! Leaks: every allocation site with its verdict, worst first, and one of them at length beside the list.
//!
//! The list is the command line's `leaks`, word for word. Unless another is chosen, the first site is open: from a dropped
//! file to the name of what grows is one click.

mod explainer;
mod list;
mod request;
mod site;
mod thresholds;
mod verdict;

use yew::prelude::*;

use self::request::{grain, view};

use crate::format;
use crate::protocol::{Answer, Question, Request};
use crate::query::leaks::{Leaks, Verdict};
use crate::query::measure::Measure;
use crate::query::statistics;
use crate::ui::components::explainer::{QUESTION, explainer};
use crate::ui::components::grain_select::GrainSelect;
use crate::ui::components::nothing::why_nothing;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::settings::TableSettings;
use crate::ui::store::view::{ViewAction, ViewState};

/// A higher one slows programs down.
const MAX_ADVISED_RATE: f64 = 0.01;

#[component]
pub fn LeaksView() -> Html {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, loaded, .. } = &workspace;
    let config = &view_state.leaks.thresholds;
    let query = use_query(Some(Request { view: view(view_state), question: Question::Leaks(config.clone()) }));
    let n_shown = use_state_eq(|| list::PAGE);
    let leaks = match query.answer.as_deref() {
        Some(Answer::Leaks(leaks)) => Some(leaks),
        _ => None,
    };
    let opened = leaks.and_then(|leaks| opened(leaks, view_state));
    let promised = view_state.shown_finding().and_then(|followed| followed.function.as_ref());
    let body = match (leaks, opened) {
        _ if query.error.is_some() => why_nothing(loaded, &unsearched(view_state), dispatch, query.error.as_ref()),
        (Some(_), None) => why_nothing(loaded, &unsearched(view_state), dispatch, None),
        (Some(leaks), Some(at)) => {
            let label = leaks.sites[at].label();
            // Another site is another piece: no curve of the last one ever stands under its name.
            let key = label.to_text();
            html! {
                <div class="leaks-body">
                    { list::list(&leaks.sites, at, promised, &n_shown, loaded.is_profile(), dispatch) }
                    <site::Opened key={key} workspace={workspace.clone()} site={leaks.sites[at].clone()} {label} />
                </div>
            }
        }
        (None, _) => {
            let share = query.progress.map_or_else(String::new, |share| format!(" {}", format::percent(share)));
            html! { <p class="leaks-waiting" role="status">{ format!("Judging every site…{share}") }</p> }
        }
    };
    let summary = &loaded.main.summary;
    let n_samples = summary.samples.total / u64::from(summary.thinned.unwrap_or(1).max(1));
    html! {
        <div class="leaks-view">
            <div class="leaks-bar">
                <p class="leaks-count" role="status">{ leaks.map(status) }</p>
                <GrainSelect label="What a site is" grain={grain(view_state)} on_select={dispatch.reform(ViewAction::LeakGrain)} />
            </div>
            if loaded.main.growth.is_growing() {
                <p class="provisional" role="note">{ "Provisional: the program is still running, and verdicts may change." }</p>
            }
            if n_samples < config.min_trace_samples && !loaded.is_profile() {
                { inconclusive(n_samples, summary.info.sample_rate) }
            }
            <div class="leaks-helps">
                if loaded.is_profile() {
                    { explainer(QUESTION, explainer::OF_PROFILE, &explainer::SHAPES[..6]) }
                } else {
                    { explainer(QUESTION, explainer::SUMMARY, &explainer::SHAPES) }
                }
                { thresholds::fields(config, loaded.is_profile(), dispatch) }
            </div>
            { body }
        </div>
    }
}

/// The chosen site; else the one that is selected; else the first.
fn opened(leaks: &Leaks, view_state: &ViewState) -> Option<usize> {
    let sites = &leaks.sites;
    let chosen = view_state.leaks.site.as_ref();
    let chosen = chosen.and_then(|label| sites.iter().position(|site| site.label() == *label));
    let selected =
        || view_state.selected.as_ref().and_then(|label| sites.iter().position(|site| site.name == label.name));
    chosen.or_else(selected).or((!sites.is_empty()).then_some(0))
}

/// The search is the table's, and the measure is that of other views.
fn unsearched(view_state: &ViewState) -> ViewState {
    ViewState { table: TableSettings::default(), measure: Measure::Allocated, ..view_state.clone() }
}

fn status(leaks: &Leaks) -> Html {
    let n_growing = leaks.sites.iter().filter(|site| site.verdict == Verdict::Growing).count();
    html! {
        <>
            <b data-figure="n_growing" data-value={n_growing.to_string()}>{ &leaks.conclusion.text }</b>
            <span data-figure="n_sites" data-value={leaks.sites.len().to_string()}>
                { format!(" · {} listed", format::count(leaks.sites.len() as u64)) }
            </span>
        </>
    }
}

/// Too few samples carry no verdict on anything: that is said before all else.
fn inconclusive(n_samples: u64, rate: f64) -> Html {
    let error = statistics::relative_error(n_samples, rate).map_or_else(String::new, |error| {
        format!(" Even the sum of them all has an error of ±{}.", format::percent(error))
    });
    let words = match n_samples {
        1 => "1 sample does not carry a conclusion.".to_owned(),
        n => format!("{} samples do not carry a conclusion.", format::count(n)),
    };
    // A hundred times as many are some thousands, and still cost the program little.
    let advice = if rate < MAX_ADVISED_RATE {
        let better = (rate * 100.0).min(MAX_ADVISED_RATE);
        html! { <p>{ "Sample more often, or for longer: " }<code>{ format!("MEMTRACE=trace.ctf MEMTRACE_RATE={better:.0e} ./program") }</code></p> }
    } else {
        html! { <p>{ "Let the program run for longer." }</p> }
    };
    html! {
        <div class="banner leaks-few" role="note">
            <p>
                <b data-figure="samples.total" data-value={n_samples.to_string()}>{ words }</b>
                { " A site may leak here without a single sample to show for it, and one that seems to grow may do so by chance." }
                { error }
            </p>
            { advice }
        </div>
    }
}
