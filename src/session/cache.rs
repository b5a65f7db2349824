//! What is costly to find out about a trace, kept: selections, trees and their weights. Whatever is missing is worked out
//! in slices, so that whoever drives the session can hear a Cancel in between.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use super::recent::Recent;
use crate::query::events::EventIndex;
use crate::query::filter::{Clause, Filter, FilterError, Plan};
use crate::query::flame::Bottom;
use crate::query::measure::{Measure, Weight};
use crate::query::selection::Selection;
use crate::query::table::{Room, TableSums, TableSumsBuilder};
use crate::query::tree::{CallTree, CallTreeBuilder, Grain, Shape, ShapedTree, TreeIndex, TreeWeights};
use crate::trace::Trace;

/// Stack nodes that are merged, and chunks of rows that are scanned, in one slice: some 50 ms in a browser.
const NODES_A_SLICE: usize = 1 << 19;
const CHUNKS_A_SLICE: usize = 32;
/// Bytes that are kept from one table to the next. Asking for them anew takes a third of the table's time, but a large
/// trace needs its memory.
const MOST_ROOM: usize = 256 << 20;

/// What a question needs before it can be answered.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Needs {
    pub filter: Filter,
    pub measure: Measure,
    /// None: no tree.
    pub shape: Option<Shape>,
    /// Of the tree: what its groups weigh, what they weigh by lifetimes, and the sums of a table.
    pub weights: bool,
    pub lifetimes: bool,
    pub sums: bool,
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
    pub tree: Option<Tree>,
    pub weights: Option<Rc<Weights>>,
    /// Of the same objects; the same as `weights` where the measure counts samples.
    pub samples: Option<Rc<Weights>>,
    pub lifetimes: Option<Rc<Weights>>,
    pub sums: Option<Rc<TableSums>>,
    pub events: Option<Rc<EventIndex>>,
}

/// A tree and where its keys stand.
#[derive(Clone, Debug)]
pub struct Tree {
    pub tree: ShapedTree,
    pub index: Rc<TreeIndex>,
}

/// What a tree weighs, and the first level of its inverted picture once that was asked for.
#[derive(Debug)]
pub struct Weights {
    pub weights: TreeWeights,
    pub bottom: OnceCell<Bottom>,
}

#[derive(Debug)]
pub struct Cache {
    selections: Recent<Filter, Rc<Selection>>,
    bases: Recent<Grain, Rc<CallTree>>,
    trees: Recent<Shape, Tree>,
    weights: Recent<WeightsKey, Rc<Weights>>,
    sums: Recent<(Filter, Shape), Rc<TableSums>>,
    /// From the last table, for the next.
    sums_room: Room,
    events: Recent<Filter, Rc<EventIndex>>,
    under_way: Option<Work>,
}

type WeightsKey = (Filter, Weight, Shape);

/// Work that is done in part.
#[derive(Debug)]
enum Work {
    Select { filter: Filter, base: Rc<Selection>, plan: Box<Plan>, words: Vec<u64>, chunks: Range<usize> },
    Tree(Grain, Box<CallTreeBuilder>),
    Weigh { key: WeightsKey, by_base: Vec<f64>, chunks: Range<usize> },
    Sum { key: (Filter, Shape), builder: Box<TableSumsBuilder>, chunks: Range<usize> },
}

impl Default for Cache {
    fn default() -> Cache {
        Cache {
            // The filter as it is, the same with the measure's clause, and what the reader had a moment ago.
            selections: Recent::new(6),
            bases: Recent::new(2),
            trees: Recent::new(4),
            weights: Recent::new(4),
            sums: Recent::new(2),
            sums_room: Room::default(),
            events: Recent::new(1),
            under_way: None,
        }
    }
}

impl Cache {
    /// All that is needed, if it is there; else does one slice of what is missing.
    pub fn prepare(&mut self, trace: &Trace, needs: &Needs) -> Result<Option<Ready>, FilterError> {
        let Some(filtered) = self.selection(trace, &needs.filter, None)? else {
            return Ok(None);
        };
        let measured_by = with_clause(&needs.filter, needs.measure.narrowing());
        let Some(measured) = self.selection(trace, &measured_by, Some(&filtered))? else {
            return Ok(None);
        };
        let mut ready = Ready {
            filtered,
            measured,
            whole: None,
            tree: None,
            weights: None,
            samples: None,
            lifetimes: None,
            sums: None,
            events: None,
        };
        if needs.whole {
            let whole = with_clause(&Filter::default(), needs.measure.narrowing());
            ready.whole = self.selection(trace, &whole, None)?;
            if ready.whole.is_none() {
                return Ok(None);
            }
        }
        if needs.events {
            ready.events = Some(self.events(trace, &needs.filter, &ready.filtered));
        }
        if let Some(shape) = &needs.shape
            && !self.prepare_tree(trace, needs, measured_by, shape, &mut ready)?
        {
            return Ok(None);
        }
        Ok(Some(ready))
    }

    /// Whether all that is needed of the tree is there.
    fn prepare_tree(
        &mut self,
        trace: &Trace,
        needs: &Needs,
        measured_by: Filter,
        shape: &Shape,
        ready: &mut Ready,
    ) -> Result<bool, FilterError> {
        let Some(tree) = self.tree(trace, shape)? else {
            return Ok(false);
        };
        let mut weigh = |weight: Weight| {
            let key = (measured_by.clone(), weight, shape.clone());
            self.weights(trace, key, &ready.measured, &tree.tree)
        };
        if needs.weights {
            ready.weights = weigh(needs.measure.weight());
            ready.samples = if ready.weights.is_some() { weigh(Weight::Samples) } else { None };
            if ready.samples.is_none() {
                return Ok(false);
            }
        }
        if needs.lifetimes {
            ready.lifetimes = weigh(Weight::SampleMicros);
            if ready.lifetimes.is_none() {
                return Ok(false);
            }
        }
        if needs.sums {
            ready.sums = self.sums(trace, (measured_by, shape.clone()), &ready.measured, &tree.tree);
            if ready.sums.is_none() {
                return Ok(false);
            }
        }
        ready.tree = Some(tree);
        Ok(true)
    }

    /// How much of the slice's work is done, between 0 and 1.
    pub fn progress(&self, trace: &Trace) -> f64 {
        match &self.under_way {
            None => 0.0,
            Some(Work::Tree(_, builder)) => builder.n_done() as f64 / trace.stacks.len() as f64,
            // What is left of the chunks; the number of all is the trace's.
            Some(Work::Select { chunks, .. } | Work::Weigh { chunks, .. } | Work::Sum { chunks, .. }) => {
                1.0 - (chunks.end - chunks.start) as f64 / trace.columns.n_chunks().max(1) as f64
            }
        }
    }

    /// `within`: a selection that this filter narrows by its last clause.
    fn selection(
        &mut self,
        trace: &Trace,
        filter: &Filter,
        within: Option<&Rc<Selection>>,
    ) -> Result<Option<Rc<Selection>>, FilterError> {
        if let Some(known) = self.selections.get(filter) {
            return Ok(Some(Rc::clone(known)));
        }
        let is_under_way = matches!(&self.under_way, Some(Work::Select { filter: other, .. }) if other == filter);
        if !is_under_way {
            filter.check()?;
            let (base, clauses) = match (within, filter.clauses.last()) {
                (Some(within), Some(last)) => (Rc::clone(within), vec![last.clone()]),
                _ => self.widest(trace, filter),
            };
            let plan = Box::new(Plan::new(trace, &clauses)?);
            let words = vec![0; base.words().len()];
            let chunks = 0..trace.columns.n_chunks();
            self.under_way = Some(Work::Select { filter: filter.clone(), base, plan, words, chunks });
        }
        let Some(Work::Select { base, plan, words, chunks, .. }) = &mut self.under_way else {
            return Ok(None);
        };
        plan.narrow_in(trace, base, next_slice(chunks), words);
        if chunks.start < chunks.end {
            return Ok(None);
        }
        let selection = Rc::new(Selection::from_words(std::mem::take(words), trace.columns.len()));
        self.under_way = None;
        self.selections.insert(filter.clone(), Rc::clone(&selection));
        Ok(Some(selection))
    }

    /// The narrowest selection that is known and that the filter narrows further, and the clauses that are left.
    fn widest(&self, trace: &Trace, filter: &Filter) -> (Rc<Selection>, Vec<Clause>) {
        let is_part = |known: &Filter| known.clauses.iter().all(|clause| filter.clauses.contains(clause));
        let known = self.selections.iter().filter(|(known, _)| is_part(known));
        match known.min_by_key(|(_, selection)| selection.len()) {
            Some((known, selection)) => {
                let left = filter.clauses.iter().filter(|clause| !known.clauses.contains(clause));
                (Rc::clone(selection), left.cloned().collect())
            }
            None => (Rc::new(Selection::all(trace.columns.len())), filter.clauses.clone()),
        }
    }

    fn tree(&mut self, trace: &Trace, shape: &Shape) -> Result<Option<Tree>, FilterError> {
        if let Some(known) = self.trees.get(shape) {
            return Ok(Some(known.clone()));
        }
        let grain = shape.grain.base();
        if let Some(base) = self.bases.get(&grain) {
            let tree = ShapedTree::new(trace, base, shape)?;
            let index = Rc::new(TreeIndex::new(trace, &tree));
            let tree = Tree { tree, index };
            self.trees.insert(shape.clone(), tree.clone());
            return Ok(Some(tree));
        }
        if !matches!(&self.under_way, Some(Work::Tree(other, _)) if *other == grain) {
            // A tree is large: what only saves time makes way.
            self.sums_room = Room::default();
            self.under_way = Some(Work::Tree(grain, Box::new(CallTreeBuilder::new(trace, grain))));
        }
        let is_left = match &mut self.under_way {
            Some(Work::Tree(_, builder)) => builder.step(trace, NODES_A_SLICE),
            _ => return Ok(None),
        };
        if !is_left && let Some(Work::Tree(_, builder)) = self.under_way.take() {
            self.bases.insert(grain, Rc::new(builder.finish()));
        }
        Ok(None)
    }

    fn weights(
        &mut self,
        trace: &Trace,
        key: WeightsKey,
        selection: &Selection,
        tree: &ShapedTree,
    ) -> Option<Rc<Weights>> {
        if let Some(known) = self.weights.get(&key) {
            return Some(Rc::clone(known));
        }
        if !matches!(&self.under_way, Some(Work::Weigh { key: other, .. }) if *other == key) {
            // Giving back 60 MB and asking for them again costs more than filling them with zeros.
            let oldest = self.weights.take_oldest().and_then(|oldest| Rc::try_unwrap(oldest).ok());
            let room = oldest.map(|oldest| oldest.weights.into_room()).unwrap_or_default();
            let by_base = tree.base().room_for_weights(room);
            let chunks = 0..trace.columns.n_chunks();
            self.under_way = Some(Work::Weigh { key: key.clone(), by_base, chunks });
        }
        let Some(Work::Weigh { by_base, chunks, .. }) = &mut self.under_way else {
            return None;
        };
        tree.base().weigh_in(trace, selection, key.1, next_slice(chunks), by_base);
        if chunks.start < chunks.end {
            return None;
        }
        let weights = TreeWeights::new(tree, std::mem::take(by_base));
        let weights = Rc::new(Weights { weights, bottom: OnceCell::new() });
        self.under_way = None;
        self.weights.insert(key, Rc::clone(&weights));
        Some(weights)
    }

    fn sums(
        &mut self,
        trace: &Trace,
        key: (Filter, Shape),
        selection: &Selection,
        tree: &ShapedTree,
    ) -> Option<Rc<TableSums>> {
        if let Some(known) = self.sums.get(&key) {
            return Some(Rc::clone(known));
        }
        if !matches!(&self.under_way, Some(Work::Sum { key: other, .. }) if *other == key) {
            let builder = Box::new(TableSumsBuilder::new(trace, tree, std::mem::take(&mut self.sums_room)));
            self.under_way = Some(Work::Sum { key: key.clone(), builder, chunks: 0..trace.columns.n_chunks() });
        }
        let is_left = match &mut self.under_way {
            Some(Work::Sum { builder, chunks, .. }) => {
                builder.add(trace, tree, selection, next_slice(chunks));
                chunks.start < chunks.end
            }
            _ => return None,
        };
        if !is_left && let Some(Work::Sum { builder, .. }) = self.under_way.take() {
            let (sums, room) = builder.finish(tree);
            if room.heap_bytes() <= MOST_ROOM {
                self.sums_room = room;
            }
            self.sums.insert(key.clone(), Rc::new(sums));
        }
        self.sums.get(&key).cloned()
    }

    fn events(&mut self, trace: &Trace, filter: &Filter, selection: &Selection) -> Rc<EventIndex> {
        if let Some(known) = self.events.get(filter) {
            return Rc::clone(known);
        }
        let index = Rc::new(EventIndex::new(trace, selection));
        self.events.insert(filter.clone(), Rc::clone(&index));
        index
    }
}

/// Takes the next few chunks off the front.
fn next_slice(chunks: &mut Range<usize>) -> Range<usize> {
    let end = chunks.end.min(chunks.start + CHUNKS_A_SLICE);
    let slice = chunks.start..end;
    chunks.start = end;
    slice
}

fn with_clause(filter: &Filter, clause: Option<Clause>) -> Filter {
    let mut filter = filter.clone();
    filter.clauses.extend(clause);
    filter
}
