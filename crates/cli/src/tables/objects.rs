//! `objects`: one row per sampled object.

use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int32Type, Int64Type};

use super::calls::Stacks;
use super::file::{Column, Schema};
use super::{GROUP_ROWS, Staging, TableFile, TablesError};
use camlscope_engine::query::measure::lifetime_us;
use camlscope_engine::trace::{Rows, StackId, Trace};
use camlscope_formats::ctf::AllocSource;

const OBJECTS: Schema = Schema {
    table: "objects",
    columns: "REQUIRED INT32 object;
        REQUIRED INT64 allocated_at (TIMESTAMP(MICROS,true));
        OPTIONAL INT64 promoted_at (TIMESTAMP(MICROS,true));
        OPTIONAL INT64 ended_at (TIMESTAMP(MICROS,true));
        REQUIRED INT64 lifetime_us;
        REQUIRED INT64 words;
        REQUIRED INT64 samples;
        REQUIRED DOUBLE bytes;
        REQUIRED BYTE_ARRAY source (STRING);
        REQUIRED INT32 domain;
        OPTIONAL INT32 stack;",
    close_numbers: &["object", "allocated_at", "promoted_at", "ended_at", "stack"],
    without_statistics: &[],
};

#[derive(Default)]
struct Objects {
    object: Column<Int32Type>,
    allocated_at: Column<Int64Type>,
    promoted_at: Column<Int64Type>,
    ended_at: Column<Int64Type>,
    lifetime_us: Column<Int64Type>,
    words: Column<Int64Type>,
    samples: Column<Int64Type>,
    bytes: Column<DoubleType>,
    source: Column<ByteArrayType>,
    domain: Column<Int32Type>,
    stack: Column<Int32Type>,
}

pub fn write(to: &Staging<'_>, trace: &Trace, stacks: &mut Stacks<'_>) -> Result<(), TablesError> {
    let mut file = TableFile::create(to, &OBJECTS)?;
    let mut objects = Objects::default();
    let sources = ["minor", "major", "external"].map(ByteArray::from);
    let mut promotions = trace.promotions.iter().peekable();
    let mut n_rows = 0;
    for rows in trace.columns.chunks() {
        for place in 0..rows.len() {
            let row = rows.row(place);
            let promoted = promotions.next_if(|(promoted, _)| *promoted == row);
            let promoted_us =
                promoted.filter(|_| rows.promoted(place)).map(|(_, gc_time)| trace.gc_times.time_us(gc_time));
            objects.add(trace, &rows, place, promoted_us, &sources, stacks);
            n_rows += 1;
        }
        if n_rows >= GROUP_ROWS {
            objects.flush(&mut file)?;
            n_rows = 0;
        }
    }
    if n_rows > 0 {
        objects.flush(&mut file)?;
    }
    file.close()
}

impl Objects {
    fn add(
        &mut self,
        trace: &Trace,
        rows: &Rows<'_>,
        place: usize,
        promoted_us: Option<u64>,
        sources: &[ByteArray; 3],
        stacks: &mut Stacks<'_>,
    ) {
        // If the trace has no start time, times are relative to its start.
        let time = |us: u64| trace.info.start_us.saturating_add(us) as i64;
        let source = match rows.source(place) {
            AllocSource::Minor => 0,
            AllocSource::Major => 1,
            AllocSource::External => 2,
        };
        self.object.push(rows.row(place).0 as i32);
        self.allocated_at.push(time(rows.alloc_us(place)));
        self.promoted_at.push_maybe(promoted_us.map(time));
        self.ended_at.push_maybe(trace.gc_times.end_us(rows.end(place)).map(time));
        self.lifetime_us.push(lifetime_us(trace, rows, place) as i64);
        self.words.push(rows.size_words(place) as i64);
        self.samples.push(rows.n_samples(place) as i64);
        self.bytes.push(rows.samples(place) * trace.bytes_a_sample());
        self.source.push(sources[source].clone());
        self.domain.push(i32::from(trace.columns.domain(rows.row(place))));
        self.stack.push_maybe(stacks.number(StackId(rows.stack(place) as u32)));
    }

    fn flush(&mut self, file: &mut TableFile) -> Result<(), TablesError> {
        file.write_group(&mut [
            &mut self.object,
            &mut self.allocated_at,
            &mut self.promoted_at,
            &mut self.ended_at,
            &mut self.lifetime_us,
            &mut self.words,
            &mut self.samples,
            &mut self.bytes,
            &mut self.source,
            &mut self.domain,
            &mut self.stack,
        ])?;
        Ok(())
    }
}
