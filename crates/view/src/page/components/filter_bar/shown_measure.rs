//! The filter bar's two choices, a quantity and a unit, mapped to a measure and filter clauses. Not every pair is a
//! measure of its own: blocks and samples always count all objects that pass. So "live at the peak, in blocks" is the
//! measure of blocks plus the clause "live at the peak", which the bar shows as the quantity instead of as a chip.

use crate::{Chip, ViewState};
use camlscope_engine::query::amounts::{Amount, Amounts};
use camlscope_engine::query::filter::{Clause, DiesWithin, Filter, Heap, When};
use camlscope_engine::query::measure::{GrowthUnit, Measure, Unit};
use camlscope_present::format::{self, Units};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShownMeasure {
    pub what: Quantity,
    /// For a rate, the unit without "per second".
    pub unit: Unit,
    /// The chip that `what` implies, if it isn't part of the measure.
    pub implied_chip: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    Allocated,
    Live(When),
    Promoted,
    Temporary(DiesWithin),
    ByteSeconds,
    Growth,
    Calls,
}

impl ShownMeasure {
    pub fn of(view_state: &ViewState) -> ShownMeasure {
        let (what, unit) = match view_state.measure {
            Measure::Allocated => (Quantity::Allocated, Unit::Bytes),
            Measure::Live(when) => (Quantity::Live(when), Unit::Bytes),
            Measure::Promoted => (Quantity::Promoted, Unit::Bytes),
            Measure::Temporary(within) => (Quantity::Temporary(within), Unit::Bytes),
            Measure::ByteSeconds => (Quantity::ByteSeconds, Unit::ByteSeconds),
            Measure::Growth(_) => (Quantity::Growth, view_state.measure.unit().counted()),
            Measure::Calls => (Quantity::Calls, Unit::Calls),
            Measure::Blocks | Measure::Samples => {
                let implied_chip = view_state.chips.iter().enumerate().filter(|(_, chip)| chip.is_on);
                let mut implied_chip = implied_chip.filter_map(|(at, chip)| Some((at, Quantity::of(&chip.clause)?)));
                let (implied_chip, what) =
                    implied_chip.next().map_or((None, Quantity::Allocated), |(at, what)| (Some(at), what));
                return ShownMeasure { what, unit: view_state.measure.unit(), implied_chip };
            }
        };
        ShownMeasure { what, unit, implied_chip: None }
    }

    /// Returns the measure and chips for another quantity and unit.
    pub fn with(self, view_state: &ViewState, what: Quantity, unit: Unit) -> (Measure, Vec<Chip>) {
        let mut chips = view_state.chips.clone();
        if let Some(at) = self.implied_chip {
            chips.remove(at);
        }
        let in_bytes = what.in_bytes();
        let measure = match (what, unit) {
            (Quantity::Growth, Unit::Blocks) => return (Measure::Growth(GrowthUnit::Blocks), chips),
            (Quantity::Growth, Unit::Samples) => return (Measure::Growth(GrowthUnit::Samples), chips),
            (_, Unit::Blocks) => Measure::Blocks,
            (_, Unit::Samples) => Measure::Samples,
            _ => return (in_bytes, chips),
        };
        if matches!(what, Quantity::ByteSeconds | Quantity::Calls) {
            return (in_bytes, chips);
        }
        // It goes first, because the last clause is the newest and the first one that is suggested for removal.
        chips.splice(0..0, in_bytes.narrowing().map(|clause| Chip { clause, is_on: true }));
        (measure, chips)
    }

    /// Returns the filter for the total, if it isn't the total of the measure.
    pub fn whole(self) -> Option<Filter> {
        let clause = self.what.in_bytes().narrowing().filter(|_| self.implied_chip.is_some())?;
        Some(Filter { clauses: vec![clause] })
    }
}

impl Quantity {
    fn of(clause: &Clause) -> Option<Quantity> {
        match clause {
            Clause::LiveAt(when) => Some(Quantity::Live(*when)),
            Clause::Heap(heaps) if heaps == &[Heap::Promoted] => Some(Quantity::Promoted),
            Clause::Temporary(within) => Some(Quantity::Temporary(*within)),
            _ => None,
        }
    }

    fn in_bytes(self) -> Measure {
        match self {
            Quantity::Allocated => Measure::Allocated,
            Quantity::Live(when) => Measure::Live(when),
            Quantity::Promoted => Measure::Promoted,
            Quantity::Temporary(within) => Measure::Temporary(within),
            Quantity::ByteSeconds => Measure::ByteSeconds,
            Quantity::Growth => Measure::GROWTH,
            Quantity::Calls => Measure::Calls,
        }
    }

    /// Completes the sentence "Nothing …".
    pub fn words(self) -> &'static str {
        match self {
            Quantity::Allocated | Quantity::ByteSeconds => "was allocated",
            Quantity::Live(When::At(_)) => "is live at that time",
            Quantity::Live(When::Peak) => "is live at the peak",
            Quantity::Live(When::End) => "is live at the end",
            Quantity::Promoted => "was promoted",
            Quantity::Temporary(_) => "was collected that early",
            Quantity::Growth => "is old enough to judge and still alive",
            Quantity::Calls => "was called",
        }
    }
}

/// Returns `31.6 MiB`, `1.2 M blocks`, `414 samples`, `3.1 GiB·s`, `294 KiB/s` or `12.3 blocks/s`.
pub fn amount(unit: Unit, value: f64, units: Units) -> String {
    match unit {
        Unit::Bytes => units.bytes(value),
        Unit::ByteSeconds => format!("{}·s", units.bytes(value)),
        Unit::Blocks => format!("{} blocks", short_count(value)),
        Unit::Samples => samples(value as u64),
        Unit::Calls => format!("{} calls", short_count(value)),
        Unit::BytesPerSecond => units.amount(unit, value),
        Unit::BlocksPerSecond => format!("{} blocks/s", format::decimal(value)),
        Unit::SamplesPerSecond => format!("{} samples/s", format::decimal(value)),
    }
}

pub fn samples(n: u64) -> String {
    format!("{} sample{}", format::count(n), if n == 1 { "" } else { "s" })
}

/// Replaces the total by `whole`.
pub fn of_whole(amounts: Amounts, whole: Amount) -> Amounts {
    // The margin of a share: an amount's relative margin is 1.96 √((1−λ)/n), which includes the sampling rate λ.
    let share = amounts.passing.samples as f64 / whole.samples.max(1) as f64;
    let share_error = whole.error.map(|error| error * (share * (1.0 - share)).max(0.0).sqrt());
    Amounts { whole, share_error, ..amounts }
}

/// Returns the share that passes, such as `96% ±0.9`.
pub fn share(amounts: &Amounts) -> String {
    let share = amounts.passing.value / amounts.whole.value;
    format::percent_with_margin(share, amounts.share_error.unwrap_or_default())
}

/// Returns up to four digits in full, otherwise three digits and a letter: `9,120`, `12.3 k`, `4.56 M`.
fn short_count(value: f64) -> String {
    let (mut scaled, mut letters) = (value, ["", " k", " M", " G", " T"].iter());
    let mut letter = letters.next();
    if value < 9_999.5 {
        return format::count(value.round() as u64);
    }
    while scaled >= 999.5 && letter.is_some() {
        scaled /= 1e3;
        letter = letters.next();
    }
    let decimals = if scaled < 9.995 { 2 } else { usize::from(scaled < 99.95) };
    format!("{scaled:.decimals$}{}", letter.unwrap_or(&""))
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::filter::Span;

    fn after(view_state: &ViewState, what: Quantity, unit: Unit) -> ViewState {
        let (measure, chips) = ShownMeasure::of(view_state).with(view_state, what, unit);
        ViewState { measure, chips, ..view_state.clone() }
    }

    #[test]
    fn every_pair_of_quantity_and_unit_round_trips_and_keeps_other_chips() {
        let other = Chip { clause: Clause::Collected(Span::ANY), is_on: false };
        let start = ViewState { chips: vec![other.clone()], ..ViewState::default() };
        let quantities = [
            Quantity::Allocated,
            Quantity::Live(When::Peak),
            Quantity::Live(When::At(7)),
            Quantity::Promoted,
            Quantity::Temporary(DiesWithin::Micros(10)),
            Quantity::Growth,
        ];
        for what in quantities {
            for unit in [Unit::Blocks, Unit::Bytes, Unit::Samples] {
                let view_state = after(&start, what, unit);
                let shown = ShownMeasure::of(&view_state);
                assert_eq!((shown.what, shown.unit), (what, unit));
                assert!(view_state.chips.contains(&other));
                assert_eq!(after(&view_state, Quantity::Live(When::Peak), Unit::Bytes), start);
            }
        }
        let view_state = after(&start, Quantity::ByteSeconds, Unit::Blocks);
        assert_eq!(ShownMeasure::of(&view_state).unit, Unit::ByteSeconds);
    }

    #[test]
    fn live_at_the_peak_in_blocks_counts_only_live_blocks() {
        let view_state = after(&ViewState::default(), Quantity::Live(When::Peak), Unit::Blocks);
        assert_eq!(view_state.measure, Measure::Blocks);
        assert_eq!(view_state.filter().clauses, [Clause::LiveAt(When::Peak)]);
        assert_eq!(ShownMeasure::of(&view_state).whole(), Some(view_state.filter()));
        assert_eq!(ShownMeasure::of(&ViewState::default()).whole(), None);
    }

    #[test]
    fn large_counts_are_abbreviated() {
        let words = [0.0, 9_999.0, 9_999.9, 12_345.0, 999_600.0, 4_560_000.0].map(short_count);
        assert_eq!(words, ["0", "9,999", "10.0 k", "12.3 k", "1.00 M", "4.56 M"]);
    }
}
