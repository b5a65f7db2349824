//! The frame table (the source positions of addresses) and the shape table (the layout of a function's nodes), stored
//! as they were read, with an index by address.

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::limits::MAX_FILE_NAME_BYTES;
use super::marshal::{Heap, List, Value};
use super::sink::{Address, Sink, SourcePosition};

/// Reports the positions of each address once.
#[derive(Debug, Default)]
pub struct FrameTable {
    table: Table,
    /// As many as there can be if no two addresses share a list. Keeps a damaged table from being reported forever.
    n_frames_left: usize,
    frames: Vec<SourcePosition>,
}

/// The parts of each function's nodes, in order, by the address of the function.
#[derive(Debug, Default)]
pub struct ShapeTable {
    table: Table,
}

/// A part of a node, with the site it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodePart {
    DirectCall(Address),
    IndirectCall(Address),
    Allocation(Address),
}

/// A list of pairs: an address and a list.
#[derive(Debug, Default)]
struct Table {
    heap: Heap,
    /// The slot where each address's list starts.
    places: FxHashMap<Address, u32>,
}

impl FrameTable {
    /// `None` if the value isn't a frame table.
    pub fn new(heap: Heap) -> Option<FrameTable> {
        let n_frames_left = heap.n_slots();
        Some(FrameTable { table: Table::new(heap)?, n_frames_left, frames: Vec::new() })
    }

    /// Reports an address's positions to the sink, if they are known and haven't been reported.
    pub fn tell(&mut self, address: Address, sink: &mut impl Sink) {
        let Some(place) = self.table.places.remove(&address) else { return };
        self.frames.clear();
        let slots: List<'_> = Value::Block(self.table.heap.block(place)).list();
        for [slot] in slots.take(self.n_frames_left) {
            self.n_frames_left -= 1;
            self.frames.extend(position(slot));
        }
        if !self.frames.is_empty() {
            sink.position(address, &self.frames);
        }
    }

    pub fn heap_bytes(&self) -> usize {
        self.table.heap_bytes()
    }
}

/// Reads a slot of a call stack. Tag 1 is one without a position.
fn position(slot: Value<'_>) -> Option<SourcePosition> {
    let block = slot.block().filter(|block| block.tag() == 0)?;
    let [_is_raise, file, line, start_char, end_char] = block.exactly()?;
    position_of([file, line, start_char, end_char])
}

/// Reads a position from its fields.
pub fn position_of([file, line, start_char, end_char]: [Value<'_>; 4]) -> Option<SourcePosition> {
    let file = file.text()?;
    let file = String::from_utf8_lossy(&file[..file.len().min(MAX_FILE_NAME_BYTES)]);
    // prof_spacetime writes -1 for unknown columns.
    let number = |value: Value<'_>| Some(u32::try_from(value.int()?).unwrap_or(0));
    Some(SourcePosition {
        file: Rc::from(&*file),
        line: number(line)?,
        start_char: number(start_char)?,
        end_char: number(end_char)?,
    })
}

impl ShapeTable {
    /// `None` if the value isn't a shape table.
    pub fn new(heap: Heap) -> Option<ShapeTable> {
        Some(ShapeTable { table: Table::new(heap)? })
    }

    /// Returns the parts of a function's nodes. Empty if the function is unknown.
    pub fn parts(&self, function: Address) -> impl Iterator<Item = NodePart> {
        let place = self.table.places.get(&function);
        let parts = place.map_or(Value::Int(0), |&place| Value::Block(self.table.heap.block(place)));
        // An unreadable part ends the list, because the layout after it is unknown.
        parts.list().map_while(|[part]| {
            let block = part.block()?;
            let site = Address(block.fields().next()?.int()? as u64);
            match block.tag() {
                0 => Some(NodePart::DirectCall(site)),
                1 => Some(NodePart::IndirectCall(site)),
                2 => Some(NodePart::Allocation(site)),
                _ => None,
            }
        })
    }

    pub fn heap_bytes(&self) -> usize {
        self.table.heap_bytes()
    }
}

impl Table {
    fn new(heap: Heap) -> Option<Table> {
        let mut places = FxHashMap::default();
        let mut pairs = heap.root()?.list();
        for [pair] in &mut pairs {
            let [address, list] = pair.block()?.exactly()?;
            let address = Address(address.int()? as u64);
            // An empty list has no information.
            if let Value::Block(list) = list {
                places.insert(address, list.place());
            }
        }
        pairs.has_ended().then_some(())?;
        Some(Table { heap, places })
    }

    fn heap_bytes(&self) -> usize {
        self.heap.heap_bytes() + self.places.capacity() * size_of::<(Address, u32, u8)>()
    }
}
