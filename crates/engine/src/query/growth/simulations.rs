//! Checks verdicts on thousands of random programs with known behavior: Do intervals contain the truth? How often is a
//! program without growth called growing? How little growth is found? The figures are in docs/leaks.md. They are about all
//! programs, which are tried if `CAMLSCOPE_ALL_PROGRAMS` is set, as in a nightly run. Otherwise a third of them is tried.

use std::env;
use std::fmt::Write as _;

use super::maturity::age_bin;
use super::verdict::{Counts, STEPS, VerdictInSteps, growth_verdict};
use super::{GroupCounts, HeapGrowth, Verdict, heap_of_groups};
use crate::query::random::Random;
use crate::query::tree::Label;
use crate::trace::Sampling;

const TRACE_S: f64 = 60.0;
const TRACE_US: u64 = 60_000_000;

/// The lifetimes of objects that are freed.
#[derive(Clone, Copy, Debug)]
enum Lifetime {
    /// In use for a second, then up to two until the next collection.
    Requests,
    /// Exponentially distributed, with this mean in seconds.
    Exponential(f64),
    /// Log-normal with a median of one second. Larger values have a longer tail.
    Skewed(f64),
    /// In use for this many seconds, then up to three until the next collection.
    Fixed(f64),
}

/// A program that runs for 60 s. Counts are of sampled objects.
#[derive(Clone, Copy, Debug)]
struct Program {
    n_freed: f64,
    lifetime: Lifetime,
    /// Objects per second that are never freed, starting at `from_s`.
    growth: f64,
    from_s: f64,
    /// Objects kept in the first half second.
    start_up: f64,
}

const SERVER: Program =
    Program { n_freed: 2_000.0, lifetime: Lifetime::Requests, growth: 0.0, from_s: 0.0, start_up: 0.0 };

impl Program {
    fn growth_verdict(&self, random: &mut Random) -> VerdictInSteps {
        let objects = self.objects(random);
        growth_verdict(&counts(&objects), TRACE_US, peak(&objects))
    }

    /// Like `growth_verdict`, with the objects distributed over several functions.
    fn verdict_on_functions(&self, n_functions: usize, random: &mut Random) -> HeapGrowth {
        let objects = self.objects(random);
        let mut by_function = vec![Vec::new(); n_functions];
        for object in &objects {
            by_function[(random.unit() * n_functions as f64) as usize].push(*object);
        }
        let group = |(n, objects): (usize, &Vec<(f64, f64)>)| {
            let function = Label { name: format!("Part{n}.make"), ..Label::default() };
            GroupCounts { function, counts: counts(objects) }
        };
        let groups: Vec<GroupCounts> = by_function.iter().enumerate().map(group).collect();
        let sampling = Sampling { rate: 1e-4, bytes_a_sample: 80_000.0 };
        heap_of_groups(&groups, sampling, TRACE_US, |counts| growth_verdict(counts, TRACE_US, peak(&objects)))
    }

    /// Returns when each object is allocated and freed.
    fn objects(&self, random: &mut Random) -> Vec<(f64, f64)> {
        let mut objects: Vec<(f64, f64)> = Vec::new();
        for _ in 0..random.poisson(self.n_freed) as usize {
            let at = TRACE_S * random.unit();
            objects.push((at, at + self.lifetime.draw(random)));
        }
        for _ in 0..random.poisson(self.growth * (TRACE_S - self.from_s)) as usize {
            objects.push((self.from_s + (TRACE_S - self.from_s) * random.unit(), f64::INFINITY));
        }
        for _ in 0..random.poisson(self.start_up) as usize {
            objects.push((0.5 * random.unit(), f64::INFINITY));
        }
        objects
    }

    fn verdicts(&self, n_runs: usize, random: &mut Random) -> Vec<VerdictInSteps> {
        (0..n_runs).map(|_| self.growth_verdict(random)).collect()
    }
}

impl Lifetime {
    fn draw(self, random: &mut Random) -> f64 {
        match self {
            Lifetime::Requests => 1.1 + 2.0 * random.unit(),
            Lifetime::Exponential(mean) => -mean * random.unit().ln(),
            Lifetime::Skewed(by) => {
                let normal = (-2.0 * random.unit().ln()).sqrt() * (std::f64::consts::TAU * random.unit()).cos();
                (by * normal).exp()
            }
            Lifetime::Fixed(seconds) => seconds + 3.0 * random.unit(),
        }
    }
}

/// The number of programs to try.
fn n_runs(all: usize) -> usize {
    if env::var_os("CAMLSCOPE_ALL_PROGRAMS").is_some() { all } else { all / 3 }
}

/// Counts objects as a trace does, with one sample each.
fn counts(objects: &[(f64, f64)]) -> Counts {
    let mut counts = Counts::NONE;
    for &(at, end) in objects {
        let age = age_bin(((end.min(TRACE_S) - at) * 1e6) as u64, TRACE_US);
        if end < TRACE_S {
            counts.lives.freed[age] += 1;
        } else {
            counts.lives.alive[age] += 1;
            let step = ((at / TRACE_S * STEPS as f64) as usize).min(STEPS - 1);
            counts.add_kept(step, 1);
        }
    }
    counts
}

fn peak(objects: &[(f64, f64)]) -> f64 {
    let mut events: Vec<(f64, f64)> = objects.iter().flat_map(|&(at, end)| [(at, 1.0), (end, -1.0)]).collect();
    events.sort_by(|one, two| one.0.total_cmp(&two.0));
    let live = events.iter().scan(0.0, |live, (_, change)| {
        *live += change;
        Some(*live)
    });
    live.fold(0.0, f64::max)
}

/// Returns whether the interval of the rate contains this many objects per second.
fn covers(judged: &VerdictInSteps, per_second: f64) -> bool {
    let seconds = judged.now.n_steps() as f64 * TRACE_S / STEPS as f64;
    let (low, high) = judged.now.interval();
    (low..=high).contains(&(per_second * seconds))
}

fn share(verdicts: &[VerdictInSteps], verdict: impl Fn(Verdict) -> bool) -> f64 {
    verdicts.iter().filter(|judged| verdict(judged.verdict)).count() as f64 / verdicts.len() as f64
}

fn is_growing(verdict: Verdict) -> bool {
    verdict == Verdict::Growing
}

#[test]
fn rate_intervals_contain_the_true_rate_in_95_percent_of_programs() {
    let mut random = Random(1);
    let (mut n_covered, mut n) = (0, 0);
    for lifetime in [Lifetime::Requests, Lifetime::Exponential(1.0), Lifetime::Exponential(5.0), Lifetime::Fixed(20.0)]
    {
        for (growth, from_s) in [(0.5, 0.0), (2.0, 0.0), (10.0, 0.0), (2.0, 15.0)] {
            let program = Program { lifetime, growth, from_s, ..SERVER };
            let verdicts = program.verdicts(n_runs(150), &mut random);
            let growing: Vec<&VerdictInSteps> = verdicts.iter().filter(|judged| is_growing(judged.verdict)).collect();
            n_covered += growing.iter().filter(|judged| covers(judged, growth)).count();
            n += growing.len();
        }
    }
    let coverage = n_covered as f64 / n as f64;
    println!("the interval covers the truth in {:.1}% of {n} programs", coverage * 100.0);
    assert!(n > n_runs(2_100) && (0.93..=0.97).contains(&coverage), "{n_covered} of {n}");
}

#[test]
fn at_most_one_in_twenty_programs_without_growth_is_called_growing() {
    let mut random = Random(2);
    let lifetimes = [
        Lifetime::Requests,
        Lifetime::Exponential(1.0),
        Lifetime::Exponential(5.0),
        Lifetime::Exponential(10.0),
        Lifetime::Exponential(30.0),
        Lifetime::Skewed(1.0),
        Lifetime::Fixed(20.0),
        Lifetime::Fixed(40.0),
    ];
    for lifetime in lifetimes {
        for (n_freed, start_up) in [(300.0, 0.0), (300.0, 200.0), (3_000.0, 0.0), (3_000.0, 200.0)] {
            let program = Program { n_freed, lifetime, start_up, ..SERVER };
            let alarms = share(&program.verdicts(n_runs(100), &mut random), is_growing);
            println!("{lifetime:?}, {n_freed} objects, {start_up} of startup: {:.0}% called growing", alarms * 100.0);
            assert!(alarms <= 0.05, "{program:?}: {alarms}");
        }
    }
}

/// One object in a thousand outlives the trace, so it is never seen to be freed. Some of these programs look like a
/// leak.
#[test]
fn few_programs_whose_objects_outlive_the_trace_are_called_growing() {
    let mut random = Random(7);
    let program = Program { n_freed: 3_000.0, lifetime: Lifetime::Skewed(1.4), ..SERVER };
    let alarms = share(&program.verdicts(n_runs(400), &mut random), is_growing);
    println!("{:.0}% of programs whose objects outlive the trace are called growing", alarms * 100.0);
    assert!(alarms <= 0.15, "{alarms}");
}

#[test]
fn level_verdicts_rarely_exclude_the_true_growth() {
    let mut random = Random(3);
    for lifetime in [Lifetime::Requests, Lifetime::Exponential(5.0), Lifetime::Skewed(1.0)] {
        for growth in [0.05, 0.1, 0.2, 0.5] {
            let program = Program { growth, lifetime, ..SERVER };
            let verdicts = program.verdicts(n_runs(200), &mut random);
            let is_wrong = |judged: &&VerdictInSteps| judged.verdict == Verdict::Level && !covers(judged, growth);
            let (n_wrong, n) = (verdicts.iter().filter(is_wrong).count(), verdicts.len());
            assert!(n_wrong * 20 <= n, "{program:?}: {n_wrong} of {n} bounds exclude the truth");
        }
    }
}

#[test]
fn thirty_samples_of_growth_are_found_however_many_functions_allocate_them() {
    let mut random = Random(4);
    for lifetime in [Lifetime::Requests, Lifetime::Exponential(1.0), Lifetime::Skewed(1.0)] {
        for n_functions in [1, 15] {
            let program = Program { growth: 0.5, lifetime, ..SERVER };
            let power = power(&program, n_functions, n_runs(100), &mut random);
            assert!(power >= 0.95, "{program:?}, {n_functions} functions: {power}");
        }
    }
}

/// Returns how often growth is found.
fn power(program: &Program, n_functions: usize, n_runs: usize, random: &mut Random) -> f64 {
    let is_found = |_: &usize| program.verdict_on_functions(n_functions, random).verdict == Verdict::Growing;
    (0..n_runs).filter(is_found).count() as f64 / n_runs as f64
}

#[test]
fn growth_that_starts_late_is_found_and_growth_that_stops_is_called_stopped() {
    let mut random = Random(5);
    let verdicts = (Program { growth: 2.0, from_s: 30.0, ..SERVER }).verdicts(100, &mut random);
    assert!(verdicts.iter().all(|judged| is_growing(judged.verdict)));
    // Growth starts at step 64.
    let is_known = |judged: &&VerdictInSteps| judged.since.is_some_and(|since| since.low <= 65 && since.high >= 64);
    let n_known = verdicts.iter().filter(is_known).count();
    assert!(n_known >= 93, "the interval of the start contains the truth in {n_known} of 100 programs");
    let stops = |random: &mut Random| {
        let mut objects: Vec<(f64, f64)> = (0..2_000)
            .map(|_| {
                let at = TRACE_S * random.unit();
                (at, at + Lifetime::Requests.draw(random))
            })
            .collect();
        objects.extend((0..60).map(|_| (30.0 * random.unit(), f64::INFINITY)));
        growth_verdict(&counts(&objects), TRACE_US, peak(&objects))
    };
    let n_stopped = (0..100).filter(|_| stops(&mut random).verdict == Verdict::Stopped).count();
    assert!(n_stopped >= 97, "{n_stopped}");
}

/// Prints the power, and plots it if `GROWTH_PLOT` names a file. The plot is in docs/leaks.md.
#[test]
#[ignore = "slow; run it to redraw the plot"]
fn power_by_samples() {
    const RUNS: usize = 400;
    let mut random = Random(6);
    let series = [
        ("one function", 1, 0.0, Lifetime::Requests),
        ("15 functions", 15, 0.0, Lifetime::Requests),
        ("15 functions, from the middle on", 15, 30.0, Lifetime::Requests),
        ("one function, other objects live for 20 s", 1, 0.0, Lifetime::Fixed(20.0)),
    ];
    let sizes = [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 15.0, 20.0, 25.0, 30.0, 40.0, 50.0];
    let mut lines = Vec::new();
    for (name, n_functions, from_s, lifetime) in series {
        let power: Vec<(f64, f64)> = sizes
            .iter()
            .map(|&n| {
                let program = Program { growth: n / (TRACE_S - from_s), from_s, lifetime, ..SERVER };
                (n, power(&program, n_functions, RUNS, &mut random))
            })
            .collect();
        println!("{name}: {power:?}");
        lines.push((name, power));
    }
    if let Ok(path) = env::var("GROWTH_PLOT") {
        std::fs::write(path, plot(&lines)).expect("a file");
    }
}

fn plot(lines: &[(&str, Vec<(f64, f64)>)]) -> String {
    const COLORS: [&str; 4] = ["#2563eb", "#d97706", "#059669", "#9333ea"];
    let (x, y) = (|n: f64| 60.0 + n * 11.0, |share: f64| 300.0 - share * 270.0);
    let mut svg = String::from(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 640 350\" font-family=\"system-ui, sans-serif\" \
         font-size=\"13\"><rect width=\"640\" height=\"350\" fill=\"#fff\"/>\n",
    );
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let _ = writeln!(
            svg,
            "<path d=\"M60 {0}H610\" stroke=\"#ddd\"/><text x=\"52\" y=\"{1}\" text-anchor=\"end\" fill=\"#555\">{2:.0}%</text>",
            y(share),
            y(share) + 4.0,
            share * 100.0
        );
    }
    for n in [0.0, 10.0, 20.0, 30.0, 40.0, 50.0] {
        let _ = writeln!(svg, "<text x=\"{}\" y=\"318\" text-anchor=\"middle\" fill=\"#555\">{n}</text>", x(n));
    }
    for (at, (name, points)) in lines.iter().enumerate() {
        let path: Vec<String> = points.iter().map(|(n, share)| format!("{:.1} {:.1}", x(*n), y(*share))).collect();
        let _ = writeln!(
            svg,
            "<path d=\"M{}\" fill=\"none\" stroke=\"{color}\" stroke-width=\"2\"/>\
             <text x=\"330\" y=\"{label}\" fill=\"{color}\">{name}</text>",
            path.join("L"),
            color = COLORS[at % COLORS.len()],
            label = 200 + 20 * at,
        );
    }
    svg + "<text x=\"335\" y=\"342\" text-anchor=\"middle\" fill=\"#555\">samples of objects that were never freed</text></svg>\n"
}
