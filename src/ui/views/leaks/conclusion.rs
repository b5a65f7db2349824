//! The verdict on the heap, with the same wording as the command line.

use yew::prelude::*;

use crate::ui::store::view::ViewState;
use camlscope_engine::query::growth::HeapGrowth;
use camlscope_engine::query::label::plain;
use camlscope_present::format::Units;
use camlscope_present::words::growth as growth_words;

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

/// Splits a text into names and other parts. The flag is true for a name.
fn parts<'a>(text: &'a str, names: &[String]) -> Vec<(&'a str, bool)> {
    let mut parts = Vec::new();
    let mut rest = text;
    // Take the first name, or the longer one of two at the same position.
    while let Some((at, n)) = names
        .iter()
        .filter_map(|name| Some((find_word(rest, name)?, name.len())))
        .min_by_key(|&(at, n)| (at, usize::MAX - n))
    {
        parts.push((&rest[..at], false));
        parts.push((&rest[at..at + n], true));
        rest = &rest[at + n..];
    }
    parts.push((rest, false));
    parts
}

/// Returns the position of a name, unless it is part of a longer one.
fn find_word(text: &str, name: &str) -> Option<usize> {
    let is_apart = |at: usize| {
        let before = text[..at].chars().next_back();
        let mut behind = text[at + name.len()..].chars();
        let continues = match behind.next() {
            Some('.') => behind.next().is_some_and(|next| !next.is_whitespace()),
            next => next.is_some_and(|next| next.is_alphanumeric() || next == '_' || next == '\''),
        };
        before.is_none_or(char::is_whitespace) && !continues
    };
    text.match_indices(name).map(|(at, _)| at).filter(|_| !name.is_empty()).find(|at| is_apart(*at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn function_names_are_bold_but_parts_of_longer_names_are_not() {
        let names = ["Growth.Metric.make", "Growth", "Growth.Metric"].map(str::to_owned);
        let text = "Two functions carry it, all called from Growth: Growth.Metric.make 11%, Growth.Metric 4%.";
        let bold: Vec<&str> = parts(text, &names).into_iter().filter(|part| part.1).map(|part| part.0).collect();
        assert_eq!(bold, ["Growth", "Growth.Metric.make", "Growth.Metric"]);
        let whole: String = parts(text, &names).into_iter().map(|part| part.0).collect();
        assert_eq!(whole, text);
    }
}
