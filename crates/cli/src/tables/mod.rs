//! Tables for DuckDB, Polars, Spark and others: folders of Parquet files that they read as one dataset.
//!
//! A dataset is a folder with a folder for each table, which has a folder for each trace:
//! `objects/trace=orders-20240229T120000Z-17-1c291ca3/part-0.parquet`. docs/tables.md describes the columns.

mod calls;
mod dataset;
mod file;
mod id;
mod objects;
mod snapshots;
mod traces;

use std::io;

pub use dataset::Dataset;
pub use id::run_id;

use self::calls::Stacks;
use self::dataset::Staging;
use self::file::TableFile;
use camlscope_engine::profile::Profile;
use camlscope_engine::query::growth::HeapGrowth;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::trace::Trace;

#[derive(Debug, thiserror::Error)]
pub enum TablesError {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Parquet(#[from] parquet::errors::ParquetError),
}

impl From<TablesError> for io::Error {
    fn from(error: TablesError) -> io::Error {
        match error {
            TablesError::Io(error) => error,
            TablesError::Parquet(error) => io::Error::other(error),
        }
    }
}

/// The identity and source of a trace.
#[derive(Clone, Copy, Debug)]
pub struct TraceOrigin<'a> {
    /// See [`run_id`].
    pub id: &'a str,
    /// The path as given by the user.
    pub file: &'a str,
    pub summary: &'a Summary,
}

/// Writes `traces`, `objects`, `stacks` and `frames`. Replaces the trace in the dataset once all of them are written.
/// If one can't be written, the dataset stays as it was.
pub fn write_trace(to: &Dataset, source: TraceOrigin<'_>, trace: &Trace, heap: &HeapGrowth) -> Result<(), TablesError> {
    let staging = to.stage(source.id)?;
    let mut stacks = Stacks::new(&trace.calls);
    objects::write(&staging, trace, &mut stacks)?;
    finish(staging, source, &stacks, heap)
}

/// The same for a profile, with `snapshots` instead of `objects`.
pub fn write_profile(
    to: &Dataset,
    source: TraceOrigin<'_>,
    profile: &Profile,
    heap: &HeapGrowth,
) -> Result<(), TablesError> {
    let staging = to.stage(source.id)?;
    let mut stacks = Stacks::new(&profile.calls);
    snapshots::write(&staging, profile, &mut stacks)?;
    finish(staging, source, &stacks, heap)
}

fn finish(
    staging: Staging<'_>,
    source: TraceOrigin<'_>,
    stacks: &Stacks<'_>,
    heap: &HeapGrowth,
) -> Result<(), TablesError> {
    stacks.write(&staging)?;
    stacks.write_frames(&staging)?;
    traces::write(&staging, source, heap)?;
    Ok(staging.publish()?)
}

/// The number of rows per group: as many as query engines read at a time, and few enough to fit in memory.
const GROUP_ROWS: usize = 1 << 19;
