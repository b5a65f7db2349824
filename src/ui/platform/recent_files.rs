//! Recently opened files, in browsers that support file handles (File System Access). Only the handles are stored, in
//! the browser's own database, never the contents. Other browsers have no such list.

use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect, WeakMap};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, DataTransferItem, File, IdbDatabase, IdbObjectStore, IdbRequest, IdbTransactionMode};

const DATABASE: &str = "camlscope";
const STORE: &str = "recent-files";
/// The record of the recent files: all handles, newest first.
const RECORD: &str = "handles";
const MOST_FILES: u32 = 8;

/// A handle to a file. It equals only itself.
#[derive(Clone, Debug, PartialEq)]
pub struct RecentFile {
    pub name: String,
    handle: JsValue,
}

/// Whether the browser supports file handles.
pub fn is_available() -> bool {
    method(&gloo::utils::window(), "showOpenFilePicker").is_some()
}

/// Returns the recent files, newest first, or nothing if the browser doesn't store them.
pub async fn list() -> Vec<RecentFile> {
    let handles = kept_handles().await;
    let file = |handle: JsValue| {
        let name = Reflect::get(&handle, &"name".into()).ok()?.as_string()?;
        Some(RecentFile { name, handle })
    };
    handles.iter().filter_map(file).collect()
}

/// Returns the file's current version. The browser may ask for permission first. `None` if it is denied or the file is
/// gone.
pub async fn open(recent: &RecentFile) -> Option<File> {
    let options = Object::new();
    Reflect::set(&options, &"mode".into(), &"read".into()).ok()?;
    let answer = call(&recent.handle, "requestPermission", &Array::of1(&options)).await.ok()?;
    if answer.as_string().as_deref() != Some("granted") {
        return None;
    }
    let file = file_of(&recent.handle).await?;
    keep(&recent.handle).await;
    Some(file)
}

/// Lets the user pick a file and stores its handle. Returns `None` if none was picked.
pub async fn pick() -> Option<File> {
    let picked = call(&gloo::utils::window(), "showOpenFilePicker", &Array::new()).await.ok()?;
    let handle = Array::from(&picked).get(0);
    let file = file_of(&handle).await?;
    keep(&handle).await;
    Some(file)
}

/// Calls back with each file that the operating system opens with the installed page, and stores its handle.
pub fn on_launch(open: impl Fn(File) + 'static) {
    let Ok(queue) = Reflect::get(&gloo::utils::window(), &"launchQueue".into()) else { return };
    let Some(set_consumer) = method(&queue, "setConsumer") else { return };
    let open = Rc::new(open);
    let consume = Closure::<dyn Fn(JsValue)>::new(move |launch: JsValue| {
        let files = Reflect::get(&launch, &"files".into()).unwrap_or_default();
        // The page shows one trace at a time. If the user opens several files, each one arrives in its own window.
        let Some(handle) = files.dyn_into::<Array>().ok().filter(|files| files.length() > 0).map(|files| files.get(0))
        else {
            return;
        };
        let open = Rc::clone(&open);
        spawn_local(async move {
            if let Some(file) = file_of(&handle).await {
                keep(&handle).await;
                open(file);
            }
        });
    });
    // If this fails, the browser doesn't open files with the page.
    let _ = set_consumer.call1(&queue, &consume.into_js_value());
}

/// Returns a promise of a dropped file's handle. Must be called inside the event handler.
pub fn dropped_handle(item: &DataTransferItem) -> Option<Promise> {
    let get = method(item, "getAsFileSystemHandle").filter(|_| is_available())?;
    get.call0(item).ok()?.dyn_into().ok()
}

pub async fn keep_dropped(handle: Promise, file: File) {
    let Ok(handle) = JsFuture::from(handle).await else { return };
    let kind = Reflect::get(&handle, &"kind".into()).ok().and_then(|kind| kind.as_string());
    if kind.as_deref() == Some("file") {
        note(&file, &handle);
        keep(&handle).await;
    }
}

pub async fn forget(recent: &RecentFile) {
    let left = without(&kept_handles().await, &recent.handle).await;
    // If the browser stores nothing, there is nothing to remove.
    let _ = write(RECORD, &left).await;
}

/// Moves a handle to the front of the list.
async fn keep(handle: &JsValue) {
    let others = without(&kept_handles().await, handle).await;
    let handles = Array::of1(handle).concat(&others).slice(0, MOST_FILES);
    // If the browser stores nothing, for example in a private window, the list stays empty.
    let _ = write(RECORD, &handles).await;
}

/// Returns all handles except those of the same file.
async fn without(handles: &Array, handle: &JsValue) -> Array {
    let left = Array::new();
    for other in handles.iter() {
        let is_same = call(&other, "isSameEntry", &Array::of1(handle)).await;
        if !is_same.is_ok_and(|is_same| is_same.is_truthy()) {
            left.push(&other);
        }
    }
    left
}

async fn file_of(handle: &JsValue) -> Option<File> {
    let file: File = call(handle, "getFile", &Array::new()).await.ok()?.dyn_into().ok()?;
    note(&file, handle);
    Some(file)
}

thread_local! {
    /// The handles of the open files.
    static HANDLES: WeakMap = WeakMap::new();
}

fn note(file: &File, handle: &JsValue) {
    HANDLES.with(|handles| handles.set(file, handle));
}

/// Returns the file's current version, if there is a handle for it and the page may still read it.
pub async fn current(file: &Blob) -> Option<File> {
    let handle = HANDLES.with(|handles| handles.get(file));
    if handle.is_undefined() { None } else { file_of(&handle).await }
}

async fn kept_handles() -> Array {
    match read(RECORD).await {
        Ok(handles) if Array::is_array(&handles) => handles.unchecked_into(),
        _ => Array::new(),
    }
}

/// Returns a record, or `undefined` if there is none.
pub(super) async fn read(record: &str) -> Result<JsValue, JsValue> {
    finished(&store(IdbTransactionMode::Readonly).await?.get(&record.into())?).await
}

pub(super) async fn write(record: &str, value: &JsValue) -> Result<(), JsValue> {
    let request = store(IdbTransactionMode::Readwrite).await?.put_with_key(value, &record.into())?;
    finished(&request).await.map(drop)
}

async fn store(mode: IdbTransactionMode) -> Result<IdbObjectStore, JsValue> {
    let factory = gloo::utils::window().indexed_db()?.ok_or(JsValue::NULL)?;
    let request = factory.open_with_u32(DATABASE, 1)?;
    let on_upgrade = Closure::once_into_js({
        let request = request.clone();
        move || {
            let database = request.result().map(JsValue::unchecked_into::<IdbDatabase>);
            // If this fails, the transaction below fails as well.
            let _ = database.and_then(|database| database.create_object_store(STORE));
        }
    });
    request.set_onupgradeneeded(Some(on_upgrade.unchecked_ref()));
    let database: IdbDatabase = finished(&request).await?.unchecked_into();
    database.transaction_with_str_and_mode(STORE, mode)?.object_store(STORE)
}

async fn finished(request: &IdbRequest) -> Result<JsValue, JsValue> {
    let promise = Promise::new(&mut |resolve, reject| {
        request.set_onsuccess(Some(&resolve));
        request.set_onerror(Some(&reject));
    });
    JsFuture::from(promise).await?;
    request.result()
}

/// Calls a method that returns a promise and awaits it. web-sys has no stable bindings to these methods.
pub(super) async fn call(of: &JsValue, name: &str, arguments: &Array) -> Result<JsValue, JsValue> {
    let method = method(of, name).ok_or(JsValue::NULL)?;
    let promise: Promise = method.apply(of, arguments)?.dyn_into()?;
    JsFuture::from(promise).await
}

pub(super) fn method(of: &JsValue, name: &str) -> Option<Function> {
    Reflect::get(of, &name.into()).ok()?.dyn_into().ok()
}
