//! Finds where growth comes together: fifteen functions may leak because one function calls them all.

use std::rc::Rc;

use super::shape;
use crate::query::filter::{Filter, FilterError};
use crate::query::label::NO_FRAME;
use crate::query::selection::Selection;
use crate::query::tree::{CallTree, Grain, GroupId, Label, ShapedTree};
use crate::trace::{StackId, Trace};

/// More objects add no information.
const MAX_OBJECTS: usize = 20_000;
/// The share of the growth that must come through the caller. The rest may be stray objects of other functions.
const MOST: f64 = 0.95;

/// Returns the innermost function through which nearly all of these objects were allocated. Skips functions that
/// allocate most of them themselves.
pub fn common_caller(trace: &Trace, grown: &Selection) -> Result<Option<Label>, FilterError> {
    let every = grown.len().div_ceil(MAX_OBJECTS).max(1);
    let (mut stacks, mut at): (Vec<(StackId, u64)>, usize) = (Vec::new(), 0);
    grown.for_each(&trace.columns, |rows, place| {
        if at.is_multiple_of(every) {
            stacks.push((StackId(rows.stack(place) as u32), rows.n_samples(place)));
        }
        at += 1;
    });
    let base = Rc::new(CallTree::of_stacks(&trace.calls, Grain::Function, stacks.iter().map(|(stack, _)| *stack)));
    let tree = ShapedTree::new(&trace.calls, &base, &shape(&Filter::default(), Grain::Function))?;
    let groups = tree.groups();
    let mut own = vec![0u64; groups.len()];
    for (stack, samples) in stacks {
        own[tree.of_stack(stack.0 as usize).unwrap_or(GroupId::ROOT).0 as usize] += samples;
    }
    let mut totals = own.clone();
    groups.sum_up(&mut totals);
    let enough = MOST * totals.first().copied().unwrap_or(0) as f64;
    let (mut innermost, mut group) = (None, GroupId::ROOT);
    while let Some(child) =
        groups.children(group).find(|child| totals[child.0 as usize] as f64 >= enough && enough > 0.0)
    {
        group = child;
        let has_callees = own[group.0 as usize] as f64 <= totals[group.0 as usize] as f64 / 2.0;
        innermost = has_callees.then_some(group).or(innermost);
    }
    let label = innermost.map(|group| tree.keys().label(&trace.calls, groups.key(group)));
    Ok(label.filter(|label| label.name != NO_FRAME))
}
