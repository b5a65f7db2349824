//! Walks a trie of call stacks.
//!
//! A node stands for a function called through one stack, and its shape describes its contents. Functions that a node
//! called by a tail call are in a circular list (the node's tail link). They have their caller's stack, because its
//! frame was gone. So a node belongs to the stack through which it is first reached, tail links before calls, and is
//! read once.

use super::limits::{MAX_COUNT, OVERFLOWED_PROFINFO};
use super::marshal::{Block, Fields, Heap, Value};
use super::sink::{Address, Node, Sink};
use super::tables::{FrameTable, NodePart, ShapeTable};

/// Walks one trie and reports allocation points and calls to the sink. Returns whether the value is a trie at all. An
/// empty trie is an integer.
pub fn walk<S: Sink>(trie: &Heap, tables: Tables<'_>, sink: &mut S) -> bool {
    let root = match trie.root() {
        Some(Value::Block(root)) => root,
        Some(Value::Int(_)) => return true,
        _ => return false,
    };
    let visited = vec![0; trie.n_slots().div_ceil(64)];
    let mut walk = Walk { tables, sink, visited, pending: vec![(root.place(), Node::ROOT)] };
    while let Some((place, stack)) = walk.pending.pop() {
        let block = trie.block(place);
        match block.tag() {
            OCAML_NODE => walk.ocaml_node(block, stack),
            C_NODE => walk.c_nodes(block, stack),
            _ => {}
        }
    }
    matches!(root.tag(), OCAML_NODE | C_NODE)
}

/// The tables that a trie refers to.
#[derive(Debug)]
pub struct Tables<'a> {
    pub frames: &'a mut FrameTable,
    pub shapes: &'a ShapeTable,
    pub has_call_counts: bool,
    /// The sum that the remaining call counts may reach.
    pub n_calls_left: &'a mut u64,
    /// Allocation points reported so far.
    pub n_points: &'a mut u64,
    /// Whether there were points that never allocated.
    pub has_unused_points: &'a mut bool,
}

struct Walk<'a, S> {
    tables: Tables<'a>,
    sink: &'a mut S,
    /// One bit per slot.
    visited: Vec<u64>,
    /// Nodes to visit, next one last, with the stacks through which they were reached.
    pending: Vec<(u32, Node)>,
}

const OCAML_NODE: u8 = 0;
const C_NODE: u8 = 1;

impl<S: Sink> Walk<'_, S> {
    fn ocaml_node(&mut self, block: Block<'_>, stack: Node) {
        if !self.visit(block) {
            return;
        }
        let mut fields = block.fields();
        let Some(function) = fields.next().and_then(word) else { return };
        let tail_link = fields.next();
        let n_pending = self.pending.len();
        self.push(tail_link, stack);
        let shapes = self.tables.shapes;
        for part in shapes.parts(Address(function & !1)) {
            if self.part(part, &mut fields, stack).is_none() {
                break;
            }
        }
        // The tail link first, then calls in order.
        self.pending[n_pending..].reverse();
    }

    /// Reads a part of a node. `None` if the node has no fields for it.
    fn part(&mut self, part: NodePart, fields: &mut Fields<'_>, stack: Node) -> Option<()> {
        match part {
            NodePart::Allocation(site) => {
                let (profinfo, _count, _next) = (fields.next()?, fields.next()?, fields.next()?);
                self.allocation(profinfo, stack, site);
            }
            NodePart::DirectCall(site) => {
                let callee = fields.next()?;
                let calls = if self.tables.has_call_counts { fields.next()? } else { Value::Int(0) };
                // An integer means that this call was never made.
                if let Value::Block(_) = callee {
                    let stack = self.child(stack, site);
                    self.push(Some(callee), stack);
                    self.calls(stack, number(calls));
                }
            }
            NodePart::IndirectCall(site) => {
                if let Value::Block(callees) = fields.next()? {
                    self.indirect_call(callees, stack, site);
                }
            }
        }
        Some(())
    }

    /// Reads the functions that an indirect call reached, which are a list of C nodes.
    fn indirect_call(&mut self, first: Block<'_>, stack: Node, site: Address) {
        let stack = self.child(stack, site);
        let mut n_calls = 0;
        let mut next = Some(first);
        while let Some(callee) = next.filter(|block| block.tag() == C_NODE)
            && self.visit(callee)
        {
            let [_, node, calls, _, rest] = padded(callee.fields());
            self.push(Some(node), stack);
            n_calls = number(calls).saturating_add(n_calls);
            next = rest.block();
        }
        self.calls(stack, n_calls);
    }

    /// Reads the list of what C functions called from one site did.
    fn c_nodes(&mut self, first: Block<'_>, stack: Node) {
        let n_pending = self.pending.len();
        let mut next = Some(first);
        while let Some(node) = next.filter(|block| block.tag() == C_NODE)
            && self.visit(node)
        {
            let [pc, first, _count, _, rest] = padded(node.fields());
            if let Some(pc) = word(pc) {
                let site = Address(pc >> 2);
                if pc & 2 == 0 {
                    self.allocation(first, stack, site);
                } else if let Value::Block(_) = first {
                    let stack = self.child(stack, site);
                    self.push(Some(first), stack);
                }
            }
            next = rest.block();
        }
        self.pending[n_pending..].reverse();
    }

    fn allocation(&mut self, profinfo: Value<'_>, stack: Node, site: Address) {
        // The header that the point's blocks get, or 0 if it never allocated.
        let profinfo = word(profinfo).map_or(0, |header| (header >> 38) as u32);
        *self.tables.has_unused_points |= profinfo == 0;
        if profinfo != 0 && profinfo != OVERFLOWED_PROFINFO {
            let node = self.child(stack, site);
            self.sink.allocation_point(profinfo, node);
            *self.tables.n_points += 1;
        }
    }

    fn calls(&mut self, node: Node, n: u64) {
        if n > 0 && n <= *self.tables.n_calls_left {
            *self.tables.n_calls_left -= n;
            self.sink.calls(node, n);
        }
    }

    fn child(&mut self, parent: Node, address: Address) -> Node {
        self.tables.frames.tell(address, self.sink);
        self.sink.child(parent, address)
    }

    fn push(&mut self, node: Option<Value<'_>>, stack: Node) {
        if let Some(Value::Block(block)) = node {
            self.pending.push((block.place(), stack));
        }
    }

    /// Returns whether a node is reached for the first time.
    fn visit(&mut self, block: Block<'_>) -> bool {
        let place = block.place() as usize;
        let (bits, bit) = (&mut self.visited[place / 64], 1 << (place % 64));
        let is_first = *bits & bit == 0;
        *bits |= bit;
        is_first
    }
}

/// Returns a word as it was in the program's memory.
fn word(value: Value<'_>) -> Option<u64> {
    value.int().map(|n| (n as u64) << 1 | 1)
}

fn number(value: Value<'_>) -> u64 {
    value.int().and_then(|n| u64::try_from(n).ok()).filter(|&n| n <= MAX_COUNT).unwrap_or(0)
}

/// Returns the fields of a C node. Missing ones are 0.
fn padded(fields: Fields<'_>) -> [Value<'_>; 5] {
    let mut taken = [Value::Int(0); 5];
    for (field, value) in taken.iter_mut().zip(fields) {
        *field = value;
    }
    taken
}
