//! Caches what is expensive to compute about a trace: selections, trees and their weights. Missing parts are computed
//! in slices, so that the caller can handle a Cancel in between.
//!
//! The cache stays within a limit. Before anything large is computed, entries that no current query uses are dropped.

mod memory;

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use super::lru::Lru;
use super::needs::{IndexedTree, Needs, Ready, Weights, measured_filter, with_clauses};
use crate::query::events::EventIndex;
use crate::query::filter::{Clause, Filter, FilterError, Plan, select};
use crate::query::growth::{self, HeapGrowth};
use crate::query::measure::Weight;
use crate::query::selection::Selection;
use crate::query::table::{SumsBuffer, TableSums, TableSumsBuilder};
use crate::query::tree::{
    Allocators, CallTree, CallTreeBuilder, Grain, Shape, ShapedTree, TreeIndex, TreeWeightsBuilder,
};
use crate::trace::Trace;

/// Stack nodes to merge and chunks of rows to scan in one slice: about 50 ms in a browser.
const NODES_A_SLICE: usize = 1 << 19;
const CHUNKS_A_SLICE: usize = 32;
/// Bytes kept from one table to the next, unless something else needs them. Allocating them again takes a third of the
/// table's time.
const MAX_BUFFER: usize = 256 << 20;

#[derive(Debug)]
pub struct Cache {
    /// Bytes that the cache may take. Only what a single query needs may exceed it.
    limit: usize,
    selections: Lru<Filter, Rc<Selection>>,
    allocators: Lru<Shape, Rc<Allocators>>,
    bases: Lru<Grain, Rc<CallTree>>,
    trees: Lru<Shape, IndexedTree>,
    weights: Lru<WeightsKey, Rc<Weights>>,
    sums: Lru<(Filter, Shape), Rc<TableSums>>,
    /// Reused from the last table for the next.
    sums_buffer: SumsBuffer,
    events: Lru<Filter, Rc<EventIndex>>,
    /// Small, so it is never dropped.
    growth: Option<Rc<HeapGrowth>>,
    under_way: Option<Work>,
}

type WeightsKey = (Filter, Weight, Shape);

/// Partly finished work.
#[derive(Debug)]
enum Work {
    Select { filter: Filter, base: Rc<Selection>, plan: Box<Plan>, words: Vec<u64>, chunks: Range<usize> },
    Tree(Grain, Box<CallTreeBuilder>),
    Weigh { key: WeightsKey, builder: Box<TreeWeightsBuilder>, chunks: Range<usize> },
    Sum { key: (Filter, Shape), builder: Box<TableSumsBuilder>, chunks: Range<usize> },
}

impl Cache {
    /// Creates an empty cache that keeps at most `limit` bytes.
    pub fn with_limit(limit: usize) -> Cache {
        Cache {
            limit,
            // The current filter, the same with the measure's clause, and the previous ones.
            selections: Lru::new(6),
            allocators: Lru::new(3),
            bases: Lru::new(2),
            trees: Lru::new(4),
            weights: Lru::new(4),
            sums: Lru::new(2),
            sums_buffer: SumsBuffer::default(),
            events: Lru::new(1),
            growth: None,
            under_way: None,
        }
    }

    /// Returns everything needed if it is available. Otherwise does one slice of the missing work.
    pub fn prepare(&mut self, trace: &Trace, needs: &Needs) -> Result<Option<Ready>, FilterError> {
        let Some(filtered) = self.selection(trace, &needs.filter, None)? else {
            return Ok(None);
        };
        let growth = match needs.growth || needs.measure.is_growth() {
            true => Some(self.growth(trace, needs.allocators.as_ref())?),
            false => None,
        };
        let heap = growth.as_deref();
        let measured_by = match heap {
            Some(heap) if needs.kept => with_clauses(&needs.filter, heap.kept_clauses()),
            heap => measured_filter(&needs.filter, needs.measure, heap),
        };
        let within = needs.measure.narrowing().map(|_| &filtered);
        let measured = match self.selection(trace, &measured_by, within) {
            Ok(Some(measured)) => measured,
            Ok(None) => return Ok(None),
            // A filter for collected objects leaves nothing that was never freed.
            Err(FilterError::Impossible(_)) if needs.kept => Rc::new(Selection::none(trace.columns.len())),
            Err(error) => return Err(error),
        };
        let growth_seconds =
            heap.filter(|_| needs.measure.is_growth()).map_or(0.0, |heap| heap.window_in(&needs.filter).seconds());
        let mut ready = Ready {
            filtered,
            measured,
            whole: None,
            growth: growth.clone(),
            growth_seconds,
            allocators: None,
            tree: None,
            weights: None,
            samples: None,
            lifetimes: None,
            sums: None,
            events: None,
        };
        if needs.whole {
            // A rate and its total must be over the same time range.
            let is_time = |clause: &&Clause| needs.measure.is_growth() && matches!(clause, Clause::Allocated(_));
            let whole = Filter { clauses: needs.filter.clauses.iter().filter(is_time).cloned().collect() };
            let whole = measured_filter(&whole, needs.measure, ready.growth.as_deref());
            ready.whole = self.selection(trace, &whole, None)?;
            if ready.whole.is_none() {
                return Ok(None);
            }
        }
        if needs.events {
            ready.events = Some(self.events(trace, &needs.filter, &ready.filtered));
        }
        if let Some(shape) = &needs.allocators {
            ready.allocators = Some(self.allocators(trace, shape)?);
        }
        if let Some(shape) = &needs.shape
            && !self.prepare_tree(trace, needs, measured_by, shape, &mut ready)?
        {
            return Ok(None);
        }
        Ok(Some(ready))
    }

    /// Returns whether everything needed from the tree is available.
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

    /// Returns the finished share of the current work, between 0 and 1.
    pub fn progress(&self, trace: &Trace) -> f64 {
        match &self.under_way {
            None => 0.0,
            Some(Work::Tree(_, builder)) => builder.n_done() as f64 / trace.calls.stacks.len() as f64,
            // `chunks` are those left. The total is the trace's number of chunks.
            Some(Work::Select { chunks, .. } | Work::Weigh { chunks, .. } | Work::Sum { chunks, .. }) => {
                1.0 - (chunks.end - chunks.start) as f64 / trace.columns.n_chunks().max(1) as f64
            }
        }
    }

    /// `within` is a selection that this filter narrows by its last clause.
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
            // Tests of names temporarily take two bytes per stack node, tests of what was allocated until an object's
            // end a quarter of a byte per row.
            self.make_way(trace.columns.len() / 8 * 3 + 2 * trace.calls.stacks.len());
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

    /// Returns the narrowest cached selection that the filter narrows further, and the remaining clauses.
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

    fn allocators(&mut self, trace: &Trace, shape: &Shape) -> Result<Rc<Allocators>, FilterError> {
        if let Some(known) = self.allocators.get(shape) {
            return Ok(Rc::clone(known));
        }
        self.make_way(size_of::<u32>() * trace.calls.stacks.len());
        let allocators = Rc::new(Allocators::new(&trace.calls, shape)?);
        self.allocators.insert(shape.clone(), Rc::clone(&allocators));
        Ok(allocators)
    }

    /// Returns the verdict on the whole trace. Reuses the allocators that the query needs anyway, if no filter changes
    /// them.
    fn growth(&mut self, trace: &Trace, needed: Option<&Shape>) -> Result<Rc<HeapGrowth>, FilterError> {
        if let Some(known) = &self.growth {
            return Ok(Rc::clone(known));
        }
        let shapes = [Grain::Function, Grain::Site].map(|grain| growth::shape(&Filter::default(), grain));
        let shape = needed.filter(|shape| shapes.contains(shape)).unwrap_or(&shapes[0]);
        let allocators = self.allocators(trace, shape)?;
        let mut heap = growth::heap_growth(trace, &Selection::all(trace.columns.len()), &allocators);
        if heap.carriers.len() > 1 {
            self.make_way(CallTreeBuilder::most_bytes(&trace.calls));
            let grown = with_clauses(&Filter { clauses: heap.kept_clauses() }, vec![heap.grown.clause()]);
            heap.caller = growth::common_caller(trace, &select(trace, &grown)?)?;
        }
        Ok(Rc::clone(self.growth.insert(Rc::new(heap))))
    }

    fn tree(&mut self, trace: &Trace, shape: &Shape) -> Result<Option<IndexedTree>, FilterError> {
        if let Some(known) = self.trees.get(shape) {
            return Ok(Some(known.clone()));
        }
        let grain = shape.grain.base();
        if let Some(base) = self.bases.get(&grain).cloned() {
            self.make_way(ShapedTree::most_bytes(&base, shape));
            let tree = ShapedTree::new(&trace.calls, &base, shape)?;
            let index = Rc::new(TreeIndex::new(&trace.calls, &tree));
            let tree = IndexedTree { tree, index };
            self.trees.insert(shape.clone(), tree.clone());
            return Ok(Some(tree));
        }
        if !matches!(&self.under_way, Some(Work::Tree(other, _)) if *other == grain) {
            self.make_way(CallTreeBuilder::most_bytes(&trace.calls));
            self.under_way = Some(Work::Tree(grain, Box::new(CallTreeBuilder::new(&trace.calls, grain))));
        }
        if let Some(Work::Tree(_, builder)) = &mut self.under_way
            && !builder.step(&trace.calls, NODES_A_SLICE)
            && let Some(Work::Tree(_, builder)) = self.under_way.take()
        {
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
            self.make_way(size_of::<f64>() * tree.groups().len());
            let builder = Box::new(TreeWeightsBuilder::new(trace, tree, key.1));
            let chunks = 0..trace.columns.n_chunks();
            self.under_way = Some(Work::Weigh { key: key.clone(), builder, chunks });
        }
        let Some(Work::Weigh { builder, chunks, .. }) = &mut self.under_way else { return None };
        builder.add(trace, tree, selection, next_slice(chunks));
        if chunks.start == chunks.end
            && let Some(Work::Weigh { builder, .. }) = self.under_way.take()
        {
            let weights = Rc::new(Weights { weights: builder.finish(tree), bottom: OnceCell::new() });
            self.weights.insert(key.clone(), weights);
        }
        self.weights.get(&key).cloned()
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
            let buffer = std::mem::take(&mut self.sums_buffer);
            self.make_way(TableSumsBuilder::most_bytes(trace, tree).saturating_sub(buffer.heap_bytes()));
            let builder = Box::new(TableSumsBuilder::new(trace, tree, buffer));
            self.under_way = Some(Work::Sum { key: key.clone(), builder, chunks: 0..trace.columns.n_chunks() });
        }
        let Some(Work::Sum { builder, chunks, .. }) = &mut self.under_way else { return None };
        builder.add(trace, tree, selection, next_slice(chunks));
        if chunks.start == chunks.end
            && let Some(Work::Sum { builder, .. }) = self.under_way.take()
        {
            let (sums, buffer) = builder.finish(tree);
            if buffer.heap_bytes() <= MAX_BUFFER {
                self.sums_buffer = buffer;
            }
            self.sums.insert(key.clone(), Rc::new(sums));
        }
        self.sums.get(&key).cloned()
    }

    fn events(&mut self, trace: &Trace, filter: &Filter, selection: &Selection) -> Rc<EventIndex> {
        if let Some(known) = self.events.get(filter) {
            return Rc::clone(known);
        }
        self.make_way(EventIndex::most_bytes(trace, selection));
        let index = Rc::new(EventIndex::new(trace, selection));
        self.events.insert(filter.clone(), Rc::clone(&index));
        index
    }
}

fn next_slice(chunks: &mut Range<usize>) -> Range<usize> {
    let end = chunks.end.min(chunks.start + CHUNKS_A_SLICE);
    let slice = chunks.start..end;
    chunks.start = end;
    slice
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::{Loader, Model};
    use crate::trace::Budget;

    #[test]
    fn table_sums_count_toward_the_limit() {
        let path = camlscope_testkit::fixtures::folder().join("tiny-1.0-v3.ctf");
        let mut loader = Loader::new(None, Budget::default());
        loader.push(&std::fs::read(path).expect("a fixture")).expect("a trace");
        let Ok(Model::Trace(trace)) = loader.finish() else { panic!("a trace") };
        let mut cache = Cache::with_limit(usize::MAX);
        let needs = Needs { shape: Some(Shape::default()), sums: true, ..Needs::default() };
        let sums = loop {
            if let Some(ready) = cache.prepare(&trace, &needs).expect("a valid filter") {
                break ready.sums.expect("they are needed");
            }
        };
        let bytes = cache.heap_bytes();
        cache.sums.clear();
        assert!(sums.heap_bytes() > 0);
        assert_eq!(bytes - cache.heap_bytes(), sums.heap_bytes());
    }
}
