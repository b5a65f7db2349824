//! One site at length: what it allocated step by step, what of that is kept, and which stacks led to it. So its verdict can
//! be checked by eye.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::curves::{STEPS, curves, is_lasting};
use crate::query::selection::Selection;
use crate::query::sorting::sort_by;
use crate::query::tree::{AllocatorValues, Allocators, GroupId, KeyId, Label, ShapedTree};
use crate::trace::{MomentId, Trace};

/// Lists go by step, as a site's sparkline does; all in bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteStory {
    pub step_us: f64,
    pub live: Vec<f64>,
    pub allocated: Vec<f64>,
    /// Never collected, by the step of allocation; without what the trace ended upon in the minor heap.
    pub kept: Vec<f64>,
    /// Those that keep most, then those that allocated most.
    pub stacks: Vec<StackOfSite>,
    /// How many there are in all.
    pub n_stacks: usize,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackOfSite {
    /// From main to the site, which is the last; the outermost are left out where there are more than asked for.
    pub frames: Vec<Label>,
    pub n_left_out: usize,
    pub allocated_bytes: f64,
    pub kept_bytes: f64,
    pub samples: u64,
}

/// `label` as [`super::leaks`] calls it; none where nothing selected was allocated there. `tree` and `allocators` must be
/// of the same shape.
pub fn story(
    trace: &Trace,
    selection: &Selection,
    tree: &ShapedTree,
    allocators: &Allocators,
    label: &Label,
    max: MaxStacks,
) -> Option<SiteStory> {
    let key =
        (0..allocators.keys().len() as u32).map(KeyId).find(|&key| allocators.label(&trace.calls, key) == *label)?;
    let curve = curves(trace, selection, allocators).into_iter().nth(key.0 as usize)??;
    let bytes_a_sample = trace.bytes_a_sample();
    let in_bytes = |samples: &[u64]| samples.iter().map(|&samples| samples as f64 * bytes_a_sample).collect();
    let is_of_site = allocators.values(&trace.calls, |other| other == key);
    let mut stacks: Vec<(GroupId, Sums)> = sums_by_group(trace, selection, tree, &is_of_site).into_iter().collect();
    let n_stacks = stacks.len();
    sort_by(&mut stacks, |(a, one), (b, two)| two.kept.cmp(&one.kept).then(two.all.cmp(&one.all)).then(a.cmp(b)));
    let of_sums = |&(group, sums): &(GroupId, Sums)| {
        let (frames, n_left_out) = path(trace, tree, group, max.frames);
        StackOfSite {
            frames,
            n_left_out,
            allocated_bytes: sums.all as f64 * bytes_a_sample,
            kept_bytes: sums.kept as f64 * bytes_a_sample,
            samples: sums.all,
        }
    };
    Some(SiteStory {
        step_us: trace.end_us as f64 / STEPS as f64,
        live: in_bytes(&curve.live),
        allocated: in_bytes(&curve.allocated),
        kept: in_bytes(&curve.kept),
        stacks: stacks.iter().take(max.stacks).map(of_sums).collect(),
        n_stacks,
    })
}

/// The limits on a site's stacks.
#[derive(Clone, Copy, Debug)]
pub struct MaxStacks {
    pub stacks: usize,
    /// Of each stack.
    pub frames: usize,
}

/// In samples.
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    all: u64,
    kept: u64,
}

/// Only groups that allocated something there have an entry: they are few beside all groups of the tree.
fn sums_by_group(
    trace: &Trace,
    selection: &Selection,
    tree: &ShapedTree,
    is_of_site: &AllocatorValues<'_, bool>,
) -> FxHashMap<GroupId, Sums> {
    let mut sums: FxHashMap<GroupId, Sums> = FxHashMap::default();
    selection.for_each(&trace.columns, |rows, place| {
        let stack = rows.stack(place);
        if !is_of_site.of_stack(stack) {
            return;
        }
        // What lies outside a focus is not selected.
        let sums = sums.entry(tree.of_stack(stack).unwrap_or(GroupId::ROOT)).or_default();
        let samples = u64::from(rows.n_samples(place));
        sums.all += samples;
        if is_lasting(rows, place) && rows.end(place) == MomentId::NEVER {
            sums.kept += samples;
        }
    });
    sums.retain(|_, sums| sums.all > 0);
    sums
}

/// The innermost frames of a group, from the outside in, and how many lie outside of them.
fn path(trace: &Trace, tree: &ShapedTree, group: GroupId, max_frames: usize) -> (Vec<Label>, usize) {
    let groups = tree.groups();
    let mut up = std::iter::successors(Some(group), |&group| Some(groups.parent(group)))
        .take_while(|&group| group != GroupId::ROOT);
    let mut frames: Vec<Label> =
        up.by_ref().take(max_frames).map(|group| tree.keys().label(&trace.calls, groups.key(group))).collect();
    frames.reverse();
    (frames, up.count())
}
