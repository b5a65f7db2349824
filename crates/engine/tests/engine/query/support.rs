//! Traces for tests, random or written as text. Each comes with a list of its objects taken from the *events*: slow,
//! obvious, and independent of the model that the queries use.
//!
//! A trace can be written as text, one object per line: `main;run;alloc 3@0.1-0.5` is three samples allocated at 0.1 s
//! and collected at 0.5 s (nothing after `-` means never). More fields may follow: `words=300`, `major`, `external`,
//! `promoted=0.2`, `domain=1`. A frame is a function's name, or `name[file.ml:12]` if file and line matter (`main.ml:1`
//! otherwise). `a+b` is one code with `b` inlined into `a`, and `$31` is a code without a location.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use camlscope_engine::trace::{Budget, Trace};
use camlscope_formats::ctf::encode::{Block, Encoder};
use camlscope_formats::ctf::{AllocSource, Info, Location, ObjectId};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

use super::tape::{self, Tale};
use camlscope_testkit::fixtures::load;

/// A trace and its objects by row.
pub struct Case {
    pub bytes: Vec<u8>,
    pub trace: Trace,
    pub objects: Vec<Object>,
    /// The number of the event at which the most samples are first live. `None` if nothing is ever live.
    pub peak_event: Option<usize>,
    pub peak_samples: u64,
    pub end_us: u64,
}

/// An object as described by the events.
#[derive(Clone, Debug, PartialEq)]
pub struct Object {
    pub alloc_us: u64,
    pub end_us: Option<u64>,
    pub promoted_us: Option<u64>,
    pub size_words: u64,
    pub samples: u64,
    pub source: AllocSource,
    pub domain: u16,
    /// From main to the allocation site, including inlined frames, without startup frames that have no location.
    pub frames: Vec<SlowFrame>,
    /// Event numbers in time order, with ties in file order.
    pub alloc_event: usize,
    pub end_event: Option<usize>,
}

/// A code without a location has a placeholder name and no file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SlowFrame {
    pub name: String,
    pub file: String,
    pub line: u32,
    pub start_char: u16,
    pub end_char: u16,
    pub is_unexplained: bool,
}

impl Object {
    /// Until the end of the trace if it was never collected.
    pub fn lifetime_us(&self, trace_end_us: u64) -> u64 {
        self.end_us.unwrap_or(trace_end_us) - self.alloc_us
    }

    pub fn is_promoted(&self) -> bool {
        self.promoted_us.is_some()
    }
}

impl Case {
    /// Parses the text format. Panics on errors.
    pub fn from_text(text: &str) -> Case {
        Case::from_bytes(&encode(&text_info(), &steps_of_text(text)))
    }

    /// Decodes a file twice: into the model and into the list.
    pub fn from_bytes(bytes: &[u8]) -> Case {
        let trace = load(bytes, 1 << 16, Budget::default()).expect("a trace");
        let Tale { objects, peak_event, peak_samples, end_us } = tape::read(bytes);
        Case { bytes: bytes.to_vec(), trace, objects, peak_event, peak_samples, end_us }
    }
}

/// Prints only what helps when a test fails.
impl fmt::Debug for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "rate {}, peak {} at event {:?}", self.trace.rate(), self.peak_samples, self.peak_event)?;
        for (row, object) in self.objects.iter().enumerate() {
            let names: Vec<&str> = object.frames.iter().map(|frame| frame.name.as_str()).collect();
            let Object { alloc_us, end_us, promoted_us, size_words, samples, source, domain, .. } = object;
            writeln!(
                f,
                "{row}: {} {samples}@{alloc_us}-{end_us:?} words={size_words} {source:?} promoted={promoted_us:?} \
                 domain={domain}",
                names.join(";")
            )?;
        }
        Ok(())
    }
}

/// Traces of up to a few hundred events: several domains, nested and recursive stacks, inlined frames, codes without
/// locations, promotions, bursts of collections, equal times, blocks of all sizes and sources.
pub fn random_trace() -> impl Strategy<Value = Case> {
    random_trace_of(0..150)
}

/// The same with this many steps.
pub fn random_trace_of(steps: std::ops::Range<usize>) -> impl Strategy<Value = Case> {
    let rate = prop_oneof![Just(0.01), Just(1e-4), Just(1.0)];
    let word_bits = prop_oneof![3 => Just(64u8), 1 => Just(32u8)];
    let is_large = prop_oneof![3 => Just(false), 1 => Just(true)];
    (2u16..=3, rate, word_bits, is_large, vec(random_step(), steps)).prop_map(
        |(version, sample_rate, word_size_bits, is_large, mut steps)| {
            let info = Info { version, sample_rate, word_size_bits, ..text_info() };
            if is_large {
                steps.iter_mut().for_each(RandomStep::enlarge);
            }
            Case::from_bytes(&encode(&info, &settle(&steps, version)))
        },
    )
}

/// The frames of each random location code, outermost first. Some names occur in several files or on several lines.
pub const CODES: &[&[(&str, &str, u32)]] = &[
    &[("Dune__exe__Main.main", "bin/main.ml", 10)],
    &[("Dune__exe__Main.main", "bin/main.ml", 12)],
    &[("Dune__exe__Main.main.(fun)", "bin/main.ml", 14)],
    &[("Stdlib.List.map", "list.ml", 92)],
    &[("Stdlib.List.map", "list.ml", 93), ("Parser.parse", "src/parser.ml", 7)],
    &[("Parser.parse", "src/parser.ml", 7), ("Lexer.next", "src/lexer.ml", 3), ("Parser.parse", "src/parser.ml", 9)],
    &[("Lexer.next", "src/lexer.ml", 3)],
    &[("Lexer.next", "vendor/lexer.ml", 3)],
    &[("Base.Map.(>>|)", "src/map.ml", 200)],
    &[("caml_startup", "", 0)],
    &[("Модуль.λ'", "модуль/日本.ml", 5)],
    &[("Stdlib.Hashtbl.replace", "hashtbl.ml", 300)],
    &[],
    &[],
];

#[derive(Clone, Debug)]
enum RandomStep {
    Alloc { domain: u16, pause_us: u64, block: Block, pops: Index, pushes: Vec<usize> },
    Promote { pause_us: u64, objects: Vec<Index> },
    Collect { pause_us: u64, domain: u16, objects: Vec<Index> },
}

impl RandomStep {
    /// Makes a step of a trace whose sample counts exceed 32 bits. The trace is short, so that samples times µs are
    /// still exact integers.
    fn enlarge(&mut self) {
        let (RandomStep::Alloc { pause_us, .. }
        | RandomStep::Promote { pause_us, .. }
        | RandomStep::Collect { pause_us, .. }) = self;
        *pause_us %= 64;
        if let RandomStep::Alloc { block, .. } = self
            && block.n_samples > 300
        {
            block.n_samples += 1 << 33;
        }
    }
}

fn random_step() -> impl Strategy<Value = RandomStep> {
    let pushes = prop_oneof![8 => vec(0..CODES.len(), 0..4), 1 => vec(0..CODES.len(), 0..12)];
    let objects = || vec(any::<Index>(), 1..6);
    prop_oneof![
        5 => (0u16..3, pause(), block(), any::<Index>(), pushes).prop_map(|(domain, pause_us, block, pops, pushes)| {
            RandomStep::Alloc { domain, pause_us, block, pops, pushes }
        }),
        1 => (pause(), objects()).prop_map(|(pause_us, objects)| RandomStep::Promote { pause_us, objects }),
        1 => (pause(), 0u16..3, objects())
            .prop_map(|(pause_us, domain, objects)| RandomStep::Collect { pause_us, domain, objects }),
    ]
}

fn pause() -> impl Strategy<Value = u64> {
    prop_oneof![6 => Just(0u64), 6 => 0u64..1_000, 3 => 0u64..1_000_000, 1 => 0u64..40_000_000]
}

fn block() -> impl Strategy<Value = Block> {
    let length_words = prop_oneof![
        8 => 0u64..20, 2 => 250u64..260, 1 => 0u64..70_000, 1 => (1u64 << 20) - 2..(1 << 20) + 2, 1 => 0u64..=1 << 40, 1 => 1u64 << 61..1 << 62
    ];
    // Some are too large for sums with few bits.
    let n_samples = prop_oneof![
        12 => Just(1u64), 4 => 1u64..300, 2 => 1u64..100_000, 1 => 1_000_000u64..6_000_000
    ];
    let source =
        prop_oneof![4 => Just(AllocSource::Minor), 1 => Just(AllocSource::Major), 1 => Just(AllocSource::External)];
    (length_words, n_samples, source).prop_map(|(length_words, n_samples, source)| Block {
        length_words,
        n_samples,
        source,
    })
}

/// One event. Times never decrease, and objects are numbered in order of allocation.
#[derive(Clone, Debug)]
enum Step {
    Alloc { domain: u16, block: Block, stack: Vec<(u64, Vec<Location>)> },
    Promote { domain: u16, object: usize },
    Collect { domain: u16, object: usize },
}

/// Turns random steps into events: only live objects are promoted or collected, each once. The same domain reports
/// both, as in real traces. Otherwise packets of two domains could be in the file in the wrong order.
fn settle(steps: &[RandomStep], version: u16) -> Vec<(u64, Step)> {
    struct Life {
        owner: u16,
        is_minor: bool,
        is_promoted: bool,
        is_over: bool,
    }
    let domain_of = |domain: u16| if version == 2 { 0 } else { domain };
    let mut now = 0;
    let mut stacks: HashMap<u16, Vec<usize>> = HashMap::new();
    let mut lives: Vec<Life> = Vec::new();
    let mut settled = Vec::new();
    for step in steps {
        match step {
            RandomStep::Alloc { domain, pause_us, block, pops, pushes } => {
                now += pause_us;
                let domain = domain_of(*domain);
                let stack = stacks.entry(domain).or_default();
                stack.truncate(pops.index(stack.len() + 1));
                stack.extend(pushes);
                let is_minor = block.source == AllocSource::Minor;
                lives.push(Life { owner: domain, is_minor, is_promoted: false, is_over: false });
                let stack = stack.iter().map(|&code| random_code(code)).collect();
                settled.push((now, Step::Alloc { domain, block: *block, stack }));
            }
            RandomStep::Promote { pause_us, objects } => {
                now += pause_us;
                for object in pick(objects, lives.len()) {
                    let life = &mut lives[object];
                    if life.is_minor && !life.is_promoted && !life.is_over {
                        life.is_promoted = true;
                        settled.push((now, Step::Promote { domain: life.owner, object }));
                    }
                }
            }
            RandomStep::Collect { pause_us, domain, objects } => {
                now += pause_us;
                for object in pick(objects, lives.len()) {
                    let life = &mut lives[object];
                    if !std::mem::replace(&mut life.is_over, true) {
                        let domain = if life.is_promoted { life.owner } else { domain_of(*domain) };
                        settled.push((now, Step::Collect { domain, object }));
                    }
                }
            }
        }
    }
    settled
}

fn pick(objects: &[Index], n: usize) -> impl Iterator<Item = usize> + '_ {
    objects.iter().filter(move |_| n > 0).map(move |at| at.index(n))
}

fn random_code(code: usize) -> (u64, Vec<Location>) {
    let locations = CODES[code].iter().map(|&(name, file, line)| Location {
        file: file.into(),
        name: name.into(),
        line,
        start_char: code as u16,
        end_char: code as u16 + 20,
    });
    (0x5500_0000 + 23 * code as u64, locations.collect())
}

fn text_info() -> Info {
    Info {
        version: 3,
        sample_rate: 0.01,
        word_size_bits: 64,
        executable: "server.exe".into(),
        host: "host".into(),
        runtime_params: "s=262144".into(),
        pid: 4711,
        context: String::new(),
        start_us: 1_794_703_163_715_432,
    }
}

fn steps_of_text(text: &str) -> Vec<(u64, Step)> {
    let mut codes: BTreeMap<String, (u64, Vec<Location>)> = BTreeMap::new();
    // With their rank among events at the same time: allocations, promotions, collections.
    let mut steps: Vec<(u64, u8, usize, Step)> = Vec::new();
    for (object, line) in text.lines().map(str::trim).filter(|line| !line.is_empty()).enumerate() {
        let (stack, rest) = line.split_once(' ').expect("a stack, then its samples");
        let mut words = rest.split_whitespace();
        let (samples, times) = words.next().and_then(|word| word.split_once('@')).expect("3@0.1-0.5");
        let (from, to) = times.split_once('-').expect("a start, - and perhaps an end");
        let mut block =
            Block { length_words: 2, n_samples: samples.parse().expect("samples"), source: AllocSource::Minor };
        let (mut domain, mut promoted_us) = (0, None);
        for word in words {
            match word.split_once('=') {
                None if word == "major" => block.source = AllocSource::Major,
                None if word == "external" => block.source = AllocSource::External,
                Some(("words", n)) => block.length_words = n.parse().expect("words"),
                Some(("domain", n)) => domain = n.parse().expect("a domain"),
                Some(("promoted", at)) => promoted_us = Some(micros(at)),
                _ => panic!("what is {word}?"),
            }
        }
        let stack = stack.split(';').filter(|code| !code.is_empty()).map(|code| text_code(&mut codes, code)).collect();
        steps.push((micros(from), 0, object, Step::Alloc { domain, block, stack }));
        steps.extend(promoted_us.map(|at| (at, 1, object, Step::Promote { domain, object })));
        if !to.is_empty() {
            steps.push((micros(to), 2, object, Step::Collect { domain, object }));
        }
    }
    steps.sort_by_key(|&(time_us, rank, object, _)| (time_us, rank, object));
    // Objects were numbered by line so far. From here on they are numbered in order of allocation.
    let mut number_of = HashMap::new();
    for (number, &(_, _, object, _)) in steps.iter().filter(|step| step.1 == 0).enumerate() {
        number_of.insert(object, number);
    }
    let renumbered = steps.into_iter().map(|(time_us, _, line, mut step)| {
        if let Step::Promote { object, .. } | Step::Collect { object, .. } = &mut step {
            *object = number_of[&line];
        }
        (time_us, step)
    });
    renumbered.collect()
}

fn micros(seconds: &str) -> u64 {
    (seconds.parse::<f64>().expect("seconds") * 1e6).round() as u64
}

fn text_code(codes: &mut BTreeMap<String, (u64, Vec<Location>)>, text: &str) -> (u64, Vec<Location>) {
    let next = 0x1000 + codes.len() as u64;
    let code = codes.entry(text.to_owned()).or_insert_with(|| match text.strip_prefix('$') {
        Some(code) => (code.parse().expect("a code"), Vec::new()),
        None => (next, text.split('+').map(text_location).collect()),
    });
    code.clone()
}

fn text_location(text: &str) -> Location {
    let (name, place) = text.strip_suffix(']').and_then(|text| text.split_once('[')).unwrap_or((text, "main.ml:1"));
    let (file, line) = place.rsplit_once(':').expect("file:line");
    Location { file: file.into(), name: name.into(), line: line.parse().expect("a line"), start_char: 0, end_char: 9 }
}

fn encode(info: &Info, steps: &[(u64, Step)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = Encoder::new(info, &mut bytes).expect("a version to write");
    let mut ids: Vec<ObjectId> = Vec::new();
    for (time_us, step) in steps {
        match step {
            Step::Alloc { domain, block, stack } => {
                for (code, locations) in stack {
                    encoder.location(*code, locations);
                }
                let stack: Vec<u64> = stack.iter().map(|(code, _)| *code).collect();
                ids.push(encoder.alloc(*domain, *time_us, *block, &stack).expect("written"));
            }
            Step::Promote { domain, object } => {
                encoder.promote(*domain, *time_us, ids[*object]).expect("written");
            }
            Step::Collect { domain, object } => {
                encoder.collect(*domain, *time_us, ids[*object]).expect("written");
            }
        }
    }
    encoder.finish().expect("written");
    bytes
}
