//! The request behind the list of events, and access to the events that are loaded.

use crate::protocol::{Answer, Question, Request, View};
use crate::query::events::{Event, EventsConfig, Kind, Life, Start};
use crate::query::filter::Filter;
use crate::query::measure::Measure;
use crate::ui::query::paged::{List, PAGE, Pages};

/// All that the list depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Which trace is open.
    pub generation: u32,
    pub filter: Filter,
    pub kind: Option<Kind>,
}

impl Base {
    pub fn request(&self, start: Start, limit: usize, max_frames: usize, lives: bool) -> Request {
        let config = EventsConfig { start, limit: limit as u64, max_frames, kind: self.kind, lives };
        let view = View { filter: self.filter.clone(), measure: Measure::Allocated, ..View::default() };
        Request { view, question: Question::Events(config) }
    }

    pub fn list(&self) -> List {
        List { generation: self.generation, request: self.request(Start::Event(0), PAGE, 1, true) }
    }
}

pub fn event(pages: &Pages, at: usize) -> Option<(&Event, &Life)> {
    match pages.at(at)? {
        (Answer::Events(page), nth) => page.events.get(nth).zip(page.lives.get(nth)),
        _ => None,
    }
}
