//! The search field: a regex on names. It shows how much memory has a match in its stack, and Enter goes to the next
//! match.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::components::search::search_test;
use crate::ui::context::WorkspaceContext;
use crate::ui::query::{QueryState, use_query};
use crate::ui::store::view::ViewAction;
use crate::ui::views::flame::matches::{self, Matches, use_step};
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::Half;
use camlscope_engine::protocol::Question;
use camlscope_engine::query::flame::Found;
use camlscope_present::format;

/// Returns the search field and the result.
#[hook]
pub fn use_search(scene: &FlameScene, handlers: &Handlers) -> (Html, Option<Found>) {
    let WorkspaceContext { view_state, dispatch, .. } = &scene.workspace;
    let test = search_test(&view_state.search);
    let whole = |half| matches::question(scene, half).filter(|_| test.is_some());
    let (lower, upper) = (whole(Half::Lower), whole(Half::Upper));
    let (lower, upper) = (use_query(lower), use_query(upper));
    let query = use_query(test.map(|test| view_state.request(Question::Find(test))));
    let matches =
        use_memo((query.clone(), lower, upper), |(query, lower, upper)| Matches::new(query.get()?, lower, upper));
    let on_step = use_step(handlers, &matches);
    let matches = (*matches).as_ref();
    let at = matches.and_then(|matches| matches.position(scene));
    let found = query.get::<Found>();
    let oninput = dispatch
        .reform(|event: InputEvent| ViewAction::Search(event.target_unchecked_into::<HtmlInputElement>().value()));
    let onkeydown = {
        let (dispatch, handlers) = (dispatch.clone(), handlers.clone());
        Callback::from(move |event: KeyboardEvent| match event.key().as_str() {
            "Enter" => {
                event.prevent_default();
                on_step.emit(!event.shift_key());
            }
            "Escape" => {
                event.prevent_default();
                dispatch.emit(ViewAction::Search(String::new()));
                handlers.take_focus();
            }
            _ => {}
        })
    };
    let text = view_state.search.clone();
    let is_searching = !text.trim().is_empty();
    let field = html! {
        <div class="flame-search">
            <div class="flame-field">
                <input type="search" data-search="functions" value={text} {oninput} {onkeydown} placeholder="Search names"
                    aria-label="Search names (regex)" aria-keyshortcuts="/" spellcheck="false"
                    autocomplete="off" aria-invalid={query.error.is_some().to_string()} aria-describedby="flame-found" />
                if !is_searching {
                    <kbd aria-hidden="true">{ "/" }</kbd>
                }
            </div>
            <span id="flame-found" class="flame-found" role="status">{ is_searching.then(|| words(&query, found, at, matches.map(Matches::len))) }</span>
        </div>
    };
    (field, found.cloned())
}

fn words(query: &QueryState, found: Option<&Found>, at: Option<usize>, n_matches: Option<usize>) -> Html {
    if let Some(error) = &query.error {
        return html! { <span class="flame-problem">{ &error.text }</span> };
    }
    let Some(found) = found else {
        return Html::default();
    };
    // A matching name may have no samples, because it is hidden or filtered out.
    if found.samples == 0 {
        return html! { "no match" };
    }
    let step = match (at, n_matches) {
        (_, Some(0)) => " · all narrower than a pixel".to_owned(),
        (Some(at), Some(n)) => format!(" · {} of {n}", at + 1),
        _ => " · Enter for next".to_owned(),
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
