//! The search of a flame graph. It shows how many boxes match, and how much memory has a match in its stack. Enter goes
//! to the next match.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::search::{Matcher, search_field};
use crate::ui::context::WorkspaceContext;
use crate::ui::query::use_query;
use crate::ui::views::flame::matches::{self, Matches, use_step};
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::{Boxes, FlameScene};
use crate::ui::views::flame::state::Half;
use camlscope_engine::protocol::Question;
use camlscope_engine::query::flame::{FlameName, Found};
use camlscope_present::format;
use camlscope_view::page::components::search::match_words;
use camlscope_view::page::query::hook::QueryState;

/// Returns the search field and the result.
#[hook]
pub fn use_search(
    scene: &FlameScene,
    handlers: &Handlers,
    matcher: Result<Option<Matcher>, String>,
) -> (Html, Option<Found>) {
    let WorkspaceContext { view_state, .. } = &scene.workspace;
    let is_searching = matches!(matcher, Ok(Some(_)));
    let whole = |half| matches::question(scene, half).filter(|_| is_searching);
    let (lower, upper) = (whole(Half::Lower), whole(Half::Upper));
    let (lower, upper) = (use_query(lower), use_query(upper));
    let request = is_searching.then(|| view_state.request(Question::Find(view_state.search.clone())));
    let query = use_query(request);
    let matches = use_memo((query.clone(), lower, upper), |(query, lower, upper)| matches(query.get()?, lower, upper));
    let found = query.get::<Found>();
    let words = match (matcher, &query.error) {
        (Err(problem), _) => Err(problem),
        (_, Some(error)) => Err(error.text.clone()),
        _ => Ok(words(found, (*matches).as_ref(), scene)),
    };
    let field = use_search_field(scene, handlers, &matches, words);
    (field, found.cloned())
}

/// Returns the field, whose Enter key steps through these matches.
#[hook]
pub fn use_search_field(
    scene: &FlameScene,
    handlers: &Handlers,
    matches: &Rc<Option<Matches>>,
    words: Result<Html, String>,
) -> Html {
    let WorkspaceContext { view_state, dispatch, .. } = &scene.workspace;
    let on_step = use_step(handlers, matches);
    let handlers = handlers.clone();
    search_field(view_state, dispatch, words, on_step, Callback::from(move |()| handlers.take_focus()))
}

/// Returns `None` until the full graphs have arrived.
fn matches(found: &Found, lower: &QueryState, upper: &QueryState) -> Option<Matches> {
    if lower.is_waiting || upper.is_waiting {
        return None;
    }
    let (lower, upper) = (lower.answer.clone()?, upper.answer.clone());
    let is_match = |name: &FlameName| found.keys.binary_search(&name.key).is_ok();
    Some(Matches::new(Boxes::Stacks(lower), upper.map(Boxes::Stacks), is_match))
}

fn words(found: Option<&Found>, matches: Option<&Matches>, scene: &FlameScene) -> Html {
    let Some(found) = found else {
        return Html::default();
    };
    // A matching name may have no samples, because it is hidden or filtered out.
    if found.samples == 0 {
        return html! { "no match" };
    }
    let count = matches.map(|matches| match matches.len() {
        0 => " · all narrower than a pixel".to_owned(),
        n => format!(" · {}", match_words(matches.position(scene), n)),
    });
    let percent = format::percent(found.percent / 100.0);
    let error =
        format::percent_with_margin(found.percent / 100.0, found.percent_error / 100.0)[percent.len()..].to_owned();
    html! {
        <>
            { "matched " }
            <b data-figure="find.percent" data-value={found.percent.to_string()}>{ percent }</b>
            <span data-figure="find.percent_error" data-value={found.percent_error.to_string()}>{ error }</span>
            { count }
        </>
    }
}
