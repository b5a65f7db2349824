//! Keeps the bytes that a push decoder hasn't consumed yet, so that a file decodes the same in chunks of any size.

/// The result of one step of a decoder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// This many bytes were consumed.
    Consumed(usize),
    /// The step needs this many bytes, unless the file ends first.
    Need(usize),
}

/// Bytes that were seen but not consumed, starting at `head`.
#[derive(Debug, Default)]
pub(crate) struct Carry {
    bytes: Vec<u8>,
    head: usize,
}

impl Carry {
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[self.head..]
    }

    pub fn heap_bytes(&self) -> usize {
        self.bytes.capacity()
    }

    /// Steps through the kept bytes and then through the chunk. The kept bytes are extended only as far as the next
    /// step needs, so that almost all of the chunk is read in place.
    pub fn push<E>(&mut self, mut chunk: &[u8], mut step: impl FnMut(&[u8]) -> Result<Step, E>) -> Result<(), E> {
        while self.head < self.bytes.len() {
            match step(self.bytes())? {
                Step::Consumed(n) => self.head += n,
                Step::Need(total) => {
                    let wanted = total - self.bytes().len();
                    let (now, later) = chunk.split_at(wanted.min(chunk.len()));
                    // Compacting only here keeps the copying linear.
                    self.bytes.drain(..self.head);
                    self.head = 0;
                    self.bytes.extend_from_slice(now);
                    chunk = later;
                    if now.len() < wanted {
                        return Ok(());
                    }
                }
            }
        }
        *self = Carry::default();
        while !chunk.is_empty() {
            match step(chunk)? {
                Step::Consumed(n) => chunk = &chunk[n..],
                Step::Need(_) => {
                    self.bytes.extend_from_slice(chunk);
                    break;
                }
            }
        }
        Ok(())
    }
}
