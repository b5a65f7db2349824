//! The slow way to read a trace: all events one by one, and the objects they describe.

use std::collections::HashMap;

use camlscope_engine::query::label::NO_DEBUG_INFO;
use camlscope_formats::ctf::{Location, ObjectId};
use camlscope_testkit::recorder::{Event, Recording, record};

use super::support::{Object, SlowFrame};

/// All objects in time order, with ties in file order.
pub struct Tale {
    pub objects: Vec<Object>,
    /// The number of the event at which the most samples are first live, and how many.
    pub peak_event: Option<usize>,
    pub peak_samples: u64,
    pub end_us: u64,
}

pub fn read(bytes: &[u8]) -> Tale {
    let (finished, recording) = record(bytes);
    let mut events: Vec<&Event> = recording.events.iter().map(|(_, event)| event).collect();
    // The sort is stable, so ties stay in file order.
    events.sort_by_key(|event| event.time_us());
    let mut rows: HashMap<ObjectId, usize> = HashMap::new();
    let mut tale = Tale { objects: Vec::new(), peak_event: None, peak_samples: 0, end_us: finished.end_us };
    let objects = &mut tale.objects;
    let mut live = 0;
    for (number, event) in events.into_iter().enumerate() {
        match event {
            Event::Alloc { alloc, stack } => {
                rows.insert(alloc.id, objects.len());
                objects.push(Object {
                    alloc_us: alloc.time_us,
                    end_us: None,
                    promoted_us: None,
                    size_words: alloc.length_words,
                    samples: alloc.n_samples,
                    source: alloc.source,
                    domain: alloc.domain,
                    frames: frames(&recording, stack),
                    alloc_event: number,
                    end_event: None,
                });
                live += alloc.n_samples;
                if live > tale.peak_samples {
                    (tale.peak_samples, tale.peak_event) = (live, Some(number));
                }
            }
            Event::Promote { time_us, id } => objects[rows[id]].promoted_us = Some(*time_us),
            Event::Collect { time_us, id } => {
                let object = &mut objects[rows[id]];
                (object.end_us, object.end_event) = (Some(*time_us), Some(number));
                live -= object.samples;
            }
        }
    }
    tale
}

fn frames(recording: &Recording, stack: &[u64]) -> Vec<SlowFrame> {
    let frames = stack.iter().flat_map(|code| match recording.meanings.get(code).map(Vec::as_slice) {
        None | Some([]) => {
            vec![SlowFrame { name: NO_DEBUG_INFO.to_owned(), is_unexplained: true, ..SlowFrame::default() }]
        }
        Some(locations) => locations.iter().map(SlowFrame::new).collect(),
    });
    let frames: Vec<SlowFrame> = frames.collect();
    // Startup frames of the program are not callers.
    let n_start = frames.iter().take_while(|frame| frame.is_unexplained).count();
    frames[n_start.min(frames.len().saturating_sub(1))..].to_vec()
}

impl SlowFrame {
    fn new(location: &Location) -> SlowFrame {
        let Location { file, name, line, start_char, end_char } = location;
        SlowFrame {
            name: name.to_string(),
            file: file.to_string(),
            line: *line,
            start_char: *start_char,
            end_char: *end_char,
            is_unexplained: false,
        }
    }
}
