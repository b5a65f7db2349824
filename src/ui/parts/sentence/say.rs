//! The sentence as two choices, what is shown and what it is counted in, over a measure that knows only some of their
//! pairs: blocks and samples are counted of all objects that pass. So "live at the peak, in blocks" is the measure of
//! blocks with the clause "live at the peak", which the sentence then says instead of a chip.

use crate::format;
use crate::query::amounts::{Amount, Amounts};
use crate::query::filter::{Clause, Filter, Heap, When};
use crate::query::findings;
use crate::query::measure::{Measure, Unit};
use crate::ui::look::{Chip, Look};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Said {
    pub what: What,
    pub unit: Unit,
    /// The chip that `what` stands for, where the measure itself does not say it.
    pub spoken: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Allocated,
    Live(When),
    Promoted,
    ByteSeconds,
}

impl Said {
    pub fn of(look: &Look) -> Said {
        let (what, unit) = match look.measure {
            Measure::Allocated => (What::Allocated, Unit::Bytes),
            Measure::Live(when) => (What::Live(when), Unit::Bytes),
            Measure::Promoted => (What::Promoted, Unit::Bytes),
            Measure::ByteSeconds => (What::ByteSeconds, Unit::ByteSeconds),
            Measure::Blocks | Measure::Samples => {
                let spoken = look.chips.iter().enumerate().filter(|(_, chip)| chip.is_on);
                let mut spoken = spoken.filter_map(|(at, chip)| Some((at, What::of(&chip.clause)?)));
                let (spoken, what) = spoken.next().map_or((None, What::Allocated), |(at, what)| (Some(at), what));
                return Said { what, unit: look.measure.unit(), spoken };
            }
        };
        Said { what, unit, spoken: None }
    }

    /// The measure and the chips that say this instead.
    pub fn turned(self, look: &Look, what: What, unit: Unit) -> (Measure, Vec<Chip>) {
        let mut chips = look.chips.clone();
        if let Some(at) = self.spoken {
            chips.remove(at);
        }
        let in_bytes = what.in_bytes();
        let measure = match unit {
            Unit::Blocks => Measure::Blocks,
            Unit::Samples => Measure::Samples,
            Unit::Bytes | Unit::ByteSeconds => return (in_bytes, chips),
        };
        if what == What::ByteSeconds {
            return (in_bytes, chips);
        }
        // In front: the newest clause, which may be the one to loosen, is the last.
        chips.splice(0..0, in_bytes.narrowing().map(|clause| Chip { clause, is_on: true }));
        (measure, chips)
    }

    /// What `what` alone leaves of the trace, where that is not what the measure calls the whole.
    pub fn whole(self) -> Option<Filter> {
        let clause = self.what.in_bytes().narrowing().filter(|_| self.spoken.is_some())?;
        Some(Filter { clauses: vec![clause] })
    }
}

impl What {
    fn of(clause: &Clause) -> Option<What> {
        match clause {
            Clause::LiveAt(when) => Some(What::Live(*when)),
            Clause::Heap(heaps) if heaps == &[Heap::Promoted] => Some(What::Promoted),
            _ => None,
        }
    }

    fn in_bytes(self) -> Measure {
        match self {
            What::Allocated => Measure::Allocated,
            What::Live(when) => Measure::Live(when),
            What::Promoted => Measure::Promoted,
            What::ByteSeconds => Measure::ByteSeconds,
        }
    }

    /// As an end of "Nothing …".
    pub fn words(self) -> &'static str {
        match self {
            What::Allocated | What::ByteSeconds => "was allocated",
            What::Live(When::At(_)) => "is live at that moment",
            What::Live(When::Peak) => "is live at the peak",
            What::Live(When::End) => "is live at the end",
            What::Promoted => "was promoted",
        }
    }
}

/// What stands on a chip.
pub fn chip_words(clause: &Clause) -> String {
    match *clause == findings::library() {
        true => "with library code hidden".to_owned(),
        false => clause.words(),
    }
}

/// `31.6 MiB`, `1.2 M blocks`, `414 samples`, `3.1 GiB·s`.
pub fn amount(unit: Unit, value: f64) -> String {
    match unit {
        Unit::Bytes => format::bytes(value),
        Unit::ByteSeconds => format!("{}·s", format::bytes(value)),
        Unit::Blocks => format!("{} blocks", short_count(value)),
        Unit::Samples => samples(value as u64),
    }
}

pub fn samples(n: u64) -> String {
    format!("{} sample{}", format::count(n), if n == 1 { "" } else { "s" })
}

/// With what `whole` leaves in the place of the whole trace.
pub fn of_whole(amounts: Amounts, whole: Amount) -> Amounts {
    // An amount carries its own relative error, √((1−λ)/n): the rate follows from it.
    let share = amounts.passing.samples as f64 / whole.samples.max(1) as f64;
    let share_error = whole.error.map(|error| error * (share * (1.0 - share)).max(0.0).sqrt());
    Amounts { whole, share_error, ..amounts }
}

/// `96 % ±0.9`: the share that passes.
pub fn share(amounts: &Amounts) -> String {
    let share = format::percent(amounts.passing.value / amounts.whole.value);
    match amounts.share_error.unwrap_or_default() * 100.0 {
        points if points < 0.05 => share,
        points if points < 0.95 => format!("{share} ±{points:.1}"),
        points => format!("{share} ±{points:.0}"),
    }
}

/// All digits up to four, then three and a letter: `9,120`, `12.3 k`, `4.56 M`.
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
    use crate::query::filter::Span;

    fn after(look: &Look, what: What, unit: Unit) -> Look {
        let (measure, chips) = Said::of(look).turned(look, what, unit);
        Look { measure, chips, ..look.clone() }
    }

    #[test]
    fn every_pair_of_what_and_unit_reads_back_and_leaves_other_chips_alone() {
        let other = Chip { clause: Clause::Collected(Span::ANY), is_on: false };
        let start = Look { chips: vec![other.clone()], ..Look::default() };
        for what in [What::Allocated, What::Live(When::Peak), What::Live(When::At(7)), What::Promoted] {
            for unit in [Unit::Blocks, Unit::Bytes, Unit::Samples] {
                let look = after(&start, what, unit);
                let said = Said::of(&look);
                assert_eq!((said.what, said.unit), (what, unit));
                assert!(look.chips.contains(&other));
                assert_eq!(after(&look, What::Live(When::Peak), Unit::Bytes), start);
            }
        }
        let look = after(&start, What::ByteSeconds, Unit::Blocks);
        assert_eq!(Said::of(&look).unit, Unit::ByteSeconds);
    }

    #[test]
    fn live_at_the_peak_in_blocks_counts_the_blocks_that_are_live_then() {
        let look = after(&Look::default(), What::Live(When::Peak), Unit::Blocks);
        assert_eq!(look.measure, Measure::Blocks);
        assert_eq!(look.filter().clauses, [Clause::LiveAt(When::Peak)]);
        assert_eq!(Said::of(&look).whole(), Some(look.filter()));
        assert_eq!(Said::of(&Look::default()).whole(), None);
    }

    #[test]
    fn large_counts_are_short() {
        let words = [0.0, 9_999.0, 9_999.9, 12_345.0, 999_600.0, 4_560_000.0].map(short_count);
        assert_eq!(words, ["0", "9,999", "10.0 k", "12.3 k", "1.00 M", "4.56 M"]);
    }
}
