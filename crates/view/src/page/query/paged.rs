//! The rows of a long list, loaded in pages around the visible rows. Pages are cached until the request changes, and
//! shown until its response arrives. Only missing pages are queried.

use std::collections::BTreeMap;
use std::ops::Range;

use super::event::SharedAnswer;
use crate::page::reducer::Reducer;
use camlscope_engine::protocol::{Answer, Question, Request};
use camlscope_engine::query::events::Start;
use camlscope_present::words::errors::UserError;

/// The number of rows per page.
pub const PAGE: usize = 100;
/// Beyond this number, the farthest pages are dropped. Loading them again takes only milliseconds.
const MAX_PAGES: usize = 60;

/// A list of one trace. The request's row range is a placeholder.
#[derive(Clone, Debug, PartialEq)]
pub struct PagedList {
    pub generation: u32,
    pub request: Request,
}

#[derive(Clone, Debug, Default)]
pub struct Pages {
    /// The list that the rows belong to, or `None` before the first response.
    of: Option<PagedList>,
    /// The total number of rows.
    pub n: usize,
    /// By page number: a response, and the page's start in it.
    pages: BTreeMap<usize, (SharedAnswer, usize)>,
    /// Between 0 and 1, while a query takes a while.
    pub progress: Option<f64>,
    pub error: Option<UserError>,
}

#[derive(Debug)]
pub enum PagesAction {
    /// Rows starting at this index.
    Rows(PagedList, usize, SharedAnswer),
    Progress(f64),
    Failed(PagedList, UserError),
}

impl PagedList {
    /// Returns the request for these rows.
    pub fn rows(&self, rows: Range<usize>) -> Request {
        let mut request = self.request.clone();
        match &mut request.question {
            Question::Table(config) => config.rows = rows,
            Question::Events(config) => {
                (config.start, config.limit) = (Start::Event(rows.start as u64), rows.len() as u64);
            }
            _ => {}
        }
        request
    }
}

impl Pages {
    /// Returns the response that contains a row, and the row's index in it.
    pub fn at(&self, row: usize) -> Option<(&SharedAnswer, usize)> {
        let (answer, begin) = self.pages.get(&(row / PAGE))?;
        Some((answer, begin + row % PAGE))
    }

    /// Returns any response, for data that is the same in all of them.
    pub fn any(&self) -> Option<&SharedAnswer> {
        self.pages.values().next().map(|(answer, _)| answer)
    }

    /// Whether there are no rows, or they belong to an older request.
    pub fn is_stale(&self, list: &PagedList) -> bool {
        self.of.as_ref() != Some(list)
    }

    /// Returns the rows to query so that the wanted ones can be shown.
    pub fn missing(&self, list: &PagedList, wanted: &Range<usize>) -> Option<Range<usize>> {
        if self.is_stale(list) {
            let first = wanted.start / PAGE * PAGE;
            return Some(first..wanted.end.max(first + 1).next_multiple_of(PAGE));
        }
        if self.error.is_some() {
            return None;
        }
        let pages = wanted.start / PAGE..wanted.end.min(self.n).div_ceil(PAGE);
        let mut missing = pages.filter(|page| !self.pages.contains_key(page));
        let first = missing.next()?;
        let last = missing.next_back().unwrap_or(first);
        Some(first * PAGE..(last + 1) * PAGE)
    }

    fn take(&mut self, list: PagedList, start: usize, answer: &SharedAnswer) {
        let (n, n_here) = match &**answer {
            Answer::Table(table) => (table.n_rows, table.rows.len()),
            Answer::Events(page) => (page.total as usize, page.events.len()),
            _ => return,
        };
        if self.is_stale(&list) {
            self.pages.clear();
        }
        (self.of, self.n, self.progress, self.error) = (Some(list), n, None, None);
        let first = start / PAGE;
        for (page, begin) in (first..).zip((0..n_here).step_by(PAGE)) {
            self.pages.insert(page, (answer.clone(), begin));
        }
        if self.pages.len() > MAX_PAGES {
            self.pages.retain(|page, _| page.abs_diff(first) <= MAX_PAGES / 2);
        }
    }
}

impl Reducer for Pages {
    type Action = PagesAction;

    fn apply(&mut self, action: PagesAction) {
        match action {
            PagesAction::Rows(list, start, answer) => self.take(list, start, &answer),
            PagesAction::Progress(share) => self.progress = Some(share),
            PagesAction::Failed(list, error) => {
                *self = Pages { of: Some(list), error: Some(error), ..Pages::default() };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::protocol::View;
    use camlscope_engine::query::events::{Event, EventsConfig, EventsPage, Kind};
    use camlscope_engine::query::table::{Order, Table, TableConfig};
    use camlscope_engine::query::tree::Grain;

    fn list(search: &str) -> PagedList {
        let config = TableConfig { order: Order::usual(Grain::Function), search: search.to_owned(), rows: 0..0 };
        PagedList { generation: 1, request: Request { view: View::default(), question: Question::Table(config) } }
    }

    fn events(first: u64, n: usize, total: u64) -> SharedAnswer {
        let event = Event { number: 0, time_us: 0, object: 0, kind: Kind::Collect, block: None };
        SharedAnswer::new(Answer::Events(EventsPage { total, first, events: vec![event; n], lives: Vec::new() }))
    }

    #[test]
    fn rows_are_queried_once_and_again_when_the_request_changes() {
        let mut pages = Pages::default();
        assert_eq!(pages.missing(&list(""), &(0..40)), Some(0..100));
        pages.take(list(""), 0, &events(0, 100, 250));
        assert_eq!(pages.missing(&list(""), &(0..40)), None);
        assert_eq!(pages.missing(&list(""), &(80..120)), Some(100..200));
        assert_eq!(pages.missing(&list(""), &(90..400)), Some(100..300));
        assert!(pages.at(99).is_some() && pages.at(100).is_none());

        assert_eq!(pages.missing(&list("map"), &(120..140)), Some(100..200));
        pages.take(list("map"), 100, &events(100, 0, 3));
        assert!(pages.at(0).is_none(), "a row of the previous search");
        assert_eq!(pages.missing(&list("map"), &(0..40)), Some(0..100));
    }

    #[test]
    fn one_response_can_contain_several_pages() {
        let mut pages = Pages::default();
        pages.take(list(""), 100, &events(100, 150, 250));
        assert_eq!(pages.at(199).map(|(_, nth)| nth), Some(99));
        assert_eq!(pages.at(230).map(|(_, nth)| nth), Some(130));
        assert_eq!(pages.missing(&list(""), &(0..250)), Some(0..100));
    }

    #[test]
    fn an_empty_list_is_not_queried_again() {
        let mut pages = Pages::default();
        let table = Table { n_rows: 0, all_bytes: 0.0, all_samples: 0, per_seconds: 1.0, rows: Vec::new() };
        pages.take(list(""), 0, &SharedAnswer::new(Answer::Table(table)));
        assert_eq!(pages.missing(&list(""), &(0..1)), None);
    }

    #[test]
    fn every_page_uses_the_same_request() {
        let rows = list("map").rows(200..300);
        assert!(
            matches!(rows.question, Question::Table(config) if config.rows == (200..300) && config.search == "map")
        );
        let config = EventsConfig { start: Start::Event(0), limit: 1, max_frames: 1, kind: None, lives: true };
        let events = Request { view: View::default(), question: Question::Events(config) };
        let rows = PagedList { generation: 1, request: events }.rows(200..300);
        assert!(matches!(rows.question, Question::Events(config)
            if config == EventsConfig { start: Start::Event(200), limit: 100, ..config } && config.lives));
    }
}
