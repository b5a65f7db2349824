//! The Firefox Profiler's format for processed profiles. Its app upgrades older versions, so a file stays valid.
//!
//! The profile has one thread, whose samples are the stacks with their weights. Time is the running total, so its stack
//! chart is a flame graph. Tables are written as they are read, one pass for each column.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use serde::ser::SerializeSeq;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::weighted_stacks::{WeightedStacks, line_and_column};
use camlscope_engine::query::label::is_library;
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::tree::Label;

/// The version of the processed format.
const VERSION: u32 = 48;
/// The version of Firefox's own format at that time.
const GECKO_VERSION: u32 = 29;

/// Writes JSON for profiler.firefox.com.
pub fn firefox(profile: &WeightedStacks<'_>, out: &mut dyn Write) -> io::Result<()> {
    let title = match profile.merged_words() {
        None => profile.title.clone(),
        Some(merged) => format!("{} ({merged})", profile.title),
    };
    let is_bytes = matches!(profile.unit, Unit::Bytes | Unit::BytesPerSecond);
    let file = File { meta: meta(&title, is_bytes), libs: [], threads: [Thread::new(profile, is_bytes)] };
    Ok(serde_json::to_writer(out, &file)?)
}

#[derive(Serialize)]
struct File<'a> {
    meta: Value,
    libs: [(); 0],
    threads: [Thread<'a>; 1],
}

fn meta(title: &str, is_bytes: bool) -> Value {
    let category = |name: &str, color: &str| json!({ "name": name, "color": color, "subcategories": ["Other"] });
    json!({
        "interval": 1,
        "startTime": 0,
        "processType": 0,
        "product": format!("OCaml memory: {title}"),
        "importedFrom": concat!("camlscope ", env!("CARGO_PKG_VERSION")),
        "stackwalk": 0,
        "version": GECKO_VERSION,
        "preprocessedProfileVersion": VERSION,
        // The first gray one is the default.
        "categories": [category("Program", "yellow"), category("OCaml library", "grey")],
        "markerSchema": [],
        "symbolicated": true,
        "symbolicationNotSupported": true,
        "usesOnlyOneStackType": true,
        "doesNotUseFrameImplementation": true,
        "sourceCodeIsNotOnSearchfox": true,
        // The app shows either of two units on the time axis. Counts have none.
        "sampleUnits": { "time": if is_bytes { "bytes" } else { "ms" }, "eventDelay": "ms", "threadCPUDelta": "ns" },
    })
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Thread<'a> {
    name: String,
    process_name: &'static str,
    process_type: &'static str,
    process_startup_time: f64,
    process_shutdown_time: Option<f64>,
    register_time: f64,
    unregister_time: Option<f64>,
    paused_ranges: [(); 0],
    is_main_thread: bool,
    pid: &'static str,
    tid: u32,
    samples: Samples<'a>,
    stack_table: StackTable<'a>,
    frame_table: Value,
    func_table: Value,
    string_array: Vec<String>,
    markers: Value,
    resource_table: Value,
    native_symbols: Value,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Samples<'a> {
    weight_type: &'static str,
    weight: Column<'a>,
    stack: Column<'a>,
    time: Column<'a>,
    length: Column<'a>,
}

#[derive(Serialize)]
struct StackTable<'a> {
    frame: Column<'a>,
    prefix: Column<'a>,
    category: Column<'a>,
    subcategory: Column<'a>,
    length: Column<'a>,
}

impl<'a> Thread<'a> {
    fn new(profile: &'a WeightedStacks<'a>, is_bytes: bool) -> Thread<'a> {
        let column = |of| Column { profile, of };
        let (strings, frames, functions) = tables(profile);
        Thread {
            name: profile.title.clone(),
            process_name: "OCaml",
            process_type: "default",
            process_startup_time: 0.0,
            process_shutdown_time: None,
            register_time: 0.0,
            unregister_time: None,
            paused_ranges: [],
            is_main_thread: true,
            pid: "0",
            tid: 0,
            samples: Samples {
                weight_type: if is_bytes { "bytes" } else { "samples" },
                weight: column(Of::Weight),
                stack: column(Of::Stack),
                time: column(Of::Time),
                length: column(Of::NumberOfSamples),
            },
            stack_table: StackTable {
                frame: column(Of::Frame),
                prefix: column(Of::Prefix),
                category: column(Of::Category),
                subcategory: column(Of::Subcategory),
                length: column(Of::NumberOfStacks),
            },
            frame_table: frames,
            func_table: functions,
            string_array: strings,
            markers: json!({
                "data": [], "name": [], "startTime": [], "endTime": [], "phase": [], "category": [], "length": 0,
            }),
            resource_table: json!({ "lib": [], "name": [], "host": [], "type": [], "length": 0 }),
            native_symbols: json!({ "libIndex": [], "address": [], "name": [], "functionSize": [], "length": 0 }),
        }
    }
}

/// Returns the strings, and the tables of frames and functions. Each frame has a function of its own, because the app
/// merges the frames of a function.
fn tables(profile: &WeightedStacks<'_>) -> (Vec<String>, Value, Value) {
    let mut strings = profile.frame_names();
    let mut places: FxHashMap<String, usize> = FxHashMap::default();
    let frames = &profile.frames;
    let n = frames.len();
    let files: Vec<Option<usize>> = frames
        .iter()
        .map(|frame| {
            let next = n + places.len();
            (!frame.file.is_empty()).then(|| *places.entry(frame.file.clone()).or_insert(next))
        })
        .collect();
    let mut of_files: Vec<(String, usize)> = places.into_iter().collect();
    of_files.sort_unstable_by_key(|(_, place)| *place);
    strings.extend(of_files.into_iter().map(|(file, _)| file));
    let (lines, columns): (Vec<Option<u32>>, Vec<Option<u32>>) = frames.iter().map(line_and_column).unzip();
    let none: Vec<Option<u32>> = vec![None; n];
    let frame_table = json!({
        "address": vec![-1; n],
        "inlineDepth": vec![0; n],
        "category": frames.iter().map(category).collect::<Vec<u32>>(),
        "subcategory": vec![0; n],
        "func": (0..n).collect::<Vec<usize>>(),
        "nativeSymbol": none,
        "innerWindowID": none,
        "implementation": none,
        "line": lines,
        "column": columns,
        "length": n,
    });
    let func_table = json!({
        "name": (0..n).collect::<Vec<usize>>(),
        "isJS": vec![false; n],
        "relevantForJS": vec![false; n],
        "resource": vec![-1; n],
        "fileName": files,
        "lineNumber": none,
        "columnNumber": none,
        "length": n,
    });
    (strings, frame_table, func_table)
}

fn category(frame: &Label) -> u32 {
    u32::from(is_library(&frame.name))
}

/// A column of a table with one row for each stack or sample, written while the stacks are read.
struct Column<'a> {
    profile: &'a WeightedStacks<'a>,
    of: Of,
}

#[derive(Clone, Copy)]
enum Of {
    Frame,
    /// The stack without its last frame.
    Prefix,
    Category,
    Subcategory,
    NumberOfStacks,
    /// A sample is a stack with a weight.
    Stack,
    Weight,
    /// The sum of the weights before.
    Time,
    NumberOfSamples,
}

impl Serialize for Column<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Column { profile, of } = self;
        match of {
            Of::NumberOfStacks => return serializer.serialize_u64(profile.nodes().count() as u64),
            Of::NumberOfSamples => {
                return serializer.serialize_u64(profile.nodes().filter(|node| node.own > 0.0).count() as u64);
            }
            _ => {}
        }
        let mut list = serializer.serialize_seq(None)?;
        let mut total = 0.0;
        // By depth: the last stack.
        let mut path: Vec<u32> = Vec::new();
        for (stack, node) in (0u32..).zip(profile.nodes()) {
            let is_sample = node.own > 0.0;
            match of {
                Of::Frame => list.serialize_element(&node.frame)?,
                Of::Prefix => {
                    path.truncate(node.depth as usize);
                    list.serialize_element(&path.last())?;
                    path.push(stack);
                }
                Of::Category => list.serialize_element(&profile.frames.get(node.frame as usize).map_or(0, category))?,
                Of::Subcategory => list.serialize_element(&0)?,
                Of::Stack if is_sample => list.serialize_element(&stack)?,
                Of::Weight if is_sample => list.serialize_element(&node.own)?,
                Of::Time if is_sample => list.serialize_element(&total)?,
                Of::Stack | Of::Weight | Of::Time | Of::NumberOfStacks | Of::NumberOfSamples => {}
            }
            total += node.own;
        }
        list.end()
    }
}
