//! Folders with source code: chosen, dropped, or opened again from a handle that the browser keeps. Only names are read
//! until a file is shown.

use std::rc::Rc;

use js_sys::{Array, Function, Object, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{File, FileList, FileSystemEntry};

use super::recent_files::{self, call, method};
use camlscope_present::source_files::{is_searched, is_source};

/// The most files and folders to visit. A large monorepo has fewer, and a disk would take minutes.
const MAX_ENTRIES: usize = 200_000;
/// The most source files to keep. Each takes an object of the browser.
const MAX_FILES: usize = 50_000;
/// Larger files aren't code that a person wrote, and drawing them would be slow.
const MAX_BYTES: f64 = (8 << 20) as f64;

/// The record of the handle that is kept.
const RECORD: &str = "source-folder";

/// A source file in a folder.
#[derive(Clone, Debug, PartialEq)]
pub struct FolderFile {
    /// Below the folder.
    pub path: String,
    content: Content,
}

#[derive(Clone, Debug, PartialEq)]
enum Content {
    File(File),
    /// A file handle, whose current version is read.
    Handle(JsValue),
    /// It is in this report.
    Embedded(Rc<ReadFile>),
}

/// The source files of a folder.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Folder {
    pub name: String,
    pub files: Vec<FolderFile>,
    /// Whether it has too many files, so some are missing.
    pub is_cut: bool,
    /// Whether the files come with this report.
    pub is_of_report: bool,
}

/// A file's text, and when it was last changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadFile {
    pub text: String,
    pub modified_ms: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRead {
    TooLarge,
    /// It was moved or changed, or the browser blocks access.
    Failed,
}

impl FolderFile {
    pub fn embedded(path: String, file: ReadFile) -> FolderFile {
        FolderFile { path, content: Content::Embedded(Rc::new(file)) }
    }

    pub async fn size(&self) -> Option<u64> {
        match &self.content {
            Content::Embedded(file) => Some(file.text.len() as u64),
            _ => Some(self.file().await?.size() as u64),
        }
    }

    pub async fn read(&self) -> Result<ReadFile, NotRead> {
        if let Content::Embedded(file) = &self.content {
            return Ok(ReadFile::clone(file));
        }
        let file = self.file().await.ok_or(NotRead::Failed)?;
        if file.size() > MAX_BYTES {
            return Err(NotRead::TooLarge);
        }
        let text = JsFuture::from(file.text()).await.ok().and_then(|text| text.as_string()).ok_or(NotRead::Failed)?;
        Ok(ReadFile { text, modified_ms: file.last_modified() as u64 })
    }

    async fn file(&self) -> Option<File> {
        match &self.content {
            Content::Embedded(_) => None,
            Content::File(file) => Some(file.clone()),
            Content::Handle(handle) => call(handle, "getFile", &Array::new()).await.ok()?.dyn_into().ok(),
        }
    }
}

/// The result of asking the user for a folder.
#[derive(Clone, Debug, PartialEq)]
pub enum Picked {
    /// A folder's handle.
    Handle(JsValue),
    Canceled,
    /// The browser has no such picker, or not in a frame of another site. A file input works everywhere.
    Unavailable,
}

pub fn has_picker() -> bool {
    method(&gloo::utils::window(), "showDirectoryPicker").is_some()
}

pub async fn pick() -> Picked {
    match call(&gloo::utils::window(), "showDirectoryPicker", &Array::new()).await {
        Ok(handle) => Picked::Handle(handle),
        Err(error) => {
            let name = Reflect::get(&error, &"name".into()).ok().and_then(|name| name.as_string());
            if name.as_deref() == Some("AbortError") { Picked::Canceled } else { Picked::Unavailable }
        }
    }
}

/// Returns the handle of the folder that was last opened, if the browser keeps it.
pub async fn remembered() -> Option<JsValue> {
    recent_files::read(RECORD).await.ok().filter(JsValue::is_object)
}

pub async fn remember(handle: &JsValue) {
    // If the browser stores nothing, for example in a private window, the folder has to be chosen again.
    let _ = recent_files::write(RECORD, handle).await;
}

/// Whether the page may read a folder. If `asks`, the browser may ask the user, which only works after a click.
pub async fn may_read(handle: &JsValue, asks: bool) -> bool {
    let options = Object::new();
    let _ = Reflect::set(&options, &"mode".into(), &"read".into());
    let name = if asks { "requestPermission" } else { "queryPermission" };
    let answer = call(handle, name, &Array::of1(&options)).await;
    answer.is_ok_and(|answer| answer.as_string().as_deref() == Some("granted"))
}

/// Returns the name of a file or folder.
pub fn name_of(handle: &JsValue) -> String {
    Reflect::get(handle, &"name".into()).ok().and_then(|name| name.as_string()).unwrap_or_default()
}

/// Returns the files of an `<input webkitdirectory>`. Their paths start with the folder's name.
pub fn of_list(list: &FileList) -> Folder {
    let mut search = Search::default();
    let mut name = String::new();
    for file in (0..list.length()).filter_map(|at| list.get(at)) {
        let path = Reflect::get(&file, &"webkitRelativePath".into()).ok().and_then(|path| path.as_string());
        let path = path.unwrap_or_default();
        let Some((folder, below)) = path.split_once('/') else { continue };
        if name.is_empty() {
            folder.clone_into(&mut name);
        }
        let is_visible = below.rsplit_once('/').is_none_or(|(folders, _)| folders.split('/').all(is_searched));
        if is_visible && search.may_visit() {
            search.add(below.to_owned(), Content::File(file));
        }
    }
    search.finish(name)
}

/// Returns the files of a folder that was chosen or dropped.
pub async fn of_handle(handle: &JsValue) -> Folder {
    let mut search = Search::default();
    let mut pending = vec![(String::new(), handle.clone())];
    while let Some((below, folder)) = pending.pop() {
        // A folder without permission to read it is skipped.
        let Ok(entries) = method(&folder, "values").map_or(Err(JsValue::NULL), |values| values.call0(&folder)) else {
            continue;
        };
        while let Ok(next) = call(&entries, "next", &Array::new()).await {
            let entry = Reflect::get(&next, &"value".into()).unwrap_or_default();
            if !entry.is_object() || !search.may_visit() {
                break;
            }
            let name = name_of(&entry);
            let path = format!("{below}{name}");
            let kind = Reflect::get(&entry, &"kind".into()).ok().and_then(|kind| kind.as_string());
            if kind.as_deref() != Some("directory") {
                search.add(path, Content::Handle(entry));
            } else if is_searched(&name) {
                pending.push((format!("{path}/"), entry));
            }
        }
    }
    search.finish(name_of(handle))
}

/// Returns the files of a dropped folder, in a browser without handles.
pub async fn of_entry(entry: &FileSystemEntry) -> Folder {
    let mut search = Search::default();
    let mut pending = vec![(String::new(), JsValue::from(entry))];
    while let Some((below, folder)) = pending.pop() {
        let Ok(reader) = method(&folder, "createReader").map_or(Err(JsValue::NULL), |create| create.call0(&folder))
        else {
            continue;
        };
        // A reader returns some entries at a time, and none at the end.
        while let Some(entries) =
            called_back(&reader, "readEntries").await.and_then(|read| read.dyn_into::<Array>().ok())
        {
            if entries.length() == 0 {
                break;
            }
            for entry in entries.iter() {
                if !search.may_visit() {
                    break;
                }
                let name = name_of(&entry);
                let path = format!("{below}{name}");
                if entry.unchecked_ref::<FileSystemEntry>().is_directory() {
                    if is_searched(&name) {
                        pending.push((format!("{path}/"), entry));
                    }
                } else if is_source(&name)
                    && let Some(file) = called_back(&entry, "file").await.and_then(|file| file.dyn_into().ok())
                {
                    search.add(path, Content::File(file));
                }
            }
        }
    }
    search.finish(entry.name())
}

/// Calls a method that takes two callbacks, for the result and for an error.
async fn called_back(of: &JsValue, name: &str) -> Option<JsValue> {
    let method: Function = method(of, name)?;
    let promise = Promise::new(&mut |resolve, reject| {
        let _ = method.call2(of, &resolve, &reject);
    });
    JsFuture::from(promise).await.ok()
}

/// A search for source files, within limits.
#[derive(Default)]
struct Search {
    n_visited: usize,
    files: Vec<FolderFile>,
    is_cut: bool,
}

impl Search {
    fn may_visit(&mut self) -> bool {
        self.n_visited += 1;
        self.is_cut |= self.n_visited > MAX_ENTRIES;
        self.n_visited <= MAX_ENTRIES
    }

    fn add(&mut self, path: String, content: Content) {
        if !is_source(&path) {
            return;
        }
        self.is_cut |= self.files.len() >= MAX_FILES;
        if self.files.len() < MAX_FILES {
            self.files.push(FolderFile { path, content });
        }
    }

    fn finish(mut self, name: String) -> Folder {
        // Browsers list files in no order.
        self.files.sort_unstable_by(|one, two| one.path.cmp(&two.path));
        Folder { name, files: self.files, is_cut: self.is_cut, is_of_report: false }
    }
}

/// A folder that was dropped on the page.
#[derive(Clone, Debug, PartialEq)]
pub struct DroppedFolder {
    /// A promise of its handle, in browsers with handles.
    pub handle: Option<JsValue>,
    pub entry: FileSystemEntry,
}

impl DroppedFolder {
    /// Returns its source files, and its handle if there is one.
    pub async fn search(&self) -> (Folder, Option<JsValue>) {
        if let Some(promise) = &self.handle
            && let Ok(handle) = JsFuture::from(Promise::resolve(promise)).await
        {
            return (of_handle(&handle).await, Some(handle));
        }
        (of_entry(&self.entry).await, None)
    }
}
