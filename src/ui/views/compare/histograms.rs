//! Size and lifetime histograms of both sides. Each bar is a share of its own side, so that traces of different length
//! can be compared. Nothing is queried until the user opens the section.

use web_sys::Element;
use yew::prelude::*;

use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::ViewState;
use crate::ui::store::view::compare::ComparePair;
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::histogram::{Bins, Counted, HistogramConfig, Of};
use camlscope_engine::query::measure::Measure;
use camlscope_present::format;
use camlscope_present::layout::histogram::values_words;
use camlscope_view::page::components::comparison;
use camlscope_view::page::views::compare::histograms::{BinRow, rows};

/// The length of the longest bar in CSS pixels.
const BAR_PX: f64 = 160.0;

#[derive(Properties, PartialEq)]
pub struct BothHistogramsProps {
    pub pair: ComparePair,
}

#[component]
pub fn BothHistograms(props: &BothHistogramsProps) -> Html {
    let is_open = use_state_eq(|| false);
    let ontoggle = Callback::from(is_open.setter())
        .reform(|event: Event| event.target_dyn_into::<Element>().is_some_and(|details| details.has_attribute("open")));
    html! {
        <details class="both-histograms" {ontoggle}>
            <summary>{ "Sizes and lifetimes" }</summary>
            if *is_open {
                <div class="both-histograms-tables">
                    <BothBars of={Of::Size} pair={props.pair} />
                    <BothBars of={Of::Lifetime} pair={props.pair} />
                </div>
            }
        </details>
    }
}

#[derive(Properties, PartialEq)]
struct BothBarsProps {
    of: Of,
    pair: ComparePair,
}

#[component]
fn BothBars(props: &BothBarsProps) -> Html {
    let WorkspaceContext { view_state, .. } = use_workspace();
    let before = use_query(Some(request(&view_state, props.pair, props.of, false)));
    let after = use_query(Some(request(&view_state, props.pair, props.of, true)));
    let (Some(a), Some(b)) = (before.get(), after.get()) else {
        let words = before.error.or(after.error).map_or_else(|| "Counting…".to_owned(), |error| error.text);
        return html! { <p role="status">{ words }</p> };
    };
    let rows = rows(a, b);
    let largest = rows.iter().map(|row| row.shares[0].max(row.shares[1])).fold(0.0, f64::max);
    let (caption, heading) = match props.of {
        Of::Size => ("Sizes (share of bytes)", "size"),
        Of::Lifetime => ("Lifetimes (share of bytes)", "lifetime"),
    };
    let cell = |share: f64, class: &'static str| {
        let width = if largest > 0.0 { share / largest * BAR_PX } else { 0.0 };
        html! {
            <td>
                <svg width={BAR_PX.to_string()} height="10" aria-hidden="true">
                    <rect {class} width={format!("{width:.1}")} height="10" rx="2" />
                </svg>
                <span>{ format::percent(share) }</span>
            </td>
        }
    };
    let row = |row: &BinRow| {
        let name = match row.ends {
            Some((from, to)) => values_words(props.of, from, to, false),
            None => "never collected".to_owned(),
        };
        html! { <tr><th scope="row">{ name }</th>{ cell(row.shares[0], "bar-before") }{ cell(row.shares[1], "bar-after") }</tr> }
    };
    html! {
        <table class="both-bars">
            <caption>{ caption }</caption>
            <thead>
                <tr><th scope="col">{ heading }</th><th scope="col">{ "A (before)" }</th><th scope="col">{ "B (after)" }</th></tr>
            </thead>
            <tbody>{ for rows.iter().map(row) }</tbody>
        </table>
    }
}

fn request(view_state: &ViewState, pair: ComparePair, of: Of, is_after: bool) -> Request {
    let config = HistogramConfig { of, bins: Bins::Log2, split: None, weight: Counted::Bytes };
    let question = Question::Histogram(config);
    let (question, measure) = match pair {
        ComparePair::Traces if is_after => (Question::OfOther(Box::new(question)), view_state.measure),
        ComparePair::Traces => (question, view_state.measure),
        ComparePair::Times { before, after } => (question, Measure::Live(if is_after { after } else { before })),
    };
    let mut request = comparison::request(view_state, pair, question);
    request.view.measure = measure;
    request
}
