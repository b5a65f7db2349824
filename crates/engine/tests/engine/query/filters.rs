//! Random filters that match something: their times and sizes are those of the trace's objects, or off by one.

use camlscope_engine::query::filter::{
    Clause, DiesWithin, Filter, FrameField, FrameTest, Heap, How, NameTest, SizeUnit, Span, When, WhichFrame,
};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::{Grain, Shape};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::reference::further_bytes;
use super::support::{CODES, Case, random_trace};

/// A trace and a filter of up to three clauses, which may be impossible.
pub fn random_case() -> impl Strategy<Value = (Case, Filter)> {
    random_case_of(0..4)
}

/// The same with this many clauses.
pub fn random_case_of(clauses: std::ops::Range<usize>) -> impl Strategy<Value = (Case, Filter)> {
    (random_trace(), vec(random_clause(), clauses)).prop_map(|(case, clauses)| {
        let clauses = clauses.iter().map(|clause| clause.settle(&case)).collect();
        (case, Filter { clauses })
    })
}

/// Any measure. The time of `live` is 100 µs to one minute after the start.
pub fn random_measure() -> impl Strategy<Value = Measure> {
    prop_oneof![
        Just(Measure::Allocated),
        Just(Measure::Blocks),
        (100u64..60_000_000).prop_map(|time_us| Measure::Live(When::At(time_us))),
        Just(Measure::Live(When::Peak)),
        Just(Measure::Live(When::End)),
        Just(Measure::Promoted),
        (0u64..10_000_000).prop_map(|us| Measure::Temporary(DiesWithin::Micros(us))),
        (0u64..1 << 24).prop_map(|bytes| Measure::Temporary(DiesWithin::Bytes(bytes))),
        Just(Measure::ByteSeconds),
        Just(Measure::Samples),
    ]
}

pub fn random_grain() -> impl Strategy<Value = Grain> {
    prop_oneof![Just(Grain::Function), Just(Grain::Site), Just(Grain::File), Just(Grain::Module)]
}

/// The same, or by source line.
pub fn random_tree_shape() -> impl Strategy<Value = Shape> {
    let by_line = |shape| Shape { grain: Grain::Site, by_line: true, ..shape };
    prop_oneof![4 => random_shape(), 1 => random_shape().prop_map(by_line)]
}

/// Any grain, folded or not, with up to two hidden and two focused functions.
pub fn random_shape() -> impl Strategy<Value = Shape> {
    (random_grain(), any::<bool>(), vec(name(), 0..3), prop_oneof![3 => Just(0), 1 => 1usize..3], vec(name(), 2))
        .prop_map(|(grain, fold_recursion, hide, n_focus, focus)| Shape {
            grain,
            fold_recursion,
            hide,
            focus: focus.into_iter().take(n_focus).collect(),
            ..Shape::default()
        })
}

/// A test for names that occur in random traces, or almost do.
pub fn name() -> impl Strategy<Value = NameTest> {
    let exact = (any::<Index>(), any::<Index>()).prop_map(|(code, frame)| {
        let explained: Vec<_> = CODES.iter().filter(|code| !code.is_empty()).collect();
        let frames = explained[code.index(explained.len())];
        NameTest::is(frame.get(frames).0)
    });
    let part = prop_oneof![
        Just("PARSE"),
        Just("next"),
        Just("λ"),
        Just("."),
        Just("src"),
        Just("debug info"),
        Just("nowhere")
    ];
    let pattern =
        prop_oneof![Just("^Stdlib"), Just(r"\(fun\)$"), Just("map|next"), Just("[.]ml$"), Just("^$"), Just("")];
    prop_oneof![
        2 => exact,
        1 => Just(NameTest::is("(no debug info)")),
        1 => part.prop_map(|text| NameTest { how: How::Contains, text: text.to_owned() }),
        2 => pattern.prop_map(NameTest::matches),
    ]
}

/// A test for lines that occur in random traces, or almost do.
fn line() -> impl Strategy<Value = NameTest> {
    let exact = (any::<Index>(), any::<Index>(), any::<bool>(), 0u32..2).prop_map(|(code, frame, is_full, beside)| {
        let explained: Vec<_> = CODES.iter().filter(|code| code.iter().any(|frame| !frame.1.is_empty())).collect();
        let (_, path, line) = *frame.get(explained[code.index(explained.len())]);
        let name = path.rsplit('/').next().unwrap_or(path);
        NameTest::is(&format!("{}:{}", if is_full { path } else { name }, line + beside))
    });
    let part = prop_oneof![Just("LEXER"), Just("main.ml:1"), Just("rc/parser.ml:7"), Just(":3")];
    let pattern = prop_oneof![Just("^src/"), Just(":9[0-9]$"), Just("[.]ml:(3|7)$"), Just("")];
    prop_oneof![
        4 => exact,
        1 => part.prop_map(|text| NameTest { how: How::Contains, text: text.to_owned() }),
        1 => pattern.prop_map(NameTest::matches),
    ]
}

/// A clause whose times and sizes are still to be chosen from a trace.
#[derive(Clone, Debug)]
pub enum RandomClause {
    Range(Range, Bounds),
    LiveAt(Pick),
    /// Independent of the trace.
    Plain(Clause),
}

/// Some object's value, or one more or less.
#[derive(Clone, Debug)]
pub struct Pick {
    object: Index,
    which: bool,
    beside: i8,
}

#[derive(Clone, Debug)]
pub struct Bounds {
    from: Option<Pick>,
    to: Option<Pick>,
    /// Keep bounds that are in the wrong order.
    as_given: bool,
}

pub fn random_clause() -> impl Strategy<Value = RandomClause> {
    prop_oneof![
        12 => (prop::sample::select(RANGES), bounds()).prop_map(|(range, bounds)| RandomClause::Range(range, bounds)),
        2 => pick().prop_map(RandomClause::LiveAt),
        10 => plain_clause().prop_map(RandomClause::Plain),
    ]
}

fn plain_clause() -> impl Strategy<Value = Clause> {
    let heap = prop_oneof![Just(Heap::Minor), Just(Heap::Promoted), Just(Heap::Major), Just(Heap::External)];
    let part = prop_oneof![3 => Just(FrameField::Function), 1 => Just(FrameField::File), 1 => Just(FrameField::Module)];
    let which = prop_oneof![Just(WhichFrame::Any), Just(WhichFrame::Allocating), Just(WhichFrame::Responsible)];
    let frame = prop_oneof![
        3 => (part, name()),
        1 => line().prop_map(|name| (FrameField::Line, name)),
    ];
    let frame = (frame, any::<bool>(), which);
    prop_oneof![
        1 => Just(Clause::NeverCollected),
        1 => Just(Clause::LiveAt(When::Peak)),
        1 => Just(Clause::LiveAt(When::End)),
        2 => vec(heap, 1..4).prop_map(Clause::Heap),
        2 => vec(0u16..4, 1..4).prop_map(Clause::Domain),
        5 => frame.prop_map(|((part, name), not, which)| {
            Clause::Frame(FrameTest { part, name, not, which })
        }),
        3 => (name(), name()).prop_map(|(caller, callee)| Clause::Calls { caller, callee }),
        1 => name().prop_map(Clause::Hide),
        1 => name().prop_map(Clause::Focus),
    ]
}

fn pick() -> impl Strategy<Value = Pick> {
    (any::<Index>(), any::<bool>(), prop_oneof![4 => Just(0i8), 1 => Just(1i8), 1 => Just(-1i8)])
        .prop_map(|(object, which, beside)| Pick { object, which, beside })
}

fn bounds() -> impl Strategy<Value = Bounds> {
    let some = || prop_oneof![1 => Just(None), 3 => pick().prop_map(Some)];
    (some(), some(), prop_oneof![9 => Just(false), 1 => Just(true)]).prop_map(|(from, to, as_given)| Bounds {
        from,
        to,
        as_given,
    })
}

impl RandomClause {
    pub fn settle(&self, case: &Case) -> Clause {
        match self {
            RandomClause::Range((clause, value), bounds) => clause(bounds.settle(case, *value)),
            RandomClause::LiveAt(pick) => Clause::LiveAt(When::At(pick.settle(case, time))),
            RandomClause::Plain(clause) => clause.clone(),
        }
    }
}

/// When an object was allocated or ended.
fn time(case: &Case, at: usize, which: bool) -> u64 {
    let object = &case.objects[at];
    object.end_us.filter(|_| which).unwrap_or(object.alloc_us)
}

type Value = fn(&Case, usize, bool) -> u64;

/// A clause with a range, and the values to choose its bounds from.
type Range = (fn(Span) -> Clause, Value);

const RANGES: &[Range] = &[
    (Clause::Allocated, time),
    (Clause::Collected, time),
    (Clause::LiveWithin, time),
    (Clause::LiveThrough, time),
    (|words| Clause::Size(words, SizeUnit::Words), |case, at, _| case.objects[at].size_words),
    (
        |bytes| Clause::Size(bytes, SizeUnit::Bytes),
        |case, at, _| case.objects[at].size_words.saturating_mul(u64::from(case.trace.info.word_size_bits / 8)),
    ),
    (Clause::Lifetime, |case, at, _| case.objects[at].lifetime_us(case.end_us)),
    (
        |us| Clause::Temporary(DiesWithin::Micros(us.to.unwrap_or(0))),
        |case, at, _| case.objects[at].lifetime_us(case.end_us),
    ),
    (
        |bytes| Clause::Temporary(DiesWithin::Bytes(bytes.to.unwrap_or(0))),
        |case, at, _| further_bytes(case, &case.objects[at]).unwrap_or(0.0) as u64,
    ),
];

impl Pick {
    fn settle(&self, case: &Case, value: Value) -> u64 {
        match case.objects.len() {
            0 => 7,
            n => value(case, self.object.index(n), self.which).saturating_add_signed(self.beside.into()),
        }
    }
}

impl Bounds {
    fn settle(&self, case: &Case, value: Value) -> Span {
        let settle = |pick: &Option<Pick>| pick.as_ref().map(|pick| pick.settle(case, value));
        let span = Span { from: settle(&self.from), to: settle(&self.to) };
        if span.is_impossible() && !self.as_given { Span { from: span.to, to: span.from } } else { span }
    }
}
