//! A file's format, detected from its first bytes, with its decoder and builder.

use serde::{Deserialize, Serialize};

use crate::profile::{Profile, ProfileBuilder};
use crate::trace::{Budget, Builder, Trace};
use camlscope_formats::ctf::{self, Warning, WarningKind};
use camlscope_formats::spacetime;

/// A file that is being read. Its first bytes decide whether it is a trace or a profile.
#[derive(Debug)]
pub(super) enum Reading {
    /// All bytes so far, too few to decide.
    Unknown(Vec<u8>),
    Trace(Box<TraceReading>),
    Profile(Box<ProfileReading>),
}

#[derive(Debug)]
pub(super) struct TraceReading {
    pub decoder: ctf::Decoder,
    pub builder: Builder,
}

#[derive(Debug)]
pub(super) struct ProfileReading {
    pub decoder: spacetime::Decoder,
    pub builder: ProfileBuilder,
}

/// Why the file can't be opened.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    Trace(ctf::Refusal),
    Profile(spacetime::Refusal),
}

impl Reading {
    pub fn push(&mut self, bytes: &[u8], bytes_total: Option<u64>, budget: Budget) -> Result<(), Refusal> {
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
                        // Half of the budget is for a value while it is read. Its stacks then take less than that.
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

    pub fn begin_trace(&mut self, head: &[u8], bytes_total: Option<u64>, budget: Budget) -> Result<(), Refusal> {
        let builder = Builder::new(budget).expecting(bytes_total);
        let mut reading = Box::new(TraceReading { decoder: ctf::Decoder::new(), builder });
        let pushed = reading.push(head);
        *self = Reading::Trace(reading);
        pushed
    }
}

impl TraceReading {
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.decoder.push(bytes, &mut self.builder).map_err(Refusal::Trace)
    }

    pub fn finish(mut self, file_bytes: u64, damaged_at: Option<u64>) -> Result<Trace, Refusal> {
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
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        self.decoder.push(bytes, &mut self.builder).map_err(Refusal::Profile)
    }

    pub fn finish(mut self, file_bytes: u64, damaged_at: Option<u64>) -> Result<Profile, Refusal> {
        let finished = self.decoder.finish(&mut self.builder).map_err(Refusal::Profile)?;
        let mut profile = self.builder.finish(finished);
        (profile.file_bytes, profile.archive_damaged_at) = (file_bytes, damaged_at);
        Ok(profile)
    }
}
