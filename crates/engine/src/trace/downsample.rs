//! Downsamples a trace in place if it is too large for memory: each *sample* survives with probability ½ and the rate
//! halves.
//!
//! Sampling is a Poisson process, so the result is a valid trace at half the rate. A hash of the object's id and the
//! round decides which samples survive. So the result depends neither on chunk boundaries nor on when memory ran short:
//! an object that arrives after k rounds goes through the same k decisions at once.

use std::ops::Range;

use super::chunk::End;
use super::columns::Columns;
use super::gc_times::GcTimes;
use super::ids::{GcTimeId, StackId};
use super::merge::Segment;
use super::nodes::Node;
use super::objects::ObjectMap;
use super::packed_row::PackedRow;
use super::promotions::Promotions;
use super::ranked_bits::RankedBits;
use super::sampling_hash::{binomial, mix};
use super::stacks::StackTree;
use camlscope_formats::ctf::{ObjectId, StackNode};

/// Keeps the factor, 2^rounds, within 32 bits.
pub(super) const MAX_ROUNDS: u32 = 31;

/// Returns how many of an object's samples survive these rounds. `n_samples` are those left after the previous rounds.
#[inline(always)]
pub fn survivors(id: ObjectId, n_samples: u64, rounds: Range<u32>) -> u64 {
    match n_samples {
        0 => 0,
        1 => u64::from(last_survives(id, rounds)),
        _ => survivors_of_many(id, n_samples, rounds),
    }
}

/// Most objects have a single sample, so one hash decides all rounds, one bit per round.
#[inline(always)]
fn last_survives(id: ObjectId, rounds: Range<u32>) -> bool {
    let n_rounds = rounds.end.saturating_sub(rounds.start);
    (mix(id.0) >> rounds.start).trailing_zeros() >= n_rounds
}

#[inline(never)]
fn survivors_of_many(id: ObjectId, n_samples: u64, rounds: Range<u32>) -> u64 {
    let mut n = n_samples;
    for round in rounds.clone() {
        if n <= 1 {
            return survivors(id, n, round..rounds.end);
        }
        n = half_of(mix(id.0 ^ u64::from(round + 1) << 56), n);
    }
    n
}

/// The parts of a model that refer to rows, ends and stacks.
pub(super) struct Parts<'m> {
    pub columns: &'m mut Columns,
    pub gc_times: &'m mut GcTimes,
    pub promotions: &'m mut Promotions,
    pub tree: &'m mut StackTree,
    pub objects: &'m mut ObjectMap,
    pub segments: &'m mut [Segment],
}

/// Runs several rounds at once: drops samples, objects without samples, and stacks and collection times that are no
/// longer used. `paths` are the decoder's current stacks, which are kept and renumbered with the others.
pub(super) fn downsample(mut parts: Parts<'_>, paths: &mut [&mut [StackNode]], rounds: Range<u32>) {
    let kept = drop_samples(&mut parts, rounds);
    let Parts { columns, gc_times, promotions, tree, segments, .. } = parts;

    // Rows have marked what they use. Promotions, paths and parents are left.
    let Kept { rows, gc_times: mut used_gc_times, stacks: mut used_stacks } = kept;
    for (row, gc_time) in promotions.iter() {
        if rows.is_set(u64::from(row.0)) {
            used_gc_times.set(u64::from(gc_time.0));
        }
    }
    used_gc_times.recount();
    used_stacks.set(0);
    for node in paths.iter().flat_map(|path| path.iter()) {
        used_stacks.set(u64::from(node.0));
    }
    used_stacks.set_parents(|id| u64::from(tree.nodes().get(id as usize).parent()));
    used_stacks.recount();

    let renamed_gc_time = |gc_time: GcTimeId| GcTimeId(used_gc_times.rank_before(u64::from(gc_time.0)));
    let renamed_node = |node: u32| used_stacks.rank_before(u64::from(node));
    columns.compact(&rows, renamed_gc_time, |stack| StackId(renamed_node(stack.0)));
    promotions.compact(&rows, renamed_gc_time, columns.blocks());
    for segment in segments {
        segment.first_row = rows.rank_before(u64::from(segment.first_row));
        segment.first_gc_time = renamed_gc_time(GcTimeId(segment.first_gc_time)).0;
    }
    gc_times.compact(&used_gc_times, &rows, columns.blocks());
    let nodes = tree.nodes_mut();
    used_stacks.for_each(|from, to| {
        let node = nodes.get(from as usize);
        nodes.set(to as usize, Node::new(renamed_node(node.parent()), node.code()));
    });
    nodes.truncate(used_stacks.n_set() as usize);
    for node in paths.iter_mut().flat_map(|path| path.iter_mut()) {
        *node = StackNode(renamed_node(node.0));
    }
}

/// One bit for each row, collection time and stack of the model: whether it is kept.
struct Kept {
    rows: RankedBits,
    gc_times: RankedBits,
    stacks: RankedBits,
}

/// Drops the samples that don't survive these rounds. Returns the rows that have samples left, with their ends and
/// stacks.
fn drop_samples(parts: &mut Parts<'_>, rounds: Range<u32>) -> Kept {
    let Parts { columns, gc_times, tree, objects, .. } = parts;
    let mut kept = Kept {
        rows: RankedBits::zeros(columns.len() as u64),
        gc_times: RankedBits::zeros(gc_times.len() as u64),
        stacks: RankedBits::zeros(tree.nodes().len() as u64),
    };
    objects.retain(|id, row| {
        let (chunk, place) = columns.at(row);
        let (_, before) = columns.amounts(row, PackedRow(chunk.packed[place]));
        let n_samples = survivors(id, before, rounds.clone());
        if n_samples == 0 {
            return false;
        }
        kept.rows.set(u64::from(row.0));
        let end = End(chunk.end[place]).gc_time();
        if end != GcTimeId::NEVER {
            kept.gc_times.set(u64::from(end.0));
        }
        kept.stacks.set(u64::from(chunk.stack[place]));
        if n_samples != before {
            columns.set_samples(row, n_samples);
        }
        true
    });
    kept.rows.recount();
    kept
}

/// Returns how many of `n` samples survive a round. It is exact, bit by bit, up to a few thousand. Above that it is a
/// normal draw, whose difference from the binomial is far below the sampling error.
fn half_of(seed: u64, n: u64) -> u64 {
    const EXACT_UP_TO: u64 = 4096;
    if n <= EXACT_UP_TO {
        let mut n_kept = 0;
        let mut left = n;
        let mut word = seed;
        while left > 64 {
            n_kept += word.count_ones();
            left -= 64;
            word = mix(word);
        }
        return u64::from(n_kept + (word << (64 - left)).count_ones());
    }
    binomial(seed, n, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_keep_the_same_samples_one_by_one_or_at_once() {
        for id in 0..2000 {
            let n = [id % 5, id % 700, id * 10, id << 40][id as usize % 4];
            let at_once = survivors(ObjectId(id), n, 0..7);
            let one_by_one = (0..7).fold(n, |n, round| survivors(ObjectId(id), n, round..round + 1));
            assert_eq!(at_once, one_by_one, "{n} samples of object {id}");
        }
    }

    #[test]
    fn small_objects_survive_rounds_at_the_expected_rate() {
        for n in 1..=4 {
            for rounds in 1..=5 {
                let objects = 100_000;
                let left: u64 = (0..objects).map(|id| survivors(ObjectId(id), n, 0..rounds)).sum();
                let p = 0.5_f64.powi(rounds as i32);
                let all = objects as f64 * n as f64;
                let error = (left as f64 - all * p) / (all * p * (1.0 - p)).sqrt();
                assert!(error.abs() < 4.0, "{left} of {all} after {rounds} rounds: {error} standard errors off");
            }
        }
    }

    #[test]
    fn a_round_keeps_half_of_the_samples_within_sampling_error() {
        for n in [1, 3, 64, 65, 1000, 5000, 1_000_000, 1 << 33, 1 << 50] {
            let objects = 200_000 / n.min(200_000) + 50;
            let survived: u64 = (0..objects).map(|id| survivors(ObjectId(id * 7), n, 0..1)).sum();
            let all = objects as f64 * n as f64;
            let error = (survived as f64 - all / 2.0) / (all.sqrt() / 2.0);
            assert!(error.abs() < 4.0, "{survived} of {all}: {error} standard errors off");
        }
    }
}
