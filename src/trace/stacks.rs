//! Stacks as a prefix tree, 8 bytes a node, behind a small direct-mapped cache.
//!
//! A hash table of all nodes would be cache misses all the way: in a compiler's trace half of the look-ups make a new
//! node. Here a miss simply appends one, even if its twin exists; queries merge twins where they group children.

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
    cache: Box<[CacheEntry]>,
    /// By [`CodeId`]: occurs in a stack.
    code_used: Vec<bool>,
}

#[derive(Clone, Copy, Debug)]
struct CacheEntry {
    parent: u32,
    code: u32,
    node: u32,
}

const CACHE_BITS: u32 = 15;
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
        let cache = vec![NO_ENTRY; 1 << CACHE_BITS].into_boxed_slice();
        StackTree { nodes, cache, code_used: Vec::new() }
    }

    /// The node of `code` below `parent`.
    #[inline]
    pub fn child(&mut self, parent: StackId, code: CodeId) -> StackId {
        let mixed = parent.0.wrapping_mul(0x9e37_79b1) ^ code.0.wrapping_mul(0x85eb_ca6b);
        let slot = (mixed >> (32 - CACHE_BITS)) as usize & ((1 << CACHE_BITS) - 1);
        let entry = &mut self.cache[slot];
        if entry.parent == parent.0 && entry.code == code.0 {
            return StackId(entry.node);
        }
        let node = self.nodes.len() as u32;
        *entry = CacheEntry { parent: parent.0, code: code.0, node };
        self.nodes.push(Node { parent: parent.0, code: code.0 });
        self.mark_used(code);
        StackId(node)
    }

    fn mark_used(&mut self, code: CodeId) {
        let at = code.0 as usize;
        if at >= self.code_used.len() {
            self.code_used.resize(at + 1, false);
        }
        self.code_used[at] = true;
    }

    pub fn nodes(&self) -> &Chunked<Node> {
        &self.nodes
    }

    /// Replaces the nodes by fewer; whoever holds ids must have them renamed.
    pub fn nodes_mut(&mut self) -> &mut Chunked<Node> {
        self.cache.fill(NO_ENTRY);
        &mut self.nodes
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes()
    }

    /// The frozen tree, and which codes occur in it.
    pub fn finish(self) -> (Stacks, Vec<bool>) {
        (Stacks { nodes: self.nodes }, self.code_used)
    }
}
