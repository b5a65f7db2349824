//! The order of a profile's values.

use super::error::Section;
use super::sink::Form;

/// The expected kind of the next value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// The value that identifies the file. It is the only one in a `.p`.
    Start(Form),
    Mark,
    Snapshot,
    EventName,
    EventTime {
        name: String,
    },
    End,
    FrameTable,
    ShapeTable,
    ThreadCount,
    Tries {
        n: u64,
    },
    Nothing,
}

impl Expected {
    pub fn tries(n: u64) -> Expected {
        if n == 0 { Expected::Nothing } else { Expected::Tries { n } }
    }

    pub fn section(&self) -> Section {
        match self {
            Expected::Start(_) => Section::Series,
            Expected::Mark => Section::Mark,
            Expected::Snapshot => Section::Snapshot,
            Expected::EventName | Expected::EventTime { .. } => Section::Event,
            Expected::End => Section::End,
            Expected::FrameTable => Section::FrameTable,
            Expected::ShapeTable => Section::ShapeTable,
            Expected::ThreadCount | Expected::Tries { .. } | Expected::Nothing => Section::Trie,
        }
    }

    /// Whether the program had not yet started to close the file.
    pub fn is_record(&self) -> bool {
        use Expected::{EventName, EventTime, Mark, Snapshot};
        matches!(self, Mark | Snapshot | EventName | EventTime { .. })
    }

    /// Returns what follows the expected value if that can't be read.
    pub fn after_loss(self) -> Expected {
        match self {
            Expected::Mark | Expected::Snapshot | Expected::EventTime { .. } => Expected::Mark,
            Expected::EventName => Expected::EventName,
            Expected::End => Expected::FrameTable,
            Expected::FrameTable => Expected::ShapeTable,
            Expected::ShapeTable => Expected::ThreadCount,
            Expected::ThreadCount => Expected::Tries { n: 2 },
            Expected::Tries { n } => Expected::tries(n - 1),
            Expected::Start(_) | Expected::Nothing => Expected::Nothing,
        }
    }
}
