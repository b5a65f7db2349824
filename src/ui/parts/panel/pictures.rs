//! Two small pictures: what of the selection was alive when, and how long it lived. As SVG, sharp at every size; their
//! room is there before they are.

use yew::prelude::*;

use crate::format;
use crate::query::histogram::{Bin, Histogram};
use crate::query::timeline::Timeline;

/// In its own units; the picture is stretched to the panel's width.
const CURVE: (f64, f64) = (268.0, 48.0);
/// In px; the width is the panel's.
const BARS_PX: f64 = 44.0;
const LABELS_PX: f64 = 14.0;

pub fn curve(timeline: Option<&Timeline>) -> Html {
    let words = timeline.map(|timeline| {
        format!("peak {} at {}", format::bytes(timeline.peak.bytes), format::duration_us(timeline.peak.at_us))
    });
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
                <span>{ "0 s" }</span>
                <span>{ timeline.map(|timeline| format::duration_us(timeline.to_us)) }</span>
            </p>
        </figure>
    }
}

/// The line goes through each step's lowest and highest, so a spike stays visible.
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
        // The end of a step is drawn last, so that the curve goes on from there.
        let (one, two) = if last - low < high - last { (high, low) } else { (low, high) };
        line.push_str(&format!("{first}{:.1} {:.1}", x(at), y(one)));
        if one != two {
            line.push_str(&format!("V{:.1}", y(two)));
        }
    }
    let area = format!("{line}L{} {}L0 {}Z", CURVE.0, CURVE.1, CURVE.1);
    Some((line, area))
}

/// A bar a decade, and what was never freed apart from them.
pub fn lifetimes(histogram: Option<&Histogram>) -> Html {
    let never = histogram.and_then(|histogram| histogram.never).unwrap_or_default();
    let bins: &[Bin] = histogram.map_or(&[], |histogram| &histogram.bins);
    let highest = bins.iter().map(|bin| bin.bytes).fold(never.bytes, f64::max);
    // A gap, and the bar of what was never freed.
    let n_places = bins.len() as f64 + 1.5;
    let bar = |place: f64, bytes: f64, samples: u64, class: &'static str, short: String, words: String| {
        let height = if highest > 0.0 { bytes / highest * BARS_PX } else { 0.0 };
        // What is there is seen.
        let height = if samples > 0 { height.max(1.0) } else { 0.0 };
        let percent = |places: f64| format!("{:.2}%", places / n_places * 100.0);
        html! {
            <g>
                <title>{ format!("{words}: {}, {} samples", format::bytes(bytes), format::count(samples)) }</title>
                <rect class="bar-room" x={percent(place)} width={percent(1.0)} y="0" height={BARS_PX.to_string()} />
                <rect {class} x={percent(place + 0.06)} width={percent(0.88)} y={format!("{:.1}", BARS_PX - height)}
                    height={format!("{height:.1}")} />
                <text x={percent(place + 0.5)} y={(BARS_PX + LABELS_PX - 2.0).to_string()}>{ short }</text>
            </g>
        }
    };
    let of_bin = |(at, bin): (usize, &Bin)| {
        let words = format!("{} to {}", format::duration_us(bin.from), format::duration_us(bin.to));
        bar(at as f64, bin.bytes, bin.samples, "bar-died", short(bin.from), words)
    };
    let words = histogram.map(|histogram| match histogram.stats {
        stats if stats.count > 0.0 => format!("median {}", format::duration_us(stats.median)),
        _ => "nothing was freed".to_owned(),
    });
    html! {
        <figure class="panel-figure">
            <figcaption><b>{ "Lifetimes" }</b><span>{ words.clone() }</span></figcaption>
            <svg class="panel-lifetimes" role="img"
                aria-label={format!("Lifetimes{}", words.map_or_else(String::new, |words| format!(", {words}")))}>
                if histogram.is_some() {
                    { for bins.iter().enumerate().map(of_bin) }
                    { bar(bins.len() as f64 + 0.5, never.bytes, never.samples, "bar-alive", "∞".to_owned(), "never freed".to_owned()) }
                }
            </svg>
        </figure>
    }
}

/// Where a decade begins, in as few letters as possible: `1µ`, `.1m`, `10m`, `1s`.
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
