//! pprof's profile format, a gzipped protobuf message. It needs only a dozen fields and protobuf's wire format is
//! simple, so this module writes it directly. The field numbers are those of pprof's `profile.proto`. [`PprofPlan`] says
//! what goes into a file.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use rustc_hash::FxHashMap;

use super::pprof_plan::{PprofPlan, Recording, SampleType};
use super::weighted_stacks::{Rounding, WeightedStacks, line_and_column};
use camlscope_engine::query::frame_names::distinct_names;
use camlscope_engine::query::stacks::StackSource;
use camlscope_engine::query::tree::Label;

/// Writes a file for `go tool pprof` and similar tools, from the stacks of each part of a plan.
pub fn pprof(plan: &PprofPlan, stacks: &[&dyn StackSource], out: &mut dyn Write) -> io::Result<()> {
    let mut writer = PprofWriter::new(out, plan)?;
    for (part, stacks) in plan.parts.iter().zip(stacks) {
        writer.add(&WeightedStacks::new(*stacks, part.view.measure), part.of, 1.0)?;
    }
    writer.finish()
}

/// Writes a pprof file whose samples have values of several types.
///
/// Samples are written as they come, part by part, followed by the data they refer to. A stack therefore has one sample
/// for each type. Readers of pprof files add them up.
#[derive(Debug)]
pub struct PprofWriter<W: Write> {
    out: GzEncoder<W>,
    strings: Strings,
    /// Ids start at 1, since 0 is reserved.
    locations: FxHashMap<Label, u64>,
    /// By name and file. They are written last, when it's known which plain names are ambiguous.
    functions: FxHashMap<Label, u64>,
    /// The types of values, each with its rounding remainder.
    types: Vec<(SampleType, Rounding)>,
    comments: Vec<String>,
}

/// Fields of pprof's `Profile`.
const SAMPLE_TYPE: u32 = 1;
const SAMPLE: u32 = 2;
const LOCATION: u32 = 4;
const FUNCTION: u32 = 5;
const STRING_TABLE: u32 = 6;
const TIME_NANOS: u32 = 9;
const DURATION_NANOS: u32 = 10;
const PERIOD_TYPE: u32 = 11;
const PERIOD: u32 = 12;
const COMMENT: u32 = 13;
const DEFAULT_SAMPLE_TYPE: u32 = 14;

impl<W: Write> PprofWriter<W> {
    pub fn new(out: W, plan: &PprofPlan) -> io::Result<PprofWriter<W>> {
        let mut writer = PprofWriter {
            out: GzEncoder::new(out, Compression::default()),
            strings: Strings::default(),
            locations: FxHashMap::default(),
            functions: FxHashMap::default(),
            types: plan.parts.iter().map(|part| (part.of, Rounding::default())).collect(),
            comments: vec![plan.comment.clone()],
        };
        let mut field = Message::default();
        for part in &plan.parts {
            field.message(SAMPLE_TYPE, &writer.value_type(part.of));
        }
        field.number(DEFAULT_SAMPLE_TYPE, writer.strings.place(plan.default.kind));
        let Recording { bytes_a_sample, duration_us, start_us } = plan.recording;
        field.number(TIME_NANOS, start_us.saturating_mul(1000));
        field.number(DURATION_NANOS, duration_us.saturating_mul(1000));
        field.message(PERIOD_TYPE, &writer.value_type(SampleType { kind: "space", unit: "bytes" }));
        field.number(PERIOD, bytes_a_sample.round() as u64);
        field.write(&mut writer.out)?;
        Ok(writer)
    }

    /// Adds a comment for readers, unless it was added before.
    pub fn comment(&mut self, text: &str) {
        if !self.comments.iter().any(|comment| comment == text) {
            self.comments.push(text.to_owned());
        }
    }

    /// Writes the stacks of a part as samples with a value of one type, the stack's weight times `factor`. Stacks of a
    /// file to compare with have the factor -1. Rounding preserves the sum of all values.
    pub fn add(&mut self, profile: &WeightedStacks<'_>, of: SampleType, factor: f64) -> io::Result<()> {
        let ids = profile.frames.iter().map(|frame| self.location(frame)).collect::<io::Result<Vec<u64>>>()?;
        let PprofWriter { out, types, .. } = self;
        let mut field = Message::default();
        profile.for_each_stack(|frames, weight| {
            let mut sample = Message::default();
            // pprof lists the allocation site first.
            sample.numbers(1, frames.iter().rev().map(|&frame| ids[frame as usize]));
            let value = |(kind, rounding): &mut (SampleType, Rounding)| match *kind == of {
                // A negative number has the two's complement of 64 bits.
                true => rounding.round(weight * factor) as u64,
                false => 0,
            };
            sample.numbers(2, types.iter_mut().map(value));
            field.message(SAMPLE, &sample);
            field.write(out)
        })?;
        if let Some(merged) = profile.merged_words() {
            let is_alone = self.types.len() == 1;
            self.comment(&if is_alone { merged } else { format!("{}: {merged}", of.kind) });
        }
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<()> {
        let mut field = Message::default();
        self.write_functions(&mut field);
        for comment in std::mem::take(&mut self.comments) {
            field.number(COMMENT, self.strings.place(&comment));
        }
        for text in &self.strings.texts {
            field.bytes(STRING_TABLE, text.as_bytes());
        }
        field.write(&mut self.out)?;
        self.out.finish().map(drop)
    }

    /// Returns the frame's id, and writes the frame if it's new.
    fn location(&mut self, frame: &Label) -> io::Result<u64> {
        if let Some(&id) = self.locations.get(frame) {
            return Ok(id);
        }
        let id = self.locations.len() as u64 + 1;
        self.locations.insert(frame.clone(), id);
        let mut field = Message::default();
        let next = self.functions.len() as u64 + 1;
        let function_id = *self.functions.entry(Label { place: None, ..frame.clone() }).or_insert(next);
        let mut line = Message::default();
        line.number(1, function_id);
        let (line_number, column) = line_and_column(frame);
        line.number(2, line_number.unwrap_or(0).into());
        line.number(3, column.unwrap_or(0).into());
        let mut location = Message::default();
        location.number(1, id);
        location.message(4, &line);
        field.message(LOCATION, &location);
        field.write(&mut self.out)?;
        Ok(id)
    }

    /// Uses the plain name as the name and the compiler's name as the system name.
    fn write_functions(&mut self, field: &mut Message) {
        let mut functions: Vec<(Label, u64)> = std::mem::take(&mut self.functions).into_iter().collect();
        functions.sort_unstable_by_key(|(_, id)| *id);
        let labels: Vec<Label> = functions.iter().map(|(label, _)| label.clone()).collect();
        for (name, (label, id)) in distinct_names(&labels).iter().zip(&functions) {
            let mut function = Message::default();
            function.number(1, *id);
            function.number(2, self.strings.place(name));
            function.number(3, self.strings.place(&label.name));
            function.number(4, self.strings.place(&label.file));
            field.message(FUNCTION, &function);
        }
    }

    fn value_type(&mut self, SampleType { kind, unit }: SampleType) -> Message {
        let mut message = Message::default();
        message.number(1, self.strings.place(kind));
        message.number(2, self.strings.place(unit));
        message
    }
}

/// The string table. Its first string is empty.
#[derive(Debug)]
struct Strings {
    texts: Vec<String>,
    places: FxHashMap<String, u64>,
}

impl Default for Strings {
    fn default() -> Strings {
        Strings { texts: vec![String::new()], places: FxHashMap::from_iter([(String::new(), 0)]) }
    }
}

impl Strings {
    fn place(&mut self, text: &str) -> u64 {
        if let Some(&place) = self.places.get(text) {
            return place;
        }
        let place = self.texts.len() as u64;
        self.texts.push(text.to_owned());
        self.places.insert(text.to_owned(), place);
        place
    }
}

#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    /// Writes the message and clears it.
    fn write(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.0)?;
        self.0.clear();
        Ok(())
    }

    /// Writes a number, unless it's 0, the default of a missing field.
    fn number(&mut self, field: u32, n: u64) {
        if n != 0 {
            self.varint(u64::from(field << 3));
            self.varint(n);
        }
    }

    fn numbers(&mut self, field: u32, numbers: impl IntoIterator<Item = u64>) {
        let mut packed = Message::default();
        for n in numbers {
            packed.varint(n);
        }
        self.bytes(field, &packed.0);
    }

    fn message(&mut self, field: u32, message: &Message) {
        self.bytes(field, &message.0);
    }

    fn bytes(&mut self, field: u32, bytes: &[u8]) {
        const LENGTH_PREFIXED: u32 = 2;
        self.varint(u64::from(field << 3 | LENGTH_PREFIXED));
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
    }

    /// Writes seven bits per byte, lowest first. All bytes but the last have the eighth bit set.
    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }
}
