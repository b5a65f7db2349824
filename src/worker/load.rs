//! One load, from the first piece of the file to the answer.
//!
//! Every now and then the browser's event loop runs: a Cancel that came meanwhile has then been heard, and the load ends
//! without another word.

use std::rc::Rc;

use web_sys::Blob;

use super::source::Pieces;
use super::yield_to_events::yield_to_events;
use super::{LISTENS_EVERY_MS, WorkerContext};
use crate::protocol::{FromWorker, LoadTiming, RequestId, Slot, UserError};
use crate::query::summary::Summary;

const PROGRESS_EVERY_MS: f64 = 100.0;
const LOOK_EVERY_MS: f64 = 200.0;
/// Describing the trace so far may take 1 part in this many of the load's time.
const LOOK_COST: f64 = 20.0;

pub(super) async fn load(context: Rc<WorkerContext>, id: RequestId, slot: Slot, file: Blob) {
    let outcome = run(&context, id, slot, file).await;
    if context.current.get() != Some(id) {
        return;
    }
    context.current.set(None);
    match outcome {
        Ok(Some((summary, timing))) => {
            let places = context.session.borrow().places(slot);
            context.post(&FromWorker::Opened { id, slot, summary: Box::new(summary), places, timing });
        }
        Ok(None) => {}
        Err(error) => {
            context.session.borrow_mut().cancel();
            context.post(&FromWorker::Failed { id, error, still_open: context.is_open() });
        }
    }
}

/// `None` when the load was given up on the way.
async fn run(
    context: &WorkerContext,
    id: RequestId,
    slot: Slot,
    file: Blob,
) -> Result<Option<(Summary, LoadTiming)>, UserError> {
    let began = context.now_ms();
    let mut decode_ms = 0.0;
    let (mut told, mut listened) = (began, began);
    let mut next_look = began + LOOK_EVERY_MS;
    let mut pieces = Pieces::new(file)?;
    context.session.borrow_mut().begin(slot, Some(pieces.bytes_total()));

    while let Some(piece) = pieces.next().await? {
        if context.current.get() != Some(id) {
            pieces.stop();
            return Ok(None);
        }
        let before = context.now_ms();
        context.session.borrow_mut().push(piece)?;
        let now = context.now_ms();
        decode_ms += now - before;
        if now - told >= PROGRESS_EVERY_MS {
            told = now;
            let mut progress = context.session.borrow().progress();
            progress.elapsed_ms = now - began;
            context.post(&FromWorker::Progress { id, progress });
        }
        if now >= next_look {
            if let Some(so_far) = context.session.borrow().so_far() {
                context.post(&FromWorker::SoFar { id, so_far });
            }
            let took_ms = context.now_ms() - now;
            next_look = now + (took_ms * LOOK_COST).max(LOOK_EVERY_MS);
        }
        if now - listened >= LISTENS_EVERY_MS {
            yield_to_events().await;
            listened = context.now_ms();
        }
    }
    if context.current.get() != Some(id) {
        return Ok(None);
    }
    let before = context.now_ms();
    let summary = context.session.borrow_mut().finish()?;
    let now = context.now_ms();
    let timing = LoadTiming { total_ms: now - began, decode_ms: decode_ms + now - before };
    Ok(Some((summary, timing)))
}
