//! Damaged files: 20,000 mutated copies of real traces, and as many of profiles, must decode without panic, keep the model's invariants, decode
//! alike in chunks and whole, answer every question, and take little memory. `CAMLSCOPE_COPIES` tries others.

#[path = "support/questions.rs"]
#[allow(dead_code, reason = "shared with tests/memory.rs, which uses all of it")]
mod questions;
mod support;

use camlscope::protocol::{Request, Slot, View};
use camlscope::query::filter::When;
use camlscope::query::measure::Measure;
use camlscope::query::summary::summary;
use camlscope::query::tree::Grain;
use camlscope::session::Session;
use camlscope::spacetime::encode::Encoder;
use camlscope::spacetime::{Address, Entry, Node, Position, Snapshot};
use camlscope::trace::Budget;
use questions::{requests, view, views};
use support::{check_invariants, fixture, load};

const COPIES: u64 = 20_000;
/// Small ones, so that a mutation hits something that matters.
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
/// Most memory that the process may ever have had.
const MOST_MEMORY_KIB: u64 = 1 << 20;

#[test]
fn mutated_copies_of_real_traces_open_or_are_refused_and_answer_every_question() {
    let copies = std::env::var("CAMLSCOPE_COPIES").ok().and_then(|n| n.parse().ok()).unwrap_or(COPIES);
    // What is asked of a copy, in one view each.
    let questions: Vec<Vec<Request>> = views().iter().map(|view| requests(std::slice::from_ref(view))).collect();
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let counts = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..n_threads)
            .map(|part| {
                let questions = &questions;
                scope.spawn(move || try_copies((part..copies).step_by(n_threads as usize), questions))
            })
            .collect();
        parts
            .into_iter()
            .map(|part| part.join().expect("no panic"))
            .fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    });
    let (opened, warned) = counts;
    assert!(opened > copies / 2, "only {opened} of {copies} copies opened");
    assert!(warned > copies / 3, "only {warned} of {copies} copies had a warning");
    if let Some(peak) = peak_memory_kib() {
        assert!(peak < MOST_MEMORY_KIB, "{peak} KiB at the peak");
    }
}

#[test]
fn mutated_copies_of_profiles_open_or_are_refused_and_answer_every_question() {
    let copies = std::env::var("CAMLSCOPE_COPIES").ok().and_then(|n| n.parse().ok()).unwrap_or(COPIES);
    let views = [
        view("", Measure::Allocated),
        view("", Measure::Live(When::Peak)),
        View { grain: Grain::Site, ..view("live-at=end", Measure::Blocks) },
        View { grain: Grain::Site, ..view("hide=list", Measure::Calls) },
        View { grain: Grain::Module, fold_recursion: true, ..view("", Measure::Live(When::End)) },
    ];
    let questions: Vec<Vec<Request>> = views.iter().map(|view| requests(std::slice::from_ref(view))).collect();
    let small = [file("spacetime-11710.p"), small_profile()];
    // Most of it is a table of positions, so few mutations hit anything else: some copies are enough.
    let large = [file("spacetime-11710")];
    let opened = std::thread::scope(|scope| {
        let parts = [0, 1].map(|part| {
            let (questions, small, large) = (&questions, &small, &large);
            scope.spawn(move || {
                let sources = |copy: u64| if copy.is_multiple_of(100) { &large[..] } else { &small[..] };
                let is_open = |&copy: &u64| ask_profile(&mutated(copy, sources(copy)), copy, questions);
                (part..copies).step_by(2).filter(is_open).count() as u64
            })
        });
        parts.into_iter().map(|part| part.join().expect("no panic")).sum::<u64>()
    });
    assert!(opened > copies / 4, "only {opened} of {copies} copies opened");
    if let Some(peak) = peak_memory_kib() {
        assert!(peak < MOST_MEMORY_KIB, "{peak} KiB at the peak");
    }
}

/// Asks every question; returns whether the file opened.
fn ask_profile(bytes: &[u8], copy: u64, questions: &[Vec<Request>]) -> bool {
    let mut session = Session::with_budget(Budget::default());
    session.begin(Slot::Main, Some(bytes.len() as u64));
    let chunk_bytes = 1 + Numbers(copy).below(bytes.len() + 1);
    if bytes.chunks(chunk_bytes).any(|chunk| session.push(chunk).is_err()) || session.finish().is_err() {
        return false;
    }
    for request in &questions[copy as usize % questions.len()] {
        if let Ok(answer) = session.handle(request)
            && copy.is_multiple_of(16)
        {
            let told = format!("{answer:?}");
            assert!(!told.contains(": NaN") && !told.contains(": inf"), "copy {copy}: {:?}", request.question);
        }
    }
    true
}

fn file(name: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name);
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
        let position = Position { file: "list.ml".into(), line, start_char: 0, end_char: 9 };
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

/// Returns how many opened, and how many of those had a warning.
fn try_copies(copies: impl Iterator<Item = u64>, questions: &[Vec<Request>]) -> (u64, u64) {
    let sources: Vec<Vec<u8>> = SOURCES.iter().map(|name| fixture(name)).collect();
    let (mut opened, mut warned) = (0, 0);
    for copy in copies {
        let bytes = mutated(copy, &sources);
        let chunk_bytes = 1 + Numbers(copy).below(bytes.len() + 1);
        let loaded = load(&bytes, chunk_bytes, Budget::default());
        if copy % 16 == 0 {
            let whole = load(&bytes, bytes.len(), Budget::default());
            let told = loaded.as_ref().map(summary);
            assert_eq!(told, whole.as_ref().map(summary), "copy {copy}: chunks of {chunk_bytes} and whole differ");
        }
        let Ok(trace) = loaded else { continue };
        opened += 1;
        warned += u64::from(!trace.warnings.is_empty());
        check_invariants(&trace);
        drop(trace);
        let mut session = Session::with_budget(Budget::default());
        session.begin(Slot::Main, Some(bytes.len() as u64));
        session.push(&bytes).expect("it opened before");
        session.finish().expect("it opened before");
        for request in &questions[copy as usize % questions.len()] {
            // A name that is not there is refused in words; nothing else may go wrong.
            if let Ok(answer) = session.handle(request)
                && copy % 64 == 0
            {
                let told = format!("{answer:?}");
                assert!(
                    !told.contains(": NaN") && !told.contains(": inf"),
                    "copy {copy}: {:?}: {told}",
                    request.question
                );
            }
        }
    }
    (opened, warned)
}

fn mutated(copy: u64, sources: &[Vec<u8>]) -> Vec<u8> {
    let mut numbers = Numbers(copy);
    let mut bytes = sources[numbers.below(sources.len())].clone();
    for _ in 0..1 + numbers.below(4) {
        mutate(&mut bytes, sources, &mut numbers);
    }
    bytes
}

#[test]
fn a_small_file_that_claims_enormous_stacks_takes_bounded_memory() {
    // Each code repeats 255 times a prediction that leads to itself: 65,000 frames an event of 771 bytes.
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
    let trace = load(&bytes, 4096, Budget::default()).expect("it has its first packet");
    check_invariants(&trace);
    assert_eq!(trace.totals.alloc_events.total(), 40);
}

fn mutate(bytes: &mut Vec<u8>, sources: &[Vec<u8>], numbers: &mut Numbers) {
    if bytes.is_empty() {
        return;
    }
    let at = numbers.below(bytes.len());
    let len = (1 + numbers.below(64)).min(bytes.len() - at);
    match numbers.below(9) {
        0 => bytes[at] ^= 1 << numbers.below(8),
        1 => {
            for _ in 0..16 {
                let at = numbers.below(bytes.len());
                bytes[at] ^= 1 << numbers.below(8);
            }
        }
        2 => bytes.truncate(at),
        3 => drop(bytes.drain(at..at + len)),
        4 => {
            let other = &sources[numbers.below(sources.len())];
            let from = numbers.below(other.len());
            let piece = other[from..(from + len * 16).min(other.len())].to_vec();
            bytes.splice(at..at + len, piece);
        }
        5 => repeat_packet(bytes, numbers),
        6 => {
            let extremes: [&[u8]; 6] =
                [&[0], &[0xff], &[0xff; 2], &[0xff, 0xff, 0xff, 0x7f], &[0, 0, 0, 0x80], &[0xff; 8]];
            let extreme = extremes[numbers.below(extremes.len())];
            let len = extreme.len().min(bytes.len() - at);
            bytes[at..at + len].copy_from_slice(&extreme[..len]);
        }
        7 => bytes[at..at + len].fill(0),
        _ => drop(bytes.splice(at..at, (0..len).map(|_| numbers.next() as u8).collect::<Vec<_>>())),
    }
}

/// Writes one of the packets a second time, somewhere between two others.
fn repeat_packet(bytes: &mut Vec<u8>, numbers: &mut Numbers) {
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
    let (from, size) = starts[numbers.below(starts.len())];
    let (to, _) = starts[numbers.below(starts.len())];
    let packet = bytes[from..from + size].to_vec();
    bytes.splice(to..to, packet);
}

/// Of this process, where the system tells.
fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// A small generator of numbers that are the same in every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let n = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        n ^ (n >> 31)
    }

    /// Below `n`, which is not 0.
    fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}
