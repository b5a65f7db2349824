//! The controls above the chart: which chart to show, what to count, and how to split it.

use yew::prelude::*;

use crate::ui::components::select::{Choices, options, select};
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::settings::{Chart, HistogramSettings};
use camlscope_engine::query::histogram::{Bins, Counted, Of, Split};

const WEIGHTS: [(Counted, &str, &str); 3] =
    [(Counted::Bytes, "", "bytes"), (Counted::Samples, "samples", "samples"), (Counted::Blocks, "blocks", "blocks")];
const SPLITS: [(Option<Split>, &str, &str); 3] =
    [(Some(Split::Heap), "", "by heap"), (Some(Split::Fate), "fate", "by outcome"), (None, "none", "not split")];
const SIZE_BINS: [(Bins, &str, &str); 2] = [(Bins::Classic, "", "classic bins"), (Bins::Log2, "log2", "powers of 2")];
const LIFETIME_BINS: [(Bins, &str, &str); 2] =
    [(Bins::Log2, "", "powers of 2"), (Bins::Log10, "log10", "powers of 10")];
const HEIGHTS: [(bool, &str, &str); 2] = [(false, "", "linear scale"), (true, "log", "log scale")];

pub fn controls(settings: HistogramSettings, dispatch: &Callback<ViewAction>) -> Html {
    let chart = |chart: Chart| {
        let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::HistogramChart(chart));
        let pressed = (settings.chart == chart).to_string();
        html! { <button class="choice" aria-pressed={pressed} {onclick}>{ title(chart) }</button> }
    };
    let weight = select("Weight", options(&WEIGHTS), &settings.weight, dispatch.reform(ViewAction::HistogramWeight));
    let split = select("Split", options(&SPLITS), &settings.split, dispatch.reform(ViewAction::HistogramSplit));
    let bins: &'static Choices<Bins> = if settings.of() == Of::Lifetime { &LIFETIME_BINS } else { &SIZE_BINS };
    let default = bins[0].0;
    let on_bins = dispatch.reform(move |bins| ViewAction::HistogramBins(Some(bins).filter(|bins| *bins != default)));
    let cuts = select("Bins", options(bins), &settings.bins(), on_bins);
    let height = select("Scale", options(&HEIGHTS), &settings.is_log, dispatch.reform(ViewAction::HistogramLogHeight));
    let has_bars = matches!(settings.chart, Chart::Sizes | Chart::Lifetimes);
    html! {
        <div class="histogram-bar">
            <div class="choices" role="group" aria-label="Chart">{ for Chart::ALL.into_iter().map(chart) }</div>
            <div class="histogram-ways">
                { weight }
                if has_bars {
                    { split }
                    { cuts }
                    { height }
                }
            </div>
        </div>
    }
}

/// Returns the unit's name.
pub fn weight_text(weight: Counted) -> &'static str {
    WEIGHTS.iter().find(|(choice, ..)| *choice == weight).map_or("", |(.., text)| text)
}

fn title(chart: Chart) -> &'static str {
    match chart {
        Chart::Sizes => "Sizes",
        Chart::Lifetimes => "Lifetimes",
        Chart::SizeAndLifetime => "Size × lifetime",
        Chart::TimeAndLifetime => "Time × lifetime",
    }
}
