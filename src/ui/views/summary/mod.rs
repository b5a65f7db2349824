//! The Summary tab: warnings about damage, findings, key figures and details of the trace.

pub mod explainer;
mod profile;
mod sheet;

use yew::prelude::*;

use crate::ui::components::findings::Findings;
use crate::ui::components::nothing::NOTHING_SAMPLED;
use crate::ui::query::use_kept_query;
use crate::ui::store::LoadedTrace;
use crate::ui::views::summary::sheet::{card, flaws, headline, remark, rows, scope};
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::histogram::{Bins, Counted, Histogram, HistogramConfig, Of};
use camlscope_engine::query::summary::Summary;
use camlscope_present::format::{self, Units};
use camlscope_view::page::components::facts::{self, Fact};

/// Blocks of up to 4 or 16 words fit in one or two cache lines, and blocks of up to 256 words start in the minor heap.
const BOUNDS_WORDS: [u64; 3] = [4, 16, 256];

/// `has_filter` means that other tabs show only a part of the trace.
pub fn summary_view(open: &LoadedTrace, has_filter: bool, units: Units) -> Html {
    match &open.summary.profile {
        Some(profile) => profile::profile_view(open, profile, has_filter, units),
        None => trace_view(open, has_filter, units),
    }
}

fn trace_view(LoadedTrace { name, summary, timing, .. }: &LoadedTrace, has_filter: bool, units: Units) -> Html {
    html! {
        <div class="sheet">
            <div class="sheet-head">
                <h1>{ facts::title(summary, name) }</h1>
                <p>{ name }</p>
            </div>
            { scope(has_filter, "trace") }
            { flaws("This trace is damaged. All readable data is shown.", &summary.warnings, units) }
            if summary.events.alloc == 0 {
                { remark(NOTHING_SAMPLED, facts::why_empty(summary, units)) }
            }
            if let Some(factor) = summary.downsampled {
                { remark("This trace is too large for the available memory.", facts::downsampled(factor)) }
            }
            if summary.events.alloc > 0 {
                <Findings />
            }
            <dl class="headline">{ for facts::headline(summary, units).iter().map(headline) }</dl>
            <div class="cards">
                { card("Program", rows(&facts::program(summary))) }
                { card("Recording", rows(&facts::recording(summary, *timing, units))) }
                <div class="card-column">
                    { card("Allocated in", sources(summary)) }
                    if summary.events.alloc > 0 {
                        <Sizes word_bytes={f64::from(summary.info.word_size) / 8.0} {units} />
                    }
                </div>
            </div>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct SizesProps {
    word_bytes: f64,
    units: Units,
}

/// The block sizes of the entire trace, whatever the filter.
#[component]
fn Sizes(props: &SizesProps) -> Html {
    let config = HistogramConfig { of: Of::Size, bins: Bins::Classic, split: None, weight: Counted::Samples };
    let query = use_kept_query(Request { view: View::default(), question: Question::Histogram(config) });
    let body = match query.get() {
        Some(histogram) => sizes(histogram, props.word_bytes, props.units),
        _ => html! { <p class="card-note" role="status">{ "Counting…" }</p> },
    };
    card("Block sizes", body)
}

fn sizes(histogram: &Histogram, word_bytes: f64, units: Units) -> Html {
    let all = histogram.bins.iter().map(|bin| bin.samples).sum::<u64>().max(1) as f64;
    let row = |bound: u64| {
        let within = histogram.bins.iter().filter(|bin| bin.to <= bound + 1).map(|bin| bin.samples).sum::<u64>();
        let share = within as f64 / all;
        html! {
            <div class="source">
                <dt>{ format!("Up to {bound} words") }</dt>
                <dd class="share" data-figure={format!("sizes.{bound}")} data-value={share.to_string()}>
                    { format::percent(share) }
                </dd>
                { share_bar(share) }
            </div>
        }
    };
    let largest = histogram.stats.max;
    html! {
        <>
            <dl class="sources">{ for BOUNDS_WORDS.into_iter().map(row) }</dl>
            <p class="card-note">{ "Share of bytes. Larger blocks skip the minor heap." }</p>
            <dl class="rows">
                <div class="row">
                    <dt>{ "Largest sample" }</dt>
                    <dd data-figure="sizes.max" data-value={largest.to_string()}>
                        { format!("{} words, {}", format::count(largest), units.bytes(largest as f64 * word_bytes)) }
                    </dd>
                </div>
            </dl>
        </>
    }
}

/// The length depends on data, so it is an SVG attribute.
fn share_bar(share: f64) -> Html {
    html! {
        <dd class="share-bar" aria-hidden="true">
            <svg width="100%" height="6"><rect width={format!("{:.2}%", share * 100.0)} height="6" rx="3" /></svg>
        </dd>
    }
}

fn sources(summary: &Summary) -> Html {
    let row = |(fact, share): &(Fact, f64)| {
        html! {
            <div class="source">
                <dt>{ fact.label }</dt>
                <dd class="share">{ &fact.note }</dd>
                <dd data-figure={fact.figure} data-value={fact.value.clone()}>{ &fact.text }</dd>
                { share_bar(*share) }
            </div>
        }
    };
    html! {
        <>
            <dl class="sources">{ for facts::sources(summary).iter().map(row) }</dl>
            <p class="card-note">{ "Share of bytes and number of sampled allocations." }</p>
            { rows(&facts::stacks(summary)) }
        </>
    }
}
