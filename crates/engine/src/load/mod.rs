//! Detects a file's format and decodes it into a [`Model`], chunk by chunk, with warnings and progress.

mod follow;
mod reading;

pub use follow::{FollowCost, FollowState};
pub use reading::Refusal;

use serde::{Deserialize, Serialize};

use self::reading::Reading;
use crate::profile::{Profile, WORD_BYTES};
use crate::trace::{Budget, Preview, Trace, Whole};
use camlscope_formats::ctf;
use camlscope_formats::decompress::{CompressionFormat, Decompressor};
use camlscope_formats::spacetime;

/// Loads a file into a [`Model`].
#[derive(Debug)]
pub struct Loader {
    reading: Reading,
    decompressor: Decompressor,
    bytes_read: u64,
    bytes_total: Option<u64>,
    budget: Budget,
    /// The original's totals, if the file is a downsampled copy of a trace.
    whole: Option<Whole>,
}

/// The model of a file.
#[derive(Debug)]
pub enum Model {
    Trace(Box<Trace>),
    Profile(Box<Profile>),
}

/// The file, or its decompressed contents, can't be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotLoaded {
    pub compression: Option<CompressionFormat>,
    pub refusal: Refusal,
}

/// The number of leading bytes that [`begins_a_profile`] needs, compressed or not.
pub const HEAD_BYTES: usize = 256 << 10;

/// Whether a file with these first bytes is a Spacetime profile, compressed or not.
pub fn begins_a_profile(head: &[u8]) -> bool {
    struct Enough;
    let mut decompressed = Vec::new();
    let mut take = |bytes: &[u8]| {
        decompressed.extend_from_slice(bytes);
        if decompressed.len() < spacetime::HEAD_BYTES { Ok(()) } else { Err(Enough) }
    };
    let mut decompressor = Decompressor::new();
    let _ = decompressor.push(head, &mut take).and_then(|()| decompressor.finish(&mut take));
    spacetime::is_profile(&decompressed)
}

impl Loader {
    /// `bytes_total` is the file's size, if known.
    pub fn new(bytes_total: Option<u64>, budget: Budget) -> Loader {
        let (reading, decompressor) = (Reading::Unknown(Vec::new()), Decompressor::new());
        Loader { reading, decompressor, bytes_read: 0, bytes_total, budget, whole: None }
    }

    /// Sets the original's totals if the file is a copy of a trace. Profiles ignore them.
    pub fn of_whole(self, whole: Option<Whole>) -> Loader {
        Loader { whole, ..self }
    }

    pub fn push(&mut self, chunk: &[u8]) -> Result<(), NotLoaded> {
        self.bytes_read += chunk.len() as u64;
        let Loader { reading, decompressor, bytes_total, budget, .. } = self;
        let pushed = decompressor.push(chunk, |bytes| reading.push(bytes, *bytes_total, *budget));
        pushed.map_err(|refusal| self.not_loaded(refusal))
    }

    /// Whether [`Loader::freeze`] works: the file is an uncompressed trace and its first packet is complete.
    pub fn can_freeze(&self) -> bool {
        let Reading::Trace(reading) = &self.reading else { return false };
        self.decompressor.format().is_none() && reading.decoder.info().is_some()
    }

    /// Freezes everything read so far of a live trace. Also returns the state to continue from. `None` unless
    /// [`Loader::can_freeze`].
    pub fn freeze(self) -> Option<(Trace, FollowState)> {
        if !self.can_freeze() {
            return None;
        }
        let Reading::Trace(reading) = self.reading else { return None };
        FollowState::new(reading, self.bytes_read)
    }

    /// Ends the load and returns the model.
    pub fn finish(mut self) -> Result<Model, NotLoaded> {
        let Loader { reading, decompressor, bytes_total, budget, .. } = &mut self;
        let pushed = decompressor.finish(|bytes| reading.push(bytes, *bytes_total, *budget));
        pushed.map_err(|refusal| self.not_loaded(refusal))?;
        // A file of a few bytes isn't a profile. The trace decoder reports what it looks like.
        if let Reading::Unknown(head) = &mut self.reading {
            let head = std::mem::take(head);
            let pushed = self.reading.begin_trace(&head, self.bytes_total, self.budget);
            pushed.map_err(|refusal| self.not_loaded(refusal))?;
        }
        let compression = self.decompressor.format();
        let damaged_at = self.decompressor.damaged_at();
        let finished = match self.reading {
            Reading::Trace(reading) => reading.finish(self.bytes_read, damaged_at).map(|mut trace| {
                self.whole.iter().for_each(|whole| trace.become_part_of(whole));
                Model::Trace(Box::new(trace))
            }),
            Reading::Profile(reading) => {
                reading.finish(self.bytes_read, damaged_at).map(|profile| Model::Profile(Box::new(profile)))
            }
            Reading::Unknown(_) => Err(Refusal::Trace(ctf::Refusal::Empty)),
        };
        finished.map_err(|refusal| NotLoaded { compression, refusal })
    }

    fn not_loaded(&self, refusal: Refusal) -> NotLoaded {
        NotLoaded { compression: self.decompressor.format(), refusal }
    }

    pub fn bytes_read(&self) -> u64 {
        self.bytes_read
    }

    pub fn bytes_total(&self) -> Option<u64> {
        self.bytes_total
    }

    /// The file's compression, once detected.
    pub fn compression(&self) -> Option<CompressionFormat> {
        self.decompressor.format()
    }

    /// Whether the file is read as a Spacetime profile.
    pub fn is_profile(&self) -> bool {
        matches!(self.reading, Reading::Profile(_))
    }

    /// Allocations, promotions and collections so far. In a profile: snapshots and events.
    pub fn n_events(&self) -> u64 {
        match &self.reading {
            Reading::Unknown(_) => 0,
            Reading::Trace(reading) => reading.decoder.n_events(),
            Reading::Profile(reading) => reading.decoder.n_records(),
        }
    }

    /// Returns a preview of the file so far, with at most this many time ranges and functions. Also returns the number
    /// of bytes that a sample represents.
    pub fn preview(&self, n_bins: usize, n_holders: usize) -> Option<(Preview, f64)> {
        match &self.reading {
            Reading::Unknown(_) => None,
            Reading::Trace(reading) => {
                let info = reading.decoder.info()?;
                let rate = info.sample_rate / f64::from(reading.builder.downsampled());
                (rate > 0.0).then(|| (reading.builder.preview(n_bins, n_holders), info.word_bytes() / rate))
            }
            Reading::Profile(reading) => Some((reading.builder.preview(n_bins), WORD_BYTES)),
        }
    }

    /// The memory that the model takes now.
    pub fn model_bytes(&self) -> usize {
        match &self.reading {
            Reading::Unknown(head) => head.len(),
            Reading::Trace(reading) => reading.builder.heap_bytes(),
            Reading::Profile(reading) => reading.builder.heap_bytes() + reading.decoder.heap_bytes(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    #[test]
    fn a_profile_is_recognized_by_its_first_bytes_even_if_compressed() {
        let fixture = |name: &str| {
            let path = camlscope_testkit::fixtures::folder().join(name);
            std::fs::read(path).expect("a fixture")
        };
        let head = |bytes: &[u8]| bytes[..bytes.len().min(HEAD_BYTES)].to_vec();
        for (name, expected) in [("spacetime-11710", true), ("spacetime-11710.p", true), ("tiny-1.0-v3.ctf", false)] {
            let bytes = fixture(name);
            let mut gzip = GzEncoder::new(Vec::new(), Compression::default());
            gzip.write_all(&bytes).expect("writes into memory");
            let gzip = gzip.finish().expect("writes into memory");
            let zstd = compress_to_vec(&bytes[..], CompressionLevel::Fastest);
            for file in [bytes, gzip, zstd] {
                assert_eq!(begins_a_profile(&head(&file)), expected, "{name}");
            }
        }
        assert!(!begins_a_profile(b""));
    }
}
