//! Fixtures for several test suites, and the invariants that every trace must satisfy, however damaged its file.

use std::fs;
use std::path::{Path, PathBuf};

use camlscope_engine::load::{Loader, Model, NotLoaded};
use camlscope_engine::protocol::Slot;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::session::Session;
use camlscope_engine::trace::{Budget, GcTimeId, StackId, Trace};

/// Returns the folder of real traces and profiles, each with its reference facts.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures")
}

pub fn fixture_path(name: &str) -> PathBuf {
    folder().join(format!("{name}.ctf"))
}

pub fn fixture(name: &str) -> Vec<u8> {
    fs::read(fixture_path(name)).expect("fixture")
}

pub fn load(bytes: &[u8], chunk_bytes: usize, budget: Budget) -> Result<Trace, NotLoaded> {
    let mut loader = Loader::new(Some(bytes.len() as u64), budget);
    for chunk in bytes.chunks(chunk_bytes.max(1)) {
        loader.push(chunk)?;
    }
    match loader.finish()? {
        Model::Trace(trace) => Ok(*trace),
        Model::Profile(_) => panic!("a trace is not taken for a profile"),
    }
}

/// Opens a file in one slot of a session.
pub fn open_in(session: &mut Session, slot: Slot, bytes: &[u8]) -> Summary {
    session.begin(slot, Some(bytes.len() as u64));
    session.push(bytes).expect("a trace or a profile");
    session.finish().expect("a trace or a profile")
}

/// Returns a session with this file open.
pub fn opened(bytes: &[u8]) -> Session {
    let mut session = Session::new();
    open_in(&mut session, Slot::Main, bytes);
    session
}

/// Panics with a message if the model violates an invariant that queries rely on.
pub fn check_invariants(trace: &Trace) {
    let mut last_us = 0;
    let mut live_samples = 0;
    for (at, row) in trace.columns.iter() {
        assert!(row.alloc_us >= last_us, "rows must be in time order");
        last_us = row.alloc_us;
        assert!((row.stack.0 as usize) < trace.calls.stacks.len(), "a row's stack must exist");
        match trace.gc_times.end_us(row.end) {
            None => live_samples += row.n_samples,
            Some(end_us) => {
                assert!(end_us >= row.alloc_us, "{at:?} must end after it begins");
                assert!(trace.gc_times.rows_before(row.end) > at.0, "{at:?} must be allocated before it ends");
            }
        }
        if let Some(time) = trace.promotions.of(at) {
            assert!(row.promoted, "{at:?} has a promotion but isn't marked as promoted");
            assert!(row.end == GcTimeId::NEVER || time <= row.end, "{at:?} must be promoted before it ends");
        } else {
            assert!(!row.promoted, "{at:?} is marked as promoted but has no promotion");
        }
    }
    let times = || (0..trace.gc_times.len() as u32).map(GcTimeId);
    assert!(times().is_sorted_by_key(|time| trace.gc_times.time_us(time)), "times must be in time order");
    assert!(times().is_sorted_by_key(|time| trace.gc_times.rows_before(time)), "times must be in row order");
    for (id, parent, _) in trace.calls.stacks.iter() {
        assert!(parent < id || id == StackId::EMPTY, "a parent must come before its child");
    }
    assert_eq!(live_samples * u64::from(trace.downsampled), trace.totals.live_at_end_samples);
    if trace.downsampled == 1 {
        assert_eq!(trace.columns.len() as u64, trace.totals.alloc_events.total());
        assert!(trace.totals.peak.samples <= trace.totals.alloc_samples.total());
    }
    assert!(trace.totals.peak.samples >= trace.totals.live_at_end_samples);
}
