//! Any bytes, in any chunks: no panic, the same trace as in one piece, memory and time in proportion to the file.

#![no_main]

use std::time::{Duration, Instant};

use camlscope::load::{Loader, NotLoaded};
use camlscope::query::summary::summary;
use camlscope::trace::{Budget, Trace};
use libfuzzer_sys::fuzz_target;

/// Past this the model is thinned, so it bounds what a file can make us take, but for one stretch between two looks.
const BUDGET: Budget = Budget { bytes: 64 << 20 };

fuzz_target!(|input: (u16, &[u8])| {
    let (chunk_bytes, file) = input;
    let began = Instant::now();
    let chunked = load(file, usize::from(chunk_bytes).max(1));
    let taken = began.elapsed();
    // An undamaged trace takes some 10 ns a byte; three bytes can stand for 256 frames.
    let allowed = Duration::from_millis(500) + Duration::from_micros(20) * file.len() as u32;
    assert!(taken < allowed, "{taken:?} for {} bytes", file.len());

    let whole = load(file, file.len().max(1));
    assert_eq!(chunked.as_ref().map(summary), whole.as_ref().map(summary));
});

fn load(file: &[u8], chunk_bytes: usize) -> Result<Trace, NotLoaded> {
    let mut loader = Loader::new(Some(file.len() as u64), BUDGET);
    for chunk in file.chunks(chunk_bytes) {
        loader.push(chunk)?;
        assert!(loader.model_bytes() < 16 * BUDGET.bytes, "{} bytes of model", loader.model_bytes());
    }
    loader.finish()
}
