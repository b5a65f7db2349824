//! Checks pages of events against a slow, obvious list of all of them.

use camlscope_engine::query::events::{Event, EventIndex, EventRef, EventsConfig, EventsPage, Kind, Start, events};
use camlscope_engine::query::filter::{Clause, Filter, SizeUnit, Span, select};
use camlscope_engine::query::selection::Selection;
use camlscope_engine::trace::{Budget, GcTimeId, ObjectRow, Trace};
use camlscope_testkit::fixtures::{check_invariants, fixture, load};

const TRACES: [&str; 6] =
    ["tiny-0.1-v2", "empty-1e-6-v3", "leak-1e-6-v3", "menhir-1e-5-v3", "domains-multi-1e-3-o5-v3", "leak-1e-4-v3"];

#[test]
fn events_are_listed_in_the_order_they_happened() {
    for (name, trace, selection) in selections() {
        let index = EventIndex::new(&trace, &selection);
        let expected = slow(&trace, &selection);
        assert!(index.iter().eq(expected.iter().copied()), "{name}: in one go");
        assert_eq!(index.len(), expected.len() as u64, "{name}");
        let one_by_one: Vec<EventRef> = (0..index.len()).filter_map(|number| index.at(number)).collect();
        assert!(one_by_one == expected, "{name}: one by one");
        assert!(expected.is_sorted_by_key(|event| event.time_us(&trace)), "{name}: times");
    }
}

#[test]
fn pages_of_any_size_add_up_to_the_same_list() {
    for (name, trace, selection) in selections() {
        let index = EventIndex::new(&trace, &selection);
        let whole = page(&trace, &index, Start::Event(0), u64::MAX);
        for limit in [1, 7, 1000] {
            if limit == 1 && whole.total > 1000 {
                continue;
            }
            let mut read: Vec<Event> = Vec::new();
            while (read.len() as u64) < whole.total {
                let next = page(&trace, &index, Start::Event(read.len() as u64), limit);
                assert_eq!((next.first, next.total), (read.len() as u64, whole.total));
                read.extend(next.events);
            }
            assert!(read == whole.events, "{name} in pages of {limit}");
        }
    }
}

#[test]
fn a_page_begins_at_a_time_or_at_an_object() {
    for (name, trace, selection) in selections() {
        let index = EventIndex::new(&trace, &selection);
        let all = slow(&trace, &selection);
        for time_us in (0..20).map(|n| trace.end_us * n / 18) {
            let expected = all.iter().position(|event| event.time_us(&trace) >= time_us).unwrap_or(all.len());
            assert_eq!(page(&trace, &index, Start::Time(time_us), 1).first, expected as u64, "{name} at {time_us}");
        }
        for row in (0..20).map(|n| (trace.columns.len() as u32 * n / 18).max(n)) {
            let is_it = |event: &EventRef| matches!(event, EventRef::Alloc(at) if at.0 >= row);
            let expected = all.iter().position(is_it).unwrap_or(all.len());
            let found = page(&trace, &index, Start::Object(row), 1);
            // Collections may follow the last object.
            let is_behind = (row..trace.columns.len() as u32).all(|row| !selection.contains(ObjectRow(row)));
            if is_behind {
                assert!(found.events.iter().all(|event| event.kind != Kind::Alloc), "{name} after {row}");
            } else {
                assert_eq!(found.first, expected as u64, "{name} from object {row}");
            }
        }
    }
}

#[test]
fn events_of_one_kind_have_their_own_numbers() {
    for (name, trace, selection) in selections() {
        let index = EventIndex::new(&trace, &selection);
        let all = page(&trace, &index, Start::Event(0), u64::MAX).events;
        for kind in [Kind::Alloc, Kind::Promote, Kind::Collect] {
            let list = |start, limit| {
                let config = EventsConfig { start, limit, max_frames: usize::MAX, kind: Some(kind), lives: false };
                events(&trace, &index, config)
            };
            let of_kind: Vec<Event> = (0..)
                .zip(all.iter().filter(|event| event.kind == kind))
                .map(|(number, event)| Event { number, ..event.clone() })
                .collect();
            let whole = list(Start::Event(0), u64::MAX);
            assert!(whole.events == of_kind, "{name}: {kind:?}");
            assert_eq!(whole.total, of_kind.len() as u64);
            for time_us in (0..9).map(|n| trace.end_us * n / 8) {
                let expected = of_kind.iter().position(|event| event.time_us >= time_us).unwrap_or(of_kind.len());
                assert_eq!(list(Start::Time(time_us), 1).first, expected as u64, "{name}: {kind:?} at {time_us}");
            }
            for event in of_kind.iter().step_by(97) {
                assert_eq!(list(Start::Happening(event.object, kind), 1).first, event.number, "{name}: {kind:?}");
                assert_eq!(list(Start::Object(event.object), 1).first, event.number, "{name}: {kind:?}");
            }
        }
        for event in all.iter().step_by(97) {
            let found = page(&trace, &index, Start::Happening(event.object, event.kind), 1);
            assert_eq!(found.first, event.number, "{name}: {event:?}");
        }
        // An event that never happened is found at its object's allocation. For an unknown object, it is after the last
        // event.
        let never =
            (0..trace.columns.len() as u32).map(ObjectRow).find(|row| trace.columns.end(*row) == GcTimeId::NEVER);
        if let Some(row) = never {
            let there = page(&trace, &index, Start::Happening(row.0, Kind::Collect), 1);
            assert_eq!(there.first, page(&trace, &index, Start::Time(trace.columns.alloc_us(row)), 1).first, "{name}");
        }
        assert_eq!(page(&trace, &index, Start::Happening(u32::MAX, Kind::Collect), 1).first, all.len() as u64);
    }
}

#[test]
fn events_include_their_objects_lives_on_request() {
    for (name, trace, selection) in selections() {
        let index = EventIndex::new(&trace, &selection);
        let config =
            EventsConfig { start: Start::Event(0), limit: u64::MAX, max_frames: usize::MAX, kind: None, lives: true };
        let whole = events(&trace, &index, config);
        assert_eq!(whole.lives.len(), whole.events.len(), "{name}");
        for (event, life) in whole.events.iter().zip(&whole.lives) {
            let reported = match event.kind {
                Kind::Alloc => Some(life.allocated_us),
                Kind::Promote => life.promoted_us,
                Kind::Collect => life.collected_us,
            };
            assert_eq!(reported, Some(event.time_us), "{name}: {event:?}");
            assert!(event.block.as_ref().is_none_or(|block| *block == life.block), "{name}: {event:?}");
            let innermost = life.block.stack.rsplit(' ').next().unwrap_or_default();
            assert!(
                innermost.starts_with(&life.site.name) || innermost.is_empty(),
                "{name}: {innermost} {:?}",
                life.site
            );
        }
    }
}

#[test]
fn a_page_past_the_end_is_empty_but_has_the_event_count() {
    let trace = read("tiny-0.1-v2");
    let index = EventIndex::new(&trace, &Selection::all(trace.columns.len()));
    let behind = page(&trace, &index, Start::Event(u64::MAX), 10);
    assert_eq!((behind.total, behind.first, behind.events.len()), (104, 104, 0));
}

#[test]
fn an_event_prints_as_one_line_with_its_stack_starting_at_main() {
    let trace = read("tiny-0.1-v2");
    let index = EventIndex::new(&trace, &Selection::all(trace.columns.len()));
    let whole = page(&trace, &index, Start::Event(1), 1);
    assert_eq!(
        whole.events[0].line(),
        "0.001065         1 alloc minor samples=1 words=9 domain=0: \
         $47167550294752 Tiny@tiny.ml:7:21-30 Tiny.f@tiny.ml:3:18-32"
    );
    let short = events(
        &trace,
        &index,
        EventsConfig { start: Start::Event(1), limit: 1, max_frames: 1, kind: None, lives: false },
    );
    let stack = short.events[0].block.as_ref().map(|block| block.stack.as_str());
    assert_eq!(stack, Some("… Tiny@tiny.ml:7:21-30 Tiny.f@tiny.ml:3:18-32"));
    let last = page(&trace, &index, Start::Event(103), 1);
    assert_eq!(last.events[0].line(), "0.002270        39 collect");
}

fn page(trace: &Trace, index: &EventIndex, start: Start, limit: u64) -> EventsPage {
    events(trace, index, EventsConfig { start, limit, max_frames: usize::MAX, kind: None, lives: false })
}

fn read(name: &str) -> Trace {
    let trace = load(&fixture(name), 1 << 16, Budget::default()).expect("a trace");
    check_invariants(&trace);
    trace
}

/// Each trace with all of its objects, with some, and with none.
fn selections() -> impl Iterator<Item = (String, Trace, Selection)> {
    let filters = [
        Filter::default(),
        Filter { clauses: vec![Clause::Size(Span::new(3, 9), SizeUnit::Words)] },
        Filter { clauses: vec![Clause::Size(Span::new(1 << 40, 1 << 41), SizeUnit::Words)] },
    ];
    TRACES.into_iter().flat_map(move |name| {
        filters.clone().map(|filter| {
            let trace = read(name);
            let selection = select(&trace, &filter).expect("a filter");
            (format!("{name}, {} objects", selection.len()), trace, selection)
        })
    })
}

/// The rows up to each collection time, then its promotions, then its ends.
fn slow(trace: &Trace, selection: &Selection) -> Vec<EventRef> {
    let mut events = Vec::new();
    let mut at_gc_time = vec![(Vec::new(), Vec::new()); trace.gc_times.len()];
    for (row, read) in trace.columns.iter().filter(|(row, _)| selection.contains(*row)) {
        if let Some(gc_time) = trace.promotions.of(row) {
            at_gc_time[gc_time.0 as usize].0.push(EventRef::Promote(row, gc_time));
        }
        if read.end != GcTimeId::NEVER {
            at_gc_time[read.end.0 as usize].1.push(EventRef::Collect(row, read.end));
        }
    }
    let mut rows = (0..trace.columns.len() as u32).map(ObjectRow).peekable();
    for (gc_time, (promoted, ended)) in at_gc_time.into_iter().enumerate() {
        let limit = trace.gc_times.rows_before(GcTimeId(gc_time as u32));
        while let Some(row) = rows.next_if(|row| row.0 < limit) {
            events.extend(selection.contains(row).then_some(EventRef::Alloc(row)));
        }
        events.extend(promoted);
        events.extend(ended);
    }
    events.extend(rows.filter(|&row| selection.contains(row)).map(EventRef::Alloc));
    events
}
