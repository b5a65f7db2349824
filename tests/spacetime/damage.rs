//! Damaged files: 20,000 mutated copies must decode without panic, alike in chunks and whole, in little memory.
//! `CAMLSCOPE_COPIES` tries others.

use camlscope::spacetime::{Address, Decoder, Finished, Node, Position, Refusal, Sink, Snapshot};

use crate::recorder::{decode_chunks, fixture};
use crate::round_trip::encoded;

const COPIES: u64 = 20_000;
/// What a value of a mutated copy may take, and what the whole process may ever have had.
const MAX_VALUE_BYTES: usize = 16 << 20;
const MOST_MEMORY_KIB: u64 = 1 << 20;

#[test]
fn mutated_copies_of_real_profiles_open_or_are_refused_in_bounded_memory() {
    let copies = std::env::var("CAMLSCOPE_COPIES").ok().and_then(|n| n.parse().ok()).unwrap_or(COPIES);
    let n_threads = std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let (opened, warned) = std::thread::scope(|scope| {
        let parts: Vec<_> = (0..n_threads)
            .map(|part| scope.spawn(move || try_copies((part..copies).step_by(n_threads as usize))))
            .collect();
        let counts = parts.into_iter().map(|part| part.join().expect("no panic"));
        counts.fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1))
    });
    assert!(opened > copies / 3, "only {opened} of {copies} copies opened");
    assert!(warned > copies / 4, "only {warned} of {copies} copies had a warning");
    if let Some(peak) = peak_memory_kib() {
        assert!(peak < MOST_MEMORY_KIB, "{peak} KiB at the peak");
    }
}

/// Returns how many opened, and how many of those had a warning.
fn try_copies(copies: impl Iterator<Item = u64>) -> (u64, u64) {
    // Mostly small ones, so that a mutation hits something that matters.
    let raw = encoded("spacetime-11710");
    let sources = [raw.clone(), fixture("spacetime-11710.p"), raw];
    let large = fixture("spacetime-11710");
    let (mut opened, mut warned) = (0, 0);
    for copy in copies {
        let mut numbers = Numbers(copy);
        let is_large = copy % 50 == 0;
        let mut bytes = if is_large { large.clone() } else { sources[numbers.below(sources.len())].clone() };
        for _ in 0..1 + numbers.below(4) {
            mutate(&mut bytes, &sources, &mut numbers);
        }
        let chunk_bytes = 1 + numbers.below(bytes.len() + 1);
        let (counts, finished) = count(&bytes, chunk_bytes);
        if copy % 16 == 0 {
            assert_eq!(count(&bytes, bytes.len()), (counts, finished.clone()), "copy {copy}: chunks of {chunk_bytes}");
            let whole = decode_chunks([&bytes[..]], MAX_VALUE_BYTES);
            assert!(decode_chunks(bytes.chunks(chunk_bytes), MAX_VALUE_BYTES) == whole, "copy {copy}: {chunk_bytes}");
        }
        if let Ok(finished) = finished {
            opened += 1;
            warned += u64::from(!finished.warnings.is_empty());
            assert!(finished.warnings.is_sorted_by_key(|warning| warning.offset), "copy {copy}");
            assert_eq!(finished.bytes, bytes.len() as u64, "copy {copy}");
        }
    }
    (opened, warned)
}

/// Counts what it is told, and checks that it is in proportion.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    n_snapshots: usize,
    n_entries: usize,
    n_nodes: u32,
    n_frames: usize,
    n_points: usize,
    n_calls: u64,
}

impl Sink for Counts {
    fn snapshot(&mut self, snapshot: &Snapshot) {
        self.n_snapshots += 1;
        self.n_entries += snapshot.entries.len() + snapshot.allocated.len();
    }
    fn mark(&mut self, _name: &str, _at_us: u64) {}
    fn position(&mut self, _address: Address, frames: &[Position]) {
        self.n_frames += frames.len();
    }
    fn child(&mut self, parent: Node, _address: Address) -> Node {
        assert!(parent.0 <= self.n_nodes);
        self.n_nodes += 1;
        Node(self.n_nodes)
    }
    fn allocation_point(&mut self, _profinfo: u32, node: Node) {
        assert!(node.0 <= self.n_nodes);
        self.n_points += 1;
    }
    fn calls(&mut self, _node: Node, n: u64) {
        self.n_calls = self.n_calls.checked_add(n).expect("counts can be summed");
    }
}

fn count(bytes: &[u8], chunk_bytes: usize) -> (Counts, Result<Finished, Refusal>) {
    let mut counts = Counts::default();
    let mut decoder = Decoder::new(MAX_VALUE_BYTES);
    for chunk in bytes.chunks(chunk_bytes.max(1)) {
        if let Err(refusal) = decoder.push(chunk, &mut counts) {
            return (counts, Err(refusal));
        }
        // The tables and a trie.
        assert!(decoder.heap_bytes() <= 3 * MAX_VALUE_BYTES, "{} bytes are held", decoder.heap_bytes());
    }
    let finished = decoder.finish(&mut counts);
    let told = counts.n_entries + counts.n_nodes as usize + counts.n_frames + counts.n_points;
    assert!(told <= bytes.len(), "{told} things are told of {} bytes", bytes.len());
    (counts, finished)
}

fn mutate(bytes: &mut Vec<u8>, sources: &[Vec<u8>], numbers: &mut Numbers) {
    if bytes.is_empty() {
        return;
    }
    let at = numbers.below(bytes.len());
    let len = (1 + numbers.below(64)).min(bytes.len() - at);
    match numbers.below(11) {
        0 | 1 => bytes[at] ^= 1 << numbers.below(8),
        2 => {
            for _ in 0..16 {
                let at = numbers.below(bytes.len());
                bytes[at] ^= 1 << numbers.below(8);
            }
        }
        3 => bytes.truncate(at),
        4 => drop(bytes.drain(at..at + len)),
        5 => {
            let other = &sources[numbers.below(sources.len())];
            let from = numbers.below(other.len());
            let piece = other[from..(from + len * 16).min(other.len())].to_vec();
            bytes.splice(at..at + len, piece);
        }
        6 => {
            let extremes: [&[u8]; 8] = [
                &[0],
                &[0xff],
                &[0xff; 4],
                &[0x7f, 0xff, 0xff, 0xff],
                &[0xff; 8],
                // A block, a string and an array of as many as can be said.
                &[0x08, 0xff, 0xff, 0xfc, 0],
                &[0x0a, 0xff, 0xff, 0xff, 0xff],
                &[0x07, 0xff, 0xff, 0xff, 0xff],
            ];
            let extreme = extremes[numbers.below(extremes.len())];
            let len = extreme.len().min(bytes.len() - at);
            bytes[at..at + len].copy_from_slice(&extreme[..len]);
        }
        7 => overwrite_a_header(bytes, numbers),
        8 => {
            let other = numbers.below(bytes.len());
            bytes.swap(at, other);
        }
        9 => bytes[at..at + len].fill(0),
        _ => drop(bytes.splice(at..at, (0..len).map(|_| numbers.next() as u8).collect::<Vec<_>>())),
    }
}

/// Puts an extreme number into a value's header.
fn overwrite_a_header(bytes: &mut [u8], numbers: &mut Numbers) {
    let starts: Vec<usize> = (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"\x84\x95\xa6\xbe")).collect();
    if starts.is_empty() {
        return;
    }
    let at = starts[numbers.below(starts.len())] + 4 * (1 + numbers.below(4));
    let extremes = [0, 1, 0x7fff_ffff, 0xffff_ffff, numbers.next() as u32, numbers.next() as u32 % 1000];
    let extreme = extremes[numbers.below(extremes.len())].to_be_bytes();
    if let Some(field) = bytes.get_mut(at..at + 4) {
        field.copy_from_slice(&extreme);
    }
}

/// Of this process, where the system tells.
fn peak_memory_kib() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}

/// A small generator of numbers that are the same in every run.
pub struct Numbers(pub u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let n = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let n = (n ^ (n >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        n ^ (n >> 31)
    }

    /// Below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }
}
