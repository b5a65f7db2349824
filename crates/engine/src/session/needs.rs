//! The parts of a trace that a question needs, before and after they are made.

use std::cell::OnceCell;
use std::rc::Rc;

use crate::query::events::EventIndex;
use crate::query::filter::{Clause, Filter};
use crate::query::flame::Bottom;
use crate::query::growth::HeapGrowth;
use crate::query::measure::Measure;
use crate::query::selection::Selection;
use crate::query::table::TableSums;
use crate::query::tree::{Allocators, Shape, ShapedTree, TreeIndex, TreeWeights};

/// The parts that a question needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    pub filter: Filter,
    pub measure: Measure,
    /// The frames that allocated the objects, in this shape.
    pub allocators: Option<Shape>,
    /// None: no tree.
    pub shape: Option<Shape>,
    /// Of the tree: what its groups weigh, what they weigh by lifetimes, and the sums of a table.
    pub weights: bool,
    pub lifetimes: bool,
    pub sums: bool,
    /// The verdict on the heap's growth. A measure of growth needs it as well.
    pub growth: bool,
    /// Measured is everything that was never freed, whatever the measure.
    pub kept: bool,
    /// The order of the filtered objects' events.
    pub events: bool,
    /// What counts for the measure without the filter.
    pub whole: bool,
}

/// All that a question needs, of one trace; what it did not ask for is none.
#[derive(Clone, Debug)]
pub struct Ready {
    /// What passes the filter, and what of it counts for the measure.
    pub filtered: Rc<Selection>,
    pub measured: Rc<Selection>,
    pub whole: Option<Rc<Selection>>,
    pub growth: Option<Rc<HeapGrowth>>,
    /// The time that growth is measured over; 0 for other measures.
    pub growth_seconds: f64,
    pub allocators: Option<Rc<Allocators>>,
    pub tree: Option<IndexedTree>,
    pub weights: Option<Rc<Weights>>,
    /// Of the same objects; the same as `weights` where the measure counts samples.
    pub samples: Option<Rc<Weights>>,
    pub lifetimes: Option<Rc<Weights>>,
    pub sums: Option<Rc<TableSums>>,
    pub events: Option<Rc<EventIndex>>,
}

/// A tree and where its keys stand.
#[derive(Clone, Debug)]
pub struct IndexedTree {
    pub tree: ShapedTree,
    pub index: Rc<TreeIndex>,
}

impl IndexedTree {
    pub fn heap_bytes(&self) -> usize {
        self.tree.heap_bytes() + self.index.heap_bytes()
    }
}

/// The weights of a tree, and the first level of its inverted graph once a question needs it.
#[derive(Debug)]
pub struct Weights {
    pub weights: TreeWeights,
    pub bottom: OnceCell<Bottom>,
}

impl Weights {
    pub fn heap_bytes(&self) -> usize {
        self.weights.heap_bytes() + self.bottom.get().map_or(0, Bottom::heap_bytes)
    }
}

/// What counts for a measure, of what passes a filter.
pub fn measured_filter(filter: &Filter, measure: Measure, heap: Option<&HeapGrowth>) -> Filter {
    match heap {
        Some(heap) if measure.is_growth() => {
            // The window holds the filter's own time range, as far as objects are old enough: perhaps nothing of it.
            let others = filter.clauses.iter().filter(|clause| !matches!(clause, Clause::Allocated(_)));
            with_clauses(&Filter { clauses: others.cloned().collect() }, heap.clauses(filter))
        }
        _ => with_clauses(filter, measure.narrowing()),
    }
}

pub fn with_clauses(filter: &Filter, clauses: impl IntoIterator<Item = Clause>) -> Filter {
    let mut filter = filter.clone();
    filter.clauses.extend(clauses);
    filter
}
