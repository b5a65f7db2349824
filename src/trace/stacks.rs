//! Stacks as a prefix tree, 8 bytes a node, behind one small cache.
//!
//! A hash table of all nodes would be cache misses all the way: in a compiler's trace half of the look-ups make a new
//! node. Here a miss simply appends one, even if its twin exists; queries merge twins where they group children.
//! The cache holds pairs of parent and code, two to a set. A set's number is the parent's, stirred by the code: a
//! chain's nodes are appended one after the other, so walking down a stack mostly walks the cache in order.

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
    cache: Box<[Set; CACHE]>,
    /// The node that was appended last.
    newest: StackId,
    /// By [`CodeId`]: occurs in a stack of nodes that were given back.
    code_used: Vec<bool>,
}

/// Two pairs of parent and code, and their nodes. Two sets to a cache line, none across two.
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
/// No node has this number.
const NO_NODE: StackId = StackId(u32::MAX);
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
        StackTree { nodes, cache: empty_cache(), newest: NO_NODE, code_used: Vec::new() }
    }

    /// The node of `code` below `parent`.
    #[inline(always)]
    pub fn child(&mut self, parent: StackId, code: CodeId) -> StackId {
        // The newest node has no child yet: nothing to wait for.
        if parent == self.newest {
            return self.append(parent, code);
        }
        let key = key(parent, code);
        let set = &self.cache[place(parent, code)];
        // Branches rather than a choice: the processor then goes on with the node before it has compared the keys.
        if set.keys[0] == key {
            return StackId(set.nodes[0]);
        }
        if set.keys[1] == key {
            return StackId(set.nodes[1]);
        }
        self.append(parent, code)
    }

    /// Apart, so that looking up keeps its registers.
    #[inline(never)]
    #[cfg_attr(for_speed, optimize(speed))]
    fn append(&mut self, parent: StackId, code: CodeId) -> StackId {
        let node = self.nodes.len() as u32;
        let set = &mut self.cache[place(parent, code)];
        *set = Set { keys: [key(parent, code), set.keys[0]], nodes: [node, set.nodes[0]] };
        self.nodes.push(Node { parent: parent.0, code: code.0 });
        self.newest = StackId(node);
        StackId(node)
    }

    pub fn nodes(&self) -> &Chunked<Node> {
        &self.nodes
    }

    /// Replaces the nodes by fewer; whoever holds ids must have them renamed.
    pub fn nodes_mut(&mut self) -> &mut Chunked<Node> {
        self.note_codes();
        self.cache.fill(EMPTY_SET);
        self.newest = NO_NODE;
        &mut self.nodes
    }

    pub fn heap_bytes(&self) -> usize {
        self.nodes.heap_bytes()
    }

    #[cfg_attr(for_speed, optimize(speed))]
    fn note_codes(&mut self) {
        // The root, which stands for no frame, has the code of lost ones: that does no harm.
        for node in self.nodes.slices().flatten() {
            let code = node.code as usize;
            if code >= self.code_used.len() {
                self.code_used.resize(code + 1, false);
            }
            self.code_used[code] = true;
        }
    }

    /// The frozen tree, and which codes occur in it.
    pub fn finish(mut self) -> (Stacks, Vec<bool>) {
        self.note_codes();
        (Stacks { nodes: self.nodes }, self.code_used)
    }
}

#[inline(always)]
fn key(parent: StackId, code: CodeId) -> u64 {
    u64::from(parent.0) << 32 | u64::from(code.0)
}

#[inline(always)]
fn place(parent: StackId, code: CodeId) -> usize {
    (parent.0 ^ code.0.wrapping_mul(0x9e37_79b1) >> (32 - CACHE_BITS)) as usize % CACHE
}

fn empty_cache<const N: usize>() -> Box<[Set; N]> {
    // The length is N by construction; the other arm is never taken.
    vec![EMPTY_SET; N].into_boxed_slice().try_into().unwrap_or_else(|_| Box::new([EMPTY_SET; N]))
}
