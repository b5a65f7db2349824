//! Checks the model against a slow, obvious reading of the same events, and what downsampling must preserve.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use camlscope_engine::query::summary::{Summary, summary};
use camlscope_engine::trace::{Budget, Builder, GcTimeId, ObjectRow, Trace, survivors};
use camlscope_formats::ctf::encode::{Block, Encoder};
use camlscope_formats::ctf::{Alloc, AllocSource, CodeId, Decoder, Info, ObjectId, Sink, Stack, StackNode};
use camlscope_present::format::Units;
use camlscope_present::words::warnings;
use camlscope_testkit::fixtures::{check_invariants, fixture, load};
use camlscope_testkit::recorder::{Event, record};
use camlscope_testkit::repeated::repeated;
use camlscope_testkit::synth::{Extent, Options, Shape, generate};

/// Traces that the reference reader reads without errors.
const WHOLE: [&str; 12] = [
    "tiny-0.01-o5-v3",
    "tiny-0.1-v2",
    "tiny-1.0-v3",
    "empty-1e-6-v3",
    "leak-1e-6-v3",
    "leak-1e-4-v3",
    "longline-1.0-v3",
    "deep-1e-3-v2",
    "domains-multi-1e-3-o5-v3",
    "menhir-1e-5-v3",
    "phases-1e-4-v2",
    "typecore-1e-4-v2",
];

#[test]
fn a_preview_matches_the_trace_up_to_its_end() {
    for name in WHOLE {
        let bytes = fixture(name);
        let (mut decoder, mut builder) = (Decoder::new(), Builder::new(Budget::default()));
        let (first, rest) = bytes.split_at(bytes.len() / 3);
        decoder.push(first, &mut builder).expect("a trace");
        let early_us = builder.preview(50, 3).end_us;
        decoder.push(rest, &mut builder).expect("a trace");
        decoder.finish(&mut builder).expect("a trace");
        let preview = builder.preview(50, 3);
        assert!(early_us <= preview.end_us, "{name}: time runs backward");

        let objects = objects_of(&load(&bytes, 1 << 16, Budget::default()).expect("a trace"));
        let live_at = |at_us: u64| -> u64 {
            let lives = |object: &&Object| object.alloc_us <= at_us && object.end_us.is_none_or(|end| end > at_us);
            objects.iter().filter(lives).map(|object| object.n_samples).sum()
        };
        for (bin, live) in preview.live.iter().enumerate() {
            // The last time in the time range.
            let until = ((bin + 1) as f64 * (preview.end_us + 1) as f64 / 50.0).ceil() as u64 - 1;
            assert_eq!(*live, live_at(until), "{name}: bin {bin}");
        }
        let held: u64 = preview.holders.iter().map(|(_, samples)| samples).sum();
        assert!(held <= live_at(preview.end_us), "{name}: holders have more than what is live");
        assert!(preview.holders.is_sorted_by(|one, two| one.1 >= two.1), "{name}: {:?}", preview.holders);
        let shown: u64 = preview.stacks.iter().map(|(_, samples)| samples).sum();
        assert!(shown <= live_at(preview.end_us), "{name}: stacks have more than what is live");
        let n_functions = preview.functions.len() as u32;
        assert!(preview.stacks.iter().flat_map(|(stack, _)| stack).all(|place| *place < n_functions), "{name}");
    }
}

#[test]
fn a_preview_of_a_large_trace_reads_some_rows_and_keeps_the_curve() {
    let mut builder = Builder::new(Budget::default());
    builder.packet(0, 0);
    // One object per µs. Two out of three die 50 ms later. Every seventh has two samples.
    let (n, dies_after) = (900_000_u64, 50_000);
    let (dies, n_samples) = (|i: u64| !i.is_multiple_of(3), |i: u64| 1 + u64::from(i.is_multiple_of(7)));
    let mut live = Vec::new();
    let mut now = 0;
    for i in 0..n {
        let (id, length_words, source) = (ObjectId(i), 2, AllocSource::Minor);
        let alloc = Alloc { id, time_us: i, domain: 0, length_words, n_samples: n_samples(i), source };
        builder.alloc(&alloc, Stack { node: StackNode::EMPTY, depth: 0 });
        now += n_samples(i);
        if let Some(dead) = i.checked_sub(dies_after).filter(|dead| dies(*dead)) {
            builder.collect(i, ObjectId(dead));
            now -= n_samples(dead);
        }
        live.push(now);
    }
    let preview = builder.preview(50, 3);
    for (bin, reported) in preview.live.iter().enumerate() {
        let true_one = live[(bin + 1) * live.len() / 50 - 1] as f64;
        let off = (*reported as f64 - true_one).abs() / true_one;
        assert!(off < 0.02, "bin {bin}: {reported} instead of {true_one}");
    }
}

#[test]
fn the_model_matches_a_list_of_all_events() {
    for name in WHOLE {
        let bytes = fixture(name);
        let trace = load(&bytes, 1 << 16, Budget::default()).expect("a trace");
        check_invariants(&trace);
        let slow = SlowTrace::read(&bytes);
        assert_eq!(objects_of(&trace), slow.objects_in_time_order(), "{name}: objects");
        assert_eq!((trace.totals.peak.samples, trace.totals.peak.at_us), slow.peak(), "{name}: peak");
    }
}

#[test]
fn an_object_collected_before_its_allocation_never_counts_as_live() {
    let info = Info { version: 3, sample_rate: 0.01, word_size_bits: 64, pid: 7, start_us: 1 << 50, ..Info::default() };
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&info, &mut bytes).expect("a header");
    let block = |n_samples| Block { length_words: 3, n_samples, source: AllocSource::Minor };
    let early = encoder.alloc(0, 30, block(5), &[10]).expect("an allocation");
    encoder.alloc(0, 40, block(2), &[10]).expect("an allocation");
    encoder.collect(1, 20, early).expect("a collection");
    encoder.finish().expect("a trace");

    let trace = load(&bytes, 1 << 16, Budget::default()).expect("a trace");
    assert_eq!(trace.totals.n_collects, 1);
    assert_eq!((trace.totals.peak.samples, trace.totals.peak.at_us), (2, 40));
    assert_eq!(trace.totals.live_at_end_samples, 2);
}

#[test]
fn downsampling_keeps_allocations_exact_and_estimates_live_samples() {
    for name in ["leak-1e-4-v3", "typecore-1e-4-v2", "domains-multi-1e-3-o5-v3"] {
        let bytes = repeated(&fixture(name), 40);
        let whole = load(&bytes, 1 << 20, Budget::default()).expect("a trace");
        let small = load(&bytes, 1 << 20, Budget { bytes: 2 << 20 }).expect("a trace");
        check_invariants(&small);
        assert_eq!(whole.downsampled, 1);
        assert!(small.downsampled > 1 && small.downsampled.is_power_of_two(), "{name} was not downsampled");
        assert!(small.columns.len() < whole.columns.len());

        let (whole_says, downsampled_says) = (summary(&whole), summary(&small));
        assert_eq!(downsampled_says.downsampled, Some(small.downsampled));
        let notice =
            downsampled_says.warnings.iter().find(|warning| warning.kind.as_str() == "thinned").expect("a notice");
        let text = warnings::text(notice, Units::Binary);
        assert!(text.contains(&format!("1 in {} samples", small.downsampled)), "{text}");
        for (what, exact, estimate) in [
            ("live at the end", whole_says.samples.live_at_end, downsampled_says.samples.live_at_end),
            ("promoted", whole_says.samples.promoted, downsampled_says.samples.promoted),
            ("peak", whole_says.peak.samples, downsampled_says.peak.samples),
        ] {
            let off = (estimate as f64 - exact as f64) / standard_error(exact, small.downsampled);
            assert!(off.abs() < 4.5, "{name}, {what}: {estimate} for {exact}, {off:.1} standard errors");
        }
        assert_eq!(exact_part(downsampled_says), exact_part(whole_says), "{name}");
    }
}

#[test]
fn a_downsampled_model_matches_a_list_of_the_surviving_samples() {
    let options = |shape, rate, domains| Options { shape, extent: Extent::Objects(100_000), rate, domains, seed: 7 };
    let synthetic = |options| {
        let mut bytes = Vec::new();
        generate(&options, &mut bytes).expect("a trace");
        bytes
    };
    for (name, bytes) in [
        ("leak", repeated(&fixture("leak-1e-4-v3"), 15)),
        ("typecore", repeated(&fixture("typecore-1e-4-v2"), 15)),
        ("domains", repeated(&fixture("domains-multi-1e-3-o5-v3"), 15)),
        ("compiler", synthetic(options(Shape::Compiler, 0.1, 1))),
        ("server", synthetic(options(Shape::Server, 0.01, 1))),
        ("server of three domains", synthetic(options(Shape::Server, 0.5, 3))),
        ("large blocks", trace_with_large_blocks(200_000)),
    ] {
        let small = load(&bytes, 1 << 20, Budget { bytes: 1 << 20 }).expect("a trace");
        check_invariants(&small);
        let rounds = small.downsampled.ilog2();
        assert!(rounds > 0, "{name} was not downsampled");
        let slow = SlowTrace::read(&bytes).downsampled(rounds);
        let (objects, factor) = (slow.objects_in_time_order(), u64::from(small.downsampled));
        assert!(objects_of(&small) == objects, "{name}: objects");
        let samples =
            |which: fn(&&Object) -> bool| -> u64 { objects.iter().filter(which).map(|object| object.n_samples).sum() };
        let (peak_samples, peak_us) = slow.peak();
        let totals = &small.totals;
        assert_eq!((totals.peak.samples, totals.peak.at_us), (peak_samples * factor, peak_us), "{name}: peak");
        let promoted = samples(|object| object.promoted_us.is_some());
        assert_eq!(totals.promoted_samples, promoted * factor, "{name}: promoted");
        let custom = samples(|object| object.promoted_us.is_some() && object.size_words > 256);
        assert_eq!(totals.custom_promoted_samples, custom * factor, "{name}: promoted memory of custom blocks");
        let live = samples(|object| object.end_us.is_none());
        assert_eq!(totals.live_at_end_samples, live * factor, "{name}: live at the end");
        let at_peak = small.columns.iter().filter(|(at, row)| {
            at.0 < small.peak_at.rows && (row.end == GcTimeId::NEVER || row.end.0 >= small.peak_at.gc_times)
        });
        let at_peak: u64 = at_peak.map(|(_, row)| row.n_samples).sum();
        assert_eq!(at_peak, peak_samples, "{name}: live at the peak");
    }
}

/// One block in a thousand has 2^40 words and 2^33 samples. Every third block is promoted, every other one is freed.
fn trace_with_large_blocks(n: u64) -> Vec<u8> {
    let info = Info { version: 2, sample_rate: 0.01, word_size_bits: 64, pid: 1, ..Info::default() };
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(&info, &mut bytes).expect("a version to write");
    for i in 0..n {
        let (length_words, n_samples) = if i % 1000 == 7 { (1 << 40, 1 << 33) } else { (1 + i % 300, 1 + i % 3) };
        let block = Block { length_words, n_samples, source: AllocSource::Minor };
        let id = encoder.alloc(0, 10 * i, block, &[1, 2 + i % 50]).expect("written");
        if i % 3 == 0 {
            encoder.promote(0, 10 * i + 1, id).expect("written");
        }
        if i % 2 == 0 {
            encoder.collect(0, 10 * i + 2, id).expect("written");
        }
    }
    encoder.finish().expect("written");
    bytes
}

#[test]
fn sites_of_a_downsampled_model_are_within_their_error_bars() {
    let bytes = repeated(&fixture("typecore-1e-4-v2"), 40);
    let whole = load(&bytes, 1 << 20, Budget::default()).expect("a trace");
    let small = load(&bytes, 1 << 20, Budget { bytes: 4 << 20 }).expect("a trace");
    let (whole_sites, downsampled_sites) = (samples_by_site(&whole), samples_by_site(&small));
    let factor = f64::from(small.downsampled);
    let mut largest: Vec<_> = whole_sites.iter().collect();
    largest.sort_by_key(|(code, n)| (std::cmp::Reverse(**n), **code));
    for (code, &n) in largest.into_iter().take(20) {
        let estimate = *downsampled_sites.get(code).unwrap_or(&0) as f64 * factor;
        let off = (estimate - n as f64) / standard_error(n, small.downsampled);
        assert!(off.abs() < 4.5, "{code:?}: {estimate} for {n}, {off:.1} standard errors");
    }
}

#[test]
fn downsampling_keeps_the_same_objects_for_any_chunk_size() {
    let bytes = repeated(&fixture("leak-1e-4-v3"), 40);
    let budget = Budget { bytes: 3 << 20 };
    let one = load(&bytes, 1 << 20, budget).expect("a trace");
    let other = load(&bytes, 10_007, budget).expect("a trace");
    assert_eq!(objects_of(&one), objects_of(&other));
    assert_eq!((one.totals, one.peak_at), (other.totals, other.peak_at));
}

/// The standard error of an estimate of this many samples, each of which was kept with probability 1/factor.
fn standard_error(n_samples: u64, factor: u32) -> f64 {
    (n_samples as f64 * (f64::from(factor) - 1.0)).sqrt()
}

/// All objects with their complete stacks, in row order.
fn objects_of(trace: &Trace) -> Vec<Object> {
    let rows = trace.columns.iter();
    let stack = |stack| {
        let mut codes: Vec<u64> =
            trace.calls.stacks.frames(stack).map(|code| trace.calls.codes[code.0 as usize]).collect();
        codes.reverse();
        codes
    };
    rows.map(|(at, row)| Object {
        alloc_us: row.alloc_us,
        end_us: trace.gc_times.end_us(row.end),
        promoted_us: trace.promotions.of(at).map(|gc_time| trace.gc_times.time_us(gc_time)),
        size_words: row.size_words,
        n_samples: row.n_samples,
        domain: trace.columns.domain(ObjectRow(at.0)),
        stack: stack(row.stack),
    })
    .collect()
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Object {
    alloc_us: u64,
    end_us: Option<u64>,
    promoted_us: Option<u64>,
    size_words: u64,
    n_samples: u64,
    domain: u16,
    /// Codes from main to the allocation site.
    stack: Vec<u64>,
}

/// All events in file order, with objects in a map by id.
#[derive(Default)]
struct SlowTrace {
    order: Vec<ObjectId>,
    objects: HashMap<ObjectId, Object>,
    /// When each object was allocated and collected, in file order.
    changes: Vec<(u64, ObjectId, Change)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    Begins,
    Ends,
}

impl SlowTrace {
    fn read(bytes: &[u8]) -> SlowTrace {
        let mut slow = SlowTrace::default();
        for (_, event) in record(bytes).1.events {
            match event {
                Event::Alloc { alloc, stack } => slow.alloc(&alloc, stack),
                Event::Promote { time_us, id } => slow.object(id).promoted_us = Some(time_us),
                Event::Collect { time_us, id } => {
                    slow.object(id).end_us = Some(time_us);
                    slow.changes.push((time_us, id, Change::Ends));
                }
            }
        }
        slow
    }

    fn alloc(&mut self, alloc: &Alloc, stack: Vec<u64>) {
        let object = Object {
            alloc_us: alloc.time_us,
            end_us: None,
            promoted_us: None,
            size_words: alloc.length_words,
            n_samples: alloc.n_samples,
            domain: alloc.domain,
            stack,
        };
        self.order.push(alloc.id);
        self.objects.insert(alloc.id, object);
        self.changes.push((alloc.time_us, alloc.id, Change::Begins));
    }

    fn object(&mut self, id: ObjectId) -> &mut Object {
        self.objects.get_mut(&id).expect("known")
    }

    /// Keeps the samples that survive, and the objects that have any.
    fn downsampled(mut self, rounds: u32) -> SlowTrace {
        self.objects.retain(|&id, object| {
            object.n_samples = survivors(id, object.n_samples, 0..rounds);
            object.n_samples > 0
        });
        self
    }

    fn objects_in_time_order(&self) -> Vec<Object> {
        let mut objects: Vec<Object> = self.order.iter().filter_map(|id| self.objects.get(id)).cloned().collect();
        objects.sort_by_key(|object| object.alloc_us);
        objects
    }

    fn peak(&self) -> (u64, u64) {
        let mut changes = self.changes.clone();
        changes.sort_by_key(|change| change.0);
        let (mut live, mut peak) = (0, (0, 0));
        for (time_us, id, change) in changes {
            let n_samples = self.objects.get(&id).map_or(0, |object| object.n_samples);
            live = if change == Change::Begins { live + n_samples } else { live - n_samples };
            if live > peak.0 {
                peak = (live, time_us);
            }
        }
        peak
    }
}

fn samples_by_site(trace: &Trace) -> BTreeMap<CodeId, u64> {
    let mut samples = BTreeMap::new();
    for (_, row) in trace.columns.iter() {
        if let Some(site) = trace.calls.stacks.frames(row.stack).next() {
            *samples.entry(site).or_default() += row.n_samples;
        }
    }
    samples
}

/// Removes everything that downsampling may change.
fn exact_part(mut says: Summary) -> Summary {
    says.objects = 0;
    says.downsampled = None;
    says.warnings.retain(|warning| warning.kind.as_str() != "thinned");
    (says.samples.live_at_end, says.samples.promoted, says.samples.custom_promoted) = (0, 0, 0);
    says.peak = Default::default();
    says
}

#[test]
fn a_repeated_fixture_reads_as_one_longer_run() {
    let bytes = repeated(&fixture("tiny-0.1-v2"), 3);
    let trace = load(&bytes, 4096, Budget::default()).expect("a trace");
    assert_eq!(trace.totals.alloc_events.total(), 3 * 41);
    let kinds: BTreeSet<String> = trace.warnings.iter().map(|warning| format!("{:?}", warning.kind)).collect();
    assert!(kinds.is_empty(), "{kinds:?}");
}
