//! The push decoder: a profile is a sequence of marshaled values.
//!
//! Every decision depends only on the file's bytes, so a file decodes the same in chunks of any size. A value that
//! can't be read is skipped, and the search for the next one starts there. Most values identify themselves, so losing
//! one doesn't affect the others.

use super::error::{Refusal, Warning, WarningKind, Warnings};
use super::expected::Expected;
use super::interpreter::Interpreter;
use super::marshal::{self, HeaderError, Progress, Reader, Unreadable, ValueHeader};
use super::sink::{Form, Sink};
use crate::carry::{Carry, Step};

/// Decodes a profile that is pushed in chunks.
#[derive(Debug)]
pub struct Decoder {
    /// Less than a header or a token.
    carry: Carry,
    /// The file offset of the next byte to consume.
    offset: u64,
    mode: Mode,
    reader: Reader,
    interpreter: Interpreter,
    warnings: Warnings,
}

/// Facts that are known after the last byte of a profile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    pub bytes: u64,
    /// When the program closed the file.
    pub end_us: Option<u64>,
    /// Whether the file is complete. Values in it may still be damaged.
    pub is_complete: bool,
    /// Whether the file has any allocation points.
    pub has_points: bool,
    /// Whether there are points that never allocated. They all have the number 0 and aren't reported.
    pub has_unused_points: bool,
    pub warnings: Vec<Warning>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// A value's header is expected.
    Header,
    /// Inside the value that started at `since`.
    Value { since: u64 },
    /// Searching for a value after unreadable bytes that started at `since`.
    Search { since: u64, kind: WarningKind },
}

/// The codes of the first token: a 64-bit integer, or a block of four fields.
const RAW_CODE: u8 = 0x03;
const SERIES_CODE: u8 = 0xc0;

impl Decoder {
    /// `max_value_bytes` is the memory that a single value (a trie, a `.p`) may take while it is read.
    pub fn new(max_value_bytes: usize) -> Decoder {
        Decoder {
            carry: Carry::default(),
            offset: 0,
            mode: Mode::Header,
            reader: Reader::new(max_value_bytes),
            interpreter: Interpreter::new(),
            warnings: Warnings::default(),
        }
    }

    /// Snapshots and events read so far.
    pub fn n_records(&self) -> u64 {
        self.interpreter.n_records
    }

    /// The memory held for values that are being read.
    pub fn heap_bytes(&self) -> usize {
        self.carry.heap_bytes() + self.reader.heap_bytes() + self.interpreter.heap_bytes()
    }

    pub fn push<S: Sink>(&mut self, chunk: &[u8], sink: &mut S) -> Result<(), Refusal> {
        let mut carry = std::mem::take(&mut self.carry);
        let pushed = carry.push(chunk, |data| self.advance(data, false, sink));
        self.carry = carry;
        pushed
    }

    /// Ends the file.
    pub fn finish(mut self, sink: &mut impl Sink) -> Result<Finished, Refusal> {
        let carry = std::mem::take(&mut self.carry);
        let mut rest = carry.bytes();
        while let Step::Consumed(n) = self.advance(rest, true, sink)? {
            rest = &rest[n..];
            if rest.is_empty() {
                break;
            }
        }
        let bytes = self.offset + rest.len() as u64;
        if let Expected::Start(_) = self.interpreter.expected {
            return Err(match (bytes, self.mode) {
                (0, _) => Refusal::Empty,
                (_, Mode::Header) if !marshal::may_begin_a_value(rest) => Refusal::NotAProfile,
                _ => Refusal::Cut { bytes },
            });
        }
        match self.mode {
            Mode::Value { since } => self.warnings.add(WarningKind::Cut, 1, bytes - since, since),
            Mode::Search { since, kind } => self.warnings.add(kind, 1, bytes - since, since),
            Mode::Header if !rest.is_empty() => self.warnings.add(WarningKind::Cut, 1, rest.len() as u64, self.offset),
            Mode::Header if !matches!(self.interpreter.expected, Expected::Mark | Expected::Nothing) => {
                self.warnings.add(WarningKind::Cut, 1, 0, bytes);
            }
            Mode::Header => {}
        }
        if self.interpreter.expected.is_record() {
            self.warnings.add(WarningKind::NoTrie, 1, 0, bytes);
        }
        Ok(Finished {
            bytes,
            end_us: self.interpreter.end_us,
            is_complete: self.interpreter.expected == Expected::Nothing,
            has_points: self.interpreter.n_points > 0,
            has_unused_points: self.interpreter.has_unused_points,
            warnings: self.warnings.into_sorted(),
        })
    }

    /// Does one step and advances the offset.
    fn advance<S: Sink>(&mut self, data: &[u8], at_end: bool, sink: &mut S) -> Result<Step, Refusal> {
        let step = self.step(data, at_end, sink)?;
        if let Step::Consumed(n) = step {
            self.offset += n as u64;
        }
        Ok(step)
    }

    fn step<S: Sink>(&mut self, data: &[u8], at_end: bool, sink: &mut S) -> Result<Step, Refusal> {
        match self.mode {
            Mode::Header => self.header(data),
            Mode::Value { since } => self.value(data, since, sink),
            Mode::Search { since, kind } => Ok(self.search(data, at_end, since, kind)),
        }
    }

    fn header(&mut self, data: &[u8]) -> Result<Step, Refusal> {
        let is_start = matches!(self.interpreter.expected, Expected::Start(_));
        if self.interpreter.expected == Expected::Nothing && !data.is_empty() {
            self.mode = Mode::Search { since: self.offset, kind: WarningKind::Garbage };
            return Ok(Step::Consumed(0));
        }
        match ValueHeader::read(data) {
            Ok(header) => {
                if is_start {
                    // The first token shows which form the file has, or that it isn't a profile.
                    let Some(first) = data.get(header.n_bytes) else { return Ok(Step::Need(header.n_bytes + 1)) };
                    self.interpreter.expected = Expected::Start(match *first {
                        RAW_CODE => Form::Raw,
                        SERIES_CODE => Form::Series,
                        _ => return Err(Refusal::NotAProfile),
                    });
                }
                self.reader.begin(&header);
                self.mode = Mode::Value { since: self.offset };
                Ok(Step::Consumed(header.n_bytes))
            }
            Err(HeaderError::Short(n)) => Ok(Step::Need(n)),
            Err(HeaderError::Unsound) if !is_start => {
                self.mode = Mode::Search {
                    since: self.offset,
                    kind: WarningKind::Damaged(self.interpreter.expected.section()),
                };
                Ok(Step::Consumed(0))
            }
            Err(HeaderError::Unsound) if marshal::may_begin_a_value(data) => Err(Refusal::Damaged { offset: 0 }),
            Err(HeaderError::Unsound) => Err(Refusal::NotAProfile),
        }
    }

    fn value<S: Sink>(&mut self, data: &[u8], since: u64, sink: &mut S) -> Result<Step, Refusal> {
        let left = self.reader.left();
        match self.reader.push(data) {
            Ok(Progress::Consumed(n)) => Ok(Step::Consumed(n)),
            Ok(Progress::Need(n)) => Ok(Step::Need(n)),
            Ok(Progress::Done(n)) => {
                self.mode = Mode::Header;
                let end = self.offset + n as u64;
                self.interpreter.take_value(&mut self.reader, since..end, &mut self.warnings, sink)?;
                Ok(Step::Consumed(n))
            }
            Err(why) => {
                let n = (left - self.reader.left()) as usize;
                self.reader.take();
                let offset = self.offset + n as u64;
                if let Expected::Start(_) = self.interpreter.expected {
                    return Err(match why {
                        Unreadable::Damaged => Refusal::Damaged { offset },
                        Unreadable::TooLarge => Refusal::TooLarge { max_bytes: self.reader.max_bytes() as u64, offset },
                    });
                }
                let section = self.interpreter.expected.section();
                let kind = match why {
                    Unreadable::Damaged => WarningKind::Damaged(section),
                    Unreadable::TooLarge => WarningKind::TooLarge(section),
                };
                self.mode = Mode::Search { since, kind };
                Ok(Step::Consumed(n))
            }
        }
    }

    /// Searches for the next value.
    fn search(&mut self, data: &[u8], at_end: bool, since: u64, kind: WarningKind) -> Step {
        if kind == WarningKind::Garbage {
            return Step::Consumed(data.len());
        }
        // There is no valid header at the start of the search.
        let mut at = usize::from(self.offset == since && !data.is_empty());
        while let Some(found) = data[at..].iter().position(|&byte| byte == marshal::MAGIC_SMALL[0]) {
            at += found;
            match ValueHeader::read(&data[at..]) {
                Ok(_) => {
                    self.warnings.add(kind, 1, self.offset + at as u64 - since, since);
                    self.mode = Mode::Header;
                    self.interpreter.skip_value();
                    return Step::Consumed(at);
                }
                Err(HeaderError::Short(n)) if !at_end && marshal::may_begin_a_value(&data[at..]) => {
                    return if at == 0 { Step::Need(n) } else { Step::Consumed(at) };
                }
                Err(_) => at += 1,
            }
        }
        Step::Consumed(data.len())
    }
}
