//! Which sites grow, and which only look large: a verdict for each, with its reason in words and figures.
//!
//! [`curves`](mod@curves) is the one pass over the objects, by call site; functions, files and modules are sums of their
//! sites. [`signs`] are the few numbers that a curve comes down to, [`rules`] judge them, `judge` makes the verdicts of a
//! row, of its parts and of the whole program agree, `words` say why; [`mod@site`] shows one at length. The thresholds are
//! all in [`LeaksConfig`].
//!
//! OCaml's library allocates most of what programs keep, so stacks are read without it ([`shape`]), as findings read them:
//! what `Hashtbl.replace` allocates counts for the program's call site that called it.

pub mod curves;
mod judge;
pub mod rules;
pub mod signs;
pub mod site;
mod words;

use serde::{Deserialize, Serialize};

use self::curves::{Curve, STEPS, curves};
pub use self::judge::Program;
use self::judge::{Judge, Judged};
pub use self::rules::Verdict;
use self::words::Words;
use super::filter::Filter;
use super::filter::presets::library_names;
use super::selection::Selection;
use super::tree::{Allocators, Grain, Label, Place, Shape};
use crate::query::sorting::sort_by;
use crate::query::statistics;
use crate::trace::Trace;

/// The thresholds of [`rules`]. Shares are of 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LeaksConfig {
    /// A trace with fewer samples carries no verdict at all: with 100, even its total has an error of 10 %.
    pub min_trace_samples: u64,
    /// A shorter trace, in seconds, shows how a program builds up what it needs. That is no leak, and looks like one.
    pub min_seconds: f64,
    /// A leak that began late is believed after so many seconds.
    pub min_late_seconds: f64,
    /// Where so many functions grow, and the heap with them, the program builds up what it works with. A leak is a few
    /// functions that grow while the others do not.
    pub min_working_set: u64,
    /// A site with fewer carries none but *growing* and *start-up*. Of 30 samples spread evenly, chance hardly ever
    /// makes a burst; and if none of 30 is kept, then less than a tenth of all is (3/n, at 95 %).
    pub min_samples: u64,
    /// Fewer samples kept are no sign of anything: 9 are three standard errors from none.
    pub min_kept: u64,
    /// How many standard errors the growth must be above 0: among a thousand sites, chance passes one at 3.
    pub min_sigmas: f64,
    /// How many where the function that the site allocates for grows as a whole: chance then passes one in forty, of the
    /// few sites of such functions.
    pub min_sigmas_together: f64,
    /// A site that seems to grow, by more than one standard error, but not by `min_sigmas`, is undecided where that error
    /// is more than this share of what it keeps. Larger sites are level within what a fifth is.
    pub max_blur: f64,
    /// Growth since the first quarter, as a share of the end, below which a site counts as level, however certain.
    pub min_growth: f64,
    /// Each later quarter's rise, and what the last one kept, as a share of the mean rise: a leak goes on, a table that was filled does not. Far from
    /// 1, since with a dozen samples a quarter easily gets half of its due.
    pub min_steadiness: f64,
    /// Survivors older than this share of those that died are called old. Younger ones may just not be collected yet,
    /// or belong to what turns over.
    pub usual_death: f64,
    /// So many of what steady growth would leave must be old, and `min_old` samples at least.
    pub min_old_share: f64,
    pub min_old: u64,
    /// What is kept, as a share of the highest, from which a site counts as keeping what it allocates.
    pub min_share_kept: f64,
    /// The first part of the trace, in which start-up takes place.
    pub early: f64,
    /// What share stands for nearly all.
    pub mostly: f64,
    /// The part of the trace that a burst takes at most.
    pub short: f64,
}

impl Default for LeaksConfig {
    fn default() -> LeaksConfig {
        LeaksConfig {
            min_trace_samples: 100,
            min_seconds: 2.0,
            min_late_seconds: 10.0,
            min_working_set: 7,
            min_samples: 30,
            min_kept: 9,
            min_sigmas: 3.0,
            min_sigmas_together: 2.0,
            max_blur: 0.2,
            min_growth: 0.05,
            min_steadiness: 0.25,
            usual_death: 0.9,
            min_old_share: 0.5,
            min_old: 5,
            min_share_kept: 0.5,
            early: 1.0 / 3.0,
            mostly: 0.9,
            short: 0.2,
        }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Leaks {
    pub conclusion: Conclusion,
    /// Those that grow first, then those that build up, then all others; each by growth, then by what is live at the end, then by name.
    pub sites: Vec<Site>,
}

/// What the verdicts come to, for the program as a whole.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conclusion {
    pub kind: ConclusionKind,
    /// One or two sentences.
    pub text: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum ConclusionKind {
    /// Nothing passes the filter.
    #[default]
    #[serde(rename = "nothing allocated")]
    NothingAllocated,
    #[serde(rename = "too few samples")]
    TooFewSamples,
    /// Something grows, but the trace is too short to tell whether that is a leak.
    #[serde(rename = "too short")]
    TooShort,
    /// Much grows, and the heap with it.
    #[serde(rename = "working set")]
    WorkingSet,
    #[serde(rename = "growing")]
    Growing,
    #[serde(rename = "nothing grows")]
    NothingGrows,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Site {
    pub name: String,
    /// Empty where the grain has none; places are of call sites only.
    pub file: String,
    pub line: Option<u32>,
    pub start_char: Option<u16>,
    pub end_char: Option<u16>,
    pub verdict: Verdict,
    pub reason: String,
    /// Of what left the minor heap, since the first quarter of the trace; and its standard error, from the sampling.
    pub growth_bytes_per_s: f64,
    pub growth_error_bytes_per_s: f64,
    pub allocated_bytes: f64,
    /// Never collected.
    pub end_bytes: f64,
    pub samples: u64,
    /// Live bytes at the ends of equal steps over the whole trace.
    pub sparkline: Vec<f64>,
}

impl Site {
    pub fn label(&self) -> Label {
        let place = Place::new(self.line, self.start_char, self.end_char);
        Label { name: self.name.clone(), file: self.file.clone(), place }
    }
}

/// How stacks are read for leaks at a grain.
pub fn shape(filter: &Filter, grain: Grain) -> Shape {
    let mut shape = Shape::new(grain, false, filter);
    let library = library_names();
    if !shape.hide.contains(&library) {
        shape.hide.push(library);
    }
    shape
}

/// Judges each row of a grain, over the whole trace. `sites` must be of [`shape`] for [`Grain::Site`].
pub fn leaks(trace: &Trace, selection: &Selection, sites: &Allocators, grain: Grain, config: &LeaksConfig) -> Leaks {
    leaks_of_curves(Program::of_trace(trace), curves(trace, selection, sites), sites, grain, config)
}

/// The same, of curves by key of the sites.
pub fn leaks_of_curves(
    program: Program<'_>,
    curves: Vec<Option<Curve>>,
    sites: &Allocators,
    grain: Grain,
    config: &LeaksConfig,
) -> Leaks {
    let judge = Judge::new(program, curves, sites, config);
    let conclusion = judge.conclusion();
    let mut sites: Vec<Site> = judge
        .rows(grain)
        .into_iter()
        .map(|(label, judged)| site(program, label, &judged, conclusion.kind, judge.n_growing_functions(), config))
        .collect();
    let rank = |site: &Site| match site.verdict {
        Verdict::Growing => 0,
        Verdict::BuildsUp => 1,
        _ => 2,
    };
    sort_by(&mut sites, |a, b| {
        let by_rank = rank(a).cmp(&rank(b));
        let by_growth = b.growth_bytes_per_s.total_cmp(&a.growth_bytes_per_s);
        let by_end = b.end_bytes.total_cmp(&a.end_bytes);
        let place = |site: &Site| (site.name.clone(), site.file.clone(), site.line, site.start_char, site.end_char);
        by_rank.then(by_growth).then(by_end).then_with(|| place(a).cmp(&place(b)))
    });
    Leaks { conclusion, sites }
}

fn site(
    program: Program<'_>,
    label: Label,
    judged: &Judged,
    conclusion: ConclusionKind,
    n_growing_functions: usize,
    config: &LeaksConfig,
) -> Site {
    let Judged { curve, signs, .. } = judged;
    let bytes_a_sample = program.sampling.bytes_a_sample;
    let seconds = (program.time_us(STEPS) - program.time_us(signs.first_steps())) / 1e6;
    let per_second = |samples: f64| if seconds > 0.0 { samples * bytes_a_sample / seconds } else { 0.0 };
    let sampling_error = statistics::standard_error(signs.n_changed() as f64, program.sampling.rate);
    // Growth that is the program's own is told once, for the whole.
    let is_working_set = matches!(conclusion, ConclusionKind::WorkingSet | ConclusionKind::TooShort);
    let verdict = match judged.verdict {
        Verdict::Growing if is_working_set => Verdict::BuildsUp,
        verdict => verdict,
    };
    let words = Words {
        bytes_a_sample,
        program,
        growth_per_s: per_second(signs.growth()),
        growth_error_per_s: per_second(sampling_error),
        judged,
        is_too_short: conclusion == ConclusionKind::TooShort,
        n_growing_functions,
        config,
    };
    Site {
        reason: words.reason(signs, verdict),
        name: label.name,
        file: label.file,
        line: label.place.map(|place| place.line),
        start_char: label.place.map(|place| place.start_char),
        end_char: label.place.map(|place| place.end_char),
        verdict,
        growth_bytes_per_s: words.growth_per_s,
        growth_error_bytes_per_s: words.growth_error_per_s,
        allocated_bytes: signs.samples as f64 * bytes_a_sample,
        end_bytes: curve.live.last().copied().unwrap_or(0) as f64 * bytes_a_sample,
        samples: signs.samples,
        sparkline: curve.live.iter().map(|&samples| samples as f64 * bytes_a_sample).collect(),
    }
}
