//! What must still be known of objects once the model is thinned: which of them are in it ([`RankedBits`]), and, of
//! those that live, how many samples they really had ([`Ledger`]), so that totals stay exact.

use rustc_hash::FxHashMap;

use super::chunked::Chunked;
use super::objects::Ordinal;

/// A growing list of bits that tells, for each set one, how many were set before it.
#[derive(Clone, Debug, Default)]
pub struct RankedBits {
    words: Chunked<u64>,
    /// Set bits before each block of [`BLOCK_WORDS`] words.
    ranks: Chunked<u64>,
    len: u64,
    n_set: u64,
}

const BLOCK_WORDS: u64 = 8;

impl RankedBits {
    pub fn ones(len: u64) -> RankedBits {
        let mut bits = RankedBits::default();
        for _ in 0..len {
            bits.push(true);
        }
        bits
    }

    pub fn zeros(len: u64) -> RankedBits {
        let mut bits = RankedBits::default();
        for _ in 0..len {
            bits.push(false);
        }
        bits
    }

    /// Sets a bit that is there; ranks hold again after [`RankedBits::count_anew`].
    pub fn set(&mut self, at: u64) {
        let word = (at / 64) as usize;
        self.words.set(word, self.words.get(word) | 1 << (at % 64));
    }

    pub fn is_set(&self, at: u64) -> bool {
        self.words.get((at / 64) as usize) >> (at % 64) & 1 == 1
    }

    pub fn count_anew(&mut self) {
        self.retain(|_| true);
    }

    pub fn push(&mut self, bit: bool) {
        let (word, place) = (self.len / 64, self.len % 64);
        if place == 0 {
            if word.is_multiple_of(BLOCK_WORDS) {
                self.ranks.push(self.n_set);
            }
            self.words.push(0);
        }
        if bit {
            let value = self.words.get(word as usize) | 1 << place;
            self.words.set(word as usize, value);
            self.n_set += 1;
        }
        self.len += 1;
    }

    /// How many bits are set before this one; none if it is not set itself.
    pub fn rank(&self, at: u64) -> Option<u64> {
        self.is_set(at).then(|| self.rank_before(at))
    }

    /// How many bits are set before this place, which may be the list's end.
    pub fn rank_before(&self, at: u64) -> u64 {
        if at >= self.len {
            return self.n_set;
        }
        let (word, place) = (at / 64, at % 64);
        let block = word / BLOCK_WORDS;
        let before: u32 = (block * BLOCK_WORDS..word).map(|word| self.words.get(word as usize).count_ones()).sum();
        let here = (self.words.get(word as usize) & ((1 << place) - 1)).count_ones();
        self.ranks.get(block as usize) + u64::from(before + here)
    }

    /// Clears the set bits for which `keep` says no; it is asked in order.
    pub fn retain(&mut self, mut keep: impl FnMut(u64) -> bool) {
        let mut n_set = 0;
        for word in 0..self.words.len() {
            if (word as u64).is_multiple_of(BLOCK_WORDS) {
                self.ranks.set(word / BLOCK_WORDS as usize, n_set);
            }
            let before = self.words.get(word);
            let mut left = before;
            let mut after = before;
            while left != 0 {
                let place = left.trailing_zeros();
                left &= left - 1;
                if !keep(word as u64 * 64 + u64::from(place)) {
                    after &= !(1 << place);
                }
            }
            self.words.set(word, after);
            n_set += u64::from(after.count_ones());
        }
        self.n_set = n_set;
    }

    pub fn heap_bytes(&self) -> usize {
        self.words.heap_bytes() + self.ranks.heap_bytes()
    }
}

/// The samples of each object that lives, by its ordinal. A page whose objects have all died is given back, and one
/// with few left shrinks to a list.
#[derive(Debug, Default)]
pub struct Ledger {
    pages: Vec<Page>,
    /// Samples of objects that had more than a byte's seven bits hold.
    large: FxHashMap<u64, u32>,
}

#[derive(Debug, Default)]
enum Page {
    #[default]
    Empty,
    /// One byte an object, 0 for none; `live` of them are not 0.
    Dense { bytes: Box<[u8; PAGE]>, live: u16 },
    /// (place, byte), places ascending.
    Sparse(Vec<(u16, u8)>),
}

/// What the ledger knows of an object that lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Account {
    pub n_samples: u32,
    pub promoted: bool,
}

const PAGE: usize = 4096;
/// Below this many a list takes less room than a page.
const SPARSE_BELOW: u16 = 512;
const PROMOTED: u8 = 0x80;
/// Looks aside. Objects of no sample at all are not entered.
const LARGE: u8 = 0x7f;

impl Ledger {
    /// Enters an object that has just been allocated, or lives when the ledger begins. Ordinals ascend.
    pub fn enter(&mut self, ordinal: Ordinal, account: Account) {
        if account.n_samples == 0 {
            return;
        }
        let (page, place) = Ledger::place(ordinal);
        if page >= self.pages.len() {
            self.pages.resize_with(page + 1, Page::default);
        }
        let samples = if account.n_samples < u32::from(LARGE) { account.n_samples as u8 } else { LARGE };
        if samples == LARGE {
            self.large.insert(ordinal.0, account.n_samples);
        }
        let byte = samples | if account.promoted { PROMOTED } else { 0 };
        self.pages[page].insert(place, byte);
    }

    /// What is known of an object, if it lives.
    pub fn get(&self, ordinal: Ordinal) -> Option<Account> {
        let (page, place) = Ledger::place(ordinal);
        let byte = self.pages.get(page)?.get(place)?;
        let n_samples = match byte & !PROMOTED {
            LARGE => self.large.get(&ordinal.0).copied().unwrap_or(u32::from(LARGE)),
            small => u32::from(small),
        };
        Some(Account { n_samples, promoted: byte & PROMOTED != 0 })
    }

    pub fn set_promoted(&mut self, ordinal: Ordinal) {
        let (page, place) = Ledger::place(ordinal);
        if let Some(page) = self.pages.get_mut(page) {
            page.set_promoted(place);
        }
    }

    /// The object has died.
    pub fn remove(&mut self, ordinal: Ordinal) {
        let (page, place) = Ledger::place(ordinal);
        if let Some(page) = self.pages.get_mut(page) {
            page.remove(place);
            self.large.remove(&ordinal.0);
            if self.large.len() * 8 < self.large.capacity() {
                self.large.shrink_to_fit();
            }
        }
    }

    pub fn heap_bytes(&self) -> usize {
        let pages: usize = self.pages.iter().map(Page::heap_bytes).sum();
        pages + self.pages.capacity() * size_of::<Page>() + self.large.capacity() * 16
    }

    fn place(ordinal: Ordinal) -> (usize, u16) {
        ((ordinal.0 / PAGE as u64) as usize, (ordinal.0 % PAGE as u64) as u16)
    }
}

impl Page {
    fn insert(&mut self, place: u16, byte: u8) {
        match self {
            Page::Sparse(list) => {
                let at = list.partition_point(|entry| entry.0 < place);
                list.insert(at, (place, byte));
            }
            Page::Dense { bytes, live } => {
                *live += u16::from(bytes[usize::from(place)] == 0);
                bytes[usize::from(place)] = byte;
            }
            Page::Empty => {
                let mut bytes = Box::new([0; PAGE]);
                bytes[usize::from(place)] = byte;
                *self = Page::Dense { bytes, live: 1 };
            }
        }
    }

    fn get(&self, place: u16) -> Option<u8> {
        match self {
            Page::Empty => None,
            Page::Dense { bytes, .. } => Some(bytes[usize::from(place)]).filter(|&byte| byte != 0),
            Page::Sparse(list) => list.binary_search_by_key(&place, |entry| entry.0).ok().map(|at| list[at].1),
        }
    }

    fn set_promoted(&mut self, place: u16) {
        match self {
            Page::Empty => {}
            Page::Dense { bytes, .. } => bytes[usize::from(place)] |= PROMOTED,
            Page::Sparse(list) => {
                if let Ok(at) = list.binary_search_by_key(&place, |entry| entry.0) {
                    list[at].1 |= PROMOTED;
                }
            }
        }
    }

    fn remove(&mut self, place: u16) {
        match self {
            Page::Empty => {}
            Page::Dense { bytes, live } => {
                let was_live = bytes[usize::from(place)] != 0;
                bytes[usize::from(place)] = 0;
                *live -= u16::from(was_live);
                if *live == 0 {
                    *self = Page::Empty;
                } else if *live == SPARSE_BELOW && was_live {
                    let entries = bytes.iter().enumerate().filter(|(_, byte)| **byte != 0);
                    *self = Page::Sparse(entries.map(|(place, &byte)| (place as u16, byte)).collect());
                }
            }
            Page::Sparse(list) => {
                if let Ok(at) = list.binary_search_by_key(&place, |entry| entry.0) {
                    list.remove(at);
                }
                if list.is_empty() {
                    *self = Page::Empty;
                }
            }
        }
    }

    fn heap_bytes(&self) -> usize {
        match self {
            Page::Empty => 0,
            Page::Dense { .. } => PAGE,
            Page::Sparse(list) => list.capacity() * size_of::<(u16, u8)>(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rank_of_a_bit_counts_those_before_it_also_after_some_are_cleared() {
        let mut bits = RankedBits::default();
        let is_set = |at: u64| at % 3 != 1;
        for at in 0..5000 {
            bits.push(is_set(at));
        }
        bits.retain(|at| at.is_multiple_of(2));
        for _ in 5000..6000 {
            bits.push(true);
        }
        let expected = |at: u64| if at < 5000 { is_set(at) && at.is_multiple_of(2) } else { true };
        let mut rank = 0;
        for at in 0..6000 {
            assert_eq!(bits.rank(at), expected(at).then_some(rank), "at {at}");
            rank += u64::from(expected(at));
        }
        assert_eq!(bits.rank_before(6000), rank);
    }

    #[test]
    fn the_ledger_knows_the_living_and_gives_the_room_of_the_dead_back() {
        let mut ledger = Ledger::default();
        let account = |i: u64| Account { n_samples: 1 + (i % 200) as u32, promoted: i.is_multiple_of(5) };
        for i in 0..10_000 {
            ledger.enter(Ordinal(i), account(i));
        }
        for i in (0..10_000).filter(|i| i % 100 != 7) {
            ledger.remove(Ordinal(i));
        }
        for i in 0..10_000 {
            assert_eq!(ledger.get(Ordinal(i)), (i % 100 == 7).then(|| account(i)), "object {i}");
        }
        ledger.set_promoted(Ordinal(107));
        assert!(ledger.get(Ordinal(107)).is_some_and(|account| account.promoted));
        let sparse = ledger.heap_bytes();
        assert!(sparse < 8_000, "{sparse} bytes for 100 objects");
    }
}
