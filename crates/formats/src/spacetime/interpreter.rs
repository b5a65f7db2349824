//! Interprets each value by its position in the file.

use std::ops::Range;

use super::error::{Refusal, Section, WarningKind, Warnings};
use super::expected::Expected;
use super::limits::MAX_COUNT;
use super::marshal::{Reader, Value};
use super::sink::{Form, Header, Sink, Snapshot};
use super::tables::{FrameTable, ShapeTable};
use super::trie::{self, Tables};
use super::{series, snapshot};

/// Takes the values of a profile one by one.
#[derive(Debug)]
pub struct Interpreter {
    pub expected: Expected,
    pub end_us: Option<u64>,
    pub n_records: u64,
    pub n_points: u64,
    pub has_unused_points: bool,
    has_call_counts: bool,
    /// Reused for every snapshot.
    snapshot: Snapshot,
    frames: FrameTable,
    /// `None` if the table was lost. Tries can't be read without it.
    shapes: Option<ShapeTable>,
    /// The sum that the remaining call counts may reach.
    n_calls_left: u64,
}

/// The lower half of the number at the start of a raw profile. Version and features are in the upper half.
pub const RAW_MAGIC: u64 = 0xace0_0ace;
pub const FEATURE_CALL_COUNTS: u16 = 1;
/// Numbers that announce the next record.
pub const MARK_SNAPSHOT: i64 = 0;
pub const MARK_END: i64 = 1;
pub const MARK_EVENT: i64 = 2;

impl Interpreter {
    pub fn new() -> Interpreter {
        Interpreter {
            expected: Expected::Start(Form::Raw),
            end_us: None,
            n_records: 0,
            n_points: 0,
            has_unused_points: false,
            has_call_counts: false,
            snapshot: Snapshot::default(),
            frames: FrameTable::default(),
            shapes: None,
            n_calls_left: MAX_COUNT,
        }
    }

    /// The memory of the tables read so far.
    pub fn heap_bytes(&self) -> usize {
        self.frames.heap_bytes() + self.shapes.as_ref().map_or(0, ShapeTable::heap_bytes)
    }

    /// Skips the expected value, which can't be read.
    pub fn skip_value(&mut self) {
        self.expected = std::mem::replace(&mut self.expected, Expected::Nothing).after_loss();
    }

    /// Takes the value that the reader has completed. `bytes` is its range in the file.
    pub fn take_value<S: Sink>(
        &mut self,
        reader: &mut Reader,
        bytes: Range<u64>,
        warnings: &mut Warnings,
        sink: &mut S,
    ) -> Result<(), Refusal> {
        let expected = std::mem::replace(&mut self.expected, Expected::Nothing);
        let section = expected.section();
        let (next, is_sound) = match expected {
            Expected::Start(form) => {
                self.expected = match form {
                    Form::Raw => self.raw_start(reader, sink)?,
                    Form::Series => self.series(reader, warnings, sink)?,
                };
                return Ok(());
            }
            Expected::FrameTable => {
                let table = FrameTable::new(reader.take());
                let is_sound = table.is_some();
                self.frames = table.unwrap_or_default();
                (Expected::ShapeTable, is_sound)
            }
            Expected::ShapeTable => {
                self.shapes = ShapeTable::new(reader.take());
                (Expected::ThreadCount, self.shapes.is_some())
            }
            Expected::ThreadCount => {
                let n = reader.heap().root().and_then(Value::int).and_then(|n| u64::try_from(n).ok());
                (Expected::tries(n.unwrap_or(1).saturating_mul(2)), n.is_some())
            }
            Expected::Tries { n } => (Expected::tries(n - 1), self.trie(reader, sink)),
            Expected::Nothing => (Expected::Nothing, true),
            record => {
                if let Some(section) = self.record(record, reader, sink) {
                    warnings.add(WarningKind::Damaged(section), 1, bytes.end - bytes.start, bytes.start);
                }
                return Ok(());
            }
        };
        self.expected = next;
        if !is_sound {
            warnings.add(WarningKind::Damaged(section), 1, bytes.end - bytes.start, bytes.start);
        }
        Ok(())
    }

    fn raw_start<S: Sink>(&mut self, reader: &Reader, sink: &mut S) -> Result<Expected, Refusal> {
        let number = reader.heap().root().and_then(Value::int).unwrap_or(0) as u64;
        let (magic, version, features) = (number & 0xffff_ffff, (number >> 32) as u16, (number >> 48) as u16);
        match (magic, version, features) {
            (RAW_MAGIC, 0, 0 | FEATURE_CALL_COUNTS) => {
                self.has_call_counts = features == FEATURE_CALL_COUNTS;
                sink.header(Header { version, has_call_counts: self.has_call_counts, form: Form::Raw });
                Ok(Expected::Mark)
            }
            (RAW_MAGIC, 0, _) => Err(Refusal::UnknownFeatures { features }),
            (RAW_MAGIC, ..) => Err(Refusal::UnknownVersion { version }),
            _ => Err(Refusal::NotAProfile),
        }
    }

    fn series<S: Sink>(
        &mut self,
        reader: &mut Reader,
        warnings: &mut Warnings,
        sink: &mut S,
    ) -> Result<Expected, Refusal> {
        let read = series::read(&reader.take(), reader.max_bytes(), sink).ok_or(Refusal::NotAProfile)?;
        self.end_us = read.end_us;
        self.n_records = read.n_snapshots;
        self.n_points = read.n_points;
        warnings.add(WarningKind::Damaged(Section::Series), read.n_damaged, 0, 0);
        Ok(Expected::Nothing)
    }

    /// Reads a value among snapshots and events. Its own form decides how it is read, regardless of what was expected.
    /// Returns the damaged section.
    fn record<S: Sink>(&mut self, expected: Expected, reader: &Reader, sink: &mut S) -> Option<Section> {
        let section = expected.section();
        let mut damaged = None;
        self.expected = match (reader.heap().root(), expected) {
            (Some(Value::Int(mark)), expected) => {
                // The value announced by the last mark is missing.
                damaged = (expected != Expected::Mark).then_some(section);
                match mark {
                    MARK_SNAPSHOT => Expected::Snapshot,
                    MARK_EVENT => Expected::EventName,
                    MARK_END => Expected::End,
                    _ => {
                        damaged = Some(Section::Mark);
                        Expected::Mark
                    }
                }
            }
            (Some(Value::Text(name)), _) => Expected::EventTime { name: String::from_utf8_lossy(name).into_owned() },
            (Some(time @ Value::Float(_)), Expected::EventTime { name }) => {
                match snapshot::time_us(time) {
                    Some(at_us) => {
                        self.n_records += 1;
                        sink.mark(&name, at_us);
                    }
                    None => damaged = Some(section),
                }
                Expected::Mark
            }
            (Some(Value::Float(_)), Expected::EventName) => {
                damaged = Some(section);
                Expected::Mark
            }
            // The time at which the file was closed.
            (Some(time @ Value::Float(_)), _) => {
                self.end_us = snapshot::time_us(time);
                damaged = self.end_us.is_none().then_some(Section::End);
                Expected::FrameTable
            }
            (Some(value @ Value::Block(_)), _) => {
                match snapshot::read(value, &mut self.snapshot) {
                    Some(()) => {
                        self.n_records += 1;
                        sink.snapshot(&self.snapshot);
                    }
                    None => damaged = Some(Section::Snapshot),
                }
                Expected::Mark
            }
            (None, expected) => expected,
        };
        damaged
    }

    /// Reads a trie. Returns false if the value isn't one. Tries are skipped if the shapes are missing.
    fn trie<S: Sink>(&mut self, reader: &mut Reader, sink: &mut S) -> bool {
        let heap = reader.take();
        let Some(shapes) = &self.shapes else { return true };
        let tables = Tables {
            frames: &mut self.frames,
            shapes,
            has_call_counts: self.has_call_counts,
            n_calls_left: &mut self.n_calls_left,
            n_points: &mut self.n_points,
            has_unused_points: &mut self.has_unused_points,
        };
        trie::walk(&heap, tables, sink)
    }
}
