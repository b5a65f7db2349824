//! The rows of a table as they come: pages around what is seen, kept until the question changes, and shown until the
//! answer to the new one is there.

use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use yew::prelude::*;

use crate::protocol::{Answer, Channel, Question, Request, UserError, View};
use crate::query::table::{Order, Row, Table, TableConfig};
use crate::ui::asking::Desk;
use crate::ui::bridge::Heard;
use crate::ui::effect::use_effect_with;

const CHANNEL: Channel = Channel(20);
/// So many rows are asked for at once.
const PAGE: usize = 100;
/// Farther pages are forgotten: they come back within milliseconds.
const MAX_PAGES: usize = 60;

/// All that a table's rows depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Which trace is open.
    pub generation: u32,
    pub view: View,
    pub order: Order,
    pub search: String,
}

#[derive(Clone, Debug, Default)]
pub struct Sheet {
    /// What the rows answer; none before the first answer.
    base: Option<Base>,
    pub n_rows: usize,
    pub all_bytes: f64,
    pages: BTreeMap<usize, Rc<[Row]>>,
    /// Between 0 and 1, while an answer takes long.
    pub working: Option<f64>,
    pub error: Option<UserError>,
}

#[derive(Debug)]
pub enum News {
    Rows { base: Base, start: usize, table: Table },
    Working(f64),
    Failed(Base, UserError),
}

impl Base {
    pub fn request(&self, rows: Range<usize>) -> Request {
        let config = TableConfig { order: self.order, search: self.search.clone(), rows };
        Request { view: self.view.clone(), question: Question::Table(config) }
    }
}

impl Sheet {
    pub fn row(&self, at: usize) -> Option<&Row> {
        self.pages.get(&(at / PAGE))?.get(at % PAGE)
    }

    /// Whether the rows are those of an older question, or of none.
    pub fn is_stale(&self, base: &Base) -> bool {
        self.base.as_ref() != Some(base)
    }

    /// What has to be asked for to show these rows.
    fn missing(&self, base: &Base, wanted: &Range<usize>) -> Option<Range<usize>> {
        if self.is_stale(base) {
            let first = wanted.start / PAGE * PAGE;
            return Some(first..wanted.end.max(first + 1).next_multiple_of(PAGE));
        }
        if self.error.is_some() {
            return None;
        }
        let pages = wanted.start / PAGE..wanted.end.min(self.n_rows).div_ceil(PAGE);
        let mut missing = pages.filter(|page| !self.pages.contains_key(page));
        let first = missing.next()?;
        let last = missing.next_back().unwrap_or(first);
        Some(first * PAGE..(last + 1) * PAGE)
    }

    fn take(&mut self, base: Base, start: usize, table: Table) {
        if self.is_stale(&base) {
            self.pages.clear();
        }
        self.base = Some(base);
        (self.n_rows, self.all_bytes) = (table.n_rows, table.all_bytes);
        (self.working, self.error) = (None, None);
        let first = start / PAGE;
        for (page, rows) in (first..).zip(table.rows.chunks(PAGE)) {
            self.pages.insert(page, rows.into());
        }
        if self.pages.len() > MAX_PAGES {
            self.pages.retain(|page, _| page.abs_diff(first) <= MAX_PAGES / 2);
        }
    }
}

impl Reducible for Sheet {
    type Action = News;

    fn reduce(self: Rc<Sheet>, news: News) -> Rc<Sheet> {
        let mut sheet = Rc::unwrap_or_clone(self);
        match news {
            News::Rows { base, start, table } => sheet.take(base, start, table),
            News::Working(share) => sheet.working = Some(share),
            News::Failed(base, error) => sheet = Sheet { base: Some(base), error: Some(error), ..Sheet::default() },
        }
        Rc::new(sheet)
    }
}

/// Asks for the wanted rows that are not there.
#[hook]
pub fn use_rows(sheet: &UseReducerHandle<Sheet>, base: &Base, wanted: Range<usize>) {
    let desk = use_context::<Desk>();
    let dispatcher = sheet.dispatcher();
    use_effect_with((base.clone(), sheet.missing(base, &wanted)), move |(base, missing)| {
        let asked = desk.zip(missing.clone()).map(|(Desk { bridge, .. }, rows)| {
            let (start, request, base) = (rows.start, base.request(rows), base.clone());
            let heard = Callback::from(move |heard: Heard| match heard {
                Heard::Working(share) => dispatcher.dispatch(News::Working(share)),
                Heard::Answered(Ok(answer), _) => {
                    if let Answer::Table(table) = &*answer {
                        dispatcher.dispatch(News::Rows { base: base.clone(), start, table: table.clone() });
                    }
                }
                Heard::Answered(Err(error), _) => dispatcher.dispatch(News::Failed(base.clone(), error)),
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
    use crate::query::tree::Grain;

    #[test]
    fn rows_are_asked_for_once_and_anew_when_the_question_changes() {
        let base = |search: &str| Base {
            generation: 1,
            view: View::default(),
            order: Order::usual(Grain::Function),
            search: search.to_owned(),
        };
        let mut sheet = Sheet::default();
        assert_eq!(sheet.missing(&base(""), &(0..40)), Some(0..100));
        let rows = vec![row(); 100];
        sheet.take(base(""), 0, Table { n_rows: 250, all_bytes: 1.0, all_samples: 1, rows: rows.clone() });
        assert_eq!(sheet.missing(&base(""), &(0..40)), None);
        assert_eq!(sheet.missing(&base(""), &(80..120)), Some(100..200));
        assert_eq!(sheet.missing(&base(""), &(90..400)), Some(100..300));
        assert!(sheet.row(99).is_some() && sheet.row(100).is_none());

        assert_eq!(sheet.missing(&base("map"), &(120..140)), Some(100..200));
        sheet.take(base("map"), 100, Table { n_rows: 3, all_bytes: 1.0, all_samples: 1, rows: Vec::new() });
        assert_eq!(sheet.row(0), None, "a row of the old search");
        assert_eq!(sheet.missing(&base("map"), &(0..40)), Some(0..100));
    }

    #[test]
    fn a_table_without_rows_is_not_asked_for_again() {
        let base = Base {
            generation: 1,
            view: View::default(),
            order: Order::usual(Grain::Function),
            search: "nothing".to_owned(),
        };
        let mut sheet = Sheet::default();
        sheet.take(base.clone(), 0, Table { n_rows: 0, all_bytes: 0.0, all_samples: 0, rows: Vec::new() });
        assert_eq!(sheet.missing(&base, &(0..1)), None);
    }

    fn row() -> Row {
        Row {
            name: "f".to_owned(),
            file: "f.ml".to_owned(),
            line: None,
            start_char: None,
            end_char: None,
            key: 1,
            self_bytes: 1.0,
            total_bytes: 1.0,
            self_samples: 1,
            total_samples: 1,
            error: None,
            self_blocks: 1.0,
            blocks: 1.0,
            byte_seconds: 1.0,
            mean_lifetime_us: None,
            promoted_bytes: 0.0,
            end_bytes: 0.0,
        }
    }
}
