//! What is this file? Decodes it into a [`Model`], chunk by chunk, with warnings and progress.

mod growing;

pub use growing::{Growing, Work};

use serde::{Deserialize, Serialize};

use crate::profile::{Profile, ProfileBuilder, WORD_BYTES};
use crate::trace::{Budget, Builder, SoFar, Trace, Whole};
use camlscope_formats::ctf::{self, Warning, WarningKind};
use camlscope_formats::spacetime;
use camlscope_formats::unpack::{Packing, Unpacker};

/// A file on its way to a [`Model`].
#[derive(Debug)]
pub struct Loader {
    reading: Reading,
    unpacker: Unpacker,
    bytes_read: u64,
    bytes_total: Option<u64>,
    budget: Budget,
    /// What a thinned copy says of the trace that it was made of.
    whole: Option<Whole>,
}

/// What a file became.
#[derive(Debug)]
pub enum Model {
    Trace(Box<Trace>),
    Profile(Box<Profile>),
}

/// By its first bytes a file is taken for a trace or for a profile.
#[derive(Debug)]
enum Reading {
    /// These are all bytes so far, too few to tell.
    Unknown(Vec<u8>),
    Trace(Box<TraceReading>),
    Profile(Box<ProfileReading>),
}

#[derive(Debug)]
struct TraceReading {
    decoder: ctf::Decoder,
    builder: Builder,
}

#[derive(Debug)]
struct ProfileReading {
    decoder: spacetime::Decoder,
    builder: ProfileBuilder,
}

/// The file, or what was packed in it, can not be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NotLoaded {
    pub packing: Option<Packing>,
    pub refusal: Refusal,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    Trace(ctf::Refusal),
    Profile(spacetime::Refusal),
}

/// As many first bytes of a file as [`begins_a_profile`] needs, packed or not.
pub const HEAD_BYTES: usize = 256 << 10;

/// Whether a file, or what is packed in it, is a profile by its first bytes.
pub fn begins_a_profile(head: &[u8]) -> bool {
    struct Enough;
    let mut unpacked = Vec::new();
    let mut take = |bytes: &[u8]| {
        unpacked.extend_from_slice(bytes);
        if unpacked.len() < spacetime::HEAD_BYTES { Ok(()) } else { Err(Enough) }
    };
    let mut unpacker = Unpacker::new();
    let _ = unpacker.push(head, &mut take).and_then(|()| unpacker.finish(&mut take));
    spacetime::is_profile(&unpacked)
}

impl Loader {
    /// `bytes_total` where the source knows the file's size.
    pub fn new(bytes_total: Option<u64>, budget: Budget) -> Loader {
        let (reading, unpacker) = (Reading::Unknown(Vec::new()), Unpacker::new());
        Loader { reading, unpacker, bytes_read: 0, bytes_total, budget, whole: None }
    }

    /// For a copy of a trace, and what it says of the whole, if anything. A profile is no copy.
    pub fn of_whole(self, whole: Option<Whole>) -> Loader {
        Loader { whole, ..self }
    }

    /// Takes the next bytes of the file.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), NotLoaded> {
        self.bytes_read += chunk.len() as u64;
        let Loader { reading, unpacker, bytes_total, budget, .. } = self;
        let pushed = unpacker.push(chunk, |bytes| reading.push(bytes, *bytes_total, *budget));
        pushed.map_err(|refusal| self.not_loaded(refusal))
    }

    /// Whether [`Loader::freeze`] can be asked for: this is a trace, not packed, and its first packet is whole.
    pub fn can_freeze(&self) -> bool {
        let Reading::Trace(reading) = &self.reading else { return false };
        self.unpacker.packing().is_none() && reading.decoder.info().is_some()
    }

    /// The end so far of a file that may grow: what has come, and the means to go on from there. `None` unless
    /// [`Loader::can_freeze`].
    pub fn freeze(self) -> Option<(Trace, Growing)> {
        if !self.can_freeze() {
            return None;
        }
        let Reading::Trace(reading) = self.reading else { return None };
        Growing::new(reading, self.bytes_read)
    }

    /// The file is over.
    pub fn finish(mut self) -> Result<Model, NotLoaded> {
        let Loader { reading, unpacker, bytes_total, budget, .. } = &mut self;
        let pushed = unpacker.finish(|bytes| reading.push(bytes, *bytes_total, *budget));
        pushed.map_err(|refusal| self.not_loaded(refusal))?;
        // A file of a few bytes is no profile; the trace's decoder says what it seems to be.
        if let Reading::Unknown(head) = &mut self.reading {
            let head = std::mem::take(head);
            let pushed = self.reading.begin_trace(&head, self.bytes_total, self.budget);
            pushed.map_err(|refusal| self.not_loaded(refusal))?;
        }
        let packing = self.unpacker.packing();
        let damaged_at = self.unpacker.damaged_at();
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
        finished.map_err(|refusal| NotLoaded { packing, refusal })
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

    /// How the file is packed, if it is and as soon as that is known.
    pub fn packing(&self) -> Option<Packing> {
        self.unpacker.packing()
    }

    /// Whether it is read as a Spacetime profile.
    pub fn is_profile(&self) -> bool {
        matches!(self.reading, Reading::Profile(_))
    }

    /// Allocations, promotions and collections so far; of a profile, snapshots and events.
    pub fn n_events(&self) -> u64 {
        match &self.reading {
            Reading::Unknown(_) => 0,
            Reading::Trace(reading) => reading.decoder.n_events(),
            Reading::Profile(reading) => reading.decoder.n_records(),
        }
    }

    /// What can be told before the file is over: at most so many stretches of time and functions. With what a sample
    /// stands for, in bytes.
    pub fn so_far(&self, n_stretches: usize, n_holders: usize) -> Option<(SoFar, f64)> {
        match &self.reading {
            Reading::Unknown(_) => None,
            Reading::Trace(reading) => {
                let info = reading.decoder.info()?;
                let rate = info.sample_rate / f64::from(reading.builder.thinned());
                (rate > 0.0).then(|| (reading.builder.so_far(n_stretches, n_holders), info.word_bytes() / rate))
            }
            Reading::Profile(reading) => Some((reading.builder.so_far(n_stretches), WORD_BYTES)),
        }
    }

    /// What the model takes now.
    pub fn model_bytes(&self) -> usize {
        match &self.reading {
            Reading::Unknown(head) => head.len(),
            Reading::Trace(reading) => reading.builder.heap_bytes(),
            Reading::Profile(reading) => reading.builder.heap_bytes() + reading.decoder.heap_bytes(),
        }
    }
}

impl Reading {
    fn push(&mut self, bytes: &[u8], bytes_total: Option<u64>, budget: Budget) -> Result<(), Refusal> {
        match self {
            Reading::Trace(reading) => reading.push(bytes),
            Reading::Profile(reading) => reading.push(bytes),
            Reading::Unknown(head) => {
                head.extend_from_slice(bytes);
                if head.len() < spacetime::HEAD_BYTES {
                    return Ok(());
                }
                let head = std::mem::take(head);
                if spacetime::is_profile(&head) {
                    let mut reading = Box::new(ProfileReading {
                        // Half for a value while it is read; its stacks then take less than that.
                        decoder: spacetime::Decoder::new(budget.bytes / 2),
                        builder: ProfileBuilder::new(budget),
                    });
                    let pushed = reading.push(&head);
                    *self = Reading::Profile(reading);
                    return pushed;
                }
                self.begin_trace(&head, bytes_total, budget)
            }
        }
    }

    fn begin_trace(&mut self, head: &[u8], bytes_total: Option<u64>, budget: Budget) -> Result<(), Refusal> {
        let builder = Builder::new(budget).expecting(bytes_total);
        let mut reading = Box::new(TraceReading { decoder: ctf::Decoder::new(), builder });
        let pushed = reading.push(head);
        *self = Reading::Trace(reading);
        pushed
    }
}

impl TraceReading {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.decoder.push(bytes, &mut self.builder).map_err(Refusal::Trace)
    }

    fn finish(mut self, file_bytes: u64, damaged_at: Option<u64>) -> Result<Trace, Refusal> {
        let finished = self.decoder.finish(&mut self.builder).map_err(Refusal::Trace)?;
        let mut trace = self.builder.finish(finished);
        trace.file_bytes = file_bytes;
        if let Some(at) = damaged_at {
            let damage =
                Warning { kind: WarningKind::DamagedArchive, count: 1, bytes: file_bytes - at, first_offset: at };
            trace.warnings.push(damage);
        }
        Ok(trace)
    }
}

impl ProfileReading {
    fn push(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.decoder.push(bytes, &mut self.builder).map_err(Refusal::Profile)
    }

    fn finish(mut self, file_bytes: u64, damaged_at: Option<u64>) -> Result<Profile, Refusal> {
        let finished = self.decoder.finish(&mut self.builder).map_err(Refusal::Profile)?;
        let mut profile = self.builder.finish(finished);
        (profile.file_bytes, profile.archive_damaged_at) = (file_bytes, damaged_at);
        Ok(profile)
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
    fn a_profile_is_known_by_its_first_bytes_also_when_it_is_packed() {
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
            for packed in [bytes, gzip, zstd] {
                assert_eq!(begins_a_profile(&head(&packed)), expected, "{name}");
            }
        }
        assert!(!begins_a_profile(b""));
    }
}
