//! zstd's frames. Its decoder unpacks whole blocks, so bytes are held back until one is surely there.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::Damaged;

/// One frame after another, in pieces of any size.
#[derive(Default)]
pub(super) struct ZstdFrames {
    decoder: FrameDecoder,
    packed: Vec<u8>,
    in_frame: bool,
    /// Bytes of a skippable frame that are still to come.
    to_skip: usize,
}

impl std::fmt::Debug for ZstdFrames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ZstdFrames").field("held_back", &self.packed.len()).finish_non_exhaustive()
    }
}

/// The largest block with its header, a frame's header before it and a checksum behind it.
const ZSTD_LOOKAHEAD: usize = (128 << 10) + 3 + 18 + 4;

impl ZstdFrames {
    /// Takes the next bytes of the archive and adds what is surely there to `unpacked`.
    pub(super) fn advance(&mut self, packed: &[u8], at_end: bool, unpacked: &mut Vec<u8>) -> Result<(), Damaged> {
        self.packed.extend_from_slice(packed);
        let packed = std::mem::take(&mut self.packed);
        let mut rest = &packed[..];
        let outcome = self.run(&mut rest, at_end, unpacked);
        self.packed = rest.to_vec();
        outcome
    }

    fn run(&mut self, rest: &mut &[u8], at_end: bool, unpacked: &mut Vec<u8>) -> Result<(), Damaged> {
        loop {
            let skipped = self.to_skip.min(rest.len());
            *rest = &rest[skipped..];
            self.to_skip -= skipped;
            if rest.is_empty() {
                return if at_end && (self.in_frame || self.to_skip > 0) { Err(Damaged) } else { Ok(()) };
            }
            if rest.len() < ZSTD_LOOKAHEAD && !at_end {
                return Ok(());
            }
            if self.in_frame {
                let one = BlockDecodingStrategy::UptoBlocks(1);
                self.decoder.decode_blocks(&mut *rest, one).map_err(|_| Damaged)?;
                self.in_frame = !self.decoder.is_finished();
                self.decoder.collect_to_writer(&mut *unpacked).map_err(|_| Damaged)?;
            } else {
                match self.decoder.reset(&mut *rest) {
                    Ok(()) => self.in_frame = true,
                    Err(FrameDecoderError::ReadFrameHeaderError(ReadFrameHeaderError::SkipFrame {
                        length, ..
                    })) => self.to_skip = length as usize,
                    Err(_) => return Err(Damaged),
                }
            }
        }
    }
}
