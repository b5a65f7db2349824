//! Statistics next to the bars, and how they differ from those of all allocations.

use yew::prelude::*;

use camlscope_engine::query::histogram::{Counted, Of, Stats};
use camlscope_present::format::{self, Units};
use camlscope_present::words::histogram::{Statistic, digits, statistics};

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

/// Returns `+12%`, `−40%` or `3.2×`, or a dash if there is nothing to compare with.
fn change(here: f64, whole: f64) -> String {
    let ratio = here / whole;
    if whole == 0.0 || !ratio.is_finite() {
        "–".to_owned()
    } else if ratio >= 2.0 {
        format!("{}×", digits(ratio))
    } else if (ratio - 1.0).abs() < 0.0005 {
        "same".to_owned()
    } else {
        let sign = if ratio < 1.0 { "−" } else { "+" };
        format!("{sign}{}", format::percent((ratio - 1.0).abs()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_percentages_or_factors() {
        assert_eq!(change(112.0, 100.0), "+12%");
        assert_eq!(change(60.0, 100.0), "−40%");
        assert_eq!(change(320.0, 100.0), "3.20×");
        assert_eq!(change(100.01, 100.0), "same");
        assert_eq!(change(1.0, 0.0), "–");
    }
}
