//! A sink that records everything from a decoder.

use std::collections::BTreeMap;

use camlscope_formats::spacetime::{Address, Decoder, Finished, Header, Node, Refusal, Sink, Snapshot, SourcePosition};

/// More than any readable value in the tests takes.
pub const MAX_VALUE_BYTES: usize = 64 << 20;

#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recorder {
    pub header: Option<Header>,
    pub snapshots: Vec<Snapshot>,
    pub marks: Vec<(String, u64)>,
    pub positions: BTreeMap<Address, Vec<SourcePosition>>,
    /// Parent and address of each node except the root.
    pub nodes: Vec<(Node, Address)>,
    pub points: Vec<(u32, Node)>,
    pub calls: Vec<(Node, u64)>,
    /// All calls, in order.
    pub log: Vec<&'static str>,
}

impl Sink for Recorder {
    fn header(&mut self, header: Header) {
        assert!(self.log.is_empty(), "the header isn't first, or is repeated");
        self.log.push("header");
        self.header = Some(header);
    }

    fn snapshot(&mut self, snapshot: &Snapshot) {
        self.log.push("snapshot");
        assert!(snapshot.entries.is_sorted_by(|a, b| a.profinfo < b.profinfo));
        assert!(snapshot.allocated.is_sorted_by(|a, b| a.0 < b.0));
        self.snapshots.push(snapshot.clone());
    }

    fn mark(&mut self, name: &str, at_us: u64) {
        self.log.push("mark");
        self.marks.push((name.to_owned(), at_us));
    }

    fn position(&mut self, address: Address, frames: &[SourcePosition]) {
        self.log.push("position");
        assert!(!frames.is_empty());
        assert!(self.nodes.iter().all(|(_, used)| *used != address), "a position came after its address was used");
        assert!(self.positions.insert(address, frames.to_vec()).is_none(), "an address was reported twice");
    }

    fn child(&mut self, parent: Node, address: Address) -> Node {
        self.log.push("child");
        assert!(parent.0 as usize <= self.nodes.len());
        self.nodes.push((parent, address));
        Node(self.nodes.len() as u32)
    }

    fn allocation_point(&mut self, profinfo: u32, node: Node) {
        self.log.push("allocation point");
        self.points.push((profinfo, node));
    }

    fn calls(&mut self, node: Node, n: u64) {
        self.log.push("calls");
        self.calls.push((node, n));
    }
}

impl Recorder {
    /// Returns the positions of a stack, innermost first, with inlined ones listed individually: `leak.ml:4:77-87`. An
    /// address without one is `?`.
    pub fn stack(&self, mut node: Node) -> Vec<String> {
        let mut places = Vec::new();
        while node != Node::ROOT {
            let (parent, address) = self.nodes[node.0 as usize - 1];
            match self.positions.get(&address) {
                Some(frames) => places.extend(frames.iter().rev().map(place)),
                None => places.push("?".to_owned()),
            }
            node = parent;
        }
        places
    }

    /// Returns the addresses of a stack, starting at the root.
    pub fn addresses(&self, mut node: Node) -> Vec<u64> {
        let mut addresses = Vec::new();
        while node != Node::ROOT {
            let (parent, address) = self.nodes[node.0 as usize - 1];
            addresses.push(address.0);
            node = parent;
        }
        addresses.reverse();
        addresses
    }
}

fn place(position: &SourcePosition) -> String {
    format!("{}:{}:{}-{}", position.file, position.line, position.start_char, position.end_char)
}

pub fn decode(bytes: &[u8], chunk_bytes: usize) -> (Recorder, Result<Finished, Refusal>) {
    decode_chunks(bytes.chunks(chunk_bytes.max(1)), MAX_VALUE_BYTES)
}

pub fn decode_chunks<'b>(
    chunks: impl IntoIterator<Item = &'b [u8]>,
    max_value_bytes: usize,
) -> (Recorder, Result<Finished, Refusal>) {
    let mut recorder = Recorder::default();
    let mut decoder = Decoder::new(max_value_bytes);
    for chunk in chunks {
        if let Err(refusal) = decoder.push(chunk, &mut recorder) {
            return (recorder, Err(refusal));
        }
    }
    let finished = decoder.finish(&mut recorder);
    (recorder, finished)
}

/// Decodes an intact file.
pub fn read(bytes: &[u8]) -> (Recorder, Finished) {
    let (recorder, finished) = decode(bytes, bytes.len());
    (recorder, finished.expect("a profile"))
}

pub fn fixture(name: &str) -> Vec<u8> {
    std::fs::read(camlscope_testkit::fixtures::folder().join(name)).expect("readable")
}
