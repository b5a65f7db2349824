//! Going back, two files, and wide terminals.

use camlscope::terminal::tab::Tab;
use camlscope_engine::query::filter::When;
use camlscope_engine::query::measure::Measure;

use super::{ORDERS, PROFILE, SIZES, View};

const LEAK: &str = "leak-1e-4-v3.ctf";

#[test]
fn backspace_returns_to_where_the_user_came_from() {
    let mut view = View::new(ORDERS, None, SIZES[0]);
    view.press("↓");
    let summary = view.lines();
    view.press("\n");
    assert_eq!(view.app.state.tab, Tab::Tree);
    let tree = view.lines();
    view.press("3fsize=257..\n");
    let table = view.lines();
    view.press("\n");
    view.line_with("callers of ");
    for before in [table, tree, summary] {
        while view.lines() != before {
            assert!(!view.app.state.history.is_empty(), "no way back to\n{}", before.join("\n"));
            view.press("⌫");
        }
    }
    view.press("⌫⌫");
    assert_eq!(view.app.state.tab, Tab::Summary, "the start is the end of the way back");
}

#[test]
fn typing_and_moving_is_nothing_to_go_back_to() {
    let mut view = View::new(ORDERS, None, SIZES[0]);
    view.press("3↓↓fsi⌫⎋s/x⎋");
    assert_eq!(view.app.state.history.len(), 1);
}

#[test]
fn both_files_can_be_browsed() {
    for size in SIZES {
        let alone = |file: &str, tab: &str| {
            let mut view = View::new(file, None, size);
            view.press(tab);
            // The title differs.
            let lines = view.lines();
            lines[1..usize::from(size.1) - 1].to_vec()
        };
        let mut view = View::new(ORDERS, Some(LEAK), size);
        // The timeline of a single file also has the times to compare.
        for tab in ["1", "3", "4", "5", "6", "7"] {
            view.press(tab);
            let body = |view: &mut View| view.lines()[1..usize::from(size.1) - 1].to_vec();
            assert_eq!(body(&mut view), alone(ORDERS, tab));
            view.press("o");
            assert_eq!(body(&mut view), alone(LEAK, tab));
            view.press("o");
        }
        view.press("8");
        let compared = view.lines();
        assert!(compared[0].contains(&format!("A {ORDERS}  B {LEAK}")), "{}", compared[0]);
        view.press("o");
        assert_eq!(view.lines()[3..], compared[3..], "a comparison has the same direction, whichever file is shown");
    }
}

#[test]
fn a_cursor_belongs_to_its_file() {
    let mut view = View::new(ORDERS, Some(LEAK), SIZES[0]);
    view.press("2");
    view.click(30, 8);
    let cursor_us = view.app.state.timeline.cursor_us;
    view.press("o");
    assert_eq!(view.app.state.timeline.cursor_us, None);
    view.press("o");
    assert_eq!(view.app.state.timeline.cursor_us, cursor_us);
}

#[test]
fn a_profile_next_to_a_trace_shows_what_it_has() {
    let mut view = View::new(ORDERS, Some(PROFILE), SIZES[0]);
    view.press("3");
    while view.app.state.view.measure != Measure::Promoted {
        view.press("m");
    }
    view.press("o");
    assert_eq!(view.app.state.view.measure, Measure::Live(When::End));
    let mut alone = View::new(PROFILE, None, SIZES[0]);
    alone.press("3");
    assert_eq!(view.lines()[1..], alone.lines()[1..]);
    view.press("8");
    assert!(!view.text().contains("Loading"), "{}", view.text());
}

#[test]
fn wide_terminals_show_more_columns() {
    for (tab, wide) in [
        ("3", &["promoted", "lifetime", "samples", "blocks"][..]),
        ("4", &["±", "self"]),
        ("7", &["(95% interval)", "allocated", "samples"]),
        ("8", &["±", "ratio"]),
    ] {
        let heading = |size: (u16, u16)| {
            let mut view = View::new(ORDERS, None, size);
            view.press(tab);
            view.lines()[3].clone()
        };
        let (narrow, shown) = (heading((80, 24)), heading((200, 50)));
        let n_columns = |line: &str| line.split_whitespace().count();
        assert!(n_columns(&narrow) < n_columns(&shown), "{narrow}\n{shown}");
        assert!(wide.iter().all(|column| shown.contains(column)), "{shown}");
    }
}

#[test]
fn tabs_fit_and_open_on_any_width() {
    for width in [40, 60, 80, 91, 200] {
        let mut view = View::new(ORDERS, None, (width, 24));
        view.press("6");
        let tabs = view.lines()[1].clone();
        assert!(tabs.contains("6 Histograms") && tabs.contains('8'), "{tabs}");
        let at = tabs.chars().position(|letter| letter == '8').expect("the last tab") as u16;
        view.click(at, 1);
        assert_eq!(view.app.state.tab, Tab::Compare);
    }
}
