//! When memory is touched for the first time, the operating system clears it page by page, which takes an eighth of a
//! first load's time. Dragging a file or choosing one in the file picker takes longer than that, so the worker touches
//! memory during that time. It doesn't do so earlier, because an idle page should use little memory.

use std::rc::Rc;

use super::WorkerContext;
use super::yield_to_events::yield_to_events;

/// The amount to touch at a time, which takes a few milliseconds.
const PIECE_BYTES: usize = 8 << 20;
/// Together enough for the model of a trace of some 120 MB.
const PIECES: usize = 24;

/// Touches memory step by step, until there is enough or a load has started. Then all of it is freed to the worker's
/// own heap, which keeps it.
pub(super) async fn touch(context: Rc<WorkerContext>) {
    let mut pieces = Vec::new();
    while context.current.get().is_none() && pieces.len() < PIECES {
        // Nonzero, because zeroed memory could be allocated without touching it.
        pieces.push(vec![1_u8; PIECE_BYTES]);
        yield_to_events().await;
    }
}
