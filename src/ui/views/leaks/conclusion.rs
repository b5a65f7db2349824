//! The verdict on the heap, with the same wording as the command line.

use yew::prelude::*;

use crate::ui::store::view::ViewState;
use camlscope_engine::query::growth::HeapGrowth;
use camlscope_engine::query::label::plain;
use camlscope_present::format::Units;
use camlscope_present::words::growth as growth_words;
use camlscope_view::page::views::leaks::conclusion::parts;

pub fn conclusion(heap: &HeapGrowth, view_state: &ViewState, is_provisional: bool, units: Units) -> Html {
    let headline = growth_words::headline(heap, units);
    // The decimal point in a time or a rate isn't followed by a space.
    let (verdict, rest) = headline.split_once(". ").map_or((headline.as_str(), ""), |(verdict, rest)| (verdict, rest));
    let end = if rest.is_empty() { "" } else { ". " };
    let has_filter = view_state.chips.iter().any(|chip| chip.is_on);
    let whole = if heap.is_profile { "profile" } else { "trace" };
    let figure = |name: &str| format!("heap.{name}");
    html! {
        <header class="leaks-conclusion">
            <p class="leaks-headline" role="status" data-figure={figure("verdict")} data-value={heap.verdict.as_str()}>
                <b data-figure={figure("growth_bytes_per_s")}
                    data-value={heap.rate.map(|rate| rate.bytes_per_s.to_string())}>{ format!("{verdict}{end}") }</b>
                { for emphasized(rest, &names(heap)) }
            </p>
            if is_provisional {
                <p class="provisional" role="note">{ "Provisional: the program is still running." }</p>
            }
            <p class="leaks-muted">
                { growth_words::details(heap, units).join(" ") }
                if has_filter {
                    { format!(" This applies to the entire {whole}, regardless of filters.") }
                }
            </p>
        </header>
    }
}

/// Returns the functions named in the headline.
fn names(heap: &HeapGrowth) -> Vec<String> {
    let carriers = heap.carriers.iter().map(|carrier| carrier.name.clone());
    carriers.chain(heap.caller.as_ref().map(|caller| plain(&caller.name))).collect()
}

/// Puts function names in bold.
fn emphasized(text: &str, names: &[String]) -> Vec<Html> {
    parts(text, names)
        .into_iter()
        .map(|(part, is_name)| {
            if is_name {
                html! { <b>{ part }</b> }
            } else {
                html! { { part } }
            }
        })
        .collect()
}
