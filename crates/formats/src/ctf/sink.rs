//! The interface between the decoder and whoever reads a trace.

use super::codes::CodeId;
use super::info::Info;
use super::location::Location;

/// Takes what a trace says, in file order. Times are µs since the trace's start and never fall within a domain.
pub trait Sink {
    /// Once, before anything else.
    fn info(&mut self, _info: &Info) {}
    /// A packet of the trace's own process begins; its events follow.
    fn packet(&mut self, _domain: u16, _offset: u64) {}
    /// The locations of a code, outermost first. The list may be empty. It usually comes before the first use of the code.
    fn location(&mut self, _code: CodeId, _frames: &[Location]) {}
    /// Names the stack that goes from `parent` on to `code`. Asked again, it may give another name to the same stack.
    fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode;
    /// Whether it wants the stack of every object. Asked when a packet begins; after a no, [`Sink::wants_stack`] is asked
    /// for each object of this packet and of all later ones.
    fn wants_every_stack(&self) -> bool {
        true
    }
    /// Whether it wants the stack of this object, which [`Sink::alloc`] follows for. If not, no node is asked for.
    fn wants_stack(&self, _id: ObjectId, _n_samples: u64) -> bool {
        true
    }
    /// An object was allocated and sampled.
    fn alloc(&mut self, alloc: &Alloc, stack: Stack);
    /// An object moved from the minor heap to the major heap.
    fn promote(&mut self, time_us: u64, id: ObjectId);
    /// An object was collected.
    fn collect(&mut self, time_us: u64, id: ObjectId);
    /// Objects that were collected at one time, with nothing between them: objects die in bursts.
    #[inline(always)]
    fn collect_all(&mut self, time_us: u64, ids: &[ObjectId]) {
        for &id in ids {
            self.collect(time_us, id);
        }
    }
    /// Between packets: the sink may rename its nodes, and with them those of the paths that the decoder is on.
    fn make_room(&mut self, _paths: &mut [&mut [StackNode]]) {}
}

/// A sampled object's number, given in the order of allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObjectId(pub u64);

/// A sampled allocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Alloc {
    pub id: ObjectId,
    pub time_us: u64,
    pub domain: u16,
    /// The block's size, header excluded.
    pub length_words: u64,
    /// How many of its words (header included) were sampled.
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
    /// By the number that stands in files, and in the model.
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

/// The name that a [`Sink`] gives to a stack: a node of its tree. 0 is the empty stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackNode(pub u32);

impl StackNode {
    pub const EMPTY: StackNode = StackNode(0);
}
