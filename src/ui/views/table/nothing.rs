//! Why a table has no rows, and what to loosen.

use yew::prelude::*;

use crate::protocol::UserError;
use crate::query::measure::Measure;
use crate::ui::look::{Look, Turn};

pub fn why(look: &Look, turn: &Callback<Turn>, error: Option<&UserError>) -> Html {
    let button = |words: String, deed: Turn| {
        let onclick = turn.reform(move |_: MouseEvent| deed.clone());
        html! { <button class="button" {onclick}>{ words }</button> }
    };
    if let Some(error) = error {
        return html! {
            <div class="nothing">
                <p><b>{ &error.text }</b></p>
                <p>{ &error.advice }</p>
                if !look.chips.is_empty() {
                    { button("Remove the filter".to_owned(), Turn::ClearChips) }
                }
            </div>
        };
    }
    if !look.search.is_empty() {
        return html! {
            <div class="nothing">
                <p><b>{ format!("No name or file contains “{}”.", look.search) }</b></p>
                { button("Clear the search".to_owned(), Turn::Search(String::new())) }
            </div>
        };
    }
    let on: Vec<_> = look.chips.iter().enumerate().filter(|(_, chip)| chip.is_on).collect();
    if on.is_empty() {
        return html! {
            <div class="nothing">
                <p><b>{ "Nothing counts for this measure." }</b></p>
                if look.measure != Measure::Allocated {
                    { button("Show all that was allocated".to_owned(), Turn::Measure(Measure::Allocated)) }
                }
            </div>
        };
    }
    html! {
        <div class="nothing">
            <p><b>{ "Nothing passes the filter." }</b>{ " Each clause alone can be taken away:" }</p>
            { for on.into_iter().map(|(at, chip)| {
                button(format!("Without “{}”", chip.clause.words()), Turn::RemoveChip(at))
            }) }
        </div>
    }
}
