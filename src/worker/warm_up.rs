//! Browsers first compile WebAssembly quickly, and later replace hot functions with optimized code. Without a warm-up,
//! that happens during the first second of the first load, which then takes twice as long. So while the user is still
//! on the start screen, the worker repeatedly decodes a tiny trace, in short slices that a real file interrupts at
//! once.

use std::rc::Rc;

use super::WorkerContext;
use super::yield_to_events::yield_to_events;
use camlscope_view::page::worker::warm_up::load_repeated;

/// The length of a slice, which is also the longest time that a message waits.
const TURN_MS: f64 = 8.0;
/// The total length of the warm-up.
const TOTAL_MS: f64 = 400.0;

/// Stops when a load has started.
pub(super) async fn warm_up(context: Rc<WorkerContext>) {
    let mut spent_ms = 0.0;
    while context.current.get().is_none() && spent_ms < TOTAL_MS {
        let began = context.now_ms();
        while context.now_ms() - began < TURN_MS {
            // The result is irrelevant.
            drop(load_repeated());
        }
        spent_ms += context.now_ms() - began;
        yield_to_events().await;
    }
}
