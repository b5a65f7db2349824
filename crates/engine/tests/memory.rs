//! Queries stay within the session's memory budget, in any order. The trace and the budget are a scaled-down version of
//! a 1 GB trace with the page's budget, which `cargo xtask bench size` measures.

use std::sync::{Mutex, MutexGuard, PoisonError};

use camlscope_engine::protocol::{Answer, Request, Slot, Versus};
use camlscope_engine::query::compare::Scale;
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::session::Session;
use camlscope_engine::trace::Budget;
use camlscope_testkit::questions::{compare, diff, flame, requests, view, views};
use camlscope_testkit::synth::{Extent, Options, Shape, generate};
use peak_alloc::PeakAlloc;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// About 600,000 objects and as many stack nodes. Their model takes about the whole budget, as the model of a 1 GB
/// trace does on the page.
const TRACE_BYTES: u64 = 10 << 20;
const BUDGET: Budget = Budget { bytes: 16 << 20 };
/// Memory that depends on the program and the screen, not on the trace: names, curves of all sites, and responses, the
/// largest of which is ten thousand stacks of about a hundred frames. A complete process may take 220 MiB for these in
/// addition to its budget.
const FIXED_BYTES: usize = 20 << 20;
const PIECE_BYTES: usize = 1 << 20;

#[test]
fn queries_stay_within_the_budget_in_any_order() {
    let _turn = turn();
    let trace = compiler_trace(1);
    let [first, second, third, fourth, fifth] = views();
    let forward = requests(&[first]);
    let mut backward = requests(&[second, third]);
    backward.reverse();
    let mixed = requests(&[fourth, fifth]);
    // Each request comes once, because 5 doesn't divide their number.
    let mixed = (0..mixed.len()).map(|nth| mixed[nth * 5 % mixed.len()].clone()).collect();
    let mut peaks = Peaks::default();
    for order in [forward, backward, mixed] {
        let base = MEMORY.current_usage();
        let mut session = Session::with_budget(BUDGET);
        peaks.measure(base, "load", || load(&mut session, Slot::Main, &trace));
        for request in &order {
            peaks.measure(base, &name(request), || drop(answer(&mut session, request)));
        }
    }
    peaks.check();
}

#[test]
fn a_second_trace_and_its_comparison_stay_within_the_same_budget() {
    let _turn = turn();
    let (before, after) = (compiler_trace(1), compiler_trace(2));
    let base = MEMORY.current_usage();
    let mut session = Session::with_budget(BUDGET);
    let mut peaks = Peaks::default();
    peaks.measure(base, "load", || load(&mut session, Slot::Main, &before));
    let flame = Request { view: view("", Measure::Allocated), question: flame(Direction::TopDown) };
    peaks.measure(base, &name(&flame), || drop(answer(&mut session, &flame)));
    peaks.measure(base, "load the second", || load(&mut session, Slot::Other, &after));
    let versus = Versus::Other { scale: Scale::AsIs };
    for question in [compare(versus), diff(versus)] {
        let request = Request { view: view("", Measure::Allocated), question };
        peaks.measure(base, &name(&request), || drop(answer(&mut session, &request)));
    }
    peaks.measure(base, &name(&flame), || drop(answer(&mut session, &flame)));
    peaks.check();
}

/// The peak memory of each step, above the usage before the session.
#[derive(Default)]
struct Peaks {
    steps: Vec<(String, usize)>,
}

impl Peaks {
    fn measure(&mut self, base: usize, name: &str, work: impl FnOnce()) {
        MEMORY.reset_peak_usage();
        work();
        let peak = MEMORY.peak_usage().saturating_sub(base);
        match self.steps.iter_mut().find(|(other, _)| other == name) {
            Some((_, most)) => *most = peak.max(*most),
            None => self.steps.push((name.to_owned(), peak)),
        }
    }

    fn check(&self) {
        let most = BUDGET.bytes + BUDGET.bytes / 4 + FIXED_BYTES;
        let megabytes = |bytes: usize| bytes as f64 / f64::from(1 << 20);
        let over: Vec<String> = self
            .steps
            .iter()
            .filter(|(_, peak)| *peak > most)
            .map(|(name, peak)| format!("{:8.1} MiB  {name}", megabytes(*peak)))
            .collect();
        assert!(
            over.is_empty(),
            "a budget of {:.0} MiB allows {:.1} MiB at any time; these took more:\n{}",
            megabytes(BUDGET.bytes),
            megabytes(most),
            over.join("\n")
        );
    }
}

/// Runs one test at a time, because the allocator counts for the whole process.
fn turn() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(PoisonError::into_inner)
}

fn compiler_trace(seed: u64) -> Vec<u8> {
    let extent = Extent::Bytes(TRACE_BYTES);
    let options = Options { shape: Shape::Compiler, extent, rate: 0.1, domains: 1, seed };
    let mut bytes = Vec::new();
    generate(&options, &mut bytes).expect("a trace");
    bytes
}

fn load(session: &mut Session, slot: Slot, trace: &[u8]) {
    session.begin(slot, Some(trace.len() as u64));
    for piece in trace.chunks(PIECE_BYTES) {
        session.push(piece).expect("a trace");
    }
    session.finish().expect("a trace");
}

/// Fails if the request is refused: it would take no memory and prove nothing.
fn answer(session: &mut Session, request: &Request) -> Answer {
    session.handle(request).expect("an answer")
}

/// The kind of query and the measure: `Flame(…` becomes `Flame of Allocated`.
fn name(request: &Request) -> String {
    let question = format!("{:?}", request.question);
    let kind = question.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
    let direction = if question.contains("Inverted") { ", inverted" } else { "" };
    format!("{kind}{direction} of {:?}, by {:?}", request.view.measure, request.view.grain)
}
