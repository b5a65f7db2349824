//! pprof's profile format, a gzipped protobuf message. It needs only a dozen fields and protobuf's wire format is
//! simple, so this module writes it directly. The field numbers are those of pprof's `profile.proto`.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use rustc_hash::FxHashMap;

use super::weighted_stacks::{Rounding, WeightedStacks, line_and_column};
use camlscope_engine::query::frame_names::distinct_names;
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::tree::Label;

/// Writes a file for `go tool pprof` and similar tools, with the weights of one profile.
pub fn pprof(profile: &WeightedStacks<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut writer = PprofWriter::new(out, &[profile.unit], profile.unit)?;
    writer.comment(&profile.title);
    writer.add(profile, &[(profile.unit, 1.0)])?;
    writer.finish()
}

/// How a profile's trace was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Recording {
    /// The number of bytes that a sample represents.
    pub bytes_a_sample: f64,
    pub duration_us: u64,
    /// µs since the Unix epoch, or 0 if unknown.
    pub start_us: u64,
}

/// Writes a pprof file whose samples have values of several types.
///
/// Samples are written as they come, profile by profile, followed by the data they refer to. A stack may therefore have
/// one sample for some types and another for the rest. Readers of pprof files add them up.
#[derive(Debug)]
pub struct PprofWriter<W: Write> {
    out: GzEncoder<W>,
    strings: Strings,
    /// Ids start at 1, since 0 is reserved.
    locations: FxHashMap<Label, u64>,
    /// By name and file. They are written last, when it's known which plain names are ambiguous.
    functions: FxHashMap<Label, u64>,
    /// The types of values, each with its rounding remainder.
    types: Vec<(Unit, Rounding)>,
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
    /// `units` are the types of values. Tools show `default` first.
    pub fn new(out: W, units: &[Unit], default: Unit) -> io::Result<PprofWriter<W>> {
        let mut writer = PprofWriter {
            out: GzEncoder::new(out, Compression::default()),
            strings: Strings::default(),
            locations: FxHashMap::default(),
            functions: FxHashMap::default(),
            types: units.iter().map(|&unit| (unit, Rounding::default())).collect(),
            comments: Vec::new(),
        };
        let mut field = Message::default();
        for &unit in units {
            field.message(SAMPLE_TYPE, &writer.value_type(unit));
        }
        field.number(DEFAULT_SAMPLE_TYPE, writer.strings.place(type_of(default).0));
        field.write(&mut writer.out)?;
        Ok(writer)
    }

    pub fn recording(&mut self, recording: &Recording) -> io::Result<()> {
        let mut field = Message::default();
        field.number(TIME_NANOS, recording.start_us.saturating_mul(1000));
        field.number(DURATION_NANOS, recording.duration_us.saturating_mul(1000));
        field.message(PERIOD_TYPE, &self.value_type(Unit::Bytes));
        field.number(PERIOD, recording.bytes_a_sample.round() as u64);
        field.write(&mut self.out)
    }

    /// Adds a comment for readers, unless it was added before.
    pub fn comment(&mut self, text: &str) {
        if !self.comments.iter().any(|comment| comment == text) {
            self.comments.push(text.to_owned());
        }
    }

    /// Writes the stacks of a profile. A value is the stack's weight times the scale of its type, or 0 if the type has
    /// no scale. Rounding preserves the sum of all values.
    pub fn add(&mut self, profile: &WeightedStacks<'_>, scales: &[(Unit, f64)]) -> io::Result<()> {
        let ids = profile.frames.iter().map(|frame| self.location(frame)).collect::<io::Result<Vec<u64>>>()?;
        let PprofWriter { out, types, .. } = self;
        let scale_of = |unit: Unit| scales.iter().find(|(of, _)| *of == unit).map_or(0.0, |(_, scale)| *scale);
        let scales: Vec<f64> = types.iter().map(|(unit, _)| scale_of(*unit)).collect();
        let mut field = Message::default();
        profile.for_each_stack(|frames, weight| {
            let mut sample = Message::default();
            // pprof lists the allocation site first.
            sample.numbers(1, frames.iter().rev().map(|&frame| ids[frame as usize]));
            let values = types.iter_mut().zip(&scales).map(|((_, rounding), scale)| rounding.round(weight * scale));
            sample.numbers(2, values);
            field.message(SAMPLE, &sample);
            field.write(out)
        })?;
        if let Some(merged) = profile.merged_words() {
            let is_alone = self.types.len() == 1;
            self.comment(&if is_alone { merged } else { format!("{}: {merged}", profile.title) });
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

    fn value_type(&mut self, unit: Unit) -> Message {
        let (kind, unit) = type_of(unit);
        let mut message = Message::default();
        message.number(1, self.strings.place(kind));
        message.number(2, self.strings.place(unit));
        message
    }
}

/// Returns pprof's name for a type of values, and its unit.
fn type_of(unit: Unit) -> (&'static str, &'static str) {
    match unit {
        Unit::Bytes => ("space", "bytes"),
        Unit::Blocks => ("blocks", "count"),
        Unit::Samples => ("samples", "count"),
        Unit::ByteSeconds => ("byte_seconds", "count"),
        Unit::Calls => ("calls", "count"),
        Unit::BytesPerSecond => ("growth_space", "bytes"),
        Unit::BlocksPerSecond => ("growth_blocks", "count"),
        Unit::SamplesPerSecond => ("growth_samples", "count"),
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
