//! What a value means, by the place at which it stands.

use super::{Decoder, FEATURE_CALL_COUNTS, MARK_END, MARK_EVENT, MARK_SNAPSHOT, RAW_MAGIC};
use crate::spacetime::error::{Part, Refusal, WarningKind};
use crate::spacetime::expected::Expected;
use crate::spacetime::marshal::Value;
use crate::spacetime::sink::{Form, Header, Sink};
use crate::spacetime::tables::{FrameTable, ShapeTable};
use crate::spacetime::trie::{self, Tables};
use crate::spacetime::{series, snapshot};

impl Decoder {
    /// A value is whole: it lies from `since` to `end`.
    pub(super) fn take_value<S: Sink>(&mut self, since: u64, end: u64, sink: &mut S) -> Result<(), Refusal> {
        let expected = std::mem::replace(&mut self.expected, Expected::Nothing);
        let part = expected.part();
        let (next, is_sound) = match expected {
            Expected::Start(form) => {
                self.expected = match form {
                    Form::Raw => self.raw_start(sink)?,
                    Form::Series => self.series(sink)?,
                };
                return Ok(());
            }
            Expected::FrameTable => {
                let table = FrameTable::new(self.reader.take());
                let is_sound = table.is_some();
                self.frames = table.unwrap_or_default();
                (Expected::ShapeTable, is_sound)
            }
            Expected::ShapeTable => {
                self.shapes = ShapeTable::new(self.reader.take());
                (Expected::ThreadCount, self.shapes.is_some())
            }
            Expected::ThreadCount => {
                let n = self.reader.heap().root().and_then(Value::int).and_then(|n| u64::try_from(n).ok());
                (Expected::tries(n.unwrap_or(1).saturating_mul(2)), n.is_some())
            }
            Expected::Tries { n } => (Expected::tries(n - 1), self.trie(sink)),
            Expected::Nothing => (Expected::Nothing, true),
            record => {
                self.record(record, since, end, sink);
                return Ok(());
            }
        };
        self.expected = next;
        if !is_sound {
            self.warnings.add(WarningKind::Damaged(part), since, end - since);
        }
        Ok(())
    }

    fn raw_start<S: Sink>(&mut self, sink: &mut S) -> Result<Expected, Refusal> {
        let number = self.reader.heap().root().and_then(Value::int).unwrap_or(0) as u64;
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

    fn series<S: Sink>(&mut self, sink: &mut S) -> Result<Expected, Refusal> {
        let read = series::read(&self.reader.take(), self.max_value_bytes, sink).ok_or(Refusal::NotAProfile)?;
        self.end_us = read.end_us;
        self.n_records = read.n_snapshots;
        self.n_points = read.n_points;
        self.warnings.add_all(WarningKind::Damaged(Part::Series), read.n_damaged, 0, 0);
        Ok(Expected::Nothing)
    }

    /// A value among snapshots and events. What it is tells what it is for, whatever was expected.
    fn record<S: Sink>(&mut self, expected: Expected, since: u64, end: u64, sink: &mut S) {
        let part = expected.part();
        let mut damaged = None;
        self.expected = match (self.reader.heap().root(), expected) {
            (Some(Value::Int(mark)), expected) => {
                // The value that the last mark announced is missing.
                damaged = (expected != Expected::Mark).then_some(part);
                match mark {
                    MARK_SNAPSHOT => Expected::Snapshot,
                    MARK_EVENT => Expected::EventName,
                    MARK_END => Expected::End,
                    _ => {
                        damaged = Some(Part::Mark);
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
                    None => damaged = Some(part),
                }
                Expected::Mark
            }
            (Some(Value::Float(_)), Expected::EventName) => {
                damaged = Some(part);
                Expected::Mark
            }
            // The time at which the file was closed.
            (Some(time @ Value::Float(_)), _) => {
                self.end_us = snapshot::time_us(time);
                damaged = self.end_us.is_none().then_some(Part::End);
                Expected::FrameTable
            }
            (Some(value @ Value::Block(_)), _) => {
                match snapshot::read(value, &mut self.snapshot) {
                    Some(()) => {
                        self.n_records += 1;
                        sink.snapshot(&self.snapshot);
                    }
                    None => damaged = Some(Part::Snapshot),
                }
                Expected::Mark
            }
            (None, expected) => expected,
        };
        if let Some(part) = damaged {
            self.warnings.add(WarningKind::Damaged(part), since, end - since);
        }
    }

    /// Whether the trie that was read is one. One that the shapes are missing for is left out.
    fn trie<S: Sink>(&mut self, sink: &mut S) -> bool {
        let heap = self.reader.take();
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
