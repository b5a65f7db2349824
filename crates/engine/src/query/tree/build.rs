//! Builds a call tree from the model's stacks in one forward pass, since parents come before children.

use super::Grain;
use super::groups::{GroupId, Groups, GroupsBuilder};
use super::keys::{Key, KeyId, Keys};
use crate::query::label::frames_of;
use crate::trace::{Calls, Frame, StackId};
use camlscope_formats::ctf::CodeId;

#[derive(Debug)]
pub struct CallTree {
    /// [`Grain::Function`] or [`Grain::Site`].
    pub grain: Grain,
    pub keys: Keys,
    pub groups: Groups,
    /// By stack node: the group of its innermost frame.
    of_stack: Vec<u32>,
}

/// A tree under construction, built in slices.
#[derive(Debug)]
pub struct CallTreeBuilder {
    grain: Grain,
    keys: Keys,
    of_code: KeysOfCodes,
    groups: GroupsBuilder,
    of_stack: Vec<u32>,
    /// The key of code without a location, and (`start`) the group of stacks that consist only of such code.
    no_debug_info: Option<KeyId>,
    start: Option<GroupId>,
}

impl CallTreeBuilder {
    /// Starts the tree of a base grain ([`Grain::base`]).
    pub fn new(calls: &Calls, grain: Grain) -> CallTreeBuilder {
        let mut of_stack = Vec::with_capacity(calls.stacks.len());
        of_stack.push(GroupId::ROOT.0);
        // Usually slightly more than needed. Growing would copy everything, and unused memory is released.
        CallTreeBuilder::with_groups(calls, grain, of_stack, calls.stacks.len())
    }

    fn with_groups(calls: &Calls, grain: Grain, of_stack: Vec<u32>, n_expected: usize) -> CallTreeBuilder {
        let grain = grain.base();
        let mut keys = Keys::default();
        let of_code = KeysOfCodes::new(calls, grain, &mut keys);
        let groups = GroupsBuilder::new(Keys::ROOT, n_expected);
        let no_debug_info = keys.find(Key::NoDebugInfo);
        CallTreeBuilder { grain, keys, of_code, groups, of_stack, no_debug_info, start: None }
    }

    /// Adds up to `n_nodes` more nodes. Returns whether any are left.
    pub fn step(&mut self, calls: &Calls, n_nodes: usize) -> bool {
        let from = self.of_stack.len();
        let to = calls.stacks.len().min(from + n_nodes);
        for (_, parent, code) in calls.stacks.range(from..to) {
            let group = self.group(parent, code);
            self.of_stack.push(group.0);
        }
        to < calls.stacks.len()
    }

    /// Returns the group of a node, whose parent must have been added before.
    #[inline(always)]
    fn group(&mut self, parent: StackId, code: CodeId) -> GroupId {
        let CallTreeBuilder { of_code, groups, of_stack, no_debug_info, start, .. } = self;
        let mut above = GroupId(of_stack[parent.0 as usize]);
        // Program startup has no location, and isn't shown as the caller of the program's functions.
        if Some(above) == *start {
            above = GroupId::ROOT;
        }
        let group = match of_code.only(code) {
            Some(key) => groups.child(above, key),
            None => of_code.frames(code).iter().fold(above, |above, &key| groups.child(above, key)),
        };
        if above == GroupId::ROOT && no_debug_info.is_some() && of_code.only(code) == *no_debug_info {
            *start = Some(group);
        }
        group
    }

    /// Returns the memory that the tree takes during construction, without inlined frames.
    pub fn most_bytes(calls: &Calls) -> usize {
        calls.stacks.len() * (size_of::<u32>() + Groups::BYTES_A_GROUP)
    }

    pub fn heap_bytes(&self) -> usize {
        self.groups.heap_bytes() + self.of_stack.capacity() * size_of::<u32>()
    }

    /// The number of nodes added so far.
    pub fn n_done(&self) -> usize {
        self.of_stack.len()
    }

    pub fn finish(self) -> CallTree {
        let CallTreeBuilder { grain, keys, groups, of_stack, .. } = self;
        CallTree { grain, groups: groups.finish(keys.len()), keys, of_stack }
    }
}

impl CallTree {
    /// Builds the tree of a base grain ([`Grain::base`]).
    pub fn new(calls: &Calls, grain: Grain) -> CallTree {
        let mut builder = CallTreeBuilder::new(calls, grain);
        builder.step(calls, calls.stacks.len());
        builder.finish()
    }

    /// Builds the tree of some stacks. All others belong to its root.
    pub fn of_stacks(calls: &Calls, grain: Grain, stacks: impl Iterator<Item = StackId>) -> CallTree {
        let mut is_wanted = vec![false; calls.stacks.len()];
        let mut n_wanted = 0;
        for stack in stacks {
            let mut at = stack;
            while at != StackId::EMPTY && !is_wanted[at.0 as usize] {
                is_wanted[at.0 as usize] = true;
                n_wanted += 1;
                at = calls.stacks.parent(at);
            }
        }
        let of_stack = vec![GroupId::ROOT.0; calls.stacks.len()];
        let mut builder = CallTreeBuilder::with_groups(calls, grain, of_stack, n_wanted);
        for stack in (0u32..).map(StackId).zip(is_wanted).filter_map(|(stack, is_wanted)| is_wanted.then_some(stack)) {
            let group = builder.group(calls.stacks.parent(stack), calls.stacks.code(stack.0 as usize));
            builder.of_stack[stack.0 as usize] = group.0;
        }
        builder.finish()
    }

    /// Returns the group of a stack's innermost frame, by the stack's index.
    #[inline(always)]
    pub fn of_stack(&self, stack: usize) -> usize {
        self.of_stack[stack] as usize
    }

    pub fn heap_bytes(&self) -> usize {
        self.groups.heap_bytes() + self.of_stack.len() * size_of::<u32>()
    }
}

/// The keys of each code's frames.
#[derive(Debug)]
pub struct KeysOfCodes {
    /// By code: the key of its frame if it has only one, as nearly all do. Otherwise [`SEVERAL`] and an index into
    /// `several`.
    only: Vec<KeyId>,
    /// Outermost first.
    several: Vec<Vec<KeyId>>,
}

const SEVERAL: u32 = 1 << 31;

impl KeysOfCodes {
    /// `grain` must be [`Grain::Function`] or [`Grain::Site`]. New keys are added to `keys`.
    pub fn new(calls: &Calls, grain: Grain, keys: &mut Keys) -> KeysOfCodes {
        let mut of_codes = KeysOfCodes { only: Vec::with_capacity(calls.codes.len()), several: Vec::new() };
        for code in (0..calls.codes.len() as u32).map(CodeId) {
            let mut key_of = |frame: &Frame| {
                keys.id(match grain {
                    Grain::Site => Key::Site(*frame),
                    _ => Key::Function(frame.function),
                })
            };
            let only = match frames_of(calls, code) {
                None if code == CodeId::LOST => keys.id(Key::Lost),
                None => keys.id(Key::NoDebugInfo),
                Some([frame]) => key_of(frame),
                Some(frames) => {
                    of_codes.several.push(frames.iter().map(key_of).collect());
                    KeyId(SEVERAL | (of_codes.several.len() as u32 - 1))
                }
            };
            of_codes.only.push(only);
        }
        of_codes
    }

    /// Returns the key of a code's only frame, or `None` if it has several.
    #[inline(always)]
    fn only(&self, code: CodeId) -> Option<KeyId> {
        let key = self.only[code.0 as usize];
        (key.0 & SEVERAL == 0).then_some(key)
    }

    /// Returns the keys of a code's frames, outermost first. There is at least one.
    #[inline(always)]
    pub fn frames(&self, code: CodeId) -> &[KeyId] {
        let at = code.0 as usize;
        match self.only(code) {
            Some(_) => &self.only[at..=at],
            None => &self.several[(self.only[at].0 & !SEVERAL) as usize],
        }
    }

    /// Returns the key of a code's innermost frame.
    pub fn innermost(&self, code: CodeId) -> KeyId {
        self.frames(code).last().copied().unwrap_or(Keys::ROOT)
    }
}
