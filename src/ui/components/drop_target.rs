//! The entire window accepts dropped files, at any time.
//!
//! Without our handlers, the browser would leave the page to open a dropped file or link. So we handle every drop, and
//! show a notice if it can't be used.

use gloo::events::{EventListener, EventListenerOptions};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::spawn_local;
use web_sys::{DataTransfer, DragEvent, File, HtmlInputElement};
use yew::prelude::*;

use crate::ui::platform::recent_files;
use crate::ui::platform::source_folder::DroppedFolder;
use camlscope_view::page::store::notice::{self, Notice};

#[derive(Properties, Clone, PartialEq)]
pub struct DropTargetProps {
    pub on_drop: Callback<DropEvent>,
    /// Describes what a drop will do, shown while something is dragged over the page.
    pub words: AttrValue,
}

#[derive(Clone, Debug, PartialEq)]
pub enum DropEvent {
    /// One file, or two to compare, with a notice if other dropped items were ignored.
    Files(File, Option<File>, Option<Notice>),
    Nothing(Notice),
    /// Only a folder, with a notice to show on the start screen.
    Folder(DroppedFolder, Notice),
    /// A file may follow soon: one is dragged over the page, or the file picker is open.
    Expected,
}

/// Listens on the window and shows an overlay while something is dragged over it.
#[component]
pub fn DropTarget(props: &DropTargetProps) -> Html {
    let held = use_state_eq(|| false);
    let over = held.setter();
    use_effect_with(props.on_drop.clone(), move |on_drop| {
        let on_drop = on_drop.clone();
        let (enter, leave, drop) = (over.clone(), over.clone(), over);
        let (coming, looked_for) = (on_drop.clone(), on_drop.clone());
        let listeners = [
            // Without a dragenter handler, an element misses a drop that follows immediately.
            listen("dragenter", move |_| coming.emit(DropEvent::Expected)),
            EventListener::new(&gloo::utils::window(), "click", move |event| {
                let input = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok());
                if input.is_some_and(|input| input.type_() == "file") {
                    looked_for.emit(DropEvent::Expected);
                }
            }),
            listen("dragover", move |event| {
                if let Some(transfer) = event.data_transfer() {
                    transfer.set_drop_effect("copy");
                }
                enter.set(true);
            }),
            listen("dragleave", move |event| {
                // Moving between elements is not leaving the window.
                if event.related_target().is_none() {
                    leave.set(false);
                }
            }),
            listen("drop", move |event| {
                drop.set(false);
                if let Some(transfer) = event.data_transfer() {
                    on_drop.emit(look_at(&transfer));
                }
            }),
        ];
        move || std::mem::drop(listeners)
    });
    html! {
        if *held {
            <div class="drop-overlay" aria-hidden="true"><p>{ &props.words }</p></div>
        }
    }
}

fn listen(kind: &'static str, handle: impl Fn(&DragEvent) + 'static) -> EventListener {
    let options = EventListenerOptions::enable_prevent_default();
    EventListener::new_with_options(&gloo::utils::window(), kind, options, move |event| {
        event.prevent_default();
        handle(event.unchecked_ref());
    })
}

/// Returns the contents of a drop. Call it inside the event handler, because the browser clears the data afterwards.
fn look_at(transfer: &DataTransfer) -> DropEvent {
    let items = transfer.items();
    let mut files = Vec::new();
    let (mut folders, mut folder) = (0, None);
    for item in (0..items.length()).filter_map(|index| items.get(index)) {
        let entry = item.webkit_get_as_entry().ok().flatten();
        if let Some(entry) = entry.filter(|entry| entry.is_directory()) {
            folders += 1;
            folder = Some(DroppedFolder { handle: recent_files::dropped_handle(&item).map(JsValue::from), entry });
        } else if let Ok(Some(file)) = item.get_as_file() {
            if let Some(handle) = recent_files::dropped_handle(&item) {
                spawn_local(recent_files::keep_dropped(handle, file.clone()));
            }
            files.push(file);
        }
    }
    let words = notice::of_drop(files.len(), folders);
    let mut files = files.into_iter();
    match files.next() {
        Some(first) => DropEvent::Files(first, files.next(), words.map(Notice::info)),
        None => {
            let notice = Notice::problem(words.unwrap_or_default());
            match folder {
                Some(folder) => DropEvent::Folder(folder, notice),
                None => DropEvent::Nothing(notice),
            }
        }
    }
}
