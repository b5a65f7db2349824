//! Custom values. Profiles contain only 64-bit integers, and the other boxed integers are just as easy to read.

use super::code;
use super::error::Unreadable;
use super::header::unsigned;

/// Reads the integer of a custom value after its code. Also returns its size in bytes. `None` if it is incomplete.
pub fn custom(first: u8, bytes: &[u8]) -> Result<Option<(i64, usize)>, Unreadable> {
    let Some((name, rest)) = bytes.split_first_chunk::<3>() else { return Ok(None) };
    // The longer form also has the sizes of the integer on 32-bit and 64-bit machines.
    let n_sizes = if first == code::CUSTOM_LEN { 12 } else { 0 };
    let Some((sizes, rest)) = rest.split_at_checked(n_sizes) else { return Ok(None) };
    let (size_32, size_64, n_bytes) = match (name, rest) {
        (b"_j\0", _) => (8, 8, 8),
        (b"_i\0", _) => (4, 4, 4),
        // The first byte encodes the width of the integer.
        (b"_n\0", [1, ..]) => (4, 8, 5),
        (b"_n\0", [2, ..]) => (4, 8, 9),
        (b"_n\0", []) => return Ok(None),
        _ => return Err(Unreadable::Damaged),
    };
    let sizes_agree =
        n_sizes == 0 || (unsigned::<4>(sizes), unsigned::<8>(&sizes[4..])) == (Some(size_32), Some(size_64));
    if !sizes_agree {
        return Err(Unreadable::Damaged);
    }
    let Some(integer) = rest.get(..n_bytes) else { return Ok(None) };
    let integer = integer.iter().skip(n_bytes % 4);
    let integer = integer.fold(0, |number: u64, &byte| number << 8 | u64::from(byte));
    let is_narrow = n_bytes < 8;
    let integer = if is_narrow { i64::from(integer as i32) } else { integer as i64 };
    Ok(Some((integer, 3 + n_sizes + n_bytes)))
}
