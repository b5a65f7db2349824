//! The Histograms tab: block sizes and lifetimes as bar charts, or both at once as a heat map. Hovering shows figures,
//! a click filters, and every chart has a table with its data.

mod bars;
mod controls;
mod data_table;
pub mod explainer;
mod heat_map;
mod readout;
mod stats;

use yew::prelude::*;

use self::bars::Bars;
use self::heat_map::HeatMap;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::store::view::settings::{Chart, HistogramSettings};

#[derive(Properties, PartialEq)]
pub struct ChartProps {
    pub workspace: WorkspaceContext,
    pub settings: HistogramSettings,
}

#[component]
pub fn HistogramsView() -> Html {
    let workspace = use_workspace();
    let settings = workspace.view_state.histograms;
    let controls = controls::controls(settings, &workspace.dispatch);
    let key = settings.chart.as_str();
    let body = match settings.chart {
        Chart::Sizes | Chart::Lifetimes => html! { <Bars {key} {workspace} {settings} /> },
        Chart::SizeAndLifetime | Chart::TimeAndLifetime => html! { <HeatMap {key} {workspace} {settings} /> },
    };
    html! { <div class="histograms">{ controls }{ body }</div> }
}
