//! Findings in one or two sentences, with figures and their error.

use super::growth;
use crate::format::{Units, count, duration_us, percent, percent_with_margin, whole_power};
use camlscope_engine::query::findings::{AllocatorWhole, Evidence, Figures, Finding, KeptOutside, MainCause, ShareOf};
use camlscope_engine::query::statistics;

/// Memory that is neither in the minor nor in the major heap.
const OUTSIDE: &str = "outside the OCaml heap (such as Bigarrays)";
/// With this many samples a share of 1% has a margin of a fifth.
const GOOD_SAMPLES: f64 = 10_000.0;

pub fn headline(finding: &Finding, units: Units) -> String {
    let Finding { figures, function, .. } = finding;
    let function = function.as_ref().map_or_else(String::new, |label| quoted(&label.plain()));
    let (share, bytes) = (share(figures), units.bytes(figures.bytes));
    // Figures of a burst are of all functions; this sentence is of the one that allocates most.
    let of_burst = |main_share: Option<f64>| {
        main_share.map_or_else(String::new, |share| format!(" {function} allocates {} of the burst.", percent(share)))
    };
    match &finding.evidence {
        &Evidence::TooFewSamples { rate, sample_rate, bytes_per_sample } => {
            too_few_samples(figures.samples, rate, sample_rate, &units.bytes(bytes_per_sample))
        }
        Evidence::Growing(heap) => growth::headline(heap, units),
        &Evidence::PeakHolder { peak_bytes, is_profile: true, .. } => {
            format!("{function} holds {share} of the {} that are live at the peak: {bytes}.", units.bytes(peak_bytes))
        }
        &Evidence::PeakHolder { peak_bytes, at_us, is_profile: false } => format!(
            "{function} holds {share} of the peak: {bytes} of {} at {}.",
            units.bytes(peak_bytes),
            duration_us(at_us)
        ),
        &Evidence::Burst { peak_bytes, at_us, median_bytes, main_share } => format!(
            "A short burst makes the peak: {} at {}, while half of the time no more than {} is live.{}",
            units.bytes(peak_bytes),
            duration_us(at_us),
            units.bytes(median_bytes),
            of_burst(main_share)
        ),
        Evidence::NeverFreed { major_bytes, outside, main_cause, heap } => {
            let by = by(main_cause);
            let kept = match *outside {
                KeptOutside::Nothing => format!("{bytes} in the major heap is alive at the end{by}."),
                KeptOutside::Everything => format!("{bytes} {OUTSIDE} is alive at the end{by}."),
                KeptOutside::Little => format!("{bytes} outside the minor heap is alive at the end{by}."),
                KeptOutside::Bytes(outside) => format!(
                    "{bytes} is alive at the end{by}: {} in the major heap, {} {OUTSIDE}.",
                    units.bytes(*major_bytes),
                    units.bytes(outside)
                ),
            };
            format!("{kept} {}", growth::headline(heap, units))
        }
        Evidence::PromotedDies { main_cause, minor_heap_bytes } => {
            let now = minor_heap_bytes.map_or_else(String::new, |bytes| format!(" (now {})", units.bytes(bytes)));
            format!(
                "{share} of all allocation ({bytes}) is promoted and dies then{}: the costliest garbage. A larger minor \
                 heap{now} may let it die young.",
                by(main_cause)
            )
        }
        Evidence::LargeBlocks { main_cause } => format!(
            "{share} of all allocation ({bytes}) is blocks of more than 256 words, which go straight to the major heap{}.",
            by(main_cause)
        ),
        Evidence::OutsideHeap { main_cause } => {
            format!("{share} of all allocation ({bytes}) is {OUTSIDE}{}.", by(main_cause))
        }
        Evidence::Allocator { per: AllocatorWhole::Seconds(seconds) } => format!(
            "{function} allocates {share} of all bytes: {bytes}, or {} a second.",
            units.bytes(figures.bytes / seconds)
        ),
        Evidence::Allocator { per: AllocatorWhole::Bytes(whole) } => {
            format!("{function} allocates {share} of all: {bytes} of {}.", units.bytes(*whole))
        }
        &Evidence::Rush { at_us, duration_us: long_us, times_usual, main_share, n_rushes } => {
            let others = if n_rushes == 1 { String::new() } else { format!(" There are {n_rushes} such bursts.") };
            format!(
                "{share} of all allocation ({bytes}) happens within {} at {}: {times_usual:.0} times as much as usual.{}{others}",
                duration_us(long_us),
                duration_us(at_us),
                of_burst(main_share)
            )
        }
        &Evidence::Idle { from_us, to_us } => format!(
            "For {} of the time, from {} to {}, hardly anything is allocated.",
            percent(figures.share),
            duration_us(from_us),
            duration_us(to_us)
        ),
        &Evidence::Short { end_us } => {
            format!("The trace is only {} long: start-up is most of it.", duration_us(end_us))
        }
    }
}

/// `62% ±3`.
pub fn share(figures: &Figures) -> String {
    percent_with_margin(figures.share, figures.share_error)
}

/// `of the peak`, behind a percentage.
pub fn share_of(whole: ShareOf) -> &'static str {
    match whole {
        ShareOf::Allocated => "of all allocation",
        ShareOf::Peak => "of the peak",
        ShareOf::End => "of what is live at the end",
        ShareOf::Time => "of the time",
    }
}

fn too_few_samples(n: u64, rate: f64, sample_rate: f64, per_sample: &str) -> String {
    // In powers of ten, as rates are set: the nearest, as √10 lies halfway between 1 and 10.
    let factor = whole_power(10.0, GOOD_SAMPLES / n.max(1) as f64 * 10f64.sqrt()).max(10.0);
    let advice = format!("Record again with MEMTRACE_RATE={:.0e}.", (sample_rate * factor).min(1.0));
    match statistics::relative_margin(n, rate) {
        None if rate >= 1.0 => "The program allocated nothing while it was traced.".to_owned(),
        None => format!("Nothing was sampled: the program allocated less than some {per_sample}. {advice}"),
        Some(error) => format!(
            "There {} only {}: even the total is uncertain by {}, too much to draw conclusions. {advice}",
            if n == 1 { "is" } else { "are" },
            if n == 1 { "1 sample".to_owned() } else { format!("{} samples", count(n)) },
            percent(error)
        ),
    }
}

/// `, 67% of it by “f”`.
fn by(main_cause: &Option<MainCause>) -> String {
    main_cause.as_ref().map_or_else(String::new, |MainCause { function, share }| {
        format!(", {} of it by {}", percent(*share), quoted(&function.plain()))
    })
}

fn quoted(name: &str) -> String {
    format!("“{name}”")
}
