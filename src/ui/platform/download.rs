//! Saves files that are generated in the page, without sending anything to a server.

use gloo::timers::callback::Timeout;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, HtmlElement, Url};

/// By then, the browser has read the file.
const KEPT_MS: u32 = 60_000;

/// The error if a file can't be saved.
pub const TOO_LARGE: &str = "The file is too large for the browser's memory. Narrow the filter and try again.";

/// Saves a text file from its pieces. Fails if the browser has no memory for it.
pub fn save(name: &str, pieces: &Array) -> Result<(), JsValue> {
    let kind = BlobPropertyBag::new();
    kind.set_type("text/plain;charset=utf-8");
    save_blob(name, &Blob::new_with_str_sequence_and_options(pieces, &kind)?)
}

/// Saves a binary file. Fails if the browser has no memory for it.
pub fn save_bytes(name: &str, bytes: &[u8]) -> Result<(), JsValue> {
    save_blob(name, &Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(bytes)))?)
}

pub fn save_blob(name: &str, blob: &Blob) -> Result<(), JsValue> {
    let address = Url::create_object_url_with_blob(blob)?;
    let link = gloo::utils::document().create_element("a")?;
    link.set_attribute("href", &address)?;
    link.set_attribute("download", name)?;
    if let Some(link) = link.dyn_ref::<HtmlElement>() {
        link.click();
    }
    Timeout::new(KEPT_MS, move || {
        let _ = Url::revoke_object_url(&address);
    })
    .forget();
    Ok(())
}
