//! What is this file? Decodes it into a [`Trace`], chunk by chunk, with warnings and progress.

use crate::ctf::{Decoder, Finished, Refusal};
use crate::trace::Totals;

/// A file on its way to a [`Loaded`].
#[derive(Debug)]
pub struct Loader {
    decoder: Decoder,
    totals: Totals,
    bytes_read: u64,
    bytes_total: Option<u64>,
}

/// A trace that has been read to its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Loaded {
    pub finished: Finished,
    pub totals: Totals,
}

impl Loader {
    /// `bytes_total` where the source knows the file's size.
    pub fn new(bytes_total: Option<u64>) -> Loader {
        Loader { decoder: Decoder::new(), totals: Totals::default(), bytes_read: 0, bytes_total }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), Refusal> {
        self.bytes_read += chunk.len() as u64;
        self.decoder.push(chunk, &mut self.totals)
    }

    /// The file is over.
    pub fn finish(mut self) -> Result<Loaded, Refusal> {
        let finished = self.decoder.finish(&mut self.totals)?;
        Ok(Loaded { finished, totals: self.totals })
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
}
