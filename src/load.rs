//! What is this file? Decodes it into a [`Trace`], chunk by chunk, with warnings and progress.

use crate::ctf::{Decoder, Refusal, Warning, WarningKind};
use crate::trace::{Budget, Builder, SoFar, Trace};
use crate::unpack::{Packing, Unpacker};

/// A file on its way to a [`Trace`].
#[derive(Debug)]
pub struct Loader {
    decoder: Decoder,
    builder: Builder,
    unpacker: Unpacker,
    bytes_read: u64,
    bytes_total: Option<u64>,
}

/// The file, or what was packed in it, is no trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotLoaded {
    pub packing: Option<Packing>,
    pub refusal: Refusal,
}

impl Loader {
    /// `bytes_total` where the source knows the file's size.
    pub fn new(bytes_total: Option<u64>, budget: Budget) -> Loader {
        Loader {
            decoder: Decoder::new(),
            builder: Builder::new(budget).expecting(bytes_total),
            unpacker: Unpacker::new(),
            bytes_read: 0,
            bytes_total,
        }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), NotLoaded> {
        self.bytes_read += chunk.len() as u64;
        let Loader { decoder, builder, unpacker, .. } = self;
        let pushed = unpacker.push(chunk, |bytes| decoder.push(bytes, builder));
        pushed.map_err(|refusal| self.not_loaded(refusal))
    }

    /// The file is over.
    pub fn finish(mut self) -> Result<Trace, NotLoaded> {
        let Loader { decoder, builder, unpacker, .. } = &mut self;
        let pushed = unpacker.finish(|bytes| decoder.push(bytes, builder));
        pushed.map_err(|refusal| self.not_loaded(refusal))?;
        let packing = self.unpacker.packing();
        let finished = self.decoder.finish(&mut self.builder).map_err(|refusal| NotLoaded { packing, refusal })?;
        let mut trace = self.builder.finish(finished);
        trace.file_bytes = self.bytes_read;
        if let Some(at) = self.unpacker.damaged_at() {
            let damage =
                Warning { kind: WarningKind::DamagedArchive, count: 1, bytes: self.bytes_read - at, first_offset: at };
            trace.warnings.push(damage);
        }
        Ok(trace)
    }

    fn not_loaded(&self, refusal: Refusal) -> NotLoaded {
        NotLoaded { packing: self.unpacker.packing(), refusal }
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

    /// What can be told before the file is over: at most so many stretches of time and functions. With what a sample
    /// stands for, in bytes.
    pub fn so_far(&self, n_stretches: usize, n_holders: usize) -> Option<(SoFar, f64)> {
        let info = self.decoder.info()?;
        let rate = info.sample_rate / f64::from(self.builder.thinned());
        (rate > 0.0).then(|| (self.builder.so_far(n_stretches, n_holders), info.word_bytes() / rate))
    }

    /// What the model takes now.
    pub fn model_bytes(&self) -> usize {
        self.builder.heap_bytes()
    }
}
