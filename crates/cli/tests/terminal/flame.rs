//! The flame graph in a grid of characters.

use camlscope::terminal::colors::Colors;
use camlscope_engine::protocol::{Answer, Question, Request};
use camlscope_engine::query::flame::{BoxSelector, Direction, FlameConfig};
use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};

use super::{ORDERS, SIZES, View, buffer};

fn flame(size: (u16, u16)) -> View {
    let mut view = View::new(ORDERS, None, size);
    view.press("5");
    view
}

/// Returns the background of each character in a line.
fn backgrounds(buffer: &Buffer, line: u16) -> Vec<Color> {
    (0..buffer.area.width).map(|column| buffer[(column, line)].bg).collect()
}

#[test]
fn boxes_are_as_wide_as_their_share() {
    for size in SIZES {
        let mut view = flame(size);
        view.press("x");
        let lines = view.lines();
        let config = FlameConfig {
            direction: Direction::TopDown,
            root: BoxSelector::Top,
            x: 0.0..1.0,
            width_px: f64::from(size.0),
            depths: 0..4,
        };
        let request = Request { view: view.app.state.view.clone(), question: Question::Flame(config) };
        let Ok(Answer::Flame(flame)) = view.session.handle(&request) else { panic!("no flame graph") };
        for of in flame.boxes.iter().filter(|of| of.n_merged == 0) {
            let line: Vec<char> = lines[4 + of.depth as usize].chars().collect();
            let left = (of.x0 * f64::from(size.0)).round() as usize;
            assert_eq!(line[left], '▏', "the left edge of {of:?} in\n{}", lines.join("\n"));
        }
    }
}

#[test]
fn a_label_loses_modules_but_never_a_part_of_the_function() {
    let mut view = flame(SIZES[1]);
    let names: Vec<String> = view.session.trace(Default::default()).map_or_else(Vec::new, |trace| {
        let frames = &trace.calls.frames;
        let own = |name: &str| {
            camlscope_present::layout::names::own(&camlscope_present::layout::names::plain(name)).to_owned()
        };
        frames.functions().iter().map(|function| own(frames.text(function.name))).collect()
    });
    let lines = view.lines();
    // The first row has no function, and the second may have several.
    let labels = lines[6..57].iter().flat_map(|line| line.split('▏')).map(str::trim).filter(|label| !label.is_empty());
    let mut n_labels = 0;
    for label in labels.filter(|label| !label.contains("frame") && !label.starts_with('░')) {
        n_labels += 1;
        assert!(names.iter().any(|own| label.ends_with(own.as_str())), "{label} of\n{}", lines.join("\n"));
    }
    assert!(n_labels > 10, "{}", lines.join("\n"));
}

#[test]
fn arrows_select_enter_zooms_and_backspace_goes_back() {
    let mut view = flame(SIZES[0]);
    let whole = view.lines();
    assert!(whole[22].contains("100% of all") && whole[21].starts_with("all"), "{}", whole.join("\n"));
    view.press("↓↓");
    let selected = view.lines();
    assert!(selected[22].contains("% of all") && selected[22].contains("±") && selected[22].contains("samples"));
    let name = selected[21].split("  ").next().unwrap_or_default().to_owned();
    view.press("\n");
    let zoomed = view.lines();
    assert!(zoomed[3].starts_with("all › ") || zoomed[3].contains('…'), "{}", zoomed[3]);
    assert!(zoomed[3].contains(&name) && zoomed[4].starts_with(&format!("▏{name}")), "{}", zoomed.join("\n"));
    assert_eq!(zoomed[21..23], selected[21..23], "the figures are of the same box");
    view.press("⌫");
    assert_eq!(view.lines(), selected);
    view.press("\n0");
    assert_eq!(view.lines()[3..], whole[3..], "0 shows everything");
}

#[test]
fn frames_that_carry_nearly_everything_share_a_row_until_enter() {
    let mut view = View::new("typecore-1e-4-v2.ctf", None, SIZES[0]);
    view.press("5↓");
    assert!(view.lines()[5].starts_with("▏▸ 8 frames in a row: "), "{}", view.text());
    assert!(view.lines()[21].starts_with("▸ 8 frames in a row: "), "{}", view.text());
    let below = view.lines()[6].clone();
    view.press("↓");
    assert!(view.lines()[21].starts_with("Compile_common.implementation.(fun)"), "{}", view.text());
    view.press("↑\n");
    assert_eq!(view.lines()[13], below, "eight rows instead of one");
    assert!(!view.text().contains("in a row"));
    view.press("x");
    assert_eq!(view.lines()[6], below);
}

#[test]
fn the_selection_follows_a_row_and_goes_back_up() {
    let mut view = flame(SIZES[1]);
    view.press("↓↓↓");
    let first = view.lines()[57].clone();
    view.press("→");
    let next = view.lines()[57].clone();
    assert_ne!(next, first);
    view.press("←");
    assert_eq!(view.lines()[57], first);
    view.press("↑↑↑");
    assert!(view.lines()[57].starts_with("all"));
    view.press("↑←");
    assert!(view.lines()[57].starts_with("all"), "there is nothing beyond the top");
}

#[test]
fn the_screen_scrolls_with_the_selection() {
    let mut view = View::new("deep-1e-3-v2.ctf", None, SIZES[0]);
    view.press("5x");
    let first = view.lines()[4].clone();
    for _ in 0..40 {
        view.press("↓");
    }
    assert_ne!(view.lines()[4], first, "{}", view.text());
    let buffer = buffer(&view.app);
    let is_selected = |line: u16| (0..80).any(|column| buffer[(column, line)].modifier.contains(Modifier::REVERSED));
    assert!((4..21).any(is_selected), "{}", view.text());
    view.press("⇱");
    assert_eq!(view.lines()[4], first);
}

#[test]
fn clicks_select_and_double_clicks_zoom() {
    let mut view = flame(SIZES[1]);
    view.click(1, 6);
    let selected = view.lines();
    assert!(!selected[57].starts_with("all"), "{}", selected.join("\n"));
    let name = selected[57].split("  ").next().unwrap_or_default().to_owned();
    view.double_click(1, 6);
    assert!(view.lines()[3].contains(&name), "{}", view.text());
    // The path leads back.
    view.click(1, 3);
    assert!(view.lines()[4].starts_with("▏all"), "{}", view.text());
    // Below the graph there is nothing to click.
    view.double_click(1, 56);
    assert!(view.lines()[4].starts_with("▏all"), "{}", view.text());
}

#[test]
fn the_inverted_graph_begins_at_the_sites() {
    let mut view = flame(SIZES[0]);
    let from_main = view.lines();
    view.press("i");
    assert!(view.lines()[3].contains("from sites to their callers"), "{}", view.text());
    assert_ne!(view.lines()[5], from_main[5]);
    view.press("⌫");
    assert_eq!(view.lines(), from_main);
}

#[test]
fn a_search_marks_boxes_and_escape_ends_it() {
    let mut view = flame(SIZES[1]);
    view.answer_all();
    let colored = backgrounds(&buffer(&view.app), 7);
    view.press("/session\n");
    let search = view.lines()[59].clone();
    assert!(search.starts_with("search: session, matched ") && search.contains("Esc clears it"), "{search}");
    let n_colored = |colors: &[Color]| colors.iter().filter(|color| **color != Color::Reset).count();
    let found = backgrounds(&buffer(&view.app), 7);
    assert!(n_colored(&found) < n_colored(&colored), "boxes without a match lose their color");
    view.press("n");
    assert!(view.lines()[57].to_lowercase().contains("session"), "{}", view.text());
    view.press("3");
    assert!(view.line_with("search: session").contains("Esc clears it"), "the table has the same search");
    view.press("5⎋⇱");
    view.answer_all();
    assert_eq!(backgrounds(&buffer(&view.app), 7), colored);
    assert!(!view.text().contains("search:"), "{}", view.text());
    view.press("/nosuchname\n");
    assert!(view.text().contains("search: nosuchname, no match"), "{}", view.text());
}

#[test]
fn modules_have_colors_and_text_on_them_is_black() {
    let mut view = flame(SIZES[1]);
    view.answer_all();
    for (colors, is_one) in [
        (Colors::True, (|color| matches!(color, Color::Rgb(..))) as fn(Color) -> bool),
        (Colors::Indexed, |color| matches!(color, Color::Indexed(16..))),
        (Colors::Theme, |color| {
            [Color::Green, Color::Yellow, Color::Cyan, Color::Magenta, Color::Gray].contains(&color)
        }),
        (Colors::None, |_| false),
    ] {
        view.app.colors = colors;
        let buffer = buffer(&view.app);
        let cells = || (5..57).flat_map(|line| (0..200).map(move |column| (column, line))).map(|at| &buffer[at]);
        assert_eq!(cells().any(|cell| is_one(cell.bg)), colors != Colors::None, "{colors:?}");
        assert!(
            cells().all(|cell| cell.bg == Color::Reset || (is_one(cell.bg) && cell.fg == Color::Black)),
            "{colors:?}"
        );
    }
}

#[test]
fn nothing_to_draw_is_explained() {
    let mut view = View::new("empty-1e-6-v3.ctf", None, SIZES[0]);
    for tab in ["5", "6"] {
        view.press(tab);
        view.line_with("No allocations were sampled.");
    }
    let mut view = flame(SIZES[0]);
    view.press("fsize=1000000000..\n");
    view.line_with("Nothing passes the filter. c clears it.");
    view.press("c↓↓\nfsize=1000000000..\n");
    view.line_with("This frame has no data. 0 shows all.");
}
