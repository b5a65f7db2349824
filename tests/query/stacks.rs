//! The list of stacks: each with what it weighs, and nothing lost where there is no room for all.

use std::collections::BTreeMap;
use std::rc::Rc;

use camlscope::query::filter::{Filter, select};
use camlscope::query::measure::Measure;
use camlscope::query::stacks::{StackList, StacksConfig, stacks};
use camlscope::query::tree::{CallTree, Grain, Label, Shape, ShapedTree, TreeWeights};
use proptest::prelude::*;

use crate::filters::random_case;
use crate::reference::{reading, selected};
use crate::support::Case;

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(96) })]

    #[test]
    fn every_stack_has_the_samples_of_its_objects((case, filter) in random_case()) {
        prop_assume!(filter.check().is_ok());
        let mut expected: BTreeMap<Vec<Label>, u64> = BTreeMap::new();
        let shape = Shape::new(Grain::Function, false, &filter);
        for (object, passes) in case.objects.iter().zip(selected(&case, &filter)) {
            if let Some(stack) = reading(object, &shape).filter(|stack| passes && !stack.is_empty()) {
                *expected.entry(stack).or_default() += u64::from(object.samples);
            }
        }
        expected.retain(|_, samples| *samples > 0);
        let list = ask(&case, &filter, StacksConfig::ALL);
        let label = |place: &u32| list.frames[*place as usize].clone();
        let told: BTreeMap<Vec<Label>, u64> =
            list.stacks.iter().map(|(stack, n)| (stack.iter().map(label).collect(), *n as u64)).collect();
        prop_assert_eq!(told, expected);
        prop_assert_eq!((list.n_left_out, list.left_out), (0, 0.0));
        prop_assert!(list.stacks.is_sorted_by(|one, two| one.1 >= two.1));

        for (max_stacks, max_frames) in [(2, usize::MAX), (usize::MAX, 7), (0, 0)] {
            let short = ask(&case, &filter, StacksConfig { max_stacks, max_frames });
            let n = short.stacks.len();
            prop_assert_eq!(&short.stacks[..], &list.stacks[..n]);
            prop_assert_eq!(short.n_left_out, list.stacks.len() - n);
            prop_assert_eq!(short.left_out, list.stacks[n..].iter().map(|stack| stack.1).sum::<f64>());
            prop_assert!(n <= max_stacks && short.stacks.iter().map(|stack| stack.0.len()).sum::<usize>() <= max_frames);
        }
    }
}

/// In samples.
fn ask(case: &Case, filter: &Filter, config: StacksConfig) -> StackList {
    let trace = &case.trace;
    let base = Rc::new(CallTree::new(trace, Grain::Function));
    let tree = ShapedTree::new(trace, &base, &Shape::new(Grain::Function, false, filter)).expect("a shape");
    let selection = select(trace, filter).expect("a filter");
    let weights = TreeWeights::of(trace, &tree, &selection, Measure::Samples.weight());
    stacks(trace, &tree, |group| weights.own(tree.groups(), group), 1.0, config)
}
