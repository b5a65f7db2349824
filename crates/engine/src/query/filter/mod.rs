//! Which objects a query covers: the AND of clauses, each of which a person can read, edit and switch off.
//!
//! A [`Filter`] is plain data and converts to text and back ([`text`]). A [`Plan`] scans a trace's columns. Stacks are
//! tested once per tree node, not once per object.

mod check;
mod further;
mod lines;
mod names;
mod plan;
pub mod presets;
mod stacks;
pub mod text;
pub mod units;

use serde::{Deserialize, Serialize};

pub use check::{Contradiction, FilterError};
pub(super) use lines::for_each_line;
pub use lines::{line_name, parse_line};
pub use names::NameMatcher;
pub use plan::{Plan, heap_of, select};
pub(super) use stacks::{NameTable, passing_stacks};
pub use text::ParseError;
pub use units::{parse_dies_within, parse_time};

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Filter {
    pub clauses: Vec<Clause>,
}

/// Times are µs since the trace's start; bounds are inclusive.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clause {
    Allocated(Span),
    /// Excludes objects that were never collected.
    Collected(Span),
    NeverCollected,
    LiveAt(When),
    /// Live at some time in the range.
    LiveWithin(Span),
    /// Live throughout the range.
    LiveThrough(Span),
    /// The block's own size, header excluded.
    Size(Span, SizeUnit),
    /// In µs. Objects that were never collected live until the end of the trace.
    Lifetime(Span),
    /// Seen to die soon after its allocation. Excludes objects that were never collected.
    Temporary(DiesWithin),
    Heap(Vec<Heap>),
    Domain(Vec<u16>),
    Frame(FrameTest),
    /// The stack contains `callee` directly called by `caller`.
    Calls {
        caller: NameTest,
        callee: NameTest,
    },
    /// Removes frames of these functions. Their bytes are attributed to the caller.
    Hide(NameTest),
    /// Keeps only stacks through a function, rooted at it.
    Focus(NameTest),
}

/// A range with inclusive bounds. `None` means unbounded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Span {
    pub from: Option<u64>,
    pub to: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum When {
    /// µs since the trace's start. The object was allocated at or before this time and collected after it.
    At(u64),
    /// The first maximum of the unfiltered live bytes.
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

/// How soon after its allocation an object died, at most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DiesWithin {
    Micros(u64),
    /// Bytes that the program allocated after the object and before its end, estimated from the samples in between.
    Bytes(u64),
}

impl Default for DiesWithin {
    /// Two minor heaps of OCaml's default size. An object that is dead at the first minor collection after its
    /// allocation dies within one.
    fn default() -> DiesWithin {
        DiesWithin::Bytes(4 << 20)
    }
}

/// Where an object lived.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Heap {
    /// Only in the minor heap.
    Minor,
    /// Allocated in the minor heap and moved to the major heap.
    Promoted,
    /// Allocated in the major heap.
    Major,
    External,
}

impl Heap {
    pub const ALL: [Heap; 4] = [Heap::Minor, Heap::Promoted, Heap::Major, Heap::External];

    /// Returns the name used in texts and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Heap::Minor => "minor",
            Heap::Promoted => "promoted",
            Heap::Major => "major",
            Heap::External => "external",
        }
    }
}

/// A test for a frame in the stack.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FrameTest {
    pub part: FrameField,
    pub name: NameTest,
    /// Passes stacks without such a frame.
    pub not: bool,
    pub which: WhichFrame,
}

/// Which frames of a stack are tested.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum WhichFrame {
    #[default]
    Any,
    /// The frame that allocated, not its callers.
    Allocating,
    /// The innermost frame outside OCaml's standard library: the program's function that allocated, directly or through
    /// the library.
    Responsible,
}

/// Which part of a frame is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FrameField {
    Function,
    File,
    Module,
    /// A line of a file, such as `src/orders.ml:88`. [`How::Is`] also takes the end of the path: `orders.ml:88`.
    Line,
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
    /// Ignores case.
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

    /// Returns the intersection of both ranges.
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
