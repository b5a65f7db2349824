//! Memory that is touched for the first time is cleared by the system, page by page: an eighth of a first load's time. A
//! user who drags a file over the page, or looks for it in the browser's dialog, takes longer than that, so the worker
//! touches memory meanwhile; not before, since an idle page should take little.

use std::rc::Rc;

use super::WorkerContext;
use super::yield_to_events::yield_to_events;

/// What is touched in one turn: a few milliseconds.
const PIECE_BYTES: usize = 8 << 20;
/// Together what the model of a trace of some 120 MB takes.
const PIECES: usize = 24;

/// Touches memory, turn by turn, until there is enough or a load has come. Then all is given back at once: to the worker's
/// own heap, which keeps it.
pub(super) async fn touch(context: Rc<WorkerContext>) {
    let mut pieces = Vec::new();
    while context.current.get().is_none() && pieces.len() < PIECES {
        // Not zero: that could be had without touching it.
        pieces.push(vec![1_u8; PIECE_BYTES]);
        yield_to_events().await;
    }
}
