//! Checked little-endian reads from a slice. Running short is an ordinary result, never a panic.

/// Fewer bytes were left than the read needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Short;

#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    /// The number of bytes not read yet.
    #[inline(always)]
    pub fn left(&self) -> usize {
        self.rest.len()
    }

    #[inline(always)]
    pub fn u8(&mut self) -> Result<u8, Short> {
        self.array().map(|[byte]| byte)
    }

    #[inline(always)]
    pub fn u16(&mut self) -> Result<u16, Short> {
        self.array().map(u16::from_le_bytes)
    }

    #[inline(always)]
    pub fn u32(&mut self) -> Result<u32, Short> {
        self.array().map(u32::from_le_bytes)
    }

    #[inline(always)]
    pub fn u64(&mut self) -> Result<u64, Short> {
        self.array().map(u64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Result<f64, Short> {
        self.array().map(f64::from_le_bytes)
    }

    /// Reads 48 bits, the size of a packed location.
    pub fn u48(&mut self) -> Result<u64, Short> {
        let [a, b, c, d, e, f] = self.array()?;
        Ok(u64::from_le_bytes([a, b, c, d, e, f, 0, 0]))
    }

    /// Returns the next bytes without reading them. `None` if there are fewer.
    #[inline(always)]
    pub fn peek<const N: usize>(&self) -> Option<[u8; N]> {
        self.rest.first_chunk().copied()
    }

    /// Skips bytes that were peeked at.
    #[inline(always)]
    pub fn skip(&mut self, n: usize) {
        self.rest = self.rest.get(n..).unwrap_or_default();
    }

    /// Reads with a copy. A reader passed by reference to a function that isn't inlined can't stay in registers, and
    /// every later read would wait for memory.
    #[inline(always)]
    pub fn aside<T>(&mut self, read: impl FnOnce(&mut Reader<'a>) -> T) -> T {
        let mut copy = self.clone();
        let made = read(&mut copy);
        *self = copy;
        made
    }

    /// Reads a number of 1, 3, 5 or 9 bytes. Four-byte numbers are sign-extended, as in memtrace's own reader.
    #[inline(always)]
    pub fn vint(&mut self) -> Result<u64, Short> {
        match self.peek() {
            // Which of the two it is can't be predicted, so this is a conditional move, not a branch.
            Some([first, low, high]) if first <= 253 => {
                let is_one_byte = first < 253;
                self.skip(if is_one_byte { 1 } else { 3 });
                Ok(u64::from(if is_one_byte { u16::from(first) } else { u16::from_le_bytes([low, high]) }))
            }
            _ => self.aside(Reader::rare_vint),
        }
    }

    /// Does the same for numbers that are never negative: memtrace's first writers used all 32 bits of the four-byte
    /// form.
    pub fn unsigned_vint(&mut self) -> Result<u64, Short> {
        if self.peek() == Some([254]) {
            self.skip(1);
            return self.u32().map(u64::from);
        }
        self.vint()
    }

    #[cold]
    #[inline(never)]
    fn rare_vint(&mut self) -> Result<u64, Short> {
        match self.u8()? {
            253 => self.u16().map(u64::from),
            254 => self.u32().map(|n| n as i32 as i64 as u64),
            255 => self.u64(),
            small => Ok(u64::from(small)),
        }
    }

    /// Reads bytes up to a NUL, which is skipped. Invalid UTF-8 becomes U+FFFD.
    pub fn string(&mut self) -> Result<String, Short> {
        let end = self.rest.iter().position(|&byte| byte == 0).ok_or(Short)?;
        let text = String::from_utf8_lossy(&self.rest[..end]).into_owned();
        self.rest = &self.rest[end + 1..];
        Ok(text)
    }

    #[inline(always)]
    fn array<const N: usize>(&mut self) -> Result<[u8; N], Short> {
        let (head, rest) = self.rest.split_first_chunk().ok_or(Short)?;
        self.rest = rest;
        Ok(*head)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_byte_of_a_vint_decides_its_width() {
        let bytes = [252, 253, 0xff, 0xff, 254, 0xff, 0xff, 0xff, 0xff, 255, 1, 0, 0, 0, 0, 0, 0, 0x80];
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.vint(), Ok(252));
        assert_eq!(reader.vint(), Ok(0xffff));
        assert_eq!(reader.vint(), Ok(u64::MAX), "four bytes are sign-extended");
        assert_eq!(reader.vint(), Ok(0x8000_0000_0000_0001));
        assert_eq!(reader.vint(), Err(Short));
    }

    #[test]
    fn an_unsigned_vint_of_four_bytes_is_not_sign_extended() {
        let bytes = [7, 253, 0xff, 0xff, 254, 0, 0, 0, 0x80, 255, 0, 0, 0, 0, 0, 1, 0, 0, 254, 1];
        let mut reader = Reader::new(&bytes);
        let read: Vec<u64> = std::iter::from_fn(|| reader.unsigned_vint().ok()).collect();
        assert_eq!(read, [7, 0xffff, 1 << 31, 1 << 40]);
    }

    #[test]
    fn a_string_ends_at_its_nul_and_never_past_the_bytes() {
        let mut reader = Reader::new(b"list.ml\0\xff\0tail");
        assert_eq!(reader.string().as_deref(), Ok("list.ml"));
        assert_eq!(reader.string().as_deref(), Ok("\u{fffd}"));
        assert_eq!(reader.string(), Err(Short));
        assert_eq!(reader.left(), 4, "a string without a NUL was read");
    }
}
