//! Compares the time to load a trace with a floor that only walks packet and event headers. Only ratios within one run are
//! comparable across machines. MB/s aren't.
//!
//! `cargo xtask bench decode` generates the traces and runs this, then the same code as WebAssembly in Chromium.

#[path = "../shared/files.rs"]
mod files;
mod floor;
#[path = "../shared/native.rs"]
mod native;

use std::path::Path;

use camlscope_formats::ctf::{Alloc, CodeId, Decoder, ObjectId, Sink, Stack, StackNode};
use files::measure_each;
use native::{PIECE_BYTES, load, timed};
use serde_json::json;

fn main() {
    println!(
        "{:28} {:>7} {:>9} {:>9} {:>9} {:>9} {:>6} {:>6} {:>8} {:>8} {:>6}",
        "trace", "MB", "floor", "decode", "model", "M events", "decode", "model", "bytes an", "of these", "peak"
    );
    println!(
        "{:28} {:>7} {:>9} {:>9} {:>9} {:>9} {:>6} {:>6} {:>8} {:>8} {:>6}",
        "", "", "MB/s", "MB/s", "MB/s", "/s", "÷floor", "÷floor", "object", "stacks", "÷after"
    );
    measure_each(measure);
}

fn measure(file: &str, bytes: &[u8]) -> serde_json::Value {
    let name = Path::new(file).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let runs = if bytes.len() < 300 << 20 { 9 } else { 2 };
    let (mut floor_s, mut null_s, mut model_s) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
    let mut peak_bytes = 0;
    // These alternate, so that other load on the machine affects all of them.
    for _ in 0..runs {
        floor_s = timed(|| floor::walk(bytes)).min(floor_s);
        null_s = timed(|| decode_to_nothing(bytes)).min(null_s);
        model_s = timed(|| load(bytes, &mut peak_bytes)).min(model_s);
    }
    let trace = load(bytes, &mut peak_bytes);
    let mb = bytes.len() as f64 / 1e6;
    let events = trace.totals.alloc_events.total() + trace.totals.n_promotes + trace.totals.n_collects;
    let objects = trace.columns.len().max(1) as f64;
    println!(
        "{name:28} {mb:>7.1} {:>9.0} {:>9.0} {:>9.0} {:>9.1} {:>6.2} {:>6.2} {:>8.1} {:>8.1} {:>6.2}",
        mb / floor_s,
        mb / null_s,
        mb / model_s,
        events as f64 / 1e6 / model_s,
        null_s / floor_s,
        model_s / floor_s,
        trace.heap_bytes() as f64 / objects,
        trace.calls.stacks.heap_bytes() as f64 / objects,
        peak_bytes as f64 / trace.heap_bytes() as f64,
    );
    json!({ "file": file })
}

fn decode_to_nothing(bytes: &[u8]) -> u64 {
    let mut decoder = Decoder::new();
    let mut nothing = Nothing(0);
    for piece in bytes.chunks(PIECE_BYTES) {
        decoder.push(piece, &mut nothing).expect("a trace");
    }
    decoder.finish(&mut nothing).expect("a trace");
    nothing.0
}

/// Uses a part of each event, so that the compiler can't remove the decoding.
struct Nothing(u64);

impl Sink for Nothing {
    #[inline]
    fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode {
        StackNode(parent.0 ^ code.0)
    }
    #[inline]
    fn alloc(&mut self, alloc: &Alloc, stack: Stack) {
        self.0 ^= alloc.id.0 ^ alloc.time_us ^ u64::from(stack.node.0);
    }
    #[inline]
    fn promote(&mut self, time_us: u64, id: ObjectId) {
        self.0 ^= id.0 ^ time_us;
    }
    #[inline]
    fn collect(&mut self, time_us: u64, id: ObjectId) {
        self.0 ^= id.0 ^ time_us;
    }
}
