//! gzip's members around raw deflate, read here and not by flate2: its checksum brings a table of 16 KB into the page.
//! Here the table is made when the first archive is opened.
//!
//! The layout is RFC 1952's: a header with optional fields, deflate, then a trailer with the contents' CRC-32 and length.

use std::sync::LazyLock;

use crc::{CRC_32_ISO_HDLC, Crc, Digest, Table};
use flate2::{Decompress, FlushDecompress, Status};

use super::Damaged;

/// One member after another, in pieces of any size.
pub(super) struct GzipMembers {
    part: Part,
    /// The bytes there are of a part that is read whole.
    held: Vec<u8>,
    /// Of the member's flags, those whose fields are still to come.
    flags: u8,
    inflate: Decompress,
    /// Of the header so far, then of the contents so far.
    crc: Digest<'static, u32, Table<16>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Start,
    ExtraLength,
    /// Bytes of the extra field that are still to come.
    Extra(usize),
    /// The file's name or a comment: up to a zero.
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

/// Gzip's name for deflate.
const METHOD_DEFLATE: u8 = 8;

/// Room for what is inflated at a time: as much as the decompressor holds.
const ROOM_BYTES: usize = 32 << 10;

static CRC_32: LazyLock<Box<Crc<u32, Table<16>>>> =
    LazyLock::new(|| Box::new(Crc::<u32, Table<16>>::new(&CRC_32_ISO_HDLC)));

impl Default for GzipMembers {
    fn default() -> GzipMembers {
        GzipMembers {
            part: Part::Start,
            held: Vec::new(),
            flags: 0,
            inflate: Decompress::new(false),
            crc: CRC_32.digest(),
        }
    }
}

impl std::fmt::Debug for GzipMembers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GzipMembers").field("part", &self.part).finish_non_exhaustive()
    }
}

impl GzipMembers {
    /// Decompresses the next bytes of the archive. At damage, `rest` keeps the bytes from there on.
    pub(super) fn advance(&mut self, rest: &mut &[u8], unpacked: &mut Vec<u8>) -> Result<(), Damaged> {
        while !rest.is_empty() {
            match self.part {
                Part::Start => {
                    if let Some(start) = self.whole(rest) {
                        self.start(start)?;
                    }
                }
                Part::ExtraLength => {
                    if let Some(length) = self.whole(rest) {
                        self.crc.update(&length);
                        self.part = Part::Extra(usize::from(u16::from_le_bytes(length)));
                    }
                }
                Part::Extra(left) => {
                    let n = left.min(rest.len());
                    self.skip(n, rest);
                    self.part = Part::Extra(left - n);
                }
                Part::Text => {
                    let zero = rest.iter().position(|&byte| byte == 0);
                    self.skip(zero.map_or(rest.len(), |at| at + 1), rest);
                    if zero.is_some() {
                        self.next_field();
                    }
                }
                Part::HeaderCrc => {
                    if let Some(stored) = self.whole(rest) {
                        if self.take_crc() as u16 != u16::from_le_bytes(stored) {
                            return Err(Damaged);
                        }
                        self.next_field();
                    }
                }
                Part::Deflate => self.inflate(rest, unpacked)?,
                Part::Trailer => {
                    if let Some(trailer) = self.whole(rest) {
                        self.end(trailer)?;
                    }
                }
            }
            if self.part == Part::Extra(0) {
                self.next_field();
            }
        }
        Ok(())
    }

    /// Whether the archive may end here.
    pub(super) fn is_between_members(&self) -> bool {
        self.part == Part::Start && self.held.is_empty()
    }

    fn start(&mut self, start: [u8; 10]) -> Result<(), Damaged> {
        let [magic_0, magic_1, method, flags, ..] = start;
        if [magic_0, magic_1] != super::GZIP_MAGIC || method != METHOD_DEFLATE || flags & RESERVED != 0 {
            return Err(Damaged);
        }
        self.crc = CRC_32.digest();
        self.crc.update(&start);
        self.flags = flags;
        self.next_field();
        Ok(())
    }

    /// On to the first field of the header that is still to come, else to the contents.
    fn next_field(&mut self) {
        let fields =
            [(EXTRA, Part::ExtraLength), (NAME, Part::Text), (COMMENT, Part::Text), (HEADER_CRC, Part::HeaderCrc)];
        match fields.into_iter().find(|(flag, _)| self.flags & flag != 0) {
            Some((flag, part)) => {
                self.flags &= !flag;
                self.part = part;
            }
            None => {
                self.crc = CRC_32.digest();
                self.inflate.reset(false);
                self.part = Part::Deflate;
            }
        }
    }

    /// The decompressor may hold back output after it took all input, so it is asked until nothing moves.
    fn inflate(&mut self, rest: &mut &[u8], unpacked: &mut Vec<u8>) -> Result<(), Damaged> {
        loop {
            unpacked.reserve(ROOM_BYTES);
            let (taken_before, len_before) = (self.inflate.total_in(), unpacked.len());
            let outcome = self.inflate.decompress_vec(rest, unpacked, FlushDecompress::None);
            let n_taken = (self.inflate.total_in() - taken_before) as usize;
            *rest = &rest[n_taken..];
            self.crc.update(&unpacked[len_before..]);
            match outcome {
                Err(_) => return Err(Damaged),
                Ok(Status::StreamEnd) => {
                    self.part = Part::Trailer;
                    return Ok(());
                }
                Ok(Status::Ok | Status::BufError) => {
                    if n_taken == 0 && unpacked.len() == len_before {
                        return if rest.is_empty() { Ok(()) } else { Err(Damaged) };
                    }
                }
            }
        }
    }

    fn end(&mut self, trailer: [u8; 8]) -> Result<(), Damaged> {
        // The length is stored modulo 2³².
        let length = self.inflate.total_out() as u32;
        let [crc, length] = [self.take_crc(), length].map(u32::to_le_bytes);
        if trailer[..4] != crc || trailer[4..] != length {
            return Err(Damaged);
        }
        self.part = Part::Start;
        Ok(())
    }

    /// The `N` bytes of a part, once all are there.
    fn whole<const N: usize>(&mut self, rest: &mut &[u8]) -> Option<[u8; N]> {
        let (now, later) = rest.split_at(rest.len().min(N - self.held.len()));
        self.held.extend_from_slice(now);
        *rest = later;
        let whole = self.held[..].try_into().ok()?;
        self.held.clear();
        Some(whole)
    }

    /// Leaves out `n` bytes of the header, but for its checksum.
    fn skip(&mut self, n: usize, rest: &mut &[u8]) {
        let (skipped, later) = rest.split_at(n);
        self.crc.update(skipped);
        *rest = later;
    }

    fn take_crc(&mut self) -> u32 {
        std::mem::replace(&mut self.crc, CRC_32.digest()).finalize()
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::io::Write;

    use flate2::write::GzEncoder;
    use flate2::{Compression, GzBuilder};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::Index;

    use crate::unpack::Unpacker;

    /// Shorter files pass through as they are.
    const SHORTEST: usize = 4;

    fn gzip(contents: &[u8]) -> Vec<u8> {
        packed_by(GzEncoder::new(Vec::new(), Compression::fast()), contents)
    }

    fn packed_by(mut encoder: GzEncoder<Vec<u8>>, contents: &[u8]) -> Vec<u8> {
        encoder.write_all(contents).expect("in memory");
        encoder.finish().expect("in memory")
    }

    /// The header's flag for its checksum set, and the checksum put behind a header of `header_bytes`.
    fn with_header_crc(mut file: Vec<u8>, header_bytes: usize) -> Vec<u8> {
        file[3] |= super::HEADER_CRC;
        let crc = super::CRC_32.checksum(&file[..header_bytes]) as u16;
        file.splice(header_bytes..header_bytes, crc.to_le_bytes());
        file
    }

    /// What came out of a file fed in these chunks, and where it was found to be damaged.
    fn unpack<'a>(chunks: impl IntoIterator<Item = &'a [u8]>) -> (Vec<u8>, Option<u64>) {
        let mut unpacked = Vec::new();
        let mut out = |piece: &[u8]| {
            unpacked.extend_from_slice(piece);
            Ok::<(), Infallible>(())
        };
        let mut unpacker = Unpacker::new();
        for chunk in chunks {
            let Ok(()) = unpacker.push(chunk, &mut out);
        }
        let Ok(()) = unpacker.finish(&mut out);
        (unpacked, unpacker.damaged_at())
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

    /// Some runs that pack well and some bytes that do not: from nothing to more than the decompressor's window.
    fn contents() -> impl Strategy<Value = Vec<u8>> {
        let run = (any::<u8>(), 0..20_000usize).prop_map(|(byte, n)| vec![byte; n]);
        let noise = vec(any::<u8>(), 0..2_000);
        vec(prop_oneof![run, noise], 0..12).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn any_members_in_any_chunks_give_the_bytes_that_were_packed(
            members in vec(contents(), 1..4),
            splits in vec(any::<Index>(), 0..40),
        ) {
            let file: Vec<u8> = members.iter().flat_map(|contents| gzip(contents)).collect();
            let (unpacked, damaged_at) = unpack(split(&file, &splits));
            prop_assert!(unpacked == members.concat());
            prop_assert_eq!(damaged_at, None);
        }

        #[test]
        fn an_archive_cut_anywhere_gives_a_prefix_and_is_damaged_at_the_cut(contents in contents(), cut in any::<Index>()) {
            let file = gzip(&contents);
            let cut = SHORTEST + cut.index(file.len() - SHORTEST);
            let (unpacked, damaged_at) = unpack([&file[..cut]]);
            prop_assert!(contents.starts_with(&unpacked));
            prop_assert_eq!(damaged_at, Some(cut as u64));
            if cut + 8 >= file.len() {
                prop_assert_eq!(unpacked.len(), contents.len());
            }
        }

        #[test]
        fn a_flipped_bit_of_the_trailer_is_noticed_and_costs_no_contents(contents in contents(), bit in 0..64usize) {
            let mut file = gzip(&contents);
            let trailer = file.len() - 8;
            file[trailer + bit / 8] ^= 1 << (bit % 8);
            let (unpacked, damaged_at) = unpack([&file[..]]);
            prop_assert!(unpacked == contents);
            prop_assert_eq!(damaged_at, Some(file.len() as u64));
        }
    }

    #[test]
    fn headers_with_any_optional_fields_are_read_in_one_piece_and_byte_by_byte() {
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
            let mut file = packed_by(builder.write(Vec::new(), Compression::fast()), contents);
            if has(3) {
                file = with_header_crc(file, header_bytes);
            }
            for chunk_bytes in [1, file.len()] {
                assert_eq!(unpack(file.chunks(chunk_bytes)), (contents.to_vec(), None), "fields {fields:04b}");
            }
        }
    }

    #[test]
    fn an_extra_field_without_bytes_is_read() {
        let file = packed_by(GzBuilder::new().extra(Vec::new()).write(Vec::new(), Compression::fast()), b"a");
        assert_eq!(file[3], super::EXTRA);
        assert_eq!(unpack(file.chunks(1)), (b"a".to_vec(), None));
    }

    #[test]
    fn a_header_with_a_wrong_checksum_an_unknown_method_or_reserved_flags_is_damaged() {
        let whole = with_header_crc(gzip(b"a"), 10);
        assert_eq!(unpack([&whole[..]]), (b"a".to_vec(), None));
        // Found after the checksum, or after the first part of the header.
        for (byte, bit, found_at) in [(10, 0, 12), (11, 7, 12), (4, 3, 12), (2, 0, 10), (3, 5, 10), (3, 7, 10)] {
            let mut file = whole.clone();
            file[byte] ^= 1 << bit;
            assert_eq!(unpack([&file[..]]), (Vec::new(), Some(found_at)), "byte {byte}, bit {bit}");
        }
    }

    #[test]
    fn what_follows_the_last_member_and_is_none_is_damage_that_costs_no_contents() {
        for tail in [&b"\0"[..], &[0; 512], b"not gzip", b"neither is this a member"] {
            let (member, header) = (gzip(b"a"), &tail[..tail.len().min(10)]);
            let found_at = (member.len() + header.len()) as u64;
            assert_eq!(unpack([&member[..], tail]), (b"a".to_vec(), Some(found_at)));
        }
    }
}
