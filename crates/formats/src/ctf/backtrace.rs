//! Backtraces are coded as a prefix of the previous one and slots of a cache that predicts successors.
//!
//! After damage the contents of the cache are unknown. Its slots then hold [`CodeId::LOST`] and recover one by one as
//! the writer names them again. A wrong frame is worse than a lost one.

use super::codes::{CodeId, Codes};
use super::limits::{CACHE_SLOTS, MAX_STACK_FRAMES};
use super::packet::Verify;
use super::reader::{Reader, Short};
use super::sink::{ObjectId, Sink, Stack, StackNode};

#[derive(Clone, Copy, Debug)]
struct Slot {
    code: CodeId,
    /// Always below [`TABLE`]: a slot, or [`LOST_SLOT`].
    pred: u16,
}

/// A power of two above [`CACHE_SLOTS`], so that masking an index avoids its bounds check.
const TABLE: usize = 2 * CACHE_SLOTS;
/// The target of an unknown prediction.
const LOST_SLOT: u16 = CACHE_SLOTS as u16;

/// One domain's state.
#[derive(Debug)]
pub struct Backtraces {
    slots: Box<[Slot; TABLE]>,
    /// The last stack, from main to the allocation site.
    path: Path,
    /// Whether the sink decides for each object if it wants the stack.
    sink_chooses: bool,
    /// If `path[0]` is [`CodeId::LOST`] after a gap: the number of frames it represents, minus one. Otherwise 0.
    missing: usize,
    /// Whether the last stack is unknown. `path` is empty until the next stack.
    after_gap: bool,
    /// False once the cache is known to be out of step. Stacks are then no longer reported.
    trusted: bool,
    /// Whether none of the above applies: the sink wants every stack, `missing` is 0, there is no gap, and the cache is
    /// trusted. Then all of `path` are nodes.
    in_order: bool,
}

/// A stack as coded in the file, with its object.
#[derive(Clone, Copy, Debug)]
pub struct Coded {
    pub id: ObjectId,
    pub n_samples: u64,
    /// The number of frames shared with the last stack.
    pub common_prefix: u64,
    pub n_codes: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CacheCheck {
    InStep,
    OutOfStep,
}

impl Backtraces {
    pub fn new() -> Backtraces {
        let slots: Box<[Slot]> = vec![Slot { code: CodeId::ZERO, pred: 0 }; TABLE].into_boxed_slice();
        // The length is TABLE by construction, so the fallback is never used.
        let mut slots: Box<[Slot; TABLE]> =
            slots.try_into().unwrap_or_else(|_| Box::new([Slot { code: CodeId::ZERO, pred: 0 }; TABLE]));
        slots[usize::from(LOST_SLOT)] = Slot { code: CodeId::LOST, pred: LOST_SLOT };
        Backtraces {
            slots,
            path: Path::new(),
            sink_chooses: false,
            missing: 0,
            after_gap: false,
            trusted: true,
            in_order: true,
        }
    }

    /// Checks one slot against the packet's header. If the slot was lost, it is restored from the header.
    pub fn verify(&mut self, verify: Verify, codes: &mut Codes) -> CacheCheck {
        if usize::from(verify.slot) >= CACHE_SLOTS || usize::from(verify.pred) >= CACHE_SLOTS {
            return CacheCheck::OutOfStep;
        }
        let expected = codes.intern(verify.code);
        let slot = &mut self.slots[usize::from(verify.slot)];
        let code_differs = slot.code != expected && slot.code != CodeId::LOST;
        let pred_differs = slot.pred != verify.pred && slot.pred != LOST_SLOT;
        if code_differs || pred_differs {
            return CacheCheck::OutOfStep;
        }
        if slot.code == CodeId::LOST {
            codes.intern_used(verify.code);
        }
        *slot = Slot { code: expected, pred: verify.pred };
        CacheCheck::InStep
    }

    /// Stops reporting stacks for good.
    pub fn distrust(&mut self) {
        self.trusted = false;
        self.in_order = false;
    }

    /// Handles a gap in the trace: from here on the writer's cache has unknown contents.
    pub fn forget(&mut self) {
        self.slots[..=CACHE_SLOTS].fill(Slot { code: CodeId::LOST, pred: LOST_SLOT });
        self.path.truncate(0);
        self.after_gap = true;
        self.in_order = false;
    }

    /// Lets the sink decide for each object from here on if it wants the stack.
    pub fn let_sink_choose(&mut self) {
        self.sink_chooses = true;
        self.in_order = false;
    }

    /// The nodes of the last stack, for a sink that renumbers them.
    pub fn nodes_mut(&mut self) -> &mut [StackNode] {
        self.path.nodes_mut()
    }

    /// Reads the codes of an object's stack and returns the stack. `overruns` counts prefixes longer than the last
    /// backtrace. In that case the writer truncated the last one, so it is used again as it was.
    #[inline(always)]
    pub fn read<S: Sink>(
        &mut self,
        r: &mut Reader<'_>,
        coded: Coded,
        codes: &mut Codes,
        overruns: &mut u64,
        sink: &mut S,
    ) -> Result<Stack, Short> {
        let prefix = usize::try_from(coded.common_prefix).unwrap_or(usize::MAX);
        if !self.in_order || prefix > self.path.len() {
            return r.aside(|r| self.read_out_of_order(r, coded, prefix, codes, overruns, sink));
        }
        self.path.truncate(prefix);
        let top = self.path.top();
        let (node, len) = self.run(r, coded.n_codes, codes, top, |parent, code| sink.child(parent, code))?;
        let depth = len.min(MAX_STACK_FRAMES);
        self.path.depth = depth;
        Ok(Stack { node, depth })
    }

    /// Stores the codes first and turns them into nodes only if the sink wants the stack.
    #[cold]
    #[inline(never)]
    fn read_out_of_order<S: Sink>(
        &mut self,
        r: &mut Reader<'_>,
        coded: Coded,
        prefix: usize,
        codes: &mut Codes,
        overruns: &mut u64,
        sink: &mut S,
    ) -> Result<Stack, Short> {
        let kept = if self.missing == 0 && !self.after_gap { prefix } else { self.kept_after_gap(prefix) };
        let whole = self.path.len();
        self.path.truncate(kept);
        self.path.n_nodes = self.path.n_nodes.min(self.path.len());
        self.in_order = false;
        if kept > whole {
            *overruns += 1;
        }
        let (_, len) = self.run(r, coded.n_codes, codes, StackNode::EMPTY, |_, code| StackNode(code.0))?;
        self.path.depth = len;
        if kept > whole {
            self.path.truncate(whole);
        }
        let is_wanted = !self.sink_chooses || sink.wants_stack(coded.id, coded.n_samples);
        let node = match (is_wanted, self.trusted) {
            (false, _) => StackNode::EMPTY,
            (true, true) => self.path.make_nodes(sink),
            (true, false) => sink.child(StackNode::EMPTY, CodeId::LOST),
        };
        self.path.truncate(MAX_STACK_FRAMES);
        self.in_order = self.missing == 0 && self.trusted && !self.sink_chooses;
        Ok(Stack { node, depth: if self.trusted { self.path.len() } else { 1 } })
    }

    /// Returns how many entries of `path` are `prefix` frames of the real stack, where `path[0]` is `missing + 1`
    /// frames.
    #[cold]
    fn kept_after_gap(&mut self, prefix: usize) -> usize {
        if self.after_gap {
            // The length of the last stack is unknown, so one entry represents what is kept of it.
            self.after_gap = false;
            self.path.truncate(0);
            self.path.push_code(CodeId::LOST);
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

    /// Follows `n` codes after the path. For each frame, appends what `step` returns for the previous entry and the
    /// frame's code. Returns the last entry and the new length, which the path doesn't have yet.
    #[inline(always)]
    fn run(
        &mut self,
        r: &mut Reader<'_>,
        n: usize,
        codes: &mut Codes,
        top: StackNode,
        mut step: impl FnMut(StackNode, CodeId) -> StackNode,
    ) -> Result<(StackNode, usize), Short> {
        // Local copies, so that they stay in registers.
        let mut reader = r.clone();
        let slots = &mut *self.slots;
        let mut node = top;
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
            // The target of an unknown prediction stays unknown. Two stores are cheaper than a branch.
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
                node = step(node, here.code);
                *frame = node;
                next = here.pred;
            }
        }
        *r = reader;
        Ok((node, len - room.len()))
    }
}

/// A slot, and how many predictions to follow from it.
struct Code {
    slot: u16,
    steps: u8,
}

/// The most frames that one code can represent.
const MOST_FRAMES: usize = 1 + u8::MAX as usize;

/// Reads a code that renames its slot or is near the packet's end.
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

/// The frames from main to the allocation site, in a buffer that grows ahead of its use. Frames of wanted stacks are
/// nodes. After them, frames that no wanted stack has had yet are codes.
#[derive(Debug)]
struct Path {
    /// Nodes up to `n_nodes`, then the numbers of [`CodeId`]s.
    buffer: Vec<StackNode>,
    depth: usize,
    /// `usize::MAX` while all entries are nodes.
    n_nodes: usize,
}

impl Path {
    fn new() -> Path {
        Path { buffer: Vec::new(), depth: 0, n_nodes: usize::MAX }
    }

    #[inline(always)]
    fn len(&self) -> usize {
        self.depth
    }

    /// The last entry.
    #[inline(always)]
    fn top(&self) -> StackNode {
        self.buffer[..self.depth].last().copied().unwrap_or(StackNode::EMPTY)
    }

    fn nodes_mut(&mut self) -> &mut [StackNode] {
        &mut self.buffer[..self.depth.min(self.n_nodes)]
    }

    #[inline(always)]
    fn truncate(&mut self, depth: usize) {
        self.depth = self.depth.min(depth);
    }

    fn push_code(&mut self, code: CodeId) {
        self.n_nodes = self.n_nodes.min(self.depth);
        if let [frame, ..] = self.grow(self.depth) {
            *frame = StackNode(code.0);
            self.depth += 1;
        }
    }

    /// Turns all entries that are codes into nodes and returns the last one.
    #[inline(always)]
    fn make_nodes<S: Sink>(&mut self, sink: &mut S) -> StackNode {
        let (nodes, codes) = self.buffer[..self.depth].split_at_mut(self.depth.min(self.n_nodes));
        let mut node = nodes.last().copied().unwrap_or(StackNode::EMPTY);
        for entry in codes {
            node = sink.child(node, CodeId(entry.0));
            *entry = node;
        }
        self.n_nodes = usize::MAX;
        node
    }

    /// Makes room after the first `depth` frames.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, depth: usize) -> &mut [StackNode] {
        self.buffer.resize(self.buffer.len().max(2 * (depth + MOST_FRAMES)), StackNode::EMPTY);
        &mut self.buffer[depth..]
    }
}

#[cfg(test)]
mod tests;
