//! The side panel: details about the selected function, next to the view it was selected in.
//!
//! Space for every section is reserved before its data arrives, and the two lists at the end appear together, so
//! nothing moves under the pointer. Each selection is a new [`Selected`], so it never shows figures of the previous
//! one.

mod compared;
mod figures;
pub mod line;
mod neighbors;
mod pictures;
mod snapshot;
mod source;
mod text;
mod verdict;

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use self::compared::Compared;
use self::line::LineSection;
use self::source::SourceSection;
use crate::ui::components::location::Location;
use crate::ui::components::name::breakable;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::{Capabilities, Tab, ViewAction, ViewState};
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::flame::{BoxSelector, BranchConfig, Direction};
use camlscope_engine::query::histogram::{Bins, Counted, HistogramConfig, Of};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{Column, Order, Table, TableConfig};
use camlscope_engine::query::timeline::{Graph, TimelineConfig};
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::layout::names;
use camlscope_view::page::components::panel::subject::Subject;
use camlscope_view::page::query::hook::QueryState;

const TOP: usize = 8;
/// The selection's row is looked up among at most this many rows whose name contains its name.
const MAX_ALIKE: usize = 5_000;
/// More steps than the panel has pixels would not be visible.
const CURVE_STEPS: usize = 134;

#[component]
pub fn Panel() -> Html {
    let workspace = use_workspace();
    let node = use_node_ref();
    // Scroll to the top for a new selection.
    use_effect_with((node.clone(), workspace.view_state.selected.clone()), |(node, _)| {
        if let Some(panel) = node.cast::<Element>() {
            panel.set_scroll_top(0);
        }
    });
    let tab = workspace.view_state.tab;
    if tab == Tab::Source {
        return html! {
            <aside class="panel" ref={node} tabindex="0" aria-label="Line">{ selected_line(&workspace) }</aside>
        };
    }
    let is_comparing = tab == Tab::Compare;
    let selected = workspace.view_state.selected.clone().map(|label| {
        if is_comparing {
            return html! { <Compared {label} /> };
        }
        let key = format!("{}@{}", label.name, label.exact_location());
        html! { <Selected key={key} workspace={workspace.clone()} {label} /> }
    });
    html! {
        <aside class="panel" ref={node} tabindex="0" aria-label="Selection">
            { selected }
            if !is_comparing {
                { snapshot::section(&workspace) }
            }
        </aside>
    }
}

fn selected_line(WorkspaceContext { view_state, .. }: &WorkspaceContext) -> Html {
    match (&view_state.source.file, view_state.source.line) {
        (Some(file), Some(line)) => html! { <LineSection key={format!("{file}:{line}")} file={file.clone()} {line} /> },
        _ => Html::default(),
    }
}

/// Whether there is anything to show next to the view. For a profile, there is always the snapshot.
pub fn has_content(WorkspaceContext { view_state, capabilities, .. }: &WorkspaceContext) -> bool {
    match view_state.tab {
        Tab::Flame | Tab::Table | Tab::Histograms => view_state.selected.is_some() || capabilities.has_snapshots,
        Tab::Compare => view_state.selected.is_some(),
        Tab::Source => view_state.source.file.is_some() && view_state.source.line.is_some(),
        Tab::Summary | Tab::Leaks | Tab::Events => false,
    }
}

fn focus_view() {
    let stop =
        gloo::utils::document().query_selector("#view canvas[tabindex='0'], #view [tabindex='0']").ok().flatten();
    if let Some(stop) = stop.and_then(|stop| stop.dyn_into::<HtmlElement>().ok()) {
        let _ = stop.focus();
    }
}

#[derive(Properties, PartialEq)]
struct SelectedProps {
    workspace: WorkspaceContext,
    label: Label,
}

#[component]
fn Selected(props: &SelectedProps) -> Html {
    let SelectedProps { workspace: WorkspaceContext { view_state, dispatch, loaded, capabilities, units, .. }, label } =
        props;
    let units = *units;
    let subject = Subject::new(label, view_state.grain);
    let questions = Questions { view_state, subject: &subject, end_us: loaded.main.summary.end_us };
    let row = use_query(Some(questions.row()));
    let curve = use_query(Some(questions.curve()));
    let Capabilities { has_objects, has_samples, has_snapshots, has_calls, .. } = *capabilities;
    let lifetimes = use_query(has_objects.then(|| questions.histogram(Of::Lifetime, Bins::Log10)));
    let sizes = use_query(has_objects.then(|| questions.histogram(Of::Size, Bins::Log2)));
    let verdict = use_query(questions.verdict());
    let callers = use_query(Some(questions.branches(Direction::Callers(label.clone()))));
    let callees = use_query(Some(questions.branches(Direction::Callees(label.clone()))));
    // Both lists are updated together, so that the second doesn't jump when the first one arrives.
    let lists = use_state(|| None::<(QueryState, QueryState)>);
    use_effect_with((callers, callees), {
        let lists = lists.setter();
        move |(callers, callees)| {
            let is_whole = |query: &QueryState| !query.is_waiting && (query.answer.is_some() || query.error.is_some());
            if is_whole(callers) && is_whole(callees) {
                lists.set(Some((callers.clone(), callees.clone())));
            }
        }
    });

    let table = row.get::<Table>();
    let found = table.and_then(|table| table.rows.iter().find(|row| row.label() == *label));
    let all_bytes = table.map_or(0.0, |table| table.all_bytes);
    let is_gone = found.is_none() && !row.is_waiting && (row.answer.is_some() || row.error.is_some());
    let start_us = view_state.timeline.wall_clock.then_some(loaded.main.summary.info.start_time_us);
    html! {
        <>
            <div class="panel-head">
                <h2 class="panel-name" title={label.name.clone()} data-figure="selected.name"
                    data-value={label.name.clone()}>{ breakable(&names::plain(&label.name)) }</h2>
                { close_button(dispatch) }
            </div>
            <p class="panel-file"><Location label={label.clone()} text={place_text(label, subject.grain)} /></p>
            { verdict::line(&subject, &verdict, found, units) }
            { actions(&subject, view_state, dispatch, true) }
            if is_gone {
                <p class="panel-gone">{ gone(view_state) }</p>
            }
            <SourceSection subject={subject.clone()} />
            if has_objects {
                <h3>{ figures::title(view_state) }</h3>
                { figures::list(found, all_bytes, view_state.measure, units) }
                <h3>{ text::of_all(view_state) }</h3>
            } else {
                { figures::exact_list(found, all_bytes, has_calls, view_state, units) }
            }
            { pictures::curve(curve.get(), has_snapshots, start_us, units) }
            if has_objects {
                { pictures::lifetimes(lifetimes.get(), units) }
                { pictures::sizes(sizes.get(), units) }
            }
            { neighbors::lists(
                lists.as_ref().map(|(callers, callees)| (callers.get(), callees.get())),
                has_samples,
                (view_state.measure.in_bytes().unit(), units),
                &dispatch.reform(|label| ViewAction::Select(Some(label))),
            ) }
        </>
    }
}

/// The queries about a selection.
struct Questions<'a> {
    view_state: &'a ViewState,
    subject: &'a Subject,
    end_us: u64,
}

impl Questions<'_> {
    fn view(&self) -> View {
        View { grain: self.subject.grain, ..self.view_state.query_view() }
    }

    /// All objects through the function, whatever the measure. So changing the time needs no new query.
    fn view_through(&self) -> View {
        let mut view = View { measure: Measure::Allocated, ..self.view() };
        view.filter.clauses.push(self.subject.clause(false));
        view
    }

    fn row(&self) -> Request {
        let config = TableConfig {
            order: Order { column: Column::Name, descending: false },
            search: self.subject.label.name.clone(),
            rows: 0..MAX_ALIKE,
        };
        Request { view: self.view(), question: Question::Table(config) }
    }

    fn curve(&self) -> Request {
        let config = TimelineConfig {
            from_us: 0,
            to_us: self.end_us,
            n_steps: CURVE_STEPS,
            by: None,
            top: 0,
            graph: Graph::LiveBytes,
        };
        Request { view: self.view_through(), question: Question::Timeline(config) }
    }

    fn histogram(&self, of: Of, bins: Bins) -> Request {
        let config = HistogramConfig { of, bins, split: None, weight: Counted::Bytes };
        Request { view: self.view_through(), question: Question::Histogram(config) }
    }

    /// Only for the program's own functions, because library allocations are attributed to their callers.
    fn verdict(&self) -> Option<Request> {
        if !self.subject.can_have_verdict() {
            return None;
        }
        let view = View { measure: Measure::Allocated, grain: Grain::Function, ..self.view_state.query_view() };
        Some(Request { view, question: Question::Growth })
    }

    fn branches(&self, direction: Direction) -> Request {
        let mut view = self.view();
        // In a profile, calls are also counted by callers and callees.
        if view.measure != Measure::Calls {
            view.measure = view.measure.in_bytes();
        }
        let config = BranchConfig { direction, parent: BoxSelector::Top, rows: 0..TOP };
        Request { view, question: Question::Branches(config) }
    }
}

fn place_text(label: &Label, grain: Grain) -> String {
    match (label.place, grain) {
        (None, Grain::File) => "a file".to_owned(),
        (None, Grain::Module) => "a module".to_owned(),
        (None, _) if label.file.is_empty() => "unknown source".to_owned(),
        _ => label.exact_location(),
    }
}

fn gone(view_state: &ViewState) -> &'static str {
    if view_state.chips.iter().any(|chip| chip.is_on) {
        "No data with this filter and measure. Remove a filter or choose another measure."
    } else {
        "No data for this measure. Choose another one, such as allocated."
    }
}

fn close_button(dispatch: &Callback<ViewAction>) -> Html {
    let dispatch = dispatch.clone();
    let onclick = Callback::from(move |_: MouseEvent| {
        dispatch.emit(ViewAction::Select(None));
        // The button disappears together with the panel.
        focus_view();
    });
    html! { <button class="quiet panel-close" {onclick} aria-label="Deselect" title="Deselect">{ "×" }</button> }
}

/// `has_stacks` is false if the selection may not be in the flame graph.
fn actions(subject: &Subject, view_state: &Rc<ViewState>, dispatch: &Callback<ViewAction>, has_stacks: bool) -> Html {
    let button = |words: &'static str, title: &'static str, deeds: Option<Vec<ViewAction>>| {
        let disabled = deeds.is_none();
        let dispatch = dispatch.clone();
        let onclick = Callback::from(move |_: MouseEvent| {
            for deed in deeds.iter().flatten() {
                dispatch.emit(deed.clone());
            }
        });
        html! { <button class="quiet" {title} {disabled} {onclick}>{ words }</button> }
    };
    let mut sandwich =
        vec![ViewAction::Direction(Direction::Callees(subject.label.clone())), ViewAction::Tab(Tab::Flame)];
    if view_state.grain != subject.grain {
        sandwich.insert(0, ViewAction::Grain(subject.grain));
    }
    html! {
        <div class="panel-actions" role="group" aria-label="Actions">
            { button("Focus", "Keep only stacks through it and make it the root", subject.focus().map(|clause| vec![ViewAction::AddClause(clause)])) }
            if has_stacks {
                { button("Callers and callees", "Show its callers and callees in the flame graph", Some(sandwich)) }
            }
            { button("Hide", "Remove it from stacks. Its bytes count toward its callers.", subject.hide().map(|clause| vec![ViewAction::AddClause(clause)])) }
            { button("Filter", "Keep only objects with it in their call stack", Some(vec![ViewAction::AddClause(subject.clause(false))])) }
        </div>
    }
}
