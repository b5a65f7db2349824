//! Checks a real profile, both as written by the program and as converted by prof_spacetime, against the results of an
//! independent decoder.

use std::collections::BTreeMap;

use camlscope_formats::spacetime::{Finished, Form, GcStats, HEAD_BYTES, Header, Snapshot, is_profile};
use serde_json::Value;

use crate::recorder::{Recorder, fixture, read};

const RAW: &str = "spacetime-11710";
const SERIES: &str = "spacetime-11710.p";

#[test]
fn a_raw_profile_matches_the_reference_reader() {
    let (profile, finished) = read(&fixture(RAW));
    assert_eq!(profile.header, Some(Header { version: 0, has_call_counts: true, form: Form::Raw }));
    let facts = facts();
    let marks: Vec<(String, u64)> =
        array(&facts["marks"]).iter().map(|mark| (text(&mark["name"]).to_owned(), number(&mark["at_us"]))).collect();
    assert_eq!(profile.marks, marks);
    check(&profile, &finished);
    // The reference reader counts one more: the number 0, shared by all points that never allocated.
    assert_eq!(profile.points.len() as u64 + 1, number(&facts["allocation_points"]));
    assert!(profile.points.iter().all(|(profinfo, _)| *profinfo != 0));
    assert_eq!(profile.calls.len(), 68);
    let expected = Finished {
        bytes: number(&facts["file_bytes"]),
        end_us: Some(3_264_749),
        is_complete: true,
        has_points: true,
        has_unused_points: true,
        warnings: Vec::new(),
    };
    assert_eq!(finished, expected);
}

#[test]
fn prof_spacetimes_form_has_the_same_contents() {
    let (profile, finished) = read(&fixture(SERIES));
    assert_eq!(profile.header, Some(Header { version: 0, has_call_counts: true, form: Form::Series }));
    assert_eq!(profile.marks, [], "it has no events");
    check(&profile, &finished);
    assert!(finished.is_complete && finished.has_points);
    assert_eq!(finished.warnings, []);

    let (raw, _) = read(&fixture(RAW));
    for (snapshot, of_raw) in profile.snapshots.iter().zip(&raw.snapshots) {
        assert_eq!(snapshot.gc, of_raw.gc);
        assert_eq!(live_by_stack(&profile, snapshot), live_by_stack(&raw, of_raw));
    }
    // prof_spacetime loses the counts of two calls whose callees did nothing that was recorded.
    let mut calls = calls_by_stack(&raw);
    calls.retain(|stack, _| !["printf.ml:20:46-49", "printf.ml:36:4-27"].contains(&stack[0].as_str()));
    assert_eq!(calls_by_stack(&profile), calls);
}

#[test]
fn stacks_include_inlined_calls_and_omit_callers_that_made_a_tail_call() {
    for name in [RAW, SERIES] {
        let (profile, _) = read(&fixture(name));
        let last = profile.snapshots.last().expect("snapshots");
        let live = live_by_stack(&profile, last);
        for (places, figures) in [
            (&["leak.ml:4:77-87", "leak.ml:8:11-25", "leak.ml:12:11-21", "?", "?"][..], (103_158, 309_474)),
            // `odd` and `even` left for `leak` by a tail call.
            (
                &["list.ml:67:4-27", "leak.ml:3:21-25", "leak.ml:5:16-19", "leak.ml:11:4-49", "?", "?"],
                (114_200, 342_600),
            ),
        ] {
            let stack: Vec<String> = places.iter().map(|place| (*place).to_owned()).collect();
            assert_eq!(live.get(&stack), Some(&figures), "{name}: {stack:?}");
        }
    }
}

#[test]
fn gc_figures_are_in_the_right_fields_and_heap_sizes_are_in_words() {
    let (profile, _) = read(&fixture(RAW));
    let last = profile.snapshots.last().expect("snapshots");
    let expected = GcStats {
        minor_words: 23_724_259,
        promoted_words: 3_717_056,
        major_words: 3_955_316,
        minor_collections: 98,
        major_collections: 15,
        heap_words: 188_352 * 8,
        heap_chunks: 9,
        compactions: 0,
        top_heap_words: 188_352 * 8,
    };
    assert_eq!(last.gc, Some(expected));
    assert_eq!(last.words_scanned, Some(1_245_692));
    assert!(expected.heap_words > 1_245_692, "the heap is smaller than its contents");
    assert_eq!(last.entries.len(), 24);
}

#[test]
fn a_profile_is_recognized_by_its_first_bytes() {
    assert!(is_profile(&fixture(RAW)[..HEAD_BYTES]));
    assert!(is_profile(&fixture(SERIES)[..HEAD_BYTES]));
    assert!(!is_profile(&fixture(RAW)[..HEAD_BYTES - 1]));
    assert!(!is_profile(&fixture("tiny-0.1-v2.ctf")));
    assert!(!is_profile(b""));
}

/// Checks what both forms contain.
fn check(profile: &Recorder, finished: &Finished) {
    let facts = facts();
    assert_eq!(finished.end_us, Some(number(&facts["end_us"])));
    let snapshots: Vec<[u64; 5]> = profile.snapshots.iter().map(totals).collect();
    let expected: Vec<[u64; 5]> = array(&facts["snapshots"])
        .iter()
        .map(|snapshot| {
            ["at_us", "live_words", "live_blocks", "unattributed_words", "allocated_words"]
                .map(|key| number(&snapshot[key]))
        })
        .collect();
    assert_eq!(snapshots, expected);

    for (at_us, places) in facts["live_by_place"].as_object().expect("a map") {
        let snapshot = profile.snapshots.iter().find(|snapshot| snapshot.at_us.to_string() == *at_us).expect("there");
        let live = by_place(&live_by_stack(profile, snapshot), |a: &mut (u64, u64), b| {
            a.0 += b.0;
            a.1 += b.1;
        });
        for row in array(places) {
            let figures = live.get(text(&row[0])).copied().unwrap_or_default();
            assert_eq!(figures, (number(&row[2]), number(&row[1])), "{} at {at_us}", row[0]);
        }
    }
    let last = profile.snapshots.last().expect("snapshots");
    let stacks: BTreeMap<u32, Vec<String>> =
        profile.points.iter().map(|(profinfo, node)| (*profinfo, profile.stack(*node))).collect();
    let mut allocated = BTreeMap::new();
    for (profinfo, words) in &last.allocated {
        *allocated.entry(stacks[profinfo][0].clone()).or_insert(0) += words;
    }
    for row in array(&facts["allocated_by_place"]) {
        assert_eq!(allocated.get(text(&row[0])), Some(&number(&row[1])), "allocated at {}", row[0]);
    }
    let calls = by_place(&calls_by_stack(profile), |a: &mut u64, b| *a += b);
    for row in array(&facts["calls_by_place"]) {
        assert_eq!(calls.get(text(&row[0])), Some(&number(&row[1])), "calls at {}", row[0]);
    }
}

fn totals(snapshot: &Snapshot) -> [u64; 5] {
    let words = snapshot.entries.iter().map(|entry| entry.words).sum();
    let blocks = snapshot.entries.iter().map(|entry| entry.blocks).sum();
    let scanned = snapshot.words_scanned.zip(snapshot.words_scanned_with_profinfo);
    let unattributed = scanned.map_or(0, |(all, known)| all - known);
    [snapshot.at_us, words, blocks, unattributed, snapshot.allocated.iter().map(|(_, words)| words).sum()]
}

/// Blocks and words by stack.
fn live_by_stack(profile: &Recorder, snapshot: &Snapshot) -> BTreeMap<Vec<String>, (u64, u64)> {
    let nodes: BTreeMap<u32, _> = profile.points.iter().copied().collect();
    let mut live = BTreeMap::new();
    for entry in &snapshot.entries {
        let stack = profile.stack(nodes[&entry.profinfo]);
        let figures: &mut (u64, u64) = live.entry(stack).or_default();
        figures.0 += entry.blocks;
        figures.1 += entry.words;
    }
    live
}

fn calls_by_stack(profile: &Recorder) -> BTreeMap<Vec<String>, u64> {
    let mut calls = BTreeMap::new();
    for (node, n) in &profile.calls {
        *calls.entry(profile.stack(*node)).or_default() += n;
    }
    calls
}

/// Sums by innermost frame.
fn by_place<T: Copy + Default>(by_stack: &BTreeMap<Vec<String>, T>, add: impl Fn(&mut T, T)) -> BTreeMap<String, T> {
    let mut sums = BTreeMap::new();
    for (stack, figures) in by_stack {
        add(sums.entry(stack[0].clone()).or_default(), *figures);
    }
    sums
}

fn facts() -> Value {
    serde_json::from_slice(&fixture("spacetime-11710.facts.json")).expect("JSON")
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

fn number(value: &Value) -> u64 {
    value.as_u64().expect("a number")
}
