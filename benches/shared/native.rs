//! Builds the model natively. Other times are compared with this.

use std::hint::black_box;
use std::time::Instant;

use camlscope_engine::load::{Loader, Model};
use camlscope_engine::trace::{Budget, Trace};

/// The size of the worker's buffer.
pub const PIECE_BYTES: usize = 1 << 20;

/// Returns how many seconds `make` takes, without dropping its result.
pub fn timed<T>(make: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    let made = black_box(make());
    let taken = began.elapsed().as_secs_f64();
    drop(made);
    taken
}

/// Loads the model, and raises `peak_bytes` to the peak memory of the load.
pub fn load(bytes: &[u8], peak_bytes: &mut usize) -> Trace {
    let mut loader = Loader::new(Some(bytes.len() as u64), Budget::default());
    for piece in bytes.chunks(PIECE_BYTES) {
        loader.push(piece).expect("a trace");
        *peak_bytes = loader.model_bytes().max(*peak_bytes);
    }
    match loader.finish().expect("a valid file") {
        Model::Trace(trace) => *trace,
        Model::Profile(_) => panic!("expected a trace, not a profile"),
    }
}
