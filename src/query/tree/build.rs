//! From the model's stacks to a call tree: one forward pass, since parents come before children.

use std::ops::Range;

use super::Grain;
use super::groups::{GroupId, Groups, GroupsBuilder};
use super::keys::{Key, KeyId, Keys};
use crate::ctf::CodeId;
use crate::query::label::frames_of;
use crate::query::measure::Weight;
use crate::query::selection::Selection;
use crate::trace::Trace;

#[derive(Debug)]
pub struct CallTree {
    /// [`Grain::Function`] or [`Grain::Site`].
    pub grain: Grain,
    pub keys: Keys,
    pub groups: Groups,
    /// By stack node: the group of its innermost frame.
    of_stack: Vec<u32>,
}

/// A tree while it is built, in slices.
#[derive(Debug)]
pub struct CallTreeBuilder {
    grain: Grain,
    keys: Keys,
    of_code: KeysOfCodes,
    groups: GroupsBuilder,
    of_stack: Vec<u32>,
}

impl CallTreeBuilder {
    /// For the tree of a base grain ([`Grain::base`]).
    pub fn new(trace: &Trace, grain: Grain) -> CallTreeBuilder {
        let grain = grain.base();
        let mut keys = Keys::new();
        let of_code = KeysOfCodes::new(trace, grain, &mut keys);
        let mut of_stack = Vec::with_capacity(trace.stacks.len());
        of_stack.push(GroupId::ROOT.0);
        // Groups are mostly somewhat fewer than nodes. Room that stays empty costs little, growing would copy it all.
        let groups = GroupsBuilder::new(Keys::ROOT, trace.stacks.len());
        CallTreeBuilder { grain, keys, of_code, groups, of_stack }
    }

    /// Takes up to so many more nodes; returns whether any are left.
    pub fn step(&mut self, trace: &Trace, n_nodes: usize) -> bool {
        let from = self.of_stack.len();
        for (_, parent, code) in trace.stacks.range(from..from + n_nodes) {
            let mut group = GroupId(self.of_stack[parent.0 as usize]);
            for &key in self.of_code.get(code) {
                group = self.groups.child(group, key);
            }
            self.of_stack.push(group.0);
        }
        self.of_stack.len() < trace.stacks.len()
    }

    /// How many of the nodes were taken.
    pub fn n_done(&self) -> usize {
        self.of_stack.len()
    }

    pub fn finish(self) -> CallTree {
        let CallTreeBuilder { grain, keys, groups, of_stack, .. } = self;
        CallTree { grain, groups: groups.finish(keys.len()), keys, of_stack }
    }
}

impl CallTree {
    /// The tree of a base grain ([`Grain::base`]).
    pub fn new(trace: &Trace, grain: Grain) -> CallTree {
        let mut builder = CallTreeBuilder::new(trace, grain);
        builder.step(trace, trace.stacks.len());
        builder.finish()
    }

    /// The group of a stack's innermost frame, by the stack's number.
    #[inline(always)]
    pub fn of_stack(&self, stack: usize) -> usize {
        self.of_stack[stack] as usize
    }

    /// By group: the raw weights of the selected objects that it allocated itself.
    pub fn weigh(&self, trace: &Trace, selection: &Selection, weight: Weight) -> Vec<f64> {
        let mut weights = vec![0.0; self.groups.len()];
        self.weigh_in(trace, selection, weight, 0..trace.columns.n_chunks(), &mut weights);
        weights
    }

    /// Zeros by group, in room that may have been used before.
    pub fn room_for_weights(&self, mut room: Vec<f64>) -> Vec<f64> {
        room.clear();
        room.resize(self.groups.len(), 0.0);
        room
    }

    /// Adds the weights of some chunks, by number, for work that is done in slices.
    pub fn weigh_in(
        &self,
        trace: &Trace,
        selection: &Selection,
        weight: Weight,
        chunks: Range<usize>,
        weights: &mut [f64],
    ) {
        match weight {
            // The common case, apart so that its loop stays small.
            Weight::Samples => selection.for_each_in(&trace.columns, chunks, |rows, place| {
                weights[self.of_stack(rows.stack(place))] += f64::from(rows.n_samples(place));
            }),
            weight => selection.for_each_in(&trace.columns, chunks, |rows, place| {
                weights[self.of_stack(rows.stack(place))] += weight.of(trace, rows, place);
            }),
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.groups.heap_bytes() + self.of_stack.len() * size_of::<u32>()
    }
}

/// The keys of each code's frames, outermost first, in one list.
#[derive(Debug)]
struct KeysOfCodes {
    starts: Vec<u32>,
    keys: Vec<KeyId>,
}

impl KeysOfCodes {
    fn new(trace: &Trace, grain: Grain, keys: &mut Keys) -> KeysOfCodes {
        let mut of_codes = KeysOfCodes { starts: vec![0], keys: Vec::new() };
        for code in (0..trace.codes.len() as u32).map(CodeId) {
            match frames_of(trace, code) {
                None => of_codes.keys.push(keys.id(Key::Code(code))),
                Some(frames) => of_codes.keys.extend(frames.iter().map(|frame| {
                    keys.id(match grain {
                        Grain::Site => Key::Site(*frame),
                        _ => Key::Function(frame.function),
                    })
                })),
            }
            of_codes.starts.push(of_codes.keys.len() as u32);
        }
        of_codes
    }

    #[inline(always)]
    fn get(&self, code: CodeId) -> &[KeyId] {
        let at = code.0 as usize;
        &self.keys[self.starts[at] as usize..self.starts[at + 1] as usize]
    }
}
