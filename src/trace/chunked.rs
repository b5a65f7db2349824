//! A vector in chunks of fixed size: growing one would copy it and double the peak.

/// Elements a chunk: small enough to waste little, large enough that the list of chunks stays short.
const CHUNK: usize = 1 << 16;

#[derive(Clone, Debug)]
pub struct Chunked<T> {
    /// All but the last hold exactly [`CHUNK`] elements.
    chunks: Vec<Vec<T>>,
}

impl<T> Default for Chunked<T> {
    fn default() -> Chunked<T> {
        Chunked { chunks: Vec::new() }
    }
}

impl<T: Copy> Chunked<T> {
    pub fn len(&self) -> usize {
        match self.chunks.split_last() {
            None => 0,
            Some((last, full)) => full.len() * CHUNK + last.len(),
        }
    }

    #[inline]
    pub fn push(&mut self, value: T) {
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(value),
            _ => self.push_chunk(value),
        }
    }

    #[cold]
    fn push_chunk(&mut self, value: T) {
        // Small traces are many: the first chunk grows as it needs, later ones are whole at once.
        let mut chunk = if self.chunks.is_empty() { Vec::new() } else { Vec::with_capacity(CHUNK) };
        chunk.push(value);
        self.chunks.push(chunk);
    }

    #[inline]
    pub fn get(&self, at: usize) -> T {
        self.chunks[at / CHUNK][at % CHUNK]
    }

    #[inline]
    pub fn set(&mut self, at: usize, value: T) {
        self.chunks[at / CHUNK][at % CHUNK] = value;
    }

    pub fn iter(&self) -> impl Iterator<Item = T> + '_ {
        self.chunks.iter().flatten().copied()
    }

    /// Gives back what lies behind the first `len` elements.
    pub fn truncate(&mut self, len: usize) {
        self.chunks.truncate(len.div_ceil(CHUNK));
        if let Some(last) = self.chunks.last_mut()
            && !len.is_multiple_of(CHUNK)
        {
            last.truncate(len % CHUNK);
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.capacity() * size_of::<T>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_pushed_is_there_across_chunks_until_it_is_given_back() {
        let mut numbers = Chunked::default();
        let n = 2 * CHUNK + 5;
        for i in 0..n {
            numbers.push(i);
        }
        assert_eq!((numbers.len(), numbers.get(CHUNK), numbers.get(n - 1)), (n, CHUNK, n - 1));
        assert!(numbers.iter().eq(0..n));
        numbers.truncate(CHUNK);
        assert_eq!((numbers.len(), numbers.get(CHUNK - 1)), (CHUNK, CHUNK - 1));
        numbers.push(7);
        assert_eq!((numbers.len(), numbers.get(CHUNK)), (CHUNK + 1, 7));
    }
}
