//! Parses any text as input that users type, or as a link. Parsing never panics, and every parsed value is written as text that
//! parses to the same value.

#![no_main]

use camlscope_engine::query::filter::{Clause, Filter};
use camlscope_engine::query::histogram::{Bins, Of};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::Order;
use camlscope_engine::query::tree::Label;
use camlscope_present::format::parse_bytes;
use camlscope_view::ViewState;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let text = String::from_utf8_lossy(input);
    check_filter(&text);
    check_address(&text);
    check_words(&text);
});

fn check_filter(text: &str) {
    if let Ok(filter) = Filter::parse(text) {
        let _ = filter.check();
        assert_eq!(Filter::parse(&filter.to_string()), Ok(filter));
    }
    if let Some((key, value)) = text.split_once('=')
        && let Ok(clause) = Clause::parse(key, value)
    {
        assert_eq!(Clause::parse(&clause.key(), &clause.value()), Ok(clause));
    }
}

fn check_address(text: &str) {
    let view = ViewState::from_hash(text);
    let hash = view.to_hash();
    assert_eq!(ViewState::from_hash(&hash), view, "{hash}");
}

fn check_words(text: &str) {
    if let Ok(measure) = text.parse::<Measure>() {
        assert_eq!(measure.to_string().parse(), Ok(measure));
    }
    for of in [Of::Size, Of::Lifetime] {
        if let Some(bins) = Bins::parse(text, of) {
            assert_eq!(Bins::parse(&bins.to_text(of), of), Some(bins));
        }
    }
    if let Ok(order) = text.parse::<Order>() {
        assert_eq!(order.to_string().parse(), Ok(order));
    }
    if let Ok(bytes) = parse_bytes(text) {
        assert_eq!(parse_bytes(&bytes.to_string()), Ok(bytes));
    }
    let label = Label::from_text(text);
    assert_eq!(Label::from_text(&label.to_text()), label);
}
