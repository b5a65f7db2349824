//! Parts shared by the summaries of traces and profiles.

use yew::prelude::*;

use camlscope_engine::query::summary::WarningSummary;
use camlscope_present::format::{self, Units};
use camlscope_present::words::warnings;
use camlscope_view::page::components::facts::Fact;

/// Empty if there are no warnings. Downsampling doesn't count as one.
pub fn flaws(lead: &'static str, warnings: &[WarningSummary], units: Units) -> Html {
    let flaws: Vec<_> = warnings.iter().filter(|warning| warning.kind.as_str() != "thinned").collect();
    html! {
        if !flaws.is_empty() {
            <section class="banner" role="alert" aria-label="Warnings">
                <p><b>{ lead }</b></p>
                <ul class="warnings">{ for flaws.into_iter().map(|flaw| warning(flaw, units)) }</ul>
            </section>
        }
    }
}

fn warning(warning: &WarningSummary, units: Units) -> Html {
    // A warning about the entire file has no offset.
    let place = match (warning.first_offset, warning.count) {
        (0, _) => String::new(),
        (offset, 1) => format!("at byte 0x{offset:x}"),
        (offset, _) => format!("first at byte 0x{offset:x}"),
    };
    html! {
        <li data-warning={warning.kind.as_str()} data-count={warning.count.to_string()}>
            { warnings::text(warning, units) }{ " " }<span class="place">{ place }</span>
        </li>
    }
}

pub fn remark(lead: &'static str, text: String) -> Html {
    html! { <section class="banner banner-info"><p><b>{ lead }</b>{ " " }{ text }</p></section> }
}

/// Says that filters don't apply, if there are any. `whole` is the noun for the file.
pub fn scope(has_filter: bool, whole: &str) -> Html {
    html! {
        if has_filter {
            <p class="sheet-scope" role="note">{ format!("The summary covers the entire {whole}, regardless of filters.") }</p>
        }
    }
}

pub fn headline(fact: &Fact) -> Html {
    html! {
        <div class="headline-figure">
            <dt>{ fact.label }</dt>
            <dd class="figure">
                <span data-figure={fact.figure} data-value={fact.value.clone()}>{ &fact.text }</span>
                if !fact.error.is_empty() {
                    { " " }<span class="error" title={format::MARGIN}>{ &fact.error }</span>
                }
            </dd>
            <dd class="note">{ &fact.note }</dd>
        </div>
    }
}

pub fn card(title: &'static str, body: Html) -> Html {
    html! { <section class="card"><h2>{ title }</h2>{ body }</section> }
}

pub fn rows(facts: &[Fact]) -> Html {
    let row = |fact: &Fact| {
        html! {
            <div class="row">
                <dt>{ fact.label }</dt>
                <dd data-figure={fact.figure} data-value={fact.value.clone()}>{ breakable(&fact.text) }</dd>
            </div>
        }
    };
    html! { <dl class="rows">{ for facts.iter().map(row) }</dl> }
}

/// Lets a long path wrap after a slash or a comma.
fn breakable(text: &str) -> Html {
    text.split_inclusive(['/', '\\', ',']).map(|part| html! { <>{ part }<wbr /></> }).collect()
}
