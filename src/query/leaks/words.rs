//! Why a site has its verdict, in words and figures: each reason is the rule that decided, with its numbers put in.

use super::LeaksConfig;
use super::judge::{GrowthOf, Judged, Program};
use super::rules::{Verdict, goes_on, grew, is_brief, is_steady};
use super::signs::Signs;
use crate::format::{bytes, count, duration_us, percent};

#[derive(Debug)]
pub struct Words<'a> {
    pub bytes_a_sample: f64,
    pub program: Program<'a>,
    pub growth_per_s: f64,
    pub growth_error_per_s: f64,
    pub judged: &'a Judged,
    pub is_too_short: bool,
    /// In the whole program.
    pub n_growing_functions: usize,
    pub config: &'a LeaksConfig,
}

impl Words<'_> {
    pub fn reason(&self, signs: &Signs, verdict: Verdict) -> String {
        match verdict {
            Verdict::Growing => self.growing(signs),
            Verdict::BuildsUp => self.builds_up(signs),
            Verdict::Kept => self.kept(signs),
            Verdict::StartUp => self.start_up(signs),
            Verdict::Burst => self.burst(signs),
            Verdict::Bounded => self.bounded(signs),
            Verdict::TooFewSamples => self.too_few(signs),
        }
    }

    fn growing(&self, signs: &Signs) -> String {
        let growth = self.growth(signs);
        match &self.judged.rests_on {
            GrowthOf::Itself => {
                let late = share(signs.late_kept, signs.late);
                let quarter = if signs.from == 0 { "the last quarter" } else { "the last part of that" };
                format!("{growth}; {late} of what it allocated in {quarter} is still alive")
            }
            GrowthOf::ItsFunction(function) => {
                let samples = samples(signs.samples);
                format!("{growth}; {samples} alone would be too few, but {function} grows as a whole")
            }
            GrowthOf::ItsSites(1) => format!("{growth}; most of that is one call site of it, which grows steadily"),
            GrowthOf::ItsSites(n) => format!("{growth}; most of that is {n} call sites of it, which grow steadily"),
        }
    }

    fn growth(&self, signs: &Signs) -> String {
        let error = match self.growth_error_per_s {
            0.0 => String::new(),
            error => format!(" ± {}/s", bytes(error)),
        };
        format!(
            "grew from {} to {} {}, at {}/s{error}",
            self.bytes(signs.base),
            self.bytes(signs.kept),
            self.since(signs),
            bytes(self.growth_per_s),
        )
    }

    fn since(&self, signs: &Signs) -> String {
        match signs.from {
            0 => "since the first quarter".to_owned(),
            _ => format!("since {}", self.time(signs.first_steps())),
        }
    }

    fn builds_up(&self, signs: &Signs) -> String {
        let growth = self.growth(signs);
        if self.is_too_short {
            return format!("{growth}; in {} that is no leak yet", duration_us(self.program.end_us));
        }
        let n = count(self.n_growing_functions as u64);
        format!("{growth}; so does the program as a whole, in {n} {}s", self.program.function)
    }

    fn kept(&self, signs: &Signs) -> String {
        let (kept, all) = (self.bytes(signs.kept), self.bytes(signs.samples));
        if is_brief(signs, self.config) {
            let (busy, whole) = (self.time(signs.busy_steps), duration_us(self.program.end_us));
            return format!("keeps {kept} of the {all} that it allocated, most of it within {busy} of {whole}");
        }
        if signs.from > 0 {
            let from = self.time(signs.from);
            return format!("keeps {kept} of the {all} that it allocated, all of it after {from}");
        }
        let [second, third, fourth] = signs.rises.map(|rise| self.change(rise));
        let rises = format!("{second}, {third} and {fourth} in the quarters since the first");
        self.but_its_sites(format!("keeps {kept} of the {all} that it allocated, but does not grow steadily: {rises}"))
    }

    /// Where parts of it grow, that is said, too.
    fn but_its_sites(&self, reason: String) -> String {
        match self.judged.rests_on {
            GrowthOf::ItsSites(1) => format!("{reason}; one call site of it grows, the others make up for that"),
            GrowthOf::ItsSites(n) => format!("{reason}; {n} call sites of it grow, the others make up for that"),
            GrowthOf::Itself | GrowthOf::ItsFunction(_) => reason,
        }
    }

    fn start_up(&self, signs: &Signs) -> String {
        let early = duration_us((self.program.end_us as f64 * self.config.early) as u64);
        format!(
            "{} of the {} that it keeps was allocated in the first {early}",
            share(signs.kept_early, signs.kept),
            self.bytes(signs.kept),
        )
    }

    fn burst(&self, signs: &Signs) -> String {
        let whole = duration_us(self.program.end_us);
        let alive = match signs.kept {
            0 => "nothing of it is still alive".to_owned(),
            kept => format!("{} of it is still alive", self.bytes(kept)),
        };
        if is_brief(signs, self.config) {
            let mostly = percent(self.config.mostly);
            let busy = self.time(signs.busy_steps);
            return format!("{mostly} of what it allocated came within {busy} of {whole}; {alive}");
        }
        let high = self.time(signs.high_steps);
        format!(
            "held up to {}, and more than half of that for only {high} of {whole}; {alive}",
            self.bytes(signs.highest)
        )
    }

    fn bounded(&self, signs: &Signs) -> String {
        self.but_its_sites(self.why_bounded(signs))
    }

    fn why_bounded(&self, signs: &Signs) -> String {
        let from_to = format!("from {} to {} {}", self.bytes(signs.base), self.bytes(signs.kept), self.since(signs));
        if grew(signs, self.config) && !is_steady(signs, self.config) {
            let [second, third, fourth] = signs.rises.map(|rise| self.change(rise));
            return format!("grew {from_to}, but not steadily: {second}, {third} and {fourth} in the quarters since");
        }
        if grew(signs, self.config) && !goes_on(signs, self.config) {
            let late = self.bytes(signs.late_kept);
            return format!("grew {from_to}, but no longer: of what the last quarter allocated, {late} is kept");
        }
        if grew(signs, self.config) {
            let age = self.time(signs.old_age);
            return format!("grew {from_to}, but most of that is younger than {age}, an age at which such objects die");
        }
        let highest = self.bytes(signs.highest);
        if signs.kept < self.config.min_kept {
            let kept = match signs.kept {
                0 => "nothing".to_owned(),
                kept => share(kept, signs.samples),
            };
            return format!("turns over: {kept} of what it allocated is kept; never more than {highest}");
        }
        let kept = share(signs.kept, signs.samples);
        let beyond = self.program.beyond_chance();
        format!("went {from_to}: no growth{beyond}; {kept} of what it allocated is kept; never more than {highest}")
    }

    fn too_few(&self, signs: &Signs) -> String {
        format!("{}, {} kept: too few to tell", samples(signs.samples), count(signs.kept))
    }

    fn bytes(&self, samples: u64) -> String {
        bytes(samples as f64 * self.bytes_a_sample)
    }

    fn change(&self, samples: i64) -> String {
        let sign = if samples > 0 { "+" } else { "" };
        format!("{sign}{}", bytes(samples as f64 * self.bytes_a_sample))
    }

    fn time(&self, steps: usize) -> String {
        duration_us(self.program.time_us(steps) as u64)
    }
}

fn samples(n: u64) -> String {
    if n == 1 { "1 sample".to_owned() } else { format!("{} samples", count(n)) }
}

fn share(part: u64, whole: u64) -> String {
    percent(if whole == 0 { 0.0 } else { part as f64 / whole as f64 })
}
