//! Why a header or a value cannot be read.

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeaderError {
    /// This many bytes must be there.
    Short(usize),
    /// There is no header here, or one whose numbers contradict each other.
    Unsound,
}

/// Why a value cannot be kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreadable {
    Damaged,
    /// It takes more memory than it may.
    TooLarge,
}
