//! The Compare tab: what changed between two points in time, or between two traces. At the top, a flame graph of both
//! sides, colored by the change. Below it, the table of functions with the significance of each change, since both
//! sides are samples.

mod changes;
mod diff_flame;
mod diff_tree;
mod explainer;
mod histograms;
mod notes;
mod scene;
mod words;

use std::rc::Rc;

use web_sys::HtmlInputElement;
use yew::prelude::*;

use self::changes::Changes;
use self::diff_flame::DiffFlameGraph;
use self::histograms::BothHistograms;
use self::scene::Matcher;
use crate::ui::components::breadcrumbs::Breadcrumbs;
use crate::ui::components::comparison;
use crate::ui::components::explainer::{QUESTION, explainer};
use crate::ui::components::grain_select::grain_select;
use crate::ui::components::search::search_test;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::store::view::compare::CompareAction;
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::query::filter::NameMatcher;
use camlscope_present::layout::diff::Width;

#[component]
pub fn CompareView() -> Html {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, .. } = &workspace;
    let pair = comparison::compared(view_state, loaded);
    let search = use_memo(view_state.search.clone(), |text| matcher(text));
    let (matcher, problem) = match &*search {
        None => (None, None),
        Some(Ok(matcher)) => (Some(matcher.clone()), None),
        Some(Err(problem)) => (None, Some(problem.clone())),
    };
    html! {
        <div class="compare">
            { notes::notes(view_state, loaded, pair, workspace.units) }
            <div class="compare-bar">
                { search_field(view_state, dispatch, problem) }
                { width_switch(view_state.compare.width, dispatch) }
                { grain_select("Group by", &workspace) }
                { ramp(capabilities.has_samples) }
            </div>
            { breadcrumbs(view_state, dispatch) }
            <DiffFlameGraph {pair} matcher={matcher.clone()} />
            <Changes {pair} {matcher} />
            if capabilities.has_objects {
                <BothHistograms {pair} />
                { explainer(QUESTION, explainer::SUMMARY, &explainer::SHAPES) }
            } else {
                { explainer(QUESTION, explainer::OF_PROFILE, &explainer::OF_PROFILE_SHAPES) }
            }
        </div>
    }
}

/// Returns `None` without a search text, or an error message for an invalid pattern.
fn matcher(text: &str) -> Option<Result<Matcher, String>> {
    let test = search_test(text)?;
    let names = NameMatcher::new(&test).map_err(|_| "Invalid regular expression.".to_owned());
    Some(names.map(|names| Matcher { text: text.to_owned(), names: Rc::new(names) }))
}

fn search_field(view_state: &ViewState, dispatch: &Callback<ViewAction>, problem: Option<String>) -> Html {
    let oninput = dispatch
        .reform(|event: InputEvent| ViewAction::Search(event.target_unchecked_into::<HtmlInputElement>().value()));
    html! {
        <>
            <input type="search" class="table-search" data-search="functions" value={view_state.search.clone()} {oninput}
                placeholder="Search names" aria-label="Search names (regex)" aria-keyshortcuts="/"
                spellcheck="false" autocomplete="off" aria-invalid={problem.is_some().to_string()} />
            if let Some(problem) = problem {
                <span class="flame-problem" role="status">{ problem }</span>
            }
        </>
    }
}

fn width_switch(width: Width, dispatch: &Callback<ViewAction>) -> Html {
    let button = |of: Width, text: &'static str, title: &'static str| {
        let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::Compare(CompareAction::Width(of)));
        html! { <button class="quiet" aria-pressed={(width == of).to_string()} {title} {onclick}>{ text }</button> }
    };
    html! {
        <span class="switch" role="group" aria-label="Box width">
            <span>{ "width" }</span>
            { button(Width::After, "after", "Box width is memory after. Shows what was added.") }
            { button(Width::Before, "before", "Box width is memory before. Shows what was removed.") }
        </span>
    }
}

/// The color legend.
fn ramp(has_samples: bool) -> Html {
    let more = if has_samples { "more · gray: not significant" } else { "more · gray: unchanged" };
    html! {
        <span class="ramp">{ "less" }<span class="ramp-colors" aria-hidden="true"></span>{ more }</span>
    }
}

fn breadcrumbs(view_state: &ViewState, dispatch: &Callback<ViewAction>) -> Html {
    let path = view_state.compare.root.clone();
    if path.is_empty() {
        return Html::default();
    }
    let on_zoom = dispatch.reform(|path| ViewAction::Compare(CompareAction::Zoom(path)));
    html! { <Breadcrumbs class="compare-crumbs" {path} {on_zoom} /> }
}
