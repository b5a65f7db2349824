//! One site at length: what it allocated step by step, what of that is kept, and which stacks led to it. So its verdict can
//! be checked by eye.

use std::rc::Rc;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::curves::{Curve, STEPS, curves, is_lasting};
use crate::query::filter::FilterError;
use crate::query::selection::Selection;
use crate::query::sorting::sort_by;
use crate::query::tree::{Allocators, CallTree, Grain, GroupId, Key, KeyId, Keys, Label, Shape, ShapedTree, coarser};
use crate::trace::{Calls, MomentId, StackId, Trace};

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

/// `label` as [`super::leaks`] calls it at that grain; none where nothing selected was allocated there. `sites` must be of
/// [`super::shape`] for [`Grain::Site`].
pub fn story(
    trace: &Trace,
    selection: &Selection,
    sites: &Allocators,
    grain: Grain,
    label: &Label,
    max: MaxStacks,
) -> Result<Option<SiteStory>, FilterError> {
    let Some(objects) = objects_of(trace, selection, sites, grain, label) else {
        return Ok(None);
    };
    let curve = Curve::sum(curves(trace, &objects, sites).iter().flatten());
    let bytes_a_sample = trace.bytes_a_sample();
    let in_bytes = |samples: &[u64]| samples.iter().map(|&samples| samples as f64 * bytes_a_sample).collect();
    let tree = tree_of(trace, &objects, Shape { grain, ..sites.shape.clone() })?;
    let mut stacks: Vec<(GroupId, Sums)> = sums_by_group(trace, &objects, &tree).into_iter().collect();
    let n_stacks = stacks.len();
    sort_by(&mut stacks, |(a, one), (b, two)| two.kept.cmp(&one.kept).then(two.all.cmp(&one.all)).then(a.cmp(b)));
    let of_sums = |&(group, sums): &(GroupId, Sums)| {
        let (frames, n_left_out) = path(&trace.calls, &tree, group, max.frames);
        StackOfSite {
            frames,
            n_left_out,
            allocated_bytes: sums.all as f64 * bytes_a_sample,
            kept_bytes: sums.kept as f64 * bytes_a_sample,
            samples: sums.all,
        }
    };
    Ok(Some(SiteStory {
        step_us: trace.end_us as f64 / STEPS as f64,
        live: in_bytes(&curve.live),
        allocated: in_bytes(&curve.allocated),
        kept: in_bytes(&curve.kept),
        stacks: stacks.iter().take(max.stacks).map(of_sums).collect(),
        n_stacks,
    }))
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

/// What a row of a grain allocated; none where nothing is called so, or nothing of it is selected.
fn objects_of(
    trace: &Trace,
    selection: &Selection,
    sites: &Allocators,
    grain: Grain,
    label: &Label,
) -> Option<Selection> {
    let (keys, of_site) = coarser(&trace.calls, sites.keys(), grain);
    let is_called_so = |key: KeyId| match keys.get(key) {
        Key::Root => sites.label(&trace.calls, Keys::ROOT) == *label,
        key => key.label(&trace.calls) == *label,
    };
    let key = (0..keys.len() as u32).map(KeyId).find(|&key| is_called_so(key))?;
    let is_wanted = sites.values(&trace.calls, |site| of_site[site.0 as usize] == key);
    let mut words = vec![0; selection.words().len()];
    selection.for_each(&trace.columns, |rows, place| {
        let row = rows.row(place).0;
        words[row as usize / 64] |= u64::from(is_wanted.of_stack(rows.stack(place))) << (row % 64);
    });
    Some(Selection::from_words(words, trace.columns.len())).filter(|objects| !objects.is_empty())
}

/// A tree of the stacks that some objects have: the tree of all stacks takes longer than everything else about a site.
fn tree_of(trace: &Trace, objects: &Selection, shape: Shape) -> Result<ShapedTree, FilterError> {
    let mut stacks = Vec::with_capacity(objects.len());
    objects.for_each(&trace.columns, |rows, place| stacks.push(StackId(rows.stack(place) as u32)));
    let tree = Rc::new(CallTree::of_stacks(&trace.calls, shape.grain, stacks.into_iter()));
    ShapedTree::new(&trace.calls, &tree, &shape)
}

fn sums_by_group(trace: &Trace, objects: &Selection, tree: &ShapedTree) -> FxHashMap<GroupId, Sums> {
    let mut sums: FxHashMap<GroupId, Sums> = FxHashMap::default();
    objects.for_each(&trace.columns, |rows, place| {
        // What lies outside a focus is not selected.
        let sums = sums.entry(tree.of_stack(rows.stack(place)).unwrap_or(GroupId::ROOT)).or_default();
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
pub fn path(calls: &Calls, tree: &ShapedTree, group: GroupId, max_frames: usize) -> (Vec<Label>, usize) {
    let groups = tree.groups();
    let mut up = std::iter::successors(Some(group), |&group| Some(groups.parent(group)))
        .take_while(|&group| group != GroupId::ROOT);
    let mut frames: Vec<Label> =
        up.by_ref().take(max_frames).map(|group| tree.keys().label(calls, groups.key(group))).collect();
    frames.reverse();
    (frames, up.count())
}
