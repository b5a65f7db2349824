//! Damaged files: 1,000 mutated copies must decode without panicking, the same in chunks and at once, in little memory.
//! Set `CAMLSCOPE_COPIES` to try more, as a nightly run does.

use camlscope_formats::spacetime::{Address, Decoder, Finished, Node, Refusal, Sink, Snapshot, SourcePosition};

use crate::recorder::{decode_chunks, fixture};
use crate::round_trip::encoded;
use camlscope_testkit::mutations::{PROFILE, assert_little_memory, count_in_parallel, mutated, n_copies};
use fastrand::Rng;

const COPIES: u64 = 1_000;
/// The memory limit for a value of a mutated copy.
const MAX_VALUE_BYTES: usize = 16 << 20;

#[test]
fn mutated_profiles_open_or_are_refused_in_bounded_memory() {
    let copies = n_copies(COPIES);
    // Mostly small files, so that a mutation hits something important.
    let raw = encoded("spacetime-11710");
    let small = [raw.clone(), fixture("spacetime-11710.p"), raw];
    let large = [fixture("spacetime-11710")];
    let [opened, warned] =
        count_in_parallel(copies, |copy| try_copy(copy, if copy.is_multiple_of(50) { &large } else { &small }));
    assert!(opened > copies / 3, "only {opened} of {copies} copies opened");
    assert!(warned > copies / 4, "only {warned} of {copies} copies had a warning");
    assert_little_memory();
}

/// Returns whether the copy opened, and whether it opened with a warning.
fn try_copy(copy: u64, sources: &[Vec<u8>]) -> [u64; 2] {
    let mut rng = Rng::with_seed(copy);
    let bytes = mutated(&mut rng, sources, &PROFILE);
    let chunk_bytes = 1 + rng.usize(..bytes.len() + 1);
    let (counts, finished) = count(&bytes, chunk_bytes);
    if copy.is_multiple_of(16) {
        assert_eq!(count(&bytes, bytes.len()), (counts, finished.clone()), "copy {copy}: chunks of {chunk_bytes}");
        let whole = decode_chunks([&bytes[..]], MAX_VALUE_BYTES);
        assert!(decode_chunks(bytes.chunks(chunk_bytes), MAX_VALUE_BYTES) == whole, "copy {copy}: {chunk_bytes}");
    }
    let Ok(finished) = finished else { return [0, 0] };
    assert!(finished.warnings.is_sorted_by_key(|warning| warning.first_offset), "copy {copy}");
    assert_eq!(finished.bytes, bytes.len() as u64, "copy {copy}");
    [1, u64::from(!finished.warnings.is_empty())]
}

/// Counts what is reported and checks that it is in proportion.
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
    fn position(&mut self, _address: Address, frames: &[SourcePosition]) {
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
        // For the tables and a trie.
        assert!(decoder.heap_bytes() <= 3 * MAX_VALUE_BYTES, "{} bytes are held", decoder.heap_bytes());
    }
    let finished = decoder.finish(&mut counts);
    let n_items = counts.n_entries + counts.n_nodes as usize + counts.n_frames + counts.n_points;
    assert!(n_items <= bytes.len(), "{n_items} items reported from {} bytes", bytes.len());
    (counts, finished)
}
