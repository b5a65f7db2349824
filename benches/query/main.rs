//! Compares the time of each query with one plain pass over the columns. That pass reads each object once, so no query that reads
//! every object can be faster. Only ratios within one run are comparable across machines. Milliseconds aren't.
//!
//! `cargo xtask bench query` generates the traces and runs this, then the same queries in Chromium.

#[path = "../shared/files.rs"]
mod files;
mod questions;

use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use camlscope_engine::protocol::{Channel, Request, RequestId, Slot, ToWorker, encoding};
use camlscope_engine::session::Session;
use camlscope_engine::trace::{Budget, Trace};
use files::measure_each;
use questions::cases;
use serde_json::json;

fn main() {
    measure_each(measure);
}

fn measure(file: &str, bytes: &[u8]) -> serde_json::Value {
    let name = Path::new(file).file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    let mut session = Session::with_budget(Budget { bytes: 8 << 30 });
    session.begin(Slot::Main, Some(bytes.len() as u64));
    session.push(bytes).expect("a trace");
    session.finish().expect("a trace");
    let (pass_s, end_us) = {
        let trace = session.trace(Slot::Main).expect("a trace");
        println!("{name}: {} objects, {} stack nodes", trace.columns.len(), trace.calls.stacks.len());
        println!("{:42} {:>9} {:>9} {:>7}", "", "ms", "passes", "goal");
        (best(7, || plain_pass(trace)), trace.end_us)
    };
    println!("{:42} {:>9.1} {:>9.1}", "one plain pass over the columns", pass_s * 1e3, 1.0);
    let mut results = Vec::new();
    for case in cases(end_us) {
        let times = case.requests.iter().map(|request| {
            let began = Instant::now();
            black_box(session.handle(request)).expect("a response");
            began.elapsed().as_secs_f64()
        });
        let seconds = times.fold(f64::INFINITY, f64::min);
        let goal = case.goal_ms.map_or_else(String::new, |goal_ms| format!("≤ {goal_ms}"));
        println!("{:42} {:>9.1} {:>9.1} {goal:>7}", case.name, seconds * 1e3, seconds / pass_s);
        results.push(json!({
            "name": case.name,
            "goal_ms": case.goal_ms,
            "ms": seconds * 1e3,
            "requests": packed(&case.requests),
        }));
    }
    println!();
    json!({ "file": file, "pass_ms": pass_s * 1e3, "cases": results })
}

/// Encodes the requests as the page does.
fn packed(requests: &[Request]) -> Vec<Vec<u8>> {
    let ask = |request: &Request| ToWorker::Ask { id: RequestId(0), channel: Channel(1), request: request.clone() };
    requests.iter().map(|request| encoding::encode(&ask(request)).expect("encoded")).collect()
}

/// Reads every column of every object.
fn plain_pass(trace: &Trace) -> u64 {
    let mut sum = 0u64;
    for rows in trace.columns.chunks() {
        for place in 0..rows.len() {
            sum = sum
                .wrapping_add(rows.alloc_us(place) ^ u64::from(rows.end(place).0))
                .wrapping_add(rows.stack(place) as u64 ^ rows.n_samples(place));
        }
    }
    sum
}

fn best<T>(runs: usize, mut work: impl FnMut() -> T) -> f64 {
    let timed = (0..runs).map(|_| {
        let began = Instant::now();
        black_box(work());
        began.elapsed().as_secs_f64()
    });
    timed.fold(f64::INFINITY, f64::min)
}
