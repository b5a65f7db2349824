use super::*;
use crate::layout::draw::{FixedWidth, texts};
use camlscope_engine::query::profile::Mark;
use camlscope_engine::query::summary::PeakSummary;
use camlscope_engine::query::tree::Label;

fn timeline() -> Timeline {
    Timeline {
        from_us: 0,
        to_us: 4_000_000,
        step_us: 1e6,
        live_min: vec![0.0, 1024.0, 512.0, 512.0],
        live_max: vec![1024.0, 4096.0, 1024.0, 512.0],
        live_last: vec![1024.0, 1024.0, 512.0, 512.0],
        allocated: vec![1024.0, 3072.0, 0.0, 0.0],
        promoted: vec![0.0; 4],
        peak: PeakSummary { samples: 4, bytes: 4096.0, at_us: 1_500_000 },
        unfiltered_peak: PeakSummary { samples: 4, bytes: 4096.0, at_us: 1_500_000 },
        ..Timeline::default()
    }
}

#[test]
fn both_peaks_are_labeled_above_the_curve_if_the_filter_moves_the_peak() {
    let text = FixedWidth(6.0);
    let half = |label: &str| text.width(label, Font::SmallBold) / 2.0;
    // Far apart, close together, and at the edge.
    for at_us in [3_200_000, 1_600_000, 0] {
        let unfiltered_peak = PeakSummary { samples: 9, bytes: 9216.0, at_us };
        let timeline = Timeline { unfiltered_peak, ..timeline() };
        let plot = Plot::new(900.0, 140.0, &timeline);
        let ops = draw(&timeline, &plot, &Axes::default(), Default::default(), &text);
        let labels: Vec<(f64, f64)> = ops
            .iter()
            .filter_map(|op| match op {
                Op::Text { x, y, text, .. } if text.contains("peak") => {
                    assert!(*y < plot.top, "{text} is on the curve");
                    Some((x - half(text), x + half(text)))
                }
                _ => None,
            })
            .collect();
        let [one, two] = labels[..] else { panic!("{labels:?}") };
        assert!(one.1 < two.0 || two.1 < one.0, "labels overlap: {labels:?}");
    }
}

#[test]
fn the_peak_and_the_pointer_show_the_time_of_day() {
    let (timeline, text) = (timeline(), FixedWidth(6.0));
    let plot = Plot::new(800.0, 140.0, &timeline);
    let axes = Axes { times: Times::OfDay(43_200_000_000), ..Axes::default() };
    let marks = Marks { hover_us: Some(2.25e6), cursor: Some(When::At(1_042_000)), ..Marks::default() };
    let mut ops = draw(&timeline, &plot, &axes, Default::default(), &text);
    let point = TimelinePoint { at_us: 2_250_000, total: 640.0, series: Vec::new() };
    ops.extend(draw_marks(&timeline, &plot, &axes, &marks, Some(&point), &text));
    for words in ["peak 4.00 KiB at 12:00:01.500", "12:00:02.250 · 640 B", "live at 12:00:01.042"] {
        assert!(ops.iter().any(|op| matches!(op, Op::Text { text, .. } if text == words)), "{words}: {ops:?}");
    }
}

#[test]
fn positions_and_times_convert_both_ways() {
    let plot = Plot::new(800.0, 140.0, &timeline());
    for us in [0.0, 1e6, 3.9e6] {
        assert!((plot.us(plot.x(us)) - us).abs() < 1e-3);
    }
    assert_eq!((plot.us(-100.0), plot.us(1e9)), (0.0, 4e6));
    assert_eq!((plot.y(0.0), plot.y(4096.0)), (plot.bottom, plot.top));
}

#[test]
fn a_spike_within_one_step_reaches_the_top_and_has_a_label() {
    let (timeline, text) = (timeline(), FixedWidth(6.0));
    let plot = Plot::new(800.0, 140.0, &timeline);
    let ops = draw(&timeline, &plot, &Axes::default(), Default::default(), &text);
    let reaches_top = |points: &[(f64, f64)]| points.iter().any(|&(_, y)| y == plot.top);
    assert!(ops.iter().any(|op| matches!(op, Op::Area { points, .. } if reaches_top(points))));
    assert!(ops.iter().any(|op| matches!(op, Op::Text { text, .. } if text == "peak 4.00 KiB at 1.50 s")));
}

#[test]
fn a_label_at_the_right_edge_moves_to_the_left() {
    let (timeline, text) = (timeline(), FixedWidth(6.0));
    let plot = Plot::new(800.0, 140.0, &timeline);
    let marks = Marks { cursor: Some(When::At(3_990_000)), ..Marks::default() };
    let ops = draw_marks(&timeline, &plot, &Axes::default(), &marks, None, &text);
    let label = ops.iter().find_map(|op| match op {
        Op::Text { x, text, align, .. } if text.starts_with("live at") => Some((*x, *align)),
        _ => None,
    });
    assert!(matches!(label, Some((x, Align::Right)) if x < plot.right));
}

#[test]
fn times_under_the_pointer_are_rounded_to_a_pixel() {
    // 4 s on 1,000 px, so a pixel is 4 ms.
    let plot = Plot::new(1_080.0, 140.0, &timeline());
    assert_eq!(plot.right - plot.left, 1_000.0);
    assert_eq!(plot.pointed_us(plot.left + 333.3), 1_333_000.0);
    assert_eq!((plot.pointed_us(0.0), plot.pointed_us(5_000.0)), (0.0, 4_000_000.0));
}
fn profile() -> (Timeline, Axes) {
    let layer = |name: &str, live_last: Vec<f64>| {
        let label = Label { name: name.to_owned(), ..Label::default() };
        Series { name: name.to_owned(), of: SeriesOf::Frame(label), allocated: vec![0.0; 4], live_last }
    };
    let series = vec![layer("a.ml:1", vec![1.0, 3.0, 3.0, 1.0]), layer("b.ml:2", vec![0.0, 1.0, 1.0, 3.0])];
    let live_last = vec![1.0, 4.0, 4.0, 4.0];
    let peak = PeakSummary { samples: 0, bytes: 4.0, at_us: 1_000_000 };
    let timeline =
        Timeline { live_max: live_last.clone(), live_min: vec![0.0; 4], live_last, series, peak, ..timeline() };
    let flags = vec![Mark { at_us: 2_000_000, name: "half".to_owned() }];
    let snapshots = Snapshots { at_us: vec![500_000, 1_000_000, 3_000_000], flags };
    (timeline, Axes { graph: Graph::LiveBlocks, times: Times::Cpu(snapshots), ..Axes::default() })
}

#[test]
fn a_profile_shows_cpu_time_its_unit_and_events() {
    let (timeline, axes) = profile();
    let plot = Plot::new(800.0, 140.0, &timeline);
    let ops = draw(&timeline, &plot, &axes, Default::default(), &FixedWidth(6.0));
    let texts = texts(&ops);
    for words in ["CPU s", "peak 4 blocks at 1.00 s", "half"] {
        assert!(texts.contains(&words), "{words}: {texts:?}");
    }
}

#[test]
fn the_pointer_shows_the_previous_snapshot_and_its_layer() {
    let (timeline, axes) = profile();
    let plot = Plot::new(800.0, 140.0, &timeline);
    let layer = |us: f64, blocks: f64| layer_at(&timeline, &plot, plot.x(us), plot.y(blocks));
    assert_eq!((layer(1.5e6, 2.0), layer(1.5e6, 3.5), layer(0.5e6, 2.0)), (Some(0), Some(1), None));
    let series = timeline.series.iter().map(|series| series.of.clone()).zip([3.0, 1.0]).collect();
    let point = TimelinePoint { at_us: 1_000_000, total: 4.0, series };
    let reading = Reading::new(&timeline, &point, &plot, &axes, 2.9e6).expect("the time is visible");
    assert_eq!(reading.head(), "1 s of CPU time · 4 blocks");
    let layers: Vec<(usize, &str)> = reading.layers.iter().map(|layer| (layer.nth, layer.amount.as_str())).collect();
    assert_eq!(layers, [(1, "1 blocks"), (0, "3 blocks")], "the top one first");
    assert_eq!(Reading::new(&timeline, &point, &plot, &axes, 5e6), None);
    let other = TimelinePoint { series: Vec::new(), ..point };
    assert_eq!(Reading::new(&timeline, &other, &plot, &axes, 2.9e6), None, "the point belongs to other layers");
}

#[test]
fn ordinary_rates_are_visible_next_to_a_burst() {
    let allocated = vec![1e3, 1e3, 1e6, 1e3];
    let timeline = Timeline { allocated, ..timeline() };
    let plot = Plot::new(800.0, 140.0, &timeline);
    let ops = draw(&timeline, &plot, &Axes::default(), Default::default(), &FixedWidth(6.0));
    let heights: Vec<f64> = ops
        .iter()
        .filter_map(|op| if let Op::Rect { h, fill: Paint::Line, .. } = op { Some(*h) } else { None })
        .collect();
    assert_eq!(heights.len(), 4);
    assert_eq!(heights[2], plot.rates_bottom - plot.rates_top);
    assert!(heights[0] >= 3.0, "{heights:?}");
}

#[test]
fn the_label_of_the_peak_is_above_the_curve() {
    let timeline = timeline();
    let plot = Plot::new(800.0, 140.0, &timeline);
    let ops = draw(&timeline, &plot, &Axes::default(), Default::default(), &FixedWidth(6.0));
    let label = ops.iter().find_map(|op| match op {
        Op::Text { y, text, .. } if text.starts_with("peak") => Some(*y),
        _ => None,
    });
    assert!(label.is_some_and(|y| y + 6.0 < plot.y(4096.0)));
}
