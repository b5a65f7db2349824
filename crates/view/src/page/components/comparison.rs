//! The pair that the Compare tab compares, shared by the view, the filter bar and the timeline.

use crate::compare::ComparePair;
use crate::page::store::browser::Browser;
use crate::page::store::state::Loaded;
use crate::{Tab, ViewState};
use camlscope_engine::protocol::{Question, Request, Versus};
use camlscope_engine::query::compare::{CompareConfig, Scale, Sum};
use camlscope_engine::query::filter::{Clause, When};
use camlscope_engine::query::measure::{Measure, Unit};
use camlscope_present::format::{self, Units};

/// Returns the user's choice if it is available, otherwise the first suggestion.
pub fn compared<B: Browser>(view_state: &ViewState, loaded: &Loaded<B>) -> ComparePair {
    let has_other = loaded.other.is_some();
    match view_state.compare.pair {
        Some(pair) if has_other || pair != ComparePair::Traces => pair,
        _ if has_other => ComparePair::Traces,
        _ => {
            let first = suggested_pairs(view_state, loaded).into_iter().next();
            first.map_or(ComparePair::Times { before: When::Peak, after: When::End }, |(pair, _)| pair)
        }
    }
}

/// Returns the two points in time if the Compare tab compares two times.
pub fn times<B: Browser>(view_state: &ViewState, loaded: &Loaded<B>) -> Option<(When, When)> {
    match compared(view_state, loaded) {
        ComparePair::Times { before, after } if view_state.tab == Tab::Compare => Some((before, after)),
        _ => None,
    }
}

/// Whether the Compare tab is open with two traces.
pub fn shows_both<B: Browser>(view_state: &ViewState, loaded: &Loaded<B>) -> bool {
    view_state.tab == Tab::Compare && compared(view_state, loaded) == ComparePair::Traces
}

/// Returns the suggested pairs with their labels. A second trace comes first, since it was opened for comparison.
pub fn suggested_pairs<B: Browser>(view_state: &ViewState, loaded: &Loaded<B>) -> Vec<(ComparePair, String)> {
    let mut pairs = Vec::new();
    if loaded.other.is_some() {
        let noun = loaded.main.capabilities.file_noun();
        pairs.push((ComparePair::Traces, format!("{noun} A with {noun} B")));
    }
    if let Some(pair) = selected_range(view_state) {
        pairs.push((pair, "start and end of selection".to_owned()));
    }
    let half = match loaded.profile() {
        Some(profile) => When::At(profile.snapshots.get(profile.snapshots.len() / 2).map_or(0, |middle| middle.at_us)),
        None => When::At(round_half(loaded.main.summary.end_us)),
    };
    let pair = ComparePair::Times { before: half, after: When::End };
    pairs.push((pair, format!("{} with the end", time_words(half))));
    pairs.push((ComparePair::Times { before: When::Peak, after: When::End }, "the peak with the end".to_owned()));
    pairs
}

/// Builds a request about the compared pair, restricted by the filter.
///
/// A selection on the timeline is also a filter clause that keeps only objects allocated in it. When its two ends are
/// compared, the clause is dropped; otherwise nothing would ever be live at the start.
pub fn request(view_state: &ViewState, pair: ComparePair, question: Question) -> Request {
    let mut request = view_state.request(question);
    if selected_range(view_state) == Some(pair) {
        request.view.filter.clauses.retain(|clause| !matches!(clause, Clause::Allocated(_)));
    }
    request
}

/// Whether the selection provides the two compared times, and so doesn't filter.
pub fn is_selected_range(view_state: &ViewState, pair: ComparePair) -> bool {
    selected_range(view_state) == Some(pair)
}

pub fn versus(view_state: &ViewState, pair: ComparePair) -> Versus {
    match pair {
        ComparePair::Traces => Versus::Other { scale: scale(view_state, pair) },
        ComparePair::Times { before, after } => Versus::Times { before, after },
    }
}

pub fn measure(view_state: &ViewState, pair: ComparePair) -> Measure {
    match pair {
        ComparePair::Traces => view_state.measure,
        ComparePair::Times { after, .. } => Measure::Live(after),
    }
}

/// Returns how the figures are scaled. A comparison of two times is never scaled, and live bytes are never per second.
pub fn scale(view_state: &ViewState, pair: ComparePair) -> Scale {
    match view_state.compare.scale {
        _ if pair != ComparePair::Traces => Scale::AsIs,
        Scale::PerSecond if view_state.query_view().is_stock() => Scale::AsIs,
        scale => scale,
    }
}

/// Builds the query for the table's rows, or only for the totals if `limit` is 0.
pub fn config(view_state: &ViewState, pair: ComparePair, sum: Sum, limit: usize) -> CompareConfig {
    CompareConfig { measure: measure(view_state, pair), sum, scale: scale(view_state, pair), limit, gate: None }
}

/// Returns `30 s`, `the peak` or `the end`.
pub fn time_words(when: When) -> String {
    match when {
        When::At(us) => format::elapsed_us(us),
        When::Peak => "the peak".to_owned(),
        When::End => "the end".to_owned(),
    }
}

/// Returns `+8.20 MiB ±1.6`, with the margin of the 95% interval in the unit of the change.
pub fn signed((unit, units): (Unit, Units), suffix: &str, change: f64, error: f64) -> String {
    let sign = if change < 0.0 { "−" } else { "+" };
    match units.amount(unit, change.abs()) {
        // Zero has no unit of its own, so use the margin's.
        _ if change == 0.0 && error > 0.0 => format!("±{}{suffix}", units.amount(unit, error)),
        amount => format!("{sign}{amount}{suffix}{}", units.margin(unit, change, error)),
    }
}

/// Returns the two ends of the selection on the timeline.
fn selected_range(view_state: &ViewState) -> Option<ComparePair> {
    let span = view_state.brush()?;
    let after = span.to.map_or(When::End, When::At);
    Some(ComparePair::Times { before: When::At(span.from.unwrap_or(0)), after })
}

/// Returns a round number near the middle.
fn round_half(end_us: u64) -> u64 {
    let unit = format::whole_power(10.0, end_us as f64 / 20.0).max(1.0);
    ((end_us as f64 / 2.0 / unit).round() * unit) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ViewAction;
    use crate::compare::CompareAction;
    use camlscope_engine::query::filter::Span;
    use std::rc::Rc;

    #[test]
    fn a_selection_filters_every_comparison_except_the_one_of_its_ends() {
        let mark = ViewAction::AddClause(Clause::Allocated(Span::new(10, 20)));
        let view_state = Rc::new(ViewState::default()).reduce(mark);
        let clauses = |pair: ComparePair| {
            let (versus, config) = (versus(&view_state, pair), config(&view_state, pair, Sum::Own, 0));
            request(&view_state, pair, Question::Compare { versus, config }).view.filter.clauses
        };
        let at = |before, after| ComparePair::Times { before: When::At(before), after: When::At(after) };
        assert_eq!(clauses(at(10, 20)), []);
        assert_eq!(clauses(at(10, 30)), [Clause::Allocated(Span::new(10, 20))]);
        assert_eq!(clauses(ComparePair::Traces), [Clause::Allocated(Span::new(10, 20))]);
    }

    #[test]
    fn live_bytes_are_never_shown_per_second() {
        let per_second = ViewAction::Compare(CompareAction::Scale(Scale::PerSecond));
        let live = Rc::new(ViewState::default()).reduce(per_second);
        assert_eq!(scale(&live, ComparePair::Traces), Scale::AsIs);
        let allocated = live.reduce(ViewAction::Measure(Measure::Allocated));
        assert_eq!(scale(&allocated, ComparePair::Traces), Scale::PerSecond);
        assert_eq!(scale(&allocated, ComparePair::Times { before: When::Peak, after: When::End }), Scale::AsIs);
    }

    #[test]
    fn the_suggested_middle_is_a_round_number() {
        assert_eq!(round_half(60_050_970), 30_000_000);
        assert_eq!(round_half(0), 0);
    }

    #[test]
    fn a_margin_has_the_unit_of_its_change_and_few_digits() {
        let mib = f64::from(1 << 20);
        assert_eq!(signed((Unit::Bytes, Units::Binary), "", 8.2 * mib, 1.63 * mib), "+8.20 MiB ±1.6");
        assert_eq!(signed((Unit::Bytes, Units::Binary), "/s", -2048.0, 0.0), "−2.00 KiB/s");
        assert_eq!(signed((Unit::Bytes, Units::Binary), "", 0.0, 2048.0), "±2.00 KiB");
        assert_eq!(signed((Unit::Samples, Units::Binary), "", 1234.0, 40.0), "+1,234 ±40");
    }
}
