//! One site of the leaks at length, and which stacks led to it.

use crate::profile::{Profile, WORD_BYTES};
use crate::query::leaks::curves::{Curve, STEPS};
use crate::query::leaks::site::{MaxStacks, SiteStory, StackOfSite, path};
use crate::query::sorting::sort_by;
use crate::query::tree::{Allocators, GroupId, KeyId, Label, ShapedTree};

/// `label` as the leaks call it; none where nothing was allocated there. `curves` are by key of the allocators, which must
/// be of the tree's shape.
pub fn story(
    profile: &Profile,
    curves: Vec<Option<Curve>>,
    allocators: &Allocators,
    tree: &ShapedTree,
    label: &Label,
    max: MaxStacks,
) -> Option<SiteStory> {
    let keys = (0..allocators.keys().len() as u32).map(KeyId);
    let key = { keys }.find(|&key| allocators.label(&profile.calls, key) == *label)?;
    let curve = curves.into_iter().nth(key.0 as usize)??;
    let is_of_site = allocators.values(&profile.calls, |other| other == key);
    let last = profile.snapshots.last()?;
    let mut stacks: Vec<(GroupId, u64, u64)> = Vec::new();
    let mut add = |stack: usize, kept: u64, allocated: u64| {
        if let Some(group) = tree.of_stack(stack).filter(|_| is_of_site.of_stack(stack)) {
            stacks.push((group, kept, allocated));
        }
    };
    profile.live(last).for_each(|held| add(held.stack.0 as usize, held.words, 0));
    profile.allocated(last).for_each(|(stack, words)| add(stack.0 as usize, 0, words));
    stacks.sort_unstable_by_key(|(group, ..)| *group);
    stacks.dedup_by(|next, kept| {
        let is_same = next.0 == kept.0;
        if is_same {
            (kept.1, kept.2) = (kept.1 + next.1, kept.2 + next.2);
        }
        is_same
    });
    sort_by(&mut stacks, |one, two| (two.1, two.2).cmp(&(one.1, one.2)));
    let in_bytes = |words: &[u64]| words.iter().map(|&words| words as f64 * WORD_BYTES).collect();
    let of_stack = |&(group, kept, allocated): &(GroupId, u64, u64)| {
        let (frames, n_left_out) = path(&profile.calls, tree, group, max.frames);
        StackOfSite {
            frames,
            n_left_out,
            allocated_bytes: allocated as f64 * WORD_BYTES,
            kept_bytes: kept as f64 * WORD_BYTES,
            samples: allocated,
        }
    };
    Some(SiteStory {
        step_us: profile.end_us as f64 / STEPS as f64,
        live: in_bytes(&curve.live),
        allocated: in_bytes(&curve.allocated),
        kept: in_bytes(&curve.kept),
        n_stacks: stacks.len(),
        stacks: stacks.iter().take(max.stacks).map(of_stack).collect(),
    })
}
