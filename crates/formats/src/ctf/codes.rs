//! Interns location codes as dense [`CodeId`]s when they enter the backtrace cache, so the hot path moves 4-byte ids
//! and never hashes.

use rustc_hash::FxHashMap;

/// A location code's dense number within the trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CodeId(pub u32);

impl CodeId {
    /// Code 0: the contents of an empty cache.
    pub const ZERO: CodeId = CodeId(0);
    /// A frame (or several, at the root) that was lost to damage.
    pub const LOST: CodeId = CodeId(1);
}

/// All location codes of a trace, in order of first occurrence.
#[derive(Debug)]
pub struct Codes {
    ids: FxHashMap<u64, CodeId>,
    codes: Vec<u64>,
    /// Whether each was written into a backtrace cache, like all codes in stacks.
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

    /// Interns a code that enters a cache.
    pub fn intern_used(&mut self, code: u64) -> CodeId {
        let id = self.intern(code);
        self.used[id.0 as usize] = true;
        id
    }

    /// Moves out all codes and whether each occurs in a stack, by [`CodeId`]. No code may be interned until they are
    /// put back.
    pub fn take(&mut self) -> (Vec<u64>, Vec<bool>) {
        (std::mem::take(&mut self.codes), std::mem::take(&mut self.used))
    }

    pub fn put_back(&mut self, codes: Vec<u64>, used: Vec<bool>) {
        (self.codes, self.used) = (codes, used);
    }

    /// Indexed by [`CodeId`]. The entry of [`CodeId::LOST`] is meaningless.
    #[cfg(test)]
    pub fn as_slice(&self) -> &[u64] {
        &self.codes
    }
}
