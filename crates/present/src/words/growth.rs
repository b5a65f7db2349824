//! The conclusion about growth, the same on the page, on the command line and in reports.

use crate::format::{Units, count, duration_us};
use camlscope_engine::query::growth::{Carrier, Change, HeapGrowth, Rate, Share, SiteGrowth, Undecided, Verdict};

/// The maximum number of functions named in the headline.
const MAX_NAMED: usize = 3;
/// A recording should be this many times as long as objects live, so that most of it is old enough.
const LIVES_PER_TRACE: f64 = 3.0;

/// States whether the heap grows, by how much, since when, and from which functions.
pub fn headline(heap: &HeapGrowth, units: Units) -> String {
    match heap.verdict {
        Verdict::Growing => {
            format!("The heap keeps growing: +{} {}.{}", rate(heap.rate, units), since(heap), carriers(heap))
        }
        Verdict::Stopped => format!(
            "The heap stopped growing at {}. Before that, it had grown by {} {}.{} Any steady growth is now below {}.",
            heap.until.map_or_else(String::new, time),
            rate(heap.grown_rate, units),
            since(heap),
            carriers(heap),
            bound(heap.rate, units),
        ),
        Verdict::Level => format!("Any steady growth of the heap is below {}.", bound(heap.rate, units)),
        Verdict::Undecided(why) => undecided(heap, why, units),
        Verdict::NothingAllocated => "Nothing was allocated.".to_owned(),
    }
}

/// Lists the evidence for the verdict, other causes that look the same, and how to distinguish them.
pub fn details(heap: &HeapGrowth, units: Units) -> Vec<String> {
    let mut details = Vec::new();
    match heap.verdict {
        Verdict::Growing => details.push(
            "A cache that is filling up or a program that builds up its result looks the same as a leak. Record for \
             longer: a cache levels off, but a leak doesn't."
                .to_owned(),
        ),
        Verdict::Stopped | Verdict::Level => details.push(format!(
            "This covers objects allocated before {}. Growth that started later isn't visible yet.",
            duration_us(heap.judged_until_us())
        )),
        Verdict::Undecided(Undecided::LongLived | Undecided::ShortTrace) if heap.samples > 0 => details.push(format!(
            "Of the objects allocated before {}, {} is still live at the end. A program that builds up its result \
             looks the same as a leak.",
            duration_us(heap.judged_until_us()),
            rate(heap.rate, units)
        )),
        Verdict::Undecided(_) | Verdict::NothingAllocated => {}
    }
    if heap.old_enough_us > 0 && !matches!(heap.verdict, Verdict::Undecided(Undecided::LongLived)) {
        let old_enough = duration_us(heap.old_enough_us);
        details.push(format!("Objects younger than {old_enough} don't count: they may still be in use."));
    }
    if heap.is_profile {
        details
            .push("Memory counts as never freed if no later snapshot has less of it. Times are CPU times.".to_owned());
    }
    if let Some(first) = heap.long_lived.first() {
        let others = match heap.long_lived.len() - 1 {
            0 => String::new(),
            1 => " and one other function".to_owned(),
            n => format!(" and {} other functions", count(n as u64)),
        };
        let judged = match heap.verdict {
            Verdict::Level | Verdict::Stopped => "Judged separately",
            _ => "Not included",
        };
        details.push(format!(
            "{judged}: objects of {}{others}, which live for up to {}.",
            first.function.plain(),
            duration_us(heap.long_lived.iter().map(|group| group.lives_us).max().unwrap_or(0))
        ));
    }
    details
}

/// States a row's share of the growth, and the evidence for it.
pub fn reason(heap: &HeapGrowth, site: &SiteGrowth, units: Units) -> String {
    let evidence = if heap.is_profile { String::new() } else { format!(", from {}", samples(site.grown_samples)) };
    match (site.verdict, site.share) {
        (Verdict::Growing, Some(share)) => format!("{} of the growth{evidence}", percent_between(share)),
        (Verdict::Stopped, Some(share)) => format!("{} of the growth that stopped{evidence}", percent_between(share)),
        (Verdict::Growing | Verdict::Stopped, None) | (Verdict::Level, _) => {
            format!("any steady growth is below {}", bound(site.rate, units))
        }
        (Verdict::Undecided(Undecided::LongLived), _) if site.rate.is_none() && heap.leaves_out(&site.name) => {
            "its objects live too long to judge in this trace".to_owned()
        }
        (Verdict::Undecided(_) | Verdict::NothingAllocated, _) => match site.rate {
            Some(of_site) => format!("{} so far{evidence}", rate(Some(of_site), units)),
            None => "nothing is old enough to judge".to_owned(),
        },
    }
}

/// `294 KiB/s (256–336)`.
pub fn rate(rate: Option<Rate>, units: Units) -> String {
    let Rate { bytes_per_s, low, high } = rate.unwrap_or_default();
    units.bytes_per_second_between(bytes_per_s, low, high)
}

/// `11% (7–17%)`.
pub fn percent_between(share: Share) -> String {
    let digits = |share: f64| match share * 100.0 {
        value if value < 9.95 && value > 0.0 => format!("{value:.1}"),
        value => format!("{value:.0}"),
    };
    format!("{}% ({}–{}%)", digits(share.value), digits(share.low), digits(share.high))
}

/// `since the start`, `since 30.0 s (29.5–30.5 s)`.
pub fn since(heap: &HeapGrowth) -> String {
    heap.since.map_or_else(|| "since the start".to_owned(), |change| format!("since {}", time(change)))
}

fn time(change: Change) -> String {
    let Change { at_us, low_us, high_us } = change;
    let [at, low, high] = [at_us, low_us, high_us].map(duration_us);
    if low == high {
        return at;
    }
    // Shows the unit once if it's the same.
    match (low.rsplit_once(' '), high.rsplit_once(' ')) {
        (Some((low, unit)), Some((_, other))) if unit == other => format!("{at} ({low}–{high})"),
        _ => format!("{at} ({low}–{high})"),
    }
}

fn bound(rate: Option<Rate>, units: Units) -> String {
    format!("{}/s", units.bytes(rate.map_or(0.0, |rate| rate.high)))
}

fn undecided(heap: &HeapGrowth, why: Undecided, units: Units) -> String {
    match why {
        Undecided::ShortTrace => format!(
            "Can't tell yet: the trace covers only {}. Record for at least 10 seconds.",
            duration_us(heap.end_us)
        ),
        Undecided::LongLived => {
            let lives_us = heap.long_lived.iter().map(|group| group.lives_us).max().unwrap_or(0).max(heap.lives_us);
            format!(
                "Can't tell yet: objects live for up to {}. Record for at least {}.",
                duration_us(lives_us),
                advised_duration(LIVES_PER_TRACE * lives_us as f64 / 1e6)
            )
        }
        Undecided::JustStarted => format!(
            "Can't tell yet: since {}, {} of allocated memory has stayed live. Record for at least {}.",
            heap.since.map_or_else(String::new, time),
            rate(heap.rate, units),
            advised_duration(2.0 * heap.end_us as f64 / 1e6)
        ),
        Undecided::FewSamples => format!(
            "Can't tell: not enough samples to see growth below {}. Record for longer, or with a higher MEMTRACE_RATE.",
            bound(heap.rate, units)
        ),
    }
}

/// `2 minutes`: rounded up to a round number.
fn advised_duration(seconds: f64) -> String {
    let rounded_up = |value: f64, step: f64| ((value / step).ceil() * step) as u64;
    match seconds {
        s if s <= 50.0 => format!("{} seconds", rounded_up(s.max(1.0), 10.0)),
        s if s <= 60.0 => "1 minute".to_owned(),
        s if s <= 3000.0 => format!("{} minutes", rounded_up(s / 60.0, 1.0)),
        s if s <= 3600.0 => "1 hour".to_owned(),
        s => format!("{} hours", rounded_up(s / 3600.0, 1.0)),
    }
}

fn carriers(heap: &HeapGrowth) -> String {
    let n = heap.carriers.len();
    if n == 0 {
        return String::new();
    }
    let unit = if heap.is_profile { "line" } else { "function" };
    let carriers = match n {
        1 => format!("One {unit} accounts for it"),
        n => format!("{} {unit}s account for it", number(n)),
    };
    let caller = match &heap.caller {
        Some(caller) if n > 1 => format!(", all called from {}", caller.plain()),
        _ => String::new(),
    };
    let named: Vec<String> = heap
        .carriers
        .iter()
        .take(MAX_NAMED)
        .map(|Carrier { name, share }| match heap.is_profile {
            true => format!("{name} {:.0}%", share.value * 100.0),
            false => format!("{name} {}", percent_between(*share)),
        })
        .collect();
    let others = match n.saturating_sub(MAX_NAMED) {
        0 => String::new(),
        1 => " and one other".to_owned(),
        n => format!(" and {n} others"),
    };
    format!(" {carriers}{caller}: {}{others}.", named.join(", "))
}

/// Spells out small numbers, for the start of a sentence.
fn number(n: usize) -> String {
    const WORDS: &str = "Two Three Four Five Six Seven Eight Nine Ten Eleven Twelve Thirteen Fourteen Fifteen \
        Sixteen Seventeen Eighteen Nineteen Twenty Twenty-one";
    let word = n.checked_sub(2).and_then(|at| WORDS.split(' ').nth(at));
    word.map_or_else(|| count(n as u64), str::to_owned)
}

fn samples(n: u64) -> String {
    if n == 1 { "1 sample".to_owned() } else { format!("{} samples", count(n)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_use_the_chosen_units() {
        let rate = Some(Rate { bytes_per_s: 0.0, low: 0.0, high: 2048.0 });
        let heap = HeapGrowth { verdict: Verdict::Level, rate, ..HeapGrowth::default() };
        let headlines = [Units::Binary, Units::Decimal].map(|units| headline(&heap, units));
        assert_eq!(
            headlines,
            ["2.00 KiB", "2.05 kB"].map(|most| format!("Any steady growth of the heap is below {most}/s."))
        );
    }

    #[test]
    fn advised_durations_are_round_numbers() {
        let advised = [3.0, 12.0, 50.0, 55.0, 61.0, 119.0, 3000.0, 3100.0, 4000.0].map(advised_duration);
        let expected = [
            "10 seconds",
            "20 seconds",
            "50 seconds",
            "1 minute",
            "2 minutes",
            "2 minutes",
            "50 minutes",
            "1 hour",
            "2 hours",
        ];
        assert_eq!(advised, expected);
    }

    #[test]
    fn small_counts_are_spelled_out() {
        assert_eq!([2, 15, 21, 22].map(number), ["Two", "Fifteen", "Twenty-one", "22"]);
    }

    #[test]
    fn a_change_shows_its_interval_unless_it_is_a_point() {
        let change = |low_us, high_us| Change { at_us: 30_000_000, low_us, high_us };
        assert_eq!(time(change(30_000_000, 30_000_000)), "30.0 s");
        assert_eq!(time(change(29_500_000, 31_000_000)), "30.0 s (29.5–31.0 s)");
        assert_eq!(time(change(990_000, 1_500_000)), "30.0 s (990 ms–1.50 s)");
    }
}
