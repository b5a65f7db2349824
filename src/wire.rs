//! How messages travel between page and worker: one JavaScript object, the message as bytes under one key and, beside those
//! that need one, an object of the browser's under another: [`ToWorker::Open`](camlscope_engine::protocol::ToWorker::Open) comes with
//! a file.
//!
//! Both sides use this file, so they cannot disagree.

use js_sys::{Date, Uint8Array};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, File};

use camlscope_engine::protocol::{NotUnderstood, RequestId, encoding};

#[derive(Serialize, Deserialize)]
struct Envelope {
    /// Copied here rather than by serde: its copy goes through a view of WebAssembly's memory, which does not survive that
    /// memory growing at that moment.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    message: Uint8Array,
    #[serde(with = "serde_wasm_bindgen::preserve", default)]
    beside: JsValue,
}

/// The object to post. `beside` is undefined where the message comes alone.
pub fn encode<T: Serialize>(message: &T, beside: JsValue) -> Result<JsValue, NotUnderstood> {
    let envelope = Envelope { message: Uint8Array::from(&encoding::encode(message)?[..]), beside };
    serde_wasm_bindgen::to_value(&envelope).map_err(|_| NotUnderstood)
}

/// What a posted object holds.
pub fn decode<T: DeserializeOwned>(data: JsValue) -> Result<(T, JsValue), NotUnderstood> {
    let Envelope { message, beside } = serde_wasm_bindgen::from_value(data).map_err(|_| NotUnderstood)?;
    Ok((encoding::decode(&message.to_vec())?, beside))
}

/// The load that [`EarlyOpen`] begins. The page numbers its own loads from 1.
pub const EARLY_LOAD: RequestId = RequestId(0);

/// A file that `boot.js` has the worker open before the page's program has arrived.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlyOpen {
    #[serde(with = "serde_wasm_bindgen::preserve", default)]
    pub file: JsValue,
    /// Of a file on the page's own host; there is no file then.
    #[serde(default)]
    pub address: Option<String>,
    /// The browser gives handles to files, so the page can look at this one again.
    pub has_handles: bool,
}

#[derive(Deserialize)]
struct EarlyEnvelope {
    early: EarlyOpen,
}

/// The file in a posted object, if `boot.js` posted it.
pub fn decode_early(data: &JsValue) -> Option<EarlyOpen> {
    serde_wasm_bindgen::from_value(data.clone()).ok().map(|EarlyEnvelope { early }| early)
}

/// Whether a file was written so lately that a program may still be at it.
pub fn is_fresh(file: &Blob) -> bool {
    /// A program that allocates little fills a packet in this time.
    const LATELY_MS: f64 = 60_000.0;
    file.dyn_ref::<File>().is_some_and(|file| Date::now() - file.last_modified() < LATELY_MS)
}
