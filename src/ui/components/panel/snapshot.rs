//! The selected snapshot of a profile: its totals, and the garbage collector's statistics.

use yew::prelude::*;

use crate::ui::context::WorkspaceContext;
use camlscope_engine::query::filter::When;
use camlscope_engine::query::profile::{ProfileSummary, Snapshot, WORD_BYTES};
use camlscope_formats::spacetime::GcStats;
use camlscope_present::format::{self, Units};

/// Empty for a trace, or for a profile without snapshots.
pub fn section(WorkspaceContext { view_state, loaded, units, .. }: &WorkspaceContext) -> Html {
    let units = *units;
    let profile = loaded.profile();
    let peak_us = loaded.main.summary.peak.at_us;
    let Some(snapshot) = profile.and_then(|profile| snapshot_at(profile, view_state.time(), peak_us)) else {
        return Html::default();
    };
    let time = format!("Snapshot at {} of CPU time", format::elapsed_us(snapshot.at_us));
    html! {
        <section class="panel-snapshot">
            <h2 data-figure="snapshot.at_us" data-value={snapshot.at_us.to_string()}>{ time }</h2>
            <dl class="panel-figures">
                { words("live", "snapshot.live_words", snapshot.live_words, units) }
                { count("live blocks", "snapshot.live_blocks", snapshot.live_blocks) }
                { words("unknown", "snapshot.unattributed_words", snapshot.unattributed_words, units) }
                { words("allocated so far", "snapshot.allocated_words", snapshot.allocated_words, units) }
            </dl>
            { snapshot.gc.as_ref().map(|gc| collector(gc, units)) }
        </section>
    }
}

fn snapshot_at(profile: &ProfileSummary, time: When, peak_us: u64) -> Option<&Snapshot> {
    match time {
        When::At(us) => profile.snapshot_at(us),
        When::Peak => profile.snapshot_at(peak_us),
        When::End => profile.snapshots.last(),
    }
}

fn collector(gc: &GcStats, units: Units) -> Html {
    html! {
        <>
            <h3>{ "Garbage collector" }</h3>
            <dl class="panel-figures">
                { count("minor collections", "gc.minor_collections", gc.minor_collections) }
                { count("major collections", "gc.major_collections", gc.major_collections) }
                { count("compactions", "gc.compactions", gc.compactions) }
                { words("heap", "gc.heap_words", gc.heap_words, units) }
                { words("peak heap size", "gc.top_heap_words", gc.top_heap_words, units) }
                { count("heap chunks", "gc.heap_chunks", gc.heap_chunks) }
                { words("minor allocated", "gc.minor_words", gc.minor_words, units) }
                { words("promoted", "gc.promoted_words", gc.promoted_words, units) }
                { words("major allocated", "gc.major_words", gc.major_words, units) }
            </dl>
        </>
    }
}

/// Shows words as bytes. The tooltip has the number of words.
fn words(name: &'static str, figure: &'static str, words: u64, units: Units) -> Html {
    let title = format!("{} words", format::count(words));
    html! {
        <div>
            <dt>{ name }</dt>
            <dd data-figure={figure} data-value={words.to_string()} {title}>{ units.bytes(words as f64 * WORD_BYTES) }</dd>
        </div>
    }
}

fn count(name: &'static str, figure: &'static str, n: u64) -> Html {
    html! { <div><dt>{ name }</dt><dd data-figure={figure} data-value={n.to_string()}>{ format::count(n) }</dd></div> }
}
