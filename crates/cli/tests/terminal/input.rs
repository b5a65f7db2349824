//! Typing a filter, with completions.

use super::{ORDERS, SIZES, View};

#[test]
fn a_filter_is_completed_from_its_keys_and_the_names_in_the_trace() {
    let mut view = View::new(ORDERS, None, SIZES[0]);
    view.press("3");
    let whole = view.line_with("bytes allocated");
    view.press("f");
    let keys = view.text();
    assert!(keys.contains("lifetime  ") && keys.contains("1s..2s") && keys.contains("Tab completes"), "{keys}");
    view.press("resp");
    assert!(view.text().contains("responsible-function") && !view.text().contains("lifetime  "), "{}", view.text());
    view.press("\t");
    assert_eq!(view.lines()[23], "filter: responsible-function=▏");
    view.press("visit");
    view.line_with(" Orders.Session.visit");
    view.press("↓\n");
    assert_eq!(view.lines()[23], "filter: responsible-function-is=Orders.Session.visit▏");
    assert!(!view.text().contains("Tab completes"), "it is complete:\n{}", view.text());
    view.press("\n");
    let filtered = view.line_with("bytes allocated");
    assert_ne!(filtered, whole);
    view.press("f&heap=\t");
    assert!(view.lines()[23].ends_with("&heap=minor▏"), "{}", view.lines()[23]);
    view.press("\n");
    assert_ne!(view.line_with("bytes allocated"), filtered);
}

#[test]
fn completions_never_hide_what_is_typed() {
    for size in [(40, 10), (80, 24), (200, 60)] {
        let mut view = View::new(ORDERS, None, size);
        view.press("f");
        let last = usize::from(size.1) - 1;
        for text in ["not-", "allocating-function=", "a", "&calls=", "Orders", "&size=1..2&live-at=", "%"] {
            view.press(text);
            let line = view.lines()[last].clone();
            assert!(line.starts_with("filter: ") && line.contains('▏'), "{line}");
            view.press("↓↑");
        }
        view.press("⎋");
        assert!(view.app.state.input.is_none());
    }
}
