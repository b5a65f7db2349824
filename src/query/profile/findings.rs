//! What stands out in a profile: what grows, who holds most at the peak, who allocates most.

use super::{NotInProfile, weights};
use crate::format::{bytes, percent};
use crate::profile::{Profile, WORD_BYTES};
use crate::query::filter::presets::library;
use crate::query::filter::{Filter, When};
use crate::query::findings::{Figures, Finding, Kind, MIN_PEAK_SHARE, View};
use crate::query::label::NO_FRAME;
use crate::query::leaks::{Leaks, Verdict};
use crate::query::measure::Measure;
use crate::query::tree::{Allocators, KeyId, Label};

/// The same of all allocation, which is less of a worry.
const MIN_ALLOCATED_SHARE: f64 = 0.3;

/// The weightiest first. `allocators` and `leaks` read stacks without OCaml's own library.
pub fn findings(profile: &Profile, allocators: &Allocators, leaks: &Leaks) -> Result<Vec<Finding>, NotInProfile> {
    let peak_words = profile.peak().and_then(|at| profile.snapshots.get(at)).map_or(0, |snapshot| snapshot.all_words());
    let peak_bytes = peak_words as f64 * WORD_BYTES;
    let mut found = Vec::new();
    found.extend(growing(leaks, peak_bytes));
    if let Some((label, held)) = largest(profile, allocators, Measure::Live(When::Peak))?
        && held >= MIN_PEAK_SHARE * peak_bytes
    {
        let headline = format!(
            "“{}” holds {} of the {} that are live at the peak: {}.",
            label.name,
            percent(held / peak_bytes),
            bytes(peak_bytes),
            bytes(held)
        );
        let figures = figures(held, peak_bytes);
        found.push(finding(Kind::PeakHolder, headline, figures, label, Measure::Live(When::Peak), View::Table));
    }
    let all_words = profile.snapshots.last().map_or(0, |snapshot| snapshot.allocated_words);
    let all_bytes = all_words as f64 * WORD_BYTES;
    if let Some((label, allocated)) = largest(profile, allocators, Measure::Allocated)?
        && allocated >= MIN_ALLOCATED_SHARE * all_bytes
    {
        let headline = format!(
            "“{}” allocates {} of all: {} of {}.",
            label.name,
            percent(allocated / all_bytes),
            bytes(allocated),
            bytes(all_bytes)
        );
        let figures = figures(allocated, all_bytes);
        found.push(finding(Kind::Allocator, headline, figures, label, Measure::Allocated, View::Table));
    }
    Ok(found)
}

fn growing(leaks: &Leaks, peak_bytes: f64) -> Option<Finding> {
    let of_program = leaks.sites.iter().filter(|site| site.name != NO_FRAME);
    let growing: Vec<_> = of_program.filter(|site| site.verdict == Verdict::Growing).collect();
    let first = growing.first()?;
    let others = match growing.len() - 1 {
        0 => String::new(),
        1 => " One other line grows, too.".to_owned(),
        n => format!(" {n} other lines grow, too."),
    };
    let headline = format!(
        "“{}” keeps more and more: {} a second of processor time, {} at the end.{others}",
        first.name,
        bytes(first.growth_bytes_per_s),
        bytes(first.end_bytes)
    );
    let figures = Figures { bytes_per_second: Some(first.growth_bytes_per_s), ..figures(first.end_bytes, peak_bytes) };
    let label = Label { name: first.name.clone(), file: first.file.clone(), place: None };
    Some(finding(Kind::Growing, headline, figures, label, Measure::Live(When::End), View::Leaks))
}

/// What allocated most of a measure, with its bytes.
fn largest(profile: &Profile, allocators: &Allocators, measure: Measure) -> Result<Option<(Label, f64)>, NotInProfile> {
    let key_of = allocators.values(&profile.calls, |key| key.0 as usize);
    let mut by_key = vec![0.0; allocators.keys().len()];
    for (stack, words) in weights(profile, &Filter::default(), measure)? {
        by_key[key_of.of_stack(stack.0 as usize)] += words * WORD_BYTES;
    }
    // What is no line of the program has no name to give.
    let largest = (0u32..).zip(by_key).skip(1).max_by(|one, two| one.1.total_cmp(&two.1));
    Ok(largest.map(|(key, bytes)| (allocators.label(&profile.calls, KeyId(key)), bytes)))
}

fn figures(part: f64, whole: f64) -> Figures {
    Figures {
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
