//! Writes the selected objects to a new trace: downsampled, limited to a time range, or anonymized.
//!
//! Events are written in time order, objects get new numbers, and every promotion and collection is kept. These are
//! written to the stream of the domain that allocated the object, because the model doesn't store which domain reported
//! them.

use std::io;

use rustc_hash::{FxHashMap, FxHashSet};

use super::anonymize::{Anonymizer, Keep};
use super::downsample::survivors;
use camlscope_engine::query::events::{EventIndex, EventRef};
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::tree::Place;
use camlscope_engine::trace::{Frame, ObjectRow, Trace};
use camlscope_formats::ctf::encode::{Block, EncodeError, Encoder, Written};
use camlscope_formats::ctf::{CodeId, Info, Location, ObjectId};

/// Writes a trace for camlscope and memtrace's own reader.
pub fn write_trace<W: io::Write>(
    trace: &Trace,
    selection: &Selection,
    config: TraceConfig,
    out: W,
) -> Result<Written, EncodeError> {
    write_events(trace, EventIndex::new(trace, selection).iter(), config, out)
}

/// Like [`write_trace`], with events from the caller.
pub(super) fn write_events<W: io::Write>(
    trace: &Trace,
    events: impl Iterator<Item = EventRef>,
    config: TraceConfig,
    out: W,
) -> Result<Written, EncodeError> {
    let mut copy = Copy {
        trace,
        encoder: Encoder::new(&info(trace, config.one_in, config.anonymize), out)?,
        names: Names::new(trace, config.anonymize),
        one_in: config.one_in,
        ids: FxHashMap::default(),
        codes: Vec::new(),
        stack: Vec::new(),
    };
    for event in events {
        copy.write(event)?;
    }
    copy.encoder.finish()
}

#[derive(Clone, Copy, Debug)]
pub struct TraceConfig {
    /// Keeps 1 in this many samples and reduces the rate accordingly.
    pub one_in: u32,
    /// Replaces names with numbers and leaves out the executable, host, pid, start time and everything else that `Keep`
    /// doesn't list.
    pub anonymize: Option<Keep>,
}

struct Copy<'a, W> {
    trace: &'a Trace,
    encoder: Encoder<W>,
    names: Names,
    one_in: u32,
    /// The ids of live objects.
    ids: FxHashMap<ObjectRow, ObjectId>,
    /// Buffers for one stack.
    codes: Vec<CodeId>,
    stack: Vec<u64>,
}

impl<W: io::Write> Copy<'_, W> {
    fn write(&mut self, event: EventRef) -> Result<(), EncodeError> {
        let trace = self.trace;
        let time_us = event.time_us(trace);
        match event {
            EventRef::Alloc(row) => {
                let read = trace.columns.get(row);
                let n_samples = survivors(row.0, read.n_samples, self.one_in);
                // Only downsampling leaves objects out. Damaged traces have objects without a sample.
                if n_samples > 0 || self.one_in <= 1 {
                    self.read_stack(row);
                    let block = Block { length_words: read.size_words, n_samples, source: read.source };
                    let id = self.encoder.alloc(trace.columns.domain(row), time_us, block, &self.stack)?;
                    self.ids.insert(row, id);
                }
            }
            EventRef::Promote(row, _) => {
                if let Some(&id) = self.ids.get(&row) {
                    self.encoder.promote(trace.columns.domain(row), time_us, id)?;
                }
            }
            EventRef::Collect(row, _) => {
                if let Some(id) = self.ids.remove(&row) {
                    self.encoder.collect(trace.columns.domain(row), time_us, id)?;
                }
            }
        }
        Ok(())
    }

    /// Reads the row's stack as codes of the new trace, starting with main. Each code is defined before its first use.
    fn read_stack(&mut self, row: ObjectRow) {
        let Copy { trace, encoder, names, codes, stack, .. } = self;
        codes.clear();
        codes.extend(trace.calls.stacks.frames(trace.columns.stack(row)));
        stack.clear();
        for &id in codes.iter().rev() {
            let (code, is_new) = names.code(trace, id);
            if is_new && let Some(frames) = names.locations(trace, id) {
                encoder.location(code, &frames);
            }
            stack.push(code);
        }
    }
}

/// Returns the header. It needs version 3 for several domains, or for a single domain other than 0.
fn info(trace: &Trace, one_in: u32, anonymize: Option<Keep>) -> Info {
    let old = &trace.info;
    let one_domain = trace.domain_ids.iter().all(|&domain| domain == 0);
    let version = if old.version >= 3 || !one_domain { 3 } else { 2 };
    let sample_rate = trace.rate() / f64::from(one_in.max(1));
    let Some(keep) = anonymize else {
        return Info { version, sample_rate, ..old.clone() };
    };
    let kept = |is_kept: bool, text: &str| if is_kept { text.to_owned() } else { String::new() };
    Info {
        version,
        sample_rate,
        word_size_bits: old.word_size_bits,
        runtime_params: kept(keep.parameters, &old.runtime_params),
        context: kept(keep.context, &old.context),
        ..Info::default()
    }
}

/// Maps codes and names to those of the new trace.
struct Names {
    anonymizer: Option<Anonymizer>,
    /// By [`CodeId`]: the code in the new trace, once it has been used.
    codes: Vec<Option<u64>>,
    n_used: u64,
    /// The code for lost frames. No other code has this value.
    lost: u64,
}

impl Names {
    fn new(trace: &Trace, anonymize: Option<Keep>) -> Names {
        let taken: FxHashSet<u64> = trace.calls.codes.iter().copied().collect();
        let lost = (0..=u64::MAX).rev().find(|code| !taken.contains(code)).unwrap_or(0);
        let anonymizer = anonymize.map(Anonymizer::new);
        Names { anonymizer, codes: vec![None; trace.calls.codes.len()], n_used: 0, lost }
    }

    /// Returns the code in the new trace, and whether this is its first use. Addresses identify a particular build of a
    /// program, so anonymizing replaces them with numbers.
    fn code(&mut self, trace: &Trace, id: CodeId) -> (u64, bool) {
        let entry = &mut self.codes[id.0 as usize];
        if let Some(code) = *entry {
            return (code, false);
        }
        self.n_used += 1;
        let code = match id {
            CodeId::LOST => self.lost,
            _ if self.anonymizer.is_some() => self.n_used,
            _ => trace.calls.codes[id.0 as usize],
        };
        *entry = Some(code);
        (code, true)
    }

    /// Returns the locations of a code, or `None` if the trace doesn't define it.
    fn locations(&mut self, trace: &Trace, id: CodeId) -> Option<Vec<Location>> {
        if id == CodeId::LOST {
            // This is what memtrace writes for unknown locations.
            let location =
                Location { file: "<unknown>".into(), name: "??".into(), line: 1, start_char: 1, end_char: 1 };
            return Some(vec![location]);
        }
        let frames = trace.calls.frames.of_code(id)?;
        Some(frames.iter().map(|frame| self.location(trace, frame)).collect())
    }

    fn location(&mut self, trace: &Trace, frame: &Frame) -> Location {
        let function = trace.calls.frames.function(frame.function);
        let (name, file) = (trace.calls.frames.text(function.name), trace.calls.frames.text(function.file));
        let (line, start_char, end_char) = (frame.line, frame.start_char, frame.end_char);
        let Some(anonymizer) = &mut self.anonymizer else {
            return Location { file: file.into(), name: name.into(), line, start_char, end_char };
        };
        let Place { line, start_char, end_char } = anonymizer.place(name, file, Place { line, start_char, end_char });
        Location {
            file: anonymizer.file(name, file).into(),
            name: anonymizer.name(name).into(),
            line,
            start_char,
            end_char,
        }
    }
}
