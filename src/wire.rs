//! How messages travel between page and worker: one JavaScript object, the message as bytes under one key and, beside those
//! that need one, an object of the browser's under another: [`ToWorker::Open`](camlscope_engine::protocol::ToWorker::Open) comes with
//! a file.
//!
//! Both sides use this file, so they cannot disagree.

use js_sys::Uint8Array;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;

use camlscope_engine::protocol::{NotUnderstood, encoding};

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
