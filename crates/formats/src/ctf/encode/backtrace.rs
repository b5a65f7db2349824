//! Encodes stacks as a prefix of the domain's last stack and slots of a cache that predicts successors.
//!
//! A stack may take at most 4 KiB. Longer ones lose their innermost frames. memtrace's writer then continues as if
//! readers had the complete stack, so they mistake a later stack with a longer prefix for the truncated one. Here
//! `last` is what readers have, so a stack is never mistaken for another, and the next one with the same prefix
//! completes it.

use super::super::limits::CACHE_SLOTS;
use super::super::packet::Verify;
use super::buffer::Buffer;

/// One domain's state.
#[derive(Debug)]
pub struct Stacks {
    slots: Box<[Slot; CACHE_SLOTS]>,
    /// For each slot, the one that followed it last time.
    preds: Box<[u16; CACHE_SLOTS]>,
    /// The last stack, as readers have it.
    last: Vec<u64>,
    /// The slot written last.
    recent: Option<u16>,
    clock: u64,
}

#[derive(Clone, Copy, Debug)]
struct Slot {
    code: u64,
    /// When the slot was last named, starting at 1. 0 marks an empty slot, whose code 0 isn't a real code.
    date: u64,
}

/// The part of a stack that was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenCodes {
    /// The number of codes.
    pub n: u16,
    /// Whether they are the complete stack.
    pub is_whole: bool,
}

/// The most bytes that a stack may take.
pub const MAX_STACK_BYTES: usize = 4096;
/// A slot and a code.
const MAX_CODE_BYTES: usize = 2 + 8;

impl Stacks {
    pub fn new() -> Stacks {
        Stacks { slots: boxed(Slot { code: 0, date: 0 }), preds: boxed(0), last: Vec::new(), recent: None, clock: 0 }
    }

    /// A recently used slot that readers can verify. A reader that is out of step detects it at the next packet.
    pub fn verify(&self) -> Option<Verify> {
        self.recent.map(|slot| Verify { slot, pred: self.preds[place(slot)], code: self.slots[place(slot)].code })
    }

    /// Returns how many frames the stack shares with the last one. The first `known` frames are not compared.
    #[inline]
    pub fn shared_with_last(&self, stack: &[u64], known: usize) -> usize {
        const STRIDE: usize = 16;
        // Readers may have less of a truncated stack than the caller assumes.
        let known = known.min(self.last.len()).min(stack.len());
        debug_assert_eq!(self.last[..known], stack[..known]);
        let (last, stack) = (&self.last[known..], &stack[known..]);
        // Compares a whole stride at once, without a branch per frame.
        let alike = |(a, b): &(&[u64; STRIDE], &[u64; STRIDE])| a.iter().zip(*b).fold(0, |d, (a, b)| d | (a ^ b)) == 0;
        let strides = last.as_chunks::<STRIDE>().0.iter().zip(stack.as_chunks::<STRIDE>().0);
        let whole = STRIDE * strides.take_while(alike).count();
        let rest = last[whole..].iter().zip(&stack[whole..]);
        known + whole + rest.take_while(|(a, b)| a == b).count()
    }

    /// Writes the codes of the frames from `kept` on, which must be the result of [`Stacks::shared_with_last`]. Codes
    /// that were not in the cache are added to `missed`.
    #[inline]
    pub fn write(&mut self, stack: &[u64], kept: usize, out: &mut Buffer, missed: &mut Vec<u64>) -> WrittenCodes {
        self.clock += 1;
        let limit = out.len() + MAX_STACK_BYTES - MAX_CODE_BYTES;
        let mut at = 0;
        let mut next = kept;
        let mut n = 0;
        while next < stack.len() && out.len() <= limit {
            let code = stack[next];
            next += 1;
            n += 1;
            let (slot, found) = self.find(code);
            self.preds[place(at)] = slot;
            self.slots[place(slot)] = Slot { code, date: self.clock };
            at = slot;
            if !found {
                missed.push(code);
                out.miss(slot, code);
                continue;
            }
            let mut steps: u8 = 0;
            while let Some(&code) = stack.get(next)
                && steps < u8::MAX
            {
                let predicted = self.preds[place(at)];
                if !self.holds(predicted, code) {
                    break;
                }
                at = predicted;
                next += 1;
                steps += 1;
            }
            out.hit(slot, steps);
        }
        if n > 0 {
            self.recent = Some(at);
        }
        self.last.truncate(kept);
        self.last.extend_from_slice(&stack[kept..next]);
        WrittenCodes { n, is_whole: next == stack.len() }
    }

    /// Returns the slot that holds a code, or else the one of its two slots that was named longer ago.
    #[inline]
    fn find(&self, code: u64) -> (u16, bool) {
        const SHIFT: u32 = u64::BITS - CACHE_SLOTS.ilog2();
        // Two odd numbers without a pattern: return addresses differ in few of their middle bits.
        let first = (code.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> SHIFT) as u16;
        if self.holds(first, code) {
            return (first, true);
        }
        let second = (code.wrapping_mul(0xc2b2_ae3d_27d4_eb4f) >> SHIFT) as u16;
        if self.holds(second, code) {
            return (second, true);
        }
        let date = |slot: u16| self.slots[place(slot)].date;
        (if date(first) <= date(second) { first } else { second }, false)
    }

    #[inline]
    fn holds(&self, slot: u16, code: u64) -> bool {
        let slot = self.slots[place(slot)];
        slot.code == code && (code != 0 || slot.date != 0)
    }
}

/// Returns a slot as an index that needs no bounds check.
#[inline]
fn place(slot: u16) -> usize {
    usize::from(slot) % CACHE_SLOTS
}

fn boxed<T: Copy>(value: T) -> Box<[T; CACHE_SLOTS]> {
    let values: Box<[T]> = vec![value; CACHE_SLOTS].into_boxed_slice();
    // The length is right by construction, so the fallback is never used.
    values.try_into().unwrap_or_else(|_| Box::new([value; CACHE_SLOTS]))
}
