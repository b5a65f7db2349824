//! Growth: bytes per second that were never freed, counted by the time of their allocation.
//!
//! The analysis has three steps. [`maturity`] determines how old an object must be before "never freed" means anything.
//! [`verdict::growth_verdict`] judges the heap as a whole, with a rate, an interval and a time. Functions, call sites
//! and modules are then shares of that growth, which add up to it. Growth is also a measure
//! ([`crate::query::measure::Measure::Growth`]): [`HeapGrowth::clauses`] selects its objects, and
//! [`HeapGrowth::window`] is the time that their bytes are divided by.
//!
//! Stacks are read without OCaml's standard library ([`shape`]): what `Hashtbl.replace` allocates is attributed to the
//! program's function that called it.

mod callers;
mod heap;
mod maturity;
mod rows;
mod segments;
#[cfg(test)]
mod simulations;
pub mod verdict;

use serde::{Deserialize, Serialize};

pub use self::callers::common_caller;
pub use self::heap::{GroupCounts, counts, heap_growth, heap_of_groups};
pub use self::rows::{SiteCounts, growth, growth_of_counts, site_counts};
use self::verdict::STEPS;
use super::filter::presets::library_names;
use super::filter::{Clause, Filter, FrameField, FrameTest, Heap, NameTest, Span, WhichFrame};
use super::label::module_of;
use super::tree::{Grain, Label, Place, Shape};

/// The number of bars in a row of the list.
pub const BARS: usize = 32;

/// The result: the entire heap, the objects that pass the filter, and what allocated them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// For the entire trace, whatever the filter. Part of a trace can't show whether the program leaks.
    pub heap: HeapGrowth,
    /// For the objects that pass the filter.
    pub passing: PartGrowth,
    /// Largest share of the growth first.
    pub sites: Vec<SiteGrowth>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeapGrowth {
    pub verdict: Verdict,
    /// The current rate, over `window`. `None` if nothing is old enough.
    pub rate: Option<Rate>,
    /// The objects allocated in this window are those that grow now. It ends where objects are too young.
    pub window: Window,
    /// The window of the growth that the verdict is about: the same, or that of growth that stopped.
    pub grown: Window,
    /// Over `grown`.
    pub grown_rate: Option<Rate>,
    /// `None` if it has grown since the start, or doesn't grow.
    pub since: Option<Change>,
    /// `None` if growth continues, or if there is none.
    pub until: Option<Change>,
    /// Younger objects can't be judged.
    pub old_enough_us: u64,
    /// How long objects live at most.
    pub lives_us: u64,
    pub end_us: u64,
    /// Samples that were never freed, of objects allocated in `window` and (`grown_samples`) in `grown`.
    pub samples: u64,
    pub grown_samples: u64,
    /// Never freed, in bytes per second, by equal steps of allocation time over the entire trace.
    pub bars: Vec<f64>,
    /// Segments of nearly constant rate.
    pub segments: Vec<Segment>,
    /// The functions that allocated the growth, largest share first. Functions below 5% of the largest are omitted.
    pub carriers: Vec<Carrier>,
    /// Functions whose objects live too long for this trace. They are excluded from everything above.
    pub long_lived: Vec<LongLived>,
    /// The innermost function through which nearly all the growth was allocated, if several functions allocated it.
    pub caller: Option<Label>,
    /// Whether it is based on snapshots of a Spacetime profile, which has no individual objects.
    pub is_profile: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Verdict {
    Growing,
    Stopped,
    /// Any steady growth is below the upper end of the rate's interval.
    Level,
    Undecided(Undecided),
    #[default]
    NothingAllocated,
}

/// Why there is no verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Undecided {
    ShortTrace,
    /// Objects live for a large part of the trace.
    LongLived,
    /// Memory is kept, but only since shortly before the end.
    JustStarted,
    FewSamples,
}

impl Verdict {
    /// Returns the name used in the command line's JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Verdict::Growing => "growing",
            Verdict::Stopped => "stopped",
            Verdict::Level => "level",
            Verdict::Undecided(_) | Verdict::NothingAllocated => "undecided",
        }
    }
}

/// Bytes per second, with a 95% interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rate {
    pub bytes_per_s: f64,
    pub low: f64,
    pub high: f64,
}

/// A share from 0 to 1, with a 95% interval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Share {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// A range of allocation times, in µs since the trace's start. Excludes `to_us`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    pub from_us: u64,
    pub to_us: u64,
}

impl Window {
    pub fn seconds(self) -> f64 {
        self.to_us.saturating_sub(self.from_us) as f64 / 1e6
    }

    pub fn is_empty(self) -> bool {
        self.to_us <= self.from_us
    }

    /// Selects the objects allocated in this window.
    pub fn clause(self) -> Clause {
        // No trace is that long, so an empty window selects nothing.
        let never = Span::new(u64::MAX, u64::MAX);
        Clause::Allocated(if self.is_empty() { never } else { Span::new(self.from_us, self.to_us - 1) })
    }
}

/// A time with its 95% interval, in µs since the trace's start.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    pub at_us: u64,
    pub low_us: u64,
    pub high_us: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Segment {
    pub window: Window,
    pub rate: Rate,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Carrier {
    /// Includes the anonymous functions inside it.
    pub name: String,
    pub share: Share,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LongLived {
    pub function: Label,
    /// How long its objects live at most.
    pub lives_us: u64,
    /// Live at the end.
    pub bytes: f64,
}

/// A part of the growth.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PartGrowth {
    /// `None` if nothing is old enough.
    pub rate: Option<Rate>,
    /// Of the heap's growth.
    pub share: Option<Share>,
    /// Like [`HeapGrowth::bars`].
    pub bars: Vec<f64>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SiteGrowth {
    pub name: String,
    /// Empty if the grain has none. Line and columns are only for call sites.
    pub file: String,
    pub line: Option<u32>,
    pub start_char: Option<u16>,
    pub end_char: Option<u16>,
    pub verdict: Verdict,
    /// The current rate, over [`HeapGrowth::window`]. `None` if nothing is old enough.
    pub rate: Option<Rate>,
    /// The share of the growth that the heap's verdict is about. `None` if there is no growth.
    pub share: Option<Share>,
    pub allocated_bytes: f64,
    /// Never freed, including objects that are too young.
    pub end_bytes: f64,
    /// All samples, and (`grown_samples`) those that it added to the growth.
    pub samples: u64,
    pub grown_samples: u64,
    /// Like [`HeapGrowth::bars`], but fewer.
    pub bars: Vec<f64>,
}

impl SiteGrowth {
    pub fn label(&self) -> Label {
        let place = Place::new(self.line, self.start_char, self.end_char);
        Label { name: self.name.clone(), file: self.file.clone(), place }
    }
}

impl HeapGrowth {
    /// Returns the time up to which objects are old enough.
    pub fn judged_until_us(&self) -> u64 {
        self.window.to_us
    }

    /// Returns whether the objects of a function are excluded, or those of a function in this module or file.
    pub fn leaves_out(&self, name: &str) -> bool {
        self.long_lived.iter().map(|group| &group.function).any(|function| {
            function.name == name || module_of(&function.name) == name || (function.file == name && !name.is_empty())
        })
    }

    /// Returns the allocation times that count under a filter: those in the filter's own time range, if it has one,
    /// that are old enough.
    pub fn window_in(&self, filter: &Filter) -> Window {
        let ranges = filter.clauses.iter().filter_map(|clause| match clause {
            Clause::Allocated(span) => Some(*span),
            _ => None,
        });
        match ranges.reduce(Span::and) {
            None => self.window,
            Some(span) => Window {
                from_us: span.from.unwrap_or(0),
                to_us: span.to.map_or(u64::MAX, |to| to.saturating_add(1)).min(self.judged_until_us()),
            },
        }
    }

    /// Selects the growing objects under a filter: those that were kept and are old enough.
    pub fn clauses(&self, filter: &Filter) -> Vec<Clause> {
        let mut clauses = self.kept_clauses();
        clauses.push(self.window_in(filter).clause());
        clauses
    }

    /// Selects the objects that were never freed, whatever their age. Excludes the minor heap, which no collection has
    /// examined, and the long-lived functions.
    pub fn kept_clauses(&self) -> Vec<Clause> {
        let mut clauses = vec![Clause::NeverCollected, Clause::Heap(vec![Heap::Promoted, Heap::Major, Heap::External])];
        clauses.extend(self.long_lived.iter().map(|long_lived| {
            let name = NameTest::is(&long_lived.function.name);
            Clause::Frame(FrameTest { part: FrameField::Function, name, not: true, which: WhichFrame::Responsible })
        }));
        clauses
    }

    /// Returns the first µs of a step.
    pub fn step_us(&self, step: usize) -> u64 {
        step_us(step, self.end_us)
    }
}

/// Returns the first µs of a step, given the duration of the trace.
fn step_us(step: usize, trace_us: u64) -> u64 {
    (u128::from(trace_us) * step as u128).div_ceil(STEPS as u128) as u64
}

/// Returns the shape of stacks for growth, at a grain.
pub fn shape(filter: &Filter, grain: Grain) -> Shape {
    let mut shape = Shape::new(grain, false, filter);
    let library = library_names();
    if !shape.hide.contains(&library) {
        shape.hide.push(library);
    }
    shape
}
