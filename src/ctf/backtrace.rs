//! Backtraces are coded as a prefix of the last one and slots of a cache that predicts what follows what.
//!
//! Location codes are interned to dense [`CodeId`]s when they are written into the cache, so the hot path moves 4-byte
//! ids and never hashes. After damage the cache's contents are unknown: its slots then hold [`CodeId::LOST`] and heal
//! one by one as the writer names them again. A wrong frame is worse than a lost one.

use rustc_hash::FxHashMap;

use super::event::Sink;
use super::limits::{CACHE_SLOTS, MAX_STACK_FRAMES};
use super::packet::Verify;
use super::reader::{Reader, Short};

/// A location code's dense number within the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeId(pub u32);

impl CodeId {
    /// Code 0: what an empty cache holds.
    pub const ZERO: CodeId = CodeId(0);
    /// Stands for a frame (or, at the root, for several) that damage took.
    pub const LOST: CodeId = CodeId(1);
}

/// All location codes of a trace, in the order in which they were met.
#[derive(Debug)]
pub struct Codes {
    ids: FxHashMap<u64, CodeId>,
    codes: Vec<u64>,
    /// Those that were written into a cache of backtraces, as all that stand in stacks were.
    used: Vec<bool>,
}

impl Codes {
    pub fn new() -> Codes {
        Codes { ids: FxHashMap::from_iter([(0, CodeId::ZERO)]), codes: vec![0, 0], used: vec![false; 2] }
    }

    pub fn intern(&mut self, code: u64) -> CodeId {
        *self.ids.entry(code).or_insert_with(|| {
            self.codes.push(code);
            self.used.push(false);
            CodeId(self.codes.len() as u32 - 1)
        })
    }

    /// For a code that goes into a cache.
    fn intern_used(&mut self, code: u64) -> CodeId {
        let id = self.intern(code);
        self.used[id.0 as usize] = true;
        id
    }

    /// By [`CodeId`]: all codes, and whether each occurs in a stack.
    pub fn into_parts(self) -> (Vec<u64>, Vec<bool>) {
        (self.codes, self.used)
    }

    /// By [`CodeId`]; the entry of [`CodeId::LOST`] means nothing.
    #[cfg(test)]
    fn as_slice(&self) -> &[u64] {
        &self.codes
    }
}

/// The name that a [`Sink`] gives to a stack: a node of its tree. 0 is the empty stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct StackNode(pub u32);

impl StackNode {
    pub const EMPTY: StackNode = StackNode(0);
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    code: CodeId,
    /// Always below [`TABLE`]: a slot, or [`LOST_SLOT`].
    pred: u16,
}

/// A power of two above [`CACHE_SLOTS`], so that masking an index spares its check.
const TABLE: usize = 2 * CACHE_SLOTS;
/// Where a prediction leads that is not known.
const LOST_SLOT: u16 = CACHE_SLOTS as u16;

/// One domain's state.
#[derive(Debug)]
pub struct Backtraces {
    slots: Box<[Slot; TABLE]>,
    /// The last stack and its callers, from main to the allocation point.
    path: Path,
    /// How many frames `path[0]` stands for, less one, when it is [`CodeId::LOST`] after a gap; else 0.
    missing: usize,
    /// Nothing of the last stack is known; `path` is empty until the next one comes.
    after_gap: bool,
    /// False once the cache was found out of step: stacks are not told any more.
    trusted: bool,
    /// None of the above troubles: `missing` is 0, no gap, trusted.
    in_order: bool,
}

/// An allocation's stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack {
    pub node: StackNode,
    pub depth: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    InStep,
    OutOfStep,
}

impl Backtraces {
    pub fn new() -> Backtraces {
        let slots: Box<[Slot]> = vec![Slot { code: CodeId::ZERO, pred: 0 }; TABLE].into_boxed_slice();
        // The length is TABLE by construction; the other arm is never taken.
        let mut slots: Box<[Slot; TABLE]> =
            slots.try_into().unwrap_or_else(|_| Box::new([Slot { code: CodeId::ZERO, pred: 0 }; TABLE]));
        slots[usize::from(LOST_SLOT)] = Slot { code: CodeId::LOST, pred: LOST_SLOT };
        Backtraces { slots, path: Path::default(), missing: 0, after_gap: false, trusted: true, in_order: true }
    }

    /// Holds one slot against what the packet's header says of it; what was lost is learnt instead.
    pub fn verify(&mut self, verify: Verify, codes: &mut Codes) -> Verdict {
        if usize::from(verify.slot) >= CACHE_SLOTS || usize::from(verify.pred) >= CACHE_SLOTS {
            return Verdict::OutOfStep;
        }
        let expected = codes.intern(verify.code);
        let slot = &mut self.slots[usize::from(verify.slot)];
        let code_differs = slot.code != expected && slot.code != CodeId::LOST;
        let pred_differs = slot.pred != verify.pred && slot.pred != LOST_SLOT;
        if code_differs || pred_differs {
            return Verdict::OutOfStep;
        }
        if slot.code == CodeId::LOST {
            codes.intern_used(verify.code);
        }
        *slot = Slot { code: expected, pred: verify.pred };
        Verdict::InStep
    }

    /// Stops telling stacks for good.
    pub fn distrust(&mut self) {
        self.trusted = false;
        self.in_order = false;
    }

    /// Part of the trace is missing: from here on the writer's cache holds what we have not seen.
    pub fn forget(&mut self) {
        self.slots[..=CACHE_SLOTS].fill(Slot { code: CodeId::LOST, pred: LOST_SLOT });
        self.path.truncate(0);
        self.after_gap = true;
        self.in_order = false;
    }

    /// The last stack and its callers, for a sink that renames its nodes.
    pub fn path_mut(&mut self) -> &mut [StackNode] {
        self.path.nodes_mut()
    }

    /// Reads `n` codes and says what the stack is. `overruns` counts prefixes longer than the last backtrace: the
    /// writer cut that one, so it is taken again as it was.
    #[inline(always)]
    pub fn read<S: Sink>(
        &mut self,
        r: &mut Reader<'_>,
        common_prefix: u64,
        n: usize,
        codes: &mut Codes,
        overruns: &mut u64,
        sink: &mut S,
    ) -> Result<Stack, Short> {
        let prefix = usize::try_from(common_prefix).unwrap_or(usize::MAX);
        if !self.in_order || prefix > self.path.len() {
            return r.aside(|r| self.read_out_of_order(r, prefix, n, codes, overruns, sink));
        }
        self.path.truncate(prefix);
        self.run(r, n, codes, sink)
    }

    #[cold]
    #[inline(never)]
    fn read_out_of_order<S: Sink>(
        &mut self,
        r: &mut Reader<'_>,
        prefix: usize,
        n: usize,
        codes: &mut Codes,
        overruns: &mut u64,
        sink: &mut S,
    ) -> Result<Stack, Short> {
        let kept = if self.missing == 0 && !self.after_gap { prefix } else { self.kept_after_gap(prefix, sink) };
        self.in_order = self.missing == 0 && self.trusted;
        let whole = self.path.len();
        self.path.truncate(kept);
        if kept > whole {
            *overruns += 1;
        }
        self.run(r, n, codes, sink)?;
        if kept > whole {
            self.path.truncate(whole);
        }
        if self.trusted {
            Ok(Stack { node: self.path.top(), depth: self.path.len() })
        } else {
            Ok(Stack { node: sink.child(StackNode::EMPTY, CodeId::LOST), depth: 1 })
        }
    }

    /// `path[0]` stands for `missing + 1` frames; how many entries of it are `prefix` frames of the real stack?
    #[cold]
    fn kept_after_gap<S: Sink>(&mut self, prefix: usize, sink: &mut S) -> usize {
        if self.after_gap {
            // However long the last stack was: one node stands for what is kept of it.
            self.after_gap = false;
            self.path.truncate(0);
            self.path.push(sink.child(StackNode::EMPTY, CodeId::LOST));
            self.missing = usize::MAX;
        }
        if prefix == 0 {
            self.missing = 0;
            return 0;
        }
        if prefix - 1 <= self.missing {
            self.missing = prefix - 1;
            return 1;
        }
        prefix - self.missing
    }

    #[inline(always)]
    fn run<S: Sink>(&mut self, r: &mut Reader<'_>, n: usize, codes: &mut Codes, sink: &mut S) -> Result<Stack, Short> {
        // Copies of what the loop moves, so that they stay in registers.
        let mut reader = r.clone();
        let slots = &mut *self.slots;
        let mut node = self.path.top();
        let mut len = self.path.buffer.len();
        let mut room = self.path.buffer.get_mut(self.path.depth..).unwrap_or_default();
        let mut at: u16 = 0;
        for _ in 0..n {
            let Code { slot, steps } = match reader.peek().map(u32::from_le_bytes) {
                Some(next) if next & 3 != 3 => {
                    let has_count = next & 3 == 2;
                    reader.skip(2 + usize::from(has_count));
                    let steps = if has_count { next >> 16 } else { next & 3 };
                    Code { slot: next as u16 >> 2, steps: steps as u8 }
                }
                _ => reader.aside(|r| rare_code(r, slots, codes))?,
            };
            // Where an unknown prediction leads stays unknown. Two stores take less than a question.
            slots[usize::from(at) % TABLE].pred = slot;
            slots[usize::from(LOST_SLOT)].pred = LOST_SLOT;
            let (depth, n_frames) = (len - room.len(), 1 + usize::from(steps));
            let (frames, rest) = match room.split_at_mut_checked(n_frames) {
                Some(split) => split,
                None => {
                    let split = self.path.grow(depth).split_at_mut(n_frames);
                    len = depth + n_frames + split.1.len();
                    split
                }
            };
            room = rest;
            let mut next = slot;
            for frame in frames {
                at = next;
                let here = slots[usize::from(at) % TABLE];
                node = sink.child(node, here.code);
                *frame = node;
                next = here.pred;
            }
        }
        let depth = (len - room.len()).min(MAX_STACK_FRAMES);
        self.path.depth = depth;
        *r = reader;
        Ok(Stack { node, depth })
    }
}

/// A slot, and how many predictions to follow from it.
struct Code {
    slot: u16,
    steps: u8,
}

/// Frames that one code can stand for.
const MOST_FRAMES: usize = 1 + u8::MAX as usize;

/// One that names its slot anew, or lies near the packet's end.
#[cold]
#[inline(never)]
fn rare_code(r: &mut Reader<'_>, slots: &mut [Slot; TABLE], codes: &mut Codes) -> Result<Code, Short> {
    let word = r.u16()?;
    let slot = word >> 2;
    let steps = match word & 3 {
        3 => {
            slots[usize::from(slot)].code = codes.intern_used(r.u64()?);
            0
        }
        2 => r.u8()?,
        steps => steps as u8,
    };
    Ok(Code { slot, steps })
}

/// The nodes from main to the allocation point, in a buffer that is grown ahead of its use.
#[derive(Debug, Default)]
pub struct Path {
    buffer: Vec<StackNode>,
    depth: usize,
}

impl Path {
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.depth
    }

    #[inline(always)]
    fn top(&self) -> StackNode {
        self.nodes().last().copied().unwrap_or(StackNode::EMPTY)
    }

    #[inline(always)]
    pub fn nodes(&self) -> &[StackNode] {
        &self.buffer[..self.depth]
    }

    pub fn nodes_mut(&mut self) -> &mut [StackNode] {
        &mut self.buffer[..self.depth]
    }

    #[inline(always)]
    fn truncate(&mut self, depth: usize) {
        self.depth = self.depth.min(depth);
    }

    fn push(&mut self, node: StackNode) {
        if let [frame, ..] = self.grow(self.depth) {
            *frame = node;
            self.depth += 1;
        }
    }

    /// Makes room behind the first `depth` frames.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, depth: usize) -> &mut [StackNode] {
        self.buffer.resize(self.buffer.len().max(2 * (depth + MOST_FRAMES)), StackNode::EMPTY);
        &mut self.buffer[depth..]
    }
}

#[cfg(test)]
mod tests {
    use super::super::event::{Alloc, ObjectId};
    use super::*;

    const HIT: u16 = 0;
    const HIT1: u16 = 1;
    const HIT_N: u16 = 2;
    const MISS: u16 = 3;

    #[derive(Default)]
    struct Bytes(Vec<u8>);

    impl Bytes {
        fn miss(mut self, slot: u16, code: u64) -> Bytes {
            self.0.extend((slot << 2 | MISS).to_le_bytes());
            self.0.extend(code.to_le_bytes());
            self
        }
        fn hit(mut self, slot: u16, tag: u16) -> Bytes {
            self.0.extend((slot << 2 | tag).to_le_bytes());
            self
        }
        fn byte(mut self, byte: u8) -> Bytes {
            self.0.push(byte);
            self
        }
    }

    /// Names stacks by their place in a list of (parent, code); the empty stack is the first.
    struct Tree(Vec<(StackNode, CodeId)>);

    impl Sink for Tree {
        fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode {
            self.0.push((parent, code));
            StackNode(self.0.len() as u32 - 1)
        }
        fn alloc(&mut self, _alloc: &Alloc, _stack: Stack) {}
        fn promote(&mut self, _time_us: u64, _id: ObjectId) {}
        fn collect(&mut self, _time_us: u64, _id: ObjectId) {}
    }

    struct Bench {
        state: Backtraces,
        codes: Codes,
        tree: Tree,
    }

    impl Bench {
        fn new() -> Bench {
            let tree = Tree(vec![(StackNode::EMPTY, CodeId::LOST)]);
            Bench { state: Backtraces::new(), codes: Codes::new(), tree }
        }

        fn read(&mut self, prefix: u64, n: usize, bytes: Bytes) -> Vec<u64> {
            let mut reader = Reader::new(&bytes.0);
            let Bench { state, codes, tree } = self;
            let stack = state.read(&mut reader, prefix, n, codes, &mut 0, tree).expect("long enough");
            let mut frames = Vec::new();
            let mut at = stack.node;
            while at != StackNode::EMPTY {
                let (parent, code) = self.tree.0[at.0 as usize];
                frames.push(self.codes.as_slice()[code.0 as usize]);
                at = parent;
            }
            frames.reverse();
            assert_eq!(frames.len(), stack.depth);
            frames
        }
    }

    #[test]
    fn a_prediction_replays_the_frames_that_followed_last_time() {
        let mut bench = Bench::new();
        let first = Bytes::default().miss(1, 100).miss(2, 200).miss(3, 300);
        assert_eq!(bench.read(0, 3, first), [100, 200, 300]);
        assert_eq!(bench.read(0, 1, Bytes::default().hit(1, HIT_N).byte(2)), [100, 200, 300]);
        assert_eq!(bench.read(0, 1, Bytes::default().hit(1, HIT1)), [100, 200]);
        assert_eq!(bench.read(1, 1, Bytes::default().hit(3, HIT)), [100, 300]);
    }

    #[test]
    fn a_prefix_longer_than_the_last_stack_takes_that_stack_as_it_was() {
        let mut bench = Bench::new();
        bench.read(0, 1, Bytes::default().miss(1, 100));
        assert_eq!(bench.read(9, 1, Bytes::default().miss(2, 200)), [100]);
        assert_eq!(bench.read(1, 1, Bytes::default().hit(2, HIT)), [100, 200], "its codes still ran");
    }

    #[test]
    fn after_a_gap_frames_are_lost_until_they_are_named_again() {
        let mut bench = Bench::new();
        bench.read(0, 2, Bytes::default().miss(1, 100).miss(2, 200));
        bench.state.forget();
        let lost = bench.codes.as_slice()[CodeId::LOST.0 as usize];
        let after = Bytes::default().hit(2, HIT1).miss(3, 300);
        assert_eq!(bench.read(5, 2, after), [lost, lost, lost, 300]);
        assert_eq!(bench.read(8, 0, Bytes::default()), [lost, lost, lost, 300], "8 frames are kept");
        assert_eq!(bench.read(7, 0, Bytes::default()), [lost, lost, lost]);
        assert_eq!(bench.read(3, 1, Bytes::default().hit(3, HIT)), [lost, 300], "inside the lost part");
        assert_eq!(bench.read(4, 0, Bytes::default()), [lost, 300]);
        assert_eq!(bench.read(0, 1, Bytes::default().hit(3, HIT)), [300], "a stack of its own");
    }

    #[test]
    fn a_header_that_disagrees_with_the_cache_is_noticed_and_one_of_a_lost_slot_is_learnt() {
        let mut bench = Bench::new();
        bench.read(0, 2, Bytes::default().miss(1, 100).miss(2, 200));
        let right = Verify { slot: 1, pred: 2, code: 100 };
        assert_eq!(bench.state.verify(right, &mut bench.codes), Verdict::InStep);
        assert_eq!(bench.state.verify(Verify { code: 101, ..right }, &mut bench.codes), Verdict::OutOfStep);
        assert_eq!(bench.state.verify(Verify { pred: 3, ..right }, &mut bench.codes), Verdict::OutOfStep);
        bench.state.forget();
        assert_eq!(bench.state.verify(right, &mut bench.codes), Verdict::InStep);
        assert_eq!(bench.read(0, 1, Bytes::default().hit(1, HIT)), [100]);
    }
}
