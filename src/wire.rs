//! How messages travel between page and worker: one JavaScript object, the message under one key and, beside
//! [`ToWorker::Open`](crate::protocol::ToWorker::Open), the browser's `File` under another.
//!
//! Both sides use this file, so they cannot disagree. Whole numbers of 64 bits travel as `BigInt`: a `Number` would
//! round counts above 2⁵³.

use js_sys::{Object, Reflect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_wasm_bindgen::Serializer;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::Blob;

pub const MESSAGE: &str = "message";
pub const FILE: &str = "file";

/// What cannot be packed or unpacked: page and worker are of different builds, or one of them is wrong.
#[derive(Debug, thiserror::Error)]
#[error("a message between page and worker could not be understood: {0}")]
pub struct WireError(String);

/// The object to post.
pub fn pack<T: Serialize>(message: &T, file: Option<&Blob>) -> Result<JsValue, WireError> {
    let envelope = Object::new();
    set(&envelope, MESSAGE, &to_js(message)?)?;
    if let Some(file) = file {
        set(&envelope, FILE, file)?;
    }
    Ok(envelope.into())
}

/// What a posted object holds.
pub fn unpack<T: DeserializeOwned>(data: &JsValue) -> Result<(T, Option<Blob>), WireError> {
    let message = from_js(get(data, MESSAGE)?)?;
    let file = get(data, FILE)?.dyn_into::<Blob>().ok();
    Ok((message, file))
}

pub fn to_js<T: Serialize>(value: &T) -> Result<JsValue, WireError> {
    let serializer = Serializer::new().serialize_large_number_types_as_bigints(true);
    value.serialize(&serializer).map_err(|error| WireError(error.to_string()))
}

pub fn from_js<T: DeserializeOwned>(value: JsValue) -> Result<T, WireError> {
    serde_wasm_bindgen::from_value(value).map_err(|error| WireError(error.to_string()))
}

fn set(object: &Object, key: &str, value: &JsValue) -> Result<(), WireError> {
    Reflect::set(object, &key.into(), value).map(drop).map_err(|error| WireError(format!("{error:?}")))
}

fn get(data: &JsValue, key: &str) -> Result<JsValue, WireError> {
    Reflect::get(data, &key.into()).map_err(|error| WireError(format!("{error:?}")))
}
