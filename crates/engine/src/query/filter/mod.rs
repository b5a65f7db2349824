//! Which objects are asked about: the AND of clauses, each of which a person can read, edit and switch off.
//!
//! A [`Filter`] is plain data and converts to text and back ([`text`]); [`Plan`] is what a trace's columns are scanned
//! with. Stacks are judged once a tree node, not once an object.

mod check;
mod names;
mod plan;
pub mod presets;
mod stacks;
pub mod text;
pub mod units;

use serde::{Deserialize, Serialize};

pub use check::{Contradiction, FilterError};
pub use names::NameMatcher;
pub use plan::{Plan, heap_of, select};
pub(super) use stacks::{NameTable, passing_stacks};
pub use text::ParseError;
pub use units::parse_time;

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Filter {
    pub clauses: Vec<Clause>,
}

/// Times are µs since the trace's start; bounds are inclusive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clause {
    Allocated(Span),
    /// Objects that were never collected are in no such range.
    Collected(Span),
    NeverCollected,
    LiveAt(When),
    /// Live at some time of the range.
    LiveWithin(Span),
    /// Live through all of the range.
    LiveThrough(Span),
    /// The block's own size, header excluded.
    Size(Span, SizeUnit),
    /// In µs. Objects that were never collected count with their age at the end.
    Lifetime(Span),
    Heap(Vec<Heap>),
    Domain(Vec<u16>),
    Frame(FrameTest),
    /// The stack contains `callee` directly called by `caller`.
    Calls {
        caller: NameTest,
        callee: NameTest,
    },
    /// Removes frames of these functions and keeps their bytes, which go to the caller.
    Hide(NameTest),
    /// Keeps the stacks through a function, rooted at it.
    Focus(NameTest),
}

/// From one value to another, both included; none: open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    pub from: Option<u64>,
    pub to: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// µs since the trace's start: allocated at or before it, collected after it.
    At(u64),
    /// Where the unfiltered curve first is highest.
    Peak,
    /// Never collected.
    End,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SizeUnit {
    #[default]
    Words,
    Bytes,
}

/// Where an object's life was spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heap {
    /// In the minor heap alone.
    Minor,
    /// From the minor heap into the major one.
    Promoted,
    /// Allocated in the major heap.
    Major,
    External,
}

impl Heap {
    pub const ALL: [Heap; 4] = [Heap::Minor, Heap::Promoted, Heap::Major, Heap::External];

    /// The word by which people and the command line know it.
    pub fn name(self) -> &'static str {
        match self {
            Heap::Minor => "minor",
            Heap::Promoted => "promoted",
            Heap::Major => "major",
            Heap::External => "external",
        }
    }
}

/// Asks for a frame in the stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FrameTest {
    pub part: FrameField,
    pub name: NameTest,
    /// Passes stacks without such a frame.
    pub not: bool,
    pub which: WhichFrame,
}

/// Which frames of a stack are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhichFrame {
    #[default]
    Any,
    /// The one that allocated, not its callers.
    Allocating,
    /// The innermost one that is not OCaml's own library: the program's function that allocated, or had it done.
    Responsible,
}

/// What of a frame is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrameField {
    Function,
    File,
    Module,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct NameTest {
    pub how: How,
    pub text: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum How {
    Is,
    /// In either case of letters.
    Contains,
    /// A regular expression, anywhere in the name.
    Matches,
}

impl Span {
    pub const ANY: Span = Span { from: None, to: None };

    pub fn new(from: u64, to: u64) -> Span {
        Span { from: Some(from), to: Some(to) }
    }

    pub fn contains(self, value: u64) -> bool {
        self.from.is_none_or(|from| from <= value) && self.to.is_none_or(|to| value <= to)
    }

    /// What lies in both.
    pub fn and(self, other: Span) -> Span {
        Span {
            from: self.from.max(other.from),
            to: match (self.to, other.to) {
                (Some(one), Some(two)) => Some(one.min(two)),
                (one, two) => one.or(two),
            },
        }
    }

    pub fn is_impossible(self) -> bool {
        matches!((self.from, self.to), (Some(from), Some(to)) if from > to)
    }
}

impl NameTest {
    pub fn is(name: &str) -> NameTest {
        NameTest { how: How::Is, text: name.to_owned() }
    }

    pub fn matches(pattern: &str) -> NameTest {
        NameTest { how: How::Matches, text: pattern.to_owned() }
    }
}
