//! The parts of a trace that a query needs, before and after they are computed.

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

/// The parts that a query needs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    pub filter: Filter,
    pub measure: Measure,
    /// The frames that allocated the objects, in this shape.
    pub allocators: Option<Shape>,
    /// The shape of the tree. `None` for no tree.
    pub shape: Option<Shape>,
    /// For the tree: the weights of its groups, their weights by lifetime, and table sums.
    pub weights: bool,
    pub lifetimes: bool,
    pub sums: bool,
    /// The verdict on the heap's growth. Growth measures need it as well.
    pub growth: bool,
    /// Measure everything that was never freed, regardless of the measure.
    pub kept: bool,
    /// The order of the filtered objects' events.
    pub events: bool,
    /// The objects that count for the measure, without the filter.
    pub whole: bool,
}

/// Everything a query needs from one trace. Parts that it didn't ask for are `None`.
#[derive(Clone, Debug)]
pub struct Ready {
    /// The objects that pass the filter, and those of them that count for the measure.
    pub filtered: Rc<Selection>,
    pub measured: Rc<Selection>,
    pub whole: Option<Rc<Selection>>,
    pub growth: Option<Rc<HeapGrowth>>,
    /// The time that growth is measured over, 0 for other measures.
    pub growth_seconds: f64,
    pub allocators: Option<Rc<Allocators>>,
    pub tree: Option<IndexedTree>,
    pub weights: Option<Rc<Weights>>,
    /// The sample counts of the same objects. The same as `weights` if the measure counts samples.
    pub samples: Option<Rc<Weights>>,
    pub lifetimes: Option<Rc<Weights>>,
    pub sums: Option<Rc<TableSums>>,
    pub events: Option<Rc<EventIndex>>,
}

/// A tree with the index of its keys.
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

/// The weights of a tree, and the first level of its inverted graph once a query needs it.
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

/// Returns the filter for the objects that pass `filter` and count for a measure.
pub fn measured_filter(filter: &Filter, measure: Measure, heap: Option<&HeapGrowth>) -> Filter {
    match heap {
        Some(heap) if measure.is_growth() => {
            // The window is the filter's own time range, limited to objects that are old enough. It may be empty.
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
