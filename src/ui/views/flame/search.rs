//! The search field: a regular expression over the names, how much memory has a match in its stack, and Enter for the next
//! match in the picture.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::query::QueryState;
use crate::ui::store::view::ViewAction;
use camlscope_engine::query::flame::Found;
use camlscope_present::format;

pub struct Search<'a> {
    pub text: &'a str,
    pub query: &'a QueryState,
    pub found: Option<&'a Found>,
    /// Which match the user is at.
    pub at: Option<usize>,
    /// How many there are to step through; `None` until that is known.
    pub n_matches: Option<usize>,
    pub dispatch: &'a Callback<ViewAction>,
    /// To the next match, or the one before.
    pub on_step: Callback<bool>,
    pub on_leave: Callback<()>,
}

pub fn search(Search { text, query, found, at, n_matches, dispatch, on_step, on_leave }: Search<'_>) -> Html {
    let oninput = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: InputEvent| {
            let typed = event.target_dyn_into::<HtmlInputElement>().map(|field| field.value());
            dispatch.emit(ViewAction::Search(typed.unwrap_or_default()));
        })
    };
    let onkeydown = {
        let dispatch = dispatch.clone();
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                event.prevent_default();
                on_step.emit(!event.shift_key());
            }
            "Escape" => {
                event.prevent_default();
                dispatch.emit(ViewAction::Search(String::new()));
                on_leave.emit(());
            }
            _ => {}
        })
    };
    let is_searching = !text.trim().is_empty();
    html! {
        <div class="flame-search">
            <div class="flame-field">
                <input type="search" data-search="functions" value={text.to_owned()} {oninput} {onkeydown} placeholder="Search names"
                    aria-label="Search names by a regular expression" aria-keyshortcuts="/" spellcheck="false"
                    autocomplete="off" aria-invalid={query.error.is_some().to_string()} aria-describedby="flame-found" />
                if !is_searching {
                    <kbd aria-hidden="true">{ "/" }</kbd>
                }
            </div>
            <span id="flame-found" class="flame-found" role="status">{ is_searching.then(|| words(query, found, at, n_matches)) }</span>
        </div>
    }
}

fn words(query: &QueryState, found: Option<&Found>, at: Option<usize>, n_matches: Option<usize>) -> Html {
    if let Some(error) = &query.error {
        return html! { <span class="flame-problem">{ &error.text }</span> };
    }
    let Some(found) = found else {
        return Html::default();
    };
    // A name may match of which nothing is left: hidden, or kept out by the filter.
    if found.samples == 0 {
        return html! { "no match" };
    }
    let step = match (at, n_matches) {
        (_, Some(0)) => " · all narrower than a pixel".to_owned(),
        (Some(at), Some(n)) => format!(" · {} of {n}", at + 1),
        _ => " · Enter steps".to_owned(),
    };
    let percent = format::percent(found.percent / 100.0);
    let error =
        format::percent_with_margin(found.percent / 100.0, found.percent_error / 100.0)[percent.len()..].to_owned();
    html! {
        <>
            { "matched " }
            <b data-figure="find.percent" data-value={found.percent.to_string()}>{ percent }</b>
            <span data-figure="find.percent_error" data-value={found.percent_error.to_string()}>{ error }</span>
            { step }
        </>
    }
}
