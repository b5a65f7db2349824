//! The summary of a Spacetime profile.

use yew::prelude::*;

use crate::ui::components::findings::Findings;
use crate::ui::store::LoadedTrace;
use crate::ui::views::summary::sheet::{card, flaws, headline, remark, rows, scope};
use camlscope_engine::protocol::LoadTiming;
use camlscope_engine::query::profile::{Mark, ProfileSummary, WORD_BYTES};
use camlscope_engine::query::summary::Summary;
use camlscope_present::format::{self, Units};
use camlscope_view::page::components::facts::{self, Fact, count, duration_ms, fact};

/// More events would push everything else out of view.
const MAX_EVENTS: usize = 50;

pub fn profile_view(
    LoadedTrace { name, summary, timing, .. }: &LoadedTrace,
    profile: &ProfileSummary,
    has_filter: bool,
    units: Units,
) -> Html {
    html! {
        <div class="sheet">
            <div class="sheet-head">
                <h1>{ facts::title(summary, name) }</h1>
                <p>{ "Spacetime profile" }</p>
            </div>
            { scope(has_filter, "profile") }
            { flaws("This profile is damaged. All readable data is shown.", &summary.warnings, units) }
            if profile.snapshots.is_empty() {
                { remark("No snapshots.", "The program exited or was killed before taking one.".to_owned()) }
            }
            if let Some(factor) = profile.kept_one_in {
                { remark("This profile is too large for the available memory.", kept(factor)) }
            }
            if profile.allocation_points.is_some() {
                <Findings />
            }
            <dl class="headline">{ for figures(summary, profile, units).iter().map(headline) }</dl>
            <div class="cards">
                { card("Profile", rows(&recording(summary, profile, *timing, units))) }
                { card("Program events", events(profile)) }
                { card("Not available", html! {
                    <p class="card-note">{ "Spacetime counts words and blocks by call stack, not objects. Sizes, \
                        lifetimes and promotions aren't available." }</p>
                }) }
            </div>
        </div>
    }
}

fn kept(factor: u32) -> String {
    format!("It keeps 1 in {} snapshots. Their values are exact.", format::count(factor.into()))
}

fn figures(summary: &Summary, profile: &ProfileSummary, units: Units) -> Vec<Fact> {
    let seconds = summary.end_us as f64 / 1e6;
    let last = profile.snapshots.last();
    let at_end = last.map_or(0.0, |snapshot| snapshot.all_bytes());
    let unknown = last.map_or(0.0, |snapshot| snapshot.unattributed_words as f64 * WORD_BYTES);
    let blocks = last.map_or(0, |snapshot| snapshot.live_blocks);
    let note = |fact: Fact, note: String| Fact { note, ..fact };
    let allocated = fact("Allocated", "allocated_bytes", summary.allocated_bytes, units.bytes(summary.allocated_bytes));
    let peak = fact("Live at the peak", "peak.bytes", summary.peak.bytes, units.bytes(summary.peak.bytes));
    vec![
        match seconds > 0.0 {
            true => note(allocated, format!("{}/s of CPU time", units.bytes(summary.allocated_bytes / seconds))),
            false => allocated,
        },
        note(peak, format!("at {} of CPU time", format::duration_us(summary.peak.at_us))),
        note(fact("Live at the end", "end_bytes", at_end, units.bytes(at_end)), "at the last snapshot".to_owned()),
        note(
            fact("Unknown at the end", "unknown_bytes", unknown, units.bytes(unknown)),
            "no recorded call stack".to_owned(),
        ),
        note(count("Blocks at the end", "live_blocks", blocks), "with a call stack".to_owned()),
        note(
            count("Snapshots", "snapshots", profile.snapshots.len() as u64),
            format!("in {} of CPU time", format::duration_us(summary.end_us)),
        ),
    ]
}

fn recording(summary: &Summary, profile: &ProfileSummary, timing: LoadTiming, units: Units) -> Vec<Fact> {
    let points = match profile.allocation_points {
        Some(n) => count("Allocation points", "allocation_points", n),
        None => {
            let words = "missing: the program was killed before writing them";
            fact("Allocation points", "allocation_points", "", words.to_owned())
        }
    };
    let calls = if profile.has_call_counts { "yes" } else { "no, not compiled in" };
    vec![
        fact("Format", "format", &summary.format, "Spacetime".to_owned()),
        fact("Version", "version", summary.version, summary.version.to_string()),
        fact("CPU time", "end_us", summary.end_us, format::duration_us(summary.end_us)),
        points,
        fact("Call counts", "has_call_counts", profile.has_call_counts, calls.to_owned()),
        count("Lines", "functions", summary.functions),
        fact("Deepest stack", "max_depth", summary.max_depth, format!("{} calls", format::count(summary.max_depth))),
        fact("File size", "file_bytes", summary.file_bytes, units.bytes(summary.file_bytes as f64)),
        fact("Opened in", "timing.total_ms", timing.total_ms, duration_ms(timing.total_ms)),
    ]
}

fn events(profile: &ProfileSummary) -> Html {
    if profile.marks.is_empty() {
        return html! { <p class="card-note">{ "None. The program didn't call Spacetime.Series.save_event." }</p> };
    }
    let event = |(at, mark): (usize, &Mark)| {
        html! {
            <div class="row">
                <dt>{ &mark.name }</dt>
                <dd data-figure={format!("marks.{at}.at_us")} data-value={mark.at_us.to_string()}>
                    { format::elapsed_us(mark.at_us) }
                </dd>
            </div>
        }
    };
    let n_more = profile.marks.len().saturating_sub(MAX_EVENTS);
    html! {
        <>
            <dl class="rows">{ for profile.marks.iter().take(MAX_EVENTS).enumerate().map(event) }</dl>
            if n_more > 0 {
                <p class="card-note">{ format!("and {} more", format::count(n_more as u64)) }</p>
            }
            <p class="card-note">{ "In CPU time. Flags mark them on the timeline." }</p>
        </>
    }
}
