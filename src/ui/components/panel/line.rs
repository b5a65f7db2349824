//! The selected line of the Source tab: its figures, and its callers and callees by line.

use yew::prelude::*;

use crate::ui::commands::SourceLocation;
use crate::ui::components::name::breakable;
use crate::ui::components::panel::text::dash;
use crate::ui::components::panel::{focus_view, neighbors};
use crate::ui::components::sources::code::About;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::use_query;
use crate::ui::store::view::settings::SourceSettings;
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::protocol::{Question, Request};
use camlscope_engine::query::filter::{line_name, parse_line};
use camlscope_engine::query::flame::{BoxSelector, BranchConfig, Branches, Direction};
use camlscope_engine::query::lines::{FileLines, LinesConfig};
use camlscope_engine::query::tree::Label;
use camlscope_present::format;
use camlscope_present::source_files::file_name;
use camlscope_view::page::components::panel::line::{through, toggle};
use camlscope_view::page::query::hook::QueryState;

const TOP: usize = 12;

#[derive(Properties, PartialEq)]
pub struct LineProps {
    /// The path in the trace.
    pub file: String,
    pub line: u32,
}

#[component]
pub fn LineSection(props: &LineProps) -> Html {
    let LineProps { file, line } = props;
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, capabilities, units, show_source, .. } = &workspace;
    let query = use_query(Some(view_state.request(Question::Lines(LinesConfig { file: file.clone() }))));
    let label = Label::of_line(file, *line);
    let callers = use_query(Some(branches(view_state, Direction::Callers(label.clone()))));
    let callees = use_query(Some(branches(view_state, Direction::Callees(label))));
    let lines = query.get::<FileLines>();
    let figures = lines.and_then(|lines| lines.lines.iter().find(|other| other.line == *line)).map(|line| line.figures);
    let about = About::new(&workspace, lines.map_or(0.0, |lines| lines.all));
    let is_whole = |query: &QueryState| !query.is_waiting && (query.answer.is_some() || query.error.is_some());
    let lists =
        (is_whole(&callers) && is_whole(&callees)).then(|| (callers.get::<Branches>(), callees.get::<Branches>()));
    let on_label = show_source.reform(|label: Label| match parse_line(&label.name) {
        Some((file, line)) => SourceLocation { file: file.to_owned(), line: Some(line) },
        None => SourceLocation { file: label.file.clone(), line: None },
    });
    let close = {
        let (dispatch, file) = (dispatch.clone(), file.clone());
        Callback::from(move |_: MouseEvent| {
            dispatch.emit(ViewAction::Source(SourceSettings::at(&file, None)));
            focus_view();
        })
    };
    let entry = |name: &'static str, text: String| html! { <div><dt>{ name }</dt><dd>{ text }</dd></div> };
    html! {
        <>
            <div class="panel-head">
                <h2 class="panel-name" data-figure="selected.line" data-value={line_name(file, *line)}>
                    { breakable(&format!("{}:{line}", file_name(file))) }
                </h2>
                <button class="quiet panel-close" onclick={close} aria-label="Deselect" title="Deselect">{ "×" }</button>
            </div>
            <p class="panel-file" title={file.clone()}>{ file }</p>
            if let Some(figures) = &figures {
                { filter_button(view_state, dispatch, file, *line) }
                <dl class="panel-figures" title={about.title(figures)}>
                    { entry("total", about.amount(figures.total)) }
                    { entry("share of total", format::percent(about.share(figures.total))) }
                    { entry("self", if figures.own > 0.0 { about.amount(figures.own) } else { dash() }) }
                    if capabilities.has_samples {
                        { entry("samples", format::count(figures.total_samples)) }
                    }
                </dl>
                { neighbors::lists(lists, capabilities.has_samples, (view_state.measure.unit(), *units), &on_label) }
            } else if lines.is_some() && !query.is_waiting {
                <p class="panel-gone">{ "This line has no memory in this view." }</p>
            }
        </>
    }
}

fn branches(view_state: &ViewState, direction: Direction) -> Request {
    let config = BranchConfig { direction, parent: BoxSelector::Top, rows: 0..TOP };
    view_state.request(Question::LineBranches(config))
}

fn filter_button(view_state: &ViewState, dispatch: &Callback<ViewAction>, file: &str, line: u32) -> Html {
    let is_on = view_state.filter().clauses.contains(&through(file, line));
    let action = toggle(view_state, file, line, true);
    let dispatch = dispatch.clone();
    let onclick = Callback::from(move |_: MouseEvent| action.iter().for_each(|action| dispatch.emit(action.clone())));
    html! {
        <div class="panel-actions" role="group" aria-label="Actions">
            <button type="button" class="quiet" aria-pressed={is_on.to_string()} {onclick}>
                { if is_on { "Remove filter" } else { "Filter" } }
            </button>
        </div>
    }
}
