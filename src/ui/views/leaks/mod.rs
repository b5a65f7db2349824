//! The Leaks tab: whether the heap grows, by how much and since when, the never-freed bytes by time of allocation, and
//! the growth as a flame graph or a table, using the views of the other tabs.
//!
//! The verdict is on the entire trace, whatever the filter, because part of a trace can't show whether the program
//! leaks.

mod bars;
mod conclusion;
pub mod explainer;

use std::rc::Rc;

use yew::prelude::*;

use self::bars::GrowthBars;
use self::conclusion::conclusion;
use crate::ui::components::nothing::why_nothing;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::settings::LeakView;
use crate::ui::store::view::{Tab, ViewAction, ViewState};
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::filter::{Clause, When};
use camlscope_engine::query::growth::{Growth, HeapGrowth, Verdict};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::Grain;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::names;
use camlscope_present::words::growth as growth_words;
use camlscope_view::page::components::panel::subject::Subject;

#[derive(Properties, PartialEq)]
pub struct LeaksProps {
    /// Views of other tabs. They show what their context provides.
    pub flame: Html,
    pub table: Html,
}

#[component]
pub fn LeaksView(props: &LeaksProps) -> Html {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, loaded, units, .. } = &workspace;
    let query = use_query(Some(request(view_state)));
    let growth = match query.get::<Growth>() {
        Some(growth) if growth.heap.verdict == Verdict::NothingAllocated => {
            return why_nothing(loaded, view_state, dispatch, None);
        }
        Some(growth) => growth,
        _ if query.error.is_some() => return why_nothing(loaded, view_state, dispatch, query.error.as_ref()),
        _ => {
            let share = query.progress.map_or_else(String::new, |share| format!(" {}", format::percent(share)));
            return html! { <p class="leaks-waiting" role="status">{ format!("Measuring growth…{share}") }</p> };
        }
    };
    html! {
        <div class="leaks-view">
            { conclusion(&growth.heap, view_state, loaded.main.growth.is_growing(), *units) }
            <div class="leaks-bar">
                <h2>{ "Never freed, by allocation time" }</h2>
                { passing(growth, view_state, dispatch, *units) }
            </div>
            <GrowthBars workspace={workspace.clone()} answer={query.answer.clone()} is_part={is_part(view_state)} />
            { detail(&workspace, &growth.heap, props) }
        </div>
    }
}

/// Queries the objects that pass the filter and come from the selected frame.
fn request(view_state: &ViewState) -> Request {
    let mut view = View { measure: Measure::Allocated, grain: Grain::Function, ..view_state.query_view() };
    view.filter.clauses.extend(selection(view_state).map(|subject| subject.clause(false)));
    Request { view, question: Question::Growth }
}

fn selection(view_state: &ViewState) -> Option<Subject> {
    view_state.selected.as_ref().map(|label| Subject::new(label, view_state.leak_grain))
}

/// Whether the response covers only a part of the heap.
fn is_part(view_state: &ViewState) -> bool {
    view_state.selected.is_some() || view_state.chips.iter().any(|chip| chip.is_on)
}

/// How much of the growth passes the filter and comes from the selection. The line is always present, so that selecting
/// doesn't move anything.
fn passing(growth: &Growth, view_state: &ViewState, dispatch: &Callback<ViewAction>, units: Units) -> Html {
    let Growth { heap, passing, .. } = growth;
    // A rate within a time range isn't a share of the total growth.
    let share = passing.share.filter(|_| view_state.brush().is_none()).map(growth_words::percent_between);
    let figures = match (heap.verdict, passing.rate, share) {
        (Verdict::Stopped, _, Some(share)) => format!("{share} of the past growth"),
        (_, None, _) => "too young to judge".to_owned(),
        (Verdict::Growing, rate, Some(share)) => format!("{}, {share} of the growth", growth_words::rate(rate, units)),
        (_, rate, _) => growth_words::rate(rate, units),
    };
    let subject = selection(view_state);
    let name = subject.as_ref().map_or_else(
        || html! { { "Filtered objects" } },
        |subject| html! { <b>{ names::plain(&subject.label.name) }</b> },
    );
    let clear = dispatch.reform(|_: MouseEvent| ViewAction::Select(None));
    html! {
        <p class="leaks-part" role="status">
            if is_part(view_state) {
                <span class="leaks-swatch" aria-hidden="true" />
                <span data-figure="passing.growth_bytes_per_s"
                    data-value={passing.rate.map(|rate| rate.bytes_per_s.to_string())}>{ name }{ ": " }{ figures }</span>
                if subject.is_some() {
                    <button class="quiet" onclick={clear}>{ "Deselect" }</button>
                }
            } else if has_detail(heap, view_state) {
                <span class="leaks-muted">{ "Select a frame below to see its growth." }</span>
            }
        </p>
    }
}

/// Shows the growth by allocating code, or why there is none.
fn detail(workspace: &WorkspaceContext, heap: &HeapGrowth, props: &LeaksProps) -> Html {
    let WorkspaceContext { view_state, dispatch, .. } = workspace;
    let window = shown_window(heap, view_state);
    if !has_detail(heap, view_state) {
        return nothing_kept(heap, dispatch);
    }
    let context = {
        let (outside, dispatch) = (Rc::clone(view_state), dispatch.clone());
        WorkspaceContext {
            view_state: Rc::new(view_state.of_growth(window)),
            dispatch: Callback::from(move |action| {
                outside.actions_of_growth(action).into_iter().for_each(|action| dispatch.emit(action));
            }),
            ..workspace.clone()
        }
    };
    let view = match view_state.leak_view {
        LeakView::Flame => props.flame.clone(),
        LeakView::Table => props.table.clone(),
    };
    html! {
        <>
            <div class="leaks-bar">
                { switch(view_state.leak_view, dispatch) }
                <p class="leaks-muted">{ caption(heap, view_state) }</p>
            </div>
            <div class="leaks-detail">
                <ContextProvider<WorkspaceContext> {context}>{ view }</ContextProvider<WorkspaceContext>>
            </div>
        </>
    }
}

/// Whether any object that is old enough to judge is still alive.
fn has_detail(heap: &HeapGrowth, view_state: &ViewState) -> bool {
    heap.samples > 0 || shown_window(heap, view_state).is_some()
}

/// Growth that has stopped is shown over its own time range, unless the filter has one.
fn shown_window(heap: &HeapGrowth, view_state: &ViewState) -> Option<Clause> {
    (heap.verdict == Verdict::Stopped && view_state.brush().is_none()).then(|| heap.grown.clause())
}

fn caption(heap: &HeapGrowth, view_state: &ViewState) -> String {
    let window = match shown_window(heap, view_state) {
        Some(_) => heap.grown,
        None => heap.window_in(&view_state.filter()),
    };
    let before = format::duration_us(window.to_us.min(heap.end_us));
    match window {
        window if window.is_empty() => "Nothing allocated in this time range is old enough to judge".to_owned(),
        window if window.from_us == 0 => format!("Allocated before {before} and never freed"),
        window => format!("Allocated from {} to {before} and never freed", format::duration_us(window.from_us)),
    }
}

fn switch(current: LeakView, dispatch: &Callback<ViewAction>) -> Html {
    let button = |view: LeakView| {
        let title = match view {
            LeakView::Flame => "Flame graph",
            LeakView::Table => "Table",
        };
        let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::LeakView(view));
        html! { <button class="quiet" aria-pressed={(view == current).to_string()} {onclick}>{ title }</button> }
    };
    html! { <div class="switch" role="group" aria-label="Show growth as">{ for LeakView::ALL.map(button) }</div> }
}

/// No object that is old enough is still alive. There is no growth to draw, but there may be live bytes.
fn nothing_kept(heap: &HeapGrowth, dispatch: &Callback<ViewAction>) -> Html {
    let judged_until = format::duration_us(heap.judged_until_us());
    let words = match heap.window.is_empty() {
        true => "No growth to show: no objects are old enough to judge.".to_owned(),
        false if heap.is_profile => {
            format!("No growth to show: nothing allocated before {judged_until} is still live.")
        }
        false => {
            format!("No growth to show: no sampled object allocated before {judged_until} is still live.")
        }
    };
    let dispatch = dispatch.clone();
    let show_live = Callback::from(move |_: MouseEvent| {
        dispatch.emit(ViewAction::Measure(Measure::Live(When::End)));
        dispatch.emit(ViewAction::Tab(Tab::Flame));
    });
    html! {
        <div class="nothing">
            <p>{ words }</p>
            <button class="button" onclick={show_live}>{ "Show live at the end" }</button>
        </div>
    }
}
