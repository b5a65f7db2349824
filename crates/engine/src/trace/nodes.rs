//! The nodes of the stack tree. In traces of compilers six of ten frames make a new node, so appending is part of the
//! decoder's innermost loop. There is always room for one more, so nothing is checked before the write.

use super::block_pool::{BLOCK, Block, BlockPool};
use super::ids::StackId;

/// The number of nodes in a block.
const CHUNK: usize = BLOCK / 2;

/// A parent and a code in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node(pub(super) u64);

#[derive(Debug)]
pub struct Nodes {
    /// Code and parent of each node, alternating.
    full: Vec<Block>,
    /// Has room for one more, except between [`Nodes::push`] and [`Nodes::begin_chunk`].
    last: Block,
    len: u32,
    blocks: BlockPool,
}

impl Node {
    #[inline(always)]
    pub fn new(parent: u32, code: u32) -> Node {
        Node(u64::from(parent) << 32 | u64::from(code))
    }

    /// The parent's index. It is below the node's own (the root is its own parent), so one reverse pass sums subtrees.
    #[inline(always)]
    pub fn parent(self) -> u32 {
        (self.0 >> 32) as u32
    }

    #[inline(always)]
    pub fn code(self) -> u32 {
        self.0 as u32
    }
}

impl Default for Nodes {
    fn default() -> Nodes {
        let mut blocks = BlockPool::default();
        Nodes { full: Vec::new(), last: blocks.take(), len: 0, blocks }
    }
}

impl Nodes {
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether this node was appended last. It has no child yet, because children have higher numbers.
    #[inline(always)]
    pub fn is_newest(&self, node: StackId) -> bool {
        node.0.wrapping_add(1) == self.len
    }

    /// Appends a node. If that fills the chunk, [`Nodes::begin_chunk`] must be called before the next one.
    #[inline(always)]
    pub fn push(&mut self, node: Node) -> StackId {
        let at = self.len;
        write(&mut self.last, at, node);
        self.len = at.wrapping_add(1);
        StackId(at)
    }

    /// Whether the last node filled its chunk.
    #[inline(always)]
    pub fn is_full(&self) -> bool {
        (self.len as usize).is_multiple_of(CHUNK)
    }

    #[cold]
    #[inline(never)]
    pub fn begin_chunk(&mut self) {
        let next = self.blocks.take();
        self.full.push(std::mem::replace(&mut self.last, next));
    }

    #[inline(always)]
    pub fn get(&self, at: usize) -> Node {
        let chunk = self.full.get(at / CHUNK).unwrap_or(&self.last);
        let place = place(at as u32);
        Node::new(chunk[place + 1], chunk[place])
    }

    /// Replaces an existing node.
    pub fn set(&mut self, at: usize, node: Node) {
        write(self.full.get_mut(at / CHUNK).unwrap_or(&mut self.last), at as u32, node);
    }

    /// Keeps the first `len` nodes and frees the rest.
    pub fn truncate(&mut self, len: usize) {
        if len < self.full.len() * CHUNK {
            self.blocks.give_back(self.full.drain(len / CHUNK + 1..));
            self.last = self.full.pop().unwrap_or_else(|| self.blocks.take());
        }
        self.len = self.len.min(len as u32);
    }

    /// Frees spare blocks once there are no more nodes.
    pub fn close(&mut self) {
        self.blocks = BlockPool::default();
    }

    pub fn heap_bytes(&self) -> usize {
        (self.full.len() + 1) * size_of::<[u32; BLOCK]>()
    }
}

/// Returns a node's index in its chunk: an even number below [`BLOCK`].
#[inline(always)]
fn place(at: u32) -> usize {
    at as usize % CHUNK * 2
}

#[inline(always)]
fn write(chunk: &mut Block, at: u32, node: Node) {
    let place = place(at);
    chunk[place] = node.code();
    chunk[place + 1] = node.parent();
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(nodes: &mut Nodes, node: Node) {
        nodes.push(node);
        if nodes.is_full() {
            nodes.begin_chunk();
        }
    }

    #[test]
    fn nodes_read_back_until_truncated() {
        let node = |i: usize| Node::new(i as u32 / 2, 7 * i as u32);
        let mut nodes = Nodes::default();
        for len in [CHUNK - 1, CHUNK, 2 * CHUNK, 2 * CHUNK + 5] {
            while nodes.len() < len {
                let next = node(nodes.len());
                push(&mut nodes, next);
            }
            assert!((0..len).all(|at| nodes.get(at) == node(at)), "{len} nodes");
        }
        for len in [2 * CHUNK, CHUNK + 1, CHUNK, 3] {
            nodes.truncate(len);
            assert_eq!((nodes.len(), nodes.get(len - 1)), (len, node(len - 1)));
            push(&mut nodes, Node::new(1, 2));
            assert_eq!((nodes.len(), nodes.get(len)), (len + 1, Node::new(1, 2)));
            nodes.truncate(len);
        }
    }
}
