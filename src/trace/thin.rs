//! A trace too large for memory is thinned in place: each *sample* survives with probability ½ and the rate halves.
//!
//! Sampling is a Poisson process, so what remains is a valid trace at half the rate. Which samples survive a round is
//! decided by a hash of the object's id and the round, so the outcome depends on neither chunks nor the time at which
//! memory ran short: an object that comes after k rounds goes through the same k decisions at once.

use std::ops::Range;

use super::builder::Builder;
use super::columns::Columns;
use super::dice::{many_coins, mix};
use super::ids::{MomentId, ObjectRow, StackId};
use super::ledger::RankedBits;
use super::nodes::Node;
use crate::ctf::{ObjectId, StackNode};

/// How many of an object's samples survive these rounds.
pub fn survivors(id: ObjectId, n_samples: u32, rounds: Range<u32>) -> u32 {
    let mut n = n_samples;
    for round in rounds {
        if n == 0 {
            break;
        }
        n = flip_coins(mix(id.0 ^ mix(u64::from(round) + 1)), n);
    }
    n
}

/// One round: drops samples, objects without any, and the stacks and moments that nobody uses any more.
/// `paths` are the stacks that the decoder is on: they stay, and are renamed with the others.
pub(super) fn halve(builder: &mut Builder, paths: &mut [&mut [StackNode]]) {
    let Some(thinning) = &mut builder.thinning else {
        return;
    };
    let round = thinning.rounds;
    thinning.rounds += 1;

    builder.promotions.sort(builder.columns.rooms());
    let old_promotions = std::mem::take(&mut builder.promotions);
    let old_runs = builder.columns.domain_runs().to_vec();
    let mut runs: Vec<(u32, u16)> = Vec::new();
    let (mut at_run, mut at_promotion, mut at_moment, mut at_segment) = (0, 0, 0, 0);
    let mut to = 0;

    let Builder { columns, moments, segments, promotions, .. } = builder;
    builder.objects.retain(|id, from| {
        while at_moment < moments.len() && moments.rows_before(MomentId(at_moment as u32)) <= from.0 {
            moments.set_rows_before(MomentId(at_moment as u32), to);
            at_moment += 1;
        }
        while at_segment < segments.len() && segments[at_segment].first_row <= from.0 {
            segments[at_segment].first_row = to;
            at_segment += 1;
        }
        while at_run + 1 < old_runs.len() && old_runs[at_run + 1].0 <= from.0 {
            at_run += 1;
        }
        let promotion = old_promotions.get(at_promotion).filter(|entry| entry.0 == from);
        at_promotion += usize::from(promotion.is_some());

        let mut row = columns.get(from);
        row.n_samples = survivors(id, row.n_samples, round..round + 1);
        if row.n_samples == 0 {
            return false;
        }
        if Columns::begins_earlier_chunk(ObjectRow(to), from) {
            columns.restart_chunk(ObjectRow(to), row.alloc_us);
        }
        columns.replace(ObjectRow(to), &row);
        if let Some((_, moment)) = promotion {
            promotions.push(ObjectRow(to), moment, columns.rooms());
        }
        let domain = old_runs.get(at_run).map_or(0, |run| run.1);
        if runs.last().is_none_or(|&(_, last)| last != domain) {
            runs.push((to, domain));
        }
        to += 1;
        true
    });
    for moment in at_moment..moments.len() {
        moments.set_rows_before(MomentId(moment as u32), to);
    }
    for segment in &mut segments[at_segment..] {
        segment.first_row = to;
    }
    columns.truncate(to as usize, runs);
    drop_unused_moments(builder);
    drop_unused_stacks(builder, paths);
}

fn drop_unused_moments(builder: &mut Builder) {
    let n = builder.moments.len() as u64;
    let mut used = RankedBits::zeros(n);
    for row in (0..builder.columns.len() as u32).map(ObjectRow) {
        let end = builder.columns.end(row);
        if end != MomentId::NEVER {
            used.set(u64::from(end.0));
        }
    }
    for (_, moment) in builder.promotions.iter() {
        used.set(u64::from(moment.0));
    }
    used.count_anew();
    let renamed = |moment: MomentId| MomentId(used.rank(u64::from(moment.0)).unwrap_or(0) as u32);
    for row in (0..builder.columns.len() as u32).map(ObjectRow) {
        let end = builder.columns.end(row);
        if end != MomentId::NEVER {
            builder.columns.rename_end(row, renamed(end));
        }
    }
    builder.promotions.rename(renamed);
    for segment in &mut builder.segments {
        segment.first_moment = used.rank_before(u64::from(segment.first_moment)) as u32;
    }
    builder.moments.compact(&used, builder.columns.rooms());
}

fn drop_unused_stacks(builder: &mut Builder, paths: &mut [&mut [StackNode]]) {
    let n = builder.tree.nodes().len() as u64;
    let mut used = RankedBits::zeros(n);
    used.set(0);
    for row in (0..builder.columns.len() as u32).map(ObjectRow) {
        used.set(u64::from(builder.columns.stack(row).0));
    }
    for stack in paths.iter().flat_map(|path| path.iter()) {
        used.set(u64::from(stack.0));
    }
    for id in (1..n).rev() {
        if used.is_set(id) {
            used.set(u64::from(builder.tree.nodes().get(id as usize).parent()));
        }
    }
    used.count_anew();
    let renamed = |node: u32| used.rank(u64::from(node)).unwrap_or(0) as u32;
    let nodes = builder.tree.nodes_mut();
    let mut to = 0;
    for from in (0..n as usize).filter(|&id| used.is_set(id as u64)) {
        let node = nodes.get(from);
        nodes.set(to, Node::new(renamed(node.parent()), node.code()));
        to += 1;
    }
    nodes.truncate(to);
    for row in (0..builder.columns.len() as u32).map(ObjectRow) {
        let stack = builder.columns.stack(row);
        builder.columns.set_stack(row, StackId(renamed(stack.0)));
    }
    for stack in paths.iter_mut().flat_map(|path| path.iter_mut()) {
        *stack = StackNode(renamed(stack.0));
    }
}

/// How many of `n` fair coins show heads: exactly, by bits, up to some thousands; above that by a normal draw, whose
/// difference from the binomial is far below the sampling's own error.
fn flip_coins(seed: u64, n: u32) -> u32 {
    const EXACT_UP_TO: u32 = 4096;
    if n <= EXACT_UP_TO {
        let mut heads = 0;
        let mut left = n;
        let mut word = seed;
        while left > 0 {
            let now = left.min(64);
            word = mix(word);
            heads += (word & (u64::MAX >> (64 - now))).count_ones();
            left -= now;
        }
        return heads;
    }
    many_coins(seed, n, 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_taken_one_by_one_or_at_once_keep_the_same_samples() {
        for id in 0..2000 {
            let n = 1 + id as u32 % 700;
            let at_once = survivors(ObjectId(id), n, 0..4);
            let one_by_one = (0..4).fold(n, |n, round| survivors(ObjectId(id), n, round..round + 1));
            assert_eq!(at_once, one_by_one);
        }
    }

    #[test]
    fn half_of_the_samples_survive_a_round_within_the_error_of_fair_coins() {
        for n in [1, 3, 64, 65, 1000, 5000, 1_000_000] {
            let objects = 200_000 / n.min(200_000) + 50;
            let survived: u64 = (0..u64::from(objects)).map(|id| u64::from(survivors(ObjectId(id * 7), n, 0..1))).sum();
            let all = f64::from(objects) * f64::from(n);
            let error = (survived as f64 - all / 2.0) / (all.sqrt() / 2.0);
            assert!(error.abs() < 4.0, "{survived} of {all}: {error} standard errors off");
        }
    }
}
