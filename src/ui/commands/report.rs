//! Reports: the page as a single file that contains a copy of the trace, the view and the notes.

use js_sys::{Array, Uint8Array};
use wasm_bindgen::JsValue;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, BlobPropertyBag};
use yew::Callback;

use super::export::{Exported, ReportContent, SharedSources};
use crate::ui::platform::{delivery, host};
use crate::ui::query::WorkerClient;
use crate::ui::store::TraceSource;
use camlscope_engine::protocol::Whole;
use camlscope_engine::query::filter::Filter;
use camlscope_present::export::{Notes, ROOM_FOR_TOTALS, ReportHeader, around_trace, embed_file, with_sources};
use camlscope_present::format::{self, Units};
use camlscope_present::words::errors::UserError;

/// Small enough to attach to an email and to open within two seconds.
const MAX_BYTES: u64 = 20 << 20;

/// The inputs of a report.
#[derive(Clone, Debug)]
pub struct ReportJob {
    header: ReportHeader,
    /// Never in an anonymized report.
    sources: Option<SharedSources>,
    filter: Filter,
    source: TraceSource,
    has_objects: bool,
    units: Units,
}

/// The file and a message for the user, or the reason why it failed.
pub type Outcome = Result<(Blob, String), String>;

impl ReportJob {
    pub fn new(holding: ReportContent, exported: &Exported) -> ReportJob {
        let Exported { view_state, loaded, notes, hash, units } = exported;
        let open = &loaded.main;
        let filter = if holding == ReportContent::Filtered { view_state.filter() } else { Filter::default() };
        let header = ReportHeader {
            name: open.name.clone(),
            view: hash.clone(),
            notes: Notes::clone(notes),
            filter: filter.to_string(),
            is_cut: !filter.clauses.is_empty(),
            is_anonymized: false,
            whole: None,
        };
        // Notes may name anything, and the address contains the trace's ID.
        let header = match holding {
            ReportContent::Anonymized => ReportHeader {
                name: String::new(),
                view: view_state.without_names().to_hash(),
                notes: Notes::default(),
                is_anonymized: true,
                ..header
            },
            ReportContent::Everything | ReportContent::Filtered => header,
        };
        ReportJob {
            header,
            sources: None,
            filter,
            source: open.source.clone(),
            has_objects: open.capabilities.has_objects,
            units: *units,
        }
    }

    pub fn with_sources(self, sources: SharedSources) -> ReportJob {
        ReportJob { sources: Some(sources), ..self }
    }

    pub fn is_anonymized(&self) -> bool {
        self.header.is_anonymized
    }

    /// Creates the file and passes it to the callback.
    pub async fn run(self, client: WorkerClient, on_done: Callback<Outcome>) {
        let page = match delivery::one_file().await {
            Ok(page) => page,
            Err(reason) => return on_done.emit(Err(format!("Can't create the report: {reason}."))),
        };
        let page = match &self.sources {
            Some(sources) => with_sources(&page, sources).unwrap_or_default(),
            None => page,
        };
        let Some(room) = self.room(&page) else { return on_done.emit(Err(DAMAGED_PAGE.to_owned())) };
        if !self.has_objects {
            let copy = self.profile_file(room).await;
            return on_done.emit(copy.and_then(|copy| self.file(&page, None, &copy)));
        }
        let (filter, is_anonymized) = (self.filter.clone(), self.header.is_anonymized);
        let on_copy = Callback::from(move |embedded: Result<(Whole, Blob), UserError>| {
            let embedded = embedded.map_err(|error| format!("{} {}", error.text, error.advice));
            on_done.emit(embedded.and_then(|(whole, copy)| self.clone().file(&page, Some(whole), &copy)));
        });
        client.embed(filter, room, is_anonymized, on_copy);
    }

    /// Returns how many bytes the report has left for the trace.
    fn room(&self, page: &str) -> Option<u64> {
        let (before, behind) = around_trace(page, &self.header)?;
        MAX_BYTES.checked_sub((before.len() + behind.len()) as u64 + ROOM_FOR_TOTALS)
    }

    /// A file without individual objects can't be downsampled, so it is embedded unchanged.
    async fn profile_file(&self, room: u64) -> Result<Blob, String> {
        let file = match &self.source {
            TraceSource::File(file) => Blob::clone(file),
            TraceSource::Report(_) => delivery::report_trace().ok_or(DAMAGED_PAGE)?,
            TraceSource::Host { size } => host::file(*size).await.ok_or("Can't read the file. Open it again.")?,
            TraceSource::Sample => delivery::sample().await?,
            TraceSource::Address(address) => delivery::fetched(address).await?,
        };
        let read = JsFuture::from(file.array_buffer()).await;
        let bytes =
            read.map(|buffer| Uint8Array::new(&buffer).to_vec()).map_err(|_| "Can't read the file. Open it again.")?;
        let copy = embed_file(&bytes, room).ok_or_else(|| {
            let most = self.units.bytes(MAX_BYTES as f64);
            format!("The profile is too large for a report (limit: {most}). Save the static report instead.")
        })?;
        Blob::new_with_u8_array_sequence(&Array::of1(&Uint8Array::from(&copy[..]))).map_err(|_| NO_ROOM.to_owned())
    }

    fn file(mut self, page: &str, whole: Option<Whole>, copy: &Blob) -> Outcome {
        self.header.whole = whole;
        let (before, behind) = around_trace(page, &self.header).ok_or(DAMAGED_PAGE)?;
        let parts = Array::of3(&JsValue::from(before), copy, &JsValue::from(behind));
        let kind = BlobPropertyBag::new();
        kind.set_type("text/html");
        let file = Blob::new_with_blob_sequence_and_options(&parts, &kind).map_err(|_| NO_ROOM)?;
        let downsampled = self.header.whole.filter(|whole| whole.downsampled > 1).map_or_else(String::new, |whole| {
            format!(" It keeps 1 in {} samples to stay small.", format::count(whole.downsampled.into()))
        });
        Ok((file, downsampled))
    }
}

const NO_ROOM: &str = "The file is too large for the browser's memory. Save the static report instead.";
const DAMAGED_PAGE: &str = "Can't create the report: this page is damaged. Reload it and try again.";
