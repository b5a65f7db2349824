//! Clauses in English. Each phrase continues a sentence that starts with "objects …".

use crate::format::count;
use camlscope_engine::query::filter::units::{bytes_parts, time_parts};
use camlscope_engine::query::filter::{
    Clause, DiesWithin, Filter, FrameField, FrameTest, Heap, How, NameTest, SizeUnit, Span, When, WhichFrame,
};
use camlscope_engine::query::label::plain;

/// `allocated between 1 s and 2 s`, `larger than 256 words`.
pub fn clause(clause: &Clause) -> String {
    match clause {
        Clause::Allocated(Span::ANY) => "allocated at any time".to_owned(),
        Clause::Allocated(span) => format!("allocated {}", at_times(*span)),
        Clause::Collected(Span::ANY) => "collected at any time".to_owned(),
        Clause::Collected(span) => format!("collected {}", at_times(*span)),
        Clause::NeverCollected => "never collected".to_owned(),
        Clause::LiveAt(When::At(time_us)) => format!("live at {}", time_words(*time_us)),
        Clause::LiveAt(When::Peak) => "live at the peak".to_owned(),
        Clause::LiveAt(When::End) => "live at the end".to_owned(),
        Clause::LiveWithin(Span::ANY) => "live at any time".to_owned(),
        Clause::LiveWithin(span) => format!("live at some time {}", at_times(*span)),
        Clause::LiveThrough(Span { from, to }) => {
            let from = from.map_or("the start".to_owned(), time_words);
            format!("live the entire time from {from} to {}", to.map_or("the end".to_owned(), time_words))
        }
        Clause::Size(span, unit) => size(*span, *unit),
        Clause::Lifetime(span) => lifetime(*span),
        Clause::Temporary(DiesWithin::Micros(us)) => format!("collected within {}", time_words(*us)),
        Clause::Temporary(DiesWithin::Bytes(n)) => {
            format!("collected within {} of further allocation", bytes_words(*n))
        }
        Clause::Heap(heaps) => heap(heaps),
        Clause::Domain(ids) => {
            let ids: Vec<String> = ids.iter().map(u16::to_string).collect();
            format!("allocated by domain {}", either(&ids))
        }
        Clause::Frame(test) => frame(test),
        Clause::Calls { caller, callee } => {
            format!("where {} calls {}", named(FrameField::Function, caller), named(FrameField::Function, callee))
        }
        Clause::Hide(name) => match name.how {
            How::Is => format!("with {} hidden", quoted(&name.text)),
            How::Contains => format!("with functions containing {} hidden", quoted(&name.text)),
            How::Matches => format!("with functions matching {} hidden", quoted(&name.text)),
        },
        Clause::Focus(name) => format!("focused on {}", named(FrameField::Function, name)),
    }
}

/// `all objects`, or `objects never collected, larger than 256 words`.
pub fn filter(filter: &Filter) -> String {
    match filter.clauses.as_slice() {
        [] => "all objects".to_owned(),
        clauses => format!("objects {}", clauses.iter().map(clause).collect::<Vec<_>>().join(", ")),
    }
}

/// `850 µs`, `1.5 ms`.
fn time_words(us: u64) -> String {
    let (number, unit) = time_parts(us);
    format!("{number} {unit}")
}

fn bytes_words(n: u64) -> String {
    let (number, unit) = bytes_parts(n);
    format!("{number} {unit}")
}

fn at_times(span: Span) -> String {
    match (span.from, span.to) {
        (Some(from), Some(to)) if from == to => format!("at {}", time_words(from)),
        (Some(from), Some(to)) => format!("between {} and {}", time_words(from), time_words(to)),
        (Some(from), None) => format!("at {} or later", time_words(from)),
        (None, Some(to)) => format!("at {} or earlier", time_words(to)),
        (None, None) => "at any time".to_owned(),
    }
}

fn lifetime(span: Span) -> String {
    match (span.from, span.to) {
        (Some(from), Some(to)) if from == to => format!("that lived {}", time_words(from)),
        (Some(from), Some(to)) => format!("that lived {} to {}", time_words(from), time_words(to)),
        (Some(from), None) => format!("that lived {} or longer", time_words(from)),
        (None, Some(to)) => format!("that lived {} or less", time_words(to)),
        (None, None) => "of any lifetime".to_owned(),
    }
}

fn size(span: Span, unit: SizeUnit) -> String {
    let amount = |n: u64| match unit {
        SizeUnit::Words => format!("{} word{}", count(n), if n == 1 { "" } else { "s" }),
        SizeUnit::Bytes => bytes_words(n),
    };
    match (span.from, span.to) {
        (Some(from), Some(to)) if from == to => format!("of {}", amount(from)),
        (Some(from), Some(to)) => match unit {
            SizeUnit::Words => format!("of {} to {}", count(from), amount(to)),
            SizeUnit::Bytes => format!("of {} to {}", amount(from), amount(to)),
        },
        // 256 words, the largest block in the minor heap, is a bound that people know.
        (Some(from @ 1..), None) if unit == SizeUnit::Words => format!("larger than {}", amount(from - 1)),
        (Some(from), None) => format!("of {} or more", amount(from)),
        (None, Some(to)) => format!("of {} or less", amount(to)),
        (None, None) => "of any size".to_owned(),
    }
}

fn heap(heaps: &[Heap]) -> String {
    let words: Vec<String> = heaps
        .iter()
        .map(|heap| match heap {
            Heap::Minor => "that never left the minor heap".to_owned(),
            Heap::Promoted => "promoted to the major heap".to_owned(),
            Heap::Major => "allocated in the major heap".to_owned(),
            Heap::External => "allocated outside the heap".to_owned(),
        })
        .collect();
    if words.is_empty() { "in no heap".to_owned() } else { either(&words) }
}

fn frame(test: &FrameTest) -> String {
    let name = named(test.part, &test.name);
    if test.which == WhichFrame::Any {
        let with = if test.not { "without" } else { "with" };
        return format!("{with} {name} on the stack");
    }
    let not = if test.not { "not " } else { "" };
    let relation = match test.part {
        FrameField::Function => "allocated by",
        FrameField::File | FrameField::Module => "allocated in",
        FrameField::Line => "allocated on",
    };
    let below = if test.which == WhichFrame::Responsible { " or library code it called" } else { "" };
    format!("{not}{relation} {name}{below}")
}

/// `“List.map”`, `file “list.ml”`, `a module that matches “^Stdlib”`.
fn named(part: FrameField, name: &NameTest) -> String {
    match (name.how, part) {
        (How::Is, FrameField::Function) => quoted(&plain(&name.text)),
        (How::Is, FrameField::Module) => format!("{} {}", part.as_str(), quoted(&plain(&name.text))),
        (How::Is, FrameField::File | FrameField::Line) => format!("{} {}", part.as_str(), quoted(&name.text)),
        (_, part) => format!("a {} that {}", part.as_str(), verb(name)),
    }
}

fn verb(name: &NameTest) -> String {
    let verb = match name.how {
        How::Is => "is",
        How::Contains => "contains",
        How::Matches => "matches",
    };
    format!("{verb} {}", quoted(&name.text))
}

fn quoted(text: &str) -> String {
    format!("“{text}”")
}

fn either(items: &[String]) -> String {
    match items {
        [] => "none".to_owned(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}
