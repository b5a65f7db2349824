//! How the page was delivered: as files on a server, or as a single file (`camlscope.html` or a report). All
//! differences between the two are handled here.

use js_sys::{Array, Function, JsString, Promise, Reflect, Uint8Array};
use serde::Deserialize;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Element, File, RequestCache, RequestInit, Response, Worker};

use super::{file_port, page_config, recent_files};
use camlscope_present::export::{HEADER_ID, SOURCES_ID, TRACE_ID};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delivery {
    Site,
    OneFile,
}

fn delivery() -> Delivery {
    if element(GLUE).is_some() { Delivery::OneFile } else { Delivery::Site }
}

/// IDs of elements in the single-file page, written by the build.
const GLUE: &str = "camlscope-glue";
const SAMPLE: &str = "camlscope-sample";

/// A worker, and how it was started.
#[derive(Deserialize)]
pub struct StartedWorker {
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub worker: Worker,
    /// The URL of the blob it was started from.
    pub url: String,
    /// Events received so far. The first worker starts before this program.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub events: Array,
}

pub fn start_worker() -> Result<StartedWorker, String> {
    let in_words = |error: JsValue| format!("{error:?}");
    let start: Function =
        of_page("startWorker").and_then(|start| start.dyn_into().ok()).ok_or("the page is damaged")?;
    let started = start.call0(&JsValue::UNDEFINED).map_err(in_words)?;
    serde_wasm_bindgen::from_value(started).map_err(|error| error.to_string())
}

/// A user's request on the start screen, which works before this program has loaded.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct StartRequest {
    #[serde(with = "serde_wasm_bindgen::preserve")]
    files: Array,
    /// One entry per file: a handle, a promise of one, or nothing.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    handles: Array,
    /// The number of dropped folders.
    pub folders: usize,
    pub is_sample: bool,
    /// The URL names a trace.
    pub is_named: bool,
    /// The worker is already loading it.
    pub is_opened: bool,
}

impl StartRequest {
    /// Returns the files, and remembers their handles, if there are any, so that they can be reopened later.
    pub fn files(&self) -> Vec<File> {
        let files: Vec<File> = self.files.iter().filter_map(|file| file.dyn_into().ok()).collect();
        for (file, handle) in files.iter().zip(self.handles.iter()).filter(|(_, handle)| handle.is_object()) {
            spawn_local(recent_files::keep_dropped(Promise::resolve(&handle), file.clone()));
        }
        files
    }
}

/// Calls back with the pending request from the start screen, if any, and with all later ones.
pub fn take_over(on_request: impl Fn(StartRequest) + 'static) {
    let taker = Closure::<dyn Fn(JsValue)>::new(move |request| {
        if let Ok(request) = serde_wasm_bindgen::from_value(request) {
            on_request(request);
        }
    });
    if let Some(take_over) = of_page("takeOver").and_then(|take_over| take_over.dyn_into::<Function>().ok()) {
        // `takeOver` only calls back, so there is no error to handle.
        let _ = take_over.call1(&JsValue::UNDEFINED, &taker.into_js_value());
    }
}

/// Returns what the worker reads a file from, which is the file itself or a port, and the list of objects to transfer.
///
/// In WebKit, workers can't read files of a page that was opened from disk, so the page reads them for the worker. It
/// does so in all browsers, since the cost is low.
pub fn file_for_worker(file: &Blob) -> Result<(JsValue, Array), JsValue> {
    match delivery() {
        Delivery::Site => Ok((file.into(), Array::new())),
        Delivery::OneFile => file_port::serve(file).map(|port| (port.clone().into(), Array::of1(&port))),
    }
}

/// Returns the sample trace, or the reason why it isn't available.
pub async fn sample() -> Result<Blob, String> {
    match delivery() {
        Delivery::Site => fetched(&page_config::address("camlscope-sample").unwrap_or_default()).await,
        Delivery::OneFile => bytes_of(SAMPLE).ok_or_else(|| "this page is damaged".to_owned()),
    }
}

/// Returns the single-file page without a report's data, or the reason why it isn't available.
pub async fn one_file() -> Result<String, String> {
    // `camlscope open` serves the single-file page with changes, which don't belong in a report, and the original.
    let Some(address) = page_config::address("camlscope-one-file") else {
        let page = of_page("page").and_then(|page| page.dyn_into::<Function>().ok());
        let text = page.and_then(|page| page.call0(&JsValue::UNDEFINED).ok()).map(|text| Promise::resolve(&text));
        let text = JsFuture::from(text.ok_or("this page is damaged")?).await;
        return text.ok().and_then(|text| text.as_string()).ok_or_else(|| "its text isn't available".to_owned());
    };
    let text = fetch(&address).await?.text().map_err(|_| BROKEN_OFF)?;
    JsFuture::from(text).await.ok().and_then(|text| text.as_string()).ok_or_else(|| BROKEN_OFF.to_owned())
}

/// Returns the header text if this page is a report.
pub fn report_header() -> Option<String> {
    element(HEADER_ID)?.text_content()
}

/// Returns the text with the source code in this report, if it has any.
pub fn report_sources() -> Option<String> {
    element(SOURCES_ID)?.text_content()
}

/// Returns the trace embedded in this report, or `None` if it is damaged.
pub fn report_trace() -> Option<Blob> {
    bytes_of(TRACE_ID)
}

const BROKEN_OFF: &str = "the connection was interrupted";

/// Downloads a file from the page's own server. The error is the reason why it isn't available.
pub async fn fetched(address: &str) -> Result<Blob, String> {
    let blob = fetch(address).await?.blob().map_err(|_| BROKEN_OFF)?;
    Ok(JsFuture::from(blob).await.map_err(|_| BROKEN_OFF)?.unchecked_into())
}

/// Returns the current size of a file on the page's own server, or `None` if it isn't available.
pub async fn size(address: &str) -> Option<u64> {
    let options = RequestInit::new();
    options.set_method("HEAD");
    options.set_cache(RequestCache::NoStore);
    let answer = gloo::utils::window().fetch_with_str_and_init(address, &options);
    let response: Response = JsFuture::from(answer).await.ok()?.unchecked_into();
    let length = response.headers().get("content-length").ok().flatten().filter(|_| response.ok())?;
    length.parse().ok()
}

async fn fetch(url: &str) -> Result<Response, String> {
    let answer = JsFuture::from(gloo::utils::window().fetch_with_str(url)).await.map_err(|_| "no response")?;
    let response: Response = answer.unchecked_into();
    if response.ok() { Ok(response) } else { Err(format!("the server returned status {}", response.status())) }
}

/// Returns the bytes embedded in an element of the single-file page, or `None` if they are damaged.
fn bytes_of(id: &str) -> Option<Blob> {
    let read: Function = of_page("bytesOf")?.dyn_into().ok()?;
    let bytes: Uint8Array = read.call1(&JsValue::UNDEFINED, &JsString::from(id)).ok()?.dyn_into().ok()?;
    Blob::new_with_u8_array_sequence(&Array::of1(&bytes)).ok()
}

/// Returns a property that `boot.js` or `one-file.js` provides for the program.
pub(super) fn of_page(name: &str) -> Option<JsValue> {
    let left = Reflect::get(&js_sys::global(), &"camlscope".into()).ok().filter(JsValue::is_object)?;
    Reflect::get(&left, &name.into()).ok()
}

fn element(id: &str) -> Option<Element> {
    gloo::utils::document().get_element_by_id(id)
}
