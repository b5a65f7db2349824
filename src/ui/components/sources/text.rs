//! The text of a source file, read when it is shown.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen_futures::spawn_local;
use web_sys::File;
use yew::prelude::*;

use crate::ui::platform::source_folder::{FolderFile, NotRead};
use crate::ui::store::{LoadedTrace, TraceSource};
use camlscope_present::layout::source::SourceText;

/// A source file on the screen.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// There is none.
    None,
    Reading,
    Read {
        text: Rc<SourceText>,
        modified_ms: u64,
    },
    NotRead(NotRead),
}

impl Source {
    pub fn text(&self) -> Option<&Rc<SourceText>> {
        match self {
            Source::Read { text, .. } => Some(text),
            _ => None,
        }
    }

    /// Whether the source was changed after the trace was recorded.
    pub fn is_newer_than(&self, recorded_ms: Option<u64>) -> bool {
        matches!((self, recorded_ms), (Source::Read { modified_ms, .. }, Some(recorded)) if *modified_ms > recorded)
    }
}

/// Reads a file, and again when another one is shown.
#[hook]
pub fn use_source(file: Option<&FolderFile>) -> Source {
    let read = use_state(|| (None::<FolderFile>, Source::None));
    use_effect_with(file.cloned(), {
        let read = read.setter();
        move |file| {
            let is_current = Rc::new(std::cell::Cell::new(true));
            if let Some(file) = file.clone() {
                let is_current = Rc::clone(&is_current);
                spawn_local(async move {
                    let source = match file.read().await {
                        Ok(found) => {
                            let text = Rc::new(SourceText::new(found.text));
                            Source::Read { text, modified_ms: found.modified_ms }
                        }
                        Err(why) => Source::NotRead(why),
                    };
                    if is_current.get() {
                        read.set((Some(file), source));
                    }
                });
            }
            move || is_current.set(false)
        }
    });
    match file {
        None => Source::None,
        Some(file) if read.0.as_ref() == Some(file) => read.1.clone(),
        Some(_) => Source::Reading,
    }
}

/// Returns when the trace was recorded, in milliseconds since 1970: the program's start, or for a profile the end of its
/// file.
pub fn recorded_ms(open: &LoadedTrace) -> Option<u64> {
    let start_us = open.summary.info.start_time_us;
    match &open.source {
        _ if start_us > 0 && open.capabilities.has_objects => Some(start_us / 1000),
        TraceSource::File(file) => file.dyn_ref::<File>().map(|file| file.last_modified() as u64),
        _ => None,
    }
}
