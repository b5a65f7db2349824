//! Backtraces are coded as a prefix of the last one and slots of a cache that predicts what follows what.
//!
//! Location codes are interned to dense [`CodeId`]s when they are written into the cache, so the hot path moves 4-byte
//! ids and never hashes. After damage the cache's contents are unknown: its slots then hold [`CodeId::LOST`] and heal
//! one by one as the writer names them again. A wrong frame is worse than a lost one.

use rustc_hash::FxHashMap;

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
}

impl Codes {
    pub fn new() -> Codes {
        Codes { ids: FxHashMap::from_iter([(0, CodeId::ZERO)]), codes: vec![0, 0] }
    }

    pub fn intern(&mut self, code: u64) -> CodeId {
        *self.ids.entry(code).or_insert_with(|| {
            self.codes.push(code);
            CodeId(self.codes.len() as u32 - 1)
        })
    }

    /// By [`CodeId`]; the entry of [`CodeId::LOST`] means nothing.
    pub fn as_slice(&self) -> &[u64] {
        &self.codes
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    code: CodeIdBits,
    /// Always below [`TABLE`]: a slot, or [`LOST_SLOT`].
    pred: u16,
}

type CodeIdBits = u32;

/// A power of two above [`CACHE_SLOTS`], so that masking an index spares its check.
const TABLE: usize = 2 * CACHE_SLOTS;
/// Where a prediction leads that is not known.
const LOST_SLOT: u16 = CACHE_SLOTS as u16;

/// One domain's state.
#[derive(Debug)]
pub struct Backtraces {
    slots: Box<[Slot; TABLE]>,
    /// The last backtrace, from main to the allocation point.
    last: Vec<CodeId>,
    /// How many frames `last[0]` stands for, less one, when it is [`CodeId::LOST`] after a gap; else 0.
    missing: usize,
    /// How many frames of `last` whoever listens has been told: after a gap, none.
    told: usize,
    /// False once the cache was found out of step: stacks are not told any more.
    trusted: bool,
}

/// What an allocation's stack is, against the last one of its domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stack<'a> {
    /// So many frames of the last stack stay …
    pub kept: usize,
    /// … and these follow.
    pub fresh: &'a [CodeId],
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    InStep,
    OutOfStep,
}

impl Backtraces {
    pub fn new() -> Backtraces {
        let slots: Box<[Slot]> = vec![Slot::default(); TABLE].into_boxed_slice();
        // The length is TABLE by construction.
        let mut slots: Box<[Slot; TABLE]> = slots.try_into().unwrap_or_else(|_| Box::new([Slot::default(); TABLE]));
        slots[usize::from(LOST_SLOT)] = Slot { code: CodeId::LOST.0, pred: LOST_SLOT };
        Backtraces { slots, last: Vec::new(), missing: 0, told: 0, trusted: true }
    }

    /// Holds one slot against what the packet's header says of it; what was lost is learnt instead.
    pub fn verify(&mut self, verify: Verify, codes: &mut Codes) -> Verdict {
        if usize::from(verify.slot) >= CACHE_SLOTS || usize::from(verify.pred) >= CACHE_SLOTS {
            return Verdict::OutOfStep;
        }
        let expected = codes.intern(verify.code);
        let slot = &mut self.slots[usize::from(verify.slot)];
        let code_differs = slot.code != expected.0 && slot.code != CodeId::LOST.0;
        let pred_differs = slot.pred != verify.pred && slot.pred != LOST_SLOT;
        if code_differs || pred_differs {
            return Verdict::OutOfStep;
        }
        *slot = Slot { code: expected.0, pred: verify.pred };
        Verdict::InStep
    }

    /// Stops telling stacks for good; returns whether they were still told.
    pub fn distrust(&mut self) -> bool {
        std::mem::replace(&mut self.trusted, false)
    }

    /// Part of the trace is missing: from here on the writer's cache holds what we have not seen.
    pub fn forget(&mut self) {
        self.slots[..=CACHE_SLOTS].fill(Slot { code: CodeId::LOST.0, pred: LOST_SLOT });
        self.last = vec![CodeId::LOST];
        // However long the last backtrace was, nothing of it is known.
        self.missing = usize::MAX;
        self.told = 0;
    }

    /// Reads `n` codes and says what the stack is. `overruns` counts prefixes longer than the last backtrace: the
    /// writer cut that one, so it is taken again as it was.
    #[inline]
    pub fn read(
        &mut self,
        r: &mut Reader<'_>,
        common_prefix: u64,
        n: usize,
        codes: &mut Codes,
        overruns: &mut u64,
    ) -> Result<Stack<'_>, Short> {
        let prefix = usize::try_from(common_prefix).unwrap_or(usize::MAX);
        let kept = if self.missing == 0 { prefix } else { self.kept_after_gap(prefix) };
        if kept > self.last.len() {
            *overruns += 1;
            let whole = self.last.len();
            self.run(r, n, codes)?;
            self.last.truncate(whole);
            return Ok(self.stack(whole));
        }
        self.last.truncate(kept);
        self.run(r, n, codes)?;
        Ok(self.stack(kept))
    }

    #[inline]
    fn stack(&mut self, kept: usize) -> Stack<'_> {
        let kept = kept.min(self.told);
        self.told = self.last.len();
        if self.trusted { Stack { kept, fresh: &self.last[kept..] } } else { Stack { kept: 0, fresh: &[CodeId::LOST] } }
    }

    /// `last[0]` stands for `missing + 1` frames; how many entries of `last` are `prefix` frames of the real stack?
    #[cold]
    fn kept_after_gap(&mut self, prefix: usize) -> usize {
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

    #[inline]
    fn run(&mut self, r: &mut Reader<'_>, n: usize, codes: &mut Codes) -> Result<(), Short> {
        let slots = &mut *self.slots;
        let mut at: u16 = 0;
        for _ in 0..n {
            let word = r.u16()?;
            let (slot, tag) = (word >> 2, word & 3);
            if at != LOST_SLOT {
                slots[usize::from(at) % TABLE].pred = slot;
            }
            at = slot;
            let entry = &mut slots[usize::from(slot)];
            let steps = match tag {
                3 => {
                    entry.code = codes.intern(r.u64()?).0;
                    0
                }
                2 => r.u8()?,
                _ => tag as u8,
            };
            self.last.push(CodeId(entry.code));
            for _ in 0..steps {
                at = slots[usize::from(at) % TABLE].pred;
                self.last.push(CodeId(slots[usize::from(at) % TABLE].code));
            }
        }
        if self.last.len() > MAX_STACK_FRAMES {
            self.last.truncate(MAX_STACK_FRAMES);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
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

    fn read(state: &mut Backtraces, codes: &mut Codes, prefix: u64, n: usize, bytes: Bytes) -> Vec<u64> {
        let mut overruns = 0;
        let mut reader = Reader::new(&bytes.0);
        state.read(&mut reader, prefix, n, codes, &mut overruns).expect("long enough");
        state.last.iter().map(|id| codes.as_slice()[id.0 as usize]).collect()
    }

    #[test]
    fn a_prediction_replays_the_frames_that_followed_last_time() {
        let (mut state, mut codes) = (Backtraces::new(), Codes::new());
        let first = Bytes::default().miss(1, 100).miss(2, 200).miss(3, 300);
        assert_eq!(read(&mut state, &mut codes, 0, 3, first), [100, 200, 300]);
        assert_eq!(read(&mut state, &mut codes, 0, 1, Bytes::default().hit(1, HIT_N).byte(2)), [100, 200, 300]);
        assert_eq!(read(&mut state, &mut codes, 0, 1, Bytes::default().hit(1, HIT1)), [100, 200]);
        assert_eq!(read(&mut state, &mut codes, 1, 1, Bytes::default().hit(3, HIT)), [100, 300]);
    }

    #[test]
    fn a_prefix_longer_than_the_last_stack_takes_that_stack_as_it_was() {
        let (mut state, mut codes) = (Backtraces::new(), Codes::new());
        read(&mut state, &mut codes, 0, 1, Bytes::default().miss(1, 100));
        assert_eq!(read(&mut state, &mut codes, 9, 1, Bytes::default().miss(2, 200)), [100]);
        assert_eq!(read(&mut state, &mut codes, 1, 1, Bytes::default().hit(2, HIT)), [100, 200], "its codes still ran");
    }

    #[test]
    fn after_a_gap_frames_are_lost_until_they_are_named_again() {
        let (mut state, mut codes) = (Backtraces::new(), Codes::new());
        read(&mut state, &mut codes, 0, 2, Bytes::default().miss(1, 100).miss(2, 200));
        state.forget();
        let lost = codes.as_slice()[CodeId::LOST.0 as usize];
        let after = Bytes::default().hit(2, HIT1).miss(3, 300);
        assert_eq!(read(&mut state, &mut codes, 5, 2, after), [lost, lost, lost, 300]);
        assert_eq!(read(&mut state, &mut codes, 8, 0, Bytes::default()), [lost, lost, lost, 300], "8 frames are kept");
        assert_eq!(read(&mut state, &mut codes, 7, 0, Bytes::default()), [lost, lost, lost]);
        assert_eq!(
            read(&mut state, &mut codes, 3, 1, Bytes::default().hit(3, HIT)),
            [lost, 300],
            "inside the lost part"
        );
        assert_eq!(read(&mut state, &mut codes, 4, 0, Bytes::default()), [lost, 300]);
        assert_eq!(read(&mut state, &mut codes, 0, 1, Bytes::default().hit(3, HIT)), [300], "a stack of its own");
    }

    #[test]
    fn a_header_that_disagrees_with_the_cache_is_noticed_and_one_of_a_lost_slot_is_learnt() {
        let (mut state, mut codes) = (Backtraces::new(), Codes::new());
        read(&mut state, &mut codes, 0, 2, Bytes::default().miss(1, 100).miss(2, 200));
        let right = Verify { slot: 1, pred: 2, code: 100 };
        assert_eq!(state.verify(right, &mut codes), Verdict::InStep);
        assert_eq!(state.verify(Verify { code: 101, ..right }, &mut codes), Verdict::OutOfStep);
        assert_eq!(state.verify(Verify { pred: 3, ..right }, &mut codes), Verdict::OutOfStep);
        state.forget();
        assert_eq!(state.verify(right, &mut codes), Verdict::InStep);
        assert_eq!(read(&mut state, &mut codes, 0, 1, Bytes::default().hit(1, HIT)), [100]);
    }
}
