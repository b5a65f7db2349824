//! A program's call stacks and their frames, which memtrace traces and Spacetime profiles have in common.

use rustc_hash::FxHashMap;

use super::frames::{FrameTables, Frames, SourceLocation};
use super::ids::StackId;
use super::stacks::{StackTree, Stacks};
use camlscope_formats::ctf::CodeId;

#[derive(Debug, Default)]
pub struct Calls {
    pub stacks: Stacks,
    pub frames: Frames,
    /// Location codes, by [`CodeId`].
    pub codes: Vec<u64>,
    /// Which codes occur in stacks, by [`CodeId`].
    pub code_used: Vec<bool>,
}

/// Builds call stacks while a profile is read. A trace's stacks come from its decoder, in a different order.
#[derive(Debug)]
pub struct CallsBuilder {
    tree: StackTree,
    frames: FrameTables,
    codes: Vec<u64>,
    code_used: Vec<bool>,
    ids: FxHashMap<u64, CodeId>,
}

impl Default for CallsBuilder {
    fn default() -> CallsBuilder {
        // The first two codes are not addresses: see `CodeId`.
        CallsBuilder {
            tree: StackTree::new(),
            frames: FrameTables::default(),
            codes: vec![0; 2],
            code_used: vec![false; 2],
            ids: FxHashMap::default(),
        }
    }
}

impl CallsBuilder {
    /// Sets the frames of an address, outermost first. The first explanation wins.
    pub fn explain(&mut self, address: u64, locations: &[SourceLocation<'_>]) {
        let code = self.code(address);
        self.frames.explain_locations(code, locations);
    }

    /// Returns the stack that extends `parent` by `address`.
    pub fn child(&mut self, parent: StackId, address: u64) -> StackId {
        let code = self.code(address);
        self.code_used[code.0 as usize] = true;
        self.tree.child(parent, code)
    }

    /// Returns the stack that extends `parent` by unknown frames.
    pub fn lost_child(&mut self, parent: StackId) -> StackId {
        self.tree.child(parent, CodeId::LOST)
    }

    pub fn heap_bytes(&self) -> usize {
        self.tree.heap_bytes()
    }

    pub fn finish(self) -> Calls {
        Calls { stacks: self.tree.finish(), frames: self.frames.finish(), codes: self.codes, code_used: self.code_used }
    }

    fn code(&mut self, address: u64) -> CodeId {
        let CallsBuilder { codes, code_used, ids, .. } = self;
        *ids.entry(address).or_insert_with(|| {
            codes.push(address);
            code_used.push(false);
            CodeId(codes.len() as u32 - 1)
        })
    }
}
