//! Checks the timeline against a replay of all events, one by one.

use std::collections::BTreeMap;

use camlscope_engine::query::filter::{Clause, Filter, Heap, When, select};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::timeline::point::{PointConfig, TimelinePoint, point};
use camlscope_engine::query::timeline::{By, Graph, Series, SeriesOf, Timeline, TimelineConfig, timeline};
use camlscope_engine::query::tree::{Allocators, Grain, Label, Shape};
use camlscope_engine::trace::Budget;
use proptest::prelude::*;

use super::filters::{random_case, random_grain};
use super::reference::{counted, heap, reading};
use super::support::{Case, Object};
use camlscope_testkit::fixtures::{fixture, load};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn every_step_matches_a_replay_of_its_events(
        (case, filter) in random_case(), (from, to) in range(), n_steps in 1usize..40, by in by(),
        top in 0usize..4
    ) {
        prop_assume!(filter.check().is_ok());
        let at = |share: f64| (share * case.end_us as f64) as u64;
        let config = TimelineConfig { from_us: at(from), to_us: at(to), n_steps, by, top, graph: Graph::LiveBytes };
        agrees(&case, &filter, &config)?;
    }

    #[test]
    fn a_point_matches_a_replay_up_to_its_time(
        (case, filter) in random_case(), share in 0.0..1.0, n_steps in 1usize..9, by in by(), top in 0usize..4
    ) {
        prop_assume!(filter.check().is_ok());
        let config = TimelineConfig { by, top, ..whole(&case, n_steps) };
        let at_us = (share * case.end_us as f64) as u64;
        let series = ask(&case, &filter, &config).series;
        let got = ask_point(&case, &filter, &series, by, When::At(at_us));
        let slow = Replay::new(&case, &filter, &TimelineConfig { from_us: at_us, to_us: at_us, n_steps: 1, ..config });
        let scale = case.trace.bytes_a_sample();
        prop_assert_eq!((got.at_us, samples(&[got.total], scale)), (at_us, slow.last.clone()));
        let mut others = slow.last[0];
        for (series, (of, amount)) in series.iter().zip(&got.series) {
            prop_assert_eq!(&series.of, of);
            let amount = samples(&[*amount], scale)[0];
            others -= amount;
            if let Some(name) = name_of(series) {
                prop_assert_eq!(amount, slow.series.get(&name).map_or(0, |(live, _)| live[0]));
            }
        }
        prop_assert!(series.is_empty() || others == 0, "series don't add up to the total");
    }
}

#[test]
fn a_point_at_the_peak_has_the_peaks_value_not_the_steps() {
    let case = Case::from_text("main;base 2@0-\nmain;spike 50@3.1-3.10001");
    let scale = case.trace.bytes_a_sample();
    let total = |at| samples(&[ask_point(&case, &Filter::default(), &[], None, at).total], scale)[0];
    assert_eq!((total(When::Peak), total(When::At(3_100_000)), total(When::At(3_200_000))), (52, 52, 2));
    assert_eq!((total(When::At(0)), total(When::End)), (2, 2));
}

#[test]
fn a_spike_of_one_event_stays_visible_in_a_step_of_seconds() {
    let case = Case::from_text("main;base 2@0-\nmain;spike 50@3.1-3.10001");
    let got = ask(&case, &Filter::default(), &whole(&case, 4));
    let scale = case.trace.bytes_a_sample();
    assert_eq!(samples(&got.live_max, scale), [2, 2, 2, 52]);
    assert_eq!(samples(&got.live_min, scale), [0, 2, 2, 2]);
    assert_eq!(samples(&got.live_last, scale), [2, 2, 2, 2]);
    assert_eq!((got.peak.samples, got.peak.at_us), (52, 3_100_000));
}

#[test]
fn a_time_range_includes_objects_allocated_before_it_and_keeps_the_traces_peak() {
    let case = Case::from_text("main;a 9@0-0.1\nmain;b 4@0.2-0.9\nmain;c 1@0.95-1");
    let config = TimelineConfig { from_us: 400_000, to_us: 800_000, ..whole(&case, 2) };
    let got = ask(&case, &Filter::default(), &config);
    assert_eq!(samples(&got.live_min, case.trace.bytes_a_sample()), [4, 4]);
    assert_eq!((got.peak.samples, got.peak.at_us), (9, 0));
    assert_eq!(got.step_us, 200_000.0);
}

#[test]
fn the_largest_modules_have_their_own_series_and_the_rest_share_one() {
    let case = Case::from_text(
        "Main.go;Cache.put 5@0-\nMain.go;Session.start 3@0.5-\nMain.go;Json.parse 1@0.2-0.6\nMain.go;Json.print 90@0.7-0.7",
    );
    let config = TimelineConfig { by: Some(By::Grain(Grain::Module)), top: 2, ..whole(&case, 4) };
    let got = ask(&case, &Filter::default(), &config);
    let scale = case.trace.bytes_a_sample();
    let series: Vec<(&str, Vec<u64>)> =
        got.series.iter().map(|series| (series.name.as_str(), samples(&series.live_last, scale))).collect();
    assert_eq!(series, [("Cache", vec![5, 5, 5, 5]), ("Session", vec![0, 0, 3, 3]), ("other", vec![0, 1, 1, 0])]);
    assert_eq!(got.series[2].of, SeriesOf::Others { n: 1 });
}

#[test]
fn an_empty_trace_is_a_flat_line() {
    let trace = load(&fixture("empty-1e-6-v3"), 1 << 16, Budget::default()).expect("a trace");
    for by in [None, Some(By::Heap), Some(By::Domain)] {
        let config =
            TimelineConfig { from_us: 0, to_us: trace.end_us, n_steps: 3, by, top: 5, graph: Graph::LiveBytes };
        let got = timeline(&trace, &Selection::all(0), None, &config);
        assert_eq!(got.live_max, [0.0; 3]);
        assert_eq!((got.peak.samples, got.series.len()), (0, 0));
    }
}

#[test]
fn peaks_of_the_fixtures_match_the_traces() {
    for name in ["orders-1e-4-v2", "leak-1e-4-v3", "phases-1e-4-v2", "typecore-1e-4-v2", "domains-multi-1e-3-o5-v3"] {
        let case = Case::from_bytes(&fixture(name));
        let got = ask(&case, &Filter::default(), &whole(&case, 100));
        assert_eq!(got.peak, got.unfiltered_peak, "{name}");
        let highest = samples(&got.live_max, case.trace.bytes_a_sample()).into_iter().max();
        assert_eq!(highest, Some(case.trace.totals.peak.samples), "{name}");
        let allocated: u64 = samples(&got.allocated, case.trace.bytes_a_sample()).iter().sum();
        assert_eq!(allocated, case.objects.iter().map(|object| object.samples).sum::<u64>(), "{name}");
    }
}

#[test]
fn any_number_of_domains_can_be_told_apart() {
    let case = Case::from_text(
        "main;a 5@0-0.6 domain=60000
         main;b 3@0.1- domain=7
         main;c 2@0.2-0.3
         main;d 9@0.9-0.95 domain=59999",
    );
    for top in [0, 1, 3, 9] {
        let config = TimelineConfig { by: Some(By::Domain), top, ..whole(&case, 100) };
        agrees(&case, &Filter::default(), &config).expect("what a replay finds");
    }
}

/// Checks every figure against a replay of the events.
fn agrees(case: &Case, filter: &Filter, config: &TimelineConfig) -> Result<(), TestCaseError> {
    let got = ask(case, filter, config);
    let slow = Replay::new(case, filter, config);
    let scale = case.trace.bytes_a_sample();
    prop_assert_eq!(samples(&got.live_min, scale), slow.min.clone());
    prop_assert_eq!(samples(&got.live_max, scale), slow.max.clone());
    prop_assert_eq!(samples(&got.live_last, scale), slow.last.clone());
    prop_assert_eq!(samples(&got.allocated, scale), slow.allocated.clone());
    prop_assert_eq!(samples(&got.promoted, scale), slow.promoted.clone());
    prop_assert_eq!((got.peak.samples, got.peak.at_us), slow.peak);
    prop_assert_eq!(got.unfiltered_peak.samples, case.peak_samples);
    check_series(&got, &slow, config.top, scale)
}

fn range() -> impl Strategy<Value = (f64, f64)> {
    prop_oneof![2 => Just((0.0, 1.0)), 3 => (0.0..1.0, 0.0..1.2).prop_map(|(from, to): (f64, f64)| (from, from.max(to)))]
}

fn by() -> impl Strategy<Value = Option<By>> {
    prop_oneof![
        Just(None),
        random_grain().prop_map(|grain| Some(By::Grain(grain))),
        Just(Some(By::Heap)),
        Just(Some(By::Domain))
    ]
}

fn whole(case: &Case, n_steps: usize) -> TimelineConfig {
    TimelineConfig { from_us: 0, to_us: case.end_us, n_steps, by: None, top: 0, graph: Graph::LiveBytes }
}

fn ask(case: &Case, filter: &Filter, config: &TimelineConfig) -> Timeline {
    let selection = select(&case.trace, filter).expect("a filter");
    timeline(&case.trace, &selection, allocators(case, filter, config.by).as_ref(), config)
}

fn allocators(case: &Case, filter: &Filter, by: Option<By>) -> Option<Allocators> {
    let Some(By::Grain(grain)) = by else { return None };
    Some(Allocators::new(&case.trace.calls, &Shape::new(grain, false, filter)).expect("a shape"))
}

fn ask_point(case: &Case, filter: &Filter, series: &[Series], by: Option<By>, at: When) -> TimelinePoint {
    let clauses = filter.clauses.iter().cloned().chain([Clause::LiveAt(at)]).collect();
    let live = select(&case.trace, &Filter { clauses }).expect("a filter");
    let series = series.iter().map(|series| series.of.clone()).collect();
    let config = PointConfig { at, by, series, graph: Graph::LiveBytes };
    point(&case.trace, &live, allocators(case, filter, by).as_ref(), &config)
}

fn samples(bytes: &[f64], bytes_a_sample: f64) -> Vec<u64> {
    bytes.iter().map(|bytes| (bytes / bytes_a_sample).round() as u64).collect()
}

/// All figures in samples.
#[derive(Debug, Default)]
struct Replay {
    min: Vec<u64>,
    max: Vec<u64>,
    last: Vec<u64>,
    allocated: Vec<u64>,
    promoted: Vec<u64>,
    peak: (u64, u64),
    /// `live_last` and `allocated` by the label of the series.
    series: BTreeMap<String, (Vec<u64>, Vec<u64>)>,
}

impl Replay {
    fn new(case: &Case, filter: &Filter, config: &TimelineConfig) -> Replay {
        let objects = counted(case, filter, Measure::Allocated);
        let mut replay = replay(&objects, config);
        let mut parts: BTreeMap<String, Vec<&Object>> = BTreeMap::new();
        for object in objects {
            if let Some(name) = part(object, filter, config.by) {
                parts.entry(name).or_default().push(object);
            }
        }
        for (name, objects) in parts {
            let part = self::replay(&objects, config);
            if part.last.iter().chain(&part.allocated).any(|&samples| samples > 0) {
                replay.series.insert(name, (part.last, part.allocated));
            }
        }
        replay
    }
}

fn replay(objects: &[&Object], config: &TimelineConfig) -> Replay {
    let (from, to, n) = (config.from_us, config.to_us.max(config.from_us), config.n_steps);
    let step_of = |time_us: u64| -> Option<usize> {
        let share = (time_us.checked_sub(from)? as u128 * n as u128).checked_div(u128::from(to - from));
        (time_us <= to).then(|| share.map_or(n - 1, |step| (step as usize).min(n - 1)))
    };
    let mut events: Vec<(usize, u64, i64)> = Vec::new();
    let mut replay = Replay { allocated: vec![0; n], promoted: vec![0; n], ..Replay::default() };
    for object in objects {
        let samples = object.samples as i64;
        events.push((object.alloc_event, object.alloc_us, samples));
        events.extend(object.end_event.zip(object.end_us).map(|(event, at_us)| (event, at_us, -samples)));
        if let Some(step) = step_of(object.alloc_us) {
            replay.allocated[step] += samples as u64;
        }
        if let Some(step) = object.promoted_us.filter(|_| heap(object) == Heap::Promoted).and_then(step_of) {
            replay.promoted[step] += samples as u64;
        }
    }
    events.sort_unstable();
    let mut live = 0;
    for &(_, at_us, change) in &events {
        live += change;
        if live as u64 > replay.peak.0 {
            replay.peak = (live as u64, at_us);
        }
    }
    for step in 0..n {
        let is_before = |at_us: u64| at_us < from || step_of(at_us).is_some_and(|of| of < step);
        let mut live: i64 = events.iter().filter(|event| is_before(event.1)).map(|event| event.2).sum();
        let (mut min, mut max) = (live, live);
        for &(_, _, change) in events.iter().filter(|event| step_of(event.1) == Some(step)) {
            live += change;
            (min, max) = (min.min(live), max.max(live));
        }
        replay.min.push(min as u64);
        replay.max.push(max as u64);
        replay.last.push(live as u64);
    }
    replay
}

fn part(object: &Object, filter: &Filter, by: Option<By>) -> Option<String> {
    Some(match by? {
        By::Heap => format!("{:?}", heap(object)),
        By::Domain => format!("{}", object.domain),
        By::Grain(grain) => {
            let read = reading(object, &Shape::new(grain, false, filter)).unwrap_or_default();
            let none = Label { name: "(no frame)".to_owned(), ..Label::default() };
            format!("{:?}", read.last().unwrap_or(&none))
        }
    })
}

fn check_series(got: &Timeline, slow: &Replay, top: usize, scale: f64) -> Result<(), TestCaseError> {
    let n_parts = slow.series.len();
    let n_others = n_parts - top.min(n_parts);
    prop_assert_eq!(got.series.len(), n_parts - n_others + usize::from(n_others > 0));
    let area = |(live, allocated): &(Vec<u64>, Vec<u64>)| (live.iter().sum::<u64>(), allocated.iter().sum::<u64>());
    let highest = slow.last.iter().copied().max().unwrap_or(0);
    let peak = slow.last.iter().position(|live| *live == highest).unwrap_or(0);
    // The larger of two shares: of the area, and of the live samples at the peak.
    let prominence = |part: &(Vec<u64>, Vec<u64>)| {
        let of_area = u128::from(area(part).0) * u128::from(highest.max(1));
        let of_peak = u128::from(part.0[peak]) * u128::from(slow.last.iter().sum::<u64>().max(1));
        (of_area.max(of_peak), area(part).1)
    };
    let mut prominences: Vec<_> = slow.series.values().map(prominence).collect();
    prominences.sort_unstable();
    let least = prominences.iter().rev().take(top).next_back();
    let chosen: Vec<_> = got.series.iter().filter(|series| name_of(series).is_some()).collect();
    let area_of = |series: &Series| area(&(samples(&series.live_last, scale), samples(&series.allocated, scale)));
    prop_assert!(chosen.is_sorted_by_key(|series| std::cmp::Reverse(area_of(series))), "the largest aren't first");
    for series in &got.series {
        let read = (samples(&series.live_last, scale), samples(&series.allocated, scale));
        match name_of(series) {
            Some(name) => {
                prop_assert!(Some(&prominence(&read)) >= least, "the most prominent aren't chosen");
                prop_assert_eq!(Some(&read), slow.series.get(&name));
            }
            None => prop_assert_eq!(&series.of, &SeriesOf::Others { n: n_others }),
        }
    }
    for step in (0..slow.last.len()).filter(|_| !got.series.is_empty()) {
        let live: u64 = got.series.iter().map(|series| samples(&series.live_last, scale)[step]).sum();
        let allocated: u64 = got.series.iter().map(|series| samples(&series.allocated, scale)[step]).sum();
        prop_assert_eq!((live, allocated), (slow.last[step], slow.allocated[step]), "series don't add up to the total");
    }
    Ok(())
}

fn name_of(series: &Series) -> Option<String> {
    match &series.of {
        SeriesOf::Frame(label) => Some(format!("{label:?}")),
        SeriesOf::Heap(heap) => Some(format!("{heap:?}")),
        SeriesOf::Domain(id) => Some(id.to_string()),
        SeriesOf::Others { .. } | SeriesOf::Unknown => None,
    }
}
