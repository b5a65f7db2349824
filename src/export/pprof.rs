//! pprof's profile: a gzipped protobuf message. Of its fields a dozen are needed and protobuf's wire format is two
//! rules, so they are written here; the field numbers are those of pprof's `profile.proto`.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use rustc_hash::FxHashMap;

use super::profile::{Profile, Rounding};
use crate::query::measure::Unit;

/// Writes a file that `go tool pprof` and its likes open. Weights are rounded so that their sum stays.
pub fn pprof(profile: &Profile<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut encoder = GzEncoder::new(out, Compression::default());
    write_message(profile, &mut encoder)?;
    encoder.finish().map(drop)
}

/// Fields of `Profile`.
const SAMPLE_TYPE: u32 = 1;
const SAMPLE: u32 = 2;
const LOCATION: u32 = 4;
const FUNCTION: u32 = 5;
const STRING_TABLE: u32 = 6;
const COMMENT: u32 = 13;

/// Samples go out as they come; what they refer to follows.
fn write_message(profile: &Profile<'_>, out: &mut impl Write) -> io::Result<()> {
    let mut strings = Strings::default();
    let mut field = Message::default();

    let (kind, unit) = match profile.unit {
        Unit::Bytes => ("space", "bytes"),
        Unit::Blocks => ("blocks", "count"),
        Unit::Samples => ("samples", "count"),
        Unit::ByteSeconds => ("byte_seconds", "count"),
    };
    let mut value_type = Message::default();
    value_type.number(1, strings.place(kind));
    value_type.number(2, strings.place(unit));
    field.message(SAMPLE_TYPE, &value_type);
    field.write(out)?;

    let mut rounding = Rounding::default();
    profile.for_each_stack(|frames, weight| {
        let mut sample = Message::default();
        // The allocation point comes first there, and 0 is nobody's id.
        sample.numbers(1, frames.iter().rev().map(|&frame| u64::from(frame) + 1));
        sample.numbers(2, [rounding.round(weight)]);
        field.message(SAMPLE, &sample);
        field.write(out)
    })?;

    let mut functions: FxHashMap<(u64, u64), u64> = FxHashMap::default();
    for (n, frame) in profile.frames.iter().enumerate() {
        let (name, file) = (strings.place(&frame.name), strings.place(&frame.file));
        let next = functions.len() as u64 + 1;
        let function_id = *functions.entry((name, file)).or_insert(next);
        if function_id == next {
            let mut function = Message::default();
            function.number(1, function_id);
            function.number(2, name);
            function.number(3, name);
            function.number(4, file);
            field.message(FUNCTION, &function);
        }
        let mut line = Message::default();
        line.number(1, function_id);
        line.number(2, u64::from(frame.line));
        let mut location = Message::default();
        location.number(1, n as u64 + 1);
        location.message(4, &line);
        field.message(LOCATION, &location);
        field.write(out)?;
    }

    for comment in [Some(profile.title.clone()), profile.merged_words()].into_iter().flatten() {
        field.number(COMMENT, strings.place(&comment));
    }
    for text in &strings.texts {
        field.bytes(STRING_TABLE, text.as_bytes());
    }
    field.write(out)
}

/// Texts stand in one table; the first is empty.
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
    /// Writes what was collected, and begins anew.
    fn write(&mut self, out: &mut impl Write) -> io::Result<()> {
        out.write_all(&self.0)?;
        self.0.clear();
        Ok(())
    }

    /// 0 is what a field is when it is not there.
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

    /// Seven bits a byte, the lowest first; all but the last have the eighth set.
    fn varint(&mut self, mut n: u64) {
        while n >= 0x80 {
            self.0.push(n as u8 | 0x80);
            n >>= 7;
        }
        self.0.push(n as u8);
    }
}
