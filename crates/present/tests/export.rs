//! Exports: a rewritten trace has the same contents, and files for other tools have the expected format.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Write};

use camlscope_engine::protocol::View;
use camlscope_engine::query::filter::{Clause, Filter, Span, select};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::stacks::{Merged, StackList, StackNode, StackSource, StacksHead};
use camlscope_engine::query::tree::{Label, Place};
use camlscope_engine::trace::{Budget, ObjectRow, Row, Trace};
use camlscope_formats::ctf::encode::{Block, Encoder};
use camlscope_formats::ctf::{AllocSource, CodeId, Header, Info, Location};
use camlscope_present::export::{
    Anonymizer, Keep, PprofPart, PprofPlan, Recording, SampleType, TraceConfig, WeightedStacks, csv, firefox, folded,
    pprof, speedscope, write_trace,
};
use camlscope_testkit::fixtures::{check_invariants, fixture, load};
use proptest::collection::vec;
use proptest::prelude::*;
use serde_json::Value;

const AS_IT_IS: TraceConfig = TraceConfig { one_in: 1, anonymize: None };

#[test]
fn rewriting_a_trace_keeps_its_contents() {
    let mut compared = 0;
    for (name, trace) in fixtures() {
        let copy = rewrite(&trace, &Selection::all(trace.columns.len()), AS_IT_IS);
        assert_eq!(copy.info, Info { version: copy.info.version, ..trace.info.clone() }, "{name}");
        // Damage isn't copied, so an intact copy has no warnings.
        assert!(copy.warnings.is_empty(), "{name}: {:?}", copy.warnings);
        assert!(objects(&copy) == objects(&trace), "{name}: different objects");
        let domains: BTreeSet<u16> = trace.columns.iter().map(|(row, _)| trace.columns.domain(row)).collect();
        assert!(copy.domain_ids.iter().eq(&domains), "{name}: {:?}", copy.domain_ids);
        compared += 1;
    }
    assert!(compared >= 12, "only {compared} fixtures");
}

#[test]
fn a_time_range_keeps_its_objects_with_their_times() {
    for (name, trace) in fixtures().filter(|(_, trace)| trace.columns.len() > 100) {
        let (from, to) = (trace.last_event_us / 4, trace.last_event_us / 2);
        let filter = Filter { clauses: vec![Clause::Allocated(Span::new(from, to))] };
        let copy = rewrite(&trace, &select(&trace, &filter).expect("a filter"), AS_IT_IS);
        let mut expected = objects(&trace);
        expected.retain(|object| (from..=to).contains(&object.alloc_us));
        assert!(objects(&copy) == expected, "{name}");
    }
}

#[test]
fn downsampling_lowers_the_rate_and_preserves_bytes() {
    for (name, trace) in fixtures().filter(|(_, trace)| trace.totals.alloc_samples.total() > 2000) {
        let all = Selection::all(trace.columns.len());
        for one_in in [2, 10] {
            let config = TraceConfig { one_in, anonymize: None };
            let copy = rewrite(&trace, &all, config);
            assert_eq!(copy.info.sample_rate, trace.info.sample_rate / f64::from(one_in));
            let (n, p) = (trace.totals.alloc_samples.total() as f64, 1.0 / f64::from(one_in));
            let off = (copy.totals.alloc_samples.total() as f64 - n * p) / (n * p * (1.0 - p)).sqrt();
            assert!(off.abs() < 4.5, "{name}: {off:.1} standard errors off");
            // The kept samples belong to existing objects, and are the same every time.
            let without_samples = |trace: &Trace| -> BTreeMap<Object, u64> {
                let mut count = BTreeMap::new();
                for object in objects(trace) {
                    *count.entry(Object { n_samples: 0, ..object }).or_default() += 1;
                }
                count
            };
            let (old, new) = (without_samples(&trace), without_samples(&copy));
            assert!(new.iter().all(|(object, n)| old.get(object).is_some_and(|of| n <= of)), "{name}: new objects");
            assert_eq!(bytes_of(&trace, &all, config), bytes_of(&trace, &all, config), "{name}");
        }
    }
}

#[test]
fn an_anonymized_trace_has_no_names_but_the_same_figures_and_stacks() {
    for (name, trace) in fixtures() {
        let all = Selection::all(trace.columns.len());
        let bytes = bytes_of(&trace, &all, TraceConfig { one_in: 1, anonymize: Some(Keep::default()) });
        let copy = load(&bytes, 1 << 20, Budget::default()).expect("a trace");
        let info = &copy.info;
        assert_eq!((info.start_us, info.pid), (0, 0));
        assert!(info.executable.is_empty() && info.host.is_empty(), "{info:?}");
        assert!(info.runtime_params.is_empty() && info.context.is_empty(), "{info:?}");
        let (old, new) = (names(&trace), names(&copy));
        assert_eq!(new.len(), old.len(), "{name}: different names must stay different");
        assert!(old.is_disjoint(&new) || old.contains("(fun)"), "{name}");
        // Names must not be anywhere in the file, not just absent from the name tables.
        if bytes.len() < 20_000 {
            for text in old.iter().filter(|text| text.len() > 3) {
                let is_there = bytes.windows(text.len()).any(|window| window == text.as_bytes());
                assert!(!is_there, "{name} still contains {text}");
            }
        }
        // The only thing left of a code is its number of inlined frames.
        let n_frames = |trace: &Trace, code| trace.calls.frames.of_code(code).map_or(0, <[_]>::len) as u64;
        assert!(objects_with(&copy, n_frames) == objects_with(&trace, n_frames), "{name}: different objects");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(48) })]

    #[test]
    fn a_random_trace_with_several_domains_survives_a_round_trip(version in 2u16..=3, steps in vec(step(), 0..300)) {
        let info = Info { version, sample_rate: 0.01, word_size_bits: 64, pid: 7, start_us: 1 << 50, ..Info::default() };
        let trace = load(&random_trace(&info, &steps), 1 << 12, Budget::default()).expect("a trace");
        check_invariants(&trace);
        let copy = rewrite(&trace, &Selection::all(trace.columns.len()), AS_IT_IS);
        prop_assert!(copy.warnings.is_empty(), "{:?}", copy.warnings);
        prop_assert_eq!(objects(&copy), objects(&trace));
        // Events of several domains at the same time may be reordered, which can move the peak.
        if version == 2 {
            prop_assert_eq!(copy.totals.peak, trace.totals.peak);
        }
    }
}

#[test]
fn folded_stacks_have_one_line_each_and_no_separators_in_names() {
    let expected = "main 1\nmain;A.f a.ml:3;A.g a.ml:9 10\nmain;odd:name  with tab 3\n";
    assert_eq!(String::from_utf8(written(folded)).expect("UTF-8"), expected);
}

#[test]
fn speedscope_frames_are_indices_and_weights_add_up() {
    let json: Value = serde_json::from_slice(&written(speedscope)).expect("JSON");
    assert_eq!(json["$schema"], "https://www.speedscope.app/file-format-schema.json");
    let frame = serde_json::json!({"name": "A.f a.ml:3", "file": "a.ml", "line": 3, "col": 2});
    assert_eq!(json["shared"]["frames"][1], frame);
    assert_eq!(json["shared"]["frames"][0], serde_json::json!({"name": "main"}));
    let sampled = &json["profiles"][0];
    assert_eq!((sampled["type"].as_str(), sampled["unit"].as_str()), (Some("sampled"), Some("bytes")));
    assert_eq!(sampled["samples"], serde_json::json!([[0], [0, 1, 2], [0, 3]]));
    assert_eq!(sampled["weights"], serde_json::json!([0.5, 10.25, 3.0]));
    assert_eq!(sampled["endValue"], 13.75);
    assert_eq!(
        sampled["name"],
        "allocated (7 stacks below 0.5% of the total, 10% together, are merged into their callers)"
    );
}

#[test]
fn firefox_stacks_are_a_tree_and_samples_are_its_weighted_nodes() {
    let json: Value = serde_json::from_slice(&written(firefox)).expect("JSON");
    let thread = &json["threads"][0];
    let stacks = &thread["stackTable"];
    assert_eq!(stacks["frame"], serde_json::json!([0, 1, 2, 3]));
    assert_eq!(stacks["prefix"], serde_json::json!([null, 0, 1, 0]));
    let samples = &thread["samples"];
    assert_eq!(samples["stack"], serde_json::json!([0, 2, 3]));
    assert_eq!(samples["weight"], serde_json::json!([0.5, 10.25, 3.0]));
    assert_eq!(samples["time"], serde_json::json!([0.0, 0.5, 10.75]));
    assert_eq!(samples["weightType"], "bytes");
    assert_eq!(thread["stringArray"][1], "A.f a.ml:3");
    let file = thread["funcTable"]["fileName"][1].as_u64().expect("a string") as usize;
    assert_eq!((&thread["stringArray"][file], &thread["frameTable"]["line"][1]), (&"a.ml".into(), &3.into()));
    // The columns of a table have as many entries as it says.
    for (name, table) in thread.as_object().expect("an object").iter().filter(|(_, table)| table["length"].is_u64()) {
        for (column, list) in table.as_object().expect("a table").iter().filter(|(_, list)| list.is_array()) {
            assert_eq!(list.as_array().map(Vec::len), table["length"].as_u64().map(|n| n as usize), "{name}.{column}");
        }
    }
}

#[test]
fn pprof_stacks_start_at_the_leaf_and_strings_are_unique() {
    let fields = pprof_fields(&list());
    let texts = texts_in(&fields);
    assert_eq!(texts[0], "");
    assert_eq!(texts.iter().collect::<BTreeSet<_>>().len(), texts.len());
    assert!(texts.iter().any(|text| text.starts_with("7 stacks below")), "{texts:?}");
    // Field 1: locations 3, 2, 1; field 2: 10 bytes.
    assert_eq!(fields[&2][1], [0x0a, 3, 3, 2, 1, 0x12, 1, 10]);
    assert_eq!(fields[&5].len(), 4);
}

#[test]
fn pprof_has_plain_names_and_compiler_names_as_system_names() {
    let function = |name: &str| Label { name: name.to_owned(), file: "a.ml".to_owned(), place: None };
    let names = ["Dune__exe__Slow.run", "Stdlib__List.map", "Dune__exe__List.map"];
    let stacks = StackList {
        head: StacksHead { frames: names.map(function).to_vec(), total: 3.0, ..StacksHead::default() },
        nodes: (0..3).map(|frame| StackNode { depth: 0, frame, own: 1.0 }).collect(),
    };
    let fields = pprof_fields(&stacks);
    let texts = texts_in(&fields);
    // Id, name, system name, file. Each number is one byte, after the byte of its field.
    let names_of = |function: &Vec<u8>| [3, 5].map(|at| texts[usize::from(function[at])]);
    let shown: Vec<[&str; 2]> = fields[&5].iter().map(names_of).collect();
    assert_eq!(shown, [["Slow.run", names[0]], [names[1], names[1]], [names[2], names[2]]]);
}

#[test]
fn call_sites_on_one_line_stay_separate_and_names_can_be_anonymized() {
    let profile_of = StackList { head: StacksHead { frames: labels(), ..list().head }, ..list() };
    let profile = WeightedStacks::new(&profile_of, Measure::Allocated);
    assert_eq!(profile.frames.len(), 5);
    let mut text = Vec::new();
    folded(&profile.anonymized(&mut Anonymizer::default()), &mut text).expect("written");
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(!text.contains("A.f") && text.lines().count() == 3, "{text}");
}

/// A writer that fails after some bytes, like a closed pipe.
struct Closed(usize);

impl Write for Closed {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::BrokenPipe)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn writers_stop_when_the_output_is_closed() {
    /// Infinitely many stacks.
    struct Endless(StacksHead);
    impl StackSource for Endless {
        fn head(&self) -> &StacksHead {
            &self.0
        }
        fn nodes(&self) -> Box<dyn Iterator<Item = StackNode> + '_> {
            // Weights that don't repeat soon, so that compression can't make them vanish.
            Box::new((0u64..).map(|n| StackNode { depth: 0, frame: 0, own: (n * n % 1_000_003 + 1) as f64 }))
        }
    }
    let stacks = Endless(list().head);
    let profile = WeightedStacks::new(&stacks, Measure::Samples);
    let errors = [folded, speedscope, firefox].map(|write| write(&profile, &mut Closed(100_000)));
    for error in errors.into_iter().chain([pprof(&pprof_plan(), &[&stacks], &mut Closed(100_000))]) {
        assert_eq!(error.expect_err("closed").kind(), io::ErrorKind::BrokenPipe);
    }
}

#[test]
fn csv_quotes_special_characters() {
    let rows = [vec!["a,b".to_owned(), "1".to_owned()], vec!["say \"x\"\n".to_owned(), String::new()]];
    assert_eq!(csv(&["name", "bytes"], rows), "name,bytes\r\n\"a,b\",1\r\n\"say \"\"x\"\"\n\",\r\n");
}

fn written(write: fn(&WeightedStacks<'_>, &mut dyn Write) -> io::Result<()>) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(&WeightedStacks::new(&list(), Measure::Allocated), &mut bytes).expect("written");
    bytes
}

/// `main` has half a byte of its own, `main;A.f;A.g` and `main;odd…` have the rest.
fn list() -> StackList {
    let merged = Merged { least_share: 0.005, n_stacks: 7, weight: 1.375, is_inverted: false };
    let node = |depth, frame, own| StackNode { depth, frame, own };
    StackList {
        head: StacksHead { frames: labels()[..4].to_vec(), total: 13.75, merged },
        nodes: vec![node(0, 0, 0.5), node(1, 1, 0.0), node(2, 2, 10.25), node(1, 3, 3.0)],
    }
}

/// The last label is the second one at another column.
fn labels() -> Vec<Label> {
    let label = |name: &str, file: &str, place: Option<(u32, u16)>| Label {
        name: name.to_owned(),
        file: file.to_owned(),
        place: place.map(|(line, start_char)| Place { line, start_char, end_char: 9 }),
    };
    vec![
        label("main", "", None),
        label("A.f", "a.ml", Some((3, 1))),
        label("A.g", "a.ml", Some((9, 1))),
        label("odd;name \twith tab", "", None),
        label("A.f", "a.ml", Some((3, 5))),
    ]
}

/// A plan with one type of values.
fn pprof_plan() -> PprofPlan {
    let of = SampleType { kind: "alloc_space", unit: "bytes" };
    let recording = Recording { bytes_a_sample: 8.0, duration_us: 1, start_us: 0 };
    let parts = vec![PprofPart { view: View::default(), of }];
    PprofPlan { parts, default: of, recording, comment: "allocated".to_owned() }
}

/// Returns the length-prefixed fields of a pprof file's protobuf message by number. Skips numeric fields.
fn pprof_fields(stacks: &StackList) -> BTreeMap<u64, Vec<Vec<u8>>> {
    let (mut file, mut message, mut at) = (Vec::new(), Vec::new(), 0);
    pprof(&pprof_plan(), &[stacks], &mut file).expect("written");
    flate2::read::GzDecoder::new(&file[..]).read_to_end(&mut message).expect("gzip");
    let varint = |at: &mut usize| {
        let (mut n, mut shift) = (0u64, 0);
        loop {
            let byte = message[*at];
            *at += 1;
            n |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte < 0x80 {
                return n;
            }
        }
    };
    let mut fields: BTreeMap<u64, Vec<Vec<u8>>> = BTreeMap::new();
    while at < message.len() {
        let tag = varint(&mut at);
        let n = varint(&mut at);
        if tag & 7 == 2 {
            fields.entry(tag >> 3).or_default().push(message[at..at + n as usize].to_vec());
            at += n as usize;
        }
    }
    fields
}

fn texts_in(fields: &BTreeMap<u64, Vec<Vec<u8>>>) -> Vec<&str> {
    fields[&6].iter().map(|text| str::from_utf8(text).expect("UTF-8")).collect()
}

fn fixtures() -> impl Iterator<Item = (String, Trace)> {
    let folder = camlscope_testkit::fixtures::folder();
    let files = fs::read_dir(folder).expect("fixtures").flatten().map(|entry| entry.file_name());
    files.filter_map(|file| file.to_str()?.strip_suffix(".ctf").map(str::to_owned)).map(|name| {
        let trace = load(&fixture(&name), 1 << 20, Budget::default()).expect("a trace");
        (name, trace)
    })
}

fn bytes_of(trace: &Trace, selection: &Selection, config: TraceConfig) -> Vec<u8> {
    let mut bytes = Vec::new();
    let written = write_trace(trace, selection, config, &mut bytes).expect("written");
    assert_eq!(written.bytes, bytes.len() as u64);
    bytes
}

fn rewrite(trace: &Trace, selection: &Selection, config: TraceConfig) -> Trace {
    let bytes = bytes_of(trace, selection, config);
    let first = Header::read(&bytes).expect("a header");
    assert!(first.is_sound());
    let copy = load(&bytes, 1 << 20, Budget::default()).expect("a trace");
    check_invariants(&copy);
    copy
}

/// An object, independent of its number.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Object {
    alloc_us: u64,
    domain: u16,
    size_words: u64,
    n_samples: u64,
    source: u8,
    promoted_us: Option<u64>,
    end_us: Option<u64>,
    /// A hash of its codes and their locations.
    stack: u64,
}

fn objects(trace: &Trace) -> Vec<Object> {
    objects_with(trace, |trace, code| {
        let frames = trace.calls.frames.of_code(code).unwrap_or_default().iter();
        let frames = frames.map(|frame| {
            let function = trace.calls.frames.function(frame.function);
            let (name, file) = (trace.calls.frames.text(function.name), trace.calls.frames.text(function.file));
            (name, file, frame.line, frame.start_char, frame.end_char)
        });
        hash(&(trace.calls.codes[code.0 as usize], frames.collect::<Vec<_>>()))
    })
}

/// Sorted by time, then by the other fields, because domains may be merged in either order.
fn objects_with(trace: &Trace, of_code: impl Fn(&Trace, CodeId) -> u64) -> Vec<Object> {
    let codes: Vec<u64> = (0..trace.calls.codes.len() as u32).map(|id| of_code(trace, CodeId(id))).collect();
    let mut stacks = vec![0; trace.calls.stacks.len()];
    for (id, parent, code) in trace.calls.stacks.iter().skip(1) {
        stacks[id.0 as usize] = hash(&(stacks[parent.0 as usize], codes[code.0 as usize]));
    }
    let object = |(at, row): (ObjectRow, Row)| Object {
        alloc_us: row.alloc_us,
        domain: trace.columns.domain(at),
        size_words: row.size_words,
        n_samples: row.n_samples,
        source: row.source as u8,
        promoted_us: trace.promotions.of(at).map(|time| trace.gc_times.time_us(time)),
        end_us: trace.gc_times.end_us(row.end),
        stack: stacks[row.stack.0 as usize],
    };
    let mut objects: Vec<Object> = trace.columns.iter().map(object).collect();
    objects.sort();
    objects
}

fn hash(value: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Names and files that occur in stacks, and other text that identifies the user or machine.
fn names(trace: &Trace) -> BTreeSet<String> {
    let used: BTreeSet<_> = trace.columns.iter().map(|(_, row)| row.stack).collect();
    let mut codes = BTreeSet::new();
    let nodes: Vec<_> = trace.calls.stacks.iter().collect();
    let mut is_used = vec![false; nodes.len()];
    for &(id, parent, code) in nodes.iter().skip(1).rev() {
        if is_used[id.0 as usize] || used.contains(&id) {
            is_used[parent.0 as usize] = true;
            codes.insert(code);
        }
    }
    let frames = codes.iter().filter_map(|&code| trace.calls.frames.of_code(code)).flatten();
    let functions = frames.map(|frame| trace.calls.frames.function(frame.function));
    functions
        .flat_map(|function| [function.name, function.file])
        .map(|id| trace.calls.frames.text(id).to_owned())
        .collect()
}

const DOMAINS: u16 = 3;

#[derive(Clone, Debug)]
enum Step {
    Alloc { domain: u16, pause_us: u64, words: u64, n_samples: u64, source: u8, stack: Vec<u64> },
    Promote { object: prop::sample::Index, pause_us: u64 },
    Collect { object: prop::sample::Index, pause_us: u64 },
}

fn step() -> impl Strategy<Value = Step> {
    let pause = || prop_oneof![4 => 0u64..3, 1 => 0u64..100_000_000];
    let index = any::<prop::sample::Index>;
    let words = prop_oneof![20 => 0u64..3000, 1 => 0u64..1 << 62];
    let n_samples = prop_oneof![20 => 1u64..2000, 1 => 1u64..1 << 40, 1 => Just(0u64)];
    prop_oneof![
        3 => (0..DOMAINS, pause(), words, n_samples, 0u8..3, vec(1u64..40, 0..12)).prop_map(
            |(domain, pause_us, words, n_samples, source, stack)| {
                Step::Alloc { domain, pause_us, words, n_samples, source, stack }
            }
        ),
        1 => (index(), pause()).prop_map(|(object, pause_us)| Step::Promote { object, pause_us }),
        2 => (index(), pause()).prop_map(|(object, pause_us)| Step::Collect { object, pause_us }),
    ]
}

/// Objects are promoted and collected at most once, in that order.
fn random_trace(info: &Info, steps: &[Step]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(info, &mut bytes).expect("a version");
    let mut live = Vec::new();
    let mut now = 0;
    for step in steps {
        match step {
            Step::Alloc { domain, pause_us, words, n_samples, source, stack } => {
                now += pause_us;
                for &code in stack {
                    let at = |n: u64| Location {
                        file: format!("f{}.ml", code % 5).into(),
                        name: format!("M{n}.f{code}").into(),
                        line: code as u32,
                        start_char: 1,
                        end_char: 2,
                    };
                    encoder.location(code, &(0..code % 3).map(at).collect::<Vec<_>>());
                }
                let source = [AllocSource::Minor, AllocSource::Major, AllocSource::External][usize::from(*source)];
                let block = Block { length_words: *words, n_samples: *n_samples, source };
                let domain = if info.version == 2 { 0 } else { *domain };
                let id = encoder.alloc(domain, now, block, stack).expect("written");
                live.push((id, domain, false));
            }
            Step::Promote { object, pause_us } if !live.is_empty() => {
                now += pause_us;
                let at = object.index(live.len());
                let (id, domain, promoted) = &mut live[at];
                if !std::mem::replace(promoted, true) {
                    encoder.promote(*domain, now, *id).expect("written");
                }
            }
            Step::Collect { object, pause_us } if !live.is_empty() => {
                now += pause_us;
                let (id, domain, _) = live.swap_remove(object.index(live.len()));
                encoder.collect(domain, now, id).expect("written");
            }
            Step::Promote { .. } | Step::Collect { .. } => {}
        }
    }
    encoder.finish().expect("written");
    bytes
}
