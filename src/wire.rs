//! How messages travel between page and worker: one JavaScript object, the message as bytes under one key and, beside
//! [`ToWorker::Open`](crate::protocol::ToWorker::Open), the browser's `File` under another.
//!
//! Both sides use this file, so they cannot disagree.

use js_sys::Uint8Array;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

use crate::protocol::{NotUnderstood, packing};

#[derive(Serialize, Deserialize)]
struct Envelope {
    /// Copied here rather than by serde: its copy goes through a view of WebAssembly's memory, which does not survive that
    /// memory growing at that moment.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    message: Uint8Array,
    #[serde(with = "serde_wasm_bindgen::preserve", default)]
    file: JsValue,
}

/// The object to post.
pub fn pack<T: Serialize>(message: &T, file: Option<&Blob>) -> Result<JsValue, NotUnderstood> {
    let file = file.map_or(JsValue::UNDEFINED, |file| file.into());
    let envelope = Envelope { message: Uint8Array::from(&packing::pack(message)?[..]), file };
    serde_wasm_bindgen::to_value(&envelope).map_err(|_| NotUnderstood)
}

/// What a posted object holds.
pub fn unpack<T: DeserializeOwned>(data: JsValue) -> Result<(T, Option<Blob>), NotUnderstood> {
    let Envelope { message, file } = serde_wasm_bindgen::from_value(data).map_err(|_| NotUnderstood)?;
    Ok((packing::unpack(&message.to_vec())?, file.dyn_into().ok()))
}
