//! The format of messages between page and worker: a JavaScript object with the message as bytes and, for messages that
//! need one, a browser object next to it. For example, [`ToWorker::Open`](camlscope_engine::protocol::ToWorker::Open)
//! comes with a file.
//!
//! Both sides use this module, so they always agree.

use js_sys::{Date, Uint8Array};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, File};

use camlscope_engine::protocol::{NotUnderstood, RequestId, encoding};

#[derive(Serialize, Deserialize)]
struct Envelope {
    /// Copied by us instead of serde, which copies through a view of WebAssembly memory. That view becomes invalid if
    /// the memory grows during the copy.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    message: Uint8Array,
    #[serde(with = "serde_wasm_bindgen::preserve", default)]
    beside: JsValue,
}

/// Returns the object to post. `beside` is undefined if the message has no browser object.
pub fn encode<T: Serialize>(message: &T, beside: JsValue) -> Result<JsValue, NotUnderstood> {
    let envelope = Envelope { message: Uint8Array::from(&encoding::encode(message)?[..]), beside };
    serde_wasm_bindgen::to_value(&envelope).map_err(|_| NotUnderstood)
}

/// Returns the contents of a posted object.
pub fn decode<T: DeserializeOwned>(data: JsValue) -> Result<(T, JsValue), NotUnderstood> {
    let Envelope { message, beside } = serde_wasm_bindgen::from_value(data).map_err(|_| NotUnderstood)?;
    Ok((encoding::decode(&message.to_vec())?, beside))
}

/// The ID of the load that [`EarlyOpen`] starts. The page's own loads start at 1.
pub const EARLY_LOAD: RequestId = RequestId(0);

/// A file that `boot.js` sends to the worker before the app has loaded.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EarlyOpen {
    #[serde(with = "serde_wasm_bindgen::preserve", default)]
    pub file: JsValue,
    /// The URL of a file on the page's own server, if there is no local file.
    #[serde(default)]
    pub address: Option<String>,
    /// Whether the browser supports file handles, so that the page can check the file for changes.
    pub has_handles: bool,
}

#[derive(Deserialize)]
struct EarlyEnvelope {
    early: EarlyOpen,
}

/// Returns the file in a posted object, if `boot.js` posted it.
pub fn decode_early(data: &JsValue) -> Option<EarlyOpen> {
    serde_wasm_bindgen::from_value(data.clone()).ok().map(|EarlyEnvelope { early }| early)
}

/// Whether a file was modified so recently that a program may still be writing it.
pub fn is_fresh(file: &Blob) -> bool {
    /// Enough time to fill a packet, even for a program that allocates little.
    const LATELY_MS: f64 = 60_000.0;
    file.dyn_ref::<File>().is_some_and(|file| Date::now() - file.last_modified() < LATELY_MS)
}
