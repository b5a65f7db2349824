//! Statistics next to the bars, and how they differ from those of all allocations.

use yew::prelude::*;

use camlscope_engine::query::histogram::{Counted, Of, Stats};
use camlscope_present::format::Units;
use camlscope_present::words::histogram::{Statistic, statistics};
use camlscope_view::page::views::histograms::stats::change;

/// `whole` has the statistics of the unfiltered trace, if there is a filter.
pub fn table(stats: &Stats, whole: Option<&Stats>, of: Of, counted: Counted, units: Units) -> Html {
    let here = statistics(stats, of, counted, units);
    let whole = whole.map(|whole| statistics(whole, of, counted, units));
    let row = |(at, here): (usize, &Statistic)| {
        let value = here.value.to_string();
        html! {
            <tr>
                <th scope="row">{ here.name }</th>
                <td data-figure={format!("stats.{}", here.field)} data-value={value.clone()} title={value}>{ &here.text }</td>
                if let Some(whole) = whole.as_ref().map(|whole| &whole[at]) {
                    <td title={whole.value.to_string()}>{ &whole.text }</td>
                    <td>{ change(here.value, whole.value) }</td>
                }
            </tr>
        }
    };
    html! {
        <table class="stats">
            <caption>{ if of == Of::Size { "Sizes without headers" } else { "Lifetimes of collected objects" } }</caption>
            <thead>
                <tr>
                    <td></td>
                    <th scope="col">{ "filtered" }</th>
                    if whole.is_some() {
                        <th scope="col">{ "entire trace" }</th>
                        <th scope="col">{ "change" }</th>
                    }
                </tr>
            </thead>
            <tbody>
                { for here.iter().enumerate().map(row) }
            </tbody>
        </table>
    }
}
