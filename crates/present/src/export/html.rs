//! A report of the view as one file that any browser opens: what the trace is, the curve, the flame graph, who holds how
//! much. No script and no other file, so it can be mailed and archived.

use std::fmt::Write;

use super::report::Report;
use super::svg;
use crate::facts::facts;
use crate::format::{self, Units};
use crate::layout::color::{self, Tint};
use crate::layout::draw::{FixedWidth, Op, Paint};
use crate::layout::flame::{self, CollapsedFrames, Marks, Stage};
use crate::layout::picture::Tooltip;
use crate::layout::timeline::{self, Axes, Plot, Times};
use crate::words;
use camlscope_engine::query::findings::Finding;
use camlscope_engine::query::flame::{Flame, FlameBox};
use camlscope_engine::query::growth::{Growth, Verdict};
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::timeline::Graph;
use camlscope_engine::query::tree::Label;

/// Rows of the growth that are listed.
const MAX_GROWING: usize = 20;
/// The width of a drawing, which the browser scales to that of the page.
const WIDTH: f64 = 1000.0;
/// Edges of boxes are on a quarter of a pixel, since the drawing is scaled.
const PIXELS: f64 = 4.0;
/// The mean width of a letter in the fonts of most systems. There is no browser to ask.
const LETTERS: FixedWidth = FixedWidth(6.7);

/// The whole file.
pub fn html(report: &Report) -> String {
    let Report { summary, about, units, .. } = report;
    let units = *units;
    let name = summary.info.executable.rsplit('/').next().unwrap_or_default();
    let title = match (&summary.profile, name) {
        (Some(_), _) => "A Spacetime profile",
        (None, "") => "A memory trace",
        (None, name) => name,
    };
    // What a profile counts, it counts exactly.
    let (kind, ending) = match &summary.profile {
        Some(_) => ("of processor time".to_owned(), ""),
        None => (
            escaped(&units.rate(summary.info.sample_rate, f64::from(summary.info.word_size) / 8.0)),
            " Figures are estimates from samples; ± is a 95% interval.",
        ),
    };
    let mut page = String::new();
    // Writing into a string cannot fail.
    let _ = write!(
        page,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{0} · camlscope</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<h1>{0}</h1>\n<p class=\"about\">{1}; {2}, {3}</p>\n",
        escaped(title),
        escaped(about),
        format::duration_us(summary.end_us),
        kind,
    );
    warnings(&mut page, summary, units);
    findings(&mut page, &report.findings, units);
    headline(&mut page, summary, units);
    curve(&mut page, report);
    flame(&mut page, &report.flame);
    table(&mut page, report);
    growth(&mut page, &report.growth, units);
    let _ = writeln!(page, "<p class=\"about\">Made by camlscope.{ending}</p>");
    page.push_str("</body>\n</html>\n");
    page
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:light-dark(#1d2125,#e7e9ec);--muted:light-dark(#626a73,#9aa3ad);\
--page:light-dark(#fff,#191c20);--line:light-dark(#e3e5e8,#2a2f35);--accent:light-dark(#3457d5,#8ea6ff);--soft:light-dark(#3457d51f,#8ea6ff26)}\
body{max-width:70rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--page);\
font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}\
h1{font-size:1.6rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}.about{color:var(--muted)}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1.5rem}dt{color:var(--muted)}dd{margin:0}\
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}\
th,td{padding:.15rem .5rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}th{color:var(--muted);font-weight:500}\
th:first-child,td:first-child{position:sticky;left:0;min-width:11rem;padding-left:0;text-align:left;white-space:normal;\
overflow-wrap:anywhere;background:var(--page)}\
svg{width:100%;height:auto;display:block}\
.weak{color:var(--muted)}";

fn warnings(page: &mut String, summary: &Summary, units: Units) {
    for warning in &summary.warnings {
        let _ = writeln!(page, "<p><b>Note.</b> {}</p>", escaped(&words::warnings::text(warning, units)));
    }
}

fn findings(page: &mut String, findings: &[Finding], units: Units) {
    if findings.is_empty() {
        return;
    }
    page.push_str("<h2>What stands out</h2>\n<ul>\n");
    for finding in findings {
        let _ = writeln!(page, "<li>{}</li>", escaped(&words::findings::headline(finding, units)));
    }
    page.push_str("</ul>\n");
}

fn headline(page: &mut String, summary: &Summary, units: Units) {
    const SHOWN: [&str; 6] = ["allocated", "peak", "live at the end", "promoted", "samples", "snapshots"];
    let heading = if summary.profile.is_some() { "The whole profile" } else { "The whole trace" };
    let _ = writeln!(page, "<h2>{heading}</h2>\n<dl>");
    for (name, value) in facts(summary, units).into_iter().filter(|(name, _)| SHOWN.contains(name)) {
        let _ = writeln!(page, "<dt>{name}</dt><dd>{}</dd>", escaped(&value));
    }
    page.push_str("</dl>\n");
}

fn curve(page: &mut String, report: &Report) {
    const SIZE: (f64, f64) = (WIDTH, 180.0);
    let Report { summary, timeline, units, .. } = report;
    let highest = timeline.live_max.iter().copied().fold(0.0, f64::max);
    if highest <= 0.0 {
        return;
    }
    let times = summary.profile.as_deref().map_or(Times::Elapsed, |profile| Times::Processor(profile.into()));
    let axes = Axes { graph: Graph::LiveBytes, times, units: *units };
    let ops = timeline::draw(timeline, &Plot::new(SIZE.0, SIZE.1, timeline), &axes, Default::default(), &LETTERS);
    let description =
        format!("Live bytes from 0 to {}, at most {}", format::elapsed_us(timeline.to_us), units.bytes(highest));
    drawing(page, "Live bytes over time", &description, SIZE, &ops, &[]);
}

fn flame(page: &mut String, flame: &Flame) {
    if flame.boxes.is_empty() {
        return;
    }
    let height = f64::from(flame.n_depths) * flame::ROW;
    let collapsed = CollapsedFrames::default();
    let stage = Stage { x: 0.0..1.0, width: WIDTH, height, top: 0.0, is_upward: false, collapsed, ratio: PIXELS };
    let tooltip = |of: &FlameBox| {
        let name = match of.n_merged {
            0 => flame.names.get(of.name as usize).map(|name| flame::full_name(&name.label)).unwrap_or_default(),
            n => format!("{} more", format::count(n.into())),
        };
        let share = if flame.all > 0.0 { of.total / flame.all } else { 0.0 };
        let text = format!("{name} {} {} samples", format::percent(share), format::count(of.samples));
        Some(Tooltip { area: stage.area(of)?, text })
    };
    let tooltips: Vec<Tooltip> = flame.boxes.iter().filter_map(tooltip).collect();
    let ops = flame::draw(flame, &stage, &Marks::default(), &LETTERS);
    drawing(page, "By stack", "Flame graph", (WIDTH, height), &ops, &tooltips);
}

/// A drawing that is as wide as the text. Browsers show its tooltips on hover.
fn drawing(
    page: &mut String,
    heading: &str,
    description: &str,
    (width, height): (f64, f64),
    ops: &[Op],
    tooltips: &[Tooltip],
) {
    let _ = writeln!(
        page,
        "<h2>{heading}</h2>\n<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{}\">",
        escaped(description),
    );
    svg::shapes(page, ops, &|attribute, paint| format!("{attribute}=\"{}\"", css(paint)));
    svg::tooltips(page, tooltips);
    page.push_str("</svg>\n");
}

/// The color in the reader's theme.
fn css(paint: Paint) -> String {
    let variable = match paint {
        Paint::Tint(Tint::Module { hue, tone }) => {
            let [light, dark] = [false, true].map(|is_dark| color::oklch(hue, tone, is_dark));
            return format!("light-dark({light},{dark})");
        }
        Paint::Ink | Paint::FlameInk => "ink",
        Paint::Muted | Paint::Faint | Paint::FlameInkPale => "muted",
        Paint::Accent => "accent",
        Paint::AccentSoft => "soft",
        Paint::Surface => "page",
        _ => "line",
    };
    format!("var(--{variable})")
}

fn table(page: &mut String, Report { summary, table, unit, units, .. }: &Report) {
    let is_profile = summary.profile.is_some();
    let (name, others): (_, &[&str]) = match is_profile {
        true => ("line", &["blocks", "calls"]),
        false => ("function", &["±", "samples", "lifetime", "promoted", "live at end"]),
    };
    let headings = [&[name, "self", "total"], others].concat().join("</th><th>");
    let _ = writeln!(
        page,
        "<h2>By {name}</h2>\n<div class=\"scroll\" role=\"region\" aria-label=\"By {name}\" tabindex=\"0\"><table>\n\
         <tr><th>{headings}</th></tr>",
    );
    for row in &table.rows {
        let (own, total) = table.amounts(row, *unit);
        let mut cells = vec![
            name_and_location(&row.label()),
            own.map_or_else(String::new, |own| units.amount(*unit, own)),
            units.amount(*unit, total),
        ];
        if is_profile {
            let calls = row.self_calls.map_or_else(String::new, format::count);
            cells.extend([format::count(row.blocks as u64), calls]);
        } else {
            // It is that of bytes and samples, which blocks and lifetimes weigh differently.
            let has_error = matches!(unit.counted(), Unit::Bytes | Unit::Samples);
            let error = row.error.filter(|_| has_error);
            let all_bytes = row.total_bytes * table.per_seconds;
            let promoted = if all_bytes > 0.0 { row.promoted_bytes / all_bytes } else { 0.0 };
            cells.extend([
                error.map_or_else(String::new, |error| units.amount(*unit, error * total)),
                format::count(row.total_samples),
                row.mean_lifetime_us.map_or_else(String::new, |us| format::duration_us(us as u64)),
                format::percent(promoted),
                units.bytes(row.end_bytes),
            ]);
        }
        let weak = if row.total_samples < 10 && !is_profile { " class=\"weak\"" } else { "" };
        let _ = writeln!(page, "<tr{weak}><td>{}</td></tr>", cells.join("</td><td>"));
    }
    page.push_str("</table></div>\n");
    if !is_profile {
        page.push_str(
            "<p class=\"about\">lifetime: mean by bytes; objects never collected count with their age at the end. \
             promoted: share of the total bytes.</p>\n",
        );
    }
    if table.n_rows > table.rows.len() {
        let n_more = format::count((table.n_rows - table.rows.len()) as u64);
        let _ = writeln!(page, "<p class=\"about\">and {n_more} more</p>");
    }
}

fn growth(page: &mut String, growth: &Growth, units: Units) {
    let Growth { heap, sites, .. } = growth;
    let _ = writeln!(page, "<h2>Growth</h2>\n<p><b>{}</b></p>", escaped(&words::growth::headline(heap, units)));
    for detail in words::growth::details(heap, units) {
        let _ = writeln!(page, "<p>{}</p>", escaped(&detail));
    }
    let growing = sites.iter().filter(|site| matches!(site.verdict, Verdict::Growing | Verdict::Stopped));
    let mut growing = growing.take(MAX_GROWING).peekable();
    if growing.peek().is_some() {
        page.push_str("<ul>\n");
        for site in growing {
            let reason = escaped(&words::growth::reason(heap, site, units));
            let label = site.label();
            let location = escaped(&label.exact_location());
            let _ = writeln!(page, "<li><b>{}</b> <span class=\"weak\">{location}</span> {reason}</li>", name(&label));
        }
        page.push_str("</ul>\n");
    }
}

fn name_and_location(label: &Label) -> String {
    format!("{} <span class=\"weak\">{}</span>", name(label), escaped(&label.exact_location()))
}

/// The plain name with the compiler's in its title.
fn name(label: &Label) -> String {
    format!("<span title=\"{}\">{}</span>", escaped(&label.name), escaped(&label.plain()))
}

/// Names from a trace are data, never markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
