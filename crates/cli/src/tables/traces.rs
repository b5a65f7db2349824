//! `traces`: one row, with the figures of the summary and of heap growth.

use crate::UNITS;
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};

use super::file::{Column, Gathered, Schema, TextLists};
use super::{Staging, TableFile, TablesError, TraceOrigin};
use camlscope_engine::query::growth::HeapGrowth;
use camlscope_present::words;

const TRACES: Schema = Schema {
    table: "traces",
    columns: "REQUIRED BYTE_ARRAY id (STRING);
        REQUIRED BYTE_ARRAY file (STRING);
        REQUIRED BYTE_ARRAY format (STRING);
        OPTIONAL BYTE_ARRAY program (STRING);
        OPTIONAL BYTE_ARRAY host (STRING);
        OPTIONAL INT64 pid;
        OPTIONAL INT64 started_at (TIMESTAMP(MICROS,true));
        OPTIONAL BYTE_ARRAY context (STRING);
        REQUIRED INT32 word_bits;
        REQUIRED INT64 duration_us;
        REQUIRED INT64 file_bytes;
        OPTIONAL DOUBLE sample_rate;
        REQUIRED INT32 thinned;
        REQUIRED INT64 samples;
        REQUIRED DOUBLE allocated_bytes;
        OPTIONAL DOUBLE promoted_bytes;
        REQUIRED DOUBLE peak_bytes;
        REQUIRED INT64 peak_us;
        OPTIONAL DOUBLE end_bytes;
        REQUIRED BYTE_ARRAY growth_verdict (STRING);
        OPTIONAL DOUBLE growth_bytes_per_s;
        OPTIONAL DOUBLE growth_low;
        OPTIONAL DOUBLE growth_high;
        REQUIRED INT64 growth_from_us;
        REQUIRED INT64 growth_to_us;
        OPTIONAL GROUP warnings (LIST) { REPEATED GROUP list { REQUIRED BYTE_ARRAY element (STRING); } }",
    close_numbers: &[],
    without_statistics: &[],
};

pub fn write(to: &Staging<'_>, source: TraceOrigin<'_>, heap: &HeapGrowth) -> Result<(), TablesError> {
    let summary = source.summary;
    let info = &summary.info;
    // A profile has no samples, so its figures are exact.
    let sampled = |samples: u64| summary.profile.is_none().then(|| summary.bytes_of(samples));
    let mut warnings = TextLists::default();
    warnings.push(Some(
        summary.warnings.iter().map(|warning| ByteArray::from(words::warnings::text(warning, UNITS).as_str())),
    ));
    let mut columns: Vec<Box<dyn Gathered>> = vec![
        text(source.id),
        text(source.file),
        text(&summary.format),
        maybe_text(&info.executable),
        maybe_text(&info.host),
        maybe::<Int64Type>((info.pid > 0).then_some(info.pid as i64)),
        maybe::<Int64Type>((info.start_time_us > 0).then_some(info.start_time_us as i64)),
        maybe_text(info.context.as_deref().unwrap_or_default()),
        one::<Int32Type>(i32::from(info.word_size)),
        one::<Int64Type>(summary.end_us as i64),
        one::<Int64Type>(summary.file_bytes as i64),
        maybe::<DoubleType>(summary.profile.is_none().then_some(info.sample_rate)),
        one::<Int32Type>(summary.downsampled.unwrap_or(1) as i32),
        one::<Int64Type>(summary.samples.total as i64),
        one::<DoubleType>(summary.allocated_bytes),
        maybe::<DoubleType>(sampled(summary.samples.moved())),
        one::<DoubleType>(summary.peak.bytes),
        one::<Int64Type>(summary.peak.at_us as i64),
        maybe::<DoubleType>(sampled(summary.samples.live_at_end)),
        text(heap.verdict.as_str()),
        maybe::<DoubleType>(heap.rate.map(|rate| rate.bytes_per_s)),
        maybe::<DoubleType>(heap.rate.map(|rate| rate.low)),
        maybe::<DoubleType>(heap.rate.map(|rate| rate.high)),
        one::<Int64Type>(heap.window.from_us as i64),
        one::<Int64Type>(heap.window.to_us as i64),
        Box::new(warnings),
    ];
    let mut file = TableFile::create(to, &TRACES)?;
    let mut columns: Vec<&mut dyn Gathered> = columns.iter_mut().map(|column| &mut **column as _).collect();
    file.write_group(&mut columns)?;
    file.close()
}

fn one<T: parquet::data_type::DataType + 'static>(value: T::T) -> Box<dyn Gathered> {
    let mut column = Column::<T>::default();
    column.push(value);
    Box::new(column)
}

fn maybe<T: parquet::data_type::DataType + 'static>(value: Option<T::T>) -> Box<dyn Gathered> {
    let mut column = Column::<T>::default();
    column.push_maybe(value);
    Box::new(column)
}

fn text(text: &str) -> Box<dyn Gathered> {
    one::<ByteArrayType>(ByteArray::from(text))
}

/// Empty text becomes null.
fn maybe_text(text: &str) -> Box<dyn Gathered> {
    maybe::<ByteArrayType>((!text.is_empty()).then(|| ByteArray::from(text)))
}
