//! Damaged files: 1,000 mutated copies of real traces, and as many of profiles, must decode without panicking, keep the
//! model's invariants, decode the same in chunks and at once, answer every query, and take little memory. Each copy answers a
//! sixth of the queries, under one of the views. Set `CAMLSCOPE_COPIES` to try more copies, as a nightly run does.

use camlscope_engine::protocol::{Request, Slot, View};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::summary::summary;
use camlscope_engine::query::tree::Grain;
use camlscope_engine::session::Session;
use camlscope_engine::trace::Budget;
use camlscope_formats::spacetime::encode::Encoder;
use camlscope_formats::spacetime::{Address, Entry, Node, Snapshot, SourcePosition};
use camlscope_testkit::fixtures::{check_invariants, fixture, load};
use camlscope_testkit::large_blocks::{Number, trace};
use camlscope_testkit::mutations::{DamageKinds, PROFILE, assert_little_memory, count_in_parallel, mutated, n_copies};
use camlscope_testkit::questions::{requests, view, views};

use fastrand::Rng;

const COPIES: u64 = 1_000;
/// Small files, so that a mutation hits something important.
const SOURCES: [&str; 9] = [
    "tiny-0.01-o5-v3",
    "tiny-0.1-v2",
    "tiny-1.0-v3",
    "empty-1e-6-v3",
    "leak-1e-6-v3",
    "longline-1.0-v3",
    "longline-1.0-o5-v2",
    "menhir-1e-5-v3",
    "deep-1e-3-v2",
];
const TRACE: DamageKinds = DamageKinds {
    extremes: &[
        &[0],
        &[0xff],
        &[0xff; 2],
        &[0xff, 0xff, 0xff, 0x7f],
        &[0, 0, 0, 0x80],
        &[0xff; 8],
        // Numbers of four and eight bytes: 2^31, 2^40, and the largest that memtrace can write.
        &[254, 0, 0, 0, 0x80],
        &[255, 0, 0, 0, 0, 0, 1, 0, 0],
        &[255, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x3f],
    ],
    special: repeat_packet,
};

#[test]
fn mutated_traces_open_or_are_refused_and_answer_every_query() {
    let copies = n_copies(COPIES);
    let sources: Vec<Vec<u8>> = SOURCES.iter().map(|name| fixture(name)).collect();
    // The requests for a copy, one view each.
    let questions: Vec<Vec<Request>> = views().iter().map(|view| requests(std::slice::from_ref(view))).collect();
    let [opened, warned] = count_in_parallel(copies, |copy| try_copy(copy, &sources, &questions));
    assert!(opened > copies / 2, "only {opened} of {copies} copies opened");
    assert!(warned > copies / 3, "only {warned} of {copies} copies had a warning");
    assert_little_memory();
}

#[test]
fn mutated_profiles_open_or_are_refused_and_answer_every_query() {
    let copies = n_copies(COPIES);
    let views = [
        view("", Measure::Allocated),
        view("", Measure::Live(When::Peak)),
        View { grain: Grain::Site, ..view("live-at=end", Measure::Blocks) },
        View { grain: Grain::Site, ..view("hide=list", Measure::Calls) },
        View { grain: Grain::Module, fold_recursion: true, ..view("", Measure::Live(When::End)) },
    ];
    let questions: Vec<Vec<Request>> = views.iter().map(|view| requests(std::slice::from_ref(view))).collect();
    let small = [file("spacetime-11710.p"), small_profile()];
    // Most of this file is a table of locations, so few mutations hit anything else. Some copies are enough.
    let large = [file("spacetime-11710")];
    let [opened] = count_in_parallel(copies, |copy| {
        let sources = if copy.is_multiple_of(100) { &large[..] } else { &small[..] };
        let bytes = mutated(&mut Rng::with_seed(copy), sources, &PROFILE);
        let chunk_bytes = 1 + Rng::with_seed(copy).usize(..bytes.len() + 1);
        [u64::from(ask(&bytes, chunk_bytes, copy, some_of(&questions, copy)))]
    });
    assert!(opened > copies / 4, "only {opened} of {copies} copies opened");
    assert_little_memory();
}

#[test]
fn every_query_works_with_the_largest_possible_numbers() {
    let largest = (1 << 62) - 1;
    let half = (Number::Eight(largest), Number::Eight(1 << 61));
    let rest = (Number::Eight(largest - 1), Number::Eight((1 << 61) - 1 - (1 << 20)));
    let usual = (Number::Four(3), Number::Four(70_000));
    let bytes = trace(&[&[half, usual], &[rest, usual, usual], &[(Number::Four(0), Number::Four(0))]]);
    assert!(ask(&bytes, bytes.len(), 0, &requests(&views())));
}

/// Returns a sixth of the requests under one of the views.
fn some_of(questions: &[Vec<Request>], copy: u64) -> impl Iterator<Item = &Request> {
    let copy = copy as usize;
    let n_views = questions.len();
    questions[copy % n_views].iter().skip(copy / n_views % 6).step_by(6)
}

/// Sends requests. Returns whether the file opened.
fn ask<'a>(bytes: &[u8], chunk_bytes: usize, copy: u64, requests: impl IntoIterator<Item = &'a Request>) -> bool {
    let mut session = Session::with_budget(Budget::default());
    session.begin(Slot::Main, Some(bytes.len() as u64));
    if bytes.chunks(chunk_bytes.max(1)).any(|chunk| session.push(chunk).is_err()) || session.finish().is_err() {
        return false;
    }
    for request in requests {
        // A name that doesn't exist is refused with an error. Nothing else may go wrong.
        if let Ok(answer) = session.handle(request)
            && copy.is_multiple_of(32)
        {
            let reported = format!("{answer:?}");
            assert!(
                !reported.contains(": NaN") && !reported.contains(": inf"),
                "copy {copy}: {:?}: {reported}",
                request.question
            );
        }
    }
    true
}

fn file(name: &str) -> Vec<u8> {
    let path = camlscope_testkit::fixtures::folder().join(name);
    std::fs::read(path).expect("a fixture")
}

/// Three snapshots of four points, two of them below one call.
fn small_profile() -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(true, &mut bytes).expect("writes into memory");
    for at in 1..=3u64 {
        let entries = (1..=4).map(|profinfo| Entry { profinfo, blocks: at, words: at * u64::from(profinfo) }).collect();
        let allocated = (1..=4).map(|profinfo| (profinfo, at * 100)).collect();
        let snapshot = Snapshot {
            at_us: at * 1000,
            entries,
            words_scanned: Some(at * 12),
            words_scanned_with_profinfo: Some(at * 10),
            allocated,
            ..Snapshot::default()
        };
        encoder.snapshot(&snapshot).expect("writes into memory");
        encoder.mark("step", at * 1000 + 1).expect("writes into memory");
    }
    for line in 1..=5 {
        let position = SourcePosition { file: "list.ml".into(), line, start_char: 0, end_char: 9 };
        encoder.position(Address(0x1000 + u64::from(line)), &[position]);
    }
    let caller = encoder.child(Node::ROOT, Address(0x1005));
    encoder.calls(caller, 7);
    for point in 1..=4u32 {
        let parent = if point > 2 { caller } else { Node::ROOT };
        let node = encoder.child(parent, Address(0x1000 + u64::from(point)));
        encoder.allocation_point(point, node);
    }
    encoder.finish(4000).expect("writes into memory");
    bytes
}

/// Returns whether the copy opened, and whether it opened with a warning.
fn try_copy(copy: u64, sources: &[Vec<u8>], questions: &[Vec<Request>]) -> [u64; 2] {
    let bytes = mutated(&mut Rng::with_seed(copy), sources, &TRACE);
    let chunk_bytes = 1 + Rng::with_seed(copy).usize(..bytes.len() + 1);
    let loaded = load(&bytes, chunk_bytes, Budget::default());
    if copy.is_multiple_of(16) {
        let whole = load(&bytes, bytes.len(), Budget::default());
        let reported = loaded.as_ref().map(summary);
        assert_eq!(reported, whole.as_ref().map(summary), "copy {copy} differs in chunks of {chunk_bytes}");
    }
    let Ok(trace) = loaded else { return [0, 0] };
    let is_warned = !trace.warnings.is_empty();
    check_invariants(&trace);
    drop(trace);
    assert!(ask(&bytes, bytes.len(), copy, some_of(questions, copy)), "it opened the first time");
    [1, u64::from(is_warned)]
}

#[test]
fn a_small_file_that_claims_enormous_stacks_takes_bounded_memory() {
    // Each code repeats a prediction that leads to itself 255 times: 65,000 frames per event of 771 bytes.
    let mut bytes = fixture("tiny-0.1-v2");
    let first = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]) as usize / 8;
    let mut packet = bytes[first..first + 66].to_vec();
    bytes.truncate(first);
    let mut event = vec![0, 0, 0, 101 << 1];
    event.extend([0, 255]);
    event.extend(b"\x02\x00\xff".repeat(255));
    for _ in 0..40 {
        packet.extend_from_slice(&event);
    }
    let bits = (packet.len() as u32) * 8;
    packet[4..8].copy_from_slice(&bits.to_le_bytes());
    bytes.extend(packet);
    let trace = load(&bytes, 4096, Budget::default()).expect("the first packet is complete");
    check_invariants(&trace);
    assert_eq!(trace.totals.alloc_events.total(), 40);
}

/// Inserts a second copy of one packet between two others.
fn repeat_packet(bytes: &mut Vec<u8>, rng: &mut Rng) {
    let mut starts = Vec::new();
    let mut at = 0;
    while let Some(size) = bytes.get(at + 4..at + 8) {
        let size = u32::from_le_bytes([size[0], size[1], size[2], size[3]]) as usize / 8;
        if size == 0 || at + size > bytes.len() {
            break;
        }
        starts.push((at, size));
        at += size;
    }
    if starts.is_empty() {
        return;
    }
    let (from, size) = starts[rng.usize(..starts.len())];
    let (to, _) = starts[rng.usize(..starts.len())];
    let packet = bytes[from..from + size].to_vec();
    bytes.splice(to..to, packet);
}
