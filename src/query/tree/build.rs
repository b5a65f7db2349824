//! From the model's stacks to a call tree: one forward pass, since parents come before children.

use std::ops::Range;

use super::Grain;
use super::groups::{GroupId, Groups, GroupsBuilder};
use super::keys::{Key, KeyId, Keys};
use crate::ctf::CodeId;
use crate::query::label::frames_of;
use crate::query::measure::Weight;
use crate::query::selection::Selection;
use crate::trace::{Frame, Trace};

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
        let CallTreeBuilder { of_code, groups, of_stack, .. } = self;
        let from = of_stack.len();
        let to = trace.stacks.len().min(from + n_nodes);
        for (_, parent, code) in trace.stacks.range(from..to) {
            let above = GroupId(of_stack[parent.0 as usize]);
            let group = match of_code.only(code) {
                Some(key) => groups.child(above, key),
                None => of_code.several(code).iter().fold(above, |above, &key| groups.child(above, key)),
            };
            of_stack.push(group.0);
        }
        to < trace.stacks.len()
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

/// The keys of each code's frames.
#[derive(Debug)]
struct KeysOfCodes {
    /// By code: the key of its only frame, as nearly all have; or [`SEVERAL`] and a place in `several`.
    only: Vec<u32>,
    /// Outermost first.
    several: Vec<Vec<KeyId>>,
}

const SEVERAL: u32 = 1 << 31;

impl KeysOfCodes {
    fn new(trace: &Trace, grain: Grain, keys: &mut Keys) -> KeysOfCodes {
        let mut of_codes = KeysOfCodes { only: Vec::with_capacity(trace.codes.len()), several: Vec::new() };
        for code in (0..trace.codes.len() as u32).map(CodeId) {
            let mut key_of = |frame: &Frame| {
                keys.id(match grain {
                    Grain::Site => Key::Site(*frame),
                    _ => Key::Function(frame.function),
                })
            };
            let only = match frames_of(trace, code) {
                None => keys.id(Key::Code(code)).0,
                Some([frame]) => key_of(frame).0,
                Some(frames) => {
                    of_codes.several.push(frames.iter().map(key_of).collect());
                    SEVERAL | (of_codes.several.len() as u32 - 1)
                }
            };
            of_codes.only.push(only);
        }
        of_codes
    }

    #[inline(always)]
    fn only(&self, code: CodeId) -> Option<KeyId> {
        let key = self.only[code.0 as usize];
        (key & SEVERAL == 0).then_some(KeyId(key))
    }

    fn several(&self, code: CodeId) -> &[KeyId] {
        &self.several[(self.only[code.0 as usize] & !SEVERAL) as usize]
    }
}
