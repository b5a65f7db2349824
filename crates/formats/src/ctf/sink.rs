//! The interface between the decoder and its users.

use super::codes::CodeId;
use super::info::Info;
use super::location::Location;

/// Receives the contents of a trace, in file order. Times are µs since the trace's start and never decrease within a
/// domain.
pub trait Sink {
    /// Called once, before anything else.
    fn info(&mut self, _info: &Info) {}
    /// A packet of the trace's own process begins. Its events follow.
    fn packet(&mut self, _domain: u16, _offset: u64) {}
    /// The locations of a code, outermost first. The list may be empty. Usually called before the first use of the
    /// code.
    fn location(&mut self, _code: CodeId, _frames: &[Location]) {}
    /// Returns the stack that extends `parent` by `code`. A second call may return a different node for the same stack.
    fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode;
    /// Whether the sink wants the stack of every object. Called when a packet begins. After it returns false,
    /// [`Sink::wants_stack`] is called for each object of this packet and of all later ones.
    fn wants_every_stack(&self) -> bool {
        true
    }
    /// Whether the sink wants the stack of this object, before its [`Sink::alloc`]. If not, no nodes are created for
    /// it.
    fn wants_stack(&self, _id: ObjectId, _n_samples: u64) -> bool {
        true
    }
    /// An object was allocated and sampled.
    fn alloc(&mut self, alloc: &Alloc, stack: Stack);
    /// An object moved from the minor heap to the major heap.
    fn promote(&mut self, time_us: u64, id: ObjectId);
    /// An object was collected.
    fn collect(&mut self, time_us: u64, id: ObjectId);
    /// Objects were collected at the same time, with nothing in between: objects die in bursts.
    #[inline(always)]
    fn collect_all(&mut self, time_us: u64, ids: &[ObjectId]) {
        for &id in ids {
            self.collect(time_us, id);
        }
    }
    /// Called between packets. The sink may renumber its nodes, including those in the decoder's current paths.
    fn make_room(&mut self, _paths: &mut [&mut [StackNode]]) {}
}

/// A sampled object's number, in order of allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u64);

/// A sampled allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alloc {
    pub id: ObjectId,
    pub time_us: u64,
    pub domain: u16,
    /// The block's size, without its header.
    pub length_words: u64,
    /// How many of its words, including the header, were sampled.
    pub n_samples: u64,
    pub source: AllocSource,
}

/// The heap that a block was allocated in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AllocSource {
    Minor,
    Major,
    /// Outside of OCaml's heap.
    External,
}

impl AllocSource {
    /// Converts from the number used in files and in the model.
    #[inline(always)]
    pub fn from_number(number: u64) -> Option<AllocSource> {
        match number {
            0 => Some(AllocSource::Minor),
            1 => Some(AllocSource::Major),
            2 => Some(AllocSource::External),
            _ => None,
        }
    }
}

/// An allocation's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    /// [`StackNode::EMPTY`] if the sink did not want it.
    pub node: StackNode,
    pub depth: usize,
}

/// A stack's id: a node of the [`Sink`]'s tree. 0 is the empty stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackNode(pub u32);

impl StackNode {
    pub const EMPTY: StackNode = StackNode(0);
}
