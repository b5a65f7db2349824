//! The decoder reads what the encoder writes.

use std::collections::BTreeMap;

use camlscope_formats::spacetime::encode::{Encoder, Written};
use camlscope_formats::spacetime::{Address, Entry, Form, GcStats, Header, Node, Snapshot, SourcePosition};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::recorder::{Recorder, fixture, read};

/// A real profile, read and written again. It has only the addresses that are used, so it is small.
pub fn encoded(name: &str) -> Vec<u8> {
    let (profile, finished) = read(&fixture(name));
    write(&profile, finished.end_us.unwrap_or(0)).0
}

fn write(profile: &Recorder, end_us: u64) -> (Vec<u8>, Written) {
    let mut bytes = Vec::new();
    let has_call_counts = profile.header.is_some_and(|header| header.has_call_counts);
    let mut encoder = Encoder::new(has_call_counts, &mut bytes).expect("written");
    for (address, frames) in &profile.positions {
        encoder.position(*address, frames);
    }
    let mut nodes = vec![Node::ROOT];
    for (parent, address) in &profile.nodes {
        nodes.push(encoder.child(nodes[parent.0 as usize], *address));
    }
    for (profinfo, node) in &profile.points {
        encoder.allocation_point(*profinfo, nodes[node.0 as usize]);
    }
    for (node, n) in &profile.calls {
        encoder.calls(nodes[node.0 as usize], *n);
    }
    for snapshot in &profile.snapshots {
        encoder.snapshot(snapshot).expect("written");
    }
    for (name, at_us) in &profile.marks {
        encoder.mark(name, *at_us).expect("written");
    }
    let written = encoder.finish(end_us).expect("written");
    (bytes, written)
}

/// The contents of a profile, independent of node numbers: calls by stack, and points with their stacks and positions.
#[derive(Debug, PartialEq)]
struct Contents {
    snapshots: Vec<Snapshot>,
    marks: Vec<(String, u64)>,
    calls: BTreeMap<Vec<u64>, u64>,
    points: Vec<(u32, Vec<u64>, Vec<String>)>,
}

fn contents(profile: &Recorder) -> Contents {
    let mut calls = BTreeMap::new();
    for (node, n) in &profile.calls {
        *calls.entry(profile.addresses(*node)).or_default() += n;
    }
    let point = |(profinfo, node): &(u32, Node)| (*profinfo, profile.addresses(*node), profile.stack(*node));
    let mut points: Vec<_> = profile.points.iter().map(point).collect();
    points.sort();
    Contents { snapshots: profile.snapshots.clone(), marks: profile.marks.clone(), calls, points }
}

#[test]
fn a_real_profile_round_trips() {
    for name in ["spacetime-11710", "spacetime-11710.p"] {
        let (profile, finished) = read(&fixture(name));
        let (bytes, written) = write(&profile, finished.end_us.unwrap_or(0));
        let (again, finished_again) = read(&bytes);
        assert_eq!(contents(&again), contents(&profile), "{name}");
        assert_eq!(finished_again.end_us, finished.end_us);
        assert!(finished_again.is_complete && finished_again.warnings.is_empty());
        let expected = Written {
            bytes: bytes.len() as u64,
            n_snapshots: profile.snapshots.len() as u64,
            n_marks: profile.marks.len() as u64,
            n_points: profile.points.len() as u64,
        };
        assert_eq!(written, expected, "{name}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(128) })]

    #[test]
    fn random_profiles_round_trip(
        has_call_counts in any::<bool>(),
        stacks in vec((vec(1u64..40, 1..30), any::<bool>(), 0u64..1 << 40), 0..60),
        snapshots in vec(snapshot(), 0..8),
        marks in vec((".{0,300}", 0u64..1 << 40), 0..4),
        end_us in 0u64..1 << 45,
    ) {
        let mut profile = random_tree(has_call_counts, &stacks);
        profile.snapshots = snapshots;
        profile.marks = marks;
        let (bytes, written) = write(&profile, end_us);
        let (again, finished) = read(&bytes);
        prop_assert!(finished.warnings.is_empty(), "{:?}", finished.warnings);
        prop_assert!(finished.is_complete);
        prop_assert_eq!(finished.end_us, Some(end_us));
        prop_assert_eq!(written.bytes, bytes.len() as u64);
        prop_assert_eq!(again.header, profile.header);
        if !has_call_counts {
            profile.calls.clear();
        }
        prop_assert_eq!(contents(&again), contents(&profile));
    }
}

/// Each stack ends in an allocation point or has a call count.
fn random_tree(has_call_counts: bool, stacks: &[(Vec<u64>, bool, u64)]) -> Recorder {
    let header = Header { version: 0, has_call_counts, form: Form::Raw };
    let mut profile = Recorder { header: Some(header), ..Recorder::default() };
    let mut profinfo = 0;
    for (stack, allocates, n) in stacks {
        let mut node = Node::ROOT;
        for address in stack {
            let address = Address(0x5555_0000_0000 + address);
            // Some addresses have no position, some have several.
            let n_frames = address.0 % 4;
            if n_frames > 0 {
                profile.positions.insert(address, (0..n_frames).map(|at| position(address.0, at as u32)).collect());
            }
            profile.nodes.push((node, address));
            node = Node(profile.nodes.len() as u32);
        }
        if *allocates {
            profinfo += 1 + (*n as u32 % 1000);
            profile.points.push((profinfo, node));
        } else if *n > 0 {
            profile.calls.push((node, *n));
        }
    }
    profile
}

fn position(address: u64, line: u32) -> SourcePosition {
    let file = "some/long/path/of/directories/".repeat(address as usize % 12) + "file.ml";
    SourcePosition { file: file.into(), line, start_char: address as u32 % 200, end_char: 100_000 }
}

fn snapshot() -> impl Strategy<Value = Snapshot> {
    let figure = || prop_oneof![0u64..100, 0u64..40_000, 0u64..1 << 40];
    let points = || prop::collection::btree_map(1u32..1 << 26, (figure(), figure()), 0..20);
    (0u64..1 << 45, points(), points(), figure(), vec(figure(), 8)).prop_map(|(at_us, live, allocated, scanned, gc)| {
        let entries = live.into_iter().map(|(profinfo, (blocks, words))| Entry { profinfo, blocks, words }).collect();
        let gc = GcStats {
            minor_words: gc[0],
            promoted_words: gc[1],
            major_words: gc[2],
            minor_collections: gc[3],
            major_collections: gc[4],
            heap_words: gc[5] * 8,
            heap_chunks: gc[6],
            compactions: gc[7],
            top_heap_words: gc[5] * 16,
        };
        Snapshot {
            at_us,
            gc: Some(gc),
            entries,
            words_scanned: Some(scanned * 2),
            words_scanned_with_profinfo: Some(scanned),
            allocated: allocated.into_iter().map(|(profinfo, (words, _))| (profinfo, words)).collect(),
        }
    })
}
