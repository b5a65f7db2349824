//! Why a header or a value can't be read.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// This many bytes are needed.
    Short(usize),
    /// There is no header here, or its numbers contradict each other.
    Unsound,
}

/// Why a value can't be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    Damaged,
    /// It exceeds its memory limit.
    TooLarge,
}
