//! How the page came to its reader: as files of a host, or all of it as one file (`camlscope.html`, or a report). What differs
//! between the two is here and nowhere else.

use js_sys::{Array, Function, JsString, Promise, Reflect, Uint8Array};
use serde::Deserialize;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, Element, File, Response, Worker};

use super::{file_port, page_config, recent_files};
use camlscope_present::export::{HEADER_ID, TRACE_ID};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Delivery {
    Site,
    OneFile,
}

fn delivery() -> Delivery {
    if element(GLUE).is_some() { Delivery::OneFile } else { Delivery::Site }
}

/// Elements of the one file, which the build writes.
const GLUE: &str = "camlscope-glue";
const SAMPLE: &str = "camlscope-sample";

/// A worker, and how it was started.
#[derive(Deserialize)]
pub struct StartedWorker {
    #[serde(with = "serde_wasm_bindgen::preserve")]
    pub worker: Worker,
    /// The address of the blob it was started from.
    pub url: String,
    /// Its events so far. The first worker starts before this program.
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

/// A visitor's request on the start screen, which works before this program has arrived.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub struct Asked {
    #[serde(with = "serde_wasm_bindgen::preserve")]
    files: Array,
    /// Of the files, in their order: a handle, a promise of one, or nothing.
    #[serde(with = "serde_wasm_bindgen::preserve")]
    handles: Array,
    /// How many folders were dropped.
    pub folders: usize,
    pub is_sample: bool,
    /// The page's address names a trace.
    pub is_named: bool,
    /// The worker is at it already.
    pub is_opened: bool,
}

impl Asked {
    /// The files, which can be opened again later where the browser gives handles.
    pub fn files(&self) -> Vec<File> {
        let files: Vec<File> = self.files.iter().filter_map(|file| file.dyn_into().ok()).collect();
        for (file, handle) in files.iter().zip(self.handles.iter()).filter(|(_, handle)| handle.is_object()) {
            spawn_local(recent_files::keep_dropped(Promise::resolve(&handle), file.clone()));
        }
        files
    }
}

/// Calls back with what was asked for on the start screen, and with all that is asked for there from now on.
pub fn take_over(on_asked: impl Fn(Asked) + 'static) {
    let taker = Closure::<dyn Fn(JsValue)>::new(move |asked| {
        if let Ok(asked) = serde_wasm_bindgen::from_value(asked) {
            on_asked(asked);
        }
    });
    if let Some(take_over) = of_page("takeOver").and_then(|take_over| take_over.dyn_into::<Function>().ok()) {
        // It calls back and does nothing else.
        let _ = take_over.call1(&JsValue::UNDEFINED, &taker.into_js_value());
    }
}

/// What the worker reads a file from: the file itself, or a port; and what of it has to be transferred.
///
/// WebKit's workers cannot read the files of a page that comes from a disk, so there the page reads for them; in all
/// browsers alike, since it costs little.
pub fn file_for_worker(file: &Blob) -> Result<(JsValue, Array), JsValue> {
    match delivery() {
        Delivery::Site => Ok((file.into(), Array::new())),
        Delivery::OneFile => file_port::serve(file).map(|port| (port.clone().into(), Array::of1(&port))),
    }
}

/// The sample trace; or why it is not to be had.
pub async fn sample() -> Result<Blob, String> {
    match delivery() {
        Delivery::Site => fetched(&page_config::address("camlscope-sample").unwrap_or_default()).await,
        Delivery::OneFile => bytes_of(SAMPLE).ok_or_else(|| "this page is damaged".to_owned()),
    }
}

/// The page as one file, and nothing of a report; or why it is not to be had.
pub async fn one_file() -> Result<String, String> {
    match delivery() {
        Delivery::Site => {
            let response = fetch(&page_config::address("camlscope-one-file").unwrap_or_default()).await?;
            let text = response.text().map_err(|_| BROKEN_OFF)?;
            JsFuture::from(text).await.ok().and_then(|text| text.as_string()).ok_or_else(|| BROKEN_OFF.to_owned())
        }
        Delivery::OneFile => {
            let page = of_page("page").and_then(|page| page.as_string());
            page.ok_or_else(|| "this page is damaged".to_owned())
        }
    }
}

/// The header of the report that this page is, as text; `None` if it is none.
pub fn report_header() -> Option<String> {
    element(HEADER_ID)?.text_content()
}

/// The trace in the report that this page is; `None` if it is damaged.
pub fn report_trace() -> Option<Blob> {
    bytes_of(TRACE_ID)
}

const BROKEN_OFF: &str = "the connection was interrupted";

/// A file of the page's own host; or why it is not to be had.
pub async fn fetched(address: &str) -> Result<Blob, String> {
    let blob = fetch(address).await?.blob().map_err(|_| BROKEN_OFF)?;
    Ok(JsFuture::from(blob).await.map_err(|_| BROKEN_OFF)?.unchecked_into())
}

async fn fetch(url: &str) -> Result<Response, String> {
    let answer = JsFuture::from(gloo::utils::window().fetch_with_str(url)).await.map_err(|_| "no response")?;
    let response: Response = answer.unchecked_into();
    if response.ok() { Ok(response) } else { Err(format!("the server returned status {}", response.status())) }
}

/// The bytes that an element of the one file holds; `None` if they are damaged.
fn bytes_of(id: &str) -> Option<Blob> {
    let read: Function = of_page("bytesOf")?.dyn_into().ok()?;
    let bytes: Uint8Array = read.call1(&JsValue::UNDEFINED, &JsString::from(id)).ok()?.dyn_into().ok()?;
    Blob::new_with_u8_array_sequence(&Array::of1(&bytes)).ok()
}

/// What `boot.js` and `one-file.js` leave for the program.
fn of_page(name: &str) -> Option<JsValue> {
    let left = Reflect::get(&js_sys::global(), &"camlscope".into()).ok().filter(JsValue::is_object)?;
    Reflect::get(&left, &name.into()).ok()
}

fn element(id: &str) -> Option<Element> {
    gloo::utils::document().get_element_by_id(id)
}
