//! Stacks for other programs: all of them with their weights, or the visible ones with the weight of the others.

use std::collections::BTreeMap;

use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::flame::Weighed;
use camlscope_engine::query::label::NO_FRAME;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::stacks::{
    EveryStack, Merged, OTHER_STACKS, Reversed, StackList, StackNode, StackSource, StacksHead, inverted, visible,
};
use camlscope_engine::query::tree::{Label, Shape};
use proptest::prelude::*;

use super::filters::{random_case, random_grain, random_measure};
use super::flame::Asked;
use super::reference::{counted, reading, weight};
use super::support::Case;

/// Chosen so that a sum of fractions is unlikely to equal one of them.
const SHARES: [f64; 4] = [0.0, 0.0113, 0.0713, 0.313];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn stacks_match_the_objects_and_light_ones_merge_into_their_callers(
        (case, filter) in random_case(),
        measure in random_measure(),
        grain in random_grain(),
    ) {
        let narrowed = filter.clauses.iter().cloned().chain(measure.narrowing()).collect();
        prop_assume!(filter.check().is_ok() && Filter { clauses: narrowed }.check().is_ok());
        let shape = Shape::new(grain, false, &filter);
        let mut full: BTreeMap<Vec<Label>, f64> = BTreeMap::new();
        for object in counted(&case, &filter, measure) {
            if let Some(stack) = reading(object, &shape) {
                *full.entry(stack).or_default() += weight(&case, object, measure);
            }
        }
        full.retain(|_, weight| *weight > 0.0);
        // Fractions this small relative to the sum count as rounding errors.
        let crumb = 1e-8 * full.values().sum::<f64>();
        prop_assume!(full.values().all(|weight| *weight > crumb || weight.fract() == 0.0));
        let turned = full.iter().map(|(stack, weight)| (stack.iter().rev().cloned().collect(), *weight)).collect();
        for share in SHARES {
            for (list, is_inverted) in ask(&case, &filter, measure, &shape, share) {
                check(&list, if is_inverted { &turned } else { &full }, share)?;
                check_order(&list, share)?;
            }
        }
        // Reversed one by one, they keep their order.
        for (list, _) in ask(&case, &filter, measure, &shape, 0.0).into_iter().take(1) {
            let nodes = Reversed(&list).nodes().collect();
            check(&StackList { nodes, ..list.clone() }, &turned, 0.0)?;
        }
    }
}

/// Checks a list against all stacks.
fn check(list: &StackList, full: &BTreeMap<Vec<Label>, f64>, share: f64) -> Result<(), TestCaseError> {
    let whole: f64 = full.values().sum();
    let mut totals: BTreeMap<&[Label], f64> = BTreeMap::new();
    for (stack, weight) in full {
        for n in 0..=stack.len() {
            *totals.entry(&stack[..n]).or_default() += weight;
        }
    }
    // Longest first: light stacks go to the caller, but outermost frames that are heavy enough keep the rest.
    let least = share * whole;
    let mut expected = full.clone();
    let mut merged = Merged { least_share: share, is_inverted: list.head.merged.is_inverted, ..Merged::default() };
    let mut has_root_merged = false;
    let mut paths: Vec<&[Label]> = totals.keys().copied().filter(|path| !path.is_empty()).collect();
    paths.sort_by_key(|path| std::cmp::Reverse(path.len()));
    for path in paths {
        let weight = expected.get(path).copied().unwrap_or(0.0);
        let is_written = weight >= least || path.len() == 1 && totals[path] >= least;
        if weight > 0.0 && !is_written {
            expected.remove(path);
            *expected.entry(path[..path.len() - 1].to_vec()).or_default() += weight;
            merged.n_stacks += u64::from(full.contains_key(path));
            merged.weight += full.get(path).unwrap_or(&0.0);
            has_root_merged |= path.len() == 1;
        }
    }
    if let Some(weight) = expected.remove(&vec![]) {
        let name = if has_root_merged { OTHER_STACKS } else { NO_FRAME }.to_owned();
        expected.insert(vec![Label { name, ..Label::default() }], weight);
    }
    let reported = stacks_of(list);
    if share > 0.0 {
        let n_light = reported.values().filter(|weight| **weight < least).count();
        let n_outermost = reported.keys().filter(|stack| stack.len() == 1).count();
        prop_assert!(n_light <= n_outermost);
    }
    prop_assert!(is_near(&reported, &expected), "{:?} instead of {:?}", reported, expected);
    let StacksHead { total, merged: reported, .. } = &list.head;
    prop_assert!((total - whole).abs() <= 1e-9 * whole);
    prop_assert!((reported.weight - merged.weight).abs() <= 1e-9 * whole);
    prop_assert_eq!(&Merged { weight: merged.weight, ..*reported }, &merged);
    Ok(())
}

/// Siblings are sorted by full weight, then by name. Every frame occurs.
fn check_order(list: &StackList, share: f64) -> Result<(), TestCaseError> {
    let weight_below = |at: usize| -> f64 {
        let depth = list.nodes[at].depth;
        let below = list.nodes[at + 1..].iter().take_while(|node| node.depth > depth);
        list.nodes[at].own + below.map(|node| node.own).sum::<f64>()
    };
    let is_root = |node: &StackNode| {
        let Label { name, file, place } = &list.head.frames[node.frame as usize];
        [NO_FRAME, OTHER_STACKS].contains(&&name[..]) && file.is_empty() && place.is_none()
    };
    let mut last: Vec<(f64, &Label)> = Vec::new();
    for (at, node) in list.nodes.iter().enumerate().filter(|(_, node)| !is_root(node)) {
        prop_assert!(node.depth as usize <= last.len());
        let here = (weight_below(at), &list.head.frames[node.frame as usize]);
        last.truncate(node.depth as usize + 1);
        if let Some(before) = last.get(node.depth as usize) {
            // Weight that went to the callers is missing here, but always less than the share.
            let slack = list.head.total * (share + 1e-9);
            prop_assert!(here.0 <= before.0 + slack, "{:?} after {:?}", here, before);
            prop_assert!(share > 0.0 || here.0 != before.0 || here.0.fract() != 0.0 || before.1 <= here.1);
            last.pop();
        }
        last.push(here);
    }
    let mut occurs = vec![false; list.head.frames.len()];
    list.nodes.iter().for_each(|node| occurs[node.frame as usize] = true);
    prop_assert!(occurs.iter().all(|occurs| *occurs));
    Ok(())
}

fn is_near(one: &BTreeMap<Vec<Label>, f64>, two: &BTreeMap<Vec<Label>, f64>) -> bool {
    let total: f64 = two.values().sum();
    one.len() == two.len()
        && one.iter().zip(two).all(|(one, two)| one.0 == two.0 && (one.1 - two.1).abs() <= 1e-9 * total)
}

fn stacks_of(list: &StackList) -> BTreeMap<Vec<Label>, f64> {
    let mut stacks = BTreeMap::new();
    let mut path = Vec::new();
    for node in &list.nodes {
        path.truncate(node.depth as usize);
        path.push(list.head.frames[node.frame as usize].clone());
        if node.own > 0.0 {
            *stacks.entry(path.clone()).or_default() += node.own;
        }
    }
    stacks
}

/// Returns the lists in raw units, and for each whether its stacks start at the allocation site. Without a share, tries
/// every way to make the list.
fn ask(case: &Case, filter: &Filter, measure: Measure, shape: &Shape, share: f64) -> Vec<(StackList, bool)> {
    let asked = Asked::new(case, filter, shape, measure).expect("a filter and a shape");
    let weighed = Weighed { bottom: None, scale: 1.0, ..asked.of(case) };
    let mut lists = vec![(visible(&weighed, share), false), (inverted(&weighed, share), true)];
    if share == 0.0 {
        let every = EveryStack::new(weighed);
        lists.push((StackList { head: every.head().clone(), nodes: every.nodes().collect() }, false));
    }
    lists
}
