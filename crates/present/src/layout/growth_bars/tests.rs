use super::*;
use crate::layout::draw::{FixedWidth, texts};
use camlscope_engine::query::growth::{PartGrowth, Segment};

const SECOND: u64 = 1_000_000;
const SIZE: (f64, f64) = (720.0, 154.0);

/// 128 s, the last 28 of which are too young: 1024 bytes/s are never freed, and 50 times as much is in use.
fn growing() -> Growth {
    let rate = Rate { bytes_per_s: 1024.0, low: 900.0, high: 1200.0 };
    let window = Window { from_us: 0, to_us: 100 * SECOND };
    let heap = HeapGrowth {
        verdict: Verdict::Growing,
        rate: Some(rate),
        grown_rate: Some(rate),
        window,
        grown: window,
        end_us: 128 * SECOND,
        samples: 10_000,
        grown_samples: 10_000,
        bars: (0..128).map(|step| if step < 100 { 1024.0 } else { 51_200.0 }).collect(),
        segments: vec![Segment { window, rate }],
        ..HeapGrowth::default()
    };
    let passing = PartGrowth { bars: vec![256.0; 128], ..PartGrowth::default() };
    Growth { heap, passing, sites: Vec::new() }
}

fn drawn(growth: &Growth, shows_passing: bool, marks: Marks) -> Vec<Op> {
    let bars = bars(growth, shows_passing, SIZE.0);
    let plot = Plot::new(SIZE, &growth.heap, &bars, None);
    draw(&growth.heap, &bars, &plot, marks, None, Units::Binary, &FixedWidth(6.0))
}

fn heights(ops: &[Op], wanted: Paint) -> Vec<f64> {
    let height = |op: &Op| match *op {
        Op::Rect { h, fill, .. } if fill == wanted => Some(h),
        _ => None,
    };
    ops.iter().filter_map(height).collect()
}

#[test]
fn bars_that_are_too_young_are_clipped_and_do_not_affect_the_scale() {
    let ops = drawn(&growing(), false, Marks::default());
    let (judged, young) = (heights(&ops, Paint::Accent), heights(&ops, Paint::Other));
    assert_eq!((judged.len(), young.len()), (100, 28));
    assert!(judged.iter().all(|h| *h > 70.0), "{judged:?}");
    assert!(young.iter().all(|h| *h == 100.0), "{young:?}");
    assert!(texts(&ops).contains(&"too young to judge"));
    assert!(texts(&ops).contains(&"1.00 KiB/s"), "{:?}", texts(&ops));
}

#[test]
fn the_filtered_part_is_drawn_in_front_of_the_total() {
    let ops = drawn(&growing(), true, Marks::default());
    let (whole, part) = (heights(&ops, Paint::Behind), heights(&ops, Paint::Accent));
    assert_eq!((whole.len(), part.len()), (100, 100));
    assert!((whole[0] / part[0] - 4.0).abs() < 1e-9);
}

#[test]
fn few_samples_make_few_bars_that_are_either_old_enough_or_too_young() {
    let mut growth = growing();
    growth.heap.samples = 190;
    growth.heap.grown_samples = 190;
    let bars = bars(&growth, false, SIZE.0);
    let first = &bars[0];
    assert_eq!((first.from_us, first.to_us), (0, 4 * SECOND));
    assert_eq!(first.span(), Span::new(0, 4 * SECOND - 1));
    assert!(bars.iter().all(|bar| bar.bytes_per_s == if bar.is_young { 51_200.0 } else { 1024.0 }));
    assert_eq!(bars.last().map(|bar| bar.to_us), Some(128 * SECOND));
    assert!(bars.windows(2).all(|pair| pair[0].to_us == pair[1].from_us));
    growth.heap.window.to_us = 98 * SECOND;
    let cut = super::bars(&growth, false, SIZE.0);
    assert!(cut.iter().any(|bar| bar.to_us == 98 * SECOND && !bar.is_young));
}

#[test]
fn the_start_and_stop_of_growth_show_their_intervals() {
    let mut growth = growing();
    let change = |at: u64| Change { at_us: at * SECOND, low_us: (at - 2) * SECOND, high_us: (at + 2) * SECOND };
    growth.heap.verdict = Verdict::Stopped;
    growth.heap.since = Some(change(20));
    growth.heap.until = Some(change(60));
    growth.heap.grown = Window { from_us: 20 * SECOND, to_us: 60 * SECOND };
    let ops = drawn(&growth, false, Marks::default());
    let labels = texts(&ops);
    assert!(labels.contains(&"since 20.0 s") && labels.contains(&"until 60.0 s"), "{labels:?}");
    assert_eq!(heights(&ops, Paint::Hover).len(), 2);
}

#[test]
fn high_start_up_bars_are_labeled_and_clipped() {
    let mut growth = growing();
    let first = Window { from_us: 0, to_us: 2 * SECOND };
    let rate = Rate { bytes_per_s: 1e6, low: 9e5, high: 1.1e6 };
    growth.heap.bars[..2].fill(1e6);
    growth.heap.segments.insert(0, Segment { window: first, rate });
    growth.heap.grown.from_us = first.to_us;
    let ops = drawn(&growth, false, Marks::default());
    assert!(texts(&ops).contains(&"startup"));
    let heights = heights(&ops, Paint::Accent);
    assert!(heights[0] == 100.0 && heights[2] > 70.0, "{heights:?}");
}

#[test]
fn hit_testing_finds_bars_and_the_selection_is_outlined() {
    let growth = growing();
    let bars = bars(&growth, false, SIZE.0);
    let plot = Plot::new(SIZE, &growth.heap, &bars, None);
    // 640 px for 128 bars.
    assert_eq!([0.0, 64.0, 68.9, 69.0, 703.0, 720.0].map(|x| plot.bar_at(&bars, x)), [0, 0, 0, 1, 127, 127].map(Some));
    assert_eq!(plot.bar_at(&[], 100.0), None);
    let zoomed = Plot::new(SIZE, &growth.heap, &bars, Some(Span::new(64 * SECOND, 128 * SECOND)));
    assert_eq!(zoomed.bar_at(&bars, 64.0), Some(64));
    let marks = Marks { pointed: Some((1, 2)), selected: Some(bars[1].span()) };
    let ops = drawn(&growth, false, marks);
    assert!(ops.iter().any(|op| matches!(op, Op::Frame { x, .. } if *x == 69.0)));
}

#[test]
fn an_empty_heap_has_axes_but_no_bars() {
    let growth = Growth { heap: HeapGrowth { bars: vec![0.0; 128], ..HeapGrowth::default() }, ..growing() };
    let ops = drawn(&growth, false, Marks::default());
    assert!(!ops.iter().any(|op| matches!(op, Op::Rect { .. })));
}
