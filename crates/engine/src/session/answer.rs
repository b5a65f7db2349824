//! For each query: what it needs, and its response once that is available.

use super::needs::{IndexedTree, Needs, Ready, Weights};
use crate::protocol::{Answer, Error, Question, Request, Slot, Versus, View};
use crate::query::amounts::amounts;
use crate::query::compare::{CompareConfig, ComparedSide, Objects, Scale, compare, diff_flame};
use crate::query::events::events;
use crate::query::findings::{self, FindingSums};
use crate::query::flame::{Bottom, BranchConfig, Direction, FlameConfig, Weighed, branches, detail, find, flame};
use crate::query::growth;
use crate::query::histogram::heat::heat;
use crate::query::histogram::histogram;
use crate::query::histogram::sites::sites;
use crate::query::lines::{Summed, lines, source_files};
use crate::query::measure::Measure;
use crate::query::name_search::search_names;
use crate::query::stacks::{EveryStack, StacksConfig, inverted, visible};
use crate::query::suggest::suggest;
use crate::query::summary::{Summary, distinct_stacks, size_shares, summary};
use crate::query::table::table;
use crate::query::timeline::point::point;
use crate::query::timeline::{By, timeline};
use crate::query::tree::{Grain, Shape, TreeWeights};
use crate::trace::Trace;

/// Returns what a query needs from a trace. A comparison has two entries: before and after.
pub fn needs(request: &Request) -> Vec<(Slot, Needs)> {
    let Request { view, question } = request;
    if let Question::OfOther(question) = question {
        let of_main = needs(&Request { view: view.clone(), question: (**question).clone() });
        return of_main.into_iter().map(|(_, needs)| (Slot::Other, needs)).collect();
    }
    let plain = Needs { filter: view.filter.clone(), measure: view.measure, ..Needs::default() };
    let read_as = |grain: Grain| Some(Shape::new(grain, view.fold_recursion, &view.filter));
    // Folding recursion doesn't change the frame that allocated.
    let allocators = |grain: Grain| Some(Shape::new(grain, false, &view.filter));
    let of_layers = |by: Option<By>| match by {
        Some(By::Grain(grain)) => allocators(grain),
        Some(By::Heap | By::Domain) | None => None,
    };
    let of_filter = Needs { measure: Measure::Allocated, ..plain.clone() };
    let weighed = Needs { shape: read_as(view.grain), weights: true, ..plain.clone() };
    let one = match question {
        Question::Summary | Question::Suggest(_) | Question::Names(_) => Needs::default(),
        Question::Amounts => Needs { whole: true, ..plain },
        Question::Findings => Needs { allocators: Some(findings::shape()), growth: true, ..Needs::default() },
        Question::Histogram(_) | Question::Heat(_) => plain,
        Question::Sites { .. } => Needs { allocators: allocators(view.grain), ..plain },
        Question::Flame(_) | Question::Find(_) | Question::Branches(_) | Question::Stacks(_) => weighed,
        Question::Detail { .. } => Needs { lifetimes: true, ..weighed },
        Question::Table(_) => Needs { sums: true, weights: false, ..weighed },
        Question::Lines(_) => Needs { shape: Some(Shape::by_line(false, &view.filter)), sums: true, ..plain },
        Question::LineBranches(_) => {
            Needs { shape: Some(Shape::by_line(view.fold_recursion, &view.filter)), weights: true, ..plain }
        }
        Question::SourceFiles => {
            Needs { shape: Some(Shape::new(Grain::File, false, &view.filter)), sums: true, ..plain }
        }
        Question::Timeline(config) => Needs { allocators: of_layers(config.by), ..of_filter },
        Question::Point(config) => {
            Needs { allocators: of_layers(config.by), measure: Measure::Live(config.at), ..plain }
        }
        Question::Growth => {
            let allocators = Some(growth::shape(&view.filter, view.grain));
            Needs { allocators, growth: true, kept: true, ..of_filter }
        }
        Question::Events(_) => Needs { events: true, ..of_filter },
        Question::Compare { versus, .. } | Question::DiffFlame { versus, .. } => {
            let side = |slot, measure| (slot, Needs { shape: read_as(view.grain), measure, ..plain.clone() });
            return match *versus {
                Versus::Times { before, after } => {
                    vec![side(Slot::Main, Measure::Live(before)), side(Slot::Main, Measure::Live(after))]
                }
                Versus::Other { .. } => vec![side(Slot::Main, view.measure), side(Slot::Other, view.measure)],
            };
        }
        // Handled above.
        Question::OfOther(_) => Needs::default(),
    };
    vec![(Slot::Main, one)]
}

/// Answers a request. `ready` holds what [`needs`] returned, in the same order, with its trace.
pub fn answer(request: &Request, ready: &[(&Trace, Ready)]) -> Result<Answer, Error> {
    let Request { view, question } = request;
    let [(trace, have), ..] = ready else {
        return Err(Error::NoTrace);
    };
    Ok(match question {
        Question::OfOther(question) => {
            return answer(&Request { view: view.clone(), question: (**question).clone() }, ready);
        }
        // Includes the figures that take longer to count than the trace took to load.
        Question::Summary => {
            let (distinct_stacks, sizes) = (Some(distinct_stacks(trace)), Some(size_shares(trace)));
            Answer::Summary(Box::new(Summary { distinct_stacks, sizes, ..summary(trace) }))
        }
        Question::Suggest(config) => Answer::Suggest(suggest(&trace.calls, config)),
        Question::Names(config) => Answer::Names(search_names(&trace.calls, config)),
        Question::Amounts => {
            let whole = have.whole.as_ref().unwrap_or(&have.measured);
            Answer::Amounts(amounts(trace, view.measure, have.growth_seconds, &have.measured, whole))
        }
        Question::Findings => {
            let allocators = missing(have.allocators.as_deref())?;
            let heap = missing(have.growth.as_deref())?;
            Answer::Findings(findings::findings(trace, allocators, &FindingSums::new(trace, allocators), heap))
        }
        Question::Flame(FlameConfig { direction, .. })
        | Question::Branches(BranchConfig { direction, .. })
        | Question::LineBranches(BranchConfig { direction, .. })
        | Question::Detail { direction, .. } => {
            let lifetimes = have.lifetimes.as_deref().map(|lifetimes| &lifetimes.weights);
            answer_of_stacks(&weighed(trace, view, have, Some(direction))?, lifetimes, question)?
        }
        Question::Find(_) | Question::Stacks(_) => {
            answer_of_stacks(&weighed(trace, view, have, None)?, None, question)?
        }
        Question::Table(config) => {
            let IndexedTree { tree, index } = missing(have.tree.as_ref())?;
            let per_seconds = if view.measure.is_growth() { have.growth_seconds } else { 1.0 };
            let sums = missing(have.sums.as_deref())?;
            Answer::Table(table(&trace.calls, trace.sampling(), per_seconds, tree, index, sums, config)?)
        }
        Question::Lines(config) => Answer::Lines(lines(&summed(trace, view, have)?, config)),
        Question::SourceFiles => Answer::SourceFiles(source_files(&summed(trace, view, have)?)),
        Question::Timeline(config) => {
            Answer::Timeline(timeline(trace, &have.filtered, have.allocators.as_deref(), config))
        }
        Question::Point(config) => Answer::Point(point(trace, &have.measured, have.allocators.as_deref(), config)),
        Question::Histogram(config) => Answer::Histogram(histogram(trace, &have.measured, config)),
        Question::Heat(config) => Answer::Heat(heat(trace, &have.measured, config)),
        Question::Sites { within, n } => {
            let allocators = missing(have.allocators.as_deref())?;
            Answer::Sites(sites(trace, &have.measured, allocators, within, *n))
        }
        Question::Growth => {
            let (heap, allocators) = (missing(have.growth.as_deref())?, missing(have.allocators.as_deref())?);
            let selections = (&*have.filtered, &*have.measured);
            Answer::Growth(Box::new(growth::growth(trace, heap, &view.filter, selections, allocators)))
        }
        Question::Events(config) => Answer::Events(events(trace, missing(have.events.as_deref())?, *config)),
        Question::Compare { versus, .. } | Question::DiffFlame { versus, .. } => {
            between(view, *versus, ready, |before, after| compared(before, after, view, *versus, question))??
        }
    })
}

/// Answers a query that needs only stacks and their weights, of a trace or a profile.
pub fn answer_of_stacks(
    of: &Weighed<'_>,
    lifetimes: Option<&TreeWeights>,
    question: &Question,
) -> Result<Answer, Error> {
    Ok(match question {
        Question::Flame(config) => Answer::Flame(flame(of, config).ok_or(Error::NotInStacks)?),
        Question::Find(text) => Answer::Find(find(of, text)?),
        Question::Branches(config) | Question::LineBranches(config) => {
            Answer::Branches(branches(of, config).ok_or(Error::NotInStacks)?)
        }
        Question::Detail { direction, selector } => {
            Answer::Detail(detail(of, lifetimes, direction, selector).ok_or(Error::NotInStacks)?)
        }
        Question::Stacks(StacksConfig { least_share, is_inverted: true }) => Answer::Stacks(inverted(of, *least_share)),
        Question::Stacks(config) => Answer::Stacks(visible(of, config.least_share)),
        _ => return Err(Error::NoTrace),
    })
}

/// Answers a query about two sides, of traces or profiles.
pub fn compared(
    before: ComparedSide<'_>,
    after: ComparedSide<'_>,
    view: &View,
    versus: Versus,
    question: &Question,
) -> Result<Answer, Error> {
    let (measure, scale) = (measure_of(view, versus), scale_of(view, versus));
    match question {
        Question::Compare { config, .. } => {
            Ok(Answer::Compare(compare(before, after, &CompareConfig { measure, scale, ..*config })))
        }
        Question::DiffFlame { config, .. } => {
            let drawn = diff_flame(before, after, measure, scale, config);
            Ok(Answer::DiffFlame(drawn.ok_or(Error::NotInStacks)?))
        }
        _ => Err(Error::NoTrace),
    }
}

/// Returns all stacks of a view one by one, where a response would be too large. `have` is what [`needs`] asks for
/// stacks.
pub fn every_stack<'a>(trace: &'a Trace, view: &View, have: &'a Ready) -> Result<EveryStack<'a>, Error> {
    Ok(EveryStack::new(weighed(trace, view, have, None)?))
}

/// For two points in time either measure works: both have the same unit.
fn measure_of(view: &View, versus: Versus) -> Measure {
    match versus {
        Versus::Times { after, .. } => Measure::Live(after),
        Versus::Other { .. } => view.measure,
    }
}

/// Returns what figures are divided by. Figures about a point in time are never divided by a time range.
fn scale_of(view: &View, versus: Versus) -> Scale {
    match versus {
        Versus::Times { .. } => Scale::AsIs,
        Versus::Other { scale: Scale::PerSecond } if view.is_stock() => Scale::AsIs,
        Versus::Other { scale } => scale,
    }
}

fn between<T>(
    view: &View,
    versus: Versus,
    ready: &[(&Trace, Ready)],
    compare: impl FnOnce(ComparedSide<'_>, ComparedSide<'_>) -> T,
) -> Result<T, Error> {
    let [(trace_before, before), (trace_after, after)] = ready else {
        return Err(Error::NoTrace);
    };
    let is_same_trace = matches!(versus, Versus::Times { .. });
    let weight = measure_of(view, versus).weight();
    let (tree_before, tree_after) = (&missing(before.tree.as_ref())?.tree, &missing(after.tree.as_ref())?.tree);
    let other = |selection| is_same_trace.then_some(selection);
    let (selected_before, selected_after) = (&*before.measured, &*after.measured);
    let side = |trace, selection, other, tree, growth_seconds| {
        ComparedSide::of_objects(Objects { trace, selection, other, weight, growth_seconds }, tree)
    };
    Ok(compare(
        side(trace_before, selected_before, other(selected_after), tree_before, before.growth_seconds),
        side(trace_after, selected_after, other(selected_before), tree_after, after.growth_seconds),
    ))
}

fn summed<'a>(trace: &'a Trace, view: &View, have: &'a Ready) -> Result<Summed<'a>, Error> {
    Ok(Summed {
        calls: &trace.calls,
        tree: &missing(have.tree.as_ref())?.tree,
        sums: missing(have.sums.as_deref())?,
        sampling: trace.sampling(),
        measure: view.measure,
        growth_seconds: have.growth_seconds,
    })
}

/// `direction` is set if the graph may be inverted, so that its first level is worth caching.
fn weighed<'a>(
    trace: &'a Trace,
    view: &View,
    have: &'a Ready,
    direction: Option<&Direction>,
) -> Result<Weighed<'a>, Error> {
    let IndexedTree { tree, index } = missing(have.tree.as_ref())?;
    let Weights { weights, bottom } = missing(have.weights.as_deref())?;
    let samples = &missing(have.samples.as_deref())?.weights;
    let is_inverted = matches!(direction, Some(Direction::Inverted));
    let bottom = is_inverted.then(|| bottom.get_or_init(|| Bottom::new(tree, weights, samples)));
    let sampling = trace.sampling();
    let scale = view.measure.scale(sampling, have.growth_seconds);
    Ok(Weighed { calls: &trace.calls, tree, index, weights, samples, bottom, rate: sampling.rate, scale })
}

/// Parts listed in [`needs`] are always present. The session's tests catch a query that doesn't list one.
fn missing<T>(part: Option<T>) -> Result<T, Error> {
    part.ok_or(Error::NoTrace)
}
