//! Links to a view and the trace they were made for.

use super::browser::Browser;
use super::notice::Notice;
use super::state::State;
use super::trace_id::{FIELD, TraceId};

impl<B: Browser> State<B> {
    /// Returns the text after the URL's `#`, which encodes the view and the trace it was made for.
    pub fn to_hash(&self) -> String {
        let mut fields = self.view.to_fields();
        if let Some(trace) = self.trace_id() {
            fields.put(FIELD, &trace.to_text());
        }
        fields.into_text()
    }

    /// Returns the open trace, or the one that a link was made for.
    pub fn trace_id(&self) -> Option<TraceId> {
        self.open_id().or_else(|| self.wanted.clone())
    }

    pub(super) fn open_id(&self) -> Option<TraceId> {
        self.loaded().map(|loaded| TraceId::new(&loaded.main.summary, &loaded.main.name))
    }

    /// Handles a link: waits for its trace if none is open, or shows a notice if another one is open.
    pub(super) fn on_link(&mut self, trace: Option<TraceId>) {
        let Some(trace) = trace else { return };
        match self.open_id() {
            None => self.wanted = Some(trace),
            Some(open) if open.is_same(&trace) => {}
            Some(_) => {
                let words = trace.words();
                let text = format!("This link was made for another trace ({words}), so the view may not match.");
                self.notice = Some(Notice::info(text));
            }
        }
    }
}
