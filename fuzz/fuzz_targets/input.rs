//! How an input is cut into its parts: simple enough for xtask to make seeds of real files.

/// A number from the first two bytes, and the rest. A file in front of which two bytes are put is an input.
pub fn number_and_rest(input: &[u8]) -> (usize, &[u8]) {
    match input {
        [low, high, rest @ ..] => (usize::from(u16::from_le_bytes([*low, *high])), rest),
        rest => (0, rest),
    }
}
