//! The interface between the decoder and its users.

use std::rc::Rc;

use serde::{Deserialize, Serialize};

/// Receives the contents of a profile, in file order.
pub trait Sink {
    /// Called once, before anything else.
    fn header(&mut self, _header: Header) {}
    fn snapshot(&mut self, snapshot: &Snapshot);
    /// An event named by the program.
    fn mark(&mut self, name: &str, at_us: u64);
    /// The source positions of an address, outermost first. There are several if the compiler inlined. Called at most
    /// once per address, before its first use in [`Sink::child`], and not for addresses without a position.
    fn position(&mut self, address: Address, frames: &[SourcePosition]);
    /// Returns the stack that extends `parent` by `address`. A second call may return a different node for the same
    /// stack.
    fn child(&mut self, parent: Node, address: Address) -> Node;
    /// The stack at which the blocks of a profinfo number were allocated. The node includes the allocation itself.
    fn allocation_point(&mut self, profinfo: u32, node: Node);
    /// How often a call site was called through this stack. The node includes the call site.
    fn calls(&mut self, node: Node, n: u64);
}

/// A node of the tree of call stacks. The sink creates them.
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

/// The two kinds of profile files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// `spacetime-<pid>`, as written by the program.
    Raw,
    /// `.p`, as written by prof_spacetime: without events, and with numbers for allocation points that are assigned
    /// here.
    Series,
}

/// The major heap at one point in time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snapshot {
    /// CPU time, not wall-clock time.
    pub at_us: u64,
    pub gc: Option<GcStats>,
    /// Live blocks, ascending by profinfo.
    pub entries: Vec<Entry>,
    pub words_scanned: Option<u64>,
    pub words_scanned_with_profinfo: Option<u64>,
    /// Words allocated since the program started, ascending by profinfo.
    pub allocated: Vec<(u32, u64)>,
}

/// The live blocks of one allocation point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    pub profinfo: u32,
    pub blocks: u64,
    /// Includes headers.
    pub words: u64,
}

/// The collector's own figures since the program started.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GcStats {
    pub minor_words: u64,
    pub promoted_words: u64,
    pub major_words: u64,
    pub minor_collections: u64,
    pub major_collections: u64,
    /// The runtime mistakenly divided this and `top_heap_words` by 8, which is corrected here.
    pub heap_words: u64,
    pub heap_chunks: u64,
    pub compactions: u64,
    pub top_heap_words: u64,
}

/// A source position. Profiles don't contain function names.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct SourcePosition {
    pub file: Rc<str>,
    pub line: u32,
    pub start_char: u32,
    pub end_char: u32,
}
