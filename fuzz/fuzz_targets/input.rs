//! Splits an input into its parts. The format is simple, so xtask can turn real files into seeds.

/// Returns the number in the first two bytes, and the rest. So any file with two bytes in front of it is a valid input.
pub fn number_and_rest(input: &[u8]) -> (usize, &[u8]) {
    match input {
        [low, high, rest @ ..] => (usize::from(u16::from_le_bytes([*low, *high])), rest),
        rest => (0, rest),
    }
}
