//! A profile while it is read. Snapshots refer to allocation points by numbers, and their stacks are at the end of the
//! file. So points get their stacks when everything has been read.

use rustc_hash::FxHashMap;

use super::{Allocated, Live, Mark, Profile, Snapshot};
use crate::trace::{Budget, CallsBuilder, Preview, SourceLocation, StackId};
use camlscope_formats::spacetime::{self, Address, Finished, Form, Header, Node, Sink, SourcePosition};

#[derive(Debug)]
pub struct ProfileBuilder {
    budget: Budget,
    header: Header,
    calls: CallsBuilder,
    snapshots: Vec<Snapshot>,
    marks: Vec<Mark>,
    call_counts: Vec<(StackId, u64)>,
    live: Vec<Live>,
    allocated: Vec<Allocated>,
    /// Indices of points by the file's numbers.
    points: FxHashMap<u32, u32>,
    /// Indexed by point. Points that the file hasn't named yet have the empty stack.
    stack_of_point: Vec<StackId>,
    n_named: u64,
    kept_one_in: u32,
    n_snapshots: u32,
}

/// The share of the budget for snapshots. The rest is for stacks and queries.
const SHARE_OF_SNAPSHOTS: f64 = 0.6;

impl ProfileBuilder {
    pub fn new(budget: Budget) -> ProfileBuilder {
        ProfileBuilder {
            budget,
            header: Header { version: 0, has_call_counts: false, form: Form::Raw },
            calls: CallsBuilder::default(),
            snapshots: Vec::new(),
            marks: Vec::new(),
            call_counts: Vec::new(),
            live: Vec::new(),
            allocated: Vec::new(),
            points: FxHashMap::default(),
            stack_of_point: Vec::new(),
            n_named: 0,
            kept_one_in: 1,
            n_snapshots: 0,
        }
    }

    pub fn finish(mut self, finished: Finished) -> Profile {
        // Points without a stack belong to frames lost to damage.
        if self.stack_of_point.contains(&StackId::EMPTY) {
            let lost = self.calls.lost_child(StackId::EMPTY);
            self.stack_of_point.iter_mut().filter(|stack| **stack == StackId::EMPTY).for_each(|stack| *stack = lost);
        }
        self.snapshots.sort_by_key(|snapshot| snapshot.at_us);
        self.marks.sort_by_key(|mark| mark.at_us);
        let last_us = self.snapshots.iter().map(|snapshot| snapshot.at_us);
        let last_us = last_us.chain(self.marks.iter().map(|mark| mark.at_us)).max().unwrap_or(0);
        Profile {
            header: self.header,
            calls: self.calls.finish(),
            snapshots: self.snapshots,
            marks: self.marks,
            call_counts: self.call_counts,
            stack_of_point: self.stack_of_point,
            live: self.live,
            allocated: self.allocated,
            n_points: finished.has_points.then_some(self.n_named + u64::from(finished.has_unused_points)),
            kept_one_in: self.kept_one_in,
            bytes: finished.bytes,
            file_bytes: finished.bytes,
            end_us: finished.end_us.unwrap_or(last_us).max(last_us),
            warnings: finished.warnings,
            archive_damaged_at: None,
        }
    }

    /// Returns the curve of live words so far, in at most this many time ranges. It has no stacks, because they are at
    /// the end of the file.
    pub fn preview(&self, n_bins: usize) -> Preview {
        let end_us = self.snapshots.last().map_or(0, |snapshot| snapshot.at_us);
        let n_bins = n_bins.max(1);
        let live_at = |time_us: u64| {
            let n_before = self.snapshots.partition_point(|snapshot| snapshot.at_us <= time_us);
            n_before.checked_sub(1).map_or(0, |at| self.snapshots[at].all_words())
        };
        let bin_end = |bin: usize| (end_us as f64 * (bin + 1) as f64 / n_bins as f64) as u64;
        Preview { end_us, live: (0..n_bins).map(|bin| live_at(bin_end(bin))).collect(), ..Preview::default() }
    }

    pub fn heap_bytes(&self) -> usize {
        self.calls.heap_bytes() + self.snapshot_bytes()
    }

    fn snapshot_bytes(&self) -> usize {
        self.live.capacity() * size_of::<Live>()
            + self.allocated.capacity() * size_of::<Allocated>()
            + self.snapshots.capacity() * size_of::<Snapshot>()
    }

    fn point(&mut self, profinfo: u32) -> u32 {
        let stacks = &mut self.stack_of_point;
        *self.points.entry(profinfo).or_insert_with(|| {
            stacks.push(StackId::EMPTY);
            stacks.len() as u32 - 1
        })
    }

    /// Drops every second kept snapshot.
    fn downsample(&mut self) {
        self.kept_one_in = self.kept_one_in.saturating_mul(2);
        let mut live = Vec::with_capacity(self.live.len() / 2 + 1);
        let mut allocated = Vec::with_capacity(self.allocated.len() / 2 + 1);
        let mut kept = Vec::with_capacity(self.snapshots.len() / 2 + 1);
        for snapshot in self.snapshots.drain(..).step_by(2) {
            let (live_from, allocated_from) = (live.len(), allocated.len());
            live.extend_from_slice(&self.live[snapshot.live.clone()]);
            allocated.extend_from_slice(&self.allocated[snapshot.allocated.clone()]);
            kept.push(Snapshot { live: live_from..live.len(), allocated: allocated_from..allocated.len(), ..snapshot });
        }
        (self.live, self.allocated, self.snapshots) = (live, allocated, kept);
    }
}

impl Sink for ProfileBuilder {
    fn header(&mut self, header: Header) {
        self.header = header;
    }

    fn snapshot(&mut self, snapshot: &spacetime::Snapshot) {
        let number = self.n_snapshots;
        self.n_snapshots = self.n_snapshots.saturating_add(1);
        if !number.is_multiple_of(self.kept_one_in) {
            return;
        }
        let (live_from, allocated_from) = (self.live.len(), self.allocated.len());
        let (mut live_words, mut live_blocks, mut allocated_words) = (0u64, 0u64, 0u64);
        for entry in &snapshot.entries {
            let point = self.point(entry.profinfo);
            let blocks = u32::try_from(entry.blocks).unwrap_or(u32::MAX);
            self.live.push(Live { point, blocks, words: entry.words });
            live_words = live_words.saturating_add(entry.words);
            live_blocks = live_blocks.saturating_add(entry.blocks);
        }
        for &(profinfo, words) in &snapshot.allocated {
            let point = self.point(profinfo);
            self.allocated.push(Allocated { words, point });
            allocated_words = allocated_words.saturating_add(words);
        }
        let scanned = snapshot.words_scanned.unwrap_or(0);
        let attributed = snapshot.words_scanned_with_profinfo.unwrap_or(scanned);
        self.snapshots.push(Snapshot {
            at_us: snapshot.at_us,
            gc: snapshot.gc,
            live_words,
            live_blocks,
            unattributed_words: scanned.saturating_sub(attributed),
            allocated_words,
            live: live_from..self.live.len(),
            allocated: allocated_from..self.allocated.len(),
        });
        if self.snapshot_bytes() as f64 > SHARE_OF_SNAPSHOTS * self.budget.bytes as f64 && self.snapshots.len() > 2 {
            self.downsample();
        }
    }

    fn mark(&mut self, name: &str, at_us: u64) {
        self.marks.push(Mark { name: name.to_owned(), at_us });
    }

    fn position(&mut self, address: Address, frames: &[SourcePosition]) {
        let column = |n: u32| u16::try_from(n).unwrap_or(u16::MAX);
        let locations: Vec<SourceLocation<'_>> = frames
            .iter()
            .map(|frame| SourceLocation {
                file: &frame.file,
                line: frame.line,
                start_char: column(frame.start_char),
                end_char: column(frame.end_char),
            })
            .collect();
        self.calls.explain(address.0, &locations);
    }

    fn child(&mut self, parent: Node, address: Address) -> Node {
        Node(self.calls.child(StackId(parent.0), address.0).0)
    }

    fn allocation_point(&mut self, profinfo: u32, node: Node) {
        let point = self.point(profinfo);
        let stack = &mut self.stack_of_point[point as usize];
        self.n_named += 1;
        *stack = StackId(node.0);
    }

    fn calls(&mut self, node: Node, n: u64) {
        self.call_counts.push((StackId(node.0), n));
    }
}
