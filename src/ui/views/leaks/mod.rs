//! Leaks: every allocation site with its verdict, worst first, and one of them at length beside the list.
//!
//! The list is the command line's `leaks`, word for word. Unless another is chosen, the first site is open: from a dropped
//! file to the name of what grows is one click.

mod list;
mod needs;
mod shapes;
mod site;

use web_sys::HtmlSelectElement;
use yew::prelude::*;

use crate::format;
use crate::protocol::{Answer, Channel, Question, Request, View};
use crate::query::findings;
use crate::query::leaks::{Leaks, Site, Verdict};
use crate::query::measure::Measure;
use crate::query::tree::{Grain, Label, Place};
use crate::ui::asking::use_answer;
use crate::ui::look::{GRAINS, Look, Setting, Turn, grain_word, label_of, label_word};
use crate::ui::parts::reading::{QUESTION, reading};
use crate::ui::piece::{Piece, piece};
use crate::ui::views::table::why_nothing;
use crate::ui::workspace::{Work, use_work};

const SITES: Channel = Channel(70);
/// A higher one slows programs down.
const MAX_ADVISED_RATE: f64 = 0.01;

#[derive(PartialEq)]
pub struct LeaksView;

piece!(LeaksView, use_leaks_view());

#[hook]
fn use_leaks_view() -> Html {
    use_work().map_or_else(Html::default, |work| Judged { work }.show())
}

#[derive(PartialEq)]
struct Judged {
    work: Work,
}

piece!(Judged, use_judged);

#[hook]
fn use_judged(props: &Judged) -> Html {
    let Work { look, turn, loaded, .. } = &props.work;
    let config = needs::config_of(look.settings.get(Setting::LeakThresholds));
    let asked = use_answer(SITES, Some(Request { view: view(look), question: Question::Leaks(config.clone()) }));
    let n_shown = use_state_eq(|| list::PAGE);
    let leaks = match asked.answer.as_deref() {
        Some(Answer::Leaks(leaks)) => Some(leaks),
        _ => None,
    };
    let opened = leaks.and_then(|leaks| opened(leaks, look));
    let body = match (leaks, opened) {
        _ if asked.error.is_some() => why_nothing(&unsearched(look), turn, asked.error.as_ref()),
        (Some(_), None) => why_nothing(&unsearched(look), turn, None),
        (Some(leaks), Some(at)) => {
            let label = label_of_site(&leaks.sites[at]);
            // Another site is another piece: no curve of the last one ever stands under its name.
            let key = label_word(&label);
            html! {
                <div class="leaks-body">
                    { list::list(&leaks.sites, at, &n_shown, turn) }
                    { site::Opened { work: props.work.clone(), site: leaks.sites[at].clone(), label }.show_as(key) }
                </div>
            }
        }
        (None, _) => {
            let share = asked.working.map_or_else(String::new, |share| format!(" {}", format::percent(share)));
            html! { <p class="leaks-waiting" role="status">{ format!("Judging every site…{share}") }</p> }
        }
    };
    let summary = &loaded.main.summary;
    let n_samples = summary.samples.total / u64::from(summary.thinned.unwrap_or(1).max(1));
    html! {
        <div class="leaks-view">
            <div class="leaks-bar">
                <p class="leaks-count" role="status">{ leaks.map(status) }</p>
                { by_select(look, turn) }
                { library_button(look, turn) }
            </div>
            if n_samples < config.min_trace_samples {
                { inconclusive(n_samples, summary.info.sample_rate) }
            }
            <div class="leaks-helps">
                { reading(QUESTION, shapes::SUMMARY, &shapes::SHAPES) }
                { needs::fields(&config, turn) }
            </div>
            { body }
        </div>
    }
}

/// What the command line asks: all objects of the filter, whatever the measure.
fn view(look: &Look) -> View {
    View { measure: Measure::Allocated, grain: grain(look), ..look.view() }
}

/// Call sites, as the command line has it. Where the library is hidden, its bytes are those of whole functions.
fn grain(look: &Look) -> Grain {
    let word = look.settings.get(Setting::LeakBy);
    let usual = if hides_library(look) { Grain::Function } else { Grain::Site };
    GRAINS.into_iter().find(|grain| grain_word(*grain) == word).unwrap_or(usual)
}

fn hides_library(look: &Look) -> bool {
    look.filter().clauses.contains(&findings::library())
}

/// The chosen site; else the one that is selected; else the first.
fn opened(leaks: &Leaks, look: &Look) -> Option<usize> {
    let sites = &leaks.sites;
    let chosen = Some(look.settings.get(Setting::LeakSite)).filter(|word| !word.is_empty()).map(label_of);
    let chosen = chosen.and_then(|label| sites.iter().position(|site| label_of_site(site) == label));
    let selected = || look.selected.as_ref().and_then(|label| sites.iter().position(|site| site.name == label.name));
    chosen.or_else(selected).or((!sites.is_empty()).then_some(0))
}

fn label_of_site(site: &Site) -> Label {
    let place = match (site.line, site.start_char, site.end_char) {
        (Some(line), Some(start_char), Some(end_char)) => Some(Place { line, start_char, end_char }),
        _ => None,
    };
    Label { name: site.name.clone(), file: site.file.clone(), place }
}

/// The search and the measure are other views'.
fn unsearched(look: &Look) -> Look {
    Look { search: String::new(), measure: Measure::Allocated, ..look.clone() }
}

fn status(leaks: &Leaks) -> Html {
    let n_growing = leaks.sites.iter().filter(|site| site.verdict == Verdict::Growing).count();
    let is_judged = leaks.sites.iter().any(|site| site.verdict != Verdict::TooFewSamples);
    let grow = match n_growing {
        0 if !is_judged => "Too few samples for any verdict".to_owned(),
        0 => "Nothing grows beyond chance".to_owned(),
        1 => "1 site grows".to_owned(),
        n => format!("{} sites grow", format::count(n as u64)),
    };
    html! {
        <>
            <b data-figure="n_growing" data-value={n_growing.to_string()}>{ grow }</b>
            <span data-figure="n_sites" data-value={leaks.sites.len().to_string()}>
                { format!(" · {} listed", format::count(leaks.sites.len() as u64)) }
            </span>
        </>
    }
}

/// Too few samples carry no verdict on anything: that is said before all else.
fn inconclusive(n_samples: u64, rate: f64) -> Html {
    let error = format::relative_error(n_samples, rate).map_or_else(String::new, |error| {
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

fn by_select(look: &Look, turn: &Callback<Turn>) -> Html {
    let onchange = {
        let turn = turn.clone();
        Callback::from(move |event: Event| {
            let word = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default();
            turn.emit(Turn::Set(Setting::LeakBy, word));
            // A site of one grain is none of another.
            turn.emit(Turn::Set(Setting::LeakSite, String::new()));
        })
    };
    let now = grain(look);
    let option = |grain: Grain| {
        let words = if grain == Grain::Site { "call site" } else { grain_word(grain) };
        html! { <option value={grain_word(grain)} selected={grain == now}>{ format!("by {words}") }</option> }
    };
    html! { <select class="quiet" {onchange} aria-label="What a site is">{ for GRAINS.into_iter().map(option) }</select> }
}

/// The library allocates most of what programs keep; whoever called it is to blame.
fn library_button(look: &Look, turn: &Callback<Turn>) -> Html {
    let at = look.chips.iter().position(|chip| chip.clause == findings::library() && chip.is_on);
    let onclick = turn.reform(move |_: MouseEvent| match at {
        Some(at) => Turn::RemoveChip(at),
        None => Turn::AddClause(findings::library()),
    });
    html! {
        <button class="quiet leaks-library" aria-pressed={at.is_some().to_string()} {onclick}
            title="What OCaml's library allocates counts for the program's function that called it">
            { "count library code for its callers" }
        </button>
    }
}

fn meaning(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Growing => {
            "It has kept more and more until the very end, beyond what chance would do. That is what a leak looks like, but \
             also a cache that is still filling, or work that goes on: the trace does not say whether the program still \
             needs it. Record for longer: a cache levels off, a leak does not."
        }
        Verdict::Bounded => {
            "What comes also goes: it holds about as much at the end as before. It may be large, but it is no leak in this \
             trace. One slower than the trace is long, or smaller than its error, would not be seen."
        }
        Verdict::StartUp => {
            "It was allocated early and kept, as tables and configuration are. It does not grow; whether it must be so large \
             is another question."
        }
        Verdict::Burst => "It came within a short time. It matters for the peak, not for growth.",
        Verdict::TooFewSamples => {
            "No verdict: it may be harmless, or leak slowly. More samples (a higher rate, a longer run) would tell. Read \
             by function or by module, there may be enough of them."
        }
    }
}

/// `growing`, as a badge.
fn badge(verdict: Verdict) -> Html {
    let class = classes!("verdict", (verdict == Verdict::Growing).then_some("verdict-growing"));
    html! { <span {class} data-verdict={verdict.name()}>{ verdict.name() }</span> }
}

/// `802 KiB/s ± 190 KiB/s`, with all digits on hover.
fn growth(site: &Site, figure: String) -> Html {
    let Site { growth_bytes_per_s: growth, growth_error_bytes_per_s: error, .. } = *site;
    html! {
        <span class="leak-growth" title={format!("{growth} ± {error} bytes a second")}>
            <span data-figure={format!("{figure}.growth_bytes_per_s")} data-value={growth.to_string()}>
                { format!("{}/s", format::bytes(growth)) }
            </span>
            <span class="leak-error" data-figure={format!("{figure}.growth_error_bytes_per_s")} data-value={error.to_string()}>
                { format!(" ± {}", format::bytes(error)) }
            </span>
        </span>
    }
}
