//! The simulated machine. Domains take turns, each with its own clock, and write what memtrace would record.

use std::io;
use std::rc::Rc;

use fastrand::Rng;

use super::clock::Clock;
use super::distributions::Sampler;
use super::heap::{Found, Heap, MINOR_WORDS};
use super::options::{Extent, Options, RunInfo, Shape};
use super::program::Program;
use super::service::Service;
use super::walk::Walk;
use super::workload::Workload;
use camlscope_formats::ctf::encode::{Block, EncodeError, Encoder, Written};
use camlscope_formats::ctf::{AllocSource, Info};

pub struct Machine<W> {
    encoder: Encoder<W>,
    extent: Extent,
    sampler: Sampler,
    words_a_sample: f64,
    domains: Vec<Domain>,
    n_objects: u64,
    found: Found,
}

struct Domain {
    id: u16,
    rng: Rng,
    clock: Clock,
    heap: Heap,
    workload: Box<dyn Workload>,
    in_spike: bool,
}

/// Objects per turn. It's a fraction of a packet, so that packets of all domains interleave.
const OBJECTS_A_TURN: u64 = 200;

/// The size of a service's cache, summed over all domains.
const CACHE_WORDS: f64 = 1e6;

/// November 15, 2026. It's constant, so that equal options produce equal bytes.
const START_US: u64 = 1_794_703_163_715_432;

impl<W: io::Write> Machine<W> {
    pub fn new(options: &Options, run: RunInfo, out: W) -> Result<Machine<W>, EncodeError> {
        let n_domains = options.domains.max(1);
        let info = Info {
            version: if n_domains == 1 { 2 } else { 3 },
            sample_rate: options.rate,
            word_size_bits: 64,
            executable: run.program.unwrap_or_else(|| format!("synthetic-{:?}.exe", options.shape).to_lowercase()),
            host: run.host.unwrap_or_else(|| "nowhere".to_owned()),
            runtime_params: format!("s={MINOR_WORDS},o=120"),
            pid: run.pid.unwrap_or(4242).into(),
            context: format!("synthetic, seed {}", options.seed),
            start_us: run.start_us.unwrap_or(START_US),
        };
        let mut encoder = Encoder::new(&info, out)?;
        let mut rng = Rng::with_seed(options.seed);
        let sampler = Sampler::new(options.rate);
        let program = Rc::new(match options.shape {
            Shape::Compiler => Program::large(&mut rng),
            Shape::Server | Shape::Leak => Program::small(&mut rng),
        });
        program.announce(&mut encoder);
        let cache_objects = (CACHE_WORDS * options.rate / f64::from(n_domains)).max(64.0) as usize;
        let domain = |id: u16| {
            let mut rng = Rng::with_seed(rng.u64(..));
            let workload: Box<dyn Workload> = match options.shape {
                Shape::Compiler => Box::new(Walk::new(program.clone(), &sampler, &mut rng)),
                Shape::Server => Box::new(Service::server(&program, &sampler, &mut rng)),
                Shape::Leak => Box::new(Service::leak(&program, &sampler, &mut rng)),
            };
            // Not all domains are equally busy.
            let clock = Clock::new(workload.pace(), f64::from(1 + id % 3), options.rate);
            Domain { id, rng, clock, heap: Heap::new(cache_objects), workload, in_spike: false }
        };
        let domains = (0..n_domains).map(domain).collect();
        Ok(Machine {
            encoder,
            extent: options.extent,
            words_a_sample: 1.0 / options.rate,
            sampler,
            domains,
            n_objects: 0,
            found: Found::default(),
        })
    }

    pub fn run(mut self) -> Result<Written, EncodeError> {
        while let progress = self.progress()
            && progress < 1.0
        {
            // Runs the domain that is furthest behind, so that the clocks stay close together.
            let at = (0..self.domains.len()).min_by_key(|&at| self.domains[at].clock.us()).unwrap_or(0);
            let left = match self.extent {
                Extent::Objects(n) => n - self.n_objects,
                Extent::Bytes(_) => u64::MAX,
            };
            for _ in 0..left.min(OBJECTS_A_TURN) {
                self.step(at, progress)?;
                self.n_objects += 1;
            }
        }
        self.encoder.finish()
    }

    fn progress(&self) -> f64 {
        match self.extent {
            Extent::Objects(0) | Extent::Bytes(0) => 1.0,
            Extent::Objects(n) => self.n_objects as f64 / n as f64,
            Extent::Bytes(n) => self.encoder.bytes_out() as f64 / n as f64,
        }
    }

    #[inline]
    fn step(&mut self, at: usize, progress: f64) -> Result<(), EncodeError> {
        let domain = &mut self.domains[at];
        let allocation = domain.workload.next(progress, &mut domain.rng);
        let n_samples = self.sampler.n_samples(allocation.length_words, &mut domain.rng);
        let words = n_samples as f64 * self.words_a_sample;
        let pause = domain.clock.pause(n_samples, &mut domain.rng);
        let room = domain.heap.room();
        if words > room {
            // The minor heap fills up before this block is allocated.
            let before = pause.part(room / words);
            domain.clock.advance(before);
            self.collect(at)?;
            self.domains[at].clock.advance(pause.less(before));
        } else {
            domain.clock.advance(pause);
        }
        let domain = &mut self.domains[at];
        let now = domain.clock.us();
        let block = Block { length_words: allocation.length_words, n_samples, source: allocation.source };
        let id = self.encoder.alloc_sharing(domain.id, now, block, allocation.known, domain.workload.stack())?;
        if domain.in_spike && !allocation.in_spike {
            domain.heap.end_spike();
        }
        domain.in_spike = allocation.in_spike;
        if allocation.source == AllocSource::Minor {
            domain.heap.born(id, allocation.lifetime, now);
            domain.heap.fill(words.min(MINOR_WORDS));
        } else {
            domain.heap.born_old(id, allocation.lifetime, now);
        }
        Ok(())
    }

    /// Runs a minor collection and writes its events, promotions first, then deaths.
    #[cold]
    fn collect(&mut self, at: usize) -> Result<(), EncodeError> {
        let n_domains = self.domains.len();
        let domain = &mut self.domains[at];
        // The major heap often triggers a minor collection before the minor heap is full.
        let room = MINOR_WORDS * (0.1 + 0.9 * domain.rng.f64());
        domain.heap.collect(domain.clock.us(), room, n_domains > 1, &mut self.found);
        for &id in &self.found.promoted {
            self.encoder.promote(domain.id, domain.clock.burst(), id)?;
        }
        for &id in &self.found.dead {
            self.encoder.collect(domain.id, domain.clock.burst(), id)?;
        }
        let now = domain.clock.us();
        for &(dies, id) in &self.found.given_away {
            self.domains[(at + 1) % n_domains].heap.adopt(dies.max(now), id);
        }
        Ok(())
    }
}
