use super::super::sink::Alloc;
use super::*;

const HIT: u16 = 0;
const HIT1: u16 = 1;
const HIT_N: u16 = 2;
const MISS: u16 = 3;

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn miss(mut self, slot: u16, code: u64) -> Bytes {
        self.0.extend((slot << 2 | MISS).to_le_bytes());
        self.0.extend(code.to_le_bytes());
        self
    }
    fn hit(mut self, slot: u16, tag: u16) -> Bytes {
        self.0.extend((slot << 2 | tag).to_le_bytes());
        self
    }
    fn byte(mut self, byte: u8) -> Bytes {
        self.0.push(byte);
        self
    }
}

/// Numbers stacks by their index in a list of (parent, code). The first is the empty stack.
struct Tree {
    nodes: Vec<(StackNode, CodeId)>,
    /// Used once the sink decides which stacks it wants.
    wants_next: bool,
}

impl Sink for Tree {
    fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode {
        self.nodes.push((parent, code));
        StackNode(self.nodes.len() as u32 - 1)
    }
    fn wants_stack(&self, _id: ObjectId, _n_samples: u64) -> bool {
        self.wants_next
    }
    fn alloc(&mut self, _alloc: &Alloc, _stack: Stack) {}
    fn promote(&mut self, _time_us: u64, _id: ObjectId) {}
    fn collect(&mut self, _time_us: u64, _id: ObjectId) {}
}

struct Bench {
    state: Backtraces,
    codes: Codes,
    tree: Tree,
}

impl Bench {
    fn new() -> Bench {
        let tree = Tree { nodes: vec![(StackNode::EMPTY, CodeId::LOST)], wants_next: true };
        Bench { state: Backtraces::new(), codes: Codes::new(), tree }
    }

    fn read(&mut self, prefix: u64, n: usize, bytes: Bytes) -> Vec<u64> {
        let (stack, frames) = self.read_stack(prefix, n, &bytes);
        assert_eq!(frames.len(), stack.depth);
        frames
    }

    /// Returns the stack as the sink gets it, and the frames of its node.
    fn read_stack(&mut self, prefix: u64, n: usize, bytes: &Bytes) -> (Stack, Vec<u64>) {
        let mut reader = Reader::new(&bytes.0);
        let Bench { state, codes, tree } = self;
        let coded = Coded { id: ObjectId(0), n_samples: 1, common_prefix: prefix, n_codes: n };
        let stack = state.read(&mut reader, coded, codes, &mut 0, tree).expect("long enough");
        let mut frames = Vec::new();
        let mut at = stack.node;
        while at != StackNode::EMPTY {
            let (parent, code) = self.tree.nodes[at.0 as usize];
            frames.push(self.codes.as_slice()[code.0 as usize]);
            at = parent;
        }
        frames.reverse();
        (stack, frames)
    }
}

#[test]
fn a_prediction_replays_the_frames_that_followed_last_time() {
    let mut bench = Bench::new();
    let first = Bytes::default().miss(1, 100).miss(2, 200).miss(3, 300);
    assert_eq!(bench.read(0, 3, first), [100, 200, 300]);
    assert_eq!(bench.read(0, 1, Bytes::default().hit(1, HIT_N).byte(2)), [100, 200, 300]);
    assert_eq!(bench.read(0, 1, Bytes::default().hit(1, HIT1)), [100, 200]);
    assert_eq!(bench.read(1, 1, Bytes::default().hit(3, HIT)), [100, 300]);
}

#[test]
fn a_prefix_longer_than_the_last_stack_reuses_that_stack() {
    let mut bench = Bench::new();
    bench.read(0, 1, Bytes::default().miss(1, 100));
    assert_eq!(bench.read(9, 1, Bytes::default().miss(2, 200)), [100]);
    assert_eq!(bench.read(1, 1, Bytes::default().hit(2, HIT)), [100, 200], "its codes were still read");
}

#[test]
fn after_a_gap_frames_are_lost_until_named_again() {
    let mut bench = Bench::new();
    bench.read(0, 2, Bytes::default().miss(1, 100).miss(2, 200));
    bench.state.forget();
    let lost = bench.codes.as_slice()[CodeId::LOST.0 as usize];
    let after = Bytes::default().hit(2, HIT1).miss(3, 300);
    assert_eq!(bench.read(5, 2, after), [lost, lost, lost, 300]);
    assert_eq!(bench.read(8, 0, Bytes::default()), [lost, lost, lost, 300], "8 frames are kept");
    assert_eq!(bench.read(7, 0, Bytes::default()), [lost, lost, lost]);
    assert_eq!(bench.read(3, 1, Bytes::default().hit(3, HIT)), [lost, 300], "inside the lost part");
    assert_eq!(bench.read(4, 0, Bytes::default()), [lost, 300]);
    assert_eq!(bench.read(0, 1, Bytes::default().hit(3, HIT)), [300], "a stack of its own");
}

#[test]
fn a_sink_that_wants_few_stacks_gets_the_same_ones_with_fewer_nodes() {
    let mut state = 1_u64;
    let mut random = move |below: u64| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) % below
    };
    let (mut all, mut few) = (Bench::new(), Bench::new());
    let mut depth = 0;
    for turn in 0..20_000 {
        if turn == 100 {
            few.state.let_sink_choose();
        }
        if random(500) == 0 {
            all.state.forget();
            few.state.forget();
        }
        if turn == 19_000 {
            all.state.distrust();
            few.state.distrust();
        }
        // Some prefixes are longer than the last stack.
        let (prefix, n) = (random(depth + 2), random(4));
        let mut bytes = Bytes::default();
        for _ in 0..n {
            let slot = random(40) as u16;
            bytes = match random(4) {
                0 => bytes.miss(slot, 1000 + random(100)),
                1 => bytes.hit(slot, HIT1),
                2 => bytes.hit(slot, HIT_N).byte(random(9) as u8),
                _ => bytes.hit(slot, HIT),
            };
        }
        few.tree.wants_next = random(8) == 0;
        let (expected, frames) = all.read_stack(prefix, n as usize, &bytes);
        let (read, read_frames) = few.read_stack(prefix, n as usize, &bytes);
        assert_eq!(read.depth, expected.depth, "turn {turn}");
        if few.tree.wants_next || turn < 100 {
            assert_eq!(read_frames, frames, "turn {turn}");
        } else {
            assert_eq!(read.node, StackNode::EMPTY, "turn {turn}");
        }
        depth = expected.depth as u64;
    }
    assert!(few.tree.nodes.len() * 3 < all.tree.nodes.len() * 2, "{} nodes", few.tree.nodes.len());
}

#[test]
fn a_header_that_contradicts_the_cache_is_detected_and_restores_lost_slots() {
    let mut bench = Bench::new();
    bench.read(0, 2, Bytes::default().miss(1, 100).miss(2, 200));
    let right = Verify { slot: 1, pred: 2, code: 100 };
    assert_eq!(bench.state.verify(right, &mut bench.codes), CacheCheck::InStep);
    assert_eq!(bench.state.verify(Verify { code: 101, ..right }, &mut bench.codes), CacheCheck::OutOfStep);
    assert_eq!(bench.state.verify(Verify { pred: 3, ..right }, &mut bench.codes), CacheCheck::OutOfStep);
    bench.state.forget();
    assert_eq!(bench.state.verify(right, &mut bench.codes), CacheCheck::InStep);
    assert_eq!(bench.read(0, 1, Bytes::default().hit(1, HIT)), [100]);
}
