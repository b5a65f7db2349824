//! The frame that allocated an object, which is all that timelines, leaks and findings need from its stack. It depends
//! only on the stack's last code or, if frames are hidden, on one pass over the stack nodes. No call tree is built.

use super::build::KeysOfCodes;
use super::keys::{Key, KeyId, Keys, Label, coarser};
use super::shape::{Shape, matching_keys};
use crate::query::filter::FilterError;
use crate::query::label::{NO_FRAME, Starts};
use crate::trace::{Calls, StackId, Stacks};
use camlscope_formats::ctf::CodeId;

/// The innermost frame of each stack that the shape doesn't hide. Folding recursion never changes which frame
/// allocated.
#[derive(Debug)]
pub struct Allocators {
    pub shape: Shape,
    keys: Keys,
    lookup: Lookup,
}

#[derive(Debug)]
enum Lookup {
    /// By code: the key of its innermost frame.
    ByCode(Vec<KeyId>),
    /// By stack node. The root's key if all frames are hidden, and outside the focus.
    ByStack(Vec<KeyId>),
}

impl Allocators {
    /// Takes 4 bytes per stack node if the shape hides frames or has several focuses, otherwise 4 bytes per code.
    pub fn new(calls: &Calls, shape: &Shape) -> Result<Allocators, FilterError> {
        let mut base_keys = Keys::default();
        let of_codes = KeysOfCodes::new(calls, shape.grain.base(), &mut base_keys);
        let (keys, key_of) = coarser(calls, &base_keys, shape.grain);
        // A stack that passes the filter goes through a single focus, so its innermost frame is inside the focus.
        let lookup = if shape.hide.is_empty() && shape.focus.len() < 2 {
            let codes = (0..calls.codes.len() as u32).map(CodeId);
            Lookup::ByCode(codes.map(|code| key_of[of_codes.innermost(code).0 as usize]).collect())
        } else {
            let hidden = matching_keys(calls, &base_keys, &shape.hide)?;
            let focused: Vec<Vec<bool>> = shape
                .focus
                .iter()
                .map(|test| matching_keys(calls, &base_keys, std::slice::from_ref(test)))
                .collect::<Result<_, _>>()?;
            let pass = Pass { calls, of_codes: &of_codes, key_of: &key_of, hidden: &hidden, focused: &focused };
            Lookup::ByStack(if focused.is_empty() { pass.without_focus() } else { pass.within_focus() })
        };
        Ok(Allocators { shape: shape.clone(), keys, lookup })
    }

    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// Returns the label of a key. The root's key is for objects whose stack has no frame left.
    pub fn label(&self, calls: &Calls, key: KeyId) -> Label {
        match self.keys.get(key) {
            Key::Root => Label { name: NO_FRAME.to_owned(), ..Label::default() },
            key => key.label(calls),
        }
    }

    /// Returns a value for each stack, given one for each key.
    pub fn values<'a, T: Copy>(&'a self, calls: &'a Calls, of_key: impl Fn(KeyId) -> T) -> AllocatorValues<'a, T> {
        let root = of_key(Keys::ROOT);
        match &self.lookup {
            Lookup::ByCode(keys) => AllocatorValues::ByCode {
                stacks: &calls.stacks,
                values: keys.iter().map(|&key| of_key(key)).collect(),
                root,
            },
            Lookup::ByStack(keys) => {
                let values = (0..self.keys.len() as u32).map(|key| of_key(KeyId(key))).collect();
                AllocatorValues::ByStack { keys, values }
            }
        }
    }

    pub fn heap_bytes(&self) -> usize {
        match &self.lookup {
            Lookup::ByCode(keys) | Lookup::ByStack(keys) => keys.len() * size_of::<KeyId>(),
        }
    }
}

/// A value for each stack, available without a search.
#[derive(Clone, Debug)]
pub enum AllocatorValues<'a, T> {
    ByCode { stacks: &'a Stacks, values: Vec<T>, root: T },
    ByStack { keys: &'a [KeyId], values: Vec<T> },
}

impl<'a, T: Copy> AllocatorValues<'a, T> {
    /// Returns the value of a stack, by its index.
    #[inline(always)]
    pub fn of_stack(&self, stack: usize) -> T {
        match self {
            AllocatorValues::ByCode { root, .. } if stack == 0 => *root,
            AllocatorValues::ByCode { stacks, values, .. } => values[stacks.code(stack).0 as usize],
            AllocatorValues::ByStack { keys, values } => values[keys[stack].0 as usize],
        }
    }

    /// Converts the values of all stacks.
    pub fn map<U>(&self, value: impl Fn(T) -> U) -> AllocatorValues<'a, U> {
        match self {
            AllocatorValues::ByCode { stacks, values, root } => AllocatorValues::ByCode {
                stacks,
                values: values.iter().map(|&of| value(of)).collect(),
                root: value(*root),
            },
            AllocatorValues::ByStack { keys, values } => {
                AllocatorValues::ByStack { keys, values: values.iter().map(|&of| value(of)).collect() }
            }
        }
    }
}

/// The inputs of the pass over all stack nodes.
struct Pass<'a> {
    calls: &'a Calls,
    of_codes: &'a KeysOfCodes,
    /// By key of the base grain: the key of the shape's grain.
    key_of: &'a [KeyId],
    /// By key of the base grain.
    hidden: &'a [bool],
    /// By focus, then by key of the base grain.
    focused: &'a [Vec<bool>],
}

/// Both functions return keys by stack node. Parents come before children, so each node continues from its parent's
/// result.
impl Pass<'_> {
    fn without_focus(&self) -> Vec<KeyId> {
        let codes = (0..self.calls.codes.len() as u32).map(CodeId);
        let visible = |code: CodeId| {
            let mut frames = self.of_codes.frames(code).iter().rev().map(|frame| frame.0 as usize);
            frames.find(|&frame| !self.hidden[frame]).map(|frame| self.key_of[frame])
        };
        let of_code: Vec<Option<KeyId>> = codes.map(visible).collect();
        let mut keys = Vec::with_capacity(self.calls.stacks.len());
        keys.push(Keys::ROOT);
        let mut starts = Starts::new(self.calls);
        for (id, parent, code) in self.calls.stacks.iter().skip(1) {
            let above = if starts.follows(id, parent, code) { Keys::ROOT } else { keys[parent.0 as usize] };
            keys.push(of_code[code.0 as usize].unwrap_or(above));
        }
        keys
    }

    fn within_focus(&self) -> Vec<KeyId> {
        let n_nodes = self.calls.stacks.len();
        let mut keys = Vec::with_capacity(n_nodes);
        // By stack node: how many focuses are on the way to it.
        let mut n_met: Vec<u32> = Vec::with_capacity(n_nodes);
        keys.push(Keys::ROOT);
        n_met.push(0);
        let mut starts = Starts::new(self.calls);
        for (id, parent, code) in self.calls.stacks.iter().skip(1) {
            let parent = if starts.follows(id, parent, code) { StackId::EMPTY } else { parent };
            let (mut key, mut met) = (keys[parent.0 as usize], n_met[parent.0 as usize]);
            for frame in self.of_codes.frames(code) {
                let at = frame.0 as usize;
                met += u32::from(self.focused.get(met as usize).is_some_and(|focused| focused[at]));
                if met as usize == self.focused.len() && !self.hidden[at] {
                    key = self.key_of[at];
                }
            }
            keys.push(key);
            n_met.push(met);
        }
        keys
    }
}
