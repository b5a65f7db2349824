//! Whether the selection grows, by how much, and its share of the heap's growth.

use yew::prelude::*;

use camlscope_engine::query::growth::{Growth, HeapGrowth, SiteGrowth, Verdict};
use camlscope_engine::query::table::Row;
use camlscope_engine::query::tree::Grain;
use camlscope_present::format::Units;
use camlscope_present::words::growth as growth_words;
use camlscope_view::page::components::panel::subject::Subject;
use camlscope_view::page::query::hook::QueryState;

pub fn line(subject: &Subject, query: &QueryState, row: Option<&Row>, units: Units) -> Html {
    let words = |text: &'static str| html! { <span class="panel-muted">{ text }</span> };
    let body = match query.get::<Growth>() {
        Some(growth) => {
            let is_it = |site: &&SiteGrowth| site.name == subject.label.name && site.file == subject.label.file;
            match growth.sites.iter().find(is_it) {
                Some(site) => verdict(&growth.heap, site, units),
                None if row.is_some() => words("Allocates nothing itself. See what it calls."),
                None => Html::default(),
            }
        }
        _ if subject.is_library() => words("Library code. See what calls it."),
        _ if subject.grain == Grain::Site => words("Call site."),
        _ => Html::default(),
    };
    html! { <p class="panel-verdict">{ body }</p> }
}

fn verdict(heap: &HeapGrowth, site: &SiteGrowth, units: Units) -> Html {
    let reason = capitalized(&growth_words::reason(heap, site, units));
    let (class, text) = match (site.verdict, site.share) {
        (Verdict::Growing, Some(share)) => {
            let (rate, share) = (growth_words::rate(site.rate, units), growth_words::percent_between(share));
            (Some("panel-growing"), format!("{rate}, {share} of the heap’s growth"))
        }
        _ => (None, reason.clone()),
    };
    html! { <span {class} title={reason} data-verdict={site.verdict.as_str()}>{ text }</span> }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), letters.as_str()))
}
