//! Writes a raw profile from the calls that a [`Sink`](super::Sink) gets, for synthetic profiles and for testing the
//! decoder.
//!
//! Snapshots and events are written immediately. Stacks are kept and become the tables and the trie at the end.

mod trie;
mod writer;

use std::io::{self, BufWriter, Write};

use self::trie::Tree;
use self::writer::Writer;
use super::interpreter::{FEATURE_CALL_COUNTS, MARK_END, MARK_EVENT, MARK_SNAPSHOT, RAW_MAGIC};
use super::sink::{Address, Node, Snapshot, SourcePosition};

/// Writes a profile of version 0 to `out`.
#[derive(Debug)]
pub struct Encoder<W: Write> {
    out: BufWriter<W>,
    writer: Writer,
    has_call_counts: bool,
    positions: Vec<(Address, Vec<SourcePosition>)>,
    tree: Tree,
    written: Written,
}

/// The totals of a completely written profile.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Written {
    pub bytes: u64,
    pub n_snapshots: u64,
    pub n_marks: u64,
    pub n_points: u64,
}

/// Snapshots of a few thousand allocation points are larger and aren't copied.
const BUFFER_BYTES: usize = 32 << 10;

impl<W: Write> Encoder<W> {
    pub fn new(has_call_counts: bool, out: W) -> io::Result<Encoder<W>> {
        let mut encoder = Encoder {
            out: BufWriter::with_capacity(BUFFER_BYTES, out),
            writer: Writer::default(),
            has_call_counts,
            positions: Vec::new(),
            tree: Tree::default(),
            written: Written::default(),
        };
        let features = if has_call_counts { FEATURE_CALL_COUNTS } else { 0 };
        encoder.int_value((RAW_MAGIC | u64::from(features) << 48) as i64)?;
        Ok(encoder)
    }

    pub fn snapshot(&mut self, snapshot: &Snapshot) -> io::Result<()> {
        self.int_value(MARK_SNAPSHOT)?;
        let writer = &mut self.writer;
        writer.block(0, 6);
        writer.float(seconds(snapshot.at_us));
        writer.block(0, 9);
        let gc = snapshot.gc.unwrap_or_default();
        // The runtime divides these word counts by 8.
        let (heap_words, top_heap_words) = (gc.heap_words / 8, gc.top_heap_words / 8);
        for n in [gc.minor_words, gc.promoted_words, gc.major_words, gc.minor_collections, gc.major_collections] {
            writer.int(n as i64);
        }
        for n in [heap_words, gc.heap_chunks, gc.compactions, top_heap_words] {
            writer.int(n as i64);
        }
        writer.block(0, 3 * snapshot.entries.len());
        for entry in &snapshot.entries {
            writer.int(i64::from(entry.profinfo));
            writer.int(entry.blocks as i64);
            writer.int(entry.words as i64);
        }
        let known_words = || snapshot.entries.iter().map(|entry| entry.words).sum();
        writer.int(snapshot.words_scanned.unwrap_or_else(known_words) as i64);
        writer.int(snapshot.words_scanned_with_profinfo.unwrap_or_else(known_words) as i64);
        for &(profinfo, words) in &snapshot.allocated {
            writer.block(0, 3);
            writer.int(i64::from(profinfo));
            writer.int(words as i64);
        }
        writer.int(0);
        self.written.n_snapshots += 1;
        self.flush_value()
    }

    /// Writes an event named by the program.
    pub fn mark(&mut self, name: &str, at_us: u64) -> io::Result<()> {
        self.int_value(MARK_EVENT)?;
        self.writer.text(name.as_bytes());
        self.flush_value()?;
        self.writer.float(seconds(at_us));
        self.written.n_marks += 1;
        self.flush_value()
    }

    /// Sets the source positions of an address, outermost first.
    pub fn position(&mut self, address: Address, frames: &[SourcePosition]) {
        self.positions.push((address, frames.to_vec()));
    }

    /// Returns the stack that extends `parent` by `address`. A second call returns the same node.
    pub fn child(&mut self, parent: Node, address: Address) -> Node {
        self.tree.child(parent, address)
    }

    pub fn allocation_point(&mut self, profinfo: u32, node: Node) {
        self.written.n_points += 1;
        self.tree.allocation_point(profinfo, node);
    }

    pub fn calls(&mut self, node: Node, n: u64) {
        self.tree.calls(node, n);
    }

    /// Bytes written so far.
    pub fn bytes_out(&self) -> u64 {
        self.written.bytes
    }

    /// Writes the tables and the trie.
    pub fn finish(mut self, end_us: u64) -> io::Result<Written> {
        self.int_value(MARK_END)?;
        self.writer.float(seconds(end_us));
        self.flush_value()?;

        for (address, frames) in &self.positions {
            self.writer.block(0, 2);
            self.writer.block(0, 2);
            self.writer.int64(address.0);
            for frame in frames {
                self.writer.block(0, 2);
                self.writer.block(0, 5);
                self.writer.int(0);
                self.writer.text(frame.file.as_bytes());
                for n in [frame.line, frame.start_char, frame.end_char] {
                    self.writer.int(i64::from(n));
                }
            }
            self.writer.int(0);
        }
        self.writer.int(0);
        self.flush_value()?;

        let shapes = self.tree.shapes();
        shapes.write(&mut self.writer);
        self.flush_value()?;
        // One thread: its trie, and an empty one for its finalizers.
        self.int_value(1)?;
        self.tree.write(&shapes, self.has_call_counts, &mut self.writer);
        self.flush_value()?;
        self.int_value(0)?;
        self.out.flush()?;
        Ok(self.written)
    }

    fn int_value(&mut self, n: i64) -> io::Result<()> {
        self.writer.int(n);
        self.flush_value()
    }

    fn flush_value(&mut self) -> io::Result<()> {
        self.written.bytes += self.writer.flush(&mut self.out)?;
        Ok(())
    }
}

fn seconds(us: u64) -> f64 {
    us as f64 / 1e6
}
