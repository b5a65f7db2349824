//! The header of a value, in its two widths.

use super::error::HeaderError;

/// The header of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueHeader {
    pub n_bytes: usize,
    /// Bytes of the value after the header.
    pub data_bytes: u64,
    /// The number of blocks, strings, floats and customs. 0 if the writer didn't share them.
    pub n_objects: u64,
}

/// The first bytes of a value: with 32-bit lengths, and with 64-bit ones.
pub const MAGIC_SMALL: [u8; 4] = [0x84, 0x95, 0xa6, 0xbe];
pub const MAGIC_BIG: [u8; 4] = [0x84, 0x95, 0xa6, 0xbf];
pub const SMALL_HEADER_BYTES: usize = 20;
pub const BIG_HEADER_BYTES: usize = 32;

/// Whether these may be the first bytes of a value, as far as they go.
pub fn may_begin_a_value(bytes: &[u8]) -> bool {
    let n = bytes.len().min(4);
    bytes[..n] == MAGIC_SMALL[..n] || bytes[..n] == MAGIC_BIG[..n]
}

impl ValueHeader {
    pub fn read(bytes: &[u8]) -> Result<ValueHeader, HeaderError> {
        let Some(magic) = bytes.first_chunk::<4>() else { return Err(HeaderError::Short(4)) };
        let n_bytes = match *magic {
            MAGIC_SMALL => SMALL_HEADER_BYTES,
            MAGIC_BIG => BIG_HEADER_BYTES,
            _ => return Err(HeaderError::Unsound),
        };
        if bytes.len() < n_bytes {
            return Err(HeaderError::Short(n_bytes));
        }
        let (data_bytes, n_objects) = if n_bytes == SMALL_HEADER_BYTES {
            (unsigned::<4>(&bytes[4..]), unsigned::<4>(&bytes[8..]))
        } else {
            (unsigned::<8>(&bytes[8..]), unsigned::<8>(&bytes[16..]))
        };
        let (Some(data_bytes), Some(n_objects)) = (data_bytes, n_objects) else { return Err(HeaderError::Unsound) };
        // Every object takes at least one byte.
        if data_bytes == 0 || n_objects > data_bytes {
            return Err(HeaderError::Unsound);
        }
        Ok(ValueHeader { n_bytes, data_bytes, n_objects })
    }
}

/// Reads a big-endian number. `None` if there aren't enough bytes.
pub fn unsigned<const N: usize>(bytes: &[u8]) -> Option<u64> {
    let bytes = bytes.first_chunk::<N>()?;
    Some(bytes.iter().fold(0, |number: u64, &byte| number << 8 | u64::from(byte)))
}
