//! Checks flame graphs against a tree with every path spelled out.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::flame::{
    Bottom, BoxId, BoxSelector, BranchConfig, COLLAPSED_SHARE, Direction, Flame, FlameBox, FlameConfig, Weighed,
    branches, detail, find, flame,
};
use camlscope_engine::query::measure::{Measure, Weight};
use camlscope_engine::query::search::Search;
use camlscope_engine::query::tree::{CallTree, Label, Shape, ShapedTree, TreeIndex, TreeWeights};
use expect_test::expect;
use proptest::prelude::*;
use proptest::sample::Index;

use super::filters::{random_case, random_measure, random_tree_shape};
use super::reference::{counted, reading, weight};
use super::support::Case;
use super::table::selection_of;

/// The parts of a flame graph that the session would cache.
pub struct Asked {
    tree: ShapedTree,
    index: TreeIndex,
    weights: TreeWeights,
    samples: TreeWeights,
    lifetimes: TreeWeights,
    bottom: Bottom,
    scale: f64,
}

impl Asked {
    /// `None` for filters that nothing can pass.
    pub fn new(case: &Case, filter: &Filter, shape: &Shape, measure: Measure) -> Option<Asked> {
        let trace = &case.trace;
        let selection = selection_of(trace, filter, measure)?;
        let base = Rc::new(CallTree::new(&trace.calls, shape.grain));
        let tree = ShapedTree::new(&trace.calls, &base, shape).ok()?;
        let weigh = |weight| TreeWeights::of(trace, &tree, &selection, weight);
        let (weights, samples) = (weigh(measure.weight()), weigh(Weight::Samples));
        Some(Asked {
            index: TreeIndex::new(&trace.calls, &tree),
            bottom: Bottom::new(&tree, &weights, &samples),
            weights,
            samples,
            lifetimes: weigh(Weight::SampleMicros),
            scale: measure.scale(trace.sampling(), 0.0),
            tree,
        })
    }

    pub fn of<'a>(&'a self, case: &'a Case) -> Weighed<'a> {
        Weighed {
            calls: &case.trace.calls,
            rate: case.trace.rate(),
            tree: &self.tree,
            index: &self.index,
            weights: &self.weights,
            samples: &self.samples,
            bottom: Some(&self.bottom),
            scale: self.scale,
        }
    }
}

/// Returns a stack's frames as a graph shows them. `None` if the graph doesn't show the stack.
fn unfolded(stack: &[Label], direction: &Direction) -> Option<Vec<Label>> {
    let at = |function: &Label| stack.iter().position(|label| label == function);
    Some(match direction {
        Direction::TopDown => stack.to_vec(),
        Direction::Inverted => stack.iter().rev().cloned().collect(),
        Direction::Callers(function) => stack[..at(function)?].iter().rev().cloned().collect(),
        Direction::Callees(function) => stack[at(function)? + 1..].to_vec(),
    })
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Slow {
    total: f64,
    own: f64,
    samples: u64,
    sample_us: f64,
}

/// Every prefix of any stack, with raw weights.
type SlowTree = BTreeMap<Vec<Label>, Slow>;

fn slow_tree(case: &Case, filter: &Filter, shape: &Shape, measure: Measure, direction: &Direction) -> SlowTree {
    let mut tree = SlowTree::from([(Vec::new(), Slow::default())]);
    for object in counted(case, filter, measure) {
        let Some(path) = reading(object, shape).and_then(|stack| unfolded(&stack, direction)) else {
            continue;
        };
        let weight = weight(case, object, measure);
        for n in 0..=path.len() {
            let slow = tree.entry(path[..n].to_vec()).or_default();
            slow.total += weight;
            slow.samples += object.samples;
            slow.sample_us += object.samples as f64 * object.lifetime_us(case.end_us) as f64;
            slow.own += if n == path.len() { weight } else { 0.0 };
        }
    }
    tree
}

/// Sorted by weight, then by name.
fn slow_children<'a>(tree: &'a SlowTree, path: &'a [Label]) -> Vec<(&'a Vec<Label>, &'a Slow)> {
    let mut children: Vec<_> =
        tree.iter().filter(|(child, _)| child.len() == path.len() + 1 && child.starts_with(path)).collect();
    children.sort_by(|one, two| two.1.total.total_cmp(&one.1.total).then(one.0.cmp(two.0)));
    children
}

/// A box as both sides describe it. A merged box has its parent's path.
#[derive(Clone, Debug, PartialEq)]
struct PlainBox {
    depth: u32,
    x: Range<f64>,
    path: Vec<Label>,
    n_merged: u32,
    total: f64,
    own: f64,
    samples: u64,
    hides_children: bool,
}

struct SlowView<'a> {
    tree: &'a SlowTree,
    config: &'a FlameConfig,
    root_weight: f64,
    scale: f64,
    boxes: Vec<PlainBox>,
}

impl SlowView<'_> {
    fn draw(&mut self, path: &[Label], depth: u32, left: f64) {
        let FlameConfig { x, width_px, depths, .. } = self.config;
        let seen = self.root_weight * x.start..self.root_weight * x.end;
        let is_seen = |left: f64, weight: f64| left < seen.end && left + weight > seen.start;
        let slow = self.tree[path];
        let is_trunk = slow.total >= COLLAPSED_SHARE * self.root_weight;
        if depth >= depths.end || slow.total == 0.0 || !(is_trunk || is_seen(left, slow.total)) {
            return;
        }
        let children = slow_children(self.tree, path);
        if depths.contains(&depth) {
            self.boxes.push(PlainBox {
                depth,
                x: left / self.root_weight..(left + slow.total) / self.root_weight,
                path: path.to_vec(),
                n_merged: 0,
                total: slow.total * self.scale,
                own: slow.own * self.scale,
                samples: slow.samples,
                hides_children: depth + 1 == depths.end && !children.is_empty(),
            });
        }
        let narrowest = self.root_weight * (x.end - x.start) / width_px;
        let (wide, narrow): (Vec<_>, Vec<_>) = children.into_iter().partition(|(_, slow)| slow.total >= narrowest);
        let mut at = left;
        for (child, slow) in wide {
            self.draw(child, depth + 1, at);
            at += slow.total;
        }
        let total: f64 = narrow.iter().map(|(_, slow)| slow.total).sum();
        if !narrow.is_empty() && is_seen(at, total) && depths.contains(&(depth + 1)) {
            self.boxes.push(PlainBox {
                depth: depth + 1,
                x: at / self.root_weight..(at + total) / self.root_weight,
                path: path.to_vec(),
                n_merged: narrow.len() as u32,
                total: total * self.scale,
                own: 0.0,
                samples: narrow.iter().map(|(_, slow)| slow.samples).sum(),
                hides_children: false,
            });
        }
    }
}

/// Looks up a box's path by its id.
fn plain_box(
    of: &Weighed<'_>,
    lifetimes: &TreeWeights,
    direction: &Direction,
    flame: &Flame,
    seen: &FlameBox,
) -> PlainBox {
    let detail = detail(of, Some(lifetimes), direction, &BoxSelector::Id(seen.id)).expect("a box that was just drawn");
    assert_eq!(detail.id, seen.id);
    assert_eq!(detail.path.last(), Some(&flame.names[seen.name as usize].label));
    PlainBox {
        depth: seen.depth,
        x: seen.x0..seen.x1,
        path: detail.path[1..].to_vec(),
        n_merged: seen.n_merged,
        total: seen.total,
        own: seen.own,
        samples: seen.samples,
        hides_children: seen.hides_children,
    }
}

/// A direction whose function is still to be chosen from a trace.
#[derive(Clone, Debug)]
struct RandomDirection {
    kind: usize,
    object: Index,
    frame: Index,
}

impl RandomDirection {
    fn settle(&self, case: &Case, shape: &Shape) -> Direction {
        let stacks: Vec<Vec<Label>> = case.objects.iter().filter_map(|object| reading(object, shape)).collect();
        let function = || {
            let stacks: Vec<&Vec<Label>> = stacks.iter().filter(|stack| !stack.is_empty()).collect();
            if stacks.is_empty() { None } else { Some(self.frame.get(self.object.get(&stacks).as_slice()).clone()) }
        };
        match self.kind {
            0 => Some(Direction::TopDown),
            1 => Some(Direction::Inverted),
            2 => function().map(Direction::Callers),
            _ => function().map(Direction::Callees),
        }
        .unwrap_or_default()
    }
}

fn random_direction() -> impl Strategy<Value = RandomDirection> {
    (0usize..4, any::<Index>(), any::<Index>()).prop_map(|(kind, object, frame)| RandomDirection {
        kind,
        object,
        frame,
    })
}

/// Measures whose raw weights are integers, so that sums must be exactly equal.
fn whole_measure() -> impl Strategy<Value = Measure> {
    random_measure().prop_filter("whole", |measure| measure.weight() == Weight::Samples)
}

fn random_viewport() -> impl Strategy<Value = (Range<f64>, f64, Range<u32>)> {
    let x =
        prop_oneof![Just(0.0..1.0), (0.0..1.0, 0.001..0.5).prop_map(|(from, n): (f64, f64)| from..(from + n).min(1.0))];
    let depths = prop_oneof![Just(0..u32::MAX), (0u32..6, 0u32..6).prop_map(|(first, n)| first..first + n)];
    (x, prop_oneof![1.0..20.0, 1.0..2000.0, Just(1e9)], depths)
}

fn whole(direction: Direction) -> FlameConfig {
    FlameConfig { direction, root: BoxSelector::Top, x: 0.0..1.0, width_px: 1e12, depths: 0..u32::MAX }
}

fn is_close(one: f64, two: f64, scale: f64) -> bool {
    (one - two).abs() <= 1e-9 * scale
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn a_viewport_shows_boxes_of_at_least_a_pixel_and_merges_the_rest(
        (case, filter) in random_case(),
        shape in random_tree_shape(),
        measure in whole_measure(),
        direction in random_direction(),
        root in any::<Index>(),
        by_path in any::<bool>(),
        (x, width_px, depths) in random_viewport(),
    ) {
        let Some(asked) = Asked::new(&case, &filter, &shape, measure) else { return Ok(()) };
        let of = asked.of(&case);
        let direction = direction.settle(&case, &shape);
        let tree = slow_tree(&case, &filter, &shape, measure, &direction);
        let paths: Vec<&Vec<Label>> = tree.keys().collect();
        let path = root.get(&paths).to_vec();
        let root = match by_path {
            true => BoxSelector::Path(path.clone()),
            false => {
                let selector = BoxSelector::Path(path.clone());
                BoxSelector::Id(detail(&of, Some(&asked.lifetimes), &direction, &selector).expect("a path of the tree").id)
            }
        };
        let config = FlameConfig { direction, root, x, width_px, depths };
        let picture = flame(&of, &config).expect("a root of the tree");
        let root_weight = tree[&path].total;
        let mut slow = SlowView { tree: &tree, config: &config, root_weight, scale: asked.scale, boxes: Vec::new() };
        slow.draw(&path, 0, 0.0);
        let mut expected = slow.boxes;
        expected.sort_by(|one, two| one.depth.cmp(&two.depth).then(one.x.start.total_cmp(&two.x.start)));
        let boxes = picture.boxes.iter();
        let boxes: Vec<PlainBox> =
            boxes.map(|seen| plain_box(&of, &asked.lifetimes, &config.direction, &picture, seen)).collect();
        prop_assert_eq!(boxes, expected);
        prop_assert_eq!(picture.total, root_weight * asked.scale);
        prop_assert_eq!(picture.all, tree[&Vec::new()].total * asked.scale);
        prop_assert_eq!(picture.samples, tree[&path].samples);
        let names = picture.path.iter().skip(1).map(|&name| picture.names[name as usize].label.clone());
        prop_assert_eq!(names.collect::<Vec<_>>(), path);
    }

    #[test]
    fn each_box_has_the_weight_of_its_objects_in_any_measure(
        (case, filter) in random_case(),
        shape in random_tree_shape(),
        measure in random_measure(),
        direction in random_direction(),
    ) {
        let Some(asked) = Asked::new(&case, &filter, &shape, measure) else { return Ok(()) };
        let of = asked.of(&case);
        let direction = direction.settle(&case, &shape);
        let tree = slow_tree(&case, &filter, &shape, measure, &direction);
        let all = tree[&Vec::new()];
        for (path, slow) in &tree {
            let selector = BoxSelector::Path(path.clone());
            let box_ = detail(&of, Some(&asked.lifetimes), &direction, &selector).expect("a path of the tree");
            prop_assert!(is_close(box_.total, slow.total * asked.scale, all.total * asked.scale), "{path:?}");
            prop_assert!(is_close(box_.own, slow.own * asked.scale, all.total * asked.scale), "{path:?}");
            prop_assert!(is_close(box_.all, all.total * asked.scale, all.total * asked.scale));
            prop_assert_eq!(box_.samples, slow.samples);
            prop_assert_eq!(box_.n_children as usize, slow_children(&tree, path).len());
            prop_assert_eq!(box_.mean_lifetime_us.is_some(), slow.samples > 0);
            if let Some(mean_us) = box_.mean_lifetime_us {
                let slow_us = slow.sample_us / slow.samples as f64;
                prop_assert!(is_close(mean_us, slow_us, case.end_us as f64), "{mean_us} {slow_us}");
            }
        }
        let picture = flame(&of, &whole(direction)).expect("its top");
        let boxes = tree.values().filter(|slow| slow.total > 1e-6 * all.total).count();
        prop_assert!(picture.boxes.len() >= boxes.min(1), "nothing is drawn although something has weight");
    }

    #[test]
    fn branches_of_a_row_match_the_sandwich_view(
        (case, filter) in random_case(),
        shape in random_tree_shape(),
        measure in whole_measure(),
        direction in random_direction(),
        (from, n) in (0usize..4, 0usize..6),
    ) {
        let Some(asked) = Asked::new(&case, &filter, &shape, measure) else { return Ok(()) };
        let of = asked.of(&case);
        let direction = direction.settle(&case, &shape);
        let tree = slow_tree(&case, &filter, &shape, measure, &direction);
        for (path, slow) in &tree {
            let config =
                BranchConfig { direction: direction.clone(), parent: BoxSelector::Path(path.clone()), rows: from..from + n };
            let level = branches(&of, &config).expect("a path of the tree");
            let children = slow_children(&tree, path);
            prop_assert_eq!(level.n_children, children.len());
            prop_assert_eq!(level.own, slow.own * asked.scale);
            prop_assert_eq!(level.total, slow.total * asked.scale);
            let wanted: Vec<_> = children.into_iter().skip(from).take(n).collect();
            prop_assert_eq!(level.children.len(), wanted.len());
            for (branch, (path, slow)) in level.children.iter().zip(wanted) {
                prop_assert_eq!(Some(&branch.label), path.last());
                prop_assert_eq!(branch.total, slow.total * asked.scale);
                prop_assert_eq!(branch.own, slow.own * asked.scale);
                prop_assert_eq!(branch.samples, slow.samples);
                prop_assert_eq!(branch.has_children, slow.own < slow.total);
                let selector = BoxSelector::Id(branch.id);
                let box_ = detail(&of, Some(&asked.lifetimes), &direction, &selector).expect("a branch");
                prop_assert_eq!(&box_.path[1..], path.as_slice());
            }
        }
    }

    #[test]
    fn a_search_counts_each_matching_object_once(
        (case, filter) in random_case(),
        shape in random_tree_shape(),
        measure in whole_measure(),
        text in prop::sample::select(vec!["", "a", "MAIN", "/^m/", "/a|b/", ".ml"]),
    ) {
        let Some(asked) = Asked::new(&case, &filter, &shape, measure) else { return Ok(()) };
        let found = find(&asked.of(&case), text).expect("a pattern");
        let search = Search::parse(text).expect("a pattern");
        let (mut all, mut matched, mut samples) = (0.0, 0.0, 0);
        for object in counted(&case, &filter, measure) {
            let Some(stack) = reading(object, &shape) else { continue };
            let weight = weight(&case, object, measure) * asked.scale;
            all += weight;
            if search.as_ref().is_some_and(|search| stack.iter().any(|label| search.finds(label))) {
                matched += weight;
                samples += object.samples;
            }
        }
        prop_assert!(is_close(found.total, matched, all));
        prop_assert_eq!(found.samples, samples);
        let percent = if all > 0.0 { 100.0 * matched / all } else { 0.0 };
        prop_assert!(is_close(found.percent, percent, 100.0));
        prop_assert_eq!(found.error.is_some(), samples > 0);
        prop_assert!((0.0..=100.0).contains(&found.percent_error));
    }
}

fn drawn(config: &FlameConfig) -> String {
    let case = Case::from_text(PROGRAM);
    let asked = Asked::new(&case, &Filter::default(), &Shape::default(), Measure::Samples).expect("a filter");
    let picture = flame(&asked.of(&case), config).expect("a root of the tree");
    let mut drawn = String::new();
    for seen in &picture.boxes {
        let name = &picture.names[seen.name as usize].label.name;
        let indent = "  ".repeat(seen.depth as usize);
        let FlameBox { x0, x1, total, own, n_merged, .. } = seen;
        let name = if *n_merged > 0 { format!("{n_merged} others of {name}") } else { name.clone() };
        let more = if seen.hides_children { " …" } else { "" };
        drawn += &format!("{}{indent} {name} {x0:.2}-{x1:.2} total {total} self {own}{more}\n", seen.depth);
    }
    drawn
}

const PROGRAM: &str = "
    main;parse;read 40@0.1-
    main;parse;read;alloc 20@0.1-
    main;print;alloc 30@0.1-
    main;print;log;print;alloc 7@0.2-
    main;a 1@0.2-
    main;b 1@0.2-
    main;c 1@0.2-
";

fn function(name: &str) -> Label {
    Label { name: name.into(), file: "main.ml".into(), place: None }
}

#[test]
fn top_down_starts_with_main_and_the_heaviest_callee() {
    expect![[r#"
        0 all 0.00-1.00 total 100 self 0
        1   main 0.00-1.00 total 100 self 0
        2     parse 0.00-0.60 total 60 self 0
        2     print 0.60-0.97 total 37 self 0
        2     3 others of main 0.97-1.00 total 3 self 0
        3       read 0.00-0.60 total 60 self 40
        3       alloc 0.60-0.90 total 30 self 30
        3       log 0.90-0.97 total 7 self 0
        4         alloc 0.00-0.20 total 20 self 20
        4         print 0.90-0.97 total 7 self 0
        5           alloc 0.90-0.97 total 7 self 7
    "#]]
    .assert_eq(&drawn(&FlameConfig { width_px: 50.0, ..whole(Direction::TopDown) }));
}

#[test]
fn inverted_starts_with_the_functions_that_allocate() {
    expect![[r#"
        0 all 0.00-1.00 total 100 self 0
        1   alloc 0.00-0.57 total 57 self 0
        1   read 0.57-0.97 total 40 self 0
        1   3 others of all 0.97-1.00 total 3 self 0
        2     print 0.00-0.37 total 37 self 0
        2     read 0.37-0.57 total 20 self 0
        2     parse 0.57-0.97 total 40 self 0
        3       main 0.00-0.30 total 30 self 30
        3       log 0.30-0.37 total 7 self 0
        3       parse 0.37-0.57 total 20 self 0
        3       main 0.57-0.97 total 40 self 40
        4         print 0.30-0.37 total 7 self 0
        4         main 0.37-0.57 total 20 self 20
        5           main 0.30-0.37 total 7 self 7
    "#]]
    .assert_eq(&drawn(&FlameConfig { width_px: 50.0, ..whole(Direction::Inverted) }));
}

#[test]
fn both_halves_of_a_sandwich_have_the_functions_weight_despite_recursion() {
    expect![[r#"
        0 print 0.00-1.00 total 37 self 0
        1   main 0.00-1.00 total 37 self 37
    "#]]
    .assert_eq(&drawn(&whole(Direction::Callers(function("print")))));
    expect![[r#"
        0 print 0.00-1.00 total 37 self 0
        1   alloc 0.00-0.81 total 30 self 30
        1   log 0.81-1.00 total 7 self 0
        2     print 0.81-1.00 total 7 self 0
        3       alloc 0.81-1.00 total 7 self 7
    "#]]
    .assert_eq(&drawn(&whole(Direction::Callees(function("print")))));
}

#[test]
fn levels_outside_the_request_are_omitted_but_marked() {
    expect![[r#"
        1   main 0.00-1.00 total 100 self 0
        2     parse 0.00-0.60 total 60 self 0 …
        2     print 0.60-0.97 total 37 self 0 …
        2     a 0.97-0.98 total 1 self 1
        2     b 0.98-0.99 total 1 self 1
        2     c 0.99-1.00 total 1 self 1
    "#]]
    .assert_eq(&drawn(&FlameConfig { depths: 1..3, ..whole(Direction::TopDown) }));
}

#[test]
fn a_zoom_keeps_the_coordinates_of_the_full_graph() {
    let config = FlameConfig { x: 0.9..1.0, width_px: 50.0, ..whole(Direction::TopDown) };
    expect![[r#"
        0 all 0.00-1.00 total 100 self 0
        1   main 0.00-1.00 total 100 self 0
        2     print 0.60-0.97 total 37 self 0
        2     a 0.97-0.98 total 1 self 1
        2     b 0.98-0.99 total 1 self 1
        2     c 0.99-1.00 total 1 self 1
        3       log 0.90-0.97 total 7 self 0
        4         print 0.90-0.97 total 7 self 0
        5           alloc 0.90-0.97 total 7 self 7
    "#]]
    .assert_eq(&drawn(&config));
}

#[test]
fn an_unknown_root_or_function_gives_no_graph() {
    let case = Case::from_text(PROGRAM);
    let asked = Asked::new(&case, &Filter::default(), &Shape::default(), Measure::Samples).expect("a filter");
    let of = asked.of(&case);
    assert!(flame(&of, &whole(Direction::Callers(function("nowhere")))).is_none());
    assert!(flame(&of, &whole(Direction::Callers(Label { name: "all".into(), ..Label::default() }))).is_none());
    let at = |direction, root| flame(&of, &FlameConfig { root, ..whole(direction) });
    assert!(at(Direction::TopDown, BoxSelector::Path(vec![function("nowhere")])).is_none());
    for direction in [Direction::TopDown, Direction::Inverted, Direction::Callees(function("print"))] {
        assert!(at(direction.clone(), BoxSelector::Id(BoxId { group: 1_000_000, depth: 1 })).is_none());
        assert!(at(direction, BoxSelector::Id(BoxId { group: 1, depth: 1_000_000 })).is_none());
    }
    let empty = at(Direction::TopDown, BoxSelector::Path(vec![function("print")])).expect("a function that main calls");
    assert_eq!((empty.total, empty.boxes.len()), (0.0, 0));
}

#[test]
fn without_objects_there_are_no_boxes() {
    let case = Case::from_text("");
    let asked = Asked::new(&case, &Filter::default(), &Shape::default(), Measure::Samples).expect("a filter");
    let of = asked.of(&case);
    for direction in [Direction::TopDown, Direction::Inverted] {
        assert_eq!(flame(&of, &whole(direction)).expect("a top").boxes, []);
    }
    let found = find(&of, "/./").expect("a pattern");
    assert_eq!((found.percent, found.error, found.percent_error), (0.0, None, 0.0));
}

#[test]
fn a_searchs_error_is_the_error_of_its_share() {
    let case = Case::from_text("main;parse 50@0.1-\nmain;print 50@0.1-");
    let asked = Asked::new(&case, &Filter::default(), &Shape::default(), Measure::Allocated).expect("a filter");
    let found = find(&asked.of(&case), "/pa.se/").expect("a pattern");
    assert_eq!((found.percent, found.samples, found.keys.len()), (50.0, 50, 1));
    // Wilson's interval for 50 of 100 is 40.4% to 59.6%. Garwood's for 50 is 37.1 to 65.9.
    assert!((found.percent_error - 9.6).abs() < 0.1, "{}", found.percent_error);
    assert!((found.error.expect("samples") - 15.9 / 50.0).abs() < 0.002, "{:?}", found.error);
    assert!(find(&asked.of(&case), "/(/").is_err());
}
