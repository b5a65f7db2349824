//! Location codes are interned to dense [`CodeId`]s when they are written into the cache of backtraces, so the hot path
//! moves 4-byte ids and never hashes.

use rustc_hash::FxHashMap;

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
    pub fn intern_used(&mut self, code: u64) -> CodeId {
        let id = self.intern(code);
        self.used[id.0 as usize] = true;
        id
    }

    /// By [`CodeId`]: all codes, and whether each occurs in a stack. None is met before they are back.
    pub fn take(&mut self) -> (Vec<u64>, Vec<bool>) {
        (std::mem::take(&mut self.codes), std::mem::take(&mut self.used))
    }

    pub fn put_back(&mut self, codes: Vec<u64>, used: Vec<bool>) {
        (self.codes, self.used) = (codes, used);
    }

    /// By [`CodeId`]; the entry of [`CodeId::LOST`] means nothing.
    #[cfg(test)]
    pub fn as_slice(&self) -> &[u64] {
        &self.codes
    }
}
