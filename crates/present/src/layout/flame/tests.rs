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
fn the_box_under_the_pointer_is_found_in_either_direction() {
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
fn a_box_and_its_path_lead_to_each_other() {
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
fn boxes_are_labelled_as_far_as_there_is_room_and_several_say_how_many() {
    let flame = flame();
    let ops = draw(&flame, &stage(), &Marks::default(), &FixedWidth(6.0));
    assert_eq!(texts(&ops), ["12 frames", "A.main", "A.run", "List.map", "all"]);
    let zoomed = Stage { x: 0.74..0.75, ..stage() };
    assert_eq!(texts(&draw(&flame, &zoomed, &Marks::default(), &FixedWidth(6.0))), ["A.main", "A.run", "all"]);
    let narrow = Stage { width: 100.0, ..stage() };
    assert_eq!(texts(&draw(&flame, &narrow, &Marks::default(), &FixedWidth(6.0))), ["A.main", "all", "map"]);
}

#[test]
fn what_a_search_does_not_find_fades_and_the_selected_function_is_outlined_everywhere() {
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
fn edges_lie_on_whole_pixels_of_the_screen() {
    let flame = flame();
    let stage = Stage { x: 0.1..0.77, width: 801.0, ratio: 1.5, ..stage() };
    for area in flame.boxes.iter().filter_map(|of| stage.area(of)) {
        let px = area.x * 1.5;
        assert!((px - px.round()).abs() < 1e-9, "{area:?}");
    }
}

#[test]
fn the_boxes_of_pointer_and_keyboard_are_outlined_as_far_as_they_show() {
    let (flame, stage) = (flame(), stage());
    let frames = |hovered, cursor| outline(&flame, &stage, hovered, cursor).len();
    assert_eq!((frames(None, None), frames(Some(2), None), frames(Some(2), Some(3))), (0, 1, 2));
    assert_eq!(frames(Some(99), None), 0);
    let elsewhere = Stage { x: 0.8..0.9, ..stage };
    assert_eq!(outline(&flame, &elsewhere, Some(2), None), []);
}

/// The same stacks from `A.run` down.
fn flame_of_run() -> Flame {
    let whole = flame();
    let run = FlameBox { depth: 0, x0: 0.0, x1: 1.0, ..whole.boxes[3] };
    Flame { path: vec![0, 1, 3], boxes: vec![run], n_depths: 1, ..whole }
}

#[test]
fn a_frame_stays_where_it_is_when_it_becomes_the_root_and_when_it_ceases_to_be() {
    let (whole, part) = (flame(), flame_of_run());
    let before = Stage { x: 0.25..0.9, ..stage() };
    let inward = carried(&before, &whole, &part, CollapsedFrames::default()).expect("run lies in the whole");
    assert_eq!(before.area(&whole.boxes[3]), inward.area(&part.boxes[0]));
    let back = carried(&inward, &part, &whole, CollapsedFrames::default()).expect("run lies in the whole");
    assert!((back.x.start - 0.25).abs() < 1e-12 && (back.x.end - 0.9).abs() < 1e-12 && back.top == before.top);
    assert_eq!(carried(&before, &whole, &whole, CollapsedFrames::default()), Some(before));
}

#[test]
fn nothing_is_carried_between_pictures_that_do_not_share_a_frame() {
    let elsewhere = Flame { path: vec![0, 2], ..flame_of_run() };
    assert_eq!(carried(&stage(), &flame_of_run(), &elsewhere, CollapsedFrames::default()), None);
}

/// The same with five frames above `A.main`, each of which calls the next one only.
fn flame_with_collapsed_frames() -> Flame {
    let mut flame = flame();
    let above = FlameBox { name: 3, ..flame.boxes[1] };
    flame.boxes.iter_mut().skip(1).for_each(|of| of.depth += 5);
    flame.boxes.splice(1..1, (1..=5).map(|depth| FlameBox { depth, ..above }));
    flame.n_depths += 5;
    flame
}

#[test]
fn frames_that_nearly_all_goes_through_share_a_row_that_says_how_many() {
    assert_eq!(CollapsedFrames::of(&flame()), CollapsedFrames::default());
    let flame = flame_with_collapsed_frames();
    let collapsed = CollapsedFrames::of(&flame);
    assert_eq!((collapsed.n_frames(), collapsed.labels(&flame).count()), (5, 5));
    let stage = Stage { collapsed, ..stage() };
    let ops = draw(&flame, &stage, &Marks::default(), &FixedWidth(6.0));
    let collapsed_words = "▸ 5 frames in a row: A.run … A.run";
    assert_eq!(texts(&ops), ["12 frames", "A.main", "A.run", "List.map", "all", collapsed_words]);
    // What leaves it on the way is hidden with it, and does not end it; a wider branch does.
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
    // The pointer finds the first of them, and what lies below where it is drawn.
    assert_eq!(stage.hit(&flame, 10.0, 1.5 * ROW), Some(1));
    assert_eq!(stage.hit(&flame, 10.0, 2.5 * ROW), Some(6));
    assert_eq!(stage.hit(&flame, 401.0, 3.5 * ROW), Some(8));
    assert_eq!(stage.area(&flame.boxes[8]).map(|area| area.y), Some(3.0 * ROW));
    // One of them is found: the row does not fade.
    let is_colored = |found: &[u32]| {
        let ops = draw(&flame, &stage, &Marks { found: Some(found), ..Marks::default() }, &FixedWidth(6.0));
        ops.iter().any(|op| matches!(op, Op::Rect { fill: Paint::Tint(Tint::Library), .. }))
    };
    assert!(is_colored(&[3]) && !is_colored(&[1]));
}

#[test]
fn a_frame_below_collapsed_frames_stays_where_it_is_when_it_becomes_the_root() {
    let (whole, part) = (flame_with_collapsed_frames(), Flame { path: vec![0, 3, 3, 3, 3, 3, 1, 3], ..flame_of_run() });
    let before = Stage { x: 0.25..0.9, collapsed: CollapsedFrames::of(&whole), ..stage() };
    let inward = carried(&before, &whole, &part, CollapsedFrames::of(&part)).expect("run lies in the whole");
    assert_eq!(before.area(&whole.boxes[8]), inward.area(&part.boxes[0]));
    let back = carried(&inward, &part, &whole, CollapsedFrames::of(&whole)).expect("run lies in the whole");
    assert_eq!((back.top, back.collapsed), (before.top, before.collapsed));
}

#[test]
fn the_way_between_two_stages_begins_at_one_and_ends_at_the_other() {
    let (from, to) = (stage(), Stage { x: 0.5..0.75, top: stage().top - 2.0 * ROW, ..stage() });
    assert_eq!((midway(&from, &to, 0.0), midway(&from, &to, 1.0)), (from.clone(), to.clone()));
    let half = midway(&from, &to, 0.5);
    assert!(half.x.start > 0.25 && half.x.start < 0.5, "fast at first: {:?}", half.x);
}

#[test]
fn the_legend_names_each_color_by_width_and_what_is_too_narrow() {
    let (flame, stage) = (flame(), stage());
    let entries = legend(&[(&flame, &stage)], Colors::Module, Default::default());
    let texts: Vec<&str> = entries.iter().map(|entry| entry.text.as_str()).collect();
    assert_eq!(texts, ["A", "library code", "too narrow to draw"]);
    assert_eq!(entries[0].paint, Paint::Tint(ModuleColors::default().of_function("A.main")));
    let by_file = legend(&[(&flame, &stage)], Colors::File, Default::default());
    assert_eq!(by_file[0].text, "a.ml");
}
