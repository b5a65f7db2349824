//! A file decodes the same in chunks of any size, and a truncated one gives everything before its end.

use camlscope_formats::spacetime::{Finished, Refusal, WarningKind};

use crate::recorder::{MAX_VALUE_BYTES, Recorder, decode, decode_chunks, fixture};
use crate::round_trip::encoded;
use fastrand::Rng;

const FILES: [&str; 2] = ["spacetime-11710", "spacetime-11710.p"];

#[test]
fn a_profile_decodes_the_same_in_chunks_of_any_size() {
    for name in FILES {
        let mut bytes = fixture(name);
        check_chunks(&bytes);
        // Garbage in the middle of a value, so that the search for the next one is also split into chunks.
        bytes.splice(1500..1500, b"garbage \x84\x95\xa6\xbe with a false header, and \x84\x95".iter().copied());
        check_chunks(&bytes);
    }
}

fn check_chunks(bytes: &[u8]) {
    let whole = decode(bytes, bytes.len());
    for chunk_bytes in [1, 2, 3, 5, 19, 20, 21, 32, 33, 4096, 65_536] {
        assert!(decode(bytes, chunk_bytes) == whole, "in chunks of {chunk_bytes}");
    }
    for seed in 0..8 {
        let mut rng = Rng::with_seed(seed);
        let mut chunks = Vec::new();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (chunk, later) = rest.split_at((rng.usize(..200)).min(rest.len()));
            chunks.push(chunk);
            rest = later;
        }
        assert!(decode_chunks(chunks, MAX_VALUE_BYTES) == whole, "in chunks of random sizes, seed {seed}");
    }
}

#[test]
fn a_profile_truncated_at_any_byte_keeps_its_complete_values() {
    let bytes = encoded("spacetime-11710");
    assert!(bytes.len() < 20_000, "{} bytes", bytes.len());
    let (whole, _) = decode(&bytes, bytes.len());
    check_prefixes(&bytes, &whole, 0..=bytes.len());
    // For the real file, everything before its tables, and parts of what follows them.
    let bytes = fixture("spacetime-11710");
    let (whole, _) = decode(&bytes, bytes.len());
    check_prefixes(&bytes, &whole, 0..2_800);
    check_prefixes(&bytes, &whole, (264_900..bytes.len()).step_by(61));
}

fn check_prefixes(bytes: &[u8], whole: &Recorder, ends: impl Iterator<Item = usize>) {
    let mut n_snapshots = 0;
    for end in ends {
        match decode(&bytes[..end], 4096) {
            (profile, Ok(finished)) => {
                assert!(profile.snapshots.len() >= n_snapshots, "truncated at {end}: snapshots are missing");
                n_snapshots = profile.snapshots.len();
                assert_eq!(profile.snapshots[..], whole.snapshots[..n_snapshots], "truncated at {end}");
                assert_eq!(profile.marks[..], whole.marks[..profile.marks.len()], "truncated at {end}");
                check_end(&finished, end, bytes.len());
            }
            (_, Err(refusal)) => {
                assert!(end < 29, "truncated at {end}: {refusal}");
                assert!(matches!(refusal, Refusal::Empty | Refusal::Cut { .. }), "truncated at {end}: {refusal}");
            }
        }
    }
}

fn check_end(finished: &Finished, end: usize, n_bytes: usize) {
    assert_eq!(finished.bytes, end as u64);
    assert_eq!(finished.is_complete, end == n_bytes, "truncated at {end}");
    assert_eq!(finished.warnings.is_empty(), end == n_bytes, "truncated at {end}");
    for warning in &finished.warnings {
        match warning.kind {
            WarningKind::Cut => assert_eq!(warning.first_offset + warning.bytes, end as u64),
            WarningKind::NoTrie => assert_eq!((warning.first_offset, finished.has_points), (end as u64, false)),
            kind => panic!("cut at {end}: {kind:?}"),
        }
    }
}

#[test]
fn a_killed_program_leaves_snapshots_without_points() {
    let bytes = fixture("spacetime-11710");
    // Before the mark that ends the records, right after a snapshot's mark, and inside a snapshot.
    for (end, kinds) in [
        (2641, &[WarningKind::NoTrie][..]),
        (2241, &[WarningKind::Cut, WarningKind::NoTrie]),
        (2300, &[WarningKind::Cut, WarningKind::NoTrie]),
        (29, &[WarningKind::NoTrie]),
    ] {
        let (profile, finished) = decode(&bytes[..end], end);
        let finished = finished.expect("a profile");
        assert_eq!(finished.warnings.iter().map(|warning| warning.kind).collect::<Vec<_>>(), kinds, "{end} bytes");
        assert_eq!(finished.end_us, None);
        assert!(!finished.is_complete && !finished.has_points);
        assert_eq!(profile.points, []);
    }
    // The program had started to close the file, so this file is truncated, not from a killed program.
    for end in [2662, 2680, 2691, 100_000, 265_008, 266_000] {
        let (profile, finished) = decode(&bytes[..end], end);
        let finished = finished.expect("a profile");
        assert_eq!(finished.warnings.iter().map(|warning| warning.kind).collect::<Vec<_>>(), [WarningKind::Cut]);
        assert_eq!(finished.end_us.is_some(), end >= 2691);
        assert_eq!(profile.snapshots.len(), 7);
    }
}

#[test]
fn a_series_truncated_at_any_byte_is_refused() {
    let bytes = fixture("spacetime-11710.p");
    for end in 0..bytes.len() {
        let (_, finished) = decode(&bytes[..end], 4096);
        let expected = if end == 0 { Refusal::Empty } else { Refusal::Cut { bytes: end as u64 } };
        assert_eq!(finished, Err(expected));
    }
}
