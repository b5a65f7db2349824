//! The request behind the rows of a table, and access to the rows that are loaded.

use std::ops::Range;

use crate::ui::query::paged::{List, PAGE, Pages};
use camlscope_engine::protocol::{Answer, Question, Request, View};
use camlscope_engine::query::table::{Order, Row, TableConfig};

/// All that a table's rows depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct Base {
    /// Which trace is open.
    pub generation: u32,
    pub view: View,
    pub order: Order,
    pub search: String,
}

impl Base {
    pub fn request(&self, rows: Range<usize>) -> Request {
        let config = TableConfig { order: self.order, search: self.search.clone(), rows };
        Request { view: self.view.clone(), question: Question::Table(config) }
    }

    pub fn list(&self) -> List {
        List { generation: self.generation, request: self.request(0..PAGE) }
    }
}

pub fn row(pages: &Pages, at: usize) -> Option<&Row> {
    match pages.at(at)? {
        (Answer::Table(table), nth) => table.rows.get(nth),
        _ => None,
    }
}

pub fn all_bytes(pages: &Pages) -> f64 {
    match pages.any() {
        Some(Answer::Table(table)) => table.all_bytes,
        _ => 0.0,
    }
}
