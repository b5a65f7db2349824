//! Records what a decoder reports, in a form that doesn't depend on the layout of the file.

use std::collections::{BTreeMap, BTreeSet};

use camlscope_formats::ctf::{Alloc, CodeId, Decoder, Finished, Location, ObjectId, Sink, Stack, StackNode};

/// An event of one domain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// `stack` holds codes, from main to the allocation site.
    Alloc {
        alloc: Alloc,
        stack: Vec<u64>,
    },
    Promote {
        time_us: u64,
        id: ObjectId,
    },
    Collect {
        time_us: u64,
        id: ObjectId,
    },
}

impl Event {
    pub fn time_us(&self) -> u64 {
        match self {
            Event::Alloc { alloc, .. } => alloc.time_us,
            Event::Promote { time_us, .. } | Event::Collect { time_us, .. } => *time_us,
        }
    }
}

#[derive(Debug, Default)]
pub struct Recording {
    /// In file order, each with its domain.
    pub events: Vec<(u16, Event)>,
    /// The locations of each code.
    pub meanings: BTreeMap<u64, Vec<Location>>,
    /// Codes that were used before they were defined, or defined twice with different locations.
    pub faults: Vec<String>,
}

impl Recording {
    pub fn by_domain(&self) -> BTreeMap<u16, Vec<&Event>> {
        let mut domains: BTreeMap<u16, Vec<&Event>> = BTreeMap::new();
        for (domain, event) in &self.events {
            domains.entry(*domain).or_default().push(event);
        }
        domains
    }

    pub fn used_codes(&self) -> BTreeSet<u64> {
        let stacks = self.events.iter().filter_map(|(_, event)| match event {
            Event::Alloc { stack, .. } => Some(stack),
            _ => None,
        });
        stacks.flatten().copied().collect()
    }
}

/// Decodes a file and resolves its stacks.
pub fn record(bytes: &[u8]) -> (Finished, Recording) {
    let mut tape = Tape::default();
    let mut decoder = Decoder::new();
    for chunk in bytes.chunks(1 << 20) {
        decoder.push(chunk, &mut tape).expect("a trace");
    }
    let finished = decoder.finish(&mut tape).expect("a trace");
    let code = |id: CodeId| finished.codes[id.0 as usize];
    let mut recording = Recording { faults: tape.faults, ..Recording::default() };
    for (domain, mut event, mut node) in tape.events {
        if let Event::Alloc { stack, .. } = &mut event {
            while node != StackNode::EMPTY {
                let (parent, id) = tape.nodes[node.0 as usize - 1];
                stack.push(code(id));
                node = parent;
            }
            stack.reverse();
        }
        recording.events.push((domain, event));
    }
    recording.meanings = tape.meanings.into_iter().map(|(id, frames)| (code(id), frames)).collect();
    (finished, recording)
}

#[derive(Default)]
struct Tape {
    domain: u16,
    nodes: Vec<(StackNode, CodeId)>,
    /// Each with the node of an allocation's stack, which is resolved once all codes are known.
    events: Vec<(u16, Event, StackNode)>,
    meanings: BTreeMap<CodeId, Vec<Location>>,
    faults: Vec<String>,
}

impl Sink for Tape {
    fn packet(&mut self, domain: u16, _offset: u64) {
        self.domain = domain;
    }
    fn location(&mut self, code: CodeId, frames: &[Location]) {
        let known = self.meanings.entry(code).or_insert_with(|| frames.to_vec());
        if known != frames {
            self.faults.push(format!("{code:?} was {known:?} and is {frames:?}"));
        }
    }
    fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode {
        if !self.meanings.contains_key(&code) {
            self.faults.push(format!("{code:?} is used before it is explained"));
        }
        self.nodes.push((parent, code));
        StackNode(self.nodes.len() as u32)
    }
    fn alloc(&mut self, alloc: &Alloc, stack: Stack) {
        self.events.push((self.domain, Event::Alloc { alloc: *alloc, stack: Vec::new() }, stack.node));
    }
    fn promote(&mut self, time_us: u64, id: ObjectId) {
        self.events.push((self.domain, Event::Promote { time_us, id }, StackNode::EMPTY));
    }
    fn collect(&mut self, time_us: u64, id: ObjectId) {
        self.events.push((self.domain, Event::Collect { time_us, id }, StackNode::EMPTY));
    }
}
