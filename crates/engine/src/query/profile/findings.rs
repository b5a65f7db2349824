//! Findings of a profile: what grows, what holds the most at the peak, and what allocates the most.

use super::{NotInProfile, weights};
use crate::profile::{Profile, WORD_BYTES};
use crate::query::filter::presets::library;
use crate::query::filter::{Filter, When};
use crate::query::findings::{AllocatorWhole, Evidence, Figures, Finding, MIN_PEAK_SHARE, ShareOf, View};
use crate::query::growth::{HeapGrowth, Verdict};
use crate::query::measure::Measure;
use crate::query::tree::{Allocators, KeyId, Label};

/// A total of which one line may have a share worth reporting.
struct Whole {
    bytes: f64,
    measure: Measure,
    share_of: ShareOf,
    min_share: f64,
    evidence: Evidence,
}

/// Allocating memory is less of a problem than holding it.
const MIN_ALLOCATED_SHARE: f64 = 0.3;

/// Returns the most important findings first. `allocators` and `heap` must exclude OCaml's standard library.
pub fn findings(profile: &Profile, allocators: &Allocators, heap: &HeapGrowth) -> Result<Vec<Finding>, NotInProfile> {
    let peak = profile.peak().and_then(|at| profile.snapshots.get(at));
    let peak_bytes = peak.map_or(0, |snapshot| snapshot.all_words()) as f64 * WORD_BYTES;
    let at_us = peak.map_or(0, |snapshot| snapshot.at_us);
    let mut found = Vec::new();
    // Growth is never freed, so it is part of the last snapshot.
    let end_words = profile.snapshots.last().map_or(0, |snapshot| snapshot.all_words());
    found.extend(growing(heap, end_words as f64 * WORD_BYTES));
    let at_peak = Whole {
        bytes: peak_bytes,
        measure: Measure::Live(When::Peak),
        share_of: ShareOf::Peak,
        min_share: MIN_PEAK_SHARE,
        evidence: Evidence::PeakHolder { peak_bytes, at_us, is_profile: true },
    };
    found.extend(largest_part(profile, allocators, at_peak)?);
    let all_bytes = profile.snapshots.last().map_or(0, |snapshot| snapshot.allocated_words) as f64 * WORD_BYTES;
    let of_all = Whole {
        bytes: all_bytes,
        measure: Measure::Allocated,
        share_of: ShareOf::Allocated,
        min_share: MIN_ALLOCATED_SHARE,
        evidence: Evidence::Allocator { per: AllocatorWhole::Bytes(all_bytes) },
    };
    found.extend(largest_part(profile, allocators, of_all)?);
    Ok(found)
}

fn growing(heap: &HeapGrowth, end_bytes: f64) -> Option<Finding> {
    let bytes = heap.rate.map_or(0.0, |rate| rate.bytes_per_s * heap.window.seconds());
    let bytes_per_second = heap.rate.map(|rate| rate.bytes_per_s);
    let figures = Figures { bytes_per_second, ..figures(bytes, end_bytes, ShareOf::End) };
    (heap.verdict == Verdict::Growing)
        .then(|| finding(Evidence::Growing(Box::new(heap.clone())), figures, None, Measure::GROWTH, View::Leaks))
}

/// Returns the line with the largest part of a total, if that is worth reporting.
fn largest_part(profile: &Profile, allocators: &Allocators, whole: Whole) -> Result<Option<Finding>, NotInProfile> {
    let key_of = allocators.values(&profile.calls, |key| key.0 as usize);
    let mut by_key = vec![0.0; allocators.keys().len()];
    for (stack, words) in weights(profile, &Filter::default(), whole.measure, None)? {
        by_key[key_of.of_stack(stack.0 as usize)] += words * WORD_BYTES;
    }
    // Skips the root, since memory outside the program's lines has no name.
    let largest = (0u32..).zip(by_key).skip(1).max_by(|one, two| one.1.total_cmp(&two.1));
    Ok(largest.filter(|(_, part)| *part >= whole.min_share * whole.bytes).map(|(key, part)| {
        let label = allocators.label(&profile.calls, KeyId(key));
        finding(whole.evidence, figures(part, whole.bytes, whole.share_of), Some(label), whole.measure, View::Table)
    }))
}

fn figures(part: f64, whole: f64, share_of: ShareOf) -> Figures {
    Figures {
        share_of,
        samples: 0,
        bytes: part,
        share: if whole > 0.0 { part / whole } else { 0.0 },
        share_error: 0.0,
        bytes_per_second: None,
    }
}

fn finding(evidence: Evidence, figures: Figures, function: Option<Label>, measure: Measure, view: View) -> Finding {
    Finding {
        evidence,
        figures,
        function,
        filter: Filter { clauses: vec![library()] },
        measure,
        view,
        weight: figures.share,
    }
}
