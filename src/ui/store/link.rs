//! Links and the traces that they are of: what the address says, and what happens when one is followed.

use super::notice::Notice;
use super::state::State;
use super::trace_id::{FIELD, TraceId};

impl State {
    /// The text behind the address's `#`: the view, and which trace it is of.
    pub fn to_hash(&self) -> String {
        let mut fields = self.view.to_fields();
        if let Some(trace) = self.trace_id() {
            fields.put(FIELD, &trace.to_text());
        }
        fields.into_text()
    }

    /// The open trace, or the one that a link waits for.
    pub fn trace_id(&self) -> Option<TraceId> {
        self.open_id().or_else(|| self.wanted.clone())
    }

    fn open_id(&self) -> Option<TraceId> {
        self.loaded().map(|loaded| TraceId::new(&loaded.main.summary, &loaded.main.name))
    }

    /// A link was followed: waits for the trace that it was made for, or says so if another one is open.
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
