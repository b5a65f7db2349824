//! What stands out in a profile: what grows, who holds most at the peak, who allocates most.

use super::{NotInProfile, weights};
use crate::format::{bytes, percent};
use crate::profile::{Profile, WORD_BYTES};
use crate::query::filter::presets::library;
use crate::query::filter::{Filter, When};
use crate::query::findings::{Figures, Finding, Kind, MIN_PEAK_SHARE, ShareOf, View};
use crate::query::growth::{HeapGrowth, Verdict, words};
use crate::query::measure::Measure;
use crate::query::tree::{Allocators, KeyId, Label};

/// A measure of which a line may have a share that is worth telling.
struct Whole {
    kind: Kind,
    measure: Measure,
    share_of: ShareOf,
    min_share: f64,
    headline: fn(name: &str, share: &str, part: &str, whole: &str) -> String,
}

const AT_PEAK: Whole = Whole {
    kind: Kind::PeakHolder,
    measure: Measure::Live(When::Peak),
    share_of: ShareOf::Peak,
    min_share: MIN_PEAK_SHARE,
    headline: |name, share, part, whole| {
        format!("“{name}” holds {share} of the {whole} that are live at the peak: {part}.")
    },
};

/// Allocating is less of a worry.
const OF_ALL: Whole = Whole {
    kind: Kind::Allocator,
    measure: Measure::Allocated,
    share_of: ShareOf::Allocated,
    min_share: 0.3,
    headline: |name, share, part, whole| format!("“{name}” allocates {share} of all: {part} of {whole}."),
};

/// The weightiest first. `allocators` and `heap` read stacks without OCaml's own library.
pub fn findings(profile: &Profile, allocators: &Allocators, heap: &HeapGrowth) -> Result<Vec<Finding>, NotInProfile> {
    let peak_words = profile.peak().and_then(|at| profile.snapshots.get(at)).map_or(0, |snapshot| snapshot.all_words());
    let peak_bytes = peak_words as f64 * WORD_BYTES;
    let mut found = Vec::new();
    // Growth is never freed, so it is a part of the last snapshot.
    let end_words = profile.snapshots.last().map_or(0, |snapshot| snapshot.all_words());
    found.extend(growing(heap, end_words as f64 * WORD_BYTES));
    found.extend(largest_part(profile, allocators, &AT_PEAK, peak_bytes)?);
    let all_words = profile.snapshots.last().map_or(0, |snapshot| snapshot.allocated_words);
    found.extend(largest_part(profile, allocators, &OF_ALL, all_words as f64 * WORD_BYTES)?);
    Ok(found)
}

fn growing(heap: &HeapGrowth, end_bytes: f64) -> Option<Finding> {
    let bytes = heap.rate.map_or(0.0, |rate| rate.bytes_per_s * heap.window.seconds());
    let bytes_per_second = heap.rate.map(|rate| rate.bytes_per_s);
    let figures = Figures { bytes_per_second, ..figures(bytes, end_bytes, ShareOf::End) };
    (heap.verdict == Verdict::Growing).then(|| Finding {
        function: None,
        ..finding(Kind::Growing, words::headline(heap), figures, Label::default(), Measure::GROWTH, View::Leaks)
    })
}

/// What has most of a measure, if that is worth telling.
fn largest_part(
    profile: &Profile,
    allocators: &Allocators,
    whole: &Whole,
    whole_bytes: f64,
) -> Result<Option<Finding>, NotInProfile> {
    let key_of = allocators.values(&profile.calls, |key| key.0 as usize);
    let mut by_key = vec![0.0; allocators.keys().len()];
    for (stack, words) in weights(profile, &Filter::default(), whole.measure, None)? {
        by_key[key_of.of_stack(stack.0 as usize)] += words * WORD_BYTES;
    }
    // What is no line of the program has no name to give.
    let largest = (0u32..).zip(by_key).skip(1).max_by(|one, two| one.1.total_cmp(&two.1));
    Ok(largest.filter(|(_, part)| *part >= whole.min_share * whole_bytes).map(|(key, part)| {
        let label = allocators.label(&profile.calls, KeyId(key));
        let share = percent(part / whole_bytes);
        let headline = (whole.headline)(&label.plain(), &share, &bytes(part), &bytes(whole_bytes));
        finding(whole.kind, headline, figures(part, whole_bytes, whole.share_of), label, whole.measure, View::Table)
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

fn finding(kind: Kind, headline: String, figures: Figures, label: Label, measure: Measure, view: View) -> Finding {
    Finding {
        kind,
        headline,
        figures,
        function: Some(label),
        filter: Filter { clauses: vec![library()] },
        measure,
        view,
        weight: figures.share,
    }
}
