//! The growth verdict on some objects: do they grow, from when to when, how fast, and how certain is that?
//!
//! Objects that were never freed are counted by the step of their allocation, if they are old enough
//! ([`super::maturity`]). The series is split where its rate changes ([`super::segments`]), and similar neighbors form
//! a *run*. The last run decides: it grows, or nothing has been kept since an earlier one, or nothing was ever kept.
//! Calling a heap level takes as much evidence as calling it growing: a meaningful bound over enough of the trace.

use super::maturity::{Lives, age_us};
use super::segments::{change_interval, segment_starts};
use super::{Undecided, Verdict};
use crate::query::statistics::poisson_interval;

/// Steps of allocation time over the entire trace.
pub const STEPS: usize = 128;

/// Fewer objects that were never freed aren't growth. A table that is resized keeps one or two.
const MIN_OBJECTS: f64 = 5.0;
/// Neighboring segments whose rates differ by less than this factor form one run.
const SIMILAR: f64 = 3.0;
/// A shorter run is neither lasting growth nor the end of growth.
const MIN_RUN: usize = STEPS / 8;
/// Growth that ends this early is startup.
const START_UP: usize = STEPS / 8;
/// At least this many steps must be old enough. Otherwise objects live too long for the trace.
const MIN_JUDGED: usize = STEPS / 2;
/// The maximum number of objects when rates are split into segments. More would find changes too small to matter.
const MAX_RESOLVED: f64 = 200.0;
/// A bound on growth is meaningful if such growth over the entire trace would be at most this share of the peak.
const MAX_BOUND: f64 = 0.25;
/// In a shorter trace, growth is startup.
const MIN_SECONDS: f64 = 2.0;

/// Objects in the major heap or outside the heap. No collection has examined objects that are still in the minor heap,
/// so they aren't counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    pub lives: Lives,
    /// The number of objects that were never freed, by the step of their allocation. `kept` has their samples.
    pub kept_objects: [f64; STEPS],
    pub kept: [u64; STEPS],
    /// The sum of each such object's squared samples. Many samples of one object are a single piece of evidence.
    pub kept_squares: [f64; STEPS],
}

impl Counts {
    pub const NONE: Counts =
        Counts { lives: Lives::NONE, kept_objects: [0.0; STEPS], kept: [0; STEPS], kept_squares: [0.0; STEPS] };

    pub fn add(&mut self, other: &Counts) {
        self.lives.add(&other.lives);
        self.kept_objects.iter_mut().zip(&other.kept_objects).for_each(|(sum, n)| *sum += n);
        self.kept.iter_mut().zip(&other.kept).for_each(|(sum, n)| *sum += n);
        self.kept_squares.iter_mut().zip(&other.kept_squares).for_each(|(sum, n)| *sum += n);
    }

    /// Counts an object that was never freed.
    pub fn add_kept(&mut self, step: usize, samples: u64) {
        self.kept_objects[step] += 1.0;
        self.kept[step] += samples;
        self.kept_squares[step] += (samples as f64).powi(2);
    }

    /// Returns the age that is old enough, as a bin. Excludes startup, which is never freed, however long later
    /// objects live.
    pub fn old_enough(&self, start_up: usize) -> usize {
        let mut lives = self.lives.clone();
        lives.remove_oldest_alive(self.kept_objects[..start_up].iter().sum::<f64>() as u64);
        lives.old_enough()
    }

    pub fn run(&self, from: usize, to: usize) -> Run {
        let samples = self.kept[from..to].iter().sum::<u64>();
        Run {
            from,
            to,
            samples,
            objects: self.kept_objects[from..to].iter().sum(),
            equal_objects: n_equal_objects(samples, self.kept_squares[from..to].iter().sum()),
        }
    }
}

/// Returns the number of objects of equal size that would have the same variance.
pub fn n_equal_objects(samples: u64, squares: f64) -> f64 {
    if squares > 0.0 { (samples as f64).powi(2) / squares } else { 0.0 }
}

/// The objects that were never freed, in a range of steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Run {
    pub from: usize,
    pub to: usize,
    pub samples: u64,
    pub objects: f64,
    /// The number of objects of equal size that would have the same variance.
    pub equal_objects: f64,
}

impl Run {
    pub fn n_steps(self) -> usize {
        self.to - self.from
    }

    /// Returns the 95% interval of `samples`.
    pub fn interval(self) -> (f64, f64) {
        let samples_per_object = if self.equal_objects > 0.0 { self.samples as f64 / self.equal_objects } else { 1.0 };
        let (low, high) = poisson_interval(self.equal_objects);
        (low * samples_per_object, high * samples_per_object)
    }

    fn grows(self) -> bool {
        self.objects >= MIN_OBJECTS
    }

    /// Objects per step.
    fn rate(self) -> f64 {
        self.objects / self.n_steps().max(1) as f64
    }
}

/// A change and its 95% interval, in steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChangeStep {
    pub at: usize,
    pub low: usize,
    pub high: usize,
}

/// The verdict, in steps and samples.
#[derive(Clone, Debug, PartialEq)]
pub struct VerdictInSteps {
    pub verdict: Verdict,
    /// The age from which objects are judged, and (`longest_life`) how long they live at most, as bins of ages.
    pub old_enough: usize,
    pub longest_life: usize,
    /// Objects allocated in later steps are too young.
    pub n_judged: usize,
    pub runs: Vec<Run>,
    /// The steps over which the rate is measured, up to the newest judged step.
    pub now: Run,
    /// The run that the verdict is about: the one that grows, or the one that stopped.
    pub grown: Option<Run>,
    /// `None` means since the start.
    pub since: Option<ChangeStep>,
    pub until: Option<ChangeStep>,
}

/// Judges the objects of a trace of this duration. `peak_samples` is the maximum of live samples.
pub fn growth_verdict(counts: &Counts, trace_us: u64, peak_samples: f64) -> VerdictInSteps {
    let of_age = |age: usize| Series::new(counts, age, n_old_enough(age, trace_us));
    let first = of_age(counts.old_enough(0));
    let start_up = first.start_up();
    let series = if start_up > 0 { of_age(counts.old_enough(start_up)) } else { first };
    series.growth_verdict(trace_us, peak_samples)
}

/// Like [`growth_verdict`], if the steps that are old enough are known and there are no objects to count. It assumes as
/// many objects of equal size as would have the same variance.
pub fn growth_verdict_of_steps(counts: &Counts, n_judged: usize, trace_us: u64, peak_samples: f64) -> VerdictInSteps {
    let mut counts = counts.clone();
    counts.kept_objects = std::array::from_fn(|step| n_equal_objects(counts.kept[step], counts.kept_squares[step]));
    Series::new(&counts, 0, n_judged).growth_verdict(trace_us, peak_samples)
}

/// Returns how many steps contain only objects of at least that age.
fn n_old_enough(age: usize, trace_us: u64) -> usize {
    let old_us = trace_us.saturating_sub(age_us(age, trace_us));
    (u128::from(old_us) * STEPS as u128 / u128::from(trace_us.max(1))) as usize
}

/// The objects that were never freed, split into runs.
struct Series<'a> {
    counts: &'a Counts,
    old_enough: usize,
    /// The number of objects by step, scaled down if there are more than [`MAX_RESOLVED`].
    objects: Vec<f64>,
    runs: Vec<Run>,
}

/// The current run and the run that grew last. They are the same if growth continues.
struct Growth {
    now: Run,
    grown: Option<Run>,
    /// Two may be a coincidence, like a configuration that was read twice.
    n_bursts: usize,
}

impl<'a> Series<'a> {
    fn new(counts: &'a Counts, old_enough: usize, n_judged: usize) -> Series<'a> {
        let mut objects = counts.kept_objects[..n_judged].to_vec();
        let scale = (MAX_RESOLVED / objects.iter().sum::<f64>()).min(1.0);
        objects.iter_mut().for_each(|n| *n *= scale);
        let mut series = Series { counts, old_enough, objects, runs: Vec::new() };
        let starts = segment_starts(&series.objects);
        for (at, &from) in starts.iter().enumerate() {
            series.push_segment(counts.run(from, starts.get(at + 1).copied().unwrap_or(n_judged)));
        }
        series
    }

    /// Adds a segment, or extends the last run if they are similar.
    fn push_segment(&mut self, segment: Run) {
        let is_like = |run: &Run| match (run.grows(), segment.grows()) {
            (true, true) => segment.rate() <= SIMILAR * run.rate() && run.rate() <= SIMILAR * segment.rate(),
            (false, false) => true,
            _ => false,
        };
        match self.runs.last_mut() {
            Some(run) if is_like(run) => *run = self.counts.run(run.from, segment.to),
            _ => self.runs.push(segment),
        }
    }

    /// Returns the step at which startup ends, or 0 if there is none.
    fn start_up(&self) -> usize {
        let n_runs = self.runs.len().saturating_sub(1);
        let early = self.runs[..n_runs].iter().take_while(|run| run.to <= START_UP);
        early.filter(|run| run.grows()).map(|run| run.to).last().unwrap_or(0)
    }

    fn growth_verdict(self, trace_us: u64, peak_samples: f64) -> VerdictInSteps {
        let n_judged = self.objects.len();
        let start_up = self.start_up();
        let Growth { now, grown, n_bursts } = self.growth(start_up);
        let goes_on = grown == Some(now);
        let most_in_use = self.counts.lives.most_in_use(self.old_enough);
        let may_be_in_use = goes_on && poisson_interval(now.objects).0 <= most_in_use;
        let verdict = if (trace_us as f64) < MIN_SECONDS * 1e6 {
            Verdict::Undecided(Undecided::ShortTrace)
        } else if n_judged < MIN_JUDGED || may_be_in_use {
            Verdict::Undecided(Undecided::LongLived)
        } else if goes_on && now.n_steps() >= MIN_RUN && n_bursts != 2 {
            Verdict::Growing
        } else if goes_on {
            Verdict::Undecided(Undecided::JustStarted)
        } else if now.n_steps() < MIN_RUN || !self.bound_means_something(now, peak_samples) {
            Verdict::Undecided(Undecided::FewSamples)
        } else if grown.is_some() {
            Verdict::Stopped
        } else {
            Verdict::Level
        };
        let since = grown.filter(|run| run.from > start_up).map(|run| self.change(run.from, run.to));
        let until = grown.filter(|_| !goes_on).map(|run| self.change(run.to, n_judged));
        let longest_life = if may_be_in_use { self.counts.lives.longest() } else { self.old_enough };
        let old_enough = self.old_enough;
        VerdictInSteps { verdict, old_enough, longest_life, n_judged, now, grown, since, until, runs: self.runs }
    }

    /// Finds the run that the verdict is about.
    fn growth(&self, start_up: usize) -> Growth {
        let n_judged = self.objects.len();
        let last = self.runs.last().copied().unwrap_or_default();
        let grew: Vec<Run> = self.runs.iter().filter(|run| run.grows() && run.to > start_up).copied().collect();
        let (Some(first), Some(newest)) = (grew.first(), grew.last()) else {
            return Growth { now: last, grown: None, n_bursts: 0 };
        };
        let gaps = || grew.windows(2).map(|pair| pair[1].from - pair[0].to).filter(|&gap| gap > 0);
        let n_after = n_judged - newest.to;
        // Growth may come in bursts, and a pause no longer than an earlier one isn't the end.
        let is_pause = n_after < MIN_RUN || gaps().any(|gap| n_after <= gap);
        let n_bursts = if n_after > 0 || gaps().count() >= 2 { gaps().count() + 1 } else { 1 };
        let from = if n_bursts > 1 { first.from } else { newest.from };
        let grown = self.counts.run(from, if is_pause { n_judged } else { newest.to });
        Growth { now: if is_pause { grown } else { last }, grown: Some(grown), n_bursts }
    }

    fn bound_means_something(&self, run: Run, peak_samples: f64) -> bool {
        let bound_per_step = run.interval().1 / run.n_steps().max(1) as f64;
        bound_per_step * STEPS as f64 <= MAX_BOUND * peak_samples
    }

    /// Returns the change at a step, where `to` is the end of the run after it.
    fn change(&self, at: usize, to: usize) -> ChangeStep {
        let before = self.runs.iter().rev().find(|run| run.from < at).map_or(0, |run| run.from);
        let (low, high) = change_interval(&self.objects, before, at, to);
        ChangeStep { at, low, high }
    }
}
