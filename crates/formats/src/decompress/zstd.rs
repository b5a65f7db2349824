//! Zstd's frames. Its decoder needs complete blocks, so bytes are held back until one has certainly arrived.

use ruzstd::decoding::errors::{FrameDecoderError, ReadFrameHeaderError};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::error::Damaged;

pub(super) const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Decompresses one frame after another, in pieces of any size.
#[derive(Default)]
pub(super) struct ZstdFrames {
    decoder: FrameDecoder,
    compressed: Vec<u8>,
    in_frame: bool,
    /// The bytes of a skippable frame that are still to come.
    to_skip: usize,
}

impl std::fmt::Debug for ZstdFrames {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ZstdFrames").field("held_back", &self.compressed.len()).finish_non_exhaustive()
    }
}

/// An empty block, the last of its frame, and space for a checksum.
const END_OF_FRAME: [u8; 7] = [1, 0, 0, 0, 0, 0, 0];

/// The largest block with its header, preceded by a frame header and followed by a checksum.
const ZSTD_LOOKAHEAD: usize = (128 << 10) + 3 + 18 + 4;

impl ZstdFrames {
    /// Decompresses the next bytes of the archive, as far as they form complete blocks. The other bytes are held back,
    /// as are the bytes after damage. At the end of a truncated frame, none are.
    pub(super) fn advance(
        &mut self,
        compressed: &[u8],
        at_end: bool,
        decompressed: &mut Vec<u8>,
    ) -> Result<(), Damaged> {
        self.compressed.extend_from_slice(compressed);
        let compressed = std::mem::take(&mut self.compressed);
        let mut rest = &compressed[..];
        let outcome = self.run(&mut rest, at_end, decompressed);
        self.compressed = rest.to_vec();
        outcome
    }

    /// Bytes that were read but not decoded.
    pub(super) fn held_back(&self) -> usize {
        self.compressed.len()
    }

    fn run(&mut self, rest: &mut &[u8], at_end: bool, decompressed: &mut Vec<u8>) -> Result<(), Damaged> {
        loop {
            let skipped = self.to_skip.min(rest.len());
            *rest = &rest[skipped..];
            self.to_skip -= skipped;
            if rest.is_empty() {
                let is_cut = at_end && (self.in_frame || self.to_skip > 0);
                return if is_cut { self.end_cut_frame(rest, decompressed) } else { Ok(()) };
            }
            if rest.len() < ZSTD_LOOKAHEAD && !at_end {
                return Ok(());
            }
            if self.in_frame {
                if at_end && !holds_block(rest) {
                    return self.end_cut_frame(rest, decompressed);
                }
                match self.decoder.decode_blocks(&mut *rest, BlockDecodingStrategy::UptoBlocks(1)) {
                    Ok(_) => {}
                    Err(FrameDecoderError::FailedToReadChecksum(_)) => return self.end_cut_frame(rest, decompressed),
                    Err(_) => return Err(Damaged),
                }
                self.in_frame = !self.decoder.is_finished();
                self.decoder.collect_to_writer(&mut *decompressed).map_err(|_| Damaged)?;
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

    /// Adds the output that the decoder holds back: until a frame ends, it keeps up to several megabytes that later
    /// blocks may refer to. Always returns an error, because a truncated frame is damaged.
    fn end_cut_frame(&mut self, rest: &mut &[u8], decompressed: &mut Vec<u8>) -> Result<(), Damaged> {
        *rest = &[];
        if self.in_frame {
            let one = BlockDecodingStrategy::UptoBlocks(1);
            self.decoder.decode_blocks(&END_OF_FRAME[..], one).map_err(|_| Damaged)?;
            self.decoder.collect_to_writer(&mut *decompressed).map_err(|_| Damaged)?;
        }
        Err(Damaged)
    }
}

/// Whether a block is complete. Its header of three bytes contains its length.
fn holds_block(bytes: &[u8]) -> bool {
    const REPEATED_BYTE: u32 = 1;
    let [first, second, third, body @ ..] = bytes else {
        return false;
    };
    let header = u32::from_le_bytes([*first, *second, *third, 0]);
    let n = if header >> 1 & 3 == REPEATED_BYTE { 1 } else { header >> 3 };
    body.len() >= n as usize
}
