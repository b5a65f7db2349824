//! A report of the view as one file that any browser opens: what the trace is, the curve, the flame graph, who holds how
//! much. No script and no other file, so it can be mailed and archived.

use std::fmt::Write;

use super::report::Report;
use crate::format::{self, Units};
use crate::layout::flame::title;
use crate::words;
use camlscope_engine::query::findings::Finding;
use camlscope_engine::query::flame::Flame;
use camlscope_engine::query::growth::{Growth, Verdict};
use camlscope_engine::query::measure::Unit;
use camlscope_engine::query::profile::{ProfileSummary, SnapshotSummary};
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::table::Table;
use camlscope_engine::query::timeline::Timeline;
use camlscope_engine::query::tree::Label;

/// Rows of the growth that are listed.
const MAX_GROWING: usize = 20;

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
    match &summary.profile {
        Some(profile) => headline_of_profile(&mut page, summary, profile, units),
        None => headline(&mut page, summary, units),
    }
    curve(&mut page, &report.timeline, units);
    flame(&mut page, &report.flame);
    match &summary.profile {
        Some(_) => table_of_profile(&mut page, &report.table, report.unit, units),
        None => table(&mut page, &report.table, report.unit, units),
    }
    growth(&mut page, &report.growth, units);
    let _ = writeln!(page, "<p class=\"about\">Made by camlscope.{ending}</p>");
    page.push_str("</body>\n</html>\n");
    page
}

const STYLE: &str = "\
:root{color-scheme:light dark;--ink:light-dark(#1d2125,#e7e9ec);--muted:light-dark(#626a73,#9aa3ad);\
--page:light-dark(#fff,#191c20);--line:light-dark(#e3e5e8,#2a2f35);--accent:light-dark(#3457d5,#8ea6ff);--box:light-dark(#cfd8f5,#2f3b66)}\
body{max-width:70rem;margin:2rem auto;padding:0 1rem;color:var(--ink);background:var(--page);\
font:14px/1.5 system-ui,sans-serif;font-variant-numeric:tabular-nums}\
h1{font-size:1.6rem;margin:0}h2{font-size:1.1rem;margin:2rem 0 .5rem}.about{color:var(--muted)}\
dl{display:grid;grid-template-columns:max-content 1fr;gap:0 1.5rem}dt{color:var(--muted)}dd{margin:0}\
.scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}\
th,td{padding:.15rem .5rem;text-align:right;white-space:nowrap;border-bottom:1px solid var(--line)}th{color:var(--muted);font-weight:500}\
th:first-child,td:first-child{position:sticky;left:0;min-width:11rem;padding-left:0;text-align:left;white-space:normal;\
overflow-wrap:anywhere;background:var(--page)}\
svg{width:100%;height:auto;display:block}svg text{font:10px system-ui,sans-serif;fill:var(--ink)}\
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
    let estimate = |samples: u64, error: Option<f64>| {
        let bytes = summary.bytes_of(samples);
        units.amount_with_margin(Unit::Bytes, bytes, bytes * error.unwrap_or_default())
    };
    let kept = |samples: u64| estimate(samples, summary.kept_error(samples));
    let samples = &summary.samples;
    let rows = [
        ("allocated", estimate(samples.total, summary.allocated_error())),
        ("peak", format!("{} at {}", kept(summary.peak.samples), format::elapsed_us(summary.peak.at_us))),
        ("live at the end", kept(samples.live_at_end)),
        ("promoted", kept(samples.moved())),
        ("samples", format::count(samples.total)),
    ];
    facts(page, "The whole trace", &rows);
}

fn headline_of_profile(page: &mut String, summary: &Summary, profile: &ProfileSummary, units: Units) {
    let last = profile.snapshots.last();
    let rows = [
        ("allocated", units.bytes(summary.allocated_bytes)),
        ("peak", format!("{} at {}", units.bytes(summary.peak.bytes), format::elapsed_us(summary.peak.at_us))),
        ("live at the end", units.bytes(last.map_or(0.0, SnapshotSummary::all_bytes))),
        ("snapshots", format::count(profile.snapshots.len() as u64)),
    ];
    facts(page, "The whole profile", &rows);
}

fn facts(page: &mut String, heading: &str, rows: &[(&str, String)]) {
    let _ = writeln!(page, "<h2>{heading}</h2>\n<dl>");
    for (name, value) in rows {
        let _ = writeln!(page, "<dt>{name}</dt><dd>{}</dd>", escaped(value));
    }
    page.push_str("</dl>\n");
}

/// The highest value of each step, so that a spike stays visible.
fn curve(page: &mut String, timeline: &Timeline, units: Units) {
    const WIDTH: f64 = 1000.0;
    const HEIGHT: f64 = 140.0;
    let highest = timeline.live_max.iter().copied().fold(0.0, f64::max);
    if highest <= 0.0 {
        return;
    }
    let n = timeline.live_max.len().max(2) as f64 - 1.0;
    let mut points = format!("0,{HEIGHT}");
    for (step, bytes) in timeline.live_max.iter().enumerate() {
        let _ = write!(points, " {:.1},{:.1}", step as f64 / n * WIDTH, HEIGHT - bytes / highest * (HEIGHT - 14.0));
    }
    let _ = write!(points, " {WIDTH},{HEIGHT}");
    let _ = write!(
        page,
        "<h2>Live bytes over time</h2>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Live bytes from 0 to {0}, \
         at most {1}\"><polygon points=\"{points}\" fill=\"var(--box)\"/><text x=\"2\" y=\"10\">{1}</text>\
         <text x=\"{WIDTH}\" y=\"10\" text-anchor=\"end\">0 to {0}</text></svg>\n",
        escaped(&format::elapsed_us(timeline.to_us)),
        escaped(&units.bytes(highest)),
    );
}

/// Boxes with the whole name and figures as their title, which browsers show on hover.
fn flame(page: &mut String, flame: &Flame) {
    const WIDTH: f64 = 1000.0;
    const ROW: f64 = 16.0;
    /// What a letter of the label takes.
    const LETTER: f64 = 5.6;
    if flame.boxes.is_empty() {
        return;
    }
    let height = f64::from(flame.n_depths) * ROW;
    let _ = write!(
        page,
        "<h2>By stack</h2>\n<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"Flame graph\">\n"
    );
    for drawn in &flame.boxes {
        let (x, w) = (drawn.x0 * WIDTH, (drawn.x1 - drawn.x0) * WIDTH);
        let y = f64::from(drawn.depth) * ROW;
        let label = flame.names.get(drawn.name as usize).map(|name| &name.label);
        // The box has the plain name, and its title the compiler's.
        let (name, whole_name) = match (drawn.n_merged, label) {
            (0, Some(label)) => (title(label), whole_name(label)),
            (0, None) => (String::new(), String::new()),
            (n, _) => {
                let more = format!("{} more", format::count(n.into()));
                (more.clone(), more)
            }
        };
        let share = if flame.all > 0.0 { drawn.total / flame.all } else { 0.0 };
        let _ = write!(
            page,
            "<g><title>{} {} {} samples</title><rect x=\"{x:.2}\" y=\"{y}\" width=\"{:.2}\" height=\"{}\" fill=\"{}\"/>",
            escaped(&whole_name),
            format::percent(share),
            format::count(drawn.samples),
            (w - 0.5).max(0.5),
            ROW - 1.0,
            if drawn.n_merged == 0 { "var(--box)" } else { "var(--line)" },
        );
        let letters = (w / LETTER) as usize;
        if name.chars().count() <= letters && letters > 2 {
            let _ = write!(page, "<text x=\"{:.2}\" y=\"{}\">{}</text>", x + 3.0, y + 11.5, escaped(&name));
        }
        page.push_str("</g>\n");
    }
    page.push_str("</svg>\n");
}

fn table(page: &mut String, table: &Table, unit: Unit, units: Units) {
    page.push_str(
        "<h2>By function</h2>\n<div class=\"scroll\" role=\"region\" aria-label=\"By function\" tabindex=\"0\"><table>\n\
         <tr><th>function</th><th>self</th><th>total</th><th>±</th><th>samples</th><th>lifetime</th>\
         <th>promoted</th><th>live at end</th></tr>\n",
    );
    for row in &table.rows {
        let weak = if row.total_samples < 10 { " class=\"weak\"" } else { "" };
        let (own, total) = table.amounts(row, unit);
        // It is that of bytes and samples, which blocks and lifetimes weigh differently.
        let has_error = matches!(unit.counted(), Unit::Bytes | Unit::Samples);
        let all_bytes = row.total_bytes * table.per_seconds;
        let share = |part: f64| if all_bytes > 0.0 { part / all_bytes } else { 0.0 };
        let _ = writeln!(
            page,
            "<tr{weak}><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            name_and_location(&row.label()),
            own.map_or_else(String::new, |own| units.amount(unit, own)),
            units.amount(unit, total),
            row.error.filter(|_| has_error).map_or_else(String::new, |error| units.amount(unit, error * total)),
            format::count(row.total_samples),
            row.mean_lifetime_us.map_or_else(String::new, |us| format::duration_us(us as u64)),
            format::percent(share(row.promoted_bytes)),
            units.bytes(row.end_bytes),
        );
    }
    page.push_str("</table></div>\n");
    page.push_str(
        "<p class=\"about\">lifetime: mean by bytes; objects never collected count with their age at the end. \
         promoted: share of the total bytes.</p>\n",
    );
    rows_left_out(page, table);
}

fn table_of_profile(page: &mut String, table: &Table, unit: Unit, units: Units) {
    page.push_str(
        "<h2>By line</h2>\n<div class=\"scroll\" role=\"region\" aria-label=\"By line\" tabindex=\"0\"><table>\n\
         <tr><th>line</th><th>self</th><th>total</th><th>blocks</th><th>calls</th></tr>\n",
    );
    for row in &table.rows {
        let (own, total) = table.amounts(row, unit);
        let _ = writeln!(
            page,
            "<tr><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            name_and_location(&row.label()),
            own.map_or_else(String::new, |own| units.amount(unit, own)),
            units.amount(unit, total),
            format::count(row.blocks as u64),
            row.self_calls.map_or_else(String::new, format::count),
        );
    }
    page.push_str("</table></div>\n");
    rows_left_out(page, table);
}

fn rows_left_out(page: &mut String, table: &Table) {
    if table.n_rows > table.rows.len() {
        let _ = writeln!(
            page,
            "<p class=\"about\">and {} more</p>",
            format::count((table.n_rows - table.rows.len()) as u64)
        );
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

/// The compiler's name and the location.
fn whole_name(label: &Label) -> String {
    format!("{} {}", label.name, label.exact_location()).trim_end().to_owned()
}

/// Names from a trace are data, never markup.
pub fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
