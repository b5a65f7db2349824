//! Stacks as a prefix tree, 8 bytes per node, with one small cache.
//!
//! A hash table of all nodes would be all cache misses: in traces of compilers, six of ten lookups make a new node.
//! Here a miss simply appends a node, even if a duplicate exists. Queries merge duplicates when they group children.
//! The cache has two pairs of parent and code per set. A pair enters it on its second lookup. Until then a node's first
//! child is found right after it, because a new chain of frames is appended in order.

use std::ops::Range;

use super::ids::StackId;
use super::nodes::{Node, Nodes};
use camlscope_formats::ctf::CodeId;

/// The frozen tree.
#[derive(Debug, Default)]
pub struct Stacks {
    nodes: Nodes,
}

/// The tree while it grows.
#[derive(Debug)]
pub struct StackTree {
    nodes: Nodes,
    cache: Box<[Set; CACHE]>,
}

/// Two pairs of parent and code with their nodes. Two sets fill a cache line, and none crosses one.
#[derive(Clone, Copy, Debug)]
#[repr(align(32))]
struct Set {
    keys: [u64; 2],
    nodes: [u32; 2],
}

const CACHE_BITS: u32 = 14;
const CACHE: usize = 1 << CACHE_BITS;
/// No node has this parent, so an empty entry never matches.
const EMPTY_SET: Set = Set { keys: [u64::MAX; 2], nodes: [0; 2] };

impl Stacks {
    /// The number of nodes, including the root.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// All nodes, parents before children. The first is the root, which has no frame.
    pub fn iter(&self) -> impl Iterator<Item = (StackId, StackId, CodeId)> + '_ {
        self.range(0..self.len())
    }

    /// The code of a node's own frame. The root's code is meaningless.
    #[inline(always)]
    pub fn code(&self, at: usize) -> CodeId {
        CodeId(self.nodes.get(at).code())
    }

    /// The parent of a node. The root is its own parent.
    #[inline(always)]
    pub fn parent(&self, stack: StackId) -> StackId {
        StackId(self.nodes.get(stack.0 as usize).parent())
    }

    /// Returns nodes by number, for work done in slices.
    pub fn range(&self, nodes: Range<usize>) -> impl Iterator<Item = (StackId, StackId, CodeId)> + '_ {
        let nodes = nodes.start..nodes.end.min(self.len());
        nodes.map(|at| {
            let node = self.nodes.get(at);
            (StackId(at as u32), StackId(node.parent()), CodeId(node.code()))
        })
    }

    /// Returns the frames of a stack, from the allocation site to main.
    pub fn frames(&self, stack: StackId) -> impl Iterator<Item = CodeId> + '_ {
        let mut at = stack;
        std::iter::from_fn(move || {
            if at == StackId::EMPTY {
                return None;
            }
            let node = self.nodes.get(at.0 as usize);
            at = StackId(node.parent());
            Some(CodeId(node.code()))
        })
    }

    pub(super) fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes()
    }
}

impl StackTree {
    pub fn new() -> StackTree {
        let mut nodes = Nodes::default();
        // The root has no frame, so it gets the code for lost frames.
        nodes.push(Node::new(0, CodeId::LOST.0));
        StackTree { nodes, cache: empty_cache() }
    }

    /// Returns the node of `code` below `parent`.
    #[inline(always)]
    pub fn child(&mut self, parent: StackId, code: CodeId) -> StackId {
        let node = Node::new(parent.0, code.0);
        // The newest node has no child yet, so there is nothing to look up. There is nothing to cache either: its first
        // child will be right after it.
        if !self.nodes.is_newest(parent) {
            let set = &mut self.cache[place(parent, code)];
            // Branches instead of a conditional move: the processor then continues with the node before it has compared
            // the keys.
            if set.keys[0] == node.0 {
                return StackId(set.nodes[0]);
            }
            if set.keys[1] == node.0 {
                return StackId(set.nodes[1]);
            }
            let next = parent.0.wrapping_add(1);
            let is_next = self.nodes.get(next as usize) == node;
            let child = if is_next { next } else { self.nodes.len() as u32 };
            *set = Set { keys: [node.0, set.keys[0]], nodes: [child, set.nodes[0]] };
            if is_next {
                return StackId(child);
            }
        }
        let child = self.nodes.push(node);
        if self.nodes.is_full() {
            self.nodes.begin_chunk();
        }
        child
    }

    pub fn nodes(&self) -> &Nodes {
        &self.nodes
    }

    /// Gives access to the nodes, to replace them with fewer. All ids held elsewhere must be renumbered.
    pub fn nodes_mut(&mut self) -> &mut Nodes {
        self.cache.fill(EMPTY_SET);
        &mut self.nodes
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes()
    }

    /// Frees memory reserved for more nodes.
    pub(super) fn close(&mut self) {
        self.nodes.close();
    }

    /// Moves the nodes out. None may be looked up until they are put back.
    pub(super) fn take(&mut self) -> Stacks {
        Stacks { nodes: std::mem::take(&mut self.nodes) }
    }

    pub(super) fn put_back(&mut self, stacks: Stacks) {
        self.nodes = stacks.nodes;
    }

    pub fn finish(mut self) -> Stacks {
        self.nodes.close();
        Stacks { nodes: self.nodes }
    }
}

#[inline(always)]
fn place(parent: StackId, code: CodeId) -> usize {
    (parent.0 ^ code.0.wrapping_mul(0x9e37_79b1) >> (32 - CACHE_BITS)) as usize % CACHE
}

fn empty_cache<const N: usize>() -> Box<[Set; N]> {
    // The length is N by construction, so the fallback is never used.
    vec![EMPTY_SET; N].into_boxed_slice().try_into().unwrap_or_else(|_| Box::new([EMPTY_SET; N]))
}
