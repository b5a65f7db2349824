//! The events as they come: pages around what is seen, kept until the question changes, and shown until the answer to the
//! new one is there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use yew::prelude::*;

use crate::protocol::{Answer, Channel, Question, Request, UserError, View};
use crate::query::events::{Event, EventsConfig, EventsPage, Kind, Life, Start};
use crate::query::filter::Filter;
use crate::query::measure::Measure;
use crate::ui::asking::{Desk, Known};
use crate::ui::bridge::Heard;
use crate::ui::effect::use_effect_with;

const CHANNEL: Channel = Channel(80);
/// So many events are asked for at once.
const PAGE: usize = 100;
/// Farther pages are forgotten: they come back within milliseconds.
const MAX_PAGES: usize = 40;

/// All that the list depends on.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Which trace is open.
    pub generation: u32,
    pub filter: Filter,
    pub kind: Option<Kind>,
}

#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// What the events answer; none before the first answer.
    base: Option<Base>,
    pub n: usize,
    pages: BTreeMap<usize, Rc<EventsPage>>,
    /// Between 0 and 1, while an answer takes long.
    pub working: Option<f64>,
    pub error: Option<UserError>,
}

pub enum News {
    Page(Base, Known),
    Working(f64),
    Failed(Base, UserError),
}

impl Base {
    pub fn request(&self, start: Start, limit: usize, max_frames: usize, lives: bool) -> Request {
        let config = EventsConfig { start, limit: limit as u64, max_frames, kind: self.kind, lives };
        let view = View { filter: self.filter.clone(), measure: Measure::Allocated, ..View::default() };
        Request { view, question: Question::Events(config) }
    }
}

impl Sheet {
    pub fn event(&self, at: usize) -> Option<(&Event, &Life)> {
        let page = self.pages.get(&(at / PAGE))?;
        page.events.get(at % PAGE).zip(page.lives.get(at % PAGE))
    }

    /// Whether the events are those of an older question, or of none.
    pub fn is_stale(&self, base: &Base) -> bool {
        self.base.as_ref() != Some(base)
    }

    /// The first page that has to be asked for to show these lines.
    fn missing(&self, base: &Base, wanted: &Range<usize>) -> Option<usize> {
        if self.is_stale(base) {
            return Some(wanted.start / PAGE);
        }
        let mut pages = wanted.start / PAGE..wanted.end.min(self.n).div_ceil(PAGE);
        pages.find(|page| self.error.is_none() && !self.pages.contains_key(page))
    }

    fn take(&mut self, base: Base, page: EventsPage) {
        if self.is_stale(&base) {
            self.pages.clear();
        }
        self.base = Some(base);
        self.n = page.total as usize;
        (self.working, self.error) = (None, None);
        let at = page.first as usize / PAGE;
        self.pages.insert(at, Rc::new(page));
        if self.pages.len() > MAX_PAGES {
            self.pages.retain(|page, _| page.abs_diff(at) <= MAX_PAGES / 4);
        }
    }
}

impl Reducible for Sheet {
    type Action = News;

    fn reduce(self: Rc<Sheet>, news: News) -> Rc<Sheet> {
        let mut sheet = Rc::unwrap_or_clone(self);
        match news {
            News::Page(base, answer) => {
                if let Answer::Events(page) = &*answer {
                    sheet.take(base, page.clone());
                }
            }
            News::Working(share) => sheet.working = Some(share),
            News::Failed(base, error) => sheet = Sheet { base: Some(base), error: Some(error), ..Sheet::default() },
        }
        Rc::new(sheet)
    }
}

/// Asks for the wanted events that are not there.
#[hook]
pub fn use_events(sheet: &UseReducerHandle<Sheet>, base: &Base, wanted: Range<usize>) {
    let desk = use_context::<Desk>();
    let dispatcher = sheet.dispatcher();
    use_effect_with((base.clone(), sheet.missing(base, &wanted)), move |(base, missing)| {
        let asked = desk.zip(*missing).map(|(Desk { bridge, .. }, page)| {
            let (request, base) = (base.request(Start::Event((page * PAGE) as u64), PAGE, 1, true), base.clone());
            let heard = Callback::from(move |heard: Heard| {
                dispatcher.dispatch(match heard {
                    Heard::Working(share) => News::Working(share),
                    Heard::Answered(Ok(answer), _) => News::Page(base.clone(), answer),
                    Heard::Answered(Err(error), _) => News::Failed(base.clone(), error),
                });
            });
            bridge.ask(CHANNEL, &request, heard);
            bridge
        });
        move || {
            if let Some(bridge) = asked {
                bridge.forget(CHANNEL);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn page(first: u64, total: u64) -> EventsPage {
        let event = |number| Event { number, time_us: number, object: 0, kind: Kind::Collect, block: None };
        let events = (first..total.min(first + PAGE as u64)).map(event).collect();
        EventsPage { total, first, events, lives: Vec::new() }
    }

    #[test]
    fn pages_are_asked_for_one_after_the_other_and_anew_when_the_question_changes() {
        let base = |kind| Base { generation: 1, filter: Filter::default(), kind };
        let mut sheet = Sheet::default();
        assert_eq!(sheet.missing(&base(None), &(0..40)), Some(0));
        sheet.take(base(None), page(0, 250));
        assert_eq!(sheet.missing(&base(None), &(0..40)), None);
        assert_eq!(sheet.missing(&base(None), &(90..400)), Some(1));
        sheet.take(base(None), page(100, 250));
        assert_eq!(sheet.missing(&base(None), &(90..400)), Some(2));
        sheet.take(base(None), page(200, 250));
        assert_eq!(sheet.missing(&base(None), &(90..400)), None);
        assert_eq!(sheet.missing(&base(Some(Kind::Alloc)), &(90..140)), Some(0));
    }

    #[test]
    fn a_list_without_events_is_not_asked_for_again() {
        let base = Base { generation: 1, filter: Filter::default(), kind: None };
        let mut sheet = Sheet::default();
        sheet.take(base.clone(), page(0, 0));
        assert_eq!(sheet.missing(&base, &(0..1)), None);
    }
}
