//! The model, built natively: what all other times are held against.

use std::hint::black_box;
use std::time::Instant;

use camlscope_engine::load::{Loader, Model};
use camlscope_engine::trace::{Budget, Trace};

/// What the page's worker reads at a time.
pub const PIECE_BYTES: usize = 1 << 20;

/// The seconds that it takes to make something. Giving it back is not part of that.
pub fn timed<T>(make: impl FnOnce() -> T) -> f64 {
    let began = Instant::now();
    let made = black_box(make());
    let taken = began.elapsed().as_secs_f64();
    drop(made);
    taken
}

/// The whole model; `peak_bytes` becomes the most that it took on the way.
pub fn load(bytes: &[u8], peak_bytes: &mut usize) -> Trace {
    let mut loader = Loader::new(Some(bytes.len() as u64), Budget::default());
    for piece in bytes.chunks(PIECE_BYTES) {
        loader.push(piece).expect("a trace");
        *peak_bytes = loader.model_bytes().max(*peak_bytes);
    }
    match loader.finish().expect("opens") {
        Model::Trace(trace) => *trace,
        Model::Profile(_) => panic!("a trace is not taken for a profile"),
    }
}
