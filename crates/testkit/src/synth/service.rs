//! A service: a few hundred stacks that come up again and again, each in one role.

use std::iter;

use fastrand::Rng;

use super::distributions::{Sampler, Table};
use super::heap::Lifetime;
use super::program::Program;
use super::sizes::Sizes;
use super::workload::{Allocation, Pace, Workload};

#[derive(Debug)]
pub struct Service {
    next_block: fn(progress: f64, &mut Rng) -> NextBlock,
    roles: Vec<Role>,
    /// The role that allocated last.
    role: usize,
    sizes: Sizes,
    pace: Pace,
}

/// The role that allocates next, and the lifetime of its object.
#[derive(Clone, Copy, Debug)]
struct NextBlock {
    role: usize,
    lifetime: Lifetime,
    in_spike: bool,
}

/// Stacks with the same purpose.
#[derive(Debug)]
struct Role {
    stacks: Vec<Vec<u64>>,
    popularity: Table,
    /// How many objects out of 1024 come from a stack close to the previous one.
    drift: u32,
    at: usize,
}

const GARBAGE: usize = 0;
const TABLE: usize = 1;
const CACHE: usize = 2;
const SESSION: usize = 3;
const REPORT: usize = 4;

/// Blocks by size, in %, from a trace of a small order service at 0.0001.
const SERVER_SIZES: &[(u16, f64)] = &[
    (1, 16.9),
    (2, 26.0),
    (3, 6.3),
    (4, 7.5),
    (5, 3.1),
    (6, 3.0),
    (7, 4.0),
    (8, 3.8),
    (10, 4.5),
    (14, 4.0),
    (24, 4.3),
    (48, 1.3),
    (130, 5.0),
    (220, 4.0),
    (300, 3.5),
    (500, 2.7),
    (8_000, 0.1),
];

/// The same for a trace of a leaking program at 0.01.
const LEAK_SIZES: &[(u16, f64)] = &[(1, 23.9), (2, 71.9), (3, 1.6), (4, 0.4), (8, 0.5), (12, 0.9), (24, 0.6)];

impl Service {
    pub fn server(program: &Program, sampler: &Sampler, rng: &mut Rng) -> Service {
        let n_stacks = [200, 20, 20, 30, 20];
        Service {
            next_block: server_block,
            roles: n_stacks.map(|n| Role::branching(program, n, rng)).into(),
            role: GARBAGE,
            sizes: Sizes::new(SERVER_SIZES, 10, sampler),
            pace: Pace { us_a_word: 0.43, us_a_block: 4.0 },
        }
    }

    pub fn leak(program: &Program, sampler: &Sampler, rng: &mut Rng) -> Service {
        Service {
            next_block: leak_block,
            roles: [4, 1].map(|n| Role::recursive(program, n, rng)).into(),
            role: GARBAGE,
            sizes: Sizes::new(LEAK_SIZES, 14, sampler),
            pace: Pace { us_a_word: 0.05, us_a_block: 5.0 },
        }
    }
}

/// Tables at the start, then requests: garbage, a cache, and sessions, one in three of which is never closed. Two
/// reports keep all the data they read until they are done.
fn server_block(progress: f64, rng: &mut Rng) -> NextBlock {
    let in_spike = (0.35..0.37).contains(&progress) || (0.75..0.77).contains(&progress);
    let (role, lifetime) = match rng.u32(..1024) {
        0..512 if progress < 0.015 => (TABLE, Lifetime::Immortal),
        0..700 if in_spike => (REPORT, Lifetime::UntilSpikeEnds),
        0..25 => (CACHE, Lifetime::Cached),
        25..35 => (SESSION, Lifetime::Immortal),
        35..55 => (SESSION, Lifetime::LivesFor { us: rng.u64(500_000..15_000_000) }),
        _ => (GARBAGE, Lifetime::DiesYoung),
    };
    NextBlock { role, lifetime, in_spike }
}

fn leak_block(_progress: f64, rng: &mut Rng) -> NextBlock {
    let (role, lifetime) = match rng.u32(..1024) {
        0..7 => (TABLE, Lifetime::Immortal),
        7..13 => (GARBAGE, Lifetime::LivesFor { us: rng.u64(20_000..3_000_000) }),
        _ => (GARBAGE, Lifetime::DiesYoung),
    };
    NextBlock { role, lifetime, in_spike: false }
}

impl Role {
    /// Creates `n` stacks that branch off from one another, up to 20 deep. Earlier ones are more popular.
    fn branching(program: &Program, n: usize, rng: &mut Rng) -> Role {
        let stacks = program.branching_stacks(n, 20, rng);
        let popularity: Vec<(u16, f64)> = (0..n as u16).map(|rank| (rank, 1.0 / (f64::from(rank) + 2.0))).collect();
        Role { stacks, popularity: Table::weighted(&popularity), drift: 0, at: 0 }
    }

    /// Creates `n` lists that are built recursively, each element one call deeper. Stacks move between neighboring
    /// depths or jump anywhere.
    fn recursive(program: &Program, n: usize, rng: &mut Rng) -> Role {
        const MAX_TURNS: usize = 38;
        let mut stacks = Vec::new();
        for _ in 0..n {
            let head = program.descend(&[Program::ROOT], 4, rng);
            let (place, way) = (head[head.len() - 1], &head[..head.len() - 1]);
            for turns in 0..=MAX_TURNS {
                let recursion = iter::repeat_n(way[way.len() - 1], turns);
                stacks.push(way.iter().copied().chain(recursion).chain([place]).collect());
            }
        }
        let alike: Vec<(u16, f64)> = (0..stacks.len() as u16).map(|at| (at, 1.0)).collect();
        Role { stacks, popularity: Table::weighted(&alike), drift: 620, at: 0 }
    }

    fn next_stack(&mut self, rng: &mut Rng) -> &[u64] {
        if rng.u32(..1024) < self.drift {
            const STEPS: [usize; 4] = [0, 1, 3, 4];
            let step = STEPS[rng.usize(..4)];
            self.at = (self.at + step).saturating_sub(2).min(self.stacks.len() - 1);
        } else {
            self.at = usize::from(self.popularity.draw(rng));
        }
        &self.stacks[self.at]
    }
}

impl Workload for Service {
    fn next(&mut self, progress: f64, rng: &mut Rng) -> Allocation {
        let NextBlock { role, lifetime, in_spike } = (self.next_block)(progress, rng);
        self.role = role;
        let stack = self.roles[role].next_stack(rng);
        let (length_words, source) = self.sizes.of_site(stack[stack.len() - 1], rng.u64(..));
        Allocation { length_words, source, lifetime, in_spike, known: 0 }
    }

    fn stack(&self) -> &[u64] {
        let role = &self.roles[self.role];
        &role.stacks[role.at]
    }

    fn pace(&self) -> Pace {
        self.pace
    }
}
