//! `.p`: a single value, as prof_spacetime converted a profile. Each entry of a snapshot has its own backtrace, so
//! stacks are merged here, and each stack that allocates gets a number.

use rustc_hash::{FxHashMap, FxHashSet};

use super::limits::MAX_COUNT;
use super::marshal::{Block, Heap, List, Value};
use super::sink::{Address, Entry, Form, Header, Node, Sink, Snapshot};
use super::snapshot::{count, gc_stats, tidy, time_us};
use super::tables::position_of;

/// A summary of what a `.p` contains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Read {
    pub end_us: Option<u64>,
    pub n_snapshots: u64,
    pub n_points: u64,
    /// Snapshots, entries and call counts that couldn't be read.
    pub n_damaged: u64,
}

/// Passes the contents to the sink. `None` if the value is something else. The stacks may take what the value leaves of
/// `max_bytes`.
pub fn read<S: Sink>(heap: &Heap, max_bytes: usize, sink: &mut S) -> Option<Read> {
    let [snapshots, calls, has_call_counts, final_time] = heap.root()?.block()?.exactly()?;
    let has_call_counts = match has_call_counts {
        Value::Int(n @ 0..=1) => n == 1,
        _ => return None,
    };
    let final_time = Value::Float(final_time.float()?);
    sink.header(Header { version: 0, has_call_counts, form: Form::Series });
    let max_cells = max_bytes.saturating_sub(heap.heap_bytes()) / BYTES_A_CELL;
    let mut stacks = Stacks::new(heap.n_slots(), max_cells, sink);
    let mut read = Read { end_us: time_us(final_time), ..Read::default() };
    read.n_damaged += u64::from(read.end_us.is_none());

    let mut list: List<'_> = snapshots.list();
    for [value] in &mut list {
        match snapshot(value, &mut stacks, &mut read.n_damaged) {
            Some(snapshot) => {
                read.n_snapshots += 1;
                stacks.sink.snapshot(&snapshot);
            }
            None => read.n_damaged += 1,
        }
    }
    read.n_damaged += u64::from(!list.has_ended());

    let mut n_calls_left = MAX_COUNT;
    let mut list: List<'_> = calls.list();
    for [value] in &mut list {
        let entry = call_entry(value).filter(|(_, n)| *n <= n_calls_left);
        match entry.and_then(|(backtrace, n)| Some((stacks.place(backtrace)?, n))) {
            // prof_spacetime doesn't know the calls of functions that did nothing themselves.
            Some((_, 0)) => {}
            Some((place, n)) => {
                n_calls_left -= n;
                let node = stacks.nodes[place as usize].node;
                stacks.sink.calls(node, n);
            }
            None => read.n_damaged += 1,
        }
    }
    read.n_damaged += u64::from(!list.has_ended());
    read.n_points = stacks.n_points.into();
    Some(read)
}

fn snapshot<S: Sink>(value: Value<'_>, stacks: &mut Stacks<'_, S>, n_damaged: &mut u64) -> Option<Snapshot> {
    let [time, stats, entries] = value.block()?.exactly()?;
    let mut snapshot = Snapshot { at_us: time_us(time)?, ..Snapshot::default() };
    if let Value::Block(some) = stats {
        let [stats] = some.exactly()?;
        let [gc, scanned, with_profinfo] = stats.block()?.exactly()?;
        snapshot.gc = Some(gc_stats(gc.block()?)?);
        snapshot.words_scanned = Some(count(scanned)?);
        snapshot.words_scanned_with_profinfo = Some(count(with_profinfo)?);
    }
    let mut list: List<'_> = entries.list();
    for [value] in &mut list {
        let entry = value.block().and_then(entry);
        let Some((profinfo, figures)) =
            entry.and_then(|(backtrace, figures)| Some((stacks.point(backtrace)?, figures)))
        else {
            *n_damaged += 1;
            continue;
        };
        if figures.blocks > 0 || figures.words > 0 {
            snapshot.entries.push(Entry { profinfo, blocks: figures.blocks, words: figures.words });
        }
        snapshot.allocated.push((profinfo, figures.allocated));
    }
    *n_damaged += u64::from(!list.has_ended());
    tidy(&mut snapshot)?;
    Some(snapshot)
}

#[derive(Clone, Copy)]
struct Figures {
    blocks: u64,
    words: u64,
    allocated: u64,
}

/// Returns an entry's backtrace and figures.
fn entry(block: Block<'_>) -> Option<(Value<'_>, Figures)> {
    match block.tag() {
        // Nothing of it is live.
        0 => {
            let [backtrace, allocated] = block.exactly()?;
            Some((backtrace, Figures { blocks: 0, words: 0, allocated: count(allocated)? }))
        }
        // All figures in one integer.
        1 => {
            let [backtrace, packed] = block.exactly()?;
            let packed = packed.int()? as u64;
            let [blocks, words] = [packed & 0xffff, packed >> 16 & 0xffff];
            Some((backtrace, Figures { blocks, words, allocated: packed >> 32 }))
        }
        2 => {
            let [backtrace, blocks, words, allocated] = block.exactly()?;
            let [blocks, words, allocated] = [count(blocks)?, count(words)?, count(allocated)?];
            Some((backtrace, Figures { blocks, words, allocated }))
        }
        _ => None,
    }
}

/// Returns the backtrace and the count of direct (tag 0) or indirect (tag 1) calls.
fn call_entry(value: Value<'_>) -> Option<(Value<'_>, u64)> {
    let [backtrace, n] = value.block()?.exactly()?;
    Some((backtrace, count(n)?))
}

/// The tree of stacks. Backtraces are lists, innermost frame first, that share their tails. Each cell is read once.
struct Stacks<'a, S> {
    sink: &'a mut S,
    /// Indexed by the slot of a backtrace's first cell.
    by_cell: FxHashMap<u32, u32>,
    by_parent: FxHashMap<(u32, Address), u32>,
    nodes: Vec<Stack>,
    max_cells: usize,
    n_points: u32,
    reported: FxHashSet<Address>,
    /// As many as there can be if no two locations share a list.
    n_frames_left: usize,
}

#[derive(Clone, Copy)]
struct Stack {
    node: Node,
    /// 0 if nothing allocates here.
    profinfo: u32,
}

/// The most that a cell of a backtrace takes in the maps of [`Stacks`].
const BYTES_A_CELL: usize = 128;

/// Replaces the index of a backtrace that is circular or otherwise damaged.
const BROKEN: u32 = u32::MAX;

impl<'a, S: Sink> Stacks<'a, S> {
    fn new(n_slots: usize, max_cells: usize, sink: &'a mut S) -> Stacks<'a, S> {
        Stacks {
            sink,
            by_cell: FxHashMap::default(),
            by_parent: FxHashMap::default(),
            nodes: vec![Stack { node: Node::ROOT, profinfo: 0 }],
            max_cells,
            n_points: 0,
            reported: FxHashSet::default(),
            n_frames_left: n_slots,
        }
    }

    /// Returns the number of the allocation point at the end of a backtrace.
    fn point(&mut self, backtrace: Value<'_>) -> Option<u32> {
        let place = self.place(backtrace)? as usize;
        let Stack { node, profinfo } = self.nodes[place];
        if profinfo != 0 {
            return Some(profinfo);
        }
        self.n_points += 1;
        self.nodes[place].profinfo = self.n_points;
        self.sink.allocation_point(self.n_points, node);
        Some(self.n_points)
    }

    /// Returns the index in `nodes` of a backtrace's stack.
    fn place(&mut self, backtrace: Value<'_>) -> Option<u32> {
        let mut cells = Vec::new();
        let mut rest = backtrace;
        let mut place = loop {
            match rest {
                Value::Int(0) => break 0,
                Value::Block(cell) => {
                    match self.by_cell.get(&cell.place()) {
                        Some(&BROKEN) => return None,
                        Some(&place) => break place,
                        None if self.by_cell.len() >= self.max_cells => return None,
                        // Overwritten once its index is known. This detects a cycle, and only once.
                        None => self.by_cell.insert(cell.place(), BROKEN),
                    };
                    let [location, next] = cell.exactly()?;
                    cells.push((cell.place(), location));
                    rest = next;
                }
                _ => return None,
            }
        };
        for (cell, location) in cells.into_iter().rev() {
            place = self.child(place, location)?;
            self.by_cell.insert(cell, place);
        }
        Some(place)
    }

    fn child(&mut self, parent: u32, location: Value<'_>) -> Option<u32> {
        let [address, _symbol, positions, _is_foreign] = location.block()?.exactly()?;
        let address = Address(address.int()? as u64);
        if let Some(&place) = self.by_parent.get(&(parent, address)) {
            return Some(place);
        }
        if self.reported.insert(address) {
            self.tell(address, positions);
        }
        let node = self.sink.child(self.nodes[parent as usize].node, address);
        let place = self.nodes.len() as u32;
        self.nodes.push(Stack { node, profinfo: 0 });
        self.by_parent.insert((parent, address), place);
        Some(place)
    }

    fn tell(&mut self, address: Address, positions: Value<'_>) {
        let mut frames = Vec::new();
        let positions: List<'_> = positions.list();
        for [value] in positions.take(self.n_frames_left) {
            self.n_frames_left -= 1;
            frames.extend(value.block().and_then(Block::exactly).and_then(position_of));
        }
        // The file has the innermost one first.
        frames.reverse();
        if !frames.is_empty() {
            self.sink.position(address, &frames);
        }
    }
}
