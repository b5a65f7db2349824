//! Checks histograms against sorted lists of all values.

use std::fs;

use camlscope_engine::query::filter::{Heap, select};
use camlscope_engine::query::histogram::heat::{Across, Heat, HeatConfig, heat};
use camlscope_engine::query::histogram::sites::{BinSite, Which, Within, sites};
use camlscope_engine::query::histogram::{
    BinAmounts, Bins, Counted, Histogram, HistogramConfig, Of, Split, Stats, histogram,
};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::tree::{Allocators, Grain, Label, Shape};
use camlscope_engine::trace::Budget;
use proptest::prelude::*;
use serde_json::Value;

use super::filters::random_case;
use super::reference::{counted, heap, reading};
use super::support::{Case, Object};
use camlscope_testkit::fixtures::{fixture, fixture_path, load};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn bins_and_statistics_match_the_sorted_values(
        (case, filter) in random_case(), of in of(), bins in bins(),
        split in prop_oneof![Just(None), Just(Some(Split::Heap)), Just(Some(Split::Fate))],
        weight in prop_oneof![Just(Counted::Samples), Just(Counted::Bytes), Just(Counted::Blocks)],
    ) {
        prop_assume!(filter.check().is_ok());
        let config = HistogramConfig { of, bins, split, weight };
        let selection = select(&case.trace, &filter).expect("a filter");
        let got = histogram(&case.trace, &selection, &config);
        let objects = counted(&case, &filter, Measure::Allocated);
        check_bins(&case, &objects, &config, &got)?;
        check_stats(&case, &objects, &config, &got.stats)?;
    }

    #[test]
    fn a_heat_map_counts_each_sample_once((case, filter) in random_case(), across in across(), n in 1usize..9) {
        prop_assume!(filter.check().is_ok());
        let selection = select(&case.trace, &filter).expect("a filter");
        let got = heat_map(&case, &selection, across, n);
        let objects = counted(&case, &filter, Measure::Allocated);
        prop_assert_eq!(got.outside, 0);
        for (at, bin) in got.across.iter().enumerate() {
            let column = || objects.iter().filter(|object| bin.contains(value_across(object, across)));
            for (up, lifetime) in got.lifetimes.iter().enumerate() {
                let range = lifetime.from..lifetime.to;
                let cell = column().filter(|object| collected_after(object).is_some_and(|us| range.contains(&us)));
                check_amounts(&case, &cell.copied().collect::<Vec<_>>(), got.cell(at, up))?;
            }
            let never = column().filter(|object| object.end_us.is_none());
            check_amounts(&case, &never.copied().collect::<Vec<_>>(), got.cell(at, got.lifetimes.len()))?;
        }
        let counted = got.cells.iter().map(|cell| cell.samples).sum::<u64>();
        prop_assert_eq!(counted, sum(objects.iter()));
    }

    #[test]
    fn sites_of_a_bin_are_its_largest_allocators((case, filter) in random_case(), of in of()) {
        prop_assume!(filter.check().is_ok());
        let selection = select(&case.trace, &filter).expect("a filter");
        let shape = Shape::new(Grain::Site, false, &filter);
        let allocators = Allocators::new(&case.trace.calls, &shape).expect("a shape");
        let config = HistogramConfig { of, bins: Bins::Log10, split: None, weight: Counted::Samples };
        let bins = histogram(&case.trace, &selection, &config).bins;
        let mut asked: Vec<Which> = bins.iter().map(|bin| Which::Values { from: bin.from, to: bin.to }).collect();
        asked.extend((of == Of::Lifetime).then_some(Which::Never));
        let objects = counted(&case, &filter, Measure::Allocated);
        for which in asked {
            let got = sites(&case.trace, &selection, &allocators, &Within::bin(of, which), 3);
            check_sites(objects.iter().copied().filter(|object| is_which(value(object, of), which)), &shape, &got)?;
        }
    }

    #[test]
    fn sites_of_a_heat_map_cell_are_its_largest_allocators(
        (case, filter) in random_case(), across in across(), is_never in any::<bool>(), n in 1usize..4
    ) {
        prop_assume!(filter.check().is_ok());
        let selection = select(&case.trace, &filter).expect("a filter");
        let shape = Shape::new(Grain::Site, false, &filter);
        let allocators = Allocators::new(&case.trace.calls, &shape).expect("a shape");
        let map = heat_map(&case, &selection, across, n);
        let objects = counted(&case, &filter, Measure::Allocated);
        for bin in map.across {
            let lifetimes = map.lifetimes.iter().map(|bin| Which::Values { from: bin.from, to: bin.to });
            for which in lifetimes.filter(|_| !is_never).chain([Which::Never]) {
                let is_meant = |object: &&Object| {
                    bin.contains(value_across(object, across)) && is_which(collected_after(object), which)
                };
                let (size, allocated) = if across == Across::Size { (Some(bin), None) } else { (None, Some(bin)) };
                let within = Within { size, allocated, lifetime: Some(which) };
                let got = sites(&case.trace, &selection, &allocators, &within, usize::MAX);
                check_sites(objects.iter().copied().filter(is_meant), &shape, &got)?;
            }
        }
    }
}

fn is_which(value: Option<u64>, which: Which) -> bool {
    match (which, value) {
        (Which::Values { from, to }, Some(value)) => from <= value && value < to,
        (Which::Values { .. }, None) => false,
        (Which::Never, value) => value.is_none(),
    }
}

/// Checks that `got` are the largest sites of these objects.
fn check_sites<'a>(
    objects: impl Iterator<Item = &'a Object>,
    shape: &Shape,
    got: &[BinSite],
) -> Result<(), TestCaseError> {
    let mut sites: Vec<(Label, u64)> = Vec::new();
    for object in objects {
        let none = Label { name: "(no frame)".to_owned(), ..Label::default() };
        let label = reading(object, shape).unwrap_or_default().pop().unwrap_or(none);
        match sites.iter_mut().find(|site| site.0 == label) {
            Some(site) => site.1 += object.samples,
            None => sites.push((label, object.samples)),
        }
    }
    sites.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    prop_assert!(got.len() == sites.len() || got.len() == 3 && sites.len() > 3);
    sites.truncate(got.len());
    prop_assert_eq!(got.iter().map(|site| (site.label.clone(), site.samples)).collect::<Vec<_>>(), sites);
    Ok(())
}

#[test]
fn bins_of_the_fixtures_match_the_facts() {
    for name in ["orders-1e-4-v2", "leak-1e-4-v3", "phases-1e-4-v2", "tiny-1.0-v3", "menhir-1e-5-v3", "empty-1e-6-v3"] {
        let trace = load(&fixture(name), 1 << 16, Budget::default()).expect("a trace");
        let facts = fs::read_to_string(fixture_path(name).with_extension("facts.json")).expect("facts");
        let facts: Value = serde_json::from_str(&facts).expect("facts");
        for (of, bins, key) in
            [(Of::Size, Bins::Log2, "size_log2_samples"), (Of::Lifetime, Bins::Log10, "lifetime_log10us_samples")]
        {
            let config = HistogramConfig { of, bins, split: None, weight: Counted::Samples };
            let got = histogram(&trace, &Selection::all(trace.columns.len()), &config);
            let base: f64 = if bins == Bins::Log2 { 2.0 } else { 10.0 };
            let mut read: Vec<(String, u64)> = got
                .bins
                .iter()
                .filter(|bin| bin.samples > 0)
                .map(|bin| (if bin.from < 1 { -1.0 } else { (bin.from as f64).log(base).round() }, bin.samples))
                .map(|(log, samples)| (log.to_string(), samples))
                .collect();
            read.sort();
            let want = facts[key].as_object().expect("bins").iter();
            let mut want: Vec<(String, u64)> =
                want.map(|(log, n)| (log.clone(), n.as_u64().unwrap_or(0))).filter(|bin| bin.1 > 0).collect();
            want.sort();
            assert_eq!(read, want, "{name} {key}");
        }
    }
}

#[test]
fn objects_never_collected_are_in_no_lifetime_bin_and_no_mean() {
    let case = Case::from_text("a 2@0-0.000010\nb 5@0-\nc 1@0.5-0.500040 words=300");
    let config =
        HistogramConfig { of: Of::Lifetime, bins: Bins::Log10, split: Some(Split::Fate), weight: Counted::Samples };
    let got = histogram(&case.trace, &Selection::all(3), &config);
    assert_eq!(got.never.map(|never| never.samples), Some(5));
    assert_eq!((got.bins.len(), got.bins[0].from, got.bins[0].to, got.bins[0].samples), (1, 10, 100, 3));
    assert_eq!((got.stats.count, got.stats.mean, got.stats.median, got.stats.max), (3.0, 20.0, 10, 40));
    assert_eq!(got.never_parts.iter().map(|part| part.samples).collect::<Vec<_>>(), [0, 0, 5]);
    assert!((got.stats.large_percent - 100.0 / 3.0).abs() < 1e-9);
}

#[test]
fn classic_bins_are_single_sizes_then_minor_heap_sizes_then_large_ones() {
    let case = Case::from_text(
        "a 1@0- words=1\na 1@0- words=32\na 1@0- words=33\na 1@0- words=256\na 1@0- words=257\na 1@0- words=20000 major",
    );
    let config = HistogramConfig { of: Of::Size, bins: Bins::Classic, split: None, weight: Counted::Blocks };
    let got = histogram(&case.trace, &Selection::all(6), &config);
    let filled: Vec<(u64, u64, u64)> =
        got.bins.iter().filter(|bin| bin.samples > 0).map(|bin| (bin.from, bin.to, bin.samples)).collect();
    assert_eq!(filled, [(1, 2, 1), (32, 33, 1), (33, 257, 2), (257, 10_001, 1), (10_001, 20_001, 1)]);
}

fn of() -> impl Strategy<Value = Of> {
    prop_oneof![Just(Of::Size), Just(Of::Lifetime)]
}

fn bins() -> impl Strategy<Value = Bins> {
    let linear = (0u64..300, 0u64..100_000, 1usize..20).prop_map(|(from, to, n)| Bins::Linear { from, to, n });
    prop_oneof![Just(Bins::Log2), Just(Bins::Log10), Just(Bins::Classic), linear]
}

fn across() -> impl Strategy<Value = Across> {
    prop_oneof![Just(Across::Size), Just(Across::AllocationTime)]
}

fn heat_map(case: &Case, selection: &Selection, across: Across, n: usize) -> Heat {
    let across_bins = match across {
        Across::Size => Bins::Log2,
        Across::AllocationTime => Bins::Linear { from: 0, to: case.end_us + 1, n },
    };
    heat(&case.trace, selection, &HeatConfig { across, across_bins, lifetime_bins: Bins::Log10 })
}

fn value_across(object: &Object, across: Across) -> u64 {
    if across == Across::Size { object.size_words } else { object.alloc_us }
}

fn collected_after(object: &Object) -> Option<u64> {
    object.end_us.map(|end_us| end_us - object.alloc_us)
}

fn value(object: &Object, of: Of) -> Option<u64> {
    match of {
        Of::Size => Some(object.size_words),
        Of::Lifetime => collected_after(object),
    }
}

fn sum<'a>(objects: impl Iterator<Item = &'a &'a Object>) -> u64 {
    objects.map(|object| object.samples).sum()
}

/// In samples per word.
fn blocks(object: &Object) -> f64 {
    object.samples as f64 / (object.size_words + 1) as f64
}

fn part(object: &Object, split: Split) -> usize {
    match (split, heap(object)) {
        (Split::Heap, heap) => heap as usize,
        (Split::Fate, _) if object.end_us.is_none() => 2,
        (Split::Fate, Heap::Minor) => 0,
        (Split::Fate, _) => 1,
    }
}

fn check_amounts(case: &Case, objects: &[&Object], got: BinAmounts) -> Result<(), TestCaseError> {
    let samples = sum(objects.iter());
    prop_assert_eq!(got.samples, samples);
    prop_assert!(is_near(got.bytes, samples as f64 * case.trace.bytes_a_sample()));
    let raw: f64 = objects.iter().map(|object| blocks(object)).sum();
    prop_assert!(is_near(got.blocks, raw / case.trace.rate()));
    Ok(())
}

fn check_bins(case: &Case, all: &[&Object], config: &HistogramConfig, got: &Histogram) -> Result<(), TestCaseError> {
    let within = |is_meant: &dyn Fn(Option<u64>) -> bool| -> Vec<&Object> {
        all.iter().filter(|object| is_meant(value(object, config.of))).copied().collect()
    };
    let mut n_seen = 0;
    for (at, bin) in got.bins.iter().enumerate() {
        prop_assert!(bin.from < bin.to);
        prop_assert!(at == 0 || got.bins[at - 1].to == bin.from, "bins have gaps or overlap");
        let objects = within(&|value| value.is_some_and(|value| bin.from <= value && value < bin.to));
        n_seen += objects.len();
        check_amounts(case, &objects, BinAmounts { samples: bin.samples, bytes: bin.bytes, blocks: bin.blocks })?;
        prop_assert_eq!(bin.alive_samples, sum(objects.iter().filter(|object| object.end_us.is_none())));
        prop_assert_eq!(bin.parts.len(), got.part_names.len());
        for (number, part_amounts) in bin.parts.iter().enumerate() {
            let of_part: Vec<&Object> = objects
                .iter()
                .filter(|object| config.split.is_some_and(|split| part(object, split) == number))
                .copied()
                .collect();
            check_amounts(case, &of_part, *part_amounts)?;
        }
    }
    if let Bins::Linear { from, to, .. } = config.bins {
        let below = within(&|value| value.is_some_and(|value| value < from));
        let above = within(&|value| value.is_some_and(|value| value >= from && value >= to));
        check_amounts(case, &below, got.below)?;
        check_amounts(case, &above, got.above)?;
        n_seen += below.len() + above.len();
    }
    let never = within(&|value| value.is_none());
    prop_assert_eq!(n_seen + never.len(), all.len(), "some objects are in no bin");
    prop_assert_eq!(got.never.is_some(), config.of == Of::Lifetime);
    check_amounts(case, &never, got.never.unwrap_or_default())
}

fn check_stats(case: &Case, all: &[&Object], config: &HistogramConfig, got: &Stats) -> Result<(), TestCaseError> {
    let (scale, weigh): (f64, fn(&Object) -> f64) = match config.weight {
        Counted::Samples => (1.0, |object| object.samples as f64),
        Counted::Bytes => (case.trace.bytes_a_sample(), |object| object.samples as f64),
        Counted::Blocks => (1.0 / case.trace.rate(), blocks),
    };
    let mut values: Vec<(u64, f64, bool)> = all
        .iter()
        .filter_map(|object| Some((value(object, config.of)?, weigh(object), object.size_words > 256)))
        .collect();
    values.sort_by_key(|value| value.0);
    let total: f64 = values.iter().map(|value| value.1).sum();
    let mean_of = |of: &dyn Fn(&(u64, f64, bool)) -> f64| {
        let sum: f64 = values.iter().map(|value| value.1 * of(value)).sum();
        if total > 0.0 { sum / total } else { 0.0 }
    };
    let mean = mean_of(&|value| value.0 as f64);
    let variance = mean_of(&|value| (value.0 as f64 - mean).powi(2));
    prop_assert!(is_near(got.count, total * scale));
    prop_assert!(is_near(got.mean, mean), "{} {mean}", got.mean);
    // If all values are equal, only the rounding error of their mean is left.
    prop_assert!(is_near(got.variance, variance) || got.variance.max(variance) <= 1e-18 * mean * mean);
    prop_assert!(is_near(got.sd, got.variance.sqrt()));
    prop_assert!(is_near(got.large_percent, 100.0 * mean_of(&|value| f64::from(u8::from(value.2)))));
    prop_assert_eq!(got.max, values.last().map_or(0, |value| value.0));
    for (share, got) in [(0.5, got.median), (0.9, got.p90), (0.99, got.p99)].into_iter().filter(|_| !values.is_empty())
    {
        prop_assert!(values.iter().any(|value| value.0 == got), "a quantile isn't one of the values");
        let upto: f64 = values.iter().filter(|value| value.0 <= got).map(|value| value.1).sum();
        let before: f64 = values.iter().filter(|value| value.0 < got).map(|value| value.1).sum();
        // Sums of fractions depend on their order in the last digits. Sums of whole samples don't.
        let slack = if config.weight == Counted::Blocks { 1e-9 * total } else { 0.0 };
        prop_assert!(upto >= share * total - slack, "{share}: {got} is too low");
        prop_assert!(before < share * total + slack, "{share}: {got} is too high");
    }
    Ok(())
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}
