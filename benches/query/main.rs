//! How long answers take, against one plain pass over the columns: that pass reads each object once, so nothing that looks
//! at every object can be faster. Ratios within one run mean something on any machine; the milliseconds do not.
//!
//! `cargo xtask bench query` makes the traces and runs this, then the same questions in Chromium.

use std::fs;
use std::hint::black_box;
use std::rc::Rc;
use std::time::Instant;

use camlscope::load::Loader;
use camlscope::query::filter::{Clause, Filter, SizeUnit, Span, When, select};
use camlscope::query::measure::Weight;
use camlscope::query::tree::{CallTree, Grain, Shape, ShapedTree};
use camlscope::trace::{Budget, Trace};

fn main() {
    for file in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        match fs::read(&file) {
            Ok(bytes) => measure(&file, &bytes),
            Err(error) => eprintln!("{file}: {error}"),
        }
    }
}

fn measure(file: &str, bytes: &[u8]) {
    let mut loader = Loader::new(Some(bytes.len() as u64), Budget { bytes: 8 << 30 });
    loader.push(bytes).expect("a trace");
    let trace = loader.finish().expect("a trace");
    println!(
        "{file}: {} objects, {} stack nodes, {} moments",
        trace.columns.len(),
        trace.stacks.len(),
        trace.moments.len()
    );
    let pass = best(7, || plain_pass(&trace));
    let report =
        |what: &str, seconds: f64| println!("{what:40} {:8.1} ms {:6.2} passes", seconds * 1e3, seconds / pass);
    report("plain pass", pass);
    report("build tree of functions", best(2, || CallTree::new(&trace, Grain::Function)));
    report("build tree of sites", best(2, || CallTree::new(&trace, Grain::Site)));
    let base = Rc::new(CallTree::new(&trace, Grain::Function));
    println!("{} groups", base.groups.len());
    let filter = Filter { clauses: vec![Clause::Size(Span { from: Some(3), to: None }, SizeUnit::Words)] };
    report("select by size", best(5, || select(&trace, &filter)));
    let at = Filter { clauses: vec![Clause::LiveAt(When::At(trace.end_us / 2))] };
    report("select live at", best(5, || select(&trace, &at)));
    let selection = select(&trace, &filter).expect("possible");
    report("weigh", best(5, || base.weigh(&trace, &selection, Weight::Samples)));
    let live = select(&trace, &at).expect("possible");
    println!("{} live", live.len());
    report("weigh live", best(5, || base.weigh(&trace, &live, Weight::Samples)));
    let mut total = vec![0.0; base.groups.len()];
    report(
        "all of it, reusing room",
        best(5, || {
            let selection = select(&trace, &filter).expect("possible");
            total.fill(0.0);
            base.weigh_in(&trace, &selection, Weight::Samples, 0..usize::MAX, &mut total);
            base.groups.sum_up(&mut total);
        }),
    );
    report(
        "live at, reusing room",
        best(5, || {
            let selection = select(&trace, &at).expect("possible");
            total.fill(0.0);
            base.weigh_in(&trace, &selection, Weight::Samples, 0..usize::MAX, &mut total);
            base.groups.sum_up(&mut total);
        }),
    );
    report("fill", best(5, || total.fill(0.0)));
    let own = base.weigh(&trace, &selection, Weight::Samples);
    report(
        "sum up",
        best(5, || {
            let mut total = own.clone();
            base.groups.sum_up(&mut total);
            total
        }),
    );
    for (name, shape) in [
        ("fold", Shape { fold_recursion: true, ..Shape::default() }),
        ("module", Shape { grain: Grain::Module, ..Shape::default() }),
    ] {
        report(&format!("shape: {name}"), best(3, || ShapedTree::new(&trace, &base, &shape)));
    }
}

/// Reads every column of every object.
fn plain_pass(trace: &Trace) -> u64 {
    let mut sum = 0u64;
    for rows in trace.columns.chunks() {
        for place in 0..rows.len() {
            sum = sum
                .wrapping_add(rows.alloc_us(place) ^ u64::from(rows.end(place).0))
                .wrapping_add(rows.stack(place) as u64 ^ u64::from(rows.n_samples(place)));
        }
    }
    sum
}

fn best<T>(runs: usize, mut work: impl FnMut() -> T) -> f64 {
    let timed = (0..runs).map(|_| {
        let began = Instant::now();
        let made = black_box(work());
        let taken = began.elapsed().as_secs_f64();
        drop(made);
        taken
    });
    timed.fold(f64::INFINITY, f64::min)
}
