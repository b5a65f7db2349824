//! Events of a query.

use crate::page::shared::Shared;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::amounts::Amounts;
use camlscope_engine::query::compare::{Comparison, DiffFlame};
use camlscope_engine::query::events::EventsPage;
use camlscope_engine::query::findings::Finding;
use camlscope_engine::query::flame::{Branches, Detail, Flame, Found};
use camlscope_engine::query::growth::Growth;
use camlscope_engine::query::histogram::Histogram;
use camlscope_engine::query::histogram::heat::Heat;
use camlscope_engine::query::histogram::sites::BinSite;
use camlscope_engine::query::lines::{FileLines, SourceFiles};
use camlscope_engine::query::name_search::FoundName;
use camlscope_engine::query::table::Table;
use camlscope_engine::query::timeline::Timeline;
use camlscope_engine::query::timeline::point::TimelinePoint;
use camlscope_present::words::errors::UserError;

#[derive(Clone, Debug)]
pub enum QueryEvent {
    /// The query takes a while. The value is between 0 and 1.
    Progress(f64),
    Finished(Result<SharedAnswer, UserError>),
}

pub type SharedAnswer = Shared<Answer>;

impl SharedAnswer {
    /// Returns the response's data, or `None` if it belongs to another kind of query.
    pub fn get<T: FromAnswer + ?Sized>(&self) -> Option<&T> {
        T::from_answer(self)
    }
}

/// Data that a response can contain.
pub trait FromAnswer {
    fn from_answer(answer: &Answer) -> Option<&Self>;
}

macro_rules! from_answer {
    ($($variant:ident => $held:ty),* $(,)?) => {
        $(impl FromAnswer for $held {
            fn from_answer(answer: &Answer) -> Option<&$held> {
                match answer {
                    Answer::$variant(held) => Some(held),
                    _ => None,
                }
            }
        })*
    };
}

from_answer! {
    Amounts => Amounts,
    Findings => [Finding],
    Flame => Flame,
    Find => Found,
    Detail => Detail,
    Branches => Branches,
    Table => Table,
    Lines => FileLines,
    SourceFiles => SourceFiles,
    Timeline => Timeline,
    Point => TimelinePoint,
    Histogram => Histogram,
    Heat => Heat,
    Sites => [BinSite],
    Growth => Growth,
    Compare => Comparison,
    DiffFlame => DiffFlame,
    Events => EventsPage,
    Suggest => [String],
    Names => [FoundName],
}
