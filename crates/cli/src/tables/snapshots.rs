//! `snapshots`: the live and total allocated memory of each stack at each snapshot of a profile.

use std::collections::BTreeMap;

use parquet::data_type::{Int32Type, Int64Type};

use super::calls::Stacks;
use super::file::{Column, Schema};
use super::{GROUP_ROWS, Staging, TableFile, TablesError};
use camlscope_engine::profile::{Profile, WORD_BYTES};

const SNAPSHOTS: Schema = Schema {
    table: "snapshots",
    columns: "REQUIRED INT32 snapshot;
        REQUIRED INT64 at_us;
        OPTIONAL INT32 stack;
        REQUIRED INT64 live_bytes;
        REQUIRED INT64 live_blocks;
        REQUIRED INT64 allocated_bytes;",
    close_numbers: &["snapshot", "at_us", "stack"],
    without_statistics: &[],
};

#[derive(Default)]
struct Figures {
    live_words: u64,
    live_blocks: u64,
    allocated_words: u64,
}

#[derive(Default)]
struct Snapshots {
    snapshot: Column<Int32Type>,
    at_us: Column<Int64Type>,
    stack: Column<Int32Type>,
    live_bytes: Column<Int64Type>,
    live_blocks: Column<Int64Type>,
    allocated_bytes: Column<Int64Type>,
}

pub fn write(to: &Staging<'_>, profile: &Profile, stacks: &mut Stacks<'_>) -> Result<(), TablesError> {
    let mut file = TableFile::create(to, &SNAPSHOTS)?;
    let mut rows = Snapshots::default();
    let mut n_rows = 0;
    for (number, snapshot) in (0..).zip(&profile.snapshots) {
        let mut of_stack: BTreeMap<Option<i32>, Figures> = BTreeMap::new();
        for held in profile.live(snapshot) {
            let figures = of_stack.entry(stacks.number(held.stack)).or_default();
            figures.live_words += held.words;
            figures.live_blocks += held.blocks;
        }
        for (stack, words) in profile.allocated(snapshot) {
            of_stack.entry(stacks.number(stack)).or_default().allocated_words += words;
        }
        // Memory that isn't attributed to any allocation point has no stack.
        of_stack.entry(None).or_default().live_words += snapshot.unattributed_words;
        for (stack, figures) in of_stack {
            rows.add(number, snapshot.at_us, stack, &figures);
            n_rows += 1;
            if n_rows == GROUP_ROWS {
                rows.flush(&mut file)?;
                n_rows = 0;
            }
        }
    }
    if n_rows > 0 {
        rows.flush(&mut file)?;
    }
    file.close()
}

impl Snapshots {
    fn add(&mut self, number: i32, at_us: u64, stack: Option<i32>, figures: &Figures) {
        let bytes = |words: u64| words.saturating_mul(WORD_BYTES as u64) as i64;
        self.snapshot.push(number);
        self.at_us.push(at_us as i64);
        self.stack.push_maybe(stack);
        self.live_bytes.push(bytes(figures.live_words));
        self.live_blocks.push(figures.live_blocks as i64);
        self.allocated_bytes.push(bytes(figures.allocated_words));
    }

    fn flush(&mut self, file: &mut TableFile) -> Result<(), TablesError> {
        let Snapshots { snapshot, at_us, stack, live_bytes, live_blocks, allocated_bytes } = self;
        Ok(file.write_group(&mut [snapshot, at_us, stack, live_bytes, live_blocks, allocated_bytes])?)
    }
}
