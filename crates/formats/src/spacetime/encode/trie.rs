//! Turns a tree of stacks into a program's trie. Each call site calls its own function, whose shape has all sites that
//! any stack has after that call site. One in four call sites calls indirectly.

use std::iter;

use rustc_hash::{FxHashMap, FxHashSet};

use super::super::sink::{Address, Node};
use super::writer::Writer;

#[derive(Debug)]
pub struct Tree {
    nodes: Vec<TreeNode>,
    children: FxHashMap<(Node, Address), Node>,
    functions: FxHashMap<Address, FunctionId>,
    /// Node and number, in the order they were added.
    points: Vec<(Node, u32)>,
}

#[derive(Clone, Copy, Debug)]
struct TreeNode {
    parent: Node,
    address: Address,
    /// The function that the call site calls.
    function: FunctionId,
    calls: u64,
    has_children: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FunctionId(u32);

/// The layout of each function's nodes.
#[derive(Debug)]
pub struct Shapes {
    /// Indexed by function.
    parts: Vec<Vec<NodePart>>,
    /// The numbers of each node's allocation points.
    profinfos: FxHashMap<Node, Vec<u32>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct NodePart {
    site: Address,
    /// The function called there, if any.
    callee: FunctionId,
    kind: NodePartKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum NodePartKind {
    /// The index of the allocation point among the node's own.
    Allocation(usize),
    DirectCall,
    IndirectCall,
}

/// A node that is being written.
#[derive(Clone, Copy, Debug)]
struct Open {
    node: Node,
    next_part: usize,
}

const OCAML_NODE: u8 = 0;
const C_NODE: u8 = 1;
const FIRST_FUNCTION: u64 = 0x55d8_6900_0000;

impl Default for Tree {
    fn default() -> Tree {
        let root = TreeNode {
            parent: Node::ROOT,
            address: Address(0),
            function: FunctionId(0),
            calls: 0,
            has_children: false,
        };
        Tree { nodes: vec![root], children: FxHashMap::default(), functions: FxHashMap::default(), points: Vec::new() }
    }
}

impl Tree {
    pub fn child(&mut self, parent: Node, address: Address) -> Node {
        if let Some(&node) = self.children.get(&(parent, address)) {
            return node;
        }
        let node = Node(self.nodes.len() as u32);
        let n_functions = self.functions.len() as u32;
        let function = *self.functions.entry(address).or_insert(FunctionId(n_functions + 1));
        self.nodes.push(TreeNode { parent, address, function, calls: 0, has_children: false });
        self.nodes[parent.0 as usize].has_children = true;
        self.children.insert((parent, address), node);
        node
    }

    pub fn allocation_point(&mut self, profinfo: u32, node: Node) {
        self.points.push((node, profinfo));
    }

    pub fn calls(&mut self, node: Node, n: u64) {
        self.nodes[node.0 as usize].calls += n;
    }

    pub fn shapes(&self) -> Shapes {
        let mut profinfos: FxHashMap<Node, Vec<u32>> = FxHashMap::default();
        for &(node, profinfo) in &self.points {
            profinfos.entry(node).or_default().push(profinfo);
        }
        let mut shapes = Shapes { parts: vec![Vec::new(); self.functions.len() + 1], profinfos };
        let mut known = FxHashSet::default();
        for (at, node) in (1..).zip(&self.nodes[1..]) {
            let function = self.nodes[node.parent.0 as usize].function;
            let n_points = shapes.profinfos.get(&Node(at)).map_or(0, Vec::len);
            let kind =
                if node.function.0.is_multiple_of(4) { NodePartKind::IndirectCall } else { NodePartKind::DirectCall };
            let call = self.is_called(node).then_some(kind);
            for kind in (0..n_points).map(NodePartKind::Allocation).chain(call) {
                if known.insert((function.0, node.address, kind)) {
                    shapes.parts[function.0 as usize].push(NodePart {
                        site: node.address,
                        callee: node.function,
                        kind,
                    });
                }
            }
        }
        shapes
    }

    pub fn write(&self, shapes: &Shapes, has_call_counts: bool, writer: &mut Writer) {
        if self.nodes.len() == 1 {
            writer.int(0);
            return;
        }
        let mut open = vec![self.begin(Node::ROOT, shapes, has_call_counts, writer)];
        while let Some(&Open { node, next_part }) = open.last() {
            let parts = shapes.parts(self.nodes[node.0 as usize].function);
            let Some(part) = parts.get(next_part) else {
                open.pop();
                if let Some(Open { node: parent, next_part }) = open.last().copied() {
                    let function = self.nodes[parent.0 as usize].function;
                    let part = shapes.parts(function)[next_part - 1];
                    self.end_call(part, node, has_call_counts, writer);
                }
                continue;
            };
            if let Some(last) = open.last_mut() {
                last.next_part += 1;
            }
            let child = self.children.get(&(node, part.site)).copied();
            match (part.kind, child.filter(|child| self.is_called(&self.nodes[child.0 as usize]))) {
                (NodePartKind::Allocation(n), _) => {
                    let profinfos = child.and_then(|child| shapes.profinfos.get(&child));
                    let profinfo = profinfos.and_then(|profinfos| profinfos.get(n)).copied().unwrap_or(0);
                    writer.int(word(u64::from(profinfo) << 38 | 1));
                    writer.int(0);
                    writer.int(0);
                }
                (kind, Some(callee)) => {
                    if kind == NodePartKind::IndirectCall {
                        writer.block(C_NODE, 5);
                        writer.int(word(function_address(part.callee) << 2 | 3));
                    }
                    open.push(self.begin(callee, shapes, has_call_counts, writer));
                }
                (NodePartKind::DirectCall, None) if has_call_counts => {
                    writer.int(0);
                    writer.int(0);
                }
                (_, None) => writer.int(0),
            }
        }
    }

    /// Writes what precedes a node's parts.
    fn begin(&self, node: Node, shapes: &Shapes, has_call_counts: bool, writer: &mut Writer) -> Open {
        let function = self.nodes[node.0 as usize].function;
        let n_fields = shapes.parts(function).iter().map(|part| match part.kind {
            NodePartKind::Allocation(_) => 3,
            NodePartKind::DirectCall if has_call_counts => 2,
            NodePartKind::DirectCall | NodePartKind::IndirectCall => 1,
        });
        writer.block(OCAML_NODE, 2 + n_fields.sum::<usize>());
        writer.int(word(function_address(function) | 1));
        // A cycle of one: this function made no tail calls.
        writer.shared_with_last();
        Open { node, next_part: 0 }
    }

    /// Writes what follows the called node.
    fn end_call(&self, part: NodePart, callee: Node, has_call_counts: bool, writer: &mut Writer) {
        let calls = self.nodes[callee.0 as usize].calls as i64;
        match part.kind {
            NodePartKind::IndirectCall => {
                writer.int(if has_call_counts { calls } else { 0 });
                writer.int(0);
                writer.int(0);
            }
            _ if has_call_counts => writer.int(calls),
            _ => {}
        }
    }

    fn is_called(&self, node: &TreeNode) -> bool {
        node.has_children || node.calls > 0
    }
}

impl Shapes {
    pub fn write(&self, writer: &mut Writer) {
        for (function, parts) in iter::zip(0.., &self.parts) {
            writer.block(0, 2);
            writer.block(0, 2);
            writer.int64(function_address(FunctionId(function)));
            for part in parts {
                writer.block(0, 2);
                match part.kind {
                    NodePartKind::DirectCall => {
                        writer.block(0, 2);
                        writer.int64(part.site.0);
                        writer.int64(function_address(part.callee));
                    }
                    NodePartKind::IndirectCall | NodePartKind::Allocation(_) => {
                        writer.block(if part.kind == NodePartKind::IndirectCall { 1 } else { 2 }, 1);
                        writer.int64(part.site.0);
                    }
                }
            }
            writer.int(0);
        }
        writer.int(0);
    }

    fn parts(&self, function: FunctionId) -> &[NodePart] {
        &self.parts[function.0 as usize]
    }
}

fn function_address(function: FunctionId) -> u64 {
    FIRST_FUNCTION + 16 * u64::from(function.0)
}

/// Returns the integer that represents a word of the program's memory.
fn word(raw: u64) -> i64 {
    raw as i64 >> 1
}
