//! Little-endian writes into one packet's bytes.

use super::super::packet::EventClock;

#[derive(Debug)]
pub struct Buffer {
    bytes: Vec<u8>,
}

/// The size of memtrace's packets: small enough for a pipe or a file to take each in one write.
pub const MAX_PACKET: usize = 32 << 10;

impl Buffer {
    pub fn new() -> Buffer {
        Buffer { bytes: Vec::with_capacity(MAX_PACKET) }
    }

    pub fn clear(&mut self) {
        self.bytes.clear();
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    pub fn as_slice(&self) -> &[u8] {
        &self.bytes
    }

    #[inline]
    pub fn u8(&mut self, n: u8) {
        self.bytes.push(n);
    }

    #[inline]
    pub fn u16(&mut self, n: u16) {
        self.bytes.extend_from_slice(&n.to_le_bytes());
    }

    #[inline]
    pub fn u32(&mut self, n: u32) {
        self.bytes.extend_from_slice(&n.to_le_bytes());
    }

    #[inline]
    pub fn u64(&mut self, n: u64) {
        self.bytes.extend_from_slice(&n.to_le_bytes());
    }

    /// Writes 48 bits, the size of a packed location.
    pub fn u48(&mut self, n: u64) {
        self.bytes.extend_from_slice(&n.to_le_bytes()[..6]);
    }

    /// Writes a number in 1, 3, 5 or 9 bytes. Readers sign-extend the five-byte form.
    #[inline]
    pub fn vint(&mut self, n: i64) {
        if (0..=252).contains(&n) {
            self.u8(n as u8);
        } else if let Ok(n) = u16::try_from(n) {
            self.u8(253);
            self.u16(n);
        } else if let Ok(n) = i32::try_from(n) {
            self.u8(254);
            self.u32(n as u32);
        } else {
            self.u8(255);
            self.u64(n as u64);
        }
    }

    /// Writes a string up to its first NUL, because a NUL ends it in the file.
    pub fn string(&mut self, text: &str) {
        let text = text.split('\0').next().unwrap_or_default();
        self.bytes.extend_from_slice(text.as_bytes());
        self.u8(0);
    }

    /// Writes an event's first word.
    #[inline]
    pub fn event(&mut self, code: u32, time_us: u64) {
        let low = time_us as u32 & ((1 << EventClock::LOW_BITS) - 1);
        self.u32(code << EventClock::LOW_BITS | low);
    }

    /// Writes a slot of the backtrace cache and how many predictions hold from there on. The tag alone encodes none or
    /// one.
    #[inline]
    pub fn hit(&mut self, slot: u16, steps: u8) {
        let [low, high] = (slot << 2 | u16::from(steps.min(2))).to_le_bytes();
        self.bytes.extend_from_slice(&[low, high, steps]);
        // Cheaper than a branch, which would be mispredicted every other time.
        self.bytes.truncate(self.bytes.len() - usize::from(steps < 2));
    }

    /// Writes a slot that holds another code from now on.
    pub fn miss(&mut self, slot: u16, code: u64) {
        self.u16(slot << 2 | 3);
        self.u64(code);
    }

    pub fn patch_u8(&mut self, at: usize, n: u8) {
        self.bytes[at] = n;
    }

    pub fn patch_u16(&mut self, at: usize, n: u16) {
        self.bytes[at..at + 2].copy_from_slice(&n.to_le_bytes());
    }

    /// Writes zeros, to be patched later.
    pub fn reserve(&mut self, n: usize) {
        self.bytes.resize(self.bytes.len() + n, 0);
    }

    /// Overwrites the first bytes with those of another buffer.
    pub fn overwrite_front(&mut self, front: &Buffer) {
        self.bytes[..front.len()].copy_from_slice(&front.bytes);
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::reader::Reader;
    use super::*;

    #[test]
    fn a_vint_takes_as_few_bytes_as_possible() {
        let limits = [0, 252, 253, 0xffff, 0x1_0000, i64::from(i32::MAX), 1 << 31, i64::MAX, -1, i64::from(i32::MIN)];
        let lengths = [1, 1, 3, 3, 5, 5, 9, 9, 5, 5];
        for (n, length) in limits.into_iter().zip(lengths) {
            let mut buffer = Buffer::new();
            buffer.vint(n);
            assert_eq!(buffer.len(), length, "{n}");
            assert_eq!(Reader::new(buffer.as_slice()).vint(), Ok(n as u64), "{n}");
        }
    }

    #[test]
    fn a_string_ends_at_its_first_nul() {
        let mut buffer = Buffer::new();
        buffer.string("é\0b");
        assert_eq!(buffer.as_slice(), "é\0".as_bytes());
    }
}
