//! Stacks as a prefix tree, 8 bytes a node, behind two small caches.
//!
//! A hash table of all nodes would be cache misses all the way: in a compiler's trace half of the look-ups make a new
//! node. Here a miss simply appends one, even if its twin exists; queries merge twins where they group children.
//! The first cache holds the child that each parent had last. Chains are appended one node after the other, so walking
//! down a stack walks that cache in order. The second, by parent and code, is for parents that alternate.

use std::ops::Range;

use super::chunked::Chunked;
use super::ids::StackId;
use crate::ctf::CodeId;

/// The frozen tree.
#[derive(Debug, Default)]
pub struct Stacks {
    nodes: Chunked<Node>,
}

#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// parent[i] < i (but for the root, its own parent), so one reverse pass sums subtrees.
    pub parent: u32,
    pub code: u32,
}

/// The tree while it grows.
#[derive(Debug)]
pub struct StackTree {
    nodes: Chunked<Node>,
    last_child: Box<[CacheEntry; LAST]>,
    any_child: Box<[CacheEntry; ANY]>,
    /// By [`CodeId`]: occurs in a stack of nodes that were given back.
    code_used: Vec<bool>,
}

/// Four to a cache line, none across two.
#[derive(Clone, Copy, Debug)]
#[repr(align(16))]
struct CacheEntry {
    parent: u32,
    code: u32,
    node: u32,
}

const LAST: usize = 1 << 14;
const ANY_BITS: u32 = 14;
const ANY: usize = 1 << ANY_BITS;
/// No node has this parent, so an empty entry never matches.
const NO_ENTRY: CacheEntry = CacheEntry { parent: u32::MAX, code: 0, node: 0 };
const ROOT: Node = Node { parent: 0, code: CodeId::LOST.0 };

impl Stacks {
    /// Nodes, the root included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 0
    }

    /// Node by node, parents before children; the first is the root, which stands for no frame.
    pub fn iter(&self) -> impl Iterator<Item = (StackId, StackId, CodeId)> + '_ {
        self.nodes.iter().enumerate().map(|(id, node)| (StackId(id as u32), StackId(node.parent), CodeId(node.code)))
    }

    /// Some of the nodes, by number, for work that is done in slices.
    pub fn range(&self, nodes: Range<usize>) -> impl Iterator<Item = (StackId, StackId, CodeId)> + '_ {
        let nodes = nodes.start..nodes.end.min(self.len());
        nodes.map(|at| {
            let node = self.nodes.get(at);
            (StackId(at as u32), StackId(node.parent), CodeId(node.code))
        })
    }

    /// The frames of a stack, from the allocation point to main.
    pub fn frames(&self, stack: StackId) -> impl Iterator<Item = CodeId> + '_ {
        let mut at = stack;
        std::iter::from_fn(move || {
            if at == StackId::EMPTY {
                return None;
            }
            let node = self.nodes.get(at.0 as usize);
            at = StackId(node.parent);
            Some(CodeId(node.code))
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes()
    }
}

impl StackTree {
    pub fn new() -> StackTree {
        let mut nodes = Chunked::default();
        nodes.push(ROOT);
        StackTree { nodes, last_child: empty_cache(), any_child: empty_cache(), code_used: Vec::new() }
    }

    /// The node of `code` below `parent`.
    #[inline]
    pub fn child(&mut self, parent: StackId, code: CodeId) -> StackId {
        let last = &self.last_child[parent.0 as usize % LAST];
        if last.parent == parent.0 && last.code == code.0 {
            return StackId(last.node);
        }
        self.other_child(parent, code)
    }

    #[inline]
    fn other_child(&mut self, parent: StackId, code: CodeId) -> StackId {
        let mixed = parent.0.wrapping_mul(0x9e37_79b1) ^ code.0.wrapping_mul(0x85eb_ca6b);
        let any = &mut self.any_child[(mixed >> (32 - ANY_BITS)) as usize % ANY];
        let node = if any.parent == parent.0 && any.code == code.0 {
            any.node
        } else {
            let node = self.nodes.len() as u32;
            *any = CacheEntry { parent: parent.0, code: code.0, node };
            self.nodes.push(Node { parent: parent.0, code: code.0 });
            node
        };
        // Made anew rather than copied: reading back what has just been written in parts would stall.
        self.last_child[parent.0 as usize % LAST] = CacheEntry { parent: parent.0, code: code.0, node };
        StackId(node)
    }

    pub fn nodes(&self) -> &Chunked<Node> {
        &self.nodes
    }

    /// Replaces the nodes by fewer; whoever holds ids must have them renamed.
    pub fn nodes_mut(&mut self) -> &mut Chunked<Node> {
        self.note_codes();
        self.last_child.fill(NO_ENTRY);
        self.any_child.fill(NO_ENTRY);
        &mut self.nodes
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes()
    }

    fn note_codes(&mut self) {
        // The root, which stands for no frame, has the code of lost ones: that does no harm.
        for node in self.nodes.slices().flatten() {
            let code = node.code as usize;
            match self.code_used.get_mut(code) {
                Some(used) => *used = true,
                None => {
                    self.code_used.resize(code + 1, false);
                    self.code_used[code] = true;
                }
            }
        }
    }

    /// The frozen tree, and which codes occur in it.
    pub fn finish(mut self) -> (Stacks, Vec<bool>) {
        self.note_codes();
        (Stacks { nodes: self.nodes }, self.code_used)
    }
}

fn empty_cache<const N: usize>() -> Box<[CacheEntry; N]> {
    // The length is N by construction; the other arm is never taken.
    vec![NO_ENTRY; N].into_boxed_slice().try_into().unwrap_or_else(|_| Box::new([NO_ENTRY; N]))
}
