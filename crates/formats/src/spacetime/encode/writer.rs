//! Writes marshaled values like OCaml does.

use std::io::{self, Write};

use super::super::marshal::{BIG_HEADER_BYTES, MAGIC_BIG, MAGIC_SMALL, SMALL_HEADER_BYTES, code};

/// One value. A block's header is followed by its fields.
#[derive(Debug, Default)]
pub struct Writer {
    data: Vec<u8>,
    n_objects: u64,
    /// The value's size in the heap of a 32-bit and a 64-bit program.
    words_32: u64,
    words_64: u64,
}

impl Writer {
    #[inline]
    pub fn int(&mut self, n: i64) {
        // 32-bit programs have 31-bit integers.
        const MAX_INT32: i64 = 1 << 30;
        if (0..0x40).contains(&n) {
            self.data.push(code::SMALL_INT + n as u8);
        } else if let Ok(n) = i8::try_from(n) {
            self.data.extend([code::INT8, n as u8]);
        } else if let Ok(n) = i16::try_from(n) {
            let [a, b] = n.to_be_bytes();
            self.data.extend([code::INT16, a, b]);
        } else if (-MAX_INT32..MAX_INT32).contains(&n) {
            let [a, b, c, d] = (n as i32).to_be_bytes();
            self.data.extend([code::INT32, a, b, c, d]);
        } else {
            self.data.push(code::INT64);
            self.data.extend(n.to_be_bytes());
        }
    }

    #[inline]
    pub fn block(&mut self, tag: u8, n_fields: usize) {
        if tag < 16 && n_fields < 8 {
            self.data.push(code::SMALL_BLOCK + tag + ((n_fields as u8) << 4));
        } else if n_fields < 1 << 22 {
            self.data.push(code::BLOCK32);
            self.data.extend(((n_fields as u32) << 10 | u32::from(tag)).to_be_bytes());
        } else {
            self.data.push(code::BLOCK64);
            self.data.extend(((n_fields as u64) << 10 | u64::from(tag)).to_be_bytes());
        }
        // A block without fields is an atom, not an object.
        if n_fields > 0 {
            self.object(1 + n_fields as u64, 1 + n_fields as u64);
        }
    }

    /// Refers to the last block begun.
    pub fn shared_with_last(&mut self) {
        self.data.extend([code::SHARED8, 1]);
    }

    pub fn float(&mut self, n: f64) {
        self.data.push(code::DOUBLE_LITTLE);
        self.data.extend(n.to_le_bytes());
        self.object(3, 2);
    }

    pub fn int64(&mut self, n: u64) {
        self.data.push(code::CUSTOM);
        self.data.extend(b"_j\0");
        self.data.extend(n.to_be_bytes());
        self.object(4, 3);
    }

    pub fn text(&mut self, text: &[u8]) {
        let len = text.len() as u64;
        if len < 0x20 {
            self.data.push(code::SMALL_STRING + len as u8);
        } else if len < 0x100 {
            self.data.extend([code::STRING8, len as u8]);
        } else if let Ok(len) = u32::try_from(len) {
            self.data.push(code::STRING32);
            self.data.extend(len.to_be_bytes());
        } else {
            self.data.push(code::STRING64);
            self.data.extend(len.to_be_bytes());
        }
        self.data.extend(text);
        self.object(1 + (len + 4) / 4, 1 + (len + 8) / 8);
    }

    /// Writes the value with its header and starts another. Returns the number of bytes written.
    pub fn flush(&mut self, out: &mut impl Write) -> io::Result<u64> {
        let numbers = [self.data.len() as u64, self.n_objects, self.words_32, self.words_64];
        let n_header_bytes = if let Ok([data, objects, words_32, words_64]) = small(numbers) {
            out.write_all(&MAGIC_SMALL)?;
            for n in [data, objects, words_32, words_64] {
                out.write_all(&n.to_be_bytes())?;
            }
            SMALL_HEADER_BYTES
        } else {
            let [data, objects, _, words_64] = numbers;
            out.write_all(&MAGIC_BIG)?;
            out.write_all(&[0; 4])?;
            for n in [data, objects, words_64] {
                out.write_all(&n.to_be_bytes())?;
            }
            BIG_HEADER_BYTES
        };
        out.write_all(&self.data)?;
        let n_bytes = n_header_bytes + self.data.len();
        self.data.clear();
        (self.n_objects, self.words_32, self.words_64) = (0, 0, 0);
        Ok(n_bytes as u64)
    }

    #[inline]
    fn object(&mut self, words_32: u64, words_64: u64) {
        self.n_objects += 1;
        self.words_32 += words_32;
        self.words_64 += words_64;
    }
}

fn small(numbers: [u64; 4]) -> Result<[u32; 4], std::num::TryFromIntError> {
    let [a, b, c, d] = numbers;
    Ok([a.try_into()?, b.try_into()?, c.try_into()?, d.try_into()?])
}
