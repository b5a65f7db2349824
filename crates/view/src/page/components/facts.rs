//! A summary as rows of text for views to lay out. Each row also has the exact figure and its name in the command
//! line's JSON.

use camlscope_engine::protocol::LoadTiming;
use camlscope_engine::query::summary::Summary;
pub use camlscope_present::facts::{subtitle, title};
use camlscope_present::format::{self, Units};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fact {
    pub label: &'static str,
    /// The figure's path in the JSON, such as `events.alloc`.
    pub figure: &'static str,
    /// The exact value.
    pub value: String,
    pub text: String,
    /// The margin of an estimate's 95% interval, such as `±0.02` after `1.04 GiB`. Empty if the figure is exact.
    pub error: String,
    /// A remark in smaller type, or empty.
    pub note: String,
}

/// Describes one of two runs, such as `leak-1.ctf, 60.1 s`. Leaves out the file name if it is already the title.
pub fn run(summary: &Summary, file_name: &str) -> String {
    let duration = format::duration_us(summary.end_us);
    if title(summary, file_name) == file_name { duration } else { format!("{file_name}, {duration}") }
}

pub fn headline(summary: &Summary, units: Units) -> Vec<Fact> {
    let (events, peak) = (summary.events, summary.peak);
    let live_at_end = summary.bytes_of(summary.samples.live_at_end);
    let of_allocations = |n: u64| match events.alloc {
        0 => String::new(),
        all => format!("{} of allocations", format::percent(n as f64 / all as f64)),
    };
    vec![
        Fact {
            error: error(summary.allocated_bytes, summary.allocated_error(), units),
            note: allocation_rate(summary, units),
            ..fact("Allocated", "allocated_bytes", summary.allocated_bytes, units.bytes(summary.allocated_bytes))
        },
        Fact {
            error: error(peak.bytes, summary.kept_error(peak.samples), units),
            note: match peak.samples {
                0 => String::new(),
                _ => format!("at {}", format::duration_us(peak.at_us)),
            },
            ..fact("Live at the peak", "peak.bytes", peak.bytes, units.bytes(peak.bytes))
        },
        Fact {
            error: error(live_at_end, summary.kept_error(summary.samples.live_at_end), units),
            note: "never collected".to_owned(),
            ..fact("Live at the end", "samples.live_at_end", summary.samples.live_at_end, units.bytes(live_at_end))
        },
        Fact {
            note: match summary.samples.total {
                0 => String::new(),
                samples => format!("{} samples", format::count(samples)),
            },
            ..count("Sampled allocations", "events.alloc", events.alloc)
        },
        Fact { note: of_allocations(events.promote), ..count("Promotions", "events.promote", events.promote) },
        Fact { note: of_allocations(events.collect), ..count("Collections", "events.collect", events.collect) },
    ]
}

pub fn program(summary: &Summary) -> Vec<Fact> {
    let info = &summary.info;
    let started = match info.start_time_us {
        0 => "not recorded".to_owned(),
        us => format::date_time(us),
    };
    vec![
        text("Executable", "info.executable", &info.executable, "not recorded"),
        text("Host", "info.host", &info.host, "not recorded"),
        fact("Process", "info.pid", info.pid, format!("pid {}", info.pid)),
        fact("Started", "info.start_time_us", info.start_time_us, started),
        fact("Duration", "end_us", summary.end_us, format::duration_us(summary.end_us)),
        text("OCaml parameters", "info.runtime_params", &info.runtime_params, "none"),
        text("Context", "info.context", info.context.as_deref().unwrap_or_default(), "none"),
    ]
}

pub fn recording(summary: &Summary, timing: LoadTiming, units: Units) -> Vec<Fact> {
    let info = &summary.info;
    let domains: Vec<String> = summary.domains.iter().map(u16::to_string).collect();
    let domains_text = match domains.as_slice() {
        [] => "none".to_owned(),
        [only] if only == "0" => "1".to_owned(),
        several => format!("{} (number {})", several.len(), several.join(", ")),
    };
    vec![
        fact("Rate", "info.sample_rate", info.sample_rate, rate(summary, units)),
        fact("Format", "format", &summary.format, summary.format.clone()),
        fact("Version", "version", summary.version, summary.version.to_string()),
        fact("Word size", "info.word_size", info.word_size, format!("{} bits", info.word_size)),
        fact("Domains", "domains", domains.join(","), domains_text),
        count("Events", "events", summary.events.alloc + summary.events.promote + summary.events.collect),
        fact("File size", "file_bytes", summary.file_bytes, units.bytes(summary.file_bytes as f64)),
        fact("Opened in", "timing.total_ms", timing.total_ms, duration_ms(timing.total_ms)),
        fact("Decoded in", "timing.decode_ms", timing.decode_ms, duration_ms(timing.decode_ms)),
    ]
}

pub fn duration_ms(ms: f64) -> String {
    format::duration_us((ms * 1e3) as u64)
}

/// Returns how the sampled allocations are split, with each part's share of the allocated bytes.
pub fn sources(summary: &Summary) -> Vec<(Fact, f64)> {
    let (events, samples) = (summary.allocs, summary.samples);
    let custom = ("Bigarrays and channels", "allocs.custom", events.custom, samples.custom);
    [
        (
            "Minor heap",
            "allocs.minor",
            events.minor.saturating_sub(events.custom),
            samples.minor.saturating_sub(samples.custom),
        ),
        ("Major heap (direct)", "allocs.major", events.major, samples.major),
        ("Outside the heap", "allocs.external", events.external, samples.external),
    ]
    .into_iter()
    .chain((events.custom > 0).then_some(custom))
    .map(|(label, figure, events, samples)| {
        let share = if summary.samples.total == 0 { 0.0 } else { samples as f64 / summary.samples.total as f64 };
        (Fact { note: format::percent(share), ..count(label, figure, events) }, share)
    })
    .collect()
}

pub fn stacks(summary: &Summary) -> Vec<Fact> {
    vec![
        count("Functions", "functions", summary.functions),
        fact("Deepest stack", "max_depth", summary.max_depth, format!("{} calls", format::count(summary.max_depth))),
    ]
}

/// Returns the note on a downsampled trace.
pub fn downsampled(factor: u32) -> String {
    format!(
        "It's downsampled (1 in {} samples). Allocation totals stay exact, but other figures have wider margins of \
         error.",
        format::count(factor.into())
    )
}

/// Explains why a trace may have no samples and what to do about it.
pub fn why_empty(summary: &Summary, units: Units) -> String {
    let rate = summary.info.sample_rate;
    let ran = match summary.end_us {
        0 => "an instant".to_owned(),
        us => format::duration_us(us),
    };
    let seen = format!("The program was traced for {ran} at {}", self::rate(summary, units));
    if rate > 0.0 && rate < 0.1 {
        // Suggests about 100 times as many samples, rounded to a power of ten.
        let exponent = (rate.log10().round() as i32 + 2).min(-1);
        format!("{seen}. That's too short for this rate. Run it longer, or set MEMTRACE_RATE=1e{exponent}.")
    } else {
        format!("{seen}. It exited or was killed before any allocation was written. Run it longer.")
    }
}

/// Returns `±0.02`, in the same unit as the bytes.
fn error(bytes: f64, relative: Option<f64>, units: Units) -> String {
    units.margin_of_bytes(bytes, bytes * relative.unwrap_or_default()).trim_start().to_owned()
}

fn allocation_rate(summary: &Summary, units: Units) -> String {
    match summary.end_us {
        us if us == 0 || summary.samples.total == 0 => String::new(),
        us => format!("{}/s", units.bytes(summary.allocated_bytes / (us as f64 / 1e6))),
    }
}

fn rate(summary: &Summary, units: Units) -> String {
    units.rate(summary.info.sample_rate, f64::from(summary.info.word_size) / 8.0)
}

pub fn count(label: &'static str, figure: &'static str, n: u64) -> Fact {
    fact(label, figure, n, format::count(n))
}

fn text(label: &'static str, figure: &'static str, value: &str, if_empty: &str) -> Fact {
    let shown = if value.is_empty() { if_empty } else { value };
    fact(label, figure, value, shown.to_owned())
}

pub fn fact(label: &'static str, figure: &'static str, value: impl ToString, text: String) -> Fact {
    Fact { label, figure, value: value.to_string(), text, error: String::new(), note: String::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::profile::ProfileSummary;
    use camlscope_engine::query::summary::{EventCounts, InfoSummary, SampleCounts};

    fn orders() -> Summary {
        Summary {
            format: "memtrace".to_owned(),
            version: 2,
            info: InfoSummary {
                sample_rate: 1e-4,
                word_size: 64,
                executable: "/srv/bin/orders.exe".to_owned(),
                pid: 12_640,
                ..InfoSummary::default()
            },
            events: EventCounts { alloc: 13_861, promote: 1_200, collect: 13_447 },
            samples: SampleCounts { total: 14_000, minor: 10_500, major: 3_500, ..SampleCounts::default() },
            allocated_bytes: 14_000.0 / 1e-4 * 8.0,
            end_us: 60_050_970,
            domains: vec![0],
            ..Summary::default()
        }
    }

    fn find<'a>(facts: &'a [Fact], figure: &str) -> &'a Fact {
        facts.iter().find(|fact| fact.figure == figure).expect("the figure is shown")
    }

    #[test]
    fn the_title_is_the_program_name_without_its_path() {
        assert_eq!(title(&orders(), "trace.ctf"), "orders.exe");
        assert_eq!(title(&Summary::default(), "trace.ctf"), "trace.ctf");
        let info = InfoSummary { executable: r"C:\work\orders.exe".to_owned(), ..InfoSummary::default() };
        assert_eq!(title(&Summary { info, ..Summary::default() }, "trace.ctf"), "orders.exe");
    }

    #[test]
    fn the_subtitle_identifies_the_run() {
        assert_eq!(subtitle(&orders(), Units::Binary), "pid 12640 · 60.1 s · 1 sample per 78.1 KiB");
    }

    #[test]
    fn the_subtitle_of_a_profile_mentions_cpu_time() {
        let profile = Some(Box::new(ProfileSummary::default()));
        let summary = Summary { profile, end_us: 3_264_749, ..Summary::default() };
        assert_eq!(subtitle(&summary, Units::Binary), "3.26 s of CPU time · 0 snapshots");
    }

    #[test]
    fn figures_keep_their_exact_value() {
        let headline = headline(&orders(), Units::Binary);
        let alloc = find(&headline, "events.alloc");
        assert_eq!((alloc.value.as_str(), alloc.text.as_str()), ("13861", "13,861"));
        assert_eq!(find(&headline, "events.collect").note, "97% of allocations");
    }

    #[test]
    fn estimates_have_a_margin() {
        let estimate = headline(&orders(), Units::Binary);
        let estimate = find(&estimate, "allocated_bytes");
        assert_eq!((estimate.text.as_str(), estimate.error.as_str()), ("1.04 GiB", "±0.02"));
        let mut exact = orders();
        exact.info.sample_rate = 1.0;
        assert_eq!(find(&headline(&exact, Units::Binary), "allocated_bytes").error, "");
    }

    #[test]
    fn shares_are_of_bytes_not_events() {
        let shares: Vec<f64> = sources(&orders()).into_iter().map(|(_, share)| share).collect();
        assert_eq!(shares, [0.75, 0.25, 0.0]);
        assert!(sources(&Summary::default()).iter().all(|(_, share)| *share == 0.0));
    }

    #[test]
    fn an_anonymized_trace_has_no_start_time() {
        assert_eq!(find(&program(&orders()), "info.start_time_us").text, "not recorded");
    }

    #[test]
    fn an_empty_trace_suggests_a_rate_100_times_higher() {
        let suggested = |sample_rate: f64| {
            let info = InfoSummary { sample_rate, ..orders().info };
            let words = why_empty(&Summary { info, ..orders() }, Units::Binary);
            words.split_once("MEMTRACE_RATE=").map(|(_, rate)| rate.to_owned())
        };
        assert_eq!([1e-6, 1e-2, 1.0].map(suggested), [Some("1e-4.".to_owned()), Some("1e-1.".to_owned()), None]);
    }
}
