//! One value in memory: slots in the order of its tokens.
//!
//! Small integers are in their slots. Larger ones, floats and strings are in separate tables. A block is its header
//! (the tag), a slot with the index of its end, and its fields. Fields are read in order, and nested blocks are stepped
//! over.

/// A value as it was read. `Reader` fills it.
#[derive(Debug, Default)]
pub struct Heap {
    pub(super) slots: Vec<Slot>,
    /// Integers that are too large for a slot, and the bits of floats.
    pub(super) wide: Vec<u64>,
    pub(super) texts: Vec<u8>,
    /// The end of each string in `texts`.
    pub(super) text_ends: Vec<u32>,
}

/// The lowest bits are the kind of the slot: `…1` a 31-bit integer, `000` a reference to another slot, `0010` a wide
/// integer, `1010` a float, `100` a string, `110` a block's header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Slot(pub u32);

#[derive(Clone, Copy, Debug)]
pub enum Value<'h> {
    /// Of any width, boxed or not.
    Int(i64),
    Float(f64),
    Text(&'h [u8]),
    Block(Block<'h>),
}

#[derive(Clone, Copy, Debug)]
pub struct Block<'h> {
    heap: &'h Heap,
    /// The slot of its header.
    at: u32,
}

/// Yields a block's fields, in order.
#[derive(Clone, Copy, Debug)]
pub struct Fields<'h> {
    heap: &'h Heap,
    at: u32,
    end: u32,
}

/// Yields the cells of a linked list: the `N` fields before the one that leads to the next cell. An OCaml list has one.
#[derive(Clone, Copy, Debug)]
pub struct List<'h, const N: usize = 1> {
    /// `None` once the list is found to be damaged.
    rest: Option<Value<'h>>,
    /// The slot of the last cell. The next one must be after it, or the list would be circular.
    last: u32,
}

/// The tag of an infix pointer, which is stored as a block around the one it points into.
pub(super) const INFIX_TAG: u8 = 249;
pub(super) const FLOAT_ARRAY_TAG: u8 = 254;

impl Slot {
    /// `None` if the integer is too large for a slot.
    #[inline(always)]
    pub fn int(n: i64) -> Option<Slot> {
        let small = ((n as u32) << 1) | 1;
        (i64::from(small as i32 >> 1) == n).then_some(Slot(small))
    }

    /// For integers that are known to be small.
    #[inline(always)]
    pub fn small_int(n: i16) -> Slot {
        Slot((i32::from(n) as u32) << 1 | 1)
    }

    pub fn elsewhere(at: u32) -> Slot {
        Slot(at << 3)
    }

    pub fn wide_int(index: usize) -> Slot {
        Slot((index as u32) << 4 | 0b0010)
    }

    pub fn float(index: usize) -> Slot {
        Slot((index as u32) << 4 | 0b1010)
    }

    pub fn text(index: usize) -> Slot {
        Slot((index as u32) << 3 | 0b100)
    }

    #[inline(always)]
    pub fn header(tag: u8) -> Slot {
        Slot(u32::from(tag) << 3 | 0b110)
    }
}

impl Heap {
    /// The value itself. `None` until it has been read completely.
    pub fn root(&self) -> Option<Value<'_>> {
        Fields { heap: self, at: 0, end: self.slots.len() as u32 }.next()
    }

    /// Returns the block at a slot that [`Block::place`] returned.
    pub fn block(&self, place: u32) -> Block<'_> {
        Block { heap: self, at: place }
    }

    /// The number of slots. All block positions are below it.
    pub fn n_slots(&self) -> usize {
        self.slots.len()
    }

    pub fn clear(&mut self) {
        self.slots.clear();
        self.wide.clear();
        self.texts.clear();
        self.text_ends.clear();
    }

    pub fn heap_bytes(&self) -> usize {
        self.slots.capacity() * 4 + self.wide.capacity() * 8 + self.texts.capacity() + self.text_ends.capacity() * 4
    }

    #[inline(always)]
    fn slot(&self, at: u32) -> u32 {
        self.slots.get(at as usize).map_or(1, |slot| slot.0)
    }

    /// Returns the value of a slot that isn't a reference.
    #[inline(always)]
    fn value(&self, at: u32, slot: u32) -> Value<'_> {
        if slot & 1 == 1 {
            return Value::Int(i64::from(slot as i32 >> 1));
        }
        let wide = |slot: u32| self.wide.get((slot >> 4) as usize).copied().unwrap_or(0);
        match slot & 0b1111 {
            0b0010 => Value::Int(wide(slot) as i64),
            0b1010 => Value::Float(f64::from_bits(wide(slot))),
            0b0110 | 0b1110 => Value::Block(Block { heap: self, at }),
            _ => Value::Text(self.text((slot >> 3) as usize)),
        }
    }

    fn text(&self, index: usize) -> &[u8] {
        let end = |index: usize| self.text_ends.get(index).map_or(0, |&end| end as usize);
        let start = index.checked_sub(1).map_or(0, end);
        self.texts.get(start..end(index)).unwrap_or_default()
    }
}

impl<'h> Value<'h> {
    pub fn int(self) -> Option<i64> {
        match self {
            Value::Int(n) => Some(n),
            _ => None,
        }
    }

    pub fn float(self) -> Option<f64> {
        match self {
            Value::Float(n) => Some(n),
            _ => None,
        }
    }

    pub fn text(self) -> Option<&'h [u8]> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    pub fn block(self) -> Option<Block<'h>> {
        match self {
            Value::Block(block) => Some(block),
            _ => None,
        }
    }

    pub fn list<const N: usize>(self) -> List<'h, N> {
        List { rest: Some(self), last: 0 }
    }
}

impl<'h> Block<'h> {
    pub fn tag(self) -> u8 {
        (self.heap.slot(self.at) >> 3) as u8
    }

    /// Identifies a block within its value.
    pub fn place(self) -> u32 {
        self.at
    }

    pub fn fields(self) -> Fields<'h> {
        Fields { heap: self.heap, at: self.at + 2, end: self.heap.slot(self.at + 1) }
    }

    /// Returns the fields if there are exactly `N`.
    pub fn exactly<const N: usize>(self) -> Option<[Value<'h>; N]> {
        let mut fields = self.fields();
        let mut taken = [Value::Int(0); N];
        for field in &mut taken {
            *field = fields.next()?;
        }
        fields.next().is_none().then_some(taken)
    }
}

impl<'h> Iterator for Fields<'h> {
    type Item = Value<'h>;

    #[inline(always)]
    fn next(&mut self) -> Option<Value<'h>> {
        if self.at >= self.end {
            return None;
        }
        let (at, slot) = (self.at, self.heap.slot(self.at));
        // Most fields are integers.
        self.at += 1;
        if slot & 1 == 1 {
            return Some(Value::Int(i64::from(slot as i32 >> 1)));
        }
        Some(match slot & 0b111 {
            0 => self.heap.value(slot >> 3, self.heap.slot(slot >> 3)),
            0b110 => {
                // Never goes back, so that a walk over fields ends.
                self.at = self.heap.slot(at + 1).max(at + 2);
                Value::Block(Block { heap: self.heap, at })
            }
            _ => self.heap.value(at, slot),
        })
    }
}

impl<const N: usize> List<'_, N> {
    /// Whether all cells were read, up to the empty list.
    pub fn has_ended(&self) -> bool {
        matches!(self.rest, Some(Value::Int(0)))
    }
}

impl<'h, const N: usize> Iterator for List<'h, N> {
    type Item = [Value<'h>; N];

    #[inline(always)]
    fn next(&mut self) -> Option<[Value<'h>; N]> {
        let Some(Value::Block(cell)) = self.rest else { return None };
        self.rest = None;
        if self.last > cell.at {
            return None;
        }
        self.last = cell.at + 1;
        let mut fields = cell.fields();
        let mut taken = [Value::Int(0); N];
        for field in &mut taken {
            *field = fields.next()?;
        }
        self.rest = Some(fields.next()?);
        Some(taken)
    }
}
