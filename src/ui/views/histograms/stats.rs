//! Statistics next to the bars, and how they differ from those of all allocations.

use yew::prelude::*;

use camlscope_engine::query::histogram::{Counted, Of, Stats};
use camlscope_present::format::{self, Units};
use camlscope_present::layout::histogram::weight_words;

/// `whole` has the statistics of the unfiltered trace, if there is a filter.
pub fn table(stats: &Stats, whole: Option<&Stats>, of: Of, counted: Counted, units: Units) -> Html {
    let value = |value: f64| match of {
        Of::Size => format!("{} words", digits(value)),
        Of::Lifetime => format::duration_us(value.round() as u64),
    };
    let square = |variance: f64| match of {
        Of::Size => format!("{} words²", digits(variance)),
        Of::Lifetime => format!("{} s²", digits(variance / 1e12)),
    };
    let exact = |n: u64| match of {
        Of::Size => format!("{} word{}", format::count(n), if n == 1 { "" } else { "s" }),
        Of::Lifetime => format::duration_us(n),
    };
    let row = |figure: &'static str, name: &'static str, get: &dyn Fn(&Stats) -> f64, words: &dyn Fn(f64) -> String| {
        let here = get(stats);
        let whole = whole.map(get);
        html! {
            <tr>
                <th scope="row">{ name }</th>
                <td data-figure={figure} data-value={here.to_string()} title={here.to_string()}>{ words(here) }</td>
                if let Some(whole) = whole {
                    <td title={whole.to_string()}>{ words(whole) }</td>
                    <td>{ change(here, whole) }</td>
                }
            </tr>
        }
    };
    let whole_words = |n: f64| exact(n as u64);
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
                { row("stats.count", "total", &|stats| stats.count, &|count| weight_words(count, counted, units)) }
                { row("stats.mean", "mean", &|stats| stats.mean, &value) }
                { row("stats.variance", "variance", &|stats| stats.variance, &square) }
                { row("stats.sd", "standard deviation", &|stats| stats.sd, &value) }
                { row("stats.median", "median", &|stats| stats.median as f64, &whole_words) }
                { row("stats.p90", "90th percentile", &|stats| stats.p90 as f64, &whole_words) }
                { row("stats.p99", "99th percentile", &|stats| stats.p99 as f64, &whole_words) }
                { row("stats.max", if of == Of::Size { "largest" } else { "longest" }, &|stats| stats.max as f64, &whole_words) }
                { row("stats.large_percent", "above 256 words", &|stats| stats.large_percent,
                    &|percent| format::percent(percent / 100.0)) }
            </tbody>
        </table>
    }
}

/// Returns `+12%`, `−40%` or `× 3.2`, or a dash if there is nothing to compare with.
fn change(here: f64, whole: f64) -> String {
    let ratio = here / whole;
    if whole == 0.0 || !ratio.is_finite() {
        "–".to_owned()
    } else if ratio >= 2.0 {
        format!("× {}", digits(ratio))
    } else if (ratio - 1.0).abs() < 0.0005 {
        "same".to_owned()
    } else {
        let sign = if ratio < 1.0 { "−" } else { "+" };
        format!("{sign}{}", format::percent((ratio - 1.0).abs()))
    }
}

/// Returns three digits, or all digits before the decimal point. Large numbers get a letter: `42.1 M`.
fn digits(value: f64) -> String {
    let (mut scaled, mut letters) = (value, ["", " k", " M", " G", " T", " P"].into_iter());
    let mut letter = letters.next().unwrap_or_default();
    while scaled >= 9_999.5 || scaled >= 999.5 && !letter.is_empty() {
        let Some(next) = letters.next() else { break };
        (scaled, letter) = (scaled / 1e3, next);
    }
    match scaled {
        scaled if scaled < 9.995 => format!("{scaled:.2}{letter}"),
        scaled if scaled < 99.95 => format!("{scaled:.1}{letter}"),
        scaled => format!("{}{letter}", format::count(scaled.round() as u64)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_are_percentages_or_factors() {
        assert_eq!(change(112.0, 100.0), "+12%");
        assert_eq!(change(60.0, 100.0), "−40%");
        assert_eq!(change(320.0, 100.0), "× 3.20");
        assert_eq!(change(100.01, 100.0), "same");
        assert_eq!(change(1.0, 0.0), "–");
    }

    #[test]
    fn figures_have_three_digits() {
        let words = [0.5, 12.34, 1_090.2, 42_069_279.0, 9.999e5, 1.5e21].map(digits);
        assert_eq!(words, ["0.50", "12.3", "1,090", "42.1 M", "1.00 M", "1,500,000 P"]);
    }
}
