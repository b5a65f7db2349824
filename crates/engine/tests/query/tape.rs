//! A file's events written down one by one, and the objects that they tell of: the slow way to read a trace.

use std::collections::HashMap;
use std::rc::Rc;

use camlscope_engine::query::label::NO_DEBUG_INFO;
use camlscope_formats::ctf::{Alloc, CodeId, Decoder, Location, ObjectId, Sink, Stack, StackNode};

use crate::support::{Object, SlowFrame};

/// All objects in the order of time, ties in file order.
pub struct Tale {
    pub objects: Vec<Object>,
    /// The number of the event at which most samples first are live, and how many are.
    pub peak_event: Option<usize>,
    pub peak_samples: u64,
    pub end_us: u64,
}

pub fn read(bytes: &[u8]) -> Tale {
    let mut tape = Tape::default();
    let mut decoder = Decoder::new();
    decoder.push(bytes, &mut tape).expect("a trace");
    let finished = decoder.finish(&mut tape).expect("a trace");
    let (objects, peak_event, peak_samples) = tape.objects();
    Tale { objects, peak_event, peak_samples, end_us: finished.end_us }
}

/// Writes down the events in file order.
#[derive(Default)]
struct Tape {
    nodes: Vec<(StackNode, CodeId)>,
    events: Vec<(u64, Taped)>,
    meanings: HashMap<CodeId, Vec<Location>>,
}

enum Taped {
    Alloc(Alloc, StackNode),
    Promote(ObjectId),
    Collect(ObjectId),
}

impl Tape {
    /// The objects in the order of time, the event of the peak and its samples.
    fn objects(mut self) -> (Vec<Object>, Option<usize>, u64) {
        // Stable, so ties stay in file order.
        let mut events = std::mem::take(&mut self.events);
        events.sort_by_key(|event| event.0);
        let mut rows: HashMap<ObjectId, usize> = HashMap::new();
        let mut objects: Vec<Object> = Vec::new();
        let (mut live, mut peak, mut peak_event) = (0u64, 0u64, None);
        for (number, (time_us, event)) in events.into_iter().enumerate() {
            match event {
                Taped::Alloc(alloc, stack) => {
                    rows.insert(alloc.id, objects.len());
                    objects.push(Object {
                        alloc_us: time_us,
                        end_us: None,
                        promoted_us: None,
                        size_words: alloc.length_words,
                        samples: alloc.n_samples,
                        source: alloc.source,
                        domain: alloc.domain,
                        frames: self.frames(stack),
                        alloc_event: number,
                        end_event: None,
                    });
                    live += alloc.n_samples;
                    if live > peak {
                        (peak, peak_event) = (live, Some(number));
                    }
                }
                Taped::Promote(id) => objects[rows[&id]].promoted_us = Some(time_us),
                Taped::Collect(id) => {
                    let object = &mut objects[rows[&id]];
                    (object.end_us, object.end_event) = (Some(time_us), Some(number));
                    live -= object.samples;
                }
            }
        }
        (objects, peak_event, peak)
    }

    fn frames(&self, mut node: StackNode) -> Vec<SlowFrame> {
        let mut frames = Vec::new();
        while node != StackNode::EMPTY {
            let (parent, code) = self.nodes[node.0 as usize - 1];
            match self.meanings.get(&code).filter(|locations| !locations.is_empty()) {
                Some(locations) => frames.extend(locations.iter().rev().map(SlowFrame::new)),
                None => frames.push(SlowFrame::unexplained()),
            }
            node = parent;
        }
        // What the program starts with is no frame of what it calls.
        while frames.len() > 1 && frames.last().is_some_and(|outermost: &SlowFrame| outermost.is_unexplained) {
            frames.pop();
        }
        frames.reverse();
        frames
    }
}

impl SlowFrame {
    fn new(location: &Location) -> SlowFrame {
        let Location { file, name, line, start_char, end_char } = location;
        let text = |text: &Rc<str>| text.as_ref().to_owned();
        SlowFrame {
            name: text(name),
            file: text(file),
            line: *line,
            start_char: *start_char,
            end_char: *end_char,
            is_unexplained: false,
        }
    }

    fn unexplained() -> SlowFrame {
        SlowFrame {
            name: NO_DEBUG_INFO.to_owned(),
            file: String::new(),
            line: 0,
            start_char: 0,
            end_char: 0,
            is_unexplained: true,
        }
    }
}

impl Sink for Tape {
    fn location(&mut self, code: CodeId, frames: &[Location]) {
        self.meanings.entry(code).or_insert_with(|| frames.to_vec());
    }
    fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode {
        self.nodes.push((parent, code));
        StackNode(self.nodes.len() as u32)
    }
    fn alloc(&mut self, alloc: &Alloc, stack: Stack) {
        self.events.push((alloc.time_us, Taped::Alloc(*alloc, stack.node)));
    }
    fn promote(&mut self, time_us: u64, id: ObjectId) {
        self.events.push((time_us, Taped::Promote(id)));
    }
    fn collect(&mut self, time_us: u64, id: ObjectId) {
        self.events.push((time_us, Taped::Collect(id)));
    }
}
