//! The request for the table's rows, and access to the loaded rows.

use std::ops::Range;

use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::table::{Order, Row, Table, TableConfig};
use camlscope_view::page::query::event::SharedAnswer;
use camlscope_view::page::query::paged::{PAGE, PagedList, Pages};

/// Everything that a table's rows depend on.
#[derive(Clone, Debug, PartialEq)]
pub struct TableQuery {
    /// The open trace.
    pub generation: u32,
    pub view: View,
    pub order: Order,
    pub search: String,
}

impl TableQuery {
    pub fn request(&self, rows: Range<usize>) -> Request {
        let config = TableConfig { order: self.order, search: self.search.clone(), rows };
        Request { view: self.view.clone(), question: Question::Table(config) }
    }

    pub fn list(&self) -> PagedList {
        PagedList { generation: self.generation, request: self.request(0..PAGE) }
    }
}

pub fn row(pages: &Pages, at: usize) -> Option<&Row> {
    let (answer, nth) = pages.at(at)?;
    answer.get::<Table>()?.rows.get(nth)
}

pub fn all_bytes(pages: &Pages) -> f64 {
    pages.any().and_then(SharedAnswer::get::<Table>).map_or(0.0, |table| table.all_bytes)
}
