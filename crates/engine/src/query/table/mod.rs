//! Functions, call sites, files or modules as rows: what each one allocated, on its own and including everything it
//! called.
//!
//! [`TableSums`] computes all columns in one pass over the objects. Sorting, searching and paging use only the keys, so
//! a table of a million rows still scrolls. The callers and callees below a row are its sandwich
//! ([`super::flame::branches`]).

mod sums;

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use sums::{CallSums, OwnSums, RowSums, StackSums, SumsBuffer, TableSums, TableSumsBuilder};

use super::filter::FilterError;
use super::measure::Unit;
use super::search::Search;
use super::tree::{Grain, KeyId, Label, Place, ShapedTree, TreeIndex};
use crate::query::sorting::sort_by;
use crate::query::statistics;
use crate::trace::{Calls, Sampling};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableConfig {
    pub order: Order,
    /// Keeps rows whose name or file matches this text, see [`Search`].
    pub search: String,
    /// The range of rows to return, in their order.
    pub rows: Range<usize>,
}

/// Ties are ordered by name, then by file and location, in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Order {
    pub column: Column,
    pub descending: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Column {
    Name,
    File,
    SelfBytes,
    TotalBytes,
    SelfSamples,
    TotalSamples,
    Error,
    SelfBlocks,
    Blocks,
    ByteSeconds,
    MeanLifetime,
    PromotedBytes,
    EndBytes,
    SelfCalls,
    Calls,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// The number of rows that match the search.
    pub n_rows: usize,
    /// The total of all selected objects, including those without a row because their stack is empty.
    pub all_bytes: f64,
    pub all_samples: u64,
    /// The divisor of bytes and blocks. 1 unless the measure is per second.
    pub per_seconds: f64,
    pub rows: Vec<Row>,
}

/// All fields but `self_…` are about the objects with this frame anywhere in their stack, each counted once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub name: String,
    pub file: String,
    /// Only for call sites.
    pub line: Option<u32>,
    pub start_char: Option<u16>,
    pub end_char: Option<u16>,
    /// The number of the row's key, as in [`super::flame::FlameName`].
    pub key: u32,
    pub self_bytes: f64,
    pub total_bytes: f64,
    pub self_samples: u64,
    pub total_samples: u64,
    /// The relative margin of the 95% interval of `total_bytes`.
    pub error: Option<f64>,
    pub self_blocks: f64,
    pub blocks: f64,
    pub byte_seconds: f64,
    /// Weighted by bytes. Objects that were never collected live until the end of the trace.
    pub mean_lifetime_us: Option<f64>,
    pub promoted_bytes: f64,
    /// Of objects that were never collected.
    pub end_bytes: f64,
    /// For profiles with call counts: how often the frame called something. `calls` includes all calls below it.
    pub self_calls: Option<u64>,
    pub calls: Option<u64>,
}

/// `per_seconds` is the divisor of bytes and blocks if they are a rate, otherwise 1.
pub fn table(
    calls: &Calls,
    sampling: Sampling,
    per_seconds: f64,
    tree: &ShapedTree,
    index: &TreeIndex,
    sums: &TableSums,
    config: &TableConfig,
) -> Result<Table, FilterError> {
    let search = Search::parse(&config.search)?;
    let label = |key: KeyId| tree.keys().label(calls, key);
    let mut keys: Vec<KeyId> =
        sums.keys().filter(|&key| search.as_ref().is_none_or(|search| search.finds(&label(key)))).collect();
    sort(calls, tree, index, sums, config.order, &mut keys);
    let end = config.rows.end.min(keys.len());
    let wanted = &keys[config.rows.start.min(end)..end];
    let all = sums.all();
    Ok(Table {
        n_rows: keys.len(),
        all_bytes: if per_seconds > 0.0 { all.samples as f64 * sampling.bytes_a_sample / per_seconds } else { 0.0 },
        all_samples: all.samples,
        per_seconds,
        rows: wanted.iter().map(|&key| Row::new(sampling, per_seconds, label(key), key, sums)).collect(),
    })
}

impl Table {
    /// Returns the self and total amounts of a row in this unit. There are no self byte-seconds.
    pub fn amounts(&self, row: &Row, unit: Unit) -> (Option<f64>, f64) {
        let samples = |n: u64| if self.per_seconds > 0.0 { n as f64 / self.per_seconds } else { 0.0 };
        match unit.counted() {
            Unit::Blocks => (Some(row.self_blocks), row.blocks),
            Unit::Samples => (Some(samples(row.self_samples)), samples(row.total_samples)),
            Unit::ByteSeconds => (None, row.byte_seconds),
            Unit::Calls => (row.self_calls.map(|n| n as f64), row.calls.unwrap_or(0) as f64),
            _ => (Some(row.self_bytes), row.total_bytes),
        }
    }
}

impl Column {
    pub const ALL: [Column; 15] = [
        Column::Name,
        Column::File,
        Column::SelfBytes,
        Column::TotalBytes,
        Column::SelfSamples,
        Column::TotalSamples,
        Column::Error,
        Column::SelfBlocks,
        Column::Blocks,
        Column::ByteSeconds,
        Column::MeanLifetime,
        Column::PromotedBytes,
        Column::EndBytes,
        Column::SelfCalls,
        Column::Calls,
    ];

    /// Returns the name used in links.
    pub fn as_str(self) -> &'static str {
        match self {
            Column::Name => "name",
            Column::File => "file",
            Column::SelfBytes => "self",
            Column::TotalBytes => "total",
            Column::SelfSamples => "self-samples",
            Column::TotalSamples => "samples",
            Column::Error => "error",
            Column::SelfBlocks => "self-blocks",
            Column::Blocks => "blocks",
            Column::ByteSeconds => "byte-seconds",
            Column::MeanLifetime => "lifetime",
            Column::PromotedBytes => "promoted",
            Column::EndBytes => "end",
            Column::SelfCalls => "self-calls",
            Column::Calls => "calls",
        }
    }
}

/// `self`, or `-self` for ascending order.
impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", if self.descending { "" } else { "-" }, self.column.as_str())
    }
}

impl FromStr for Order {
    type Err = ();

    fn from_str(text: &str) -> Result<Order, ()> {
        let (name, descending) = text.strip_prefix('-').map_or((text, true), |name| (name, false));
        let column = Column::ALL.into_iter().find(|column| column.as_str() == name).ok_or(())?;
        Ok(Order { column, descending })
    }
}

impl Order {
    /// Returns the default order: by self bytes for call sites, otherwise by total bytes.
    pub fn usual(grain: Grain) -> Order {
        let column = if grain == Grain::Site { Column::SelfBytes } else { Column::TotalBytes };
        Order { column, descending: true }
    }
}

/// Returns whether there are too few samples for more than a rough estimate.
pub fn has_few_samples(samples: u64) -> bool {
    const FIRM_SAMPLES: u64 = 10;
    samples < FIRM_SAMPLES
}

impl Row {
    pub fn label(&self) -> Label {
        let place = Place::new(self.line, self.start_char, self.end_char);
        Label { name: self.name.clone(), file: self.file.clone(), place }
    }

    fn new(sampling: Sampling, per_seconds: f64, label: Label, key: KeyId, sums: &TableSums) -> Row {
        let (own, total, calls) = (sums.own(key), sums.total(key), sums.calls(key));
        let bytes = sampling.bytes_a_sample;
        // Without any time, rates are 0.
        let (rate, blocks) = match per_seconds > 0.0 {
            true => (bytes / per_seconds, 1.0 / sampling.rate / per_seconds),
            false => (0.0, 0.0),
        };
        Row {
            name: label.name,
            file: label.file,
            line: label.place.map(|place| place.line),
            start_char: label.place.map(|place| place.start_char),
            end_char: label.place.map(|place| place.end_char),
            key: key.0,
            self_bytes: own.samples as f64 * rate,
            total_bytes: total.samples as f64 * rate,
            self_samples: own.samples,
            total_samples: total.samples,
            error: statistics::relative_margin(total.samples, sampling.rate),
            self_blocks: own.blocks * blocks,
            blocks: total.blocks * blocks,
            byte_seconds: total.sample_us * bytes / 1e6,
            mean_lifetime_us: total.mean_lifetime_us(),
            promoted_bytes: total.promoted as f64 * bytes,
            end_bytes: total.end as f64 * bytes,
            self_calls: calls.map(|calls| calls.own),
            calls: calls.map(|calls| calls.total),
        }
    }
}

fn sort(calls: &Calls, tree: &ShapedTree, index: &TreeIndex, sums: &TableSums, order: Order, keys: &mut Vec<KeyId>) {
    let directed = |ordering: Ordering| if order.descending { ordering.reverse() } else { ordering };
    sort_by(keys, |&one, &two| index.rank(one).cmp(&index.rank(two)));
    match order.column {
        Column::Name => {
            // By plain name, then by the compiler's name.
            let plain = |key: KeyId| tree.keys().label(calls, key).plain();
            let mut by_name: Vec<(String, KeyId)> = keys.iter().map(|&key| (plain(key), key)).collect();
            sort_by(&mut by_name, |one, two| one.0.cmp(&two.0));
            keys.iter_mut().zip(by_name).for_each(|(key, (_, sorted))| *key = sorted);
            if order.descending {
                keys.reverse();
            }
        }
        Column::File => {
            let mut by_file: Vec<(String, KeyId)> =
                keys.iter().map(|&key| (tree.keys().label(calls, key).file, key)).collect();
            // The sort is stable, so names stay in order.
            sort_by(&mut by_file, |one, two| directed(one.0.cmp(&two.0)));
            keys.iter_mut().zip(by_file).for_each(|(key, (_, sorted))| *key = sorted);
        }
        column => {
            let value =
                |key: KeyId| raw_value(column, sums.own(key), sums.total(key), sums.calls(key).unwrap_or_default());
            sort_by(keys, |&one, &two| directed(value(one).total_cmp(&value(two))));
        }
    }
}

/// Returns the raw value to sort by, since all rows of a table have the same factors.
fn raw_value(column: Column, own: &OwnSums, total: &RowSums, calls: CallSums) -> f64 {
    match column {
        Column::SelfBytes | Column::SelfSamples => own.samples as f64,
        Column::TotalBytes | Column::TotalSamples => total.samples as f64,
        // The margin shrinks as samples grow.
        Column::Error => -(total.samples as f64),
        Column::SelfBlocks => own.blocks,
        Column::Blocks => total.blocks,
        Column::ByteSeconds => total.sample_us,
        Column::MeanLifetime => total.mean_lifetime_us().unwrap_or_default(),
        Column::PromotedBytes => total.promoted as f64,
        Column::EndBytes => total.end as f64,
        Column::SelfCalls => calls.own as f64,
        Column::Calls => calls.total as f64,
        Column::Name | Column::File => 0.0,
    }
}
