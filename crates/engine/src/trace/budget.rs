//! How much memory a trace may take, together with the questions about it. What is decided here, while the file streams,
//! is whether samples must go; so every later question fits, in any order. `tests/memory.rs` holds it.

use super::frames::Frames;
use super::nodes::Nodes;
use camlscope_formats::ctf::CodeId;

/// Bytes for the model and the costliest question together. A model that would pass it is downsampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub bytes: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { bytes: 2304 << 20 }
    }
}

/// A call tree takes 4 bytes a stack node and 16 a group, sums of a table 24 a group, and there is at most one group for
/// each frame of a node. Hidden or folded frames make a second tree of up to 20 bytes: with the model's own 8 bytes that
/// is up to 72 for the 52 that are counted, less than the quarter more that a budget allows for a moment. Counting all of
/// it would drop twice as much, since stacks become fewer much more slowly than objects.
const QUESTION_BYTES_A_FRAME: f64 = 44.0;
/// The order of all events: an object's own number, its promotion and its end.
const QUESTION_BYTES_AN_OBJECT: usize = 12;
/// Selections, one bit each.
const SELECTION_BYTES_AN_OBJECT: usize = 1;
/// Curves and tables hold a number for each moment.
const QUESTION_BYTES_A_MOMENT: usize = 8;

/// What the costliest question needs beside the model.
pub(super) fn question_bytes(n_objects: usize, n_moments: usize, nodes: &Nodes, frames: &Frames) -> usize {
    let order_bytes = n_objects.saturating_mul(QUESTION_BYTES_AN_OBJECT);
    question_bytes_of_stacks(nodes, frames)
        .max(order_bytes)
        .saturating_add(n_objects * SELECTION_BYTES_AN_OBJECT)
        .saturating_add(n_moments * QUESTION_BYTES_A_MOMENT)
}

/// What stack nodes take, with the questions about them.
pub(super) fn tree_bytes(nodes: &Nodes, frames: &Frames) -> usize {
    nodes.heap_bytes().saturating_add(question_bytes_of_stacks(nodes, frames))
}

fn question_bytes_of_stacks(nodes: &Nodes, frames: &Frames) -> usize {
    (nodes.len() as f64 * frames_a_node(nodes, frames) * QUESTION_BYTES_A_FRAME) as usize
}

/// How many source frames a stack node stands for, from an even choice of nodes: more than one where the compiler
/// inlined.
fn frames_a_node(nodes: &Nodes, frames: &Frames) -> f64 {
    const CHOSEN: usize = 256;
    let step = nodes.len().div_ceil(CHOSEN).max(1);
    let n_frames = |at: usize| frames.of_code(CodeId(nodes.get(at).code())).map_or(1, |frames| frames.len().max(1));
    let (n, sum) = (0..nodes.len()).step_by(step).fold((0, 0), |(n, sum), at| (n + 1, sum + n_frames(at)));
    sum as f64 / f64::from(n.max(1))
}
