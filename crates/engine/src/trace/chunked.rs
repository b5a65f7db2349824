//! A vector in chunks of fixed size: growing one would copy it and double the peak.

/// Elements a chunk: small enough to waste little, large enough that the list of chunks stays short.
const CHUNK: usize = 1 << 16;

#[derive(Clone, Debug)]
pub struct Chunked<T> {
    /// The full ones, of exactly [`CHUNK`] elements each …
    full: Vec<Vec<T>>,
    /// … and the one that grows.
    last: Vec<T>,
}

impl<T> Default for Chunked<T> {
    fn default() -> Chunked<T> {
        Chunked { full: Vec::new(), last: Vec::new() }
    }
}

impl<T: Copy> Chunked<T> {
    pub fn filled(value: T, len: usize) -> Chunked<T> {
        Chunked { full: (0..len / CHUNK).map(|_| vec![value; CHUNK]).collect(), last: vec![value; len % CHUNK] }
    }

    pub fn len(&self) -> usize {
        self.full.len() * CHUNK + self.last.len()
    }

    #[inline(always)]
    pub fn push(&mut self, value: T) {
        if self.last.len() == CHUNK {
            self.begin_chunk();
        }
        self.last.push(value);
    }

    #[cold]
    fn begin_chunk(&mut self) {
        // Small traces are many: the first chunk grows as it needs, later ones are whole at once.
        self.full.push(std::mem::replace(&mut self.last, Vec::with_capacity(CHUNK)));
    }

    #[inline(always)]
    pub fn get(&self, at: usize) -> T {
        self.full.get(at / CHUNK).unwrap_or(&self.last)[at % CHUNK]
    }

    #[inline(always)]
    pub fn get_mut(&mut self, at: usize) -> &mut T {
        &mut self.full.get_mut(at / CHUNK).unwrap_or(&mut self.last)[at % CHUNK]
    }

    /// Drops what lies behind the first `len` elements.
    pub fn truncate(&mut self, len: usize) {
        while self.len() > len {
            if len >= self.full.len() * CHUNK {
                self.last.truncate(len - self.full.len() * CHUNK);
            } else {
                self.last = self.full.pop().unwrap_or_default();
            }
        }
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        self.full.iter_mut().flatten().chain(&mut self.last)
    }

    pub fn heap_bytes(&self) -> usize {
        self.full.iter().chain([&self.last]).map(|chunk| chunk.capacity() * size_of::<T>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pushed_is_there_across_chunks() {
        let mut numbers = Chunked::default();
        let n = 2 * CHUNK + 5;
        for i in 0..n {
            numbers.push(i);
        }
        assert_eq!((numbers.len(), numbers.get(CHUNK), numbers.get(n - 1)), (n, CHUNK, n - 1));
        assert!((0..n).all(|at| numbers.get(at) == at));
    }

    #[test]
    fn what_is_left_of_a_truncated_one_is_its_beginning() {
        for (n, left) in [(5, 3), (CHUNK + 5, CHUNK + 1), (2 * CHUNK + 5, CHUNK), (2 * CHUNK, 7), (3, 9)] {
            let mut numbers = Chunked::default();
            (0..n).for_each(|i| numbers.push(i));
            numbers.truncate(left);
            numbers.push(n);
            let expected = left.min(n);
            assert_eq!((numbers.len(), numbers.get(expected)), (expected + 1, n));
            assert!((0..expected).all(|at| numbers.get(at) == at));
        }
    }

    #[test]
    fn a_filled_one_has_its_length_and_grows() {
        for n in [0, 1, CHUNK, CHUNK + 1, 2 * CHUNK] {
            let mut numbers = Chunked::filled(7, n);
            numbers.push(8);
            assert_eq!((numbers.len(), numbers.get(n)), (n + 1, 8));
            assert!((0..n).all(|at| numbers.get(at) == 7));
        }
    }
}
