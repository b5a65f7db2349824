//! The program that the page is embedded in, if there is one (`www/host.js`, docs/embedding.md). A page with a host shows
//! only what the host sends, and tells it about the view.

use js_sys::{Array, Function, Object, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, MessagePort};

use super::delivery::of_page;
use camlscope_engine::query::tree::Place;
use camlscope_view::page::platform::host::HostMessage;

pub fn is_there() -> bool {
    host().is_some()
}

/// Calls back with the messages so far, and with all later ones.
pub fn listen(on_message: impl Fn(HostMessage) + 'static) {
    let taker = Closure::<dyn Fn(JsValue)>::new(move |message| {
        let message = serde_wasm_bindgen::from_value(message).ok().and_then(HostMessage::new);
        message.into_iter().for_each(&on_message);
    });
    call("listen", &taker.into_js_value());
}

/// Sends a message. Does nothing without a host.
pub fn post(kind: &str, fields: &[(&str, JsValue)]) {
    let message = object(fields);
    put(&message, "type", &kind.into());
    call("post", &message);
}

/// Asks the host to show a location.
pub fn show_source(file: &str, line: u32, place: Option<Place>) {
    let columns = place.map_or(JsValue::NULL, |place| {
        object(&[("start", place.start_char.into()), ("end", place.end_char.into())]).into()
    });
    post("source", &[("file", file.into()), ("line", line.into()), ("columns", columns)]);
}

/// Returns an object for a message.
pub fn object(fields: &[(&str, JsValue)]) -> Object {
    let object = Object::new();
    fields.iter().for_each(|(name, value)| put(&object, name, value));
    object
}

/// Returns a port from which the worker reads the host's file, and the list of objects to transfer.
pub fn file_for_worker(size: u64) -> Result<(JsValue, Array), JsValue> {
    let port: MessagePort = call("port", &JsValue::from(size as f64)).ok_or(JsValue::NULL)?.dyn_into()?;
    Ok((port.clone().into(), Array::of1(&port)))
}

/// Reads the host's whole file.
pub async fn file(size: u64) -> Option<Blob> {
    let blob = call("blob", &JsValue::from(size as f64))?;
    JsFuture::from(blob.dyn_into::<js_sys::Promise>().ok()?).await.ok()?.dyn_into().ok()
}

fn host() -> Option<JsValue> {
    of_page("host").filter(JsValue::is_object)
}

fn call(method: &str, argument: &JsValue) -> Option<JsValue> {
    let host = host()?;
    let method: Function = Reflect::get(&host, &method.into()).ok()?.dyn_into().ok()?;
    method.call1(&host, argument).ok()
}

fn put(object: &Object, name: &str, value: &JsValue) {
    // A new object accepts every property.
    let _ = Reflect::set(object, &name.into(), value);
}
