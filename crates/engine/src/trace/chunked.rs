//! A vector in chunks of fixed size. Growing a plain vector would copy it and double the peak memory.

/// Elements per chunk: small enough to waste little, large enough to keep the list of chunks short.
const CHUNK: usize = 1 << 16;

#[derive(Clone, Debug)]
pub struct Chunked<T> {
    /// The full chunks, of exactly [`CHUNK`] elements each.
    full: Vec<Vec<T>>,
    /// The chunk that grows.
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
        // Most traces are small, so the first chunk grows as needed. Later ones are allocated in full.
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

    /// Drops everything after the first `len` elements.
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
    fn elements_read_back_across_chunks() {
        let mut numbers = Chunked::default();
        let n = 2 * CHUNK + 5;
        for i in 0..n {
            numbers.push(i);
        }
        assert_eq!((numbers.len(), numbers.get(CHUNK), numbers.get(n - 1)), (n, CHUNK, n - 1));
        assert!((0..n).all(|at| numbers.get(at) == at));
    }

    #[test]
    fn truncating_keeps_the_first_elements() {
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
    fn a_filled_vector_has_its_length_and_can_grow() {
        for n in [0, 1, CHUNK, CHUNK + 1, 2 * CHUNK] {
            let mut numbers = Chunked::filled(7, n);
            numbers.push(8);
            assert_eq!((numbers.len(), numbers.get(n)), (n + 1, 8));
            assert!((0..n).all(|at| numbers.get(at) == 7));
        }
    }
}
