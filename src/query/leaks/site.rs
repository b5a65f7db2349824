//! One site at length: what it allocated step by step, what of that is kept, and which stacks led to it. So its verdict can
//! be checked by eye.

use serde::{Deserialize, Serialize};

use super::curves::{STEPS, curves, is_lasting};
use crate::query::selection::Selection;
use crate::query::sorting::sort_by;
use crate::query::tree::{GroupId, KeyId, Label, ShapedTree};
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

/// `label` as [`super::leaks`] calls it; none where nothing selected was allocated there.
pub fn story(
    trace: &Trace,
    selection: &Selection,
    tree: &ShapedTree,
    label: &Label,
    max_stacks: usize,
    max_frames: usize,
) -> Option<SiteStory> {
    let key = (0..tree.keys().len() as u32).map(KeyId).find(|&key| tree.allocating_label(trace, key) == *label)?;
    let curve = curves(trace, selection, tree).into_iter().nth(key.0 as usize)??;
    let bytes_a_sample = trace.bytes_a_sample();
    let in_bytes = |samples: &[u64]| samples.iter().map(|&samples| samples as f64 * bytes_a_sample).collect();
    let mut stacks = sums_by_group(trace, selection, tree, key);
    sort_by(&mut stacks, |a, b| b.kept.cmp(&a.kept).then(b.all.cmp(&a.all)).then(a.group.cmp(&b.group)));
    let n_stacks = stacks.len();
    let of_sums = |sums: &Sums| {
        let (frames, n_left_out) = path(trace, tree, sums.group, max_frames);
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
        stacks: stacks.iter().take(max_stacks).map(of_sums).collect(),
        n_stacks,
    })
}

/// In samples.
#[derive(Clone, Copy, Debug)]
struct Sums {
    group: GroupId,
    all: u64,
    kept: u64,
}

fn sums_by_group(trace: &Trace, selection: &Selection, tree: &ShapedTree, key: KeyId) -> Vec<Sums> {
    let groups = tree.groups();
    let mut sums: Vec<Sums> =
        (0..groups.len() as u32).map(|group| Sums { group: GroupId(group), all: 0, kept: 0 }).collect();
    selection.for_each(&trace.columns, |rows, place| {
        // What lies outside a focus is not selected.
        let group = tree.of_stack(rows.stack(place)).unwrap_or(GroupId::ROOT);
        if groups.key(group) != key {
            return;
        }
        let samples = u64::from(rows.n_samples(place));
        let sums = &mut sums[group.0 as usize];
        sums.all += samples;
        if is_lasting(rows, place) && rows.end(place) == MomentId::NEVER {
            sums.kept += samples;
        }
    });
    sums.retain(|sums| sums.all > 0);
    sums
}

/// The innermost frames of a group, from the outside in, and how many lie outside of them.
fn path(trace: &Trace, tree: &ShapedTree, group: GroupId, max_frames: usize) -> (Vec<Label>, usize) {
    let groups = tree.groups();
    let mut up = std::iter::successors(Some(group), |&group| Some(groups.parent(group)))
        .take_while(|&group| group != GroupId::ROOT);
    let mut frames: Vec<Label> =
        up.by_ref().take(max_frames).map(|group| tree.allocating_label(trace, groups.key(group))).collect();
    frames.reverse();
    (frames, up.count())
}
