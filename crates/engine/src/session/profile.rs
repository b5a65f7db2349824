//! Queries about Spacetime profiles. Their stacks are few compared to a trace's objects, so they are answered in one go
//! and only trees are cached.

use std::rc::Rc;

use super::answer::{answer_of_stacks, compared};
use super::lru::Lru;
use super::needs::IndexedTree;
use crate::profile::Profile;
use crate::protocol::{Answer, Error, Question, Versus, View};
use crate::query::amounts::{Amount, Amounts};
use crate::query::compare::{ComparedSide, Counted};
use crate::query::filter::{Clause, Filter};
use crate::query::flame::Weighed;
use crate::query::growth::{self, HeapGrowth};
use crate::query::lines::{Summed, lines, source_files};
use crate::query::measure::Measure;
use crate::query::name_search::search_names;
use crate::query::profile::{self as of_profile, NotInProfile, ObjectData, profile_summary};
use crate::query::stacks::EveryStack;
use crate::query::suggest::suggest;
use crate::query::table::{TableSums, table};
use crate::query::timeline::By;
use crate::query::tree::{Allocators, CallTree, Grain, Shape, ShapedTree, TreeIndex, TreeWeights};
use crate::trace::StackId;

#[derive(Debug)]
pub struct OpenProfile {
    pub profile: Profile,
    bases: Lru<Grain, Rc<CallTree>>,
    trees: Lru<Shape, IndexedTree>,
    growth: Option<Rc<HeapGrowth>>,
}

/// The weights of stacks for a view, and the tree they are grouped into.
struct Parts {
    tree: IndexedTree,
    stacks: Vec<(StackId, f64)>,
    weights: TreeWeights,
    /// The time that growth is measured over.
    growth_seconds: f64,
}

/// The sums of a table, and the tree that they belong to.
struct Sums {
    tree: IndexedTree,
    sums: TableSums,
    /// Only for growth.
    growth_seconds: Option<f64>,
}

impl OpenProfile {
    pub fn new(profile: Profile) -> OpenProfile {
        OpenProfile { profile, bases: Lru::new(2), trees: Lru::new(4), growth: None }
    }

    pub fn heap_bytes(&self) -> usize {
        let bases: usize = self.bases.iter().map(|(_, base)| base.heap_bytes()).sum();
        let trees: usize = self.trees.iter().map(|(_, tree)| tree.heap_bytes()).sum();
        self.profile.heap_bytes() + bases + trees
    }

    pub fn clear(&mut self) {
        self.bases.clear();
        self.trees.clear();
    }

    /// Reads all stacks of a view, one by one.
    pub fn with_every_stack<T>(&mut self, view: &View, read: impl FnOnce(&EveryStack<'_>) -> T) -> Result<T, Error> {
        let parts = self.parts(view, &shape_of(view), view.measure)?;
        Ok(read(&EveryStack::new(self.weighed(view, &parts))))
    }

    /// Answers any query except comparisons of two profiles.
    pub fn answer(&mut self, view: &View, question: &Question) -> Result<Answer, Error> {
        Ok(match question {
            Question::Summary => Answer::Summary(Box::new(profile_summary(&self.profile))),
            Question::Suggest(config) => Answer::Suggest(suggest(&self.profile.calls, config)),
            Question::Names(config) => Answer::Names(search_names(&self.profile.calls, config)),
            Question::Amounts => Answer::Amounts(self.amounts(view)?),
            Question::Findings => {
                let heap = self.heap_growth()?;
                let shape = growth::shape(&Filter::default(), Grain::Function);
                let allocators = Allocators::new(&self.profile.calls, &shape)?;
                Answer::Findings(of_profile::findings(&self.profile, &allocators, &heap)?)
            }
            Question::Timeline(config) => {
                let allocators = self.allocators(&view.filter, config.by)?;
                Answer::Timeline(of_profile::timeline(&self.profile, &view.filter, allocators.as_ref(), config)?)
            }
            Question::Point(config) => {
                let allocators = self.allocators(&view.filter, config.by)?;
                Answer::Point(of_profile::point(&self.profile, &view.filter, allocators.as_ref(), config)?)
            }
            Question::Growth => {
                let heap = self.heap_growth()?;
                Answer::Growth(Box::new(of_profile::growth(&self.profile, &heap, &view.filter, view.grain)?))
            }
            Question::Table(config) => {
                let Sums { tree: IndexedTree { tree, index }, sums, growth_seconds } =
                    self.sums(view, &shape_of(view))?;
                let per_seconds = growth_seconds.unwrap_or(1.0);
                Answer::Table(table(&self.profile.calls, Profile::SAMPLING, per_seconds, &tree, &index, &sums, config)?)
            }
            Question::Lines(config) => {
                let parts = self.sums(view, &Shape::by_line(false, &view.filter))?;
                Answer::Lines(lines(&self.summed(view, &parts), config))
            }
            Question::SourceFiles => {
                let parts = self.sums(view, &Shape::new(Grain::File, false, &view.filter))?;
                Answer::SourceFiles(source_files(&self.summed(view, &parts)))
            }
            Question::Compare { versus: versus @ Versus::Times { before, after }, .. }
            | Question::DiffFlame { versus: versus @ Versus::Times { before, after }, .. } => {
                let shape = shape_of(view);
                let (before, after) = (Measure::Live(*before), Measure::Live(*after));
                let (one, two) = (self.parts(view, &shape, before)?, self.parts(view, &shape, after)?);
                compared(self.side(&one), self.side(&two), view, *versus, question)?
            }
            Question::Flame(_)
            | Question::Find(_)
            | Question::Branches(_)
            | Question::Detail { .. }
            | Question::Stacks(_) => {
                let parts = self.parts(view, &shape_of(view), view.measure)?;
                answer_of_stacks(&self.weighed(view, &parts), None, question)?
            }
            Question::LineBranches(_) => {
                let shape = Shape::by_line(view.fold_recursion, &view.filter);
                let parts = self.parts(view, &shape, view.measure)?;
                answer_of_stacks(&self.weighed(view, &parts), None, question)?
            }
            Question::Histogram(_) | Question::Heat(_) | Question::Sites { .. } => {
                return Err(NotInProfile::Objects(ObjectData::SizesOrLifetimes).into());
            }
            Question::Events(_) => return Err(NotInProfile::Objects(ObjectData::Events).into()),
            // These need two profiles.
            Question::Compare { versus: Versus::Other { .. }, .. }
            | Question::DiffFlame { versus: Versus::Other { .. }, .. }
            | Question::OfOther(_) => return Err(Error::NoTrace),
        })
    }

    /// Returns the allocators that split a timeline into layers.
    fn allocators(&self, filter: &Filter, by: Option<By>) -> Result<Option<Allocators>, Error> {
        let grain = match by {
            Some(By::Grain(grain)) => grain,
            Some(By::Heap | By::Domain) => return Err(NotInProfile::Objects(ObjectData::HeapsOrDomains).into()),
            None => return Ok(None),
        };
        Ok(Some(Allocators::new(&self.profile.calls, &Shape::new(grain, false, filter))?))
    }

    /// Returns the verdict on the whole profile.
    fn heap_growth(&mut self) -> Result<Rc<HeapGrowth>, Error> {
        if let Some(known) = &self.growth {
            return Ok(Rc::clone(known));
        }
        Ok(Rc::clone(self.growth.insert(Rc::new(of_profile::heap_growth(&self.profile)?))))
    }

    /// Returns the verdict if the measure needs it.
    fn growth_of(&mut self, measure: Measure) -> Result<Option<Rc<HeapGrowth>>, Error> {
        if measure.is_growth() { self.heap_growth().map(Some) } else { Ok(None) }
    }

    fn amounts(&mut self, view: &View) -> Result<Amounts, Error> {
        let heap = self.growth_of(view.measure)?;
        let growth_seconds = heap.as_ref().map_or(0.0, |heap| heap.window_in(&view.filter).seconds());
        let amount = |filter: &Filter| -> Result<Amount, Error> {
            let weights = of_profile::weights(&self.profile, filter, view.measure, heap.as_deref())?;
            let sum: f64 = weights.iter().map(|(_, weight)| weight).sum();
            let value = sum * view.measure.scale(Profile::SAMPLING, growth_seconds);
            Ok(Amount { value, objects: weights.len() as u64, samples: sum as u64, error: None })
        };
        // Clauses about times choose which of the profile's figures to use. All other clauses narrow them.
        let is_time = |clause: &&Clause| match clause {
            Clause::LiveAt(_) | Clause::NeverCollected => true,
            Clause::Allocated(_) => view.measure.is_growth(),
            _ => false,
        };
        let whole = Filter { clauses: view.filter.clauses.iter().filter(is_time).cloned().collect() };
        Ok(Amounts {
            unit: view.measure.unit(),
            passing: amount(&view.filter)?,
            whole: amount(&whole)?,
            share_error: None,
        })
    }

    fn tree(&mut self, shape: &Shape) -> Result<IndexedTree, Error> {
        if let Some(known) = self.trees.get(shape) {
            return Ok(known.clone());
        }
        let grain = shape.grain.base();
        let base = match self.bases.get(&grain) {
            Some(base) => Rc::clone(base),
            None => {
                let base = Rc::new(CallTree::new(&self.profile.calls, grain));
                self.bases.insert(grain, Rc::clone(&base));
                base
            }
        };
        let tree = ShapedTree::new(&self.profile.calls, &base, shape)?;
        let index = Rc::new(TreeIndex::new(&self.profile.calls, &tree));
        let tree = IndexedTree { tree, index };
        self.trees.insert(shape.clone(), tree.clone());
        Ok(tree)
    }

    fn sums(&mut self, view: &View, shape: &Shape) -> Result<Sums, Error> {
        let tree = self.tree(shape)?;
        let heap = self.growth_of(view.measure)?;
        let sums = of_profile::table_sums(&self.profile, &view.filter, view.measure, heap.as_deref(), &tree.tree)?;
        let growth_seconds = heap.map(|heap| heap.window_in(&view.filter).seconds());
        Ok(Sums { tree, sums, growth_seconds })
    }

    fn summed<'a>(&'a self, view: &View, parts: &'a Sums) -> Summed<'a> {
        Summed {
            calls: &self.profile.calls,
            tree: &parts.tree.tree,
            sums: &parts.sums,
            sampling: Profile::SAMPLING,
            measure: view.measure,
            growth_seconds: parts.growth_seconds.unwrap_or(0.0),
        }
    }

    fn parts(&mut self, view: &View, shape: &Shape, measure: Measure) -> Result<Parts, Error> {
        let tree = self.tree(shape)?;
        let heap = self.growth_of(measure)?;
        let growth_seconds = heap.as_ref().map_or(0.0, |heap| heap.window_in(&view.filter).seconds());
        let stacks = of_profile::weights(&self.profile, &view.filter, measure, heap.as_deref())?;
        let weights = TreeWeights::of_stacks(&tree.tree, &stacks);
        Ok(Parts { tree, stacks, weights, growth_seconds })
    }

    fn weighed<'a>(&'a self, view: &View, parts: &'a Parts) -> Weighed<'a> {
        Weighed {
            calls: &self.profile.calls,
            rate: Profile::SAMPLING.rate,
            tree: &parts.tree.tree,
            index: &parts.tree.index,
            weights: &parts.weights,
            samples: &parts.weights,
            bottom: None,
            scale: view.measure.scale(Profile::SAMPLING, parts.growth_seconds),
        }
    }

    fn side<'a>(&'a self, parts: &'a Parts) -> ComparedSide<'a> {
        let allocated_words = self.profile.snapshots.last().map_or(0, |snapshot| snapshot.allocated_words);
        ComparedSide {
            calls: &self.profile.calls,
            sampling: Profile::SAMPLING,
            end_us: self.profile.end_us,
            allocated_bytes: allocated_words as f64 * Profile::SAMPLING.bytes_a_sample,
            growth_seconds: parts.growth_seconds,
            tree: &parts.tree.tree,
            counted: Counted::Stacks(&parts.stacks),
        }
    }
}

/// Compares two profiles.
pub fn compare_two(
    before: &mut OpenProfile,
    after: &mut OpenProfile,
    view: &View,
    question: &Question,
) -> Result<Answer, Error> {
    let shape = shape_of(view);
    let (one, two) = (before.parts(view, &shape, view.measure)?, after.parts(view, &shape, view.measure)?);
    match question {
        Question::Compare { versus: versus @ Versus::Other { .. }, .. }
        | Question::DiffFlame { versus: versus @ Versus::Other { .. }, .. } => {
            compared(before.side(&one), after.side(&two), view, *versus, question)
        }
        _ => Err(Error::NoTrace),
    }
}

fn shape_of(view: &View) -> Shape {
    Shape::new(view.grain, view.fold_recursion, &view.filter)
}
