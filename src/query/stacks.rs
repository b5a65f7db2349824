//! The heaviest stacks, one by one: what other programs' profiles are made of.

use serde::{Deserialize, Serialize};

use super::sorting::sort_by;
use super::tree::{GroupId, Label, ShapedTree};
use crate::trace::Trace;

/// So much at most; the rest is summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StacksConfig {
    pub max_stacks: usize,
    /// Of all stacks together.
    pub max_frames: usize,
}

impl StacksConfig {
    pub const ALL: StacksConfig = StacksConfig { max_stacks: usize::MAX, max_frames: usize::MAX };
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StackList {
    pub frames: Vec<Label>,
    /// The heaviest first: places in `frames`, from main to the allocation point, and what the stack weighs itself.
    pub stacks: Vec<(Vec<u32>, f64)>,
    /// Those that there was no room for, and what they weigh together.
    pub n_left_out: usize,
    pub left_out: f64,
}

/// `own` is what a group weighs itself, `scale` what a unit of it stands for.
pub fn stacks(
    trace: &Trace,
    tree: &ShapedTree,
    own: impl Fn(GroupId) -> f64,
    scale: f64,
    config: StacksConfig,
) -> StackList {
    let (groups, keys) = (tree.groups(), tree.keys());
    let mut heavy: Vec<(GroupId, f64)> =
        groups.iter().map(|group| (group, own(group))).filter(|(_, weight)| *weight > 0.0).collect();
    sort_by(&mut heavy, |one, two| two.1.total_cmp(&one.1).then(one.0.cmp(&two.0)));
    let frames = keys.iter().map(|(id, _)| keys.label(trace, id)).collect();
    let mut list = StackList { frames, ..StackList::default() };
    let mut n_frames = 0;
    for (group, weight) in heavy {
        // Once one is left out, so are all that are lighter.
        if list.n_left_out == 0 && list.stacks.len() < config.max_stacks {
            let up = std::iter::successors(Some(group), |&group| Some(groups.parent(group)));
            let mut stack: Vec<u32> =
                up.take_while(|&group| group != GroupId::ROOT).map(|group| groups.key(group).0).collect();
            n_frames += stack.len();
            if n_frames <= config.max_frames {
                stack.reverse();
                list.stacks.push((stack, weight * scale));
                continue;
            }
        }
        list.n_left_out += 1;
        list.left_out += weight * scale;
    }
    list
}
