//! The three graphs of a profile over time: live bytes, live blocks, and everything allocated so far. Nothing is known
//! between two snapshots, so the curve stays at the earlier one.

use crate::profile::{Profile, Snapshot, WORD_BYTES};
use crate::query::filter::{Clause, Filter};
use crate::query::sorting::sort_by;
use crate::query::summary::PeakSummary;
use crate::query::timeline::point::{PointConfig, TimelinePoint, amounts_of_series};
use crate::query::timeline::{Graph, Series, SeriesOf, Timeline, TimelineConfig};
use crate::query::tree::{Allocators, KeyId};
use crate::trace::StackId;

use super::{NotInProfile, ProfileSelection, snapshot};

/// Returns the curve of what passes the filter. With allocators, it is divided into layers.
pub fn timeline(
    profile: &Profile,
    filter: &Filter,
    allocators: Option<&Allocators>,
    config: &TimelineConfig,
) -> Result<Timeline, NotInProfile> {
    let selection = ProfileSelection::new(&profile.calls, filter)?;
    let is_whole = filter.clauses.iter().all(|clause| !asked_of_stacks(clause));
    let graph = config.graph;
    let layer_of = allocators.map(|allocators| allocators.values(&profile.calls, |key| key.0 as usize));
    let n_layers = allocators.map_or(0, |allocators| allocators.keys().len());
    // By snapshot: the total, and each layer.
    let mut whole: Vec<f64> = Vec::with_capacity(profile.snapshots.len());
    let mut layers: Vec<Vec<f64>> = vec![Vec::new(); n_layers];
    for (at, snapshot) in profile.snapshots.iter().enumerate() {
        let mut sum = 0.0;
        for_each_weight(profile, snapshot, graph, |stack, weight| {
            if selection.passes(stack) {
                sum += weight;
                if let Some(layer_of) = &layer_of {
                    let layer = &mut layers[layer_of.of_stack(stack.0 as usize)];
                    layer.resize(at + 1, 0.0);
                    layer[at] += weight;
                }
            }
        });
        whole.push(sum);
    }
    let unknown: Vec<f64> = profile.snapshots.iter().map(|snapshot| unknown(snapshot, graph)).collect();
    let has_unknown = is_whole && unknown.iter().any(|&words| words > 0.0);
    let steps = Steps::new(profile, config);
    let all: Vec<f64> =
        whole.iter().zip(&unknown).map(|(known, unknown)| known + if has_unknown { *unknown } else { 0.0 }).collect();
    let mut timeline = steps.timeline(&all);
    timeline.peak = peak(profile, &all);
    timeline.unfiltered_peak = timeline.peak;
    if let Some(allocators) = allocators {
        timeline.series = top(profile, &steps, allocators, layers, config.top, &timeline.live_last);
        if has_unknown {
            timeline.series.push(steps.series("unknown", SeriesOf::Unknown, &unknown));
        }
    }
    Ok(timeline)
}

/// Returns the figures of the snapshot that a time refers to.
pub fn point(
    profile: &Profile,
    filter: &Filter,
    allocators: Option<&Allocators>,
    config: &PointConfig,
) -> Result<TimelinePoint, NotInProfile> {
    let selection = ProfileSelection::new(&profile.calls, filter)?;
    let is_whole = filter.clauses.iter().all(|clause| !asked_of_stacks(clause));
    let Some(snapshot) = snapshot(profile, config.at) else { return Ok(TimelinePoint::default()) };
    let layer_of = allocators.map(|allocators| allocators.values(&profile.calls, |key| key.0 as usize));
    let mut layers = vec![0.0; allocators.map_or(0, |allocators| allocators.keys().len())];
    let unknown = if is_whole { unknown(snapshot, config.graph) } else { 0.0 };
    let mut total = unknown;
    for_each_weight(profile, snapshot, config.graph, |stack, weight| {
        if selection.passes(stack) {
            total += weight;
            if let Some(layer_of) = &layer_of {
                layers[layer_of.of_stack(stack.0 as usize)] += weight;
            }
        }
    });
    let label = |layer: usize| allocators.map(|allocators| allocators.label(&profile.calls, KeyId(layer as u32)));
    let is_there = layers.iter().enumerate().filter(|(_, amount)| **amount > 0.0);
    let amounts = is_there.filter_map(|(layer, &amount)| Some((SeriesOf::Frame(label(layer)?), amount)));
    let series = amounts_of_series(&config.series, total, amounts.chain([(SeriesOf::Unknown, unknown)]));
    Ok(TimelinePoint { at_us: snapshot.at_us, total, series })
}

/// Returns whether a clause excludes stacks. Memory that no allocation point accounts for is then excluded as well.
fn asked_of_stacks(clause: &Clause) -> bool {
    matches!(clause, Clause::Frame(_) | Clause::Calls { .. } | Clause::Focus(_))
}

fn for_each_weight(profile: &Profile, snapshot: &Snapshot, graph: Graph, mut visit: impl FnMut(StackId, f64)) {
    match graph {
        Graph::LiveBytes => {
            profile.live(snapshot).for_each(|held| visit(held.stack, held.words as f64 * WORD_BYTES));
        }
        Graph::LiveBlocks => profile.live(snapshot).for_each(|held| visit(held.stack, held.blocks as f64)),
        Graph::Allocated => {
            profile.allocated(snapshot).for_each(|(stack, words)| visit(stack, words as f64 * WORD_BYTES));
        }
    }
}

fn unknown(snapshot: &Snapshot, graph: Graph) -> f64 {
    match graph {
        Graph::LiveBytes => snapshot.unattributed_words as f64 * WORD_BYTES,
        Graph::LiveBlocks | Graph::Allocated => 0.0,
    }
}

fn peak(profile: &Profile, values: &[f64]) -> PeakSummary {
    let mut peak = PeakSummary::default();
    for (snapshot, &value) in profile.snapshots.iter().zip(values) {
        if value > peak.bytes {
            peak = PeakSummary { samples: 0, bytes: value, at_us: snapshot.at_us };
        }
    }
    peak
}

/// Returns the layers with the largest share of the area under the curve or of its maximum, ordered by area, and the
/// rest as one.
fn top(
    profile: &Profile,
    steps: &Steps,
    allocators: &Allocators,
    layers: Vec<Vec<f64>>,
    n_top: usize,
    whole: &[f64],
) -> Vec<Series> {
    let highest = whole.iter().copied().fold(0.0, f64::max);
    let peak = whole.iter().position(|value| *value == highest).unwrap_or_default();
    let whole_area = whole.iter().sum::<f64>().max(f64::MIN_POSITIVE);
    let measured = layers.iter().map(|layer| {
        let ends = steps.at_ends(layer);
        let (area, at_peak) = (ends.iter().sum::<f64>(), ends.get(peak).copied().unwrap_or(0.0));
        (area, (area / whole_area).max(at_peak / highest.max(f64::MIN_POSITIVE)))
    });
    let mut areas: Vec<(usize, (f64, f64))> = measured.enumerate().filter(|(_, (area, _))| *area > 0.0).collect();
    // The sort is stable, so ties keep the order of the profile.
    sort_by(&mut areas, |(_, one), (_, two)| two.1.total_cmp(&one.1));
    let rest = areas.split_off(n_top.min(areas.len()));
    sort_by(&mut areas, |(_, one), (_, two)| two.0.total_cmp(&one.0));
    let mut series: Vec<Series> = areas
        .iter()
        .map(|&(layer, _)| {
            let label = allocators.label(&profile.calls, KeyId(layer as u32));
            steps.series(&label.name.clone(), SeriesOf::Frame(label), &layers[layer])
        })
        .collect();
    if !rest.is_empty() {
        let mut sums = vec![0.0; profile.snapshots.len()];
        for &(layer, _) in &rest {
            sums.iter_mut().zip(&layers[layer]).for_each(|(sum, value)| *sum += value);
        }
        series.push(steps.series("other", SeriesOf::Others { n: rest.len() }, &sums));
    }
    series
}

/// The snapshots in each step.
struct Steps {
    from_us: u64,
    to_us: u64,
    step_us: f64,
    /// By step, plus an entry before the first: the number of snapshots up to its end.
    n_until: Vec<usize>,
}

impl Steps {
    fn new(profile: &Profile, config: &TimelineConfig) -> Steps {
        let n = config.n_steps.max(1);
        let (from_us, to_us) = (config.from_us, config.to_us.max(config.from_us + 1));
        let step_us = (to_us - from_us) as f64 / n as f64;
        let n_at = |time_us: u64| profile.snapshots.partition_point(|snapshot| snapshot.at_us <= time_us);
        let before = profile.snapshots.partition_point(|snapshot| snapshot.at_us < from_us);
        let ends = (1..=n).map(|step| n_at(from_us + (step as f64 * step_us).round() as u64));
        Steps { from_us, to_us, step_us, n_until: std::iter::once(before).chain(ends).collect() }
    }

    /// Returns the value at the end of each step. Values are by snapshot, and 0 after the last.
    fn at_ends(&self, values: &[f64]) -> Vec<f64> {
        let value = |n: usize| n.checked_sub(1).and_then(|at| values.get(at)).copied().unwrap_or(0.0);
        self.n_until[1..].iter().map(|&n| value(n)).collect()
    }

    fn timeline(&self, values: &[f64]) -> Timeline {
        let value = |n: usize| n.checked_sub(1).and_then(|at| values.get(at)).copied().unwrap_or(0.0);
        // A step begins with the last value of the step before.
        let over = |fold: fn(f64, f64) -> f64| -> Vec<f64> {
            let of_step = |pair: &[usize]| (pair[0]..=pair[1]).map(value).reduce(fold).unwrap_or(0.0);
            self.n_until.windows(2).map(of_step).collect()
        };
        let live_last = self.at_ends(values);
        Timeline {
            from_us: self.from_us,
            to_us: self.to_us,
            step_us: self.step_us,
            live_min: over(f64::min),
            live_max: over(f64::max),
            allocated: vec![0.0; live_last.len()],
            promoted: vec![0.0; live_last.len()],
            live_last,
            ..Timeline::default()
        }
    }

    fn series(&self, name: &str, of: SeriesOf, values: &[f64]) -> Series {
        let live_last = self.at_ends(values);
        Series { name: name.to_owned(), of, allocated: vec![0.0; live_last.len()], live_last }
    }
}
