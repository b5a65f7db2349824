//! Gzip's members around raw deflate. flate2's own gzip decoders neither report at which byte they found damage nor
//! return what they decompressed in the call that failed. Both are needed: a truncated trace is opened as far as it
//! goes, with a warning that has the offset. So the framing is read here, and flate2 inflates and computes checksums.
//!
//! The layout is from RFC 1952: a header with optional fields, deflate data, then a trailer with the CRC-32 and the
//! length of the contents.

use flate2::{Crc, Decompress, FlushDecompress, Status};

use super::error::Damaged;

pub(super) const GZIP_MAGIC: [u8; 2] = [0x1f, 0x8b];

/// Decompresses one member after another, in pieces of any size.
#[derive(Debug)]
pub(super) struct GzipMembers {
    stage: Stage,
    /// The bytes read so far of a field that is read in full.
    held: Vec<u8>,
    /// The member's flags whose fields are still to come.
    flags: u8,
    inflate: Decompress,
    /// The checksum of the header so far, then of the contents so far.
    crc: Crc,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Start,
    ExtraLength,
    /// The bytes of the extra field that are still to come.
    Extra(usize),
    /// The file's name or a comment, up to a zero byte.
    Text,
    HeaderCrc,
    Deflate,
    Trailer,
}

const HEADER_CRC: u8 = 1 << 1;
const EXTRA: u8 = 1 << 2;
const NAME: u8 = 1 << 3;
const COMMENT: u8 = 1 << 4;
const RESERVED: u8 = 0b1110_0000;

/// Gzip's id for deflate.
const METHOD_DEFLATE: u8 = 8;

/// Output buffer size per call: as much as the decompressor's window.
const ROOM_BYTES: usize = 32 << 10;

impl Default for GzipMembers {
    fn default() -> GzipMembers {
        GzipMembers {
            stage: Stage::Start,
            held: Vec::new(),
            flags: 0,
            inflate: Decompress::new(false),
            crc: Crc::new(),
        }
    }
}

impl GzipMembers {
    /// Decompresses the next bytes of the archive. At damage, `rest` keeps the bytes from there on.
    pub(super) fn advance(&mut self, rest: &mut &[u8], decompressed: &mut Vec<u8>) -> Result<(), Damaged> {
        while !rest.is_empty() {
            match self.stage {
                Stage::Start => {
                    if let Some(start) = self.whole(rest) {
                        self.start(start)?;
                    }
                }
                Stage::ExtraLength => {
                    if let Some(length) = self.whole(rest) {
                        self.crc.update(&length);
                        self.stage = Stage::Extra(usize::from(u16::from_le_bytes(length)));
                    }
                }
                Stage::Extra(left) => {
                    let n = left.min(rest.len());
                    self.skip(n, rest);
                    self.stage = Stage::Extra(left - n);
                }
                Stage::Text => {
                    let zero = rest.iter().position(|&byte| byte == 0);
                    self.skip(zero.map_or(rest.len(), |at| at + 1), rest);
                    if zero.is_some() {
                        self.next_field();
                    }
                }
                Stage::HeaderCrc => {
                    if let Some(stored) = self.whole(rest) {
                        if self.crc.sum() as u16 != u16::from_le_bytes(stored) {
                            return Err(Damaged);
                        }
                        self.next_field();
                    }
                }
                Stage::Deflate => self.inflate(rest, decompressed)?,
                Stage::Trailer => {
                    if let Some(trailer) = self.whole(rest) {
                        self.end(trailer)?;
                    }
                }
            }
            if self.stage == Stage::Extra(0) {
                self.next_field();
            }
        }
        Ok(())
    }

    /// Whether the archive may end here.
    pub(super) fn is_between_members(&self) -> bool {
        self.stage == Stage::Start && self.held.is_empty()
    }

    fn start(&mut self, start: [u8; 10]) -> Result<(), Damaged> {
        let [magic_0, magic_1, method, flags, ..] = start;
        if [magic_0, magic_1] != GZIP_MAGIC || method != METHOD_DEFLATE || flags & RESERVED != 0 {
            return Err(Damaged);
        }
        self.crc.reset();
        self.crc.update(&start);
        self.flags = flags;
        self.next_field();
        Ok(())
    }

    /// Moves on to the next header field that is present, or to the contents.
    fn next_field(&mut self) {
        let fields =
            [(EXTRA, Stage::ExtraLength), (NAME, Stage::Text), (COMMENT, Stage::Text), (HEADER_CRC, Stage::HeaderCrc)];
        match fields.into_iter().find(|(flag, _)| self.flags & flag != 0) {
            Some((flag, stage)) => {
                self.flags &= !flag;
                self.stage = stage;
            }
            None => {
                self.crc.reset();
                self.inflate.reset(false);
                self.stage = Stage::Deflate;
            }
        }
    }

    /// Inflates until nothing moves: the decompressor may have more output after it took all input.
    fn inflate(&mut self, rest: &mut &[u8], decompressed: &mut Vec<u8>) -> Result<(), Damaged> {
        loop {
            decompressed.reserve(ROOM_BYTES);
            let (taken_before, len_before) = (self.inflate.total_in(), decompressed.len());
            let outcome = self.inflate.decompress_vec(rest, decompressed, FlushDecompress::None);
            let n_taken = (self.inflate.total_in() - taken_before) as usize;
            *rest = &rest[n_taken..];
            self.crc.update(&decompressed[len_before..]);
            match outcome {
                Err(_) => return Err(Damaged),
                Ok(Status::StreamEnd) => {
                    self.stage = Stage::Trailer;
                    return Ok(());
                }
                Ok(Status::Ok | Status::BufError) => {
                    if n_taken == 0 && decompressed.len() == len_before {
                        return if rest.is_empty() { Ok(()) } else { Err(Damaged) };
                    }
                }
            }
        }
    }

    fn end(&mut self, trailer: [u8; 8]) -> Result<(), Damaged> {
        // The length is stored modulo 2³².
        let [crc, length] = [self.crc.sum(), self.crc.amount()].map(u32::to_le_bytes);
        if trailer[..4] != crc || trailer[4..] != length {
            return Err(Damaged);
        }
        self.stage = Stage::Start;
        Ok(())
    }

    /// Returns the `N` bytes of a field once all have been read.
    fn whole<const N: usize>(&mut self, rest: &mut &[u8]) -> Option<[u8; N]> {
        let (now, later) = rest.split_at(rest.len().min(N - self.held.len()));
        self.held.extend_from_slice(now);
        *rest = later;
        let whole = self.held[..].try_into().ok()?;
        self.held.clear();
        Some(whole)
    }

    /// Skips `n` bytes of the header, but includes them in its checksum.
    fn skip(&mut self, n: usize, rest: &mut &[u8]) {
        let (skipped, later) = rest.split_at(n);
        self.crc.update(skipped);
        *rest = later;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::write::GzEncoder;
    use flate2::{Compression, Crc, GzBuilder};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use crate::decompress::tests::{self, gzip};

    /// Shorter files pass through unchanged.
    const SHORTEST: usize = 4;

    fn compressed_by(mut encoder: GzEncoder<Vec<u8>>, contents: &[u8]) -> Vec<u8> {
        encoder.write_all(contents).expect("in memory");
        encoder.finish().expect("in memory")
    }

    /// Sets the header's checksum flag and inserts the checksum after a header of `header_bytes`.
    fn with_header_crc(mut file: Vec<u8>, header_bytes: usize) -> Vec<u8> {
        file[3] |= super::HEADER_CRC;
        let mut crc = Crc::new();
        crc.update(&file[..header_bytes]);
        file.splice(header_bytes..header_bytes, (crc.sum() as u16).to_le_bytes());
        file
    }

    /// Returns the contents of a file fed in these chunks, and the offset at which it is damaged.
    fn decompress<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Option<u64>) {
        let (decompressed, decompressor) = tests::decompress(chunks);
        (decompressed, decompressor.damaged_at())
    }

    fn split<'a>(mut file: &'a [u8], splits: &[Index]) -> Vec<&'a [u8]> {
        let mut at: Vec<usize> = splits.iter().map(|split| split.index(file.len())).collect();
        at.sort_unstable();
        let mut chunks = Vec::new();
        for at in at.into_iter().rev() {
            let (before, chunk) = file.split_at(at);
            chunks.push(chunk);
            file = before;
        }
        chunks.push(file);
        chunks.reverse();
        chunks
    }

    /// Runs that compress well and bytes that don't: from nothing to more than the decompressor's window.
    fn contents() -> impl Strategy<Value = Vec<u8>> {
        let run = (any::<u8>(), 0..20_000usize).prop_map(|(byte, n)| vec![byte; n]);
        let noise = vec(any::<u8>(), 0..2_000);
        vec(prop_oneof![run, noise], 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_members_decompress_in_any_chunks(
            members in vec(contents(), 1..4),
            splits in vec(any::<Index>(), 0..40),
        ) {
            let file: Vec<u8> = members.iter().flat_map(|contents| gzip(contents)).collect();
            let (decompressed, damaged_at) = decompress(split(&file, &splits));
            prop_assert!(decompressed == members.concat());
            prop_assert_eq!(damaged_at, None);
        }

        #[test]
        fn a_truncated_archive_gives_a_prefix_and_is_damaged_at_its_end(contents in contents(), cut in any::<Index>()) {
            let file = gzip(&contents);
            let cut = SHORTEST + cut.index(file.len() - SHORTEST);
            let (decompressed, damaged_at) = decompress([&file[..cut]]);
            prop_assert!(contents.starts_with(&decompressed));
            prop_assert_eq!(damaged_at, Some(cut as u64));
            if cut + 8 >= file.len() {
                prop_assert_eq!(decompressed.len(), contents.len());
            }
        }

        #[test]
        fn a_flipped_bit_in_the_trailer_is_detected_and_loses_no_contents(contents in contents(), bit in 0..64usize) {
            let mut file = gzip(&contents);
            let trailer = file.len() - 8;
            file[trailer + bit / 8] ^= 1 << (bit % 8);
            let (decompressed, damaged_at) = decompress([&file[..]]);
            prop_assert!(decompressed == contents);
            prop_assert_eq!(damaged_at, Some(file.len() as u64));
        }
    }

    #[test]
    fn headers_with_any_optional_fields_are_read_at_once_and_byte_by_byte() {
        let contents = b"where the memory goes";
        for fields in 0..16 {
            let has = |field: u8| fields & (1 << field) != 0;
            let (mut builder, mut header_bytes) = (GzBuilder::new(), 10);
            if has(0) {
                (builder, header_bytes) = (builder.extra(&b"\0two\0"[..]), header_bytes + 2 + 5);
            }
            if has(1) {
                (builder, header_bytes) = (builder.filename("a.ctf"), header_bytes + 6);
            }
            if has(2) {
                (builder, header_bytes) = (builder.comment(""), header_bytes + 1);
            }
            let mut file = compressed_by(builder.write(Vec::new(), Compression::fast()), contents);
            if has(3) {
                file = with_header_crc(file, header_bytes);
            }
            for chunk_bytes in [1, file.len()] {
                assert_eq!(decompress(file.chunks(chunk_bytes)), (contents.to_vec(), None), "fields {fields:04b}");
            }
        }
    }

    #[test]
    fn an_empty_extra_field_is_read() {
        let file = compressed_by(GzBuilder::new().extra(Vec::new()).write(Vec::new(), Compression::fast()), b"a");
        assert_eq!(file[3], super::EXTRA);
        assert_eq!(decompress(file.chunks(1)), (b"a".to_vec(), None));
    }

    #[test]
    fn a_header_with_a_wrong_checksum_an_unknown_method_or_reserved_flags_is_damaged() {
        let whole = with_header_crc(gzip(b"a"), 10);
        assert_eq!(decompress([&whole[..]]), (b"a".to_vec(), None));
        // Detected after the checksum, or after the first part of the header.
        for (byte, bit, found_at) in [(10, 0, 12), (11, 7, 12), (4, 3, 12), (2, 0, 10), (3, 5, 10), (3, 7, 10)] {
            let mut file = whole.clone();
            file[byte] ^= 1 << bit;
            assert_eq!(decompress([&file[..]]), (Vec::new(), Some(found_at)), "byte {byte}, bit {bit}");
        }
    }

    #[test]
    fn bytes_after_the_last_member_are_damage_that_loses_no_contents() {
        for tail in [&b"\0"[..], &[0; 512], b"not gzip", b"neither is this a member"] {
            let (member, header) = (gzip(b"a"), &tail[..tail.len().min(10)]);
            let found_at = (member.len() + header.len()) as u64;
            assert_eq!(decompress([&member[..], tail]), (b"a".to_vec(), Some(found_at)));
        }
    }
}
