//! Findings in one or two sentences, with figures and their error.

use super::growth;
use crate::format::{Units, count, duration_us, percent, percent_with_margin, whole_power};
use camlscope_engine::query::findings::{AllocatorWhole, Evidence, Figures, Finding, KeptOutside, MainCause, ShareOf};
use camlscope_engine::query::statistics;

/// Memory in neither the minor nor the major heap.
const OUTSIDE: &str = "outside the OCaml heap (such as Bigarrays)";
/// With this many samples, a share of 1% has a relative margin of a fifth.
const GOOD_SAMPLES: f64 = 10_000.0;

pub fn headline(finding: &Finding, units: Units) -> String {
    let Finding { figures, function, .. } = finding;
    let function = function.as_ref().map_or_else(String::new, |label| quoted(&label.plain()));
    let (share, bytes) = (share(figures), units.bytes(figures.bytes));
    // A burst's figures are for all functions. This sentence is about the one that allocates most.
    let of_burst = |main_share: Option<f64>| {
        main_share.map_or_else(String::new, |share| format!(" {function} allocates {} of the burst.", percent(share)))
    };
    match &finding.evidence {
        &Evidence::TooFewSamples { rate, sample_rate, bytes_per_sample } => {
            too_few_samples(figures.samples, rate, sample_rate, &units.bytes(bytes_per_sample))
        }
        Evidence::Growing(heap) => growth::headline(heap, units),
        &Evidence::PeakHolder { peak_bytes, is_profile: true, .. } => {
            format!("{function} accounts for {share} of the peak: {bytes} of {}.", units.bytes(peak_bytes))
        }
        &Evidence::PeakHolder { peak_bytes, at_us, is_profile: false } => format!(
            "{function} accounts for {share} of the peak: {bytes} of {} at {}.",
            units.bytes(peak_bytes),
            duration_us(at_us)
        ),
        &Evidence::Burst { peak_bytes, at_us, median_bytes, main_share } => format!(
            "A short burst causes the peak: {} at {}. The median is {}.{}",
            units.bytes(peak_bytes),
            duration_us(at_us),
            units.bytes(median_bytes),
            of_burst(main_share)
        ),
        Evidence::NeverFreed { major_bytes, outside, main_cause, heap } => {
            let by = by(main_cause);
            let kept = match *outside {
                KeptOutside::Nothing => format!("{bytes} in the major heap is still live at the end{by}."),
                KeptOutside::Everything => format!("{bytes} {OUTSIDE} is still live at the end{by}."),
                KeptOutside::Little => format!("{bytes} outside the minor heap is still live at the end{by}."),
                KeptOutside::Bytes(outside) => format!(
                    "{bytes} is still live at the end{by}: {} in the major heap and {} {OUTSIDE}.",
                    units.bytes(*major_bytes),
                    units.bytes(outside)
                ),
            };
            format!("{kept} {}", growth::headline(heap, units))
        }
        Evidence::PromotedDies { main_cause, minor_heap_bytes } => {
            let now = minor_heap_bytes.map_or_else(String::new, |bytes| format!(" (currently {})", units.bytes(bytes)));
            format!(
                "{share} of allocated memory ({bytes}) is promoted and then dies{}. A larger minor heap{now} may help.",
                by(main_cause)
            )
        }
        Evidence::LargeBlocks { main_cause } => format!(
            "{share} of allocated memory ({bytes}) is in blocks larger than 256 words{}. They go directly to the major \
             heap.",
            by(main_cause)
        ),
        Evidence::OutsideHeap { main_cause } => {
            format!("{share} of allocated memory ({bytes}) is {OUTSIDE}{}.", by(main_cause))
        }
        Evidence::Allocator { per: AllocatorWhole::Seconds(seconds) } => {
            format!("{function} allocates {share} of all memory: {bytes}, {}/s.", units.bytes(figures.bytes / seconds))
        }
        Evidence::Allocator { per: AllocatorWhole::Bytes(whole) } => {
            format!("{function} allocates {share} of all memory: {bytes} of {}.", units.bytes(*whole))
        }
        &Evidence::Rush { at_us, duration_us: long_us, times_usual, main_share, n_rushes } => {
            let others = match n_rushes {
                0 | 1 => String::new(),
                2 => " One more burst like this.".to_owned(),
                n => format!(" {} more bursts like this.", n - 1),
            };
            format!(
                "Allocation burst at {}: {bytes} in {}, {times_usual:.0}× the usual rate.{}{others}",
                duration_us(at_us),
                duration_us(long_us),
                of_burst(main_share)
            )
        }
        &Evidence::Idle { from_us, to_us } => format!(
            "Almost nothing is allocated from {} to {} ({} of the time).",
            duration_us(from_us),
            duration_us(to_us),
            percent(figures.share)
        ),
        &Evidence::Short { end_us } => {
            format!("The trace covers only {}, which is mostly startup.", duration_us(end_us))
        }
    }
}

/// `62% ±3`.
pub fn share(figures: &Figures) -> String {
    percent_with_margin(figures.share, figures.share_error)
}

/// `of the peak`, after a percentage.
pub fn share_of(whole: ShareOf) -> &'static str {
    match whole {
        ShareOf::Allocated => "of allocated memory",
        ShareOf::Peak => "of the peak",
        ShareOf::End => "of memory live at the end",
        ShareOf::Time => "of the time",
    }
}

fn too_few_samples(n: u64, rate: f64, sample_rate: f64, per_sample: &str) -> String {
    // Rates are usually set to powers of ten. √10 is halfway between 1 and 10, so this rounds to the nearest.
    let factor = whole_power(10.0, GOOD_SAMPLES / n.max(1) as f64 * 10f64.sqrt()).max(10.0);
    let advice = format!("Record again with MEMTRACE_RATE={:.0e}.", (sample_rate * factor).min(1.0));
    match statistics::relative_margin(n, rate) {
        None if rate >= 1.0 => "The program allocated nothing while it was traced.".to_owned(),
        None => format!("No samples: the program allocated less than about {per_sample}. {advice}"),
        Some(error) => {
            format!("Not enough samples ({}): even the total is uncertain by ±{}. {advice}", count(n), percent(error))
        }
    }
}

/// `, mostly from “f” (67%)`: a main cause has at least half.
fn by(main_cause: &Option<MainCause>) -> String {
    main_cause.as_ref().map_or_else(String::new, |MainCause { function, share }| {
        format!(", mostly from {} ({})", quoted(&function.plain()), percent(*share))
    })
}

fn quoted(name: &str) -> String {
    format!("“{name}”")
}
