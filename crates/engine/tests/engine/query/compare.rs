//! Comparisons of two points in time and of two traces: rows, their errors, and the difference flame graph.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use camlscope_engine::query::compare::{
    Change, CompareConfig, ComparedSide, Comparison, DiffBox, DiffConfig, DiffFlame, Objects, Scale, Sum, Verdict,
    compare, diff_flame,
};
use camlscope_engine::query::filter::{Clause, Filter, When, select};
use camlscope_engine::query::measure::{Measure, Weight};
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::statistics::{Estimate, LEVEL};
use camlscope_engine::query::tree::{CallTree, Label, Shape, ShapedTree};
use camlscope_engine::trace::Trace;
use expect_test::expect;
use proptest::prelude::*;

use super::filters::random_shape;
use super::reference::{reading, weight};
use super::support::{Case, Object, random_trace};

fn tree(trace: &Trace, shape: &Shape) -> ShapedTree {
    ShapedTree::new(&trace.calls, &Rc::new(CallTree::new(&trace.calls, shape.grain)), shape).expect("patterns")
}

fn is_live(object: &Object, time_us: u64) -> bool {
    object.alloc_us <= time_us && object.end_us.is_none_or(|end_us| end_us > time_us)
}

fn two_times(case: &Case, shape: &Shape, times: [u64; 2], config: &CompareConfig) -> Comparison {
    let (trace, tree, weight) = (&case.trace, &tree(&case.trace, shape), config.measure.weight());
    let live_at = |time_us| Filter { clauses: vec![Clause::LiveAt(When::At(time_us))] };
    let live = times.map(|time_us| select(trace, &live_at(time_us)).expect("possible"));
    let side = |this: usize| {
        let (selection, other) = (&live[this], Some(&live[1 - this]));
        ComparedSide::of_objects(Objects { trace, selection, other, weight, growth_seconds: 0.0 }, tree)
    };
    compare(side(0), side(1), config)
}

fn of_two_traces<T>(
    one: &Case,
    two: &Case,
    shape: &Shape,
    config: &CompareConfig,
    ask: impl Fn(ComparedSide<'_>, ComparedSide<'_>) -> T,
) -> T {
    let traces = [&one.trace, &two.trace];
    let trees = traces.map(|trace| tree(trace, shape));
    let all = traces.map(|trace| Selection::all(trace.columns.len()));
    let weight = config.measure.weight();
    let side = |this: usize| {
        let (trace, selection) = (traces[this], &all[this]);
        ComparedSide::of_objects(Objects { trace, selection, other: None, weight, growth_seconds: 0.0 }, &trees[this])
    };
    ask(side(0), side(1))
}

fn two_traces(one: &Case, two: &Case, shape: &Shape, config: &CompareConfig) -> Comparison {
    of_two_traces(one, two, shape, config, |before, after| compare(before, after, config))
}

/// The own weights of all boxes by stack, in a graph wide enough to show every box.
fn own_parts(flame: &DiffFlame) -> BTreeMap<Vec<Label>, [f64; 2]> {
    let mut own: Vec<[f64; 2]> = flame.boxes.iter().map(|this| [this.before, this.after]).collect();
    for this in flame.boxes.iter().skip(1) {
        own[this.parent][0] -= this.before;
        own[this.parent][1] -= this.after;
    }
    let parts = flame.boxes.iter().enumerate().map(|(at, _)| (path_to(flame, at), own[at]));
    parts.filter(|(_, own)| *own != [0.0; 2]).collect()
}

fn path_to(flame: &DiffFlame, mut at: usize) -> Vec<Label> {
    let mut path = Vec::new();
    while let Some(name) = flame.boxes[at].name {
        path.push(flame.names[name].clone());
        at = flame.boxes[at].parent;
    }
    path.reverse();
    path
}

/// The sums of one side's objects: weight and samples, then weight and samples of the objects that aren't shared.
type Slow = BTreeMap<Label, [f64; 4]>;

fn slow_side(case: &Case, shape: &Shape, config: &CompareConfig, counts: impl Fn(&Object) -> Option<bool>) -> Slow {
    let mut sums = Slow::new();
    for object in &case.objects {
        let (Some(is_shared), Some(mut labels)) = (counts(object), reading(object, shape)) else { continue };
        if config.sum == Sum::Own {
            labels = labels.pop().into_iter().collect();
        }
        labels.sort();
        labels.dedup();
        let (weight, samples) = (weight(case, object, config.measure), object.samples as f64);
        let unshared = if is_shared { 0.0 } else { 1.0 };
        for label in labels {
            let sum = sums.entry(label).or_default();
            let values = [weight, samples, weight * unshared, samples * unshared];
            sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += value);
        }
    }
    sums
}

fn is_close(one: f64, two: f64) -> bool {
    (one - two).abs() <= 1e-9 * one.abs().max(two.abs()).max(1e-300)
}

fn check(comparison: &Comparison, cases: [&Case; 2], sides: [Slow; 2], config: &CompareConfig) {
    let labels: Vec<&Label> = sides.iter().flat_map(BTreeMap::keys).collect();
    let n_labels = labels.iter().collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!((comparison.n_rows, comparison.rows.len()), (n_labels, n_labels.min(config.limit)));
    assert!(comparison.rows.is_sorted_by_key(|row| (!row.change.verdict.is_significant(), -row.change.change.abs())));
    for row in &comparison.rows {
        let [one, two] = [0, 1].map(|which| sides[which].get(&row.label).copied().unwrap_or_default());
        let change = &row.change;
        let scale = cases.map(|case| {
            let allocated: f64 = case.objects.iter().map(|object| object.samples as f64).sum();
            let divisor = match config.scale {
                Scale::PerSecond if !config.measure.is_stock() => case.end_us.max(1) as f64 / 1e6,
                Scale::PerAllocated if allocated > 0.0 => allocated * case.trace.bytes_a_sample() / 1048576.0,
                _ => 1.0,
            };
            config.measure.scale(case.trace.sampling(), 0.0) / divisor
        });
        assert!(is_close(change.before, one[0] * scale[0]) && is_close(change.after, two[0] * scale[1]), "{row:?}");
        assert_eq!((change.samples_before, change.samples_after), (one[1] as u64, two[1] as u64), "{row:?}");
        assert_eq!(change.change, change.after - change.before);
        // How far the interval of each side extends down and up. If a side has no samples, its samples weigh what the
        // other's do.
        let reach = |which: usize, sums: [f64; 4], other: [f64; 4]| {
            let weight = match (sums[3], other[3]) {
                (0.0, 0.0) => 1.0,
                (0.0, n) => other[2] / n,
                (n, _) => sums[2] / n,
            };
            let estimate =
                Estimate { samples: sums[3], weight: weight * scale[which], rate: cases[which].trace.rate() };
            let (low, high) = estimate.interval();
            [estimate.value() - low, high - estimate.value()]
        };
        let [[went_down, went_up], [came_down, came_up]] = [reach(0, one, two), reach(1, two, one)];
        let (below, above) = (came_down.hypot(went_up), came_up.hypot(went_down));
        assert!(is_close(change.error, below.max(above)), "{row:?}: {below} {above}");
        // Sums of numbers of very different sizes lose digits of the small ones.
        let largest = change.change.abs().max(below).max(above);
        assert!((change.high - change.low - below - above).abs() <= 1e-9 * largest, "{row:?}");
        assert!(change.low <= change.change && change.change <= change.high, "{row:?}");
        let is_exact = cases.iter().all(|case| case.trace.rate() >= 1.0);
        if change.verdict.is_significant() {
            assert!(change.change != 0.0 && (is_exact || change.p <= LEVEL), "{row:?}");
        }
    }
    let n_changed = comparison.rows.iter().filter(|row| row.change.verdict.is_significant()).count();
    assert_eq!(n_changed, comparison.n_changed.min(config.limit));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(64) })]

    #[test]
    fn changes_between_two_times_match_the_objects(
        case in random_trace(), shape in random_shape(), at in (0f64..1.1, 0f64..1.1), own in any::<bool>()
    ) {
        let times = [at.0, at.1].map(|share| (case.end_us as f64 * share) as u64);
        let sum = if own { Sum::Own } else { Sum::Total };
        let config = CompareConfig { measure: Measure::Live(When::Peak), sum, scale: Scale::AsIs, limit: usize::MAX, gate: None };
        let comparison = two_times(&case, &shape, times, &config);
        let side = |this: u64, other: u64| {
            slow_side(&case, &shape, &config, |object| is_live(object, this).then(|| is_live(object, other)))
        };
        check(&comparison, [&case, &case], [side(times[0], times[1]), side(times[1], times[0])], &config);
    }

    #[test]
    fn changes_between_two_traces_match_their_objects(
        one in random_trace(), two in random_trace(), shape in random_shape(), own in any::<bool>(),
        scale in prop_oneof![Just(Scale::AsIs), Just(Scale::PerSecond), Just(Scale::PerAllocated)], limit in prop_oneof![Just(3usize), Just(usize::MAX)],
        measure in prop_oneof![Just(Measure::Allocated), Just(Measure::Blocks), Just(Measure::ByteSeconds)],
    ) {
        let sum = if own { Sum::Own } else { Sum::Total };
        let config = CompareConfig { measure, sum, scale, limit, gate: None };
        let comparison = two_traces(&one, &two, &shape, &config);
        let side = |case: &Case| slow_side(case, &shape, &config, |_| Some(false));
        check(&comparison, [&one, &two], [side(&one), side(&two)], &config);
    }

    #[test]
    fn table_graph_and_headline_agree(
        one in random_trace(), two in random_trace(), shape in random_shape(), root in any::<prop::sample::Index>(),
    ) {
        let mut verdicts: BTreeMap<[u64; 5], Verdict> = BTreeMap::new();
        let mut check = |figures: [f64; 5], verdict: Verdict| {
            *verdicts.entry(figures.map(f64::to_bits)).or_insert(verdict) == verdict
        };
        let of = |change: &Change| {
            [change.before, change.after, change.samples_before as f64, change.samples_after as f64, change.error]
        };
        for sum in [Sum::Total, Sum::Own] {
            let config = CompareConfig { measure: Measure::Allocated, sum, scale: Scale::AsIs, limit: usize::MAX, gate: None };
            let comparison = two_traces(&one, &two, &shape, &config);
            prop_assert!(check(of(&comparison.all), comparison.all.verdict));
            for row in &comparison.rows {
                prop_assert!(check(of(&row.change), row.change.verdict), "{:?}", row);
            }
            // Also zoomed in to one of the frames.
            let zoomed = (!comparison.rows.is_empty()).then(|| vec![root.get(&comparison.rows).label.clone()]);
            for root in [Some(Vec::new()), zoomed].into_iter().flatten() {
                let picture = DiffConfig { root, width_px: 300.0, max_levels: usize::MAX, x: 0.0..1.0, x_of: 1 };
                let flame = of_two_traces(&one, &two, &shape, &config, |before, after| {
                    diff_flame(before, after, config.measure, config.scale, &picture)
                });
                for of in flame.iter().flat_map(|flame| &flame.boxes) {
                    let figures = [of.before, of.after, of.samples_before as f64, of.samples_after as f64, of.error];
                    prop_assert!(check(figures, of.verdict), "{:?}", of);
                }
            }
        }
    }

    #[test]
    fn the_difference_flame_graph_has_every_sample_of_both_sides(
        one in random_trace(), two in random_trace(), shape in random_shape(), width_px in 1f64..400.0,
        from in 0f64..1.0, x_of in 0usize..2
    ) {
        let config = CompareConfig { measure: Measure::Samples, sum: Sum::Own, scale: Scale::AsIs, limit: 0, gate: None };
        let comparison = two_traces(&one, &two, &shape, &config);
        let draw_part = |root: Vec<Label>, width_px: f64, max_levels: usize, x: Range<f64>| {
            of_two_traces(&one, &two, &shape, &config, |before, after| {
                let picture = DiffConfig { root: root.clone(), width_px, max_levels, x: x.clone(), x_of };
                diff_flame(before, after, config.measure, config.scale, &picture)
            })
        };
        let draw = |root, width_px, max_levels| draw_part(root, width_px, max_levels, 0.0..1.0);
        let mut slow: BTreeMap<Vec<Label>, [f64; 2]> = BTreeMap::new();
        for (which, case) in [&one, &two].into_iter().enumerate() {
            for object in &case.objects {
                if let Some(labels) = reading(object, &shape) {
                    slow.entry(labels).or_default()[which] += object.samples as f64;
                }
            }
        }
        slow.retain(|_, weights| *weights != [0.0; 2]);
        let whole = draw(Vec::new(), f64::MAX, usize::MAX).expect("the root always exists");
        prop_assert_eq!(own_parts(&whole), slow.clone());

        let flame = draw(Vec::new(), width_px, usize::MAX).expect("the root always exists");
        let root = &flame.boxes[0];
        prop_assert_eq!((root.before, root.after), (comparison.all.before, comparison.all.after));
        for (at, this) in flame.boxes.iter().enumerate() {
            let share = (this.before / root.before.max(1.0)).max(this.after / root.after.max(1.0));
            prop_assert!(at == 0 || this.merged > 0 || share * width_px >= 1.0 - 1e-9, "{:?}", this);
            let below: Vec<_> = flame.boxes.iter().skip(1).filter(|other| other.parent == at).collect();
            let (mut x_before, mut x_after) = (this.x_before, this.x_after);
            for other in &below {
                prop_assert_eq!((other.level, other.x_before, other.x_after), (this.level + 1, x_before, x_after));
                (x_before, x_after) = (x_before + other.before, x_after + other.after);
            }
            if this.merged == 0 {
                let path = path_to(&flame, at);
                let own = slow.get(&path).copied().unwrap_or_default();
                prop_assert_eq!([this.x_before + this.before, this.x_after + this.after], [x_before + own[0], x_after + own[1]]);
                // Zoomed in, the box has the same weight and starts at 0.
                let zoomed = draw(path, width_px, 1).expect("a box");
                prop_assert_eq!((zoomed.boxes[0].before, zoomed.boxes[0].after), (this.before, this.after));
                prop_assert_eq!(zoomed.boxes[0].x_before, 0.0);
                prop_assert!(zoomed.boxes.iter().all(|other| other.level <= 1));
            }
        }

        // A part of the width has the boxes that reach into it, with the same figures.
        let x = from..(from + 0.3).min(1.0);
        let total = [root.before, root.after][x_of];
        let is_in_part = |this: &DiffBox| {
            let (at, width) = [(this.x_before, this.before), (this.x_after, this.after)][x_of];
            at <= x.end * total && at + width >= x.start * total
        };
        let figures = |this: &DiffBox| (this.level, this.merged, [this.x_before, this.x_after, this.before, this.after].map(f64::to_bits));
        let mut expected: Vec<_> = flame.boxes.iter().filter(|this| is_in_part(this)).map(figures).collect();
        let part = draw_part(Vec::new(), width_px, usize::MAX, x.clone()).expect("the root always exists");
        let mut drawn: Vec<_> = part.boxes.iter().map(figures).collect();
        expected.sort_unstable();
        drawn.sort_unstable();
        prop_assert_eq!(drawn, expected);
    }
}

#[test]
fn objects_live_at_both_times_add_nothing_to_the_error() {
    // A thousand samples are live at both times. 25 are new.
    let case = Case::from_text("main;old 1000@0.1-\nmain;new 25@0.5-\nmain;few 3@0.5-\nmain;gone 40@0.1-0.5");
    let config = CompareConfig {
        measure: Measure::Live(When::Peak),
        sum: Sum::Total,
        scale: Scale::AsIs,
        limit: usize::MAX,
        gate: None,
    };
    let comparison = two_times(&case, &Shape::default(), [200_000, 600_000], &config);
    let reported = comparison.rows.iter().map(|row| {
        let change = row.change;
        let scale = case.trace.bytes_a_sample();
        let (before, after, error) = (change.before / scale, change.after / scale, change.error / scale);
        format!("{} {before} → {after} ±{error:.1} {}\n", row.label.name, change.verdict.as_str())
    });
    expect![[r#"
        gone 40 → 0 ±14.4 gone
        new 0 → 25 ±11.8 new
        main 1040 → 1028 ±17.3 within sampling error
        few 0 → 3 ±5.7 not enough samples
        old 1000 → 1000 ±3.0 within sampling error
    "#]]
    .assert_eq(&reported.collect::<String>());
}

#[test]
fn every_change_is_certain_if_every_word_is_sampled() {
    let bytes = camlscope_testkit::fixtures::fixture("tiny-1.0-v3");
    let case = Case::from_bytes(&bytes);
    let config =
        CompareConfig { measure: Measure::Allocated, sum: Sum::Own, scale: Scale::AsIs, limit: usize::MAX, gate: None };
    let comparison = two_times(&case, &Shape::default(), [0, case.trace.totals.peak.at_us], &config);
    assert!(comparison.rows.iter().all(|row| row.change.error == 0.0 && row.change.verdict != Verdict::TooFewSamples));
    assert!(!comparison.rows.is_empty());
    let same = two_traces(&case, &case, &Shape::default(), &config);
    assert!(same.rows.iter().all(|row| row.change.verdict == Verdict::Unchanged));
    assert_eq!(config.measure.weight(), Weight::Samples);
}
