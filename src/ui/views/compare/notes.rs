//! Warnings about a comparison: different programs, sampling rates or durations, or the same file twice.

use yew::prelude::*;

use crate::ui::store::Loaded;
use crate::ui::store::view::ViewState;
use crate::ui::store::view::compare::ComparePair;
use camlscope_present::format::Units;
use camlscope_view::page::components::comparison;
use camlscope_view::page::components::facts;
use camlscope_view::page::views::compare::notes::of_traces;

pub fn notes(view_state: &ViewState, loaded: &Loaded, pair: ComparePair, units: Units) -> Html {
    let words = match (pair, &loaded.other) {
        (ComparePair::Traces, Some(other)) => {
            let names = [&loaded.main, other].map(|open| facts::title(&open.summary, &open.name));
            of_traces(&loaded.main.summary, &other.summary, &names, units)
        }
        _ if comparison::is_selected_range(view_state, pair) => {
            vec!["The selection sets times A and B. It doesn't filter here.".to_owned()]
        }
        _ if loaded.other.is_none() => {
            vec![format!("Drop a second {} to compare two runs.", loaded.main.capabilities.file_noun())]
        }
        _ => Vec::new(),
    };
    if words.is_empty() {
        return Html::default();
    }
    html! { <ul class="compare-notes">{ for words.iter().map(|words| html! { <li>{ words }</li> }) }</ul> }
}
