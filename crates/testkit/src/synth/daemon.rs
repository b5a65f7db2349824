//! A Spacetime profile of a daemon with about 3,000 allocation points. Most allocate garbage. Others allocate tables at
//! startup, caches that fill up, tables that grow with the number of users, and a leak. The load rises and falls over
//! time, and a new phase of work begins every few minutes.

use std::f64::consts::TAU;
use std::io;

use fastrand::Rng;

use super::program::Program;
use camlscope_formats::spacetime::encode::{Encoder, Written};
use camlscope_formats::spacetime::{Address, Entry, GcStats, Node, Snapshot};

/// Writes a profile of at least `bytes` bytes. Nearly all of them are snapshots.
pub fn generate<W: io::Write>(bytes: u64, seed: u64, out: W) -> io::Result<Written> {
    let mut rng = Rng::with_seed(seed);
    let mut encoder = Encoder::new(true, out)?;
    let mut points = make_points(&mut encoder, &mut rng);
    let mut snapshot = Snapshot::default();
    let mut n_phases = 0;
    while encoder.bytes_out() < bytes {
        snapshot.at_us += SNAPSHOT_US + rng.u64(..SNAPSHOT_US / 50);
        if snapshot.at_us / PHASE_US >= n_phases {
            n_phases += 1;
            encoder.mark(&format!("phase {n_phases}"), snapshot.at_us)?;
        }
        let progress = encoder.bytes_out() as f64 / bytes as f64;
        let n_active = N_AT_START + (progress * f64::from(N_POINTS - N_AT_START)) as u32;
        run(&mut points[..n_active as usize], snapshot.at_us, &mut rng);
        look(&points[..n_active as usize], &mut snapshot);
        encoder.snapshot(&snapshot)?;
    }
    encoder.finish(snapshot.at_us + 1_000)
}

/// An allocation point and the state of its blocks.
#[derive(Debug)]
struct Point {
    profinfo: u32,
    retention: Retention,
    block_words: u64,
    /// Blocks allocated between two snapshots at average load.
    pace: u64,
    live_blocks: u64,
    allocated_words: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Retention {
    /// Only a few blocks are live at any time.
    Garbage,
    /// Allocated at startup and never freed.
    StartUp,
    /// Keeps up to `max_blocks` blocks.
    Cache { max_blocks: u64 },
    /// One block in 64 is never freed.
    Grows,
    /// No block is ever freed.
    Leak,
}

const N_POINTS: u32 = 3_000;
/// Stacks that only call. They make the trie as large as a real daemon's.
const N_CALL_STACKS: usize = 20_000;
/// Points that allocate from the start. The others begin to allocate one by one.
const N_AT_START: u32 = 2_400;
const MAX_FRAMES: usize = 30;
const SNAPSHOT_US: u64 = 400_000;
const START_UP_US: u64 = 8_000_000;
const PHASE_US: u64 = 240_000_000;
/// The time from one load peak to the next.
const LOAD_CYCLE_US: f64 = 900e6;
const MINOR_HEAP_WORDS: u64 = 256 << 10;

/// Creates stacks that branch off from one another, each ending in an allocation point.
fn make_points<W: io::Write>(encoder: &mut Encoder<W>, rng: &mut Rng) -> Vec<Point> {
    let program = Program::medium(rng);
    for (address, frames) in program.positions().filter(|(_, frames)| !frames.is_empty()) {
        encoder.position(address, &frames);
    }
    let stacks = program.branching_stacks(N_POINTS as usize + N_CALL_STACKS, MAX_FRAMES, rng);
    let mut points = Vec::new();
    for (profinfo, stack) in (1..).zip(&stacks) {
        let Some((site, calls)) = stack.split_last() else { continue };
        let mut node = Node::ROOT;
        for &code in calls {
            node = encoder.child(node, Address(code));
            encoder.calls(node, rng.u64(1..1_000_000) >> rng.u32(..20));
        }
        if profinfo <= N_POINTS {
            let node = encoder.child(node, Address(*site));
            encoder.allocation_point(profinfo, node);
            points.push(Point::new(profinfo, rng));
        }
    }
    points
}

impl Point {
    fn new(profinfo: u32, rng: &mut Rng) -> Point {
        let retention = match rng.u32(..1_000) {
            0..6 => Retention::Leak,
            6..40 => Retention::Grows,
            40..160 => Retention::Cache { max_blocks: 1 << rng.u32(6..15) },
            160..400 => Retention::StartUp,
            _ => Retention::Garbage,
        };
        let pace = match retention {
            Retention::Leak => rng.u64(1..12),
            Retention::StartUp => rng.u64(1..300),
            Retention::Grows | Retention::Cache { .. } | Retention::Garbage => 1 << rng.u32(1..12),
        };
        let block_words = 2 + (rng.u64(..64) >> rng.u32(..6));
        Point { profinfo, retention, block_words, pace, live_blocks: 0, allocated_words: 0 }
    }

    fn allocate(&mut self, n: u64, random: u64) {
        self.allocated_words += n * self.block_words;
        self.live_blocks = match self.retention {
            Retention::Garbage => (random >> 32) % (1 + n / 4),
            Retention::StartUp | Retention::Leak => self.live_blocks + n,
            Retention::Cache { max_blocks } => (self.live_blocks + n).min(max_blocks),
            Retention::Grows => self.live_blocks + n.div_ceil(64),
        };
    }
}

/// Simulates the program until the next snapshot.
fn run(points: &mut [Point], at_us: u64, rng: &mut Rng) {
    let load = 1.0 + 0.6 * (at_us as f64 / LOAD_CYCLE_US * TAU).sin();
    let load_of_1024 = (load * 1024.0) as u64;
    for point in points {
        let random = rng.u64(..);
        let n = match point.retention {
            Retention::StartUp if at_us > START_UP_US => continue,
            Retention::StartUp | Retention::Leak => point.pace,
            // Between half and one and a half times the pace.
            _ => (point.pace * (512 + random % 1024) * load_of_1024) >> 20,
        };
        point.allocate(n, random);
    }
}

/// Takes a snapshot.
fn look(points: &[Point], snapshot: &mut Snapshot) {
    let entry = |point: &Point| Entry {
        profinfo: point.profinfo,
        blocks: point.live_blocks,
        words: point.live_blocks * point.block_words,
    };
    snapshot.entries.clear();
    snapshot.entries.extend(points.iter().filter(|point| point.live_blocks > 0).map(entry));
    snapshot.allocated.clear();
    snapshot.allocated.extend(points.iter().map(|point| (point.profinfo, point.allocated_words)));
    let live_words: u64 = snapshot.entries.iter().map(|entry| entry.words).sum();
    let allocated_words: u64 = points.iter().map(|point| point.allocated_words).sum();
    let before = snapshot.gc.unwrap_or_default();
    // The file stores heap sizes in units of 8 words.
    let heap_words = (live_words * 5 / 4).next_multiple_of(8);
    snapshot.words_scanned = Some(live_words + live_words / 16);
    snapshot.words_scanned_with_profinfo = Some(live_words);
    snapshot.gc = Some(GcStats {
        minor_words: allocated_words,
        promoted_words: allocated_words / 10,
        major_words: allocated_words / 9,
        minor_collections: allocated_words / MINOR_HEAP_WORDS,
        major_collections: allocated_words / (40 * MINOR_HEAP_WORDS),
        heap_words,
        heap_chunks: 1 + heap_words / (4 << 20),
        compactions: 0,
        top_heap_words: before.top_heap_words.max(heap_words),
    });
}
