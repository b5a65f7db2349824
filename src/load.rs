//! What is this file? Decodes it into a [`Trace`], chunk by chunk, with warnings and progress.

use crate::ctf::{Decoder, Refusal};
use crate::trace::{Budget, Builder, Trace};

/// A file on its way to a [`Trace`].
#[derive(Debug)]
pub struct Loader {
    decoder: Decoder,
    builder: Builder,
    bytes_read: u64,
    bytes_total: Option<u64>,
}

impl Loader {
    /// `bytes_total` where the source knows the file's size.
    pub fn new(bytes_total: Option<u64>, budget: Budget) -> Loader {
        Loader { decoder: Decoder::new(), builder: Builder::new(budget), bytes_read: 0, bytes_total }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), Refusal> {
        self.bytes_read += chunk.len() as u64;
        self.decoder.push(chunk, &mut self.builder)
    }

    /// The file is over.
    pub fn finish(mut self) -> Result<Trace, Refusal> {
        let finished = self.decoder.finish(&mut self.builder)?;
        Ok(self.builder.finish(finished))
    }

    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    pub fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    /// Allocations, promotions and collections so far.
    pub fn n_events(&self) -> u64 {
        self.decoder.n_events()
    }

    /// What the model takes now.
    pub fn model_bytes(&self) -> usize {
        self.builder.heap_bytes()
    }
}
