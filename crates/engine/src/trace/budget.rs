//! The memory limit for a trace and the queries about it. Downsampling is decided here, while the file streams, so that
//! every later query fits, in any order. `tests/memory.rs` checks this.

use super::frames::Frames;
use super::nodes::Nodes;
use camlscope_formats::ctf::CodeId;

/// Bytes for the model and the most expensive query together. A larger model is downsampled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub bytes: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { bytes: 2304 << 20 }
    }
}

/// A call tree takes 4 bytes per stack node and 16 per group, table sums take 24 per group, and there is at most one
/// group per frame of a node. Hidden or folded frames add a second tree of up to 20 bytes. With the model's own 8 bytes
/// that makes up to 72 bytes where 52 are counted. With the objects, it stays within the 25% by which a budget may be exceeded for a
/// short time. Counting all of it would drop twice as many samples, because the number of stacks falls much more slowly
/// than the number of objects.
const QUERY_BYTES_PER_FRAME: f64 = 44.0;
/// For the order of all events: an object's own number, its promotion and its end.
const QUERY_BYTES_PER_OBJECT: usize = 12;
/// For selections, one bit each.
const SELECTION_BYTES_PER_OBJECT: usize = 1;
/// Curves and tables hold one number per collection time.
const QUERY_BYTES_PER_GC_TIME: usize = 8;

/// Returns the memory that the most expensive query needs in addition to the model.
pub(super) fn query_bytes(n_objects: usize, n_gc_times: usize, nodes: &Nodes, frames: &Frames) -> usize {
    let order_bytes = n_objects.saturating_mul(QUERY_BYTES_PER_OBJECT);
    query_bytes_of_stacks(nodes, frames)
        .max(order_bytes)
        .saturating_add(n_objects * SELECTION_BYTES_PER_OBJECT)
        .saturating_add(n_gc_times * QUERY_BYTES_PER_GC_TIME)
}

/// Returns the memory for stack nodes and the queries about them.
pub(super) fn tree_bytes(nodes: &Nodes, frames: &Frames) -> usize {
    nodes.heap_bytes().saturating_add(query_bytes_of_stacks(nodes, frames))
}

fn query_bytes_of_stacks(nodes: &Nodes, frames: &Frames) -> usize {
    (nodes.len() as f64 * frames_a_node(nodes, frames) * QUERY_BYTES_PER_FRAME) as usize
}

/// Estimates how many source frames a stack node represents, from evenly spaced nodes. It is more than one where the
/// compiler inlined.
fn frames_a_node(nodes: &Nodes, frames: &Frames) -> f64 {
    const CHOSEN: usize = 256;
    let step = nodes.len().div_ceil(CHOSEN).max(1);
    let n_frames = |at: usize| frames.of_code(CodeId(nodes.get(at).code())).map_or(1, |frames| frames.len().max(1));
    let (n, sum) = (0..nodes.len()).step_by(step).fold((0, 0), |(n, sum), at| (n + 1, sum + n_frames(at)));
    sum as f64 / f64::from(n.max(1))
}
