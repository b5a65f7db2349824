//! Loads any bytes as a file. Nothing panics, the model doesn't depend on the chunks, and memory and work are proportional to the
//! size of the file. A written copy of the model reads back the same.

#![no_main]

mod input;

use camlscope_present::export::{TraceConfig, write_trace};
use camlscope_engine::load::{Loader, Model, NotLoaded};
use camlscope_engine::query::profile::profile_summary;
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::summary::{Summary, summary};
use camlscope_engine::trace::{Budget, Trace};
use input::number_and_rest;
use libfuzzer_sys::fuzz_target;

/// Larger models are downsampled, so this limits the memory that a file takes between two checks.
const BUDGET: Budget = Budget { bytes: 64 << 20 };

/// Three bytes can encode 256 frames.
const MAX_FRAMES_PER_BYTE: usize = 100;

fuzz_target!(|input: &[u8]| {
    let (chunk_bytes, file) = number_and_rest(input);
    let chunked = load(file, chunk_bytes.max(1));
    let whole = load(file, file.len().max(1));
    assert_eq!(chunked.as_ref().map(summary_of), whole.as_ref().map(summary_of));
    if let Ok(Model::Trace(trace)) = whole {
        let n_stacks = trace.calls.stacks.len();
        assert!(n_stacks <= MAX_FRAMES_PER_BYTE * trace.bytes as usize + 1, "{n_stacks} stacks");
        assert!(trace.columns.len() as u64 <= trace.bytes, "more objects than bytes");
        check_copy(&trace);
    }
});

fn load(file: &[u8], chunk_bytes: usize) -> Result<Model, NotLoaded> {
    let mut loader = Loader::new(Some(file.len() as u64), BUDGET);
    for chunk in file.chunks(chunk_bytes) {
        loader.push(chunk)?;
        assert!(loader.model_bytes() < 16 * BUDGET.bytes, "{} bytes of model", loader.model_bytes());
    }
    loader.finish()
}

fn summary_of(model: &Model) -> Summary {
    match model {
        Model::Trace(trace) => summary(trace),
        Model::Profile(profile) => profile_summary(profile),
    }
}

fn check_copy(trace: &Trace) {
    let mut copy = Vec::new();
    let config = TraceConfig { one_in: 1, anonymize: None };
    if write_trace(trace, &Selection::all(trace.columns.len()), config, &mut copy).is_err() || trace.downsampled > 1 {
        return;
    }
    let Ok(Model::Trace(read)) = load(&copy, copy.len()) else { panic!("the copy isn't a trace") };
    assert_eq!(read.totals.alloc_events, trace.totals.alloc_events);
    assert_eq!(read.totals.alloc_samples, trace.totals.alloc_samples);
    assert_eq!(read.totals.live_at_end_samples, trace.totals.live_at_end_samples);
}
