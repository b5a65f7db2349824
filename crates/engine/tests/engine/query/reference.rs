//! The meaning of filters and shapes, spelled out object by object and frame by frame.

use camlscope_engine::query::filter::{
    Clause, DiesWithin, Filter, FrameField, FrameTest, Heap, How, NameMatcher, NameTest, SizeUnit, When, WhichFrame,
    presets,
};
use camlscope_engine::query::label::module_of;
use camlscope_engine::query::measure::{Measure, Weight};
use camlscope_engine::query::tree::{Grain, Label, Place, Shape};
use camlscope_formats::ctf::AllocSource;

use super::support::{Case, Object, SlowFrame};

/// For each row: whether the object passes all clauses.
pub fn selected(case: &Case, filter: &Filter) -> Vec<bool> {
    let passes_all = |object| filter.clauses.iter().all(|clause| passes(case, object, clause));
    case.objects.iter().map(passes_all).collect()
}

/// The objects that pass the filter and count for the measure.
pub fn counted<'a>(case: &'a Case, filter: &Filter, measure: Measure) -> Vec<&'a Object> {
    let counts = |object: &&Object| {
        filter.clauses.iter().chain(measure.narrowing().as_ref()).all(|clause| passes(case, object, clause))
    };
    case.objects.iter().filter(counts).collect()
}

/// An object's contribution to a measure's sum, in raw units.
pub fn weight(case: &Case, object: &Object, measure: Measure) -> f64 {
    let samples = object.samples as f64;
    match measure.weight() {
        Weight::Samples => samples,
        Weight::Blocks => samples / (object.size_words + 1) as f64,
        Weight::SampleMicros => samples * object.lifetime_us(case.end_us) as f64,
    }
}

pub fn passes(case: &Case, object: &Object, clause: &Clause) -> bool {
    let allocated_by = |time_us: Option<u64>| time_us.is_none_or(|time_us| object.alloc_us <= time_us);
    let ends_after = |time_us: u64| object.end_us.is_none_or(|end_us| end_us > time_us);
    match clause {
        Clause::Allocated(span) => span.contains(object.alloc_us),
        Clause::Collected(span) => object.end_us.is_some_and(|end_us| span.contains(end_us)),
        Clause::NeverCollected | Clause::LiveAt(When::End) => object.end_us.is_none(),
        Clause::LiveAt(When::At(time_us)) => object.alloc_us <= *time_us && ends_after(*time_us),
        Clause::LiveAt(When::Peak) => case.peak_event.is_some_and(|peak| {
            object.alloc_event <= peak && object.end_event.is_none_or(|end_event| end_event > peak)
        }),
        Clause::LiveWithin(span) | Clause::LiveThrough(span) if span.is_impossible() => false,
        Clause::LiveWithin(span) => allocated_by(span.to) && span.from.is_none_or(ends_after),
        Clause::LiveThrough(span) => {
            allocated_by(Some(span.from.unwrap_or(0))) && ends_after(span.to.unwrap_or(u64::MAX))
        }
        Clause::Size(span, SizeUnit::Words) => span.contains(object.size_words),
        Clause::Size(span, SizeUnit::Bytes) => {
            // The size of the largest blocks in bytes exceeds 64 bits.
            let bytes = object.size_words.checked_mul(case.trace.info.word_bytes() as u64);
            bytes.map_or(span.to.is_none(), |bytes| span.contains(bytes))
        }
        Clause::Lifetime(span) => span.contains(object.lifetime_us(case.end_us)),
        Clause::Temporary(DiesWithin::Micros(us)) => {
            object.end_us.is_some_and(|end_us| end_us - object.alloc_us <= *us)
        }
        Clause::Temporary(DiesWithin::Bytes(bytes)) => {
            further_bytes(case, object).is_some_and(|further| further <= *bytes as f64)
        }
        Clause::Heap(heaps) => heaps.contains(&heap(object)),
        Clause::Domain(domains) => domains.contains(&object.domain),
        Clause::Frame(test) => passes_frames(case, object, test),
        Clause::Calls { caller, callee } => {
            object.frames.windows(2).any(|pair| is_match(caller, &pair[0].name) && is_match(callee, &pair[1].name))
        }
        Clause::Hide(_) => true,
        Clause::Focus(name) => object.frames.iter().any(|frame| is_match(name, &frame.name)),
    }
}

/// The bytes that the program allocated between this object and its end. `None` if it was never collected.
pub fn further_bytes(case: &Case, object: &Object) -> Option<f64> {
    let end_event = object.end_event?;
    let is_between = |other: &&Object| other.alloc_event > object.alloc_event && other.alloc_event < end_event;
    let samples: u64 = case.objects.iter().filter(is_between).map(|other| other.samples).sum();
    Some(samples as f64 * case.trace.sampling().bytes_a_sample)
}

pub fn heap(object: &Object) -> Heap {
    match object.source {
        AllocSource::Minor if object.size_words > 256 => Heap::External,
        AllocSource::Minor if object.is_promoted() => Heap::Promoted,
        AllocSource::Minor => Heap::Minor,
        AllocSource::Major => Heap::Major,
        AllocSource::External => Heap::External,
    }
}

fn passes_frames(case: &Case, object: &Object, test: &FrameTest) -> bool {
    let is_asked = |frame: &SlowFrame| match test.part {
        FrameField::Function => is_match(&test.name, &frame.name),
        // A code without a location has neither file nor module, not even an empty one.
        FrameField::File => !frame.is_unexplained && is_match(&test.name, &frame.file),
        FrameField::Module => !frame.is_unexplained && is_match(&test.name, module_of(&frame.name)),
        FrameField::Line => !frame.is_unexplained && !frame.file.is_empty() && is_line(case, &test.name, frame),
    };
    let is_library = |frame: &&SlowFrame| is_match(&presets::library_names(), &frame.name);
    let is_there = match test.which {
        WhichFrame::Any => object.frames.iter().any(is_asked),
        WhichFrame::Allocating => object.frames.last().is_some_and(is_asked),
        WhichFrame::Responsible => object.frames.iter().rev().find(|frame| !is_library(frame)).is_some_and(is_asked),
    };
    is_there != test.not
}

/// A line is named by its file's path, or by the end of it if no file has exactly this path.
fn is_line(case: &Case, test: &NameTest, frame: &SlowFrame) -> bool {
    let name = |file: &str| format!("{file}:{}", frame.line);
    if test.how != How::Is {
        return is_match(test, &name(&frame.file));
    }
    let Some((path, _)) = test.text.rsplit_once(':') else { return false };
    let all_frames = || case.objects.iter().flat_map(|object| &object.frames);
    match all_frames().any(|other| other.file == path) {
        true => name(&frame.file) == test.text,
        false => name(&frame.file).ends_with(&format!("/{}", test.text)),
    }
}

fn is_match(test: &NameTest, name: &str) -> bool {
    NameMatcher::new(test).expect("a pattern").is_match(name)
}

/// Returns a stack as a shape reads it, outermost first. `None` if it is outside the focus.
pub fn reading(object: &Object, shape: &Shape) -> Option<Vec<Label>> {
    let mut frames = object.frames.as_slice();
    for (met, focus) in shape.focus.iter().enumerate() {
        // Each focus is searched for below the frame that matched the previous one.
        let below = usize::from(met > 0).min(frames.len());
        let at = frames[below..].iter().position(|frame| is_match(focus, &frame.name))?;
        frames = &frames[below + at..];
    }
    let is_hidden = |frame: &&SlowFrame| shape.hide.iter().any(|hidden| is_match(hidden, &frame.name));
    let shown = frames.iter().filter(|frame| !is_hidden(frame));
    let label = |frame: &SlowFrame| match shape.by_line && !frame.is_unexplained {
        true => Label::of_line(&frame.file, frame.line),
        false => label(frame, shape.grain),
    };
    let labels: Vec<Label> = shown.map(label).collect();
    Some(if shape.fold_recursion { folded(&labels) } else { labels })
}

/// Drops frames that also occur above, except for the last one, which allocated.
fn folded(labels: &[Label]) -> Vec<Label> {
    let mut folded: Vec<Label> = Vec::new();
    for (at, label) in labels.iter().enumerate() {
        let is_last = at + 1 == labels.len();
        if !folded.contains(label) || is_last && folded.last() != Some(label) {
            folded.push(label.clone());
        }
    }
    folded
}

/// The label of a frame at a grain.
pub fn label(frame: &SlowFrame, grain: Grain) -> Label {
    let SlowFrame { name, file, line, start_char, end_char, is_unexplained } = frame;
    let plain = |name: &str| Label { name: name.to_owned(), file: String::new(), place: None };
    match grain {
        _ if *is_unexplained => plain(name),
        Grain::Function => Label { name: name.clone(), file: file.clone(), place: None },
        Grain::Site => {
            let place = Place { line: *line, start_char: *start_char, end_char: *end_char };
            Label { name: name.clone(), file: file.clone(), place: Some(place) }
        }
        Grain::File => plain(file),
        Grain::Module => match module_of(name) {
            "" => plain("(no module)"),
            module => plain(module),
        },
    }
}
