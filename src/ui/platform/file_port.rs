//! Reads a file for a worker that can't. On the port, `true` requests the next chunk, and `false` cancels the rest.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use gloo::events::EventListener;
use js_sys::{Array, ArrayBuffer, JsString};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, DomException, MessageChannel, MessageEvent, MessagePort};

/// The same chunk size as when the worker reads by itself.
const PIECE_BYTES: f64 = (1 << 20) as f64;

/// Returns the worker's port. A response is an `ArrayBuffer`, `null` at the end of the file, or the name of a browser
/// error.
pub fn serve(file: &Blob) -> Result<MessagePort, JsValue> {
    let channel = MessageChannel::new()?;
    let server = Rc::new(Server {
        file: file.clone(),
        offset: Cell::new(0.0),
        port: channel.port1(),
        listener: RefCell::new(None),
    });
    let asked = Rc::clone(&server);
    let listener = EventListener::new(&server.port, "message", move |event| {
        let asked = Rc::clone(&asked);
        let is_wanted = event.unchecked_ref::<MessageEvent>().data().is_truthy();
        spawn_local(async move { if is_wanted { asked.answer().await } else { asked.end() } });
    });
    *server.listener.borrow_mut() = Some(listener);
    server.port.start();
    Ok(channel.port2())
}

struct Server {
    file: Blob,
    offset: Cell<f64>,
    port: MessagePort,
    /// Keeps the server alive until the last response.
    listener: RefCell<Option<EventListener>>,
}

impl Server {
    async fn answer(&self) {
        let sent = match self.next_piece().await {
            Ok(Some(piece)) => self.port.post_message_with_transferable(&piece, &Array::of1(&piece)),
            Ok(None) => self.port.post_message(&JsValue::NULL).inspect(|()| self.end()),
            Err(error) => {
                let name = error.dyn_ref::<DomException>().map(DomException::name).unwrap_or_default();
                self.port.post_message(&JsString::from(name)).inspect(|()| self.end())
            }
        };
        // A fresh `ArrayBuffer`, `null` and a string can always be posted.
        drop(sent);
    }

    async fn next_piece(&self) -> Result<Option<ArrayBuffer>, JsValue> {
        let from = self.offset.get();
        let to = (from + PIECE_BYTES).min(self.file.size());
        // A deleted file appears to be empty. Reading it as a whole returns the error.
        let piece =
            if self.file.size() > 0.0 { self.file.slice_with_f64_and_f64(from, to)? } else { self.file.clone() };
        if from > 0.0 && from >= to {
            return Ok(None);
        }
        let buffer: ArrayBuffer = JsFuture::from(piece.array_buffer()).await?.unchecked_into();
        self.offset.set(to);
        Ok((buffer.byte_length() > 0).then_some(buffer))
    }

    fn end(&self) {
        self.listener.borrow_mut().take();
    }
}
