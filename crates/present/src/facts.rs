//! The headline facts and figures of a trace or profile, for the command line and the terminal view, and the title of its
//! pictures.

use crate::format::{self, Units};
use camlscope_engine::profile::WORD_BYTES;
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::summary::Summary;

/// Returns the program's name without its path, or the file name if the trace has no program name.
pub fn title(summary: &Summary, file_name: &str) -> String {
    let base = summary.info.executable.rsplit(['/', '\\']).next().unwrap_or_default();
    if base.is_empty() { file_name.to_owned() } else { base.to_owned() }
}

/// Returns `pid 12640 · 60.1 s · 1 sample per 78.1 KiB`, or for a profile `3.26 s of CPU time · 7 snapshots`.
pub fn subtitle(summary: &Summary, units: Units) -> String {
    if let Some(profile) = &summary.profile {
        let duration = format!("{} of CPU time", format::duration_us(summary.end_us));
        return [duration, snapshots(profile.snapshots.len() as u64)].join(" · ");
    }
    let pid = format!("pid {}", summary.info.pid);
    let rate = units.rate(summary.info.sample_rate, f64::from(summary.info.word_size) / 8.0);
    [pid, format::duration_us(summary.end_us), rate].join(" · ")
}

fn snapshots(n: u64) -> String {
    format!("{} snapshot{}", format::count(n), if n == 1 { "" } else { "s" })
}

/// Returns names and values. An empty name is an empty line.
pub fn facts(summary: &Summary, units: Units) -> Vec<(&'static str, String)> {
    if let Some(profile) = &summary.profile {
        return facts_of_profile(summary, profile, units);
    }
    let info = &summary.info;
    let none = |text: &str| if text.is_empty() { "–".to_owned() } else { text.to_owned() };
    let start = match info.start_time_us {
        0 => "not recorded".to_owned(),
        us => format::date_time(us),
    };
    let domains = summary.domains.iter().map(u16::to_string).collect::<Vec<_>>().join(", ");
    let estimate = |samples: u64, error: Option<f64>| {
        let bytes = summary.bytes_of(samples);
        units.amount_with_margin(Unit::Bytes, bytes, bytes * error.unwrap_or_default())
    };
    let kept = |samples: u64| estimate(samples, summary.kept_error(samples));
    let samples = &summary.samples;
    let share = |part: u64| match samples.total {
        0 => "–".to_owned(),
        total => format!("{} ({} of allocated)", kept(part), format::percent(part as f64 / total as f64)),
    };
    let peak = match samples.total {
        0 => "–".to_owned(),
        _ => format!("{} at {}", kept(summary.peak.samples), format::duration_us(summary.peak.at_us)),
    };
    let per_second = match summary.end_us {
        0 => String::new(),
        us => format!(", {}/s", units.bytes(summary.allocated_bytes / (us as f64 / 1e6))),
    };
    let packed = match summary.decompressed_bytes {
        decompressed if decompressed > summary.file_bytes => {
            format!(", {} decompressed", units.bytes(decompressed as f64))
        }
        _ => String::new(),
    };
    let sizes = summary.sizes.filter(|_| samples.total > 0).map_or_else(
        || "–".to_owned(),
        |sizes| {
            let shares = [sizes.up_to_4_words, sizes.up_to_16_words, sizes.up_to_256_words].map(format::percent);
            let [four, sixteen, large] = shares;
            let largest = format::count(sizes.largest_words);
            format!("{four} ≤ 4 words, {sixteen} ≤ 16, {large} ≤ 256; largest {largest} words")
        },
    );
    vec![
        ("executable", none(&info.executable)),
        ("host", none(&info.host)),
        ("pid", info.pid.to_string()),
        ("start", start),
        ("duration", format::duration_us(summary.end_us)),
        ("rate", units.rate(info.sample_rate, f64::from(info.word_size) / 8.0)),
        ("OCaml parameters", none(&info.runtime_params)),
        ("context", none(info.context.as_deref().unwrap_or(""))),
        ("format", format!("{} version {}, {}-bit", summary.format, summary.version, info.word_size)),
        ("domains", none(&domains)),
        ("file", format!("{}{packed}", units.bytes(summary.file_bytes as f64))),
        ("", String::new()),
        ("allocated", format!("{}{per_second}", estimate(samples.total, summary.allocated_error()))),
        ("peak", peak),
        ("live at the end", share(samples.live_at_end)),
        ("promoted", share(samples.moved())),
        ("major heap directly", share(samples.major)),
        ("outside the heap", share(samples.external + samples.custom)),
        ("small blocks", sizes),
        ("", String::new()),
        ("samples", format::count(samples.total)),
        ("allocations", format::count(summary.events.alloc)),
        ("promotions", format::count(summary.events.promote)),
        ("collections", format::count(summary.events.collect)),
        ("functions", format::count(summary.functions)),
        ("stacks", summary.distinct_stacks.map_or_else(|| "–".to_owned(), format::count)),
        ("deepest stack", format!("{} frames", format::count(summary.max_depth))),
    ]
}

fn facts_of_profile(summary: &Summary, profile: &ProfileSummary, units: Units) -> Vec<(&'static str, String)> {
    let bytes = |words: u64| units.bytes(words as f64 * WORD_BYTES);
    let last = profile.snapshots.last();
    let per_second = match summary.end_us {
        0 => String::new(),
        us => format!(", {}/s of CPU time", units.bytes(summary.allocated_bytes / (us as f64 / 1e6))),
    };
    let at = |us: u64| format!("at {} of CPU time", format::duration_us(us));
    let marks: Vec<String> =
        profile.marks.iter().map(|mark| format!("{} ({})", mark.name, format::elapsed_us(mark.at_us))).collect();
    let none = |text: String| if text.is_empty() { "–".to_owned() } else { text };
    let gc = last.and_then(|snapshot| snapshot.gc).map_or_else(String::new, |gc| {
        format!(
            "{} minor and {} major collections, {} compactions, heap {}",
            format::count(gc.minor_collections),
            format::count(gc.major_collections),
            format::count(gc.compactions),
            bytes(gc.heap_words)
        )
    });
    vec![
        ("format", format!("Spacetime version {}", summary.version)),
        ("file", units.bytes(summary.file_bytes as f64)),
        ("duration", format!("{} of CPU time", format::duration_us(summary.end_us))),
        ("snapshots", format::count(profile.snapshots.len() as u64)),
        ("allocation points", profile.allocation_points.map_or_else(|| "missing".to_owned(), format::count)),
        ("call counts", if profile.has_call_counts { "yes" } else { "no" }.to_owned()),
        ("events", none(marks.join(", "))),
        ("", String::new()),
        ("allocated", format!("{}{per_second}", units.bytes(summary.allocated_bytes))),
        ("peak", format!("{} {}", units.bytes(summary.peak.bytes), at(summary.peak.at_us))),
        ("live at the end", none(last.map_or_else(String::new, |last| units.bytes(last.all_bytes())))),
        ("unattributed", none(last.map_or_else(String::new, |last| bytes(last.unattributed_words)))),
        ("blocks at the end", none(last.map_or_else(String::new, |last| format::count(last.live_blocks)))),
        ("GC", none(gc)),
    ]
}
