//! Functions, call sites, files or modules as rows: what each allocated itself and with all that it called.
//!
//! [`TableSums`] takes the one pass over the objects that every column comes from; sorting, searching and paging work on
//! the keys alone, so a table of a million rows scrolls. The callers and callees below a row are its sandwich
//! ([`super::flame::branches`]).

mod sums;

use std::cmp::Ordering;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

pub use sums::{CallSums, OwnSums, RowSums, StackSums, SumsBuffer, TableSums, TableSumsBuilder};

use super::measure::Unit;
use super::tree::{Grain, KeyId, Label, Place, ShapedTree, TreeIndex};
use crate::query::sorting::sort_by;
use crate::query::statistics;
use crate::trace::{Calls, Sampling};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableConfig {
    pub order: Order,
    /// Rows whose name or file contains it, in either case of letters.
    pub search: String,
    /// Which rows are wanted, in their order.
    pub rows: Range<usize>,
}

/// Rows that are alike are ordered by name, then file and place, whichever the direction.
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
    /// How many rows the search left, wanted or not.
    pub n_rows: usize,
    /// Everything that was selected, with objects that have no row since their stack is empty.
    pub all_bytes: f64,
    pub all_samples: u64,
    /// What bytes and blocks of the measure were divided by: 1 unless it is per second.
    pub per_seconds: f64,
    pub rows: Vec<Row>,
}

/// All but `self_…` is about the objects that have such a frame anywhere in their stack, each counted once.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    pub name: String,
    pub file: String,
    /// Of call sites only.
    pub line: Option<u32>,
    pub start_char: Option<u16>,
    pub end_char: Option<u16>,
    /// The number of the row's key, as in [`super::flame::FlameName`].
    pub key: u32,
    pub self_bytes: f64,
    pub total_bytes: f64,
    pub self_samples: u64,
    pub total_samples: u64,
    /// The margin of the 95% interval of `total_bytes`, as a share of it.
    pub error: Option<f64>,
    pub self_blocks: f64,
    pub blocks: f64,
    pub byte_seconds: f64,
    /// Weighted by bytes; an object that was never collected counts with its age at the end.
    pub mean_lifetime_us: Option<f64>,
    pub promoted_bytes: f64,
    /// Of objects that were never collected.
    pub end_bytes: f64,
    /// Of profiles with call counts: how often the frame called something, and with all that was called below it.
    pub self_calls: Option<u64>,
    pub calls: Option<u64>,
}

/// `per_seconds`: what bytes and blocks are divided by, where they are a rate; else 1.
pub fn table(
    calls: &Calls,
    sampling: Sampling,
    per_seconds: f64,
    tree: &ShapedTree,
    index: &TreeIndex,
    sums: &TableSums,
    config: &TableConfig,
) -> Table {
    let search = config.search.to_ascii_lowercase();
    let label = |key: KeyId| tree.keys().label(calls, key);
    let mut keys: Vec<KeyId> = sums.keys().filter(|&key| search.is_empty() || is_found(&label(key), &search)).collect();
    sort(calls, tree, index, sums, config.order, &mut keys);
    let end = config.rows.end.min(keys.len());
    let wanted = &keys[config.rows.start.min(end)..end];
    let all = sums.all();
    Table {
        n_rows: keys.len(),
        all_bytes: if per_seconds > 0.0 { all.samples as f64 * sampling.bytes_a_sample / per_seconds } else { 0.0 },
        all_samples: all.samples,
        per_seconds,
        rows: wanted.iter().map(|&key| Row::new(sampling, per_seconds, label(key), key, sums)).collect(),
    }
}

impl Table {
    /// The self and total amounts of a row in this unit. A table has no byte-seconds of a row itself.
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

    /// Its name in links.
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

/// `self`, or `-self` where the smallest comes first.
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
    /// By what was allocated there for call sites, by what they are responsible for otherwise.
    pub fn usual(grain: Grain) -> Order {
        let column = if grain == Grain::Site { Column::SelfBytes } else { Column::TotalBytes };
        Order { column, descending: true }
    }
}

/// Whether a sum of so few samples is hardly more than a hint.
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
        // Without any time there is nothing to divide.
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

/// `search` in lower case.
fn is_found(label: &Label, search: &str) -> bool {
    let has = |text: &str| text.to_ascii_lowercase().contains(search);
    has(&label.name) || has(&label.file) || has(&label.plain())
}

fn sort(calls: &Calls, tree: &ShapedTree, index: &TreeIndex, sums: &TableSums, order: Order, keys: &mut Vec<KeyId>) {
    let directed = |ordering: Ordering| if order.descending { ordering.reverse() } else { ordering };
    sort_by(keys, |&one, &two| index.rank(one).cmp(&index.rank(two)));
    match order.column {
        Column::Name => {
            // As people read them; of equal ones, as the compiler has them.
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
            // Stable, so names stay in order.
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

/// What numbers are sorted by: all rows of a table have the same factors.
fn raw_value(column: Column, own: &OwnSums, total: &RowSums, calls: CallSums) -> f64 {
    match column {
        Column::SelfBytes | Column::SelfSamples => own.samples as f64,
        Column::TotalBytes | Column::TotalSamples => total.samples as f64,
        // The margin falls as samples grow.
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
