//! A compiler: one long walk up and down a call graph that seldom takes the same path twice.

use std::rc::Rc;

use fastrand::Rng;

use super::distributions::{Sampler, Table};
use super::heap::Lifetime;
use super::program::Program;
use super::sizes::Sizes;
use super::workload::{Allocation, Pace, Workload};
use camlscope_formats::ctf::AllocSource;

#[derive(Debug)]
pub struct Walk {
    program: Rc<Program>,
    /// From main to the allocation site.
    path: Vec<u64>,
    /// Frames left and entered per turn.
    steps: Table,
    sizes: Sizes,
    /// The depth that the walk tends toward.
    goal: usize,
}

/// Frames that stay until another part of the work begins: the compiler's driver.
const BASE_FRAMES: usize = 16;
/// How many blocks out of 1024 are read from files directly into the major heap.
const READ_FROM_FILES: u64 = 9;

/// Blocks by size, in %, from a trace of the OCaml compiler at 0.01.
const SIZES: &[(u16, f64)] = &[
    (1, 5.5),
    (2, 20.2),
    (3, 5.5),
    (4, 38.9),
    (5, 13.0),
    (6, 8.9),
    (7, 3.1),
    (8, 2.0),
    (12, 1.9),
    (24, 0.7),
    (48, 0.1),
    (128, 0.1),
];

impl Walk {
    pub fn new(program: Rc<Program>, sampler: &Sampler, rng: &mut Rng) -> Walk {
        // A fifth more, because a turn may reenter the frames that it left, and the driver's frames are never left.
        let steps = Table::log_normal(1.2 * frames_between_samples(sampler.rate), 0.88, rng);
        let mut walk =
            Walk { program, path: vec![Program::ROOT], steps, sizes: Sizes::new(SIZES, 1, sampler), goal: 24 };
        walk.begin(rng);
        walk
    }

    /// Starts another part of the work.
    fn begin(&mut self, rng: &mut Rng) {
        self.path.truncate(1);
        self.descend(BASE_FRAMES + 4, None, rng);
    }

    /// Leaves `pops` frames and enters others. Returns how many are kept.
    fn turn(&mut self, pops: usize, rng: &mut Rng) -> usize {
        let kept = self.path.len().saturating_sub(pops).max(BASE_FRAMES);
        let old = self.path.get(kept).copied();
        self.path.truncate(kept);
        let pushes = usize::from(self.steps.draw(rng)).max(1);
        let too_deep = kept + pushes > self.goal + 8;
        let too_flat = kept + pushes + 8 < self.goal;
        // Half as many, or half as many again. It avoids branches, which would be mispredicted.
        let pushes = (pushes * (2 - usize::from(too_deep) + usize::from(too_flat))).div_ceil(2);
        self.descend(pushes, old, rng);
        kept
    }

    /// Enters `n` frames, the last of which allocates. The first is preferably not `old`.
    fn descend(&mut self, n: usize, old: Option<u64>, rng: &mut Rng) {
        let kept = self.path.len();
        let mut at = self.program.callee(self.path[kept - 1]);
        let mut random = rng.u64(..);
        for frame in 1..n {
            let calls = &self.program.function(at).calls;
            let mut call = calls[likely_first(random as u8)];
            if frame == 1 && old == Some(call.site.code()) {
                call = calls[likely_first(rng.u8(..))];
            }
            self.path.push(call.site.code());
            at = call.callee;
            // Eight bits per frame, eight frames per draw.
            random = if frame % 8 == 0 { rng.u64(..) } else { random >> 8 };
        }
        let allocs = &self.program.function(at).allocs;
        let is_old = n == 1 && old == Some(allocs[0].code());
        let site = allocs[usize::from(is_old | (random & 1 == 1))];
        self.path.push(site.code());
    }
}

/// Picks one of four, usually the first.
#[inline]
fn likely_first(random: u8) -> usize {
    usize::from(random >= 184) + usize::from(random >= 232) + usize::from(random >= 248)
}

impl Workload for Walk {
    fn next(&mut self, progress: f64, rng: &mut Rng) -> Allocation {
        // One draw for all the small decisions.
        let random = rng.u64(..);
        let mut known = self.path.len();
        if random.is_multiple_of(512) {
            self.goal = goal(progress, rng);
            if rng.u32(..20) == 0 {
                self.begin(rng);
                known = 1;
            }
        }
        let pops = usize::from(self.steps.pick(random >> 9));
        if pops > 0 {
            known = known.min(self.turn(pops, rng));
        }
        let site = self.path[self.path.len() - 1];
        let (length_words, mut source) = self.sizes.of_site(site, random >> 20);
        if (random >> 31) % 1024 < READ_FROM_FILES {
            source = AllocSource::Major;
        }
        let lifetime = match (random >> 41) % 1024 {
            0..51 => Lifetime::Immortal,
            51..82 => Lifetime::LivesFor { us: rng.u64(100_000..1_000_000) },
            82..157 => Lifetime::LivesFor { us: rng.u64(1_000_000..9_000_000) },
            _ => Lifetime::DiesYoung,
        };
        Allocation { length_words, source, lifetime, in_spike: false, known }
    }

    fn stack(&self) -> &[u64] {
        &self.path
    }

    fn pace(&self) -> Pace {
        Pace { us_a_word: 0.06, us_a_block: 16.0 }
    }
}

/// The lower the rate, the further the program moves between two samples. Measured on traces of the OCaml compiler and
/// interpolated. The value for the full rate is a guess.
fn frames_between_samples(rate: f64) -> f64 {
    /// −log10 of the rate, and the number of frames.
    const MEASURED: [(f64, f64); 5] = [(0.0, 1.3), (1.0, 2.0), (2.0, 4.5), (4.0, 16.3), (5.0, 29.0)];
    let magnitude = -rate.log10();
    match MEASURED.windows(2).find(|pair| magnitude < pair[1].0) {
        Some(&[(from, few), (to, many)]) => few * (many / few).powf((magnitude - from) / (to - from)),
        _ => MEASURED[4].1,
    }
}

/// Alternates between shallow passes over the program and passes that go as deep as the source is nested.
fn goal(progress: f64, rng: &mut Rng) -> usize {
    let pass = (progress * 20.0) as u32;
    match pass % 3 {
        0 => rng.usize(24..36),
        1 => rng.usize(30..60),
        _ if rng.u32(..50) == 0 => rng.usize(320..830),
        _ => rng.usize(160..330),
    }
}
