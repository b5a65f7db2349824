//! The push reader of one value. It reads complete tokens and stops before one that continues in the next chunk.

use super::code;
use super::custom::custom;
use super::error::Unreadable;
use super::header::ValueHeader;
use super::heap::{FLOAT_ARRAY_TAG, Heap, INFIX_TAG, Slot};
use crate::spacetime::limits::{MAX_SLOTS, MAX_TOKEN_BYTES, SLOTS_A_LOOK};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// This many bytes were consumed, and more are needed.
    Consumed(usize),
    /// At least this many bytes are needed for the next token.
    Need(usize),
    /// The value is complete. Its last bytes were these.
    Done(usize),
}

#[derive(Debug)]
pub struct Reader {
    heap: Heap,
    /// The slot of each object, by number.
    objects: Vec<u32>,
    n_objects: u64,
    /// The block whose fields are being read. Without a header it represents the value as a whole.
    open: Open,
    /// Enclosing blocks whose last field has not begun.
    outer: Vec<Open>,
    is_whole: bool,
    inside: Inside,
    /// The bytes of the value that are still to come.
    left: u64,
    /// With this many slots, [`Reader::look`] checks whether there is memory for more.
    next_look: usize,
    /// The memory that the last check left for strings.
    max_text_bytes: u64,
    max_bytes: usize,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    /// A block that is its parent's last field ends with it. Until then its end slot refers to the parent, so that a
    /// list of any length is one open block.
    header: u32,
    n_fields_left: u32,
}

/// A token that may be longer than a chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Inside {
    Nothing,
    Text { left: u64 },
    Floats { left: u64, is_big_endian: bool },
}

/// Replaces a missing header.
const NO_HEADER: u32 = u32::MAX;

/// By code: the number of bytes after it, if it is the code of an integer that usually fits a slot.
const INT_BYTES: [u8; 256] = {
    let mut n_bytes = [u8::MAX; 256];
    n_bytes[code::INT8 as usize] = 1;
    n_bytes[code::INT16 as usize] = 2;
    n_bytes[code::INT32 as usize] = 4;
    let mut small = code::SMALL_INT;
    while small < code::SMALL_BLOCK {
        n_bytes[small as usize] = 0;
        small += 1;
    }
    n_bytes
};

impl Reader {
    /// `max_bytes` is the memory that a value may take.
    pub fn new(max_bytes: usize) -> Reader {
        Reader {
            heap: Heap::default(),
            objects: Vec::new(),
            n_objects: 0,
            open: Open { header: NO_HEADER, n_fields_left: 1 },
            outer: Vec::new(),
            is_whole: false,
            inside: Inside::Nothing,
            left: 0,
            next_look: 0,
            max_text_bytes: 0,
            max_bytes,
        }
    }

    /// Starts a new value. The bytes after this header follow.
    pub fn begin(&mut self, header: &ValueHeader) {
        self.heap.clear();
        self.objects.clear();
        self.n_objects = header.n_objects;
        self.open = Open { header: NO_HEADER, n_fields_left: 1 };
        self.outer.clear();
        self.is_whole = false;
        self.inside = Inside::Nothing;
        self.left = header.data_bytes;
        self.next_look = 0;
    }

    pub fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// The value, once it is complete.
    pub fn heap(&self) -> &Heap {
        &self.heap
    }

    /// Takes the value and frees all other memory.
    pub fn take(&mut self) -> Heap {
        self.objects = Vec::new();
        self.outer = Vec::new();
        std::mem::take(&mut self.heap)
    }

    /// The bytes of the value that are still to come.
    pub fn left(&self) -> u64 {
        self.left
    }

    pub fn heap_bytes(&self) -> usize {
        self.heap.heap_bytes() + self.objects.capacity() * 4 + self.outer.capacity() * size_of::<Open>()
    }

    /// Continues reading. Bytes after the value are not touched.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Progress, Unreadable> {
        let of_value = bytes.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let n_later = self.left - of_value as u64;
        let mut rest = &bytes[..of_value];
        let read = self.tokens(&mut rest, n_later);
        self.left = rest.len() as u64 + n_later;
        read?;
        if self.is_whole && self.inside == Inside::Nothing {
            let counts_agree = self.left == 0 && [0, self.objects.len() as u64].contains(&self.n_objects);
            return if counts_agree { Ok(Progress::Done(of_value)) } else { Err(Unreadable::Damaged) };
        }
        match of_value - rest.len() {
            // The value ends inside a token.
            _ if n_later == 0 => Err(Unreadable::Damaged),
            0 => Ok(Progress::Need(self.left.min(MAX_TOKEN_BYTES as u64) as usize)),
            n => Ok(Progress::Consumed(n)),
        }
    }

    /// Reads the complete tokens. After `bytes`, `n_later` more bytes of the value will follow.
    fn tokens(&mut self, bytes: &mut &[u8], n_later: u64) -> Result<(), Unreadable> {
        loop {
            if self.inside != Inside::Nothing {
                match self.go_on_inside(bytes) {
                    0 => return Ok(()),
                    n => *bytes = &bytes[n..],
                }
                continue;
            }
            if self.is_whole {
                return Ok(());
            }
            if self.heap.slots.len() >= self.next_look {
                self.look(bytes.len() as u64 + n_later)?;
            }
            self.ints(bytes);
            // Checks happen at the same positions regardless of the chunks.
            if self.heap.slots.len() >= self.next_look {
                continue;
            }
            let n = match **bytes {
                [first @ code::SMALL_BLOCK..=0xff, ..] => {
                    self.block(first & 0b1111, u32::from(first >> 4 & 0b111))?;
                    1
                }
                [first @ code::SMALL_INT..=0x7f, ..] => {
                    self.leaf(Slot::small_int(i16::from(first & 0x3f)));
                    1
                }
                [] => return Ok(()),
                _ => match self.rare_token(bytes, bytes.len() as u64 + n_later)? {
                    Some(n) => n,
                    None => return Ok(()),
                },
            };
            *bytes = &bytes[n..];
        }
    }

    /// Reads the next integers, except for the block's last field. Almost all of a profile consists of integers. Their
    /// widths are unpredictable, so there is no branch on them.
    #[inline(always)]
    fn ints(&mut self, bytes: &mut &[u8]) {
        let room = self.next_look - self.heap.slots.len();
        let n = room.min(self.open.n_fields_left as usize - 1);
        let mut rest = *bytes;
        let mut n_left = n;
        while n_left > 0
            && let Some(&[first, a, b, c, d]) = rest.first_chunk()
            && let n_bytes @ 0..=4 = INT_BYTES[usize::from(first)]
        {
            let behind = i64::from(i32::from_be_bytes([a, b, c, d])) >> (32 - 8 * u32::from(n_bytes));
            let n = if n_bytes == 0 { i64::from(first & 0x3f) } else { behind };
            let slot = self.int_slot(n);
            self.heap.slots.push(slot);
            rest = &rest[1 + usize::from(n_bytes)..];
            n_left -= 1;
        }
        *bytes = rest;
        self.open.n_fields_left -= (n - n_left) as u32;
    }

    /// Reads a token of a rare kind. `left` bytes of the value are left, including it. `None` if it is incomplete.
    #[inline(never)]
    fn rare_token(&mut self, bytes: &[u8], left: u64) -> Result<Option<usize>, Unreadable> {
        let (first, arguments) = (bytes[0], &bytes[1..]);
        // The number after the code, whose width depends on the code.
        let width = match first {
            code::SHARED8 | code::STRING8 | code::DOUBLE_ARRAY8_BIG | code::DOUBLE_ARRAY8_LITTLE => 1,
            code::INT8 => 1,
            code::SHARED16 | code::INT16 => 2,
            code::SHARED32 | code::BLOCK32 | code::STRING32 | code::INFIX_POINTER | code::INT32 => 4,
            code::DOUBLE_ARRAY32_BIG | code::DOUBLE_ARRAY32_LITTLE => 4,
            code::SHARED64 | code::BLOCK64 | code::STRING64 | code::INT64 => 8,
            code::DOUBLE_ARRAY64_BIG | code::DOUBLE_ARRAY64_LITTLE | code::DOUBLE_BIG | code::DOUBLE_LITTLE => 8,
            _ => 0,
        };
        let Some(number) = arguments.get(..width) else { return Ok(None) };
        let number = number.iter().fold(0, |number: u64, &byte| number << 8 | u64::from(byte));
        // Every field takes a byte, and every float takes 8.
        let fits = |n: u64, bytes_each: u64| n <= (left - 1 - width as u64) / bytes_each;
        match first {
            code::SMALL_STRING.. => self.text(u64::from(first & 0x1f), left)?,
            code::INT8 => self.int(i64::from(number as i8)),
            code::INT16 => self.int(i64::from(number as i16)),
            code::INT32 => self.int(i64::from(number as i32)),
            code::INT64 => self.int(number as i64),
            code::SHARED8 | code::SHARED16 | code::SHARED32 | code::SHARED64 => self.shared(number)?,
            code::BLOCK32 | code::BLOCK64 if fits(number >> 10, 1) => {
                self.block(number as u8, u32::try_from(number >> 10).map_err(|_| Unreadable::TooLarge)?)?;
            }
            code::STRING8 | code::STRING32 | code::STRING64 => self.text(number, left - width as u64)?,
            code::DOUBLE_BIG => self.float_object(number)?,
            code::DOUBLE_LITTLE => self.float_object(number.swap_bytes())?,
            code::DOUBLE_ARRAY8_BIG | code::DOUBLE_ARRAY32_BIG | code::DOUBLE_ARRAY64_BIG if fits(number, 8) => {
                self.floats(number, true)?;
            }
            code::DOUBLE_ARRAY8_LITTLE | code::DOUBLE_ARRAY32_LITTLE | code::DOUBLE_ARRAY64_LITTLE
                if fits(number, 8) =>
            {
                self.floats(number, false)?;
            }
            // Where in the block it points doesn't matter.
            code::INFIX_POINTER => self.open_block(INFIX_TAG, 1),
            code::CUSTOM | code::CUSTOM_LEN | code::CUSTOM_FIXED => {
                let Some((n, number_bytes)) = custom(first, arguments)? else { return Ok(None) };
                self.object()?;
                self.int(n);
                return Ok(Some(1 + number_bytes));
            }
            _ => return Err(Unreadable::Damaged),
        }
        Ok(Some(1 + width))
    }

    /// Adds a value that isn't a block.
    #[inline(always)]
    fn leaf(&mut self, slot: Slot) {
        self.heap.slots.push(slot);
        self.open.n_fields_left -= 1;
        if self.open.n_fields_left == 0 {
            self.close();
        }
    }

    fn int(&mut self, n: i64) {
        let slot = self.int_slot(n);
        self.leaf(slot);
    }

    #[inline(always)]
    fn int_slot(&mut self, n: i64) -> Slot {
        Slot::int(n).unwrap_or_else(|| {
            self.heap.wide.push(n as u64);
            Slot::wide_int(self.heap.wide.len() - 1)
        })
    }

    fn float(&mut self, bits: u64) {
        self.heap.wide.push(bits);
        self.leaf(Slot::float(self.heap.wide.len() - 1));
    }

    fn float_object(&mut self, bits: u64) -> Result<(), Unreadable> {
        self.object()?;
        self.float(bits);
        Ok(())
    }

    fn shared(&mut self, distance: u64) -> Result<(), Unreadable> {
        let index = usize::try_from(distance).ok().and_then(|distance| self.objects.len().checked_sub(distance));
        let at = index.and_then(|index| self.objects.get(index)).ok_or(Unreadable::Damaged)?;
        self.leaf(Slot::elsewhere(*at));
        Ok(())
    }

    /// Starts a string. Its bytes follow. `left` bytes of the value are left, including the code.
    fn text(&mut self, n_bytes: u64, left: u64) -> Result<(), Unreadable> {
        if n_bytes >= left {
            return Err(Unreadable::Damaged);
        }
        let end = u32::try_from(self.heap.texts.len() as u64 + n_bytes).map_err(|_| Unreadable::TooLarge)?;
        if grown(end as usize, 1) > self.max_text_bytes {
            return Err(Unreadable::TooLarge);
        }
        self.object()?;
        self.heap.text_ends.push(end);
        self.inside = if n_bytes == 0 { Inside::Nothing } else { Inside::Text { left: n_bytes } };
        self.leaf(Slot::text(self.heap.text_ends.len() - 1));
        Ok(())
    }

    fn floats(&mut self, n: u64, is_big_endian: bool) -> Result<(), Unreadable> {
        self.object()?;
        if n == 0 {
            self.atom(FLOAT_ARRAY_TAG);
        } else {
            self.open_block(FLOAT_ARRAY_TAG, u32::try_from(n).map_err(|_| Unreadable::TooLarge)?);
            self.inside = Inside::Floats { left: n, is_big_endian };
        }
        Ok(())
    }

    #[inline(always)]
    fn block(&mut self, tag: u8, n_fields: u32) -> Result<(), Unreadable> {
        if n_fields == 0 {
            self.atom(tag);
            return Ok(());
        }
        self.object()?;
        self.open_block(tag, n_fields);
        Ok(())
    }

    /// Adds a block without fields. A program has one of each tag, so it doesn't count as an object of the value.
    fn atom(&mut self, tag: u8) {
        self.heap.slots.push(Slot::header(tag));
        let end = self.heap.slots.len() as u32 + 1;
        self.leaf(Slot(end));
    }

    /// Records the next value as an object that others may refer to.
    #[inline(always)]
    fn object(&mut self) -> Result<(), Unreadable> {
        if self.n_objects == 0 {
            return Ok(());
        }
        if self.objects.len() as u64 == self.n_objects {
            return Err(Unreadable::Damaged);
        }
        self.objects.push(self.heap.slots.len() as u32);
        Ok(())
    }

    #[inline(always)]
    fn open_block(&mut self, tag: u8, n_fields: u32) {
        let header = self.heap.slots.len() as u32;
        self.open.n_fields_left -= 1;
        let ends_with = if self.open.n_fields_left == 0 {
            self.open.header
        } else {
            self.outer.push(self.open);
            NO_HEADER
        };
        self.heap.slots.extend([Slot::header(tag), Slot(ends_with)]);
        self.open = Open { header, n_fields_left: n_fields };
    }

    /// Closes the open block, which has all its fields, and the blocks that end with it.
    fn close(&mut self) {
        let end = self.heap.slots.len() as u32;
        let mut header = self.open.header;
        while let Some(end_slot) = self.heap.slots.get_mut(header as usize + 1).filter(|_| header != NO_HEADER) {
            header = std::mem::replace(end_slot, Slot(end)).0;
        }
        match self.outer.pop() {
            Some(outer) => self.open = outer,
            None => self.is_whole = true,
        }
    }

    /// Reads bytes of a string or an array.
    fn go_on_inside(&mut self, bytes: &[u8]) -> usize {
        match self.inside {
            Inside::Nothing => 0,
            Inside::Text { left } => {
                let n = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
                self.heap.texts.extend_from_slice(&bytes[..n]);
                let left = left - n as u64;
                self.inside = if left == 0 { Inside::Nothing } else { Inside::Text { left } };
                n
            }
            Inside::Floats { left, is_big_endian } => {
                let Some(bytes) = bytes.first_chunk::<8>() else { return 0 };
                let bits = if is_big_endian { u64::from_be_bytes(*bytes) } else { u64::from_le_bytes(*bytes) };
                self.inside =
                    if left == 1 { Inside::Nothing } else { Inside::Floats { left: left - 1, is_big_endian } };
                self.float(bits);
                8
            }
        }
    }

    /// Checks that there is enough memory until the next check, whatever the remaining bytes contain.
    #[cold]
    fn look(&mut self, left: u64) -> Result<(), Unreadable> {
        // A byte becomes at most two slots. One more lets the reader continue and find out that there are no bytes
        // left.
        let n = 1 + left.saturating_mul(2).min(SLOTS_A_LOOK as u64) as usize;
        let Heap { slots, wide, texts, text_ends } = &self.heap;
        let n_bytes = grown(slots.len() + n, 4)
            + grown(wide.len() + n, 8)
            + grown(text_ends.len() + n, 4)
            + grown(self.objects.len() + n, 4)
            + grown(self.outer.len() + n, size_of::<Open>());
        self.max_text_bytes = (self.max_bytes as u64).checked_sub(n_bytes).ok_or(Unreadable::TooLarge)?;
        if slots.len() + n > MAX_SLOTS || grown(texts.len(), 1) > self.max_text_bytes {
            return Err(Unreadable::TooLarge);
        }
        self.next_look = slots.len() + n;
        Ok(())
    }
}

/// Returns the size of a vector of this length that has grown by doubling.
fn grown(len: usize, bytes_each: usize) -> u64 {
    (len as u64).next_power_of_two() * bytes_each as u64
}
