//! A copy of a trace that fits into a report: downsampled if necessary, gzipped, and encoded as base64.

use std::io::{self, Write};

use base64::engine::GeneralPurpose;
use base64::prelude::BASE64_STANDARD;
use base64::write::EncoderWriter;
use flate2::Compression;
use flate2::write::GzEncoder;
use thiserror::Error;

use super::anonymize::Keep;
use super::trace::{TraceConfig, write_events};
use camlscope_engine::query::events::{EventIndex, EventRef};
use camlscope_engine::query::selection::Selection;
use camlscope_engine::trace::{Trace, Whole};
use camlscope_formats::ctf::encode::EncodeError;

#[derive(Clone, Copy, Debug)]
pub struct EmbedConfig {
    /// The maximum size of the copy as base64.
    pub max_bytes: u64,
    pub anonymize: Option<Keep>,
}

#[derive(Clone, Debug)]
pub struct EmbeddedTrace {
    pub base64: Vec<u8>,
    pub whole: Whole,
}

#[derive(Debug, Error)]
pub enum EmbedError {
    #[error("not even one sample fits in {0} bytes")]
    NoRoom(u64),
    #[error(transparent)]
    Encode(#[from] EncodeError),
}

/// Each try keeps fewer samples. None are left long before this many tries.
const MAX_TRIES: usize = 32;

/// Copies the selected objects and downsamples them until they fit.
pub fn embed_trace(trace: &Trace, selection: &Selection, config: EmbedConfig) -> Result<EmbeddedTrace, EmbedError> {
    let index = EventIndex::new(trace, selection);
    let whole = if selection.is_all() { trace.whole(1) } else { whole_of(trace, &index) };
    let n_events = index.iter().count() as f64;
    let mut one_in = 1;
    for _ in 0..MAX_TRIES {
        let mut out = Limited { bytes: Vec::new(), max_bytes: config.max_bytes, is_full: false };
        let mut n_written = 0_u64;
        let events = index.iter().inspect(|_| n_written += 1);
        let written = write_compressed(&mut out, |compressor| {
            write_events(trace, events, TraceConfig { one_in, anonymize: config.anonymize }, compressor).map(drop)
        });
        match written {
            Ok(()) => {
                let downsampled = whole.downsampled.saturating_mul(one_in);
                return Ok(EmbeddedTrace { base64: out.bytes, whole: Whole { downsampled, ..whole } });
            }
            Err(_) if out.is_full => one_in = next_try(one_in, n_events / n_written.max(1) as f64),
            Err(error) => return Err(error.into()),
        }
    }
    Err(EmbedError::NoRoom(config.max_bytes))
}

/// `missing` is the ratio of what there was to write to what fit.
fn next_try(one_in: u32, missing: f64) -> u32 {
    /// The number of stacks and names decreases more slowly than the number of samples.
    const MARGIN: f64 = 1.05;
    let next = (f64::from(one_in) * missing * MARGIN).ceil() as u32;
    next.max(one_in.saturating_add(1))
}

/// Encodes a file unchanged, for profiles. Compresses it unless it's compressed already. Returns `None` if it doesn't
/// fit.
pub fn embed_file(file: &[u8], max_bytes: u64) -> Option<Vec<u8>> {
    let mut out = Limited { bytes: Vec::new(), max_bytes, is_full: false };
    let is_compressed = [&[0x1f, 0x8b][..], &[0x28, 0xb5, 0x2f, 0xfd]].iter().any(|magic| file.starts_with(magic));
    let written = if is_compressed {
        let mut encoder = EncoderWriter::new(&mut out, &BASE64_STANDARD);
        encoder.write_all(file).and_then(|()| encoder.finish().map(drop)).map_err(EncodeError::from)
    } else {
        write_compressed(&mut out, |compressor| Ok(compressor.write_all(file)?))
    };
    written.ok().map(|()| out.bytes)
}

type Compressor<'a> = GzEncoder<EncoderWriter<'a, GeneralPurpose, &'a mut Limited>>;

fn write_compressed(
    out: &mut Limited,
    write: impl FnOnce(&mut Compressor<'_>) -> Result<(), EncodeError>,
) -> Result<(), EncodeError> {
    let mut compressor = GzEncoder::new(EncoderWriter::new(out, &BASE64_STANDARD), Compression::default());
    write(&mut compressor)?;
    compressor.finish()?.finish()?;
    Ok(())
}

/// Computes the totals of the selected objects. If the model was downsampled, the totals are scaled up.
fn whole_of(trace: &Trace, index: &EventIndex) -> Whole {
    let factor = u64::from(trace.downsampled);
    let mut whole = Whole {
        end_us: trace.end_us,
        downsampled: trace.downsampled,
        warnings: trace.warnings.clone(),
        ..Whole::default()
    };
    for event in index.iter() {
        match event {
            EventRef::Alloc(row) => {
                let read = trace.columns.get(row);
                whole.alloc_events.add(read.source, factor);
                whole.alloc_samples.add(read.source, read.n_samples.saturating_mul(factor));
            }
            EventRef::Promote(..) => whole.n_promotes += factor,
            EventRef::Collect(..) => whole.n_collects += factor,
        }
    }
    whole
}

/// Accepts bytes up to a limit.
struct Limited {
    bytes: Vec<u8>,
    max_bytes: u64,
    is_full: bool,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if (self.bytes.len() + bytes.len()) as u64 > self.max_bytes {
            self.is_full = true;
            return Err(io::Error::from(io::ErrorKind::StorageFull));
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
