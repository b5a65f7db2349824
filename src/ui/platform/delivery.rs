//! How the page came to its reader: as files of a host, or all of it as one file (`camlscope.html`, or a report). What differs
//! between the two is here and nowhere else.

use js_sys::{Array, Function, JsString, Reflect, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag, Element, Response, Url, Worker, WorkerOptions, WorkerType};

use super::{file_port, page_config};
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

/// A worker, and the address of the blob it was started from. Its first message is the page's own module.
///
/// Browsers give a worker that comes from the network the policy of its own response, which on a static host is none: it
/// could send what it reads anywhere. One that comes from a blob has the page's policy. So the worker starts from a blob,
/// and the page's policy allows no other workers.
pub fn start_worker() -> Result<(Worker, String), String> {
    let (script, kind) = match delivery() {
        Delivery::Site => (site_worker()?, WorkerType::Module),
        Delivery::OneFile => (one_file_worker()?, WorkerType::Classic),
    };
    let in_words = |error: JsValue| format!("{error:?}");
    let properties = BlobPropertyBag::new();
    properties.set_type("text/javascript");
    let blob = Blob::new_with_str_sequence_and_options(&Array::of1(&script.into()), &properties).map_err(in_words)?;
    let start = Url::create_object_url_with_blob(&blob).map_err(in_words)?;
    let options = WorkerOptions::new();
    options.set_type(kind);
    let worker = Worker::new_with_options(&start, &options).map_err(in_words)?;
    worker.post_message(&wasm_bindgen::module()).map_err(in_words)?;
    Ok((worker, start))
}

/// A few lines that load the worker's files.
fn site_worker() -> Result<String, String> {
    let unnamed = "the page does not name its worker";
    let base = gloo::utils::document().base_uri().ok().flatten().ok_or(unnamed)?;
    let address = page_config::address("camlscope-worker").ok_or(unnamed)?;
    let address = Url::new_with_base(&address, &base).map_err(|_| unnamed)?.href();
    Ok(format!(
        "const module = new Promise((take) => addEventListener('message', (event) => take(event.data), {{ once: true }}));
        import('{address}').then((boot) => boot.start(module)).catch(reportError);"
    ))
}

/// The page's own glue, and what `worker-boot.js` does. A page from a disk cannot start a worker that is a module everywhere.
fn one_file_worker() -> Result<String, String> {
    let glue = element(GLUE).and_then(|glue| glue.text_content()).ok_or("the page has lost its program")?;
    Ok(format!(
        "{glue}
        addEventListener('unhandledrejection', (event) => reportError(event.reason));
        const start = (event) => wasm_bindgen({{ module_or_path: event.data }}).catch(reportError);
        addEventListener('message', start, {{ once: true }});"
    ))
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

const BROKEN_OFF: &str = "the answer broke off";

/// A file of the page's own host; or why it is not to be had.
pub async fn fetched(address: &str) -> Result<Blob, String> {
    let blob = fetch(address).await?.blob().map_err(|_| BROKEN_OFF)?;
    Ok(JsFuture::from(blob).await.map_err(|_| BROKEN_OFF)?.unchecked_into())
}

async fn fetch(url: &str) -> Result<Response, String> {
    let answer = JsFuture::from(gloo::utils::window().fetch_with_str(url)).await.map_err(|_| "no answer")?;
    let response: Response = answer.unchecked_into();
    if response.ok() { Ok(response) } else { Err(format!("the server answered {}", response.status())) }
}

/// The bytes that an element of the one file holds; `None` if they are damaged.
fn bytes_of(id: &str) -> Option<Blob> {
    let read: Function = of_page("bytesOf")?.dyn_into().ok()?;
    let bytes: Uint8Array = read.call1(&JsValue::UNDEFINED, &JsString::from(id)).ok()?.dyn_into().ok()?;
    Blob::new_with_u8_array_sequence(&Array::of1(&bytes)).ok()
}

/// What `one-file.js` leaves for the program.
fn of_page(name: &str) -> Option<JsValue> {
    let left = Reflect::get(&js_sys::global(), &"camlscope".into()).ok().filter(JsValue::is_object)?;
    Reflect::get(&left, &name.into()).ok()
}

fn element(id: &str) -> Option<Element> {
    gloo::utils::document().get_element_by_id(id)
}
