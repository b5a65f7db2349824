//! The figures of the hovered bar or cell. They are always in the same position, so nothing jumps, and screen readers
//! announce changes.

use yew::prelude::*;

use crate::ui::components::cell_pointer::CellPointer;
use crate::ui::store::view::ViewAction;
use camlscope_engine::protocol::Question;
use camlscope_engine::query::histogram::Counted;
use camlscope_engine::query::histogram::sites::{BinSite, Within};
use camlscope_engine::query::statistics;
use camlscope_engine::query::summary::Summary;
use camlscope_engine::query::table::has_few_samples;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::flame::title;
use camlscope_present::layout::histogram::weight_words;
use camlscope_view::page::query::hook::QueryState;

const N_SITES: usize = 3;

pub struct Readout {
    pub range: String,
    pub samples: u64,
    pub weight: f64,
    pub counted: Counted,
    /// The total weight.
    pub all: f64,
}

pub fn line(read: Option<Readout>, summary: &Summary, hint: &'static str, more: Html, units: Units) -> Html {
    let Some(read) = read else {
        return html! { <div class="readout" role="status"><p class="readout-hint">{ hint }</p></div> };
    };
    let error = statistics::relative_margin(read.samples, summary.kept_rate()).map_or(0.0, |error| error * read.weight);
    let error = match read.counted {
        Counted::Bytes => units.margin_of_bytes(read.weight, error),
        _ if error > 0.0 => format!(" ±{}", format::count(error.ceil() as u64)),
        _ => String::new(),
    };
    let share = if read.all > 0.0 { read.weight / read.all } else { 0.0 };
    let samples = match read.counted {
        Counted::Samples => String::new(),
        _ => format!(" · {}", weight_words(read.samples as f64, Counted::Samples, units)),
    };
    let few = if summary.kept_rate() < 1.0 && read.samples > 0 && has_few_samples(read.samples) {
        " · not enough samples"
    } else {
        ""
    };
    html! {
        <div class="readout" role="status">
            <p>
                <b data-figure="read.range" data-value={read.range.clone()}>{ &read.range }</b>
                <span data-figure="read.weight" data-value={read.weight.to_string()}>
                    { weight_words(read.weight, read.counted, units) }{ error }
                </span>
                { " · " }
                <span data-figure="read.share" data-value={share.to_string()}>{ format::percent(share) }</span>
                { format!(" of total{samples}{few}") }
            </p>
            { more }
        </div>
    }
}

/// Queries the top allocation sites of the hovered bar or cell.
pub fn who(within: Within) -> Question {
    Question::Sites { within, n: N_SITES }
}

/// Lists the top allocation sites. Clicking one selects it.
pub fn sites(query: &QueryState, samples: u64, dispatch: &Callback<ViewAction>) -> Html {
    let Some(sites) = query.get::<[BinSite]>().filter(|_| !query.is_waiting) else {
        return Html::default();
    };
    let site = |site: &BinSite| {
        let label = site.label.clone();
        let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::Select(Some(label.clone())));
        html! {
            <li>
                <button class="quiet" title={format!("Select {}", site.label.name)} {onclick}
                    data-figure="read.site" data-value={format!("{} {}", site.label.name, site.samples)}>
                    { title(&site.label) }
                    { " " }
                    { format::percent(site.samples as f64 / samples.max(1) as f64) }
                </button>
            </li>
        }
    };
    html! { <ul class="readout-sites" aria-label="Top allocation sites"><li>{ "mostly from" }</li>{ for sites.iter().map(site) }</ul> }
}

/// The button that filters by the selected bars or cells.
pub fn only_these(pointer: &CellPointer) -> Html {
    let Some(picked) = pointer.picked.filter(|picked| !picked.is_held) else {
        return Html::default();
    };
    let grid = pointer.grid.clone();
    let onclick = Callback::from(move |_: MouseEvent| grid.filter(picked.anchor, picked.head));
    html! { <button class="button" {onclick}>{ "Filter by selection" }</button> }
}

/// A warning if there are too few samples for a meaningful chart.
pub fn too_few(samples: u64, summary: &Summary, units: Units) -> Html {
    // With fewer than about a hundred samples, even the total is only a rough estimate.
    const MOST_ERROR: f64 = 0.22;
    let Some(error) = statistics::relative_margin(samples, summary.kept_rate()).filter(|error| *error > MOST_ERROR)
    else {
        return Html::default();
    };
    let words = weight_words(samples as f64, Counted::Samples, units);
    html! {
        <div class="banner histogram-few" role="note">
            <p>
                <b>{ format!("Not enough samples ({words}).") }</b>
                { format!(" The total may be off by {}, and single values by more. Widen the filter or record at a \
                    higher rate.", format::percent(error)) }
            </p>
        </div>
    }
}
