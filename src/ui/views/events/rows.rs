//! The request for the event list, and access to the loaded events.

use crate::ui::query::save_events::ListedEvents;
use camlscope_engine::query::events::{Event, EventsPage, Life, Start};
use camlscope_view::page::query::paged::{PAGE, PagedList, Pages};

/// Everything that the list depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct EventsQuery {
    /// The open trace.
    pub generation: u32,
    pub events: ListedEvents,
}

impl EventsQuery {
    pub fn list(&self) -> PagedList {
        PagedList { generation: self.generation, request: self.events.request(Start::Event(0), PAGE, 1, true) }
    }
}

pub fn event(pages: &Pages, at: usize) -> Option<(&Event, &Life)> {
    let (answer, nth) = pages.at(at)?;
    let page = answer.get::<EventsPage>()?;
    page.events.get(nth).zip(page.lives.get(nth))
}
