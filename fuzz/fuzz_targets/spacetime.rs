//! Decodes any bytes as a Spacetime profile. Nothing panics, the decoded data doesn't depend on the chunks, and memory and work
//! are proportional to the size of the file.

#![no_main]

mod input;

use camlscope_formats::spacetime::{Address, Decoder, Finished, Header, Node, SourcePosition, Refusal, Sink, Snapshot};
use input::number_and_rest;
use libfuzzer_sys::fuzz_target;

/// Larger values are skipped.
const MAX_VALUE_BYTES: usize = 16 << 20;

fuzz_target!(|input: &[u8]| {
    let (chunk_bytes, file) = number_and_rest(input);
    assert_eq!(decode(file, chunk_bytes.max(1)), decode(file, file.len().max(1)));
});

fn decode(file: &[u8], chunk_bytes: usize) -> (Log, Result<Finished, Refusal>) {
    let mut log = Log::default();
    let mut decoder = Decoder::new(MAX_VALUE_BYTES);
    for chunk in file.chunks(chunk_bytes) {
        if let Err(refusal) = decoder.push(chunk, &mut log) {
            return (log, Err(refusal));
        }
        // Two tables and a trie.
        assert!(decoder.heap_bytes() <= 3 * MAX_VALUE_BYTES, "{} bytes in memory", decoder.heap_bytes());
    }
    let finished = decoder.finish(&mut log);
    assert!(log.n_nodes as usize + log.n_frames <= file.len(), "more nodes and frames than bytes");
    (log, finished)
}

/// Records everything that the decoder reports.
#[derive(Debug, Default, PartialEq)]
struct Log {
    header: Option<Header>,
    snapshots: Vec<Snapshot>,
    marks: Vec<(String, u64)>,
    positions: Vec<(Address, Vec<SourcePosition>)>,
    stacks: Vec<(Node, Address)>,
    points: Vec<(u32, Node)>,
    calls: Vec<(Node, u64)>,
    n_nodes: u32,
    n_frames: usize,
}

impl Sink for Log {
    fn header(&mut self, header: Header) {
        self.header = Some(header);
    }
    fn snapshot(&mut self, snapshot: &Snapshot) {
        self.snapshots.push(snapshot.clone());
    }
    fn mark(&mut self, name: &str, at_us: u64) {
        self.marks.push((name.to_owned(), at_us));
    }
    fn position(&mut self, address: Address, frames: &[SourcePosition]) {
        self.n_frames += frames.len();
        self.positions.push((address, frames.to_vec()));
    }
    fn child(&mut self, parent: Node, address: Address) -> Node {
        assert!(parent.0 <= self.n_nodes);
        self.stacks.push((parent, address));
        self.n_nodes += 1;
        Node(self.n_nodes)
    }
    fn allocation_point(&mut self, profinfo: u32, node: Node) {
        self.points.push((profinfo, node));
    }
    fn calls(&mut self, node: Node, n: u64) {
        self.calls.push((node, n));
    }
}
