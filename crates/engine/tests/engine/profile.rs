//! Checks queries about random Spacetime profiles against a slow, obvious sum over the same allocation points.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use camlscope_engine::protocol::{Answer, Question, Request, Versus, View};
use camlscope_engine::query::compare::{CompareConfig, Scale, Sum};
use camlscope_engine::query::filter::{Clause, Filter, FrameField, FrameTest, NameTest, When, WhichFrame};
use camlscope_engine::query::flame::{BoxSelector, BranchConfig, Direction, FlameConfig};
use camlscope_engine::query::lines::LinesConfig;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{Order, TableConfig};
use camlscope_engine::query::timeline::point::PointConfig;
use camlscope_engine::query::timeline::{By, Graph, TimelineConfig};
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_formats::spacetime::encode::Encoder;
use camlscope_formats::spacetime::{Address, Entry, Node, Snapshot, SourcePosition};
use camlscope_testkit::fixtures::opened;
use proptest::collection::vec;
use proptest::prelude::*;

/// A location in a random profile: a file number and a line.
type Place = (u8, u32);

#[derive(Clone, Debug)]
struct Drawn {
    /// Outermost first, the allocation last. One per allocation point.
    stacks: Vec<Vec<Place>>,
    /// For each snapshot and point: live blocks, live words, and words allocated since the previous snapshot.
    snapshots: Vec<Vec<(u32, u32, u32)>>,
    /// For each snapshot: words that aren't attributed to any point.
    unknown: Vec<u32>,
    /// For each point: how often its allocating function was called.
    calls: Vec<u32>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let stacks = vec(vec((0u8..3, 1u32..5), 1..5), 1..7);
    (stacks, 1usize..6).prop_flat_map(|(stacks, n_snapshots)| {
        let n = stacks.len();
        let figures = vec(vec((0u32..50, 0u32..500, 0u32..900), n), n_snapshots);
        (Just(stacks), figures, vec(0u32..300, n_snapshots), vec(0u32..20, n))
            .prop_map(|(stacks, snapshots, unknown, calls)| Drawn { stacks, snapshots, unknown, calls })
    })
}

fn address((file, line): Place) -> Address {
    Address(0x1000 + u64::from(file) * 0x100 + u64::from(line))
}

fn name((file, line): Place) -> String {
    format!("file{file}.ml:{line}")
}

impl Drawn {
    fn at_us(snapshot: usize) -> u64 {
        (snapshot as u64 + 1) * 100_000
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = Encoder::new(true, &mut bytes).expect("writes into memory");
        let mut allocated = vec![0u64; self.stacks.len()];
        for (at, figures) in self.snapshots.iter().enumerate() {
            figures.iter().zip(&mut allocated).for_each(|(figures, sum)| *sum += u64::from(figures.2));
            let entry = |(point, &(blocks, words, _)): (usize, &(u32, u32, u32))| Entry {
                profinfo: point as u32 + 1,
                blocks: u64::from(blocks),
                words: u64::from(words),
            };
            let entries: Vec<Entry> = figures.iter().enumerate().map(entry).collect();
            let live: u64 = entries.iter().map(|entry| entry.words).sum();
            let snapshot = Snapshot {
                at_us: Drawn::at_us(at),
                words_scanned: Some(live + u64::from(self.unknown[at])),
                words_scanned_with_profinfo: Some(live),
                entries,
                allocated: allocated.iter().enumerate().map(|(point, &words)| (point as u32 + 1, words)).collect(),
                ..Snapshot::default()
            };
            encoder.snapshot(&snapshot).expect("writes into memory");
        }
        for place in self.stacks.iter().flatten().collect::<BTreeSet<_>>() {
            let position = SourcePosition {
                file: Rc::from(format!("file{}.ml", place.0)),
                line: place.1,
                start_char: 0,
                end_char: 9,
            };
            encoder.position(address(*place), &[position]);
        }
        for (point, stack) in self.stacks.iter().enumerate() {
            let (site, callers) = stack.split_last().expect("at least one frame");
            let mut node = Node::ROOT;
            for &caller in callers {
                node = encoder.child(node, address(caller));
            }
            if !callers.is_empty() {
                encoder.calls(node, u64::from(self.calls[point]));
            }
            let node = encoder.child(node, address(*site));
            encoder.allocation_point(point as u32 + 1, node);
        }
        encoder.finish(Drawn::at_us(self.snapshots.len())).expect("writes into memory");
        bytes
    }

    /// The slow version: the weights of the points whose stack passes, in bytes or blocks.
    fn weights(&self, measure: Measure, passes: impl Fn(&[Place]) -> bool) -> Vec<(Vec<Place>, f64)> {
        let last = self.snapshots.len() - 1;
        let when = |when: When| match when {
            When::At(us) => ((us / 100_000) as usize).saturating_sub(1).min(last),
            When::End => last,
            When::Peak => {
                let words = |at: usize| {
                    self.snapshots[at].iter().map(|figures| u64::from(figures.1)).sum::<u64>()
                        + u64::from(self.unknown[at])
                };
                let highest = (0..=last).map(words).max().unwrap_or(0);
                (0..=last).find(|&at| words(at) == highest).unwrap_or(0)
            }
        };
        let points = self.stacks.iter().enumerate().filter(|(_, stack)| passes(stack));
        let weight = |point: usize| match measure {
            Measure::Live(at) => f64::from(self.snapshots[when(at)][point].1) * 8.0,
            Measure::Blocks => f64::from(self.snapshots[last][point].0),
            _ => self.snapshots.iter().map(|figures| f64::from(figures[point].2)).sum::<f64>() * 8.0,
        };
        points.map(|(point, stack)| (stack.clone(), weight(point))).collect()
    }
}

fn measures() -> impl Strategy<Value = Measure> {
    prop_oneof![
        (0u64..700_000).prop_map(|us| Measure::Live(When::At(us))),
        Just(Measure::Live(When::Peak)),
        Just(Measure::Live(When::End)),
        Just(Measure::Blocks),
        Just(Measure::Allocated),
    ]
}

fn filter(through: Option<Place>, part: FrameField) -> Filter {
    let test = |place| FrameTest { part, name: NameTest::is(&name(place)), not: false, which: WhichFrame::Any };
    Filter { clauses: through.map(|place| Clause::Frame(test(place))).into_iter().collect() }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn tables_lines_and_flame_graphs_sum_the_allocation_points(
        drawn in drawn(), measure in measures(), through in prop::option::of((0u8..3, 1u32..5)), by_line in any::<bool>(),
    ) {
        let mut session = opened(&drawn.bytes());
        // The functions of a profile are lines.
        let part = if by_line { FrameField::Line } else { FrameField::Function };
        let view = View { filter: filter(through, part), measure, grain: Grain::Site, fold_recursion: false };
        let points = drawn.weights(measure, |stack| through.is_none_or(|place| stack.contains(&place)));
        let whole: f64 = points.iter().map(|(_, weight)| weight).sum();

        let config = FlameConfig { direction: Direction::TopDown, root: BoxSelector::Top, x: 0.0..1.0, width_px: 1e6, depths: 0..9 };
        let answer = session.handle(&Request { view: view.clone(), question: Question::Flame(config) });
        let Answer::Flame(flame) = answer.expect("answers") else { panic!("another answer") };
        let top = flame.boxes.first().map_or(0.0, |top| top.total);
        prop_assert_eq!(top, whole);

        let config = TableConfig { order: Order::usual(Grain::Site), search: String::new(), rows: 0..1000 };
        let answer = session.handle(&Request { view: view.clone(), question: Question::Table(config) });
        let Answer::Table(table) = answer.expect("answers") else { panic!("another answer") };
        let (mut own, mut total): (BTreeMap<String, f64>, BTreeMap<String, f64>) = Default::default();
        for (stack, weight) in points.iter().filter(|(_, weight)| *weight > 0.0) {
            *own.entry(name(stack[stack.len() - 1])).or_default() += weight;
            for place in stack.iter().collect::<BTreeSet<_>>() {
                *total.entry(name(*place)).or_default() += weight;
            }
        }
        for row in &table.rows {
            let (of_self, of_all) = match measure {
                Measure::Blocks => (row.self_blocks, row.blocks),
                _ => (row.self_bytes, row.total_bytes),
            };
            prop_assert_eq!(of_self, own.get(&row.name).copied().unwrap_or(0.0), "{}", row.name);
            prop_assert_eq!(of_all, total.remove(&row.name).unwrap_or(0.0), "{}", row.name);
        }
        // The sites of these profiles are each on their own line.
        let mut n_lines = 0;
        for file in 0..3 {
            let question = Question::Lines(LinesConfig { file: format!("file{file}.ml") });
            let answer = session.handle(&Request { view: view.clone(), question });
            let Answer::Lines(lines) = answer.expect("answers") else { panic!("another answer") };
            for line in &lines.lines {
                let row = table.rows.iter().find(|row| row.name == name((file, line.line))).expect("the line's site");
                let (of_self, of_all) = table.amounts(row, measure.unit());
                prop_assert_eq!((Some(line.figures.own), line.figures.total), (of_self, of_all), "{}", row.name);
                let direction = Direction::Callees(Label::of_line(&format!("file{file}.ml"), line.line));
                let config = BranchConfig { direction, parent: BoxSelector::Top, rows: 0..1000 };
                let answer = session.handle(&Request { view: view.clone(), question: Question::LineBranches(config) });
                let Answer::Branches(callees) = answer.expect("answers") else { panic!("another answer") };
                let of_callees: f64 = callees.children.iter().map(|callee| callee.total).sum();
                prop_assert_eq!((callees.total, callees.own + of_callees), (line.figures.total, line.figures.total));
            }
            prop_assert_eq!((lines.all, lines.functions.len()), (whole, 0));
            n_lines += lines.lines.len();
        }
        // Rows with calls but without words aren't lines of another measure.
        prop_assert_eq!(n_lines, table.rows.iter().filter(|row| row.total_samples > 0).count());
        // Points with blocks but without words have no row.
        prop_assert!(measure == Measure::Blocks || total.is_empty(), "{total:?} have no row");
    }

    #[test]
    fn layers_add_up_to_the_curve_at_every_snapshot(drawn in drawn(), top in 1usize..4) {
        let mut session = opened(&drawn.bytes());
        for graph in [Graph::LiveBytes, Graph::LiveBlocks, Graph::Allocated] {
            let n_steps = drawn.snapshots.len();
            let (from_us, to_us) = (50_000, Drawn::at_us(n_steps - 1) + 50_000);
            let config = TimelineConfig { from_us, to_us, n_steps, by: Some(By::Grain(Grain::Site)), top, graph };
            let answer = session.handle(&Request { view: View::default(), question: Question::Timeline(config) });
            let Answer::Timeline(timeline) = answer.expect("answers") else { panic!("another answer") };
            let mut so_far = 0.0;
            for (at, figures) in drawn.snapshots.iter().enumerate() {
                so_far += figures.iter().map(|figures| f64::from(figures.2)).sum::<f64>() * 8.0;
                let wanted = match graph {
                    Graph::LiveBytes => {
                        let words: f64 = figures.iter().map(|figures| f64::from(figures.1)).sum();
                        (words + f64::from(drawn.unknown[at])) * 8.0
                    }
                    Graph::LiveBlocks => figures.iter().map(|figures| f64::from(figures.0)).sum(),
                    Graph::Allocated => so_far,
                };
                prop_assert_eq!(timeline.live_last[at], wanted);
                let layers: f64 = timeline.series.iter().map(|series| series.live_last[at]).sum();
                prop_assert_eq!(layers, wanted, "{:?}", graph);
                let series = timeline.series.iter().map(|series| series.of.clone()).collect();
                // Between two snapshots the figures are those of the first.
                let time = When::At(Drawn::at_us(at) + 10);
                let config = PointConfig { at: time, by: Some(By::Grain(Grain::Site)), series, graph };
                let answer = session.handle(&Request { view: View::default(), question: Question::Point(config) });
                let Answer::Point(point) = answer.expect("answers") else { panic!("another answer") };
                prop_assert_eq!((point.at_us, point.total), (Drawn::at_us(at), wanted), "{:?}", graph);
                let layers: Vec<f64> = timeline.series.iter().map(|series| series.live_last[at]).collect();
                let read: Vec<f64> = point.series.iter().map(|(_, amount)| *amount).collect();
                prop_assert_eq!(read, layers, "{:?}", graph);
            }
        }
    }

    #[test]
    fn comparing_snapshots_matches_the_difference_of_their_points(drawn in drawn(), before in 0usize..6, after in 0usize..6) {
        let mut session = opened(&drawn.bytes());
        let [before, after] = [before, after].map(|at| When::At(Drawn::at_us(at)));
        let config = CompareConfig { measure: Measure::Allocated, sum: Sum::Own, scale: Scale::AsIs, limit: usize::MAX, gate: None };
        let view = View { grain: Grain::Site, ..View::default() };
        let question = Question::Compare { versus: Versus::Times { before, after }, config };
        let answer = session.handle(&Request { view, question });
        let Answer::Compare(compared) = answer.expect("answers") else { panic!("another answer") };
        let sum = |when| drawn.weights(Measure::Live(when), |_| true).iter().map(|(_, weight)| weight).sum::<f64>();
        prop_assert_eq!((compared.all.before, compared.all.after), (sum(before), sum(after)));
        prop_assert_eq!(compared.all.error, 0.0);
        let changes: f64 = compared.rows.iter().map(|row| row.change.change).sum();
        prop_assert_eq!(changes, sum(after) - sum(before));
    }
}
