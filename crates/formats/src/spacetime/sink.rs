//! What the decoder tells, and whom.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// Takes what a profile says, in file order.
pub trait Sink {
    /// Once, before anything else.
    fn header(&mut self, _header: Header) {}
    fn snapshot(&mut self, snapshot: &Snapshot);
    /// An event that the program named.
    fn mark(&mut self, name: &str, at_us: u64);
    /// What an address stands for, outermost first; several positions where the compiler inlined. Each address at most
    /// once, before its first use in [`Sink::child`]; one without a position is not told of.
    fn position(&mut self, address: Address, frames: &[SourcePosition]);
    /// The stack that goes from `parent` on to `address`. Asked again, it may give another name to the same stack.
    fn child(&mut self, parent: Node, address: Address) -> Node;
    /// Where the blocks of a profinfo number were allocated; the node includes the allocation itself.
    fn allocation_point(&mut self, profinfo: u32, node: Node);
    /// How often a call site was called through this stack; the node includes the call site.
    fn calls(&mut self, node: Node, n: u64);
}

/// A node of the tree of call stacks, which the sink hands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Node(pub u32);

impl Node {
    pub const ROOT: Node = Node(0);
}

/// A code address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Address(pub u64);

/// The header of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    pub version: u16,
    pub has_call_counts: bool,
    pub form: Form,
}

/// The two kinds of files that hold a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `spacetime-<pid>`, as the program wrote it.
    Raw,
    /// `.p`, as prof_spacetime wrote it: no events, and the numbers of allocation points are made up here.
    Series,
}

/// The major heap at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// Of processor time, not of the clock on the wall.
    pub at_us: u64,
    pub gc: Option<GcStats>,
    /// What lives, ascending by profinfo.
    pub entries: Vec<Entry>,
    pub words_scanned: Option<u64>,
    pub words_scanned_with_profinfo: Option<u64>,
    /// Words allocated since the program's start, by profinfo, ascending.
    pub allocated: Vec<(u32, u64)>,
}

/// The live blocks of one allocation point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub profinfo: u32,
    pub blocks: u64,
    /// Headers included.
    pub words: u64,
}

/// The collector's own figures since the program's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GcStats {
    pub minor_words: u64,
    pub promoted_words: u64,
    pub major_words: u64,
    pub minor_collections: u64,
    pub major_collections: u64,
    /// The runtime divided this and `top_heap_words` by 8 by mistake, which is set right here.
    pub heap_words: u64,
    pub heap_chunks: u64,
    pub compactions: u64,
    pub top_heap_words: u64,
}

/// A source position. Profiles hold no names of functions.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourcePosition {
    pub file: Rc<str>,
    pub line: u32,
    pub start_char: u32,
    pub end_char: u32,
}
