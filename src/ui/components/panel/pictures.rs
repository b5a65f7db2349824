//! Three small charts: the selection's live bytes over time, its lifetimes, and its block sizes. They are SVG, so they
//! are sharp at every size. Their space is reserved before the data arrives.

use yew::prelude::*;

use camlscope_engine::query::histogram::{Bin, Histogram};
use camlscope_engine::query::timeline::Timeline;
use camlscope_present::format::{self, Units};

/// In SVG units. The chart is scaled to the panel's width.
const CURVE: (f64, f64) = (268.0, 48.0);
/// In pixels. The width is the panel's.
const BARS_PX: f64 = 44.0;
const LABELS_PX: f64 = 14.0;

/// `start_us` is the trace's start in microseconds since the Unix epoch, if times of day are shown.
pub fn curve(timeline: Option<&Timeline>, is_cpu_time: bool, start_us: Option<u64>, units: Units) -> Html {
    let kind = if is_cpu_time { " of CPU time" } else { "" };
    let time =
        |us: u64| start_us.map_or_else(|| format::duration_us(us), |start_us| format::time_of_day(start_us + us));
    let words =
        timeline.map(|timeline| format!("peak {} at {}", units.bytes(timeline.peak.bytes), time(timeline.peak.at_us)));
    let view_box = format!("0 0 {} {}", CURVE.0, CURVE.1);
    html! {
        <figure class="panel-figure">
            <figcaption><b>{ "Live bytes over time" }</b><span>{ words.clone() }</span></figcaption>
            <svg class="panel-curve" viewBox={view_box} preserveAspectRatio="none" role="img"
                aria-label={format!("Live bytes over time{}", words.map_or_else(String::new, |words| format!(", {words}")))}>
                if let Some((line, area)) = timeline.and_then(paths) {
                    <path class="curve-area" d={area} />
                    <path class="curve-line" d={line} vector-effect="non-scaling-stroke" />
                }
            </svg>
            <p class="panel-axis">
                <span>{ if start_us.is_some() { time(0) } else { "0 s".to_owned() } }</span>
                <span>{ timeline.map(|timeline| format!("{}{kind}", time(timeline.to_us))) }</span>
            </p>
        </figure>
    }
}

/// Returns the line and the filled area. The line goes through the minimum and maximum of each step, so spikes stay
/// visible.
fn paths(timeline: &Timeline) -> Option<(String, String)> {
    let highest = timeline.live_max.iter().copied().fold(0.0, f64::max);
    let n = timeline.live_max.len();
    if highest <= 0.0 || n < 2 {
        return None;
    }
    let x = |at: usize| at as f64 / (n - 1) as f64 * CURVE.0;
    let y = |bytes: f64| CURVE.1 - 1.0 - bytes / highest * (CURVE.1 - 2.0);
    let steps = timeline.live_min.iter().zip(&timeline.live_max).zip(&timeline.live_last);
    let mut line = String::new();
    for (at, ((&low, &high), &last)) in steps.enumerate() {
        let first = if at == 0 { "M" } else { "L" };
        // Draw the extreme nearer to the step's last value second, so that the curve continues from there.
        let (one, two) = if last - low < high - last { (high, low) } else { (low, high) };
        line.push_str(&format!("{first}{:.1} {:.1}", x(at), y(one)));
        if one != two {
            line.push_str(&format!("V{:.1}", y(two)));
        }
    }
    let area = format!("{line}L{} {}L0 {}Z", CURVE.0, CURVE.1, CURVE.1);
    Some((line, area))
}

/// One bar per decade, and a separate bar for objects that were never freed.
pub fn lifetimes(histogram: Option<&Histogram>, units: Units) -> Html {
    let words = histogram.map(|histogram| match histogram.stats {
        stats if stats.count > 0.0 => format!("median {}", format::duration_us(stats.median)),
        _ => "none freed".to_owned(),
    });
    let range = |bin: &Bin| {
        let words = format!("{} to {}", format::duration_us(bin.from), format::duration_us(bin.to));
        (short(bin.from), words)
    };
    bars("Lifetimes", "panel-lifetimes", histogram, words, &range, units)
}

/// One bar per power of two.
pub fn sizes(histogram: Option<&Histogram>, units: Units) -> Html {
    let words = histogram.map(|histogram| format!("median {} words", format::count(histogram.stats.median)));
    let range = |bin: &Bin| {
        let words = match bin.to - bin.from {
            0..=1 => format!("{} words", format::count(bin.from)),
            _ => format!("{} to {} words", format::count(bin.from), format::count(bin.to - 1)),
        };
        (short_count(bin.from), words)
    };
    bars("Sizes in words", "panel-sizes", histogram, words, &range, units)
}

/// `range` returns the short label below a bar and its full description.
fn bars(
    title: &'static str,
    class: &'static str,
    histogram: Option<&Histogram>,
    words: Option<String>,
    range: &dyn Fn(&Bin) -> (String, String),
    units: Units,
) -> Html {
    let never = histogram.and_then(|histogram| histogram.never);
    let bins: &[Bin] = histogram.map_or(&[], |histogram| &histogram.bins);
    let highest = bins.iter().map(|bin| bin.bytes).fold(never.unwrap_or_default().bytes, f64::max);
    // Leave a gap before the bar for never-freed objects.
    let n_places = (bins.len() as f64 + if never.is_some() { 1.5 } else { 0.0 }).max(1.0);
    // If bars are narrow, only every second or third one has a label.
    let every = (n_places / 10.0).ceil() as usize;
    let bar = |place: f64, bytes: f64, samples: u64, class: &'static str, short: String, words: String| {
        let height = if highest > 0.0 { bytes / highest * BARS_PX } else { 0.0 };
        // A bar that isn't empty stays visible.
        let height = if samples > 0 { height.max(1.0) } else { 0.0 };
        let percent = |places: f64| format!("{:.2}%", places / n_places * 100.0);
        html! {
            <g>
                <title>{ format!("{words}: {}, {} samples", units.bytes(bytes), format::count(samples)) }</title>
                <rect class="bar-room" x={percent(place)} width={percent(1.0)} y="0" height={BARS_PX.to_string()} />
                <rect {class} x={percent(place + 0.06)} width={percent(0.88)} y={format!("{:.1}", BARS_PX - height)}
                    height={format!("{height:.1}")} />
                <text x={percent(place + 0.5)} y={(BARS_PX + LABELS_PX - 2.0).to_string()}>{ short }</text>
            </g>
        }
    };
    let of_bin = |(at, bin): (usize, &Bin)| {
        let (short, words) = range(bin);
        let short = if at.is_multiple_of(every) { short } else { String::new() };
        bar(at as f64, bin.bytes, bin.samples, "bar-died", short, words)
    };
    html! {
        <figure class="panel-figure">
            <figcaption><b>{ title }</b><span>{ words.clone() }</span></figcaption>
            <svg class={classes!("panel-bars", class)} role="img"
                aria-label={format!("{title}{}", words.map_or_else(String::new, |words| format!(", {words}")))}>
                { for bins.iter().enumerate().map(of_bin) }
                if let Some(never) = never {
                    { bar(bins.len() as f64 + 0.5, never.bytes, never.samples, "bar-alive", "∞".to_owned(), "never freed".to_owned()) }
                }
            </svg>
        </figure>
    }
}

fn short_count(n: u64) -> String {
    match n {
        0..1024 => n.to_string(),
        1024..1_048_576 => format!("{}k", n / 1024),
        _ => format!("{}M", n / 1_048_576),
    }
}

/// Returns the start of a decade in as few letters as possible: `1µ`, `.1m`, `10m`, `1s`.
fn short(us: u64) -> String {
    match us {
        0 => "0".to_owned(),
        1..100 => format!("{us}µ"),
        100 => ".1m".to_owned(),
        1_000..100_000 => format!("{}m", us / 1_000),
        100_000 => ".1s".to_owned(),
        _ => format!("{}s", us / 1_000_000),
    }
}
