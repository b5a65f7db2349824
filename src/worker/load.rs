//! A single load, from the first chunk of the file to the response.
//!
//! The load regularly yields to the browser's event loop to receive messages. If it was canceled, it ends silently.

use std::rc::Rc;

use super::download::Download;
use super::source::{ByteSource, FileSource, Pieces};
use super::yield_to_events::yield_to_events;
use super::{LISTENS_EVERY_MS, WorkerContext};
use camlscope_engine::protocol::{Error, FromWorker, LoadTiming, RequestId, Slot};
use camlscope_engine::query::summary::Summary;
use camlscope_engine::session::Session;

const PROGRESS_EVERY_MS: f64 = 100.0;
const LOOK_EVERY_MS: f64 = 200.0;
/// Creating previews may take 1 part in this many of the load's time.
const LOOK_COST: f64 = 20.0;

/// The input of a load.
pub(super) enum Input {
    /// `may_grow` means that a program may still be writing the file.
    File { file: FileSource, may_grow: bool },
    /// The URL of a file on the page's own server, which may grow in the same way.
    Address { address: String, may_grow: bool },
}

pub(super) async fn load(context: Rc<WorkerContext>, id: RequestId, slot: Slot, input: Input) {
    let outcome = run(&context, id, slot, input).await;
    if context.current.get() != Some(id) {
        return;
    }
    context.current.set(None);
    match outcome {
        Ok(Some((summary, timing))) => {
            let (names, ends_inside_packet) = {
                let session = context.session.borrow();
                (session.prominent_names(slot), session.ends_inside_packet(slot))
            };
            let summary = Box::new(summary);
            context.post(&FromWorker::Opened { id, slot, summary, names, timing, ends_inside_packet });
        }
        Ok(None) => {}
        Err(error) => {
            context.session.borrow_mut().cancel();
            context.post(&FromWorker::Failed { id, error, still_open: context.is_open() });
        }
    }
}

/// Returns `None` if the load was canceled.
async fn run(
    context: &WorkerContext,
    id: RequestId,
    slot: Slot,
    input: Input,
) -> Result<Option<(Summary, LoadTiming)>, Error> {
    let began = context.now_ms();
    let mut decode_ms = 0.0;
    let (mut reported, mut listened) = (began, began);
    let mut next_look = began + LOOK_EVERY_MS;
    let (source, may_grow) = match input {
        Input::File { file, may_grow } => (ByteSource::File(file), may_grow),
        Input::Address { address, may_grow } => {
            (ByteSource::Download(Download::start(&context.scope, address, None).await?), may_grow)
        }
    };
    let (bytes_total, whole) = (source.bytes_total(), source.whole());
    let mut pieces = Pieces::new(source)?;
    if context.current.get() != Some(id) {
        pieces.stop();
        return Ok(None);
    }
    context.session.borrow_mut().begin_copy(slot, bytes_total, whole);

    while let Some(piece) = pieces.next().await? {
        if context.current.get() != Some(id) {
            pieces.stop();
            return Ok(None);
        }
        if context.session.borrow().progress().bytes_read == 0 {
            context.open_files.begin(slot, piece);
        }
        let before = context.now_ms();
        context.session.borrow_mut().push(piece)?;
        let now = context.now_ms();
        decode_ms += now - before;
        if now - reported >= PROGRESS_EVERY_MS {
            reported = now;
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
    let summary = finish(&mut context.session.borrow_mut(), may_grow)?;
    let now = context.now_ms();
    let timing = LoadTiming { total_ms: now - began, decode_ms: decode_ms + now - before };
    Ok(Some((summary, timing)))
}

fn finish(session: &mut Session, may_grow: bool) -> Result<Summary, Error> {
    if may_grow { session.pause() } else { session.finish() }
}
