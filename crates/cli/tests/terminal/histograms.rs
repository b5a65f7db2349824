//! The histograms of sizes and lifetimes.

use camlscope_engine::protocol::{Answer, Question, Request};
use camlscope_engine::query::histogram::Histogram;
use camlscope_present::format::{self, Units};

use super::{ORDERS, SIZES, View};

fn histogram(view: &mut View) -> Histogram {
    let request =
        Request { view: view.app.state.view.clone(), question: Question::Histogram(view.app.state.histogram.config()) };
    match view.session.handle(&request) {
        Ok(Answer::Histogram(histogram)) => histogram,
        other => panic!("{other:?}"),
    }
}

#[test]
fn bars_and_statistics_show_the_figures_of_the_query() {
    for size in SIZES {
        let mut view = View::new(ORDERS, None, size);
        view.press("6");
        let sizes = histogram(&mut view);
        let bin = sizes.bins.iter().find(|bin| bin.from == 8).expect("some blocks have 8 words");
        let row = view.line_with(" 8–15 ");
        assert!(row.contains(&Units::Binary.bytes(bin.bytes)) && row.contains(['█', '▍', '▌']), "{row}");
        assert!(view.line_with("90th percentile").ends_with(&format!("{} words", format::count(sizes.stats.p90))));
        view.press("l");
        let lifetimes = histogram(&mut view);
        let median = format::duration_us(lifetimes.stats.median);
        assert!(view.line_with("median").ends_with(&median), "{}", view.text());
        let never = lifetimes.never.expect("lifetimes have them");
        if size == SIZES[0] {
            view.line_with("↓ 3 more");
            view.press("⇲");
        }
        assert!(view.line_with("never freed").contains(&Units::Binary.bytes(never.bytes)), "{}", view.text());
        view.press("w");
        view.line_with("samples  share");
    }
}

#[test]
fn enter_keeps_only_the_objects_of_a_bar() {
    let mut view = View::new(ORDERS, None, SIZES[1]);
    view.press("6↓↓");
    let readout = view.lines()[56].clone();
    assert!(readout.contains(" words: ") && readout.contains("±") && readout.contains("mostly from"), "{readout}");
    let whole = view.lines();
    view.press("\n");
    assert!(view.lines()[4].contains(" 100% █"), "only this bar is left:\n{}", view.text());
    view.press("⌫");
    assert_eq!(view.lines(), whole);
    view.press("l⇱");
    view.press("\n");
    let kept = histogram(&mut view);
    assert_eq!(kept.never.map(|never| never.samples), Some(0), "live objects have no lifetime yet");
    assert!(view.lines()[4].contains(" 100% █"), "{}", view.text());
}
