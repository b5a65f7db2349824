//! Loads data that a program has written since its trace was opened.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use js_sys::Uint8Array;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::Blob;

use super::WorkerContext;
use super::download::Download;
use super::source::{ByteSource, FileSource, Pieces};
use camlscope_engine::protocol::{FromWorker, Slot};
use camlscope_engine::query::summary::Summary;

/// Enough bytes to include the start time and the process of a trace.
const HEAD_BYTES: usize = 256;

/// The worker's information about the open files.
#[derive(Default)]
pub(super) struct OpenFiles {
    /// The first bytes of the main and the other trace, to detect when a file was overwritten by another run.
    heads: RefCell<(Vec<u8>, Vec<u8>)>,
    is_following: Cell<bool>,
}

impl OpenFiles {
    /// Stores the first bytes of a load.
    pub(super) fn begin(&self, slot: Slot, piece: &[u8]) {
        let (main, other) = &mut *self.heads.borrow_mut();
        let head = if slot == Slot::Main { main } else { other };
        *head = piece[..piece.len().min(HEAD_BYTES)].to_vec();
    }

    pub(super) fn swap(&self) {
        let (main, other) = &mut *self.heads.borrow_mut();
        std::mem::swap(main, other);
    }
}

/// A file that a program is writing.
pub(super) enum LiveFile {
    File(Blob),
    /// The URL of a file on the page's own server, which must support requests for parts of it.
    Address(String),
}

/// Why a trace can't be followed any further.
enum NotFollowed {
    /// The file was overwritten by another run.
    Another,
    CannotGrow,
}

/// Loads the new data in a file. Does nothing while an earlier call is still reading, because the page will check
/// again.
pub(super) fn take(context: &Rc<WorkerContext>, file: LiveFile) {
    if context.open_files.is_following.replace(true) {
        return;
    }
    let context = Rc::clone(context);
    spawn_local(async move {
        let began = context.now_ms();
        let outcome = follow(&context, file).await;
        context.open_files.is_following.set(false);
        match outcome {
            Ok(Some(summary)) => {
                let (names, ends_inside_packet) = {
                    let session = context.session.borrow();
                    (session.prominent_names(Slot::Main), session.ends_inside_packet(Slot::Main))
                };
                let (summary, took_ms) = (Box::new(summary), context.now_ms() - began);
                context.post(&FromWorker::Followed { summary, names, ends_inside_packet, took_ms });
            }
            Ok(None) => {}
            Err(why) => {
                context.post(&FromWorker::NotFollowed { is_another: matches!(why, NotFollowed::Another) });
            }
        }
    });
}

/// Returns `None` if there is no new data, or another load has started in the meantime.
async fn follow(context: &WorkerContext, file: LiveFile) -> Result<Option<Summary>, NotFollowed> {
    let began_with = context.open_files.heads.borrow().0.clone();
    // If the file is changing while it is read, try again at the next check.
    let Some((head, bytes)) = file.head(context, began_with.len()).await else { return Ok(None) };
    if head != began_with {
        return Err(NotFollowed::Another);
    }
    let Some(mut taken) = context.session.borrow().bytes_taken(Slot::Main) else {
        return Err(NotFollowed::CannotGrow);
    };
    if bytes < taken {
        return Err(NotFollowed::Another);
    }
    if bytes == taken {
        return Ok(None);
    }
    let Some(rest) = file.rest(context, taken).await else { return Ok(None) };
    let Ok(mut pieces) = Pieces::new(rest) else { return Ok(None) };
    let mut now = None;
    while let Ok(Some(piece)) = pieces.next().await {
        let mut session = context.session.borrow_mut();
        if context.current.get().is_some() || session.bytes_taken(Slot::Main) != Some(taken) {
            return Ok(None);
        }
        if !session.can_follow(Slot::Main) {
            return Err(NotFollowed::CannotGrow);
        }
        taken += piece.len() as u64;
        now = Some(session.append(Slot::Main, piece).map_err(|_| NotFollowed::CannotGrow)?);
    }
    Ok(now)
}

impl LiveFile {
    /// Returns the first bytes and the current size, or `None` if the file can't be read now.
    async fn head(&self, context: &WorkerContext, len: usize) -> Option<(Vec<u8>, u64)> {
        match self {
            LiveFile::File(file) => {
                let part = file.slice_with_f64_and_f64(0.0, len as f64).ok()?;
                let buffer = JsFuture::from(part.array_buffer()).await.ok()?;
                Some((Uint8Array::new(&buffer).to_vec(), file.size() as u64))
            }
            LiveFile::Address(address) => {
                let part = format!("bytes=0-{}", len.saturating_sub(1));
                let head = Download::start(&context.scope, address.clone(), Some(&part)).await.ok()?;
                let bytes = head.part_of()?;
                Some((head.bytes().await?, bytes))
            }
        }
    }

    /// Returns what follows the first `taken` bytes.
    async fn rest(&self, context: &WorkerContext, taken: u64) -> Option<ByteSource> {
        match self {
            LiveFile::File(file) => {
                let rest = file.slice_with_f64_and_f64(taken as f64, file.size()).ok()?;
                let bytes_total = rest.size() as u64;
                Some(ByteSource::File(FileSource { bytes_total, file: rest.into(), whole: None }))
            }
            LiveFile::Address(address) => {
                let part = format!("bytes={taken}-");
                let rest = Download::start(&context.scope, address.clone(), Some(&part)).await.ok()?;
                rest.part_of()?;
                Some(ByteSource::Download(rest))
            }
        }
    }
}
