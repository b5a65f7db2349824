//! Checks real traces against memtrace's own reader, and that a file decodes the same in chunks of any size.

use std::fs;
use std::path::PathBuf;

use camlscope_engine::protocol::Slot;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::session::Session;
use camlscope_formats::ctf::{Alloc, CodeId, Decoder, Info, Location, ObjectId, Refusal, Sink, Stack, StackNode};
use camlscope_testkit::fixtures::{fixture, folder, open_in};
use camlscope_testkit::large_blocks::{Number, VALID, trace, valid_trace};
use serde_json::Value;

#[test]
fn counts_match_the_reference_reader() {
    let mut compared = 0;
    for (path, facts) in fixtures_with_facts() {
        let name = path.display();
        let summary = load(&fs::read(&path).expect("readable"));
        if facts["error"].is_null() {
            let events = &summary.events;
            assert_eq!(events.alloc, facts["alloc_events"]["total"], "{name}");
            assert_eq!(events.promote, facts["promote_events"]["total"], "{name}");
            assert_eq!(events.collect, facts["collect_events"]["total"], "{name}");
            assert_eq!(summary.samples.total, facts["total_samples"], "{name}");
            assert_eq!(summary.last_event_us, facts["max_event_us"].as_u64().unwrap_or(0), "{name}");
            assert_eq!(summary.info.executable, facts["info"]["executable"].as_str().expect("text"), "{name}");
            assert_eq!(summary.info.pid, facts["info"]["pid"], "{name}");
            let domains: Vec<&str> = facts["domains"].as_object().expect("map").keys().map(String::as_str).collect();
            assert_eq!(summary.domains.iter().map(u16::to_string).collect::<Vec<_>>(), domains, "{name}");
            compared += 1;
        } else {
            assert!(summary.events.alloc >= facts["alloc_events"]["total"].as_u64().expect("count"), "{name}");
        }
    }
    assert!(compared >= 10, "only {compared} fixtures were compared");
}

#[test]
fn a_file_decodes_the_same_in_chunks_of_any_size() {
    for name in ["tiny-0.1-v2", "tiny-1.0-v3", "longline-1.0-o5-v2", "menhir-1e-5-v3"] {
        let mut bytes = fixture(name);
        damage(&mut bytes);
        let whole = log(&bytes, bytes.len());
        assert!(whole.lines().count() > 10, "{name}: {whole}");
        for chunk_bytes in [1, 2, 3, 7, 66, 68, 511, 513, 4096] {
            assert_eq!(log(&bytes, chunk_bytes), whole, "{name} in chunks of {chunk_bytes}");
        }
    }
}

#[test]
fn blocks_of_any_size_and_samples_are_decoded_and_counted() {
    let summary = load(&valid_trace());
    assert_eq!(summary.warnings, []);
    assert_eq!(summary.events.alloc, VALID.len() as u64);
    let samples: u64 = VALID.iter().map(|(_, samples)| samples).sum();
    assert_eq!((summary.samples.total, summary.peak.samples), (samples, samples));
    let log = log(&valid_trace(), 1 << 20);
    for (words, samples) in VALID {
        let amounts = format!("length_words: {words}, n_samples: {samples},");
        assert!(log.contains(&amounts), "{amounts} is not in {log}");
    }
}

#[test]
fn sample_counts_that_would_overflow_are_damage_and_the_next_packet_is_read() {
    let largest = (1 << 62) - 1;
    let (absurd, usual) = ((Number::Eight(3), Number::Eight(largest)), (Number::Four(3), Number::Four(2)));
    let many = (Number::Four(3), Number::Eight(1 << 40));
    let summary = load(&trace(&[&[absurd, usual, absurd, usual], &[usual, many, usual], &[usual]]));
    // The second absurd one, and `many`, end the decoding of their packets.
    assert_eq!((summary.events.alloc, summary.samples.total), (4, largest + 6));
    assert_eq!(summary.warnings.iter().map(|warning| warning.count).sum::<u64>(), 2, "{:?}", summary.warnings);
}

#[test]
fn a_size_that_memtrace_would_read_as_negative_is_damage() {
    let usual = (Number::Four(3), Number::Four(2));
    let negative = |n: u64| [(Number::Eight(n), Number::Four(1))];
    let summary = load(&trace(&[&negative(1 << 62), &negative(u64::MAX), &[usual]]));
    assert_eq!((summary.events.alloc, summary.samples.total), (1, 2));
}

#[test]
fn garbage_that_looks_like_a_newer_version_is_garbage_in_chunks_of_any_size() {
    let mut bytes = fixture("phases-1e-4-v2");
    bytes.truncate(60_000);
    let packets = packet_starts(&bytes);
    let at = packets[packets.len() - 2];
    let mut garbage = bytes[at..at + 66].to_vec();
    garbage[0] = 0;
    garbage[28] = 3;
    bytes.splice(at..at, garbage);
    let whole = log(&bytes, bytes.len());
    assert!(whole.contains("Garbage"));
    // The first chunk ends inside the garbage, or shortly before or after it.
    for chunk_bytes in at - 3..at + 80 {
        assert!(log(&bytes, chunk_bytes) == whole, "in chunks of {chunk_bytes}");
    }
}

#[test]
fn a_file_truncated_at_any_byte_opens_or_is_refused_with_an_error() {
    let bytes = fixture("tiny-0.1-v2");
    let mut most_events = 0;
    for end in 0..=bytes.len() {
        let mut sink = Log::default();
        match decode(&bytes[..end], 4096, &mut sink) {
            Ok(finished) => {
                let events = sink.text.lines().filter(|line| line.starts_with("alloc")).count();
                assert!(events >= most_events, "truncated at {end}: fewer events than a shorter file has");
                most_events = events;
                let cut = finished.warnings.iter().map(|warning| warning.bytes).sum::<u64>();
                assert_eq!(finished.bytes, end as u64);
                assert!(cut < end as u64);
            }
            Err(refusal) => assert!(
                matches!(refusal, Refusal::Empty | Refusal::CutInInfo { .. } | Refusal::NotATrace(_)),
                "cut at {end}: {refusal}"
            ),
        }
    }
    assert_eq!(most_events, 41);
}

/// Logs everything that a decoder reports.
#[derive(Default)]
struct Log {
    text: String,
    /// Parent and code of each stack except the empty one.
    stacks: Vec<(StackNode, CodeId)>,
}

impl Log {
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }
}

impl Sink for Log {
    fn info(&mut self, info: &Info) {
        self.line(&format!("{info:?}"));
    }
    fn packet(&mut self, domain: u16, offset: u64) {
        self.line(&format!("packet of {domain} at {offset}"));
    }
    fn location(&mut self, code: CodeId, frames: &[Location]) {
        self.line(&format!("{code:?} = {frames:?}"));
    }
    fn child(&mut self, parent: StackNode, code: CodeId) -> StackNode {
        self.stacks.push((parent, code));
        StackNode(self.stacks.len() as u32)
    }
    fn alloc(&mut self, alloc: &Alloc, stack: Stack) {
        let mut frames = Vec::new();
        let mut at = stack.node;
        while at != StackNode::EMPTY {
            let (parent, code) = self.stacks[at.0 as usize - 1];
            frames.push(code);
            at = parent;
        }
        self.line(&format!("{alloc:?} {frames:?}").replace("Alloc {", "alloc {"));
    }
    fn promote(&mut self, time_us: u64, id: ObjectId) {
        self.line(&format!("promote {id:?} at {time_us}"));
    }
    fn collect(&mut self, time_us: u64, id: ObjectId) {
        self.line(&format!("collect {id:?} at {time_us}"));
    }
}

fn decode(bytes: &[u8], chunk_bytes: usize, sink: &mut Log) -> Result<camlscope_formats::ctf::Finished, Refusal> {
    let mut decoder = Decoder::new();
    for chunk in bytes.chunks(chunk_bytes.max(1)) {
        decoder.push(chunk, sink)?;
    }
    decoder.finish(sink)
}

fn log(bytes: &[u8], chunk_bytes: usize) -> String {
    let mut sink = Log::default();
    match decode(bytes, chunk_bytes, &mut sink) {
        Ok(finished) => sink.line(&format!("{finished:?}")),
        Err(refusal) => sink.line(&format!("{refusal:?}")),
    }
    sink.text
}

fn packet_starts(bytes: &[u8]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut at = 0;
    while let Some(&[_, _, _, _, a, b, c, d]) = bytes[at..].first_chunk::<8>() {
        starts.push(at);
        at = (at + u32::from_le_bytes([a, b, c, d]) as usize / 8).min(bytes.len());
    }
    starts
}

/// Inserts garbage after the first packet, so that the search for the next packet is also split into chunks.
fn damage(bytes: &mut Vec<u8>) {
    let first_packet = u32::from_le_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]) as usize / 8;
    let garbage = b"some bytes of another program\xc1\x1f\xfc\xc1 with a false magic in them".repeat(20);
    bytes.splice(first_packet..first_packet, garbage);
}

fn load(bytes: &[u8]) -> Summary {
    open_in(&mut Session::new(), Slot::Main, bytes)
}

fn fixtures_with_facts() -> Vec<(PathBuf, Value)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder()).expect("fixtures").flatten() {
        let facts = entry.path();
        if facts.to_string_lossy().ends_with(".facts.json") {
            let trace = PathBuf::from(facts.to_string_lossy().replace(".facts.json", ".ctf"));
            // The facts of profiles are checked elsewhere.
            if trace.exists() {
                let facts = serde_json::from_slice(&fs::read(facts).expect("readable")).expect("JSON");
                found.push((trace, facts));
            }
        }
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    found
}
