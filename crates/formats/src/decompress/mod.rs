//! Opens compressed files: gzip and zstd are detected by their first bytes and decompressed as they stream.
//!
//! Uncompressed files pass through unchanged. Damage ends the archive; everything before it is good.

mod error;
mod gzip;
mod zstd;

use serde::{Deserialize, Serialize};

use gzip::{GZIP_MAGIC, GzipMembers};
use zstd::{ZSTD_MAGIC, ZstdFrames};

/// The compression of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CompressionFormat {
    Gzip,
    Zstd,
}

/// Takes a file's bytes and returns its decompressed contents.
#[derive(Debug, Default)]
pub struct Decompressor {
    state: State,
    /// Bytes of the file read so far.
    taken: u64,
    damaged_at: Option<u64>,
    /// Kept to reuse its memory.
    decompressed: Vec<u8>,
}

#[derive(Debug, Default)]
enum State {
    /// Too few bytes to detect the format.
    #[default]
    Unknown,
    Few(Vec<u8>),
    Plain,
    Gzip(Box<GzipMembers>),
    Zstd(Box<ZstdFrames>),
}

const MAGIC_BYTES: usize = 4;

/// Bytes fed to a decompressor at a time, so that a malicious archive (1 : 1000) decompresses to at most about 64 MB
/// per step.
const STEP_BYTES: usize = 64 << 10;

impl Decompressor {
    pub fn new() -> Decompressor {
        Decompressor::default()
    }

    /// Takes the next bytes and passes their contents to `out`, piece by piece.
    pub fn push<E>(&mut self, chunk: &[u8], mut out: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        if let State::Plain = self.state {
            self.taken += chunk.len() as u64;
            return out(chunk);
        }
        if let State::Unknown | State::Few(_) = self.state {
            let mut head = match std::mem::take(&mut self.state) {
                State::Few(bytes) => bytes,
                _ => Vec::new(),
            };
            head.extend_from_slice(chunk);
            if head.len() < MAGIC_BYTES {
                self.state = State::Few(head);
                return Ok(());
            }
            return self.begin(&head, out);
        }
        for step in chunk.chunks(STEP_BYTES) {
            self.decompress(step, &mut out)?;
        }
        Ok(())
    }

    /// Ends the file and passes the rest of its contents to `out`.
    pub fn finish<E>(&mut self, mut out: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        match &mut self.state {
            State::Unknown | State::Plain => {}
            State::Few(bytes) => {
                self.taken = bytes.len() as u64;
                out(bytes)?;
            }
            State::Gzip(members) => {
                if !members.is_between_members() {
                    self.damaged_at.get_or_insert(self.taken);
                }
            }
            // Nothing after damage is reliable.
            State::Zstd(_) if self.damaged_at.is_some() => {}
            State::Zstd(frames) => {
                self.decompressed.clear();
                let outcome = frames.advance(&[], true, &mut self.decompressed);
                out(&self.decompressed)?;
                if outcome.is_err() {
                    self.damaged_at.get_or_insert(self.taken - frames.held_back() as u64);
                }
            }
        }
        Ok(())
    }

    /// The file's compression, if any. Known once a few bytes have been pushed.
    pub fn format(&self) -> Option<CompressionFormat> {
        match self.state {
            State::Gzip(_) => Some(CompressionFormat::Gzip),
            State::Zstd(_) => Some(CompressionFormat::Zstd),
            State::Unknown | State::Few(_) | State::Plain => None,
        }
    }

    /// The offset at which the archive is damaged or truncated.
    pub fn damaged_at(&self) -> Option<u64> {
        self.damaged_at
    }

    /// Bytes of the file read so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    fn begin<E>(&mut self, head: &[u8], out: impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.state = if head.starts_with(&GZIP_MAGIC) {
            State::Gzip(Box::default())
        } else if head.starts_with(&ZSTD_MAGIC) {
            State::Zstd(Box::default())
        } else {
            State::Plain
        };
        self.push(head, out)
    }

    fn decompress<E>(&mut self, step: &[u8], out: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        self.taken += step.len() as u64;
        if self.damaged_at.is_some() {
            return Ok(());
        }
        self.decompressed.clear();
        // The reported offset doesn't depend on the chunks.
        let mut rest = step;
        let (outcome, n_left) = match &mut self.state {
            State::Gzip(members) => (members.advance(&mut rest, &mut self.decompressed), rest.len()),
            State::Zstd(frames) => (frames.advance(step, false, &mut self.decompressed), frames.held_back()),
            State::Unknown | State::Few(_) | State::Plain => (Ok(()), 0),
        };
        out(&self.decompressed)?;
        if outcome.is_err() {
            self.damaged_at = Some(self.taken - n_left as u64);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    use super::*;

    fn text() -> Vec<u8> {
        (0..200_000u32).flat_map(|i| (i.wrapping_mul(2_654_435_761) >> 20).to_le_bytes()).collect()
    }

    pub(super) fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).expect("in memory");
        encoder.finish().expect("in memory")
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        compress_to_vec(bytes, CompressionLevel::Fastest)
    }

    /// Returns the contents of a file fed in these chunks.
    pub(super) fn decompress<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Decompressor) {
        let mut decompressed = Vec::new();
        let mut out = |piece: &[u8]| {
            decompressed.extend_from_slice(piece);
            Ok::<(), Infallible>(())
        };
        let mut decompressor = Decompressor::new();
        for chunk in chunks {
            let Ok(()) = decompressor.push(chunk, &mut out);
        }
        let Ok(()) = decompressor.finish(&mut out);
        (decompressed, decompressor)
    }

    #[test]
    fn plain_gzip_and_zstd_files_decompress_in_chunks_of_any_size() {
        let text = text();
        for (file, format) in [
            (text.clone(), None),
            (gzip(&text), Some(CompressionFormat::Gzip)),
            (zstd(&text), Some(CompressionFormat::Zstd)),
            ([gzip(&text[..1000]), gzip(&text[1000..])].concat(), Some(CompressionFormat::Gzip)),
            ([zstd(&text[..1000]), zstd(&text[1000..])].concat(), Some(CompressionFormat::Zstd)),
            ([&zstd(&text)[..], b"\x50\x2a\x4d\x18\x03\0\0\0abc"].concat(), Some(CompressionFormat::Zstd)),
        ] {
            for chunk_bytes in [1021, 70_000, 10 << 20] {
                let (decompressed, decompressor) = decompress(file.chunks(chunk_bytes));
                assert!(decompressed == text, "{format:?} in chunks of {chunk_bytes}");
                assert_eq!((decompressor.format(), decompressor.damaged_at()), (format, None));
                assert_eq!(decompressor.taken(), file.len() as u64);
            }
        }
    }

    #[test]
    fn a_truncated_archive_gives_its_start_and_is_reported() {
        let text = text();
        for file in [gzip(&text), zstd(&text)] {
            let (decompressed, decompressor) = decompress(file[..file.len() / 2].chunks(4096));
            assert!(decompressed.len() > text.len() / 10 && text.starts_with(&decompressed));
            assert_eq!(decompressor.damaged_at(), Some(file.len() as u64 / 2));
        }
    }

    /// Writes zstd like the command-line tool does: one frame whose decoder keeps 8 MiB for later blocks to refer to,
    /// uncompressed blocks of 50,000 bytes, and a checksum.
    fn zstd_with_window(bytes: &[u8]) -> Vec<u8> {
        const CHECKSUM: u8 = 1 << 2;
        const WINDOW_8_MIB: u8 = 13 << 3;
        let mut file = [&ZSTD_MAGIC[..], &[CHECKSUM, WINDOW_8_MIB]].concat();
        let blocks: Vec<&[u8]> = bytes.chunks(50_000).collect();
        for (n, block) in blocks.iter().enumerate() {
            let header = u32::from(n + 1 == blocks.len()) | (block.len() as u32) << 3;
            file.extend_from_slice(&header.to_le_bytes()[..3]);
            file.extend_from_slice(block);
        }
        file.extend_from_slice(&[0; 4]);
        file
    }

    #[test]
    fn a_truncated_zstd_archive_gives_every_complete_block() {
        let text = text();
        let file = zstd_with_window(&text);
        assert!(decompress(file.chunks(4096)).0 == text);
        let head = 6;
        for (n, expected) in [
            (head, 0),
            (head + 2, 0),
            (head + 3 + 49_999, 0),
            (head + 3 + 50_000, 50_000),
            (head + 3 + 50_000 + 1, 50_000),
            (file.len() / 2, (file.len() / 2 - head) / 50_003 * 50_000),
            (file.len() - 5, text.len() - 50_000),
            (file.len() - 4, text.len()),
            (file.len() - 1, text.len()),
        ] {
            let (decompressed, decompressor) = decompress(file[..n].chunks(4096));
            assert!(text.starts_with(&decompressed));
            assert_eq!((decompressed.len(), decompressor.damaged_at()), (expected, Some(n as u64)), "{n} bytes");
        }
    }

    #[test]
    fn damage_is_reported_at_the_same_byte_for_any_chunk_size() {
        let text = &text()[..40_000];
        for (file, at) in [(gzip(text), 5000), (gzip(text), 3), (zstd_with_window(text), 6)] {
            let mut damaged = file.clone();
            damaged[at..at + 8].fill(0xff);
            let (whole, decompressor) = decompress([&damaged[..]]);
            let damaged_at = decompressor.damaged_at().expect("damage");
            assert!(damaged_at > at as u64, "byte {at} is damaged, but {damaged_at} was reported");
            for chunk_bytes in [1, 2, 7, 67, 1000, 4099] {
                let (decompressed, decompressor) = decompress(damaged.chunks(chunk_bytes));
                assert!(decompressed == whole);
                assert_eq!(decompressor.damaged_at(), Some(damaged_at), "in chunks of {chunk_bytes}");
            }
        }
    }

    #[test]
    fn very_short_files_pass_through() {
        for bytes in [&b""[..], b"a", b"\x1f\x8b"] {
            assert_eq!(decompress(bytes.chunks(1)).0, bytes);
        }
    }
}
