use super::*;
use crate::layout::draw::FixedWidth;
use camlscope_engine::query::flame::BoxId;

/// `A.main` calls `Stdlib__List.map` (half), `A.run` (a quarter), and 12 others (an eighth).
fn flame() -> Flame {
    let names = ["all", "A.main", "Stdlib__List.map", "A.run"];
    let label = |name: &str| Label { name: name.to_owned(), file: "a.ml".to_owned(), place: None };
    let of = |depth: u32, x: Range<f64>, name: u32, n_merged: u32| FlameBox {
        id: BoxId { group: name, depth },
        depth,
        x0: x.start,
        x1: x.end,
        name,
        total: x.end - x.start,
        own: 0.0,
        samples: 1,
        n_merged,
        hides_children: false,
    };
    Flame {
        root: BoxId { group: 0, depth: 0 },
        path: vec![0],
        all: 1.0,
        total: 1.0,
        samples: 8,
        n_depths: 3,
        is_deeper: false,
        names: (0..).zip(names).map(|(key, name)| FlameName { key, label: label(name) }).collect(),
        boxes: vec![
            of(0, 0.0..1.0, 0, 0),
            of(1, 0.0..1.0, 1, 0),
            of(2, 0.0..0.5, 2, 0),
            of(2, 0.5..0.75, 3, 0),
            of(2, 0.75..0.875, 1, 12),
        ],
    }
}

fn stage() -> Stage {
    Stage {
        x: 0.0..1.0,
        width: 800.0,
        height: 400.0,
        top: 0.0,
        is_upward: false,
        collapsed: CollapsedFrames::default(),
        ratio: 1.0,
    }
}

fn names(path: &[Label]) -> Vec<&str> {
    path.iter().map(|label| label.name.as_str()).collect()
}

fn texts(ops: &[Op]) -> Vec<&str> {
    let mut texts = crate::layout::draw::texts(ops);
    texts.sort_unstable();
    texts
}

#[test]
fn hit_testing_works_in_both_directions() {
    let flame = flame();
    let stage = stage();
    assert_eq!(stage.hit(&flame, 10.0, 10.0), Some(0));
    assert_eq!(stage.hit(&flame, 399.0, 50.0), Some(2));
    assert_eq!(stage.hit(&flame, 401.0, 50.0), Some(3));
    assert_eq!(stage.hit(&flame, 650.0, 50.0), Some(4));
    assert_eq!(stage.hit(&flame, 750.0, 50.0), None);
    assert_eq!(stage.hit(&flame, 10.0, 70.0), None);
    let upward = Stage { top: 200.0, is_upward: true, ..stage };
    assert_eq!(upward.hit(&flame, 401.0, 165.0), Some(3));
    assert_eq!(upward.hit(&flame, 401.0, 225.0), None);
}

#[test]
fn a_path_locates_its_box() {
    let flame = flame();
    assert_eq!(names(&path_to(&flame, 0)), [""; 0]);
    assert_eq!(names(&path_to(&flame, 3)), ["A.main", "A.run"]);
    assert_eq!(names(&path_to(&flame, 4)), ["A.main"]);
    for place in 0..4 {
        assert_eq!(locate(&flame, &path_to(&flame, place)), Some(place));
    }
    let narrow = Label { name: "A.tiny".to_owned(), ..Label::default() };
    let path = [path_to(&flame, 1), vec![narrow.clone()]].concat();
    assert_eq!(locate(&flame, &path), Some(4));
    assert_eq!(locate(&flame, &[narrow]), None);
}

#[test]
fn labels_shrink_to_fit_and_merged_boxes_show_a_count() {
    let flame = flame();
    let ops = draw(&flame, &stage(), &Marks::default(), &FixedWidth(6.0));
    assert_eq!(texts(&ops), ["12 frames", "A.main", "A.run", "List.map", "all"]);
    let zoomed = Stage { x: 0.74..0.75, ..stage() };
    assert_eq!(texts(&draw(&flame, &zoomed, &Marks::default(), &FixedWidth(6.0))), ["A.main", "A.run", "all"]);
    let narrow = Stage { width: 100.0, ..stage() };
    assert_eq!(texts(&draw(&flame, &narrow, &Marks::default(), &FixedWidth(6.0))), ["A.main", "all", "map"]);
}

#[test]
fn search_dims_other_boxes_and_selection_outlines_every_occurrence() {
    let flame = flame();
    let selected = flame.names[1].label.clone();
    let marks = Marks { found: Some(&[3]), selected: Some(&selected), ..Marks::default() };
    let ops = draw(&flame, &stage(), &marks, &FixedWidth(6.0));
    let colored = ops.iter().filter(|op| matches!(op, Op::Rect { fill: Paint::Tint(_), .. })).count();
    assert_eq!(colored, 1);
    let frames: Vec<f64> = ops
        .iter()
        .filter_map(|op| match op {
            Op::Frame { y, .. } => Some(*y),
            _ => None,
        })
        .collect();
    assert_eq!(frames, [ROW]);
}

#[test]
fn edges_are_aligned_to_device_pixels() {
    let flame = flame();
    let stage = Stage { x: 0.1..0.77, width: 801.0, ratio: 1.5, ..stage() };
    for area in flame.boxes.iter().filter_map(|of| stage.area(of)) {
        let px = area.x * 1.5;
        assert!((px - px.round()).abs() < 1e-9, "{area:?}");
    }
}

#[test]
fn hovered_and_focused_boxes_are_outlined_if_visible() {
    let (flame, stage) = (flame(), stage());
    let frames = |hovered, cursor| outline(&flame, &stage, hovered, cursor).len();
    assert_eq!((frames(None, None), frames(Some(2), None), frames(Some(2), Some(3))), (0, 1, 2));
    assert_eq!(frames(Some(99), None), 0);
    let elsewhere = Stage { x: 0.8..0.9, ..stage };
    assert_eq!(outline(&flame, &elsewhere, Some(2), None), []);
}

/// The same stacks, starting from `A.run`.
fn flame_of_run() -> Flame {
    let whole = flame();
    let run = FlameBox { depth: 0, x0: 0.0, x1: 1.0, ..whole.boxes[3] };
    Flame { path: vec![0, 1, 3], boxes: vec![run], n_depths: 1, ..whole }
}

#[test]
fn a_frame_stays_in_place_when_zooming_in_and_out() {
    let (whole, part) = (flame(), flame_of_run());
    let before = Stage { x: 0.25..0.9, ..stage() };
    let inward = carried(&before, &whole, &part, CollapsedFrames::default()).expect("A.run is in the full graph");
    assert_eq!(before.area(&whole.boxes[3]), inward.area(&part.boxes[0]));
    let back = carried(&inward, &part, &whole, CollapsedFrames::default()).expect("A.run is in the full graph");
    assert!((back.x.start - 0.25).abs() < 1e-12 && (back.x.end - 0.9).abs() < 1e-12 && back.top == before.top);
    assert_eq!(carried(&before, &whole, &whole, CollapsedFrames::default()), Some(before));
}

#[test]
fn unrelated_flame_graphs_share_no_stage() {
    let elsewhere = Flame { path: vec![0, 2], ..flame_of_run() };
    assert_eq!(carried(&stage(), &flame_of_run(), &elsewhere, CollapsedFrames::default()), None);
}

/// The same with five frames above `A.main`, each of which calls only the next one.
fn flame_with_collapsed_frames() -> Flame {
    let mut flame = flame();
    let above = FlameBox { name: 3, ..flame.boxes[1] };
    flame.boxes.iter_mut().skip(1).for_each(|of| of.depth += 5);
    flame.boxes.splice(1..1, (1..=5).map(|depth| FlameBox { depth, ..above }));
    flame.n_depths += 5;
    flame
}

#[test]
fn frames_that_hold_nearly_everything_share_a_row() {
    assert_eq!(CollapsedFrames::of(&flame()), CollapsedFrames::default());
    let flame = flame_with_collapsed_frames();
    let collapsed = CollapsedFrames::of(&flame);
    assert_eq!((collapsed.n_frames(), collapsed.labels(&flame).count()), (5, 5));
    let stage = Stage { collapsed, ..stage() };
    let ops = draw(&flame, &stage, &Marks::default(), &FixedWidth(6.0));
    let collapsed_words = "▸ 5 frames in a row: A.run … A.run";
    assert_eq!(texts(&ops), ["12 frames", "A.main", "A.run", "List.map", "all", collapsed_words]);
    // A narrow branch is hidden and doesn't end the collapsed frames. A wider one does.
    let with_branch = |width: f64| {
        let mut flame = flame_with_collapsed_frames();
        flame.boxes[3..]
            .iter_mut()
            .filter(|of| of.depth >= 3)
            .for_each(|of| (of.x0, of.x1) = (of.x0 * (1.0 - width), of.x1 * (1.0 - width)));
        let branch = FlameBox { depth: 3, x0: 1.0 - width, x1: 1.0, ..flame.boxes[3] };
        flame.boxes.insert(4, branch);
        CollapsedFrames::of(&flame).n_frames()
    };
    assert_eq!((with_branch(0.02), with_branch(0.1)), (5, 0));
    // The pointer hits the first collapsed frame, and the boxes below at their drawn position.
    assert_eq!(stage.hit(&flame, 10.0, 1.5 * ROW), Some(1));
    assert_eq!(stage.hit(&flame, 10.0, 2.5 * ROW), Some(6));
    assert_eq!(stage.hit(&flame, 401.0, 3.5 * ROW), Some(8));
    assert_eq!(stage.area(&flame.boxes[8]).map(|area| area.y), Some(3.0 * ROW));
    // If the search finds one of the collapsed frames, the row isn't dimmed.
    let is_colored = |found: &[u32]| {
        let ops = draw(&flame, &stage, &Marks { found: Some(found), ..Marks::default() }, &FixedWidth(6.0));
        ops.iter().any(|op| matches!(op, Op::Rect { fill: Paint::Tint(Tint::Library), .. }))
    };
    assert!(is_colored(&[3]) && !is_colored(&[1]));
}

#[test]
fn a_frame_below_collapsed_frames_stays_in_place_when_zooming() {
    let (whole, part) = (flame_with_collapsed_frames(), Flame { path: vec![0, 3, 3, 3, 3, 3, 1, 3], ..flame_of_run() });
    let before = Stage { x: 0.25..0.9, collapsed: CollapsedFrames::of(&whole), ..stage() };
    let inward = carried(&before, &whole, &part, CollapsedFrames::of(&part)).expect("A.run is in the full graph");
    assert_eq!(before.area(&whole.boxes[8]), inward.area(&part.boxes[0]));
    let back = carried(&inward, &part, &whole, CollapsedFrames::of(&whole)).expect("A.run is in the full graph");
    assert_eq!((back.top, back.collapsed), (before.top, before.collapsed));
}

#[test]
fn zoom_animation_starts_and_ends_at_the_given_stages() {
    let (from, to) = (stage(), Stage { x: 0.5..0.75, top: stage().top - 2.0 * ROW, ..stage() });
    assert_eq!((midway(&from, &to, 0.0), midway(&from, &to, 1.0)), (from.clone(), to.clone()));
    let half = midway(&from, &to, 0.5);
    assert!(half.x.start > 0.25 && half.x.start < 0.5, "fast at first: {:?}", half.x);
}

#[test]
fn the_legend_lists_colors_by_width_and_merged_boxes() {
    let (flame, stage) = (flame(), stage());
    let entries = legend(&[(&flame, &stage)], Colors::Module, Default::default());
    let texts: Vec<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["A", "library code", "too narrow to draw"]);
    assert_eq!(entries[0].paint, Paint::Tint(ModuleColors::default().of_function("A.main")));
    let by_file = legend(&[(&flame, &stage)], Colors::File, Default::default());
    assert_eq!(by_file[0].text, "a.ml");
}
