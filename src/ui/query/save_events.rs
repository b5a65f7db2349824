//! Exports the filtered events as text, in the format of the command line's `dump`.

use js_sys::Array;
use yew::Callback;

use crate::ui::platform::download::{TOO_LARGE, save};
use crate::ui::query::QueryChannel;
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::events::{EventsConfig, EventsPage, Kind, Start};
use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::measure::Measure;
use camlscope_present::format;
use camlscope_view::page::query::event::QueryEvent;

/// The number of events per query.
const PAGE: usize = 2_000;
/// The limits of an export. The command line has none.
const MAX_EVENTS: usize = 500_000;
const MAX_BYTES: usize = 256 << 20;
/// The innermost frames of a stack. The rest is shown as `…`.
const MAX_FRAMES: usize = 256;

/// Which events to list.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedEvents {
    pub filter: Filter,
    /// `None` means all kinds.
    pub kind: Option<Kind>,
}

impl ListedEvents {
    pub fn request(&self, start: Start, limit: usize, max_frames: usize, lives: bool) -> Request {
        let config = EventsConfig { start, limit: limit as u64, max_frames, kind: self.kind, lives };
        let view = View { filter: self.filter.clone(), measure: Measure::Allocated, ..View::default() };
        Request { view, question: Question::Events(config) }
    }
}

/// Saves the events as a file. Calls `report` with a message about the progress, or with an error if it fails.
pub fn save_events(
    channel: &QueryChannel,
    events: &ListedEvents,
    name: String,
    report: Callback<Result<String, String>>,
) {
    SaveJob { channel: channel.clone(), events: events.clone(), name, report, pieces: Array::new() }.next(0, 0);
}

#[derive(Clone)]
struct SaveJob {
    channel: QueryChannel,
    events: ListedEvents,
    name: String,
    report: Callback<Result<String, String>>,
    /// The text so far. It is kept in JavaScript memory, where the file is created.
    pieces: Array,
}

impl SaveJob {
    fn next(self, n_done: usize, n_bytes: usize) {
        let limit = PAGE.min(MAX_EVENTS - n_done);
        let request = self.events.request(Start::Event(n_done as u64), limit, MAX_FRAMES, false);
        let channel = self.channel.clone();
        let on_event = Callback::from(move |event: QueryEvent| match event {
            QueryEvent::Progress(_) => {}
            QueryEvent::Finished(Err(error)) => self.report.emit(Err(error.text)),
            QueryEvent::Finished(Ok(answer)) => {
                let Some(page) = answer.get::<EventsPage>() else { return };
                let mut text = String::new();
                for event in &page.events {
                    text.push_str(&event.line());
                    text.push('\n');
                }
                self.pieces.push(&text.as_str().into());
                let (n_done, n_bytes) = (n_done + page.events.len(), n_bytes + text.len());
                let n_all = page.total as usize;
                let is_full = n_done >= MAX_EVENTS || n_bytes >= MAX_BYTES;
                if n_done < n_all && !is_full && !page.events.is_empty() {
                    let share = format::percent(n_done as f64 / n_all.min(MAX_EVENTS) as f64);
                    self.report.emit(Ok(format!("Saving… {share}")));
                    return self.clone().next(n_done, n_bytes);
                }
                let [done, all] = [n_done, n_all].map(|n| format::count(n as u64));
                self.report.emit(match save(&self.name, &self.pieces) {
                    Err(_) => Err(TOO_LARGE.to_owned()),
                    Ok(()) if n_done < n_all => {
                        Ok(format!("Saved the first {done} of {all} events. Run camlscope dump to save all."))
                    }
                    Ok(()) => Ok(format!("Saved {done} event{}.", if n_done == 1 { "" } else { "s" })),
                });
            }
        });
        channel.query(request, on_event);
    }
}
