//! Verdicts that agree: of a row with those of its parts, and of all rows with what the program does as a whole.
//!
//! - A function, file or module is judged by all that it allocates. If it turns over much and leaks a little, that may
//!   hide the leak; so it also grows if call sites of it that grow are most of its growth.
//! - What leaks together is judged together: a session, its name and the bucket that holds it are three call sites, each
//!   with too few samples. A site that is undecided grows, at less evidence, if its function grows.
//! - Where many functions grow, and the heap with them, or the trace is short, a program builds up what it needs. That is
//!   told once, for the whole.

use rustc_hash::FxHashMap;

use super::curves::{Curve, STEPS, died_after};
use super::rules::{self, Verdict};
use super::signs::{Signs, old_age};
use super::{Conclusion, ConclusionKind, LeaksConfig};
use crate::format::{count, duration_us};
use crate::query::label::plain;
use crate::query::tree::{Allocators, Grain, Key, KeyId, Keys, Label, coarser};
use crate::trace::{Calls, Sampling, Trace};

/// What begins in the last quarter of a trace has not lasted, however long the trace is.
const LATEST: usize = STEPS * 3 / 4;

/// Growth of parts that is most of the whole's.
const MOST: f64 = 0.5;

/// The program as a whole.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    pub calls: &'a Calls,
    pub sampling: Sampling,
    pub end_us: u64,
    /// When each step of the curves ends; none where all steps are equally long.
    pub step_ends_us: Option<&'a [u64]>,
    /// Of everything that it allocated.
    pub n_samples: u64,
    /// What rows of the finest grain but one are called: `function`, or `line` where functions have no names.
    pub function: &'static str,
}

impl<'a> Program<'a> {
    /// Where everything was counted, nothing is by chance.
    pub fn beyond_chance(self) -> &'static str {
        if self.sampling.rate < 1.0 { " beyond chance" } else { "" }
    }

    /// When that many steps are over.
    pub fn time_us(self, n_steps: usize) -> f64 {
        let even = self.end_us as f64 * n_steps as f64 / STEPS as f64;
        match (self.step_ends_us, n_steps.checked_sub(1)) {
            (Some(ends), Some(last)) => ends.get(last).map_or(even, |&end| end as f64),
            _ => even,
        }
    }

    pub fn of_trace(trace: &'a Trace) -> Program<'a> {
        Program {
            calls: &trace.calls,
            sampling: trace.sampling(),
            end_us: trace.end_us,
            step_ends_us: None,
            n_samples: trace.totals.alloc_samples.total() / u64::from(trace.thinned.max(1)),
            function: "function",
        }
    }
}

#[derive(Debug)]
pub struct Judge<'a> {
    program: Program<'a>,
    allocators: &'a Allocators,
    config: &'a LeaksConfig,
    usual_age: usize,
    /// By key of the allocators.
    sites: Vec<Option<Judged>>,
    n_growing_functions: usize,
    heap_grows: bool,
    /// In samples.
    heap_growth: f64,
}

/// A row with its verdict, as if it were not for the program as a whole.
#[derive(Clone, Debug)]
pub struct Judged {
    pub curve: Curve,
    pub signs: Signs,
    pub verdict: Verdict,
    pub rests_on: GrowthOf,
}

/// Whose growth the verdict rests on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum GrowthOf {
    #[default]
    Itself,
    /// Its function, whose name this is.
    ItsFunction(String),
    /// So many of its call sites.
    ItsSites(usize),
}

impl<'a> Judge<'a> {
    /// `curves` are by key of the allocators.
    pub fn new(
        program: Program<'a>,
        curves: Vec<Option<Curve>>,
        allocators: &'a Allocators,
        config: &'a LeaksConfig,
    ) -> Judge<'a> {
        let usual_age = old_age(&died_after(&curves), config).unwrap_or(0);
        let mut judge = Judge {
            program,
            allocators,
            config,
            usual_age,
            sites: Vec::new(),
            n_growing_functions: 0,
            heap_grows: false,
            heap_growth: 0.0,
        };
        let heap = judge.signs(&Curve::sum(curves.iter().flatten()));
        (judge.heap_grows, judge.heap_growth) = (rules::grew(&heap, config), heap.growth());
        judge.sites = curves.into_iter().map(|curve| curve.map(|curve| judge.judged(curve))).collect();
        judge.agree_with_functions();
        judge
    }

    pub fn n_growing_functions(&self) -> usize {
        self.n_growing_functions
    }

    /// The rows of a grain, with their names.
    pub fn rows(&self, grain: Grain) -> Vec<(Label, Judged)> {
        if grain == Grain::Site {
            let sites = (0u32..).map(KeyId).zip(&self.sites);
            return sites
                .filter_map(|(key, site)| Some((self.allocators.label(self.program.calls, key), site.clone()?)))
                .collect();
        }
        let (keys, of_site) = coarser(self.program.calls, self.allocators.keys(), grain);
        self.grouped(&of_site).into_iter().map(|(key, judged)| (self.label(&keys, key), judged)).collect()
    }

    /// `keys` are coarser ones; what has no frame of the program is called so at every grain.
    fn label(&self, keys: &Keys, key: KeyId) -> Label {
        match keys.get(key) {
            Key::Root => self.allocators.label(self.program.calls, Keys::ROOT),
            key => key.label(self.program.calls),
        }
    }

    pub fn conclusion(&self) -> Conclusion {
        let is_growing = |site: &Judged| site.verdict == Verdict::Growing;
        let n_sites = self.sites.iter().flatten().filter(|site| is_growing(site)).count();
        let n_functions = self.n_growing_functions;
        let whole_us = self.program.end_us;
        let (kind, text) = if self.sites.iter().all(Option::is_none) {
            (ConclusionKind::NothingAllocated, "Nothing was allocated.".to_owned())
        } else if self.program.n_samples < self.config.min_trace_samples {
            let text = match self.program.n_samples {
                1 => "1 sample is too few to tell what grows.".to_owned(),
                n => format!("{} samples are too few to tell what grows.", count(n)),
            };
            (ConclusionKind::TooFewSamples, text)
        } else if n_sites == 0 && n_functions == 0 {
            let n_undecided = self.sites.iter().flatten().filter(|site| site.verdict == Verdict::TooFewSamples).count();
            let undecided = match n_undecided {
                0 => String::new(),
                1 => " 1 call site has too few samples to tell.".to_owned(),
                n => format!(" {} call sites have too few samples to tell.", count(n as u64)),
            };
            let beyond = self.program.beyond_chance();
            (ConclusionKind::NothingGrows, format!("Nothing grows{beyond}.{undecided}"))
        } else if (whole_us as f64) < self.config.min_seconds * 1e6 {
            let text = format!(
                "The recording covers {}: too short to tell a leak from what a program builds up at its start.",
                duration_us(whole_us)
            );
            (ConclusionKind::TooShort, text)
        } else if self.heap_grows && n_functions as u64 >= self.config.min_working_set {
            let text = format!(
                "{} {}s grow, and the heap with them: the program builds up what it works with. No leak stands out.",
                count(n_functions as u64),
                self.program.function
            );
            (ConclusionKind::WorkingSet, text)
        } else {
            let text = match n_functions {
                1 => format!("1 {} keeps growing.", self.program.function),
                n => format!("{} {}s keep growing.", count(n as u64), self.program.function),
            };
            (ConclusionKind::Growing, text)
        };
        Conclusion { kind, text }
    }

    /// Undecided sites follow their functions; then the functions that grow are counted.
    fn agree_with_functions(&mut self) {
        let (keys, of_site) = coarser(self.program.calls, self.allocators.keys(), Grain::Function);
        let is_growing = |judged: &Judged| judged.verdict == Verdict::Growing;
        let growing: FxHashMap<KeyId, String> = self
            .grouped(&of_site)
            .into_iter()
            .filter(|(_, judged)| is_growing(judged))
            .map(|(key, _)| (key, plain(&self.label(&keys, key).name)))
            .collect();
        for (site, function) in self.sites.iter_mut().zip(&of_site) {
            let (Some(site), Some(function)) = (site, growing.get(function)) else { continue };
            if site.verdict == Verdict::TooFewSamples && rules::may_grow(&site.signs, self.config) {
                site.verdict = Verdict::Growing;
                site.rests_on = GrowthOf::ItsFunction(function.clone());
            }
        }
        self.n_growing_functions = growing.len();
    }

    /// The sums of sites that have the same key, judged.
    fn grouped(&self, of_site: &[KeyId]) -> Vec<(KeyId, Judged)> {
        let mut groups: FxHashMap<KeyId, Vec<&Judged>> = FxHashMap::default();
        for (site, &key) in self.sites.iter().zip(of_site) {
            if let Some(site) = site {
                groups.entry(key).or_default().push(site);
            }
        }
        let mut groups: Vec<(KeyId, Vec<&Judged>)> = groups.into_iter().collect();
        groups.sort_unstable_by_key(|(key, _)| *key);
        groups.into_iter().map(|(key, sites)| (key, self.judged_together(&sites))).collect()
    }

    fn judged_together(&self, sites: &[&Judged]) -> Judged {
        let mut whole = self.judged(Curve::sum(sites.iter().map(|site| &site.curve)));
        let growing: Vec<&&Judged> = sites.iter().filter(|site| site.verdict == Verdict::Growing).collect();
        let growth_of_parts: f64 = growing.iter().map(|site| site.signs.growth()).sum();
        if whole.verdict != Verdict::Growing && !growing.is_empty() {
            whole.rests_on = GrowthOf::ItsSites(growing.len());
            if growth_of_parts >= MOST * whole.signs.growth() && whole.signs.growth() > 0.0 {
                whole.verdict = Verdict::Growing;
            }
        }
        whole
    }

    fn judged(&self, curve: Curve) -> Judged {
        let signs = self.signs(&curve);
        let is_large_enough = self.program.n_samples >= self.config.min_trace_samples;
        let verdict = match rules::verdict(&signs, self.config) {
            _ if !is_large_enough => Verdict::TooFewSamples,
            // A program of passes that keep their results grows all along; the last pass is no leak for having begun late.
            Verdict::Growing if signs.from > 0 && signs.growth() < MOST * self.heap_growth => Verdict::Kept,
            verdict => verdict,
        };
        Judged { curve, signs, verdict, rests_on: GrowthOf::Itself }
    }

    fn signs(&self, curve: &Curve) -> Signs {
        let steps_a_second = STEPS as f64 / (self.program.end_us.max(1) as f64 / 1e6);
        let late_steps = (self.config.min_late_seconds * steps_a_second).ceil().clamp(0.0, STEPS as f64);
        let latest = (STEPS - late_steps as usize).min(LATEST);
        Signs::new(curve, self.usual_age, latest, self.config)
    }
}
