//! The screen of an open trace: timeline, filter bar and panel around one view. All of them read the view state
//! from the context and dispatch view actions.

use std::iter;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, HtmlInputElement};
use yew::prelude::*;

use crate::ui::commands::SourceLocation;
use crate::ui::components::filter_bar::FilterBar;
use crate::ui::components::notes::notes_strip;
use crate::ui::components::panel;
use crate::ui::components::share_menu::Share;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::later::Arrival;
use crate::ui::platform::deferred::use_deferred;
use crate::ui::platform::keyboard::use_key;
use crate::ui::platform::source_folder::DroppedFolder;
use crate::ui::query::{QueryContext, WorkerClient};
use crate::ui::store::view::{Tab, ViewAction, ViewState};
use crate::ui::store::{Action, Loaded, Sources};
use crate::ui::views::summary::summary_view;
use crate::ui::views::timeline::TimelineStrip;
use crate::ui::views::timeline::pins::pin_action;
use camlscope_present::export::{Notes, ReportHeader};
use camlscope_present::format::Units;
use camlscope_present::layout::color::ModuleColors;

#[derive(Properties, Clone, PartialEq)]
pub struct WorkspaceProps {
    pub loaded: Rc<Loaded>,
    pub view_state: Rc<ViewState>,
    pub units: Units,
    pub notes: Rc<Notes>,
    pub edits_notes: bool,
    /// The header of the report that contains the trace.
    pub report: Option<Rc<ReportHeader>>,
    /// The files that the page's host shows figures of.
    pub annotated: Option<Rc<[String]>>,
    pub client: WorkerClient,
    pub later: Arrival,
    pub sources: Option<Sources>,
    /// A folder that was dropped.
    pub dropped_folder: Option<DroppedFolder>,
    pub show_source: Callback<SourceLocation>,
    /// Whether to ask which sources a report includes.
    pub is_source_report: bool,
    pub on_share: Callback<Share>,
    pub dispatch: Callback<Action>,
}

#[component]
pub fn Workspace(props: &WorkspaceProps) -> Html {
    let dispatch = use_callback(props.dispatch.clone(), |action, dispatch| dispatch.emit(Action::View(action)));
    let pin = pin_action(&props.view_state, &props.loaded);
    use_shortcuts(dispatch.clone(), props.loaded.main.capabilities.tabs(), pin);
    let colors = use_colors(&props.loaded);
    let context = WorkspaceContext {
        loaded: Rc::clone(&props.loaded),
        capabilities: props.loaded.main.capabilities,
        view_state: Rc::clone(&props.view_state),
        dispatch,
        units: props.units,
        colors,
        later: props.later.clone(),
        sources: props.sources.clone(),
        show_source: props.show_source.clone(),
        act: props.dispatch.clone(),
    };
    use_dropped_folder(props);
    let queries = QueryContext { client: props.client.clone(), generation: props.loaded.generation };
    let tab = props.view_state.tab;
    let has_panel = panel::has_content(&context);
    html! {
        <ContextProvider<QueryContext> context={queries}>
            <ContextProvider<WorkspaceContext> {context}>
                <div class="workspace" data-tab={tab.as_str()}>
                    { notes_strip(&props.notes, props.edits_notes, props.report.as_deref(),
                        props.loaded.main.summary.downsampled, &props.later, &props.dispatch) }
                    <TimelineStrip />
                    <FilterBar />
                    if let Some((later, files)) = props.later.module().zip(props.annotated.clone()) {
                        { (later.annotations)(files) }
                    }
                    <div class="workspace-body">
                        <TabPanel />
                        if let Some(later) = props.later.module().filter(|_| has_panel) {
                            { (later.panel)() }
                        }
                    </div>
                    if let Some(later) = props.later.module().filter(|_| props.is_source_report) {
                        { (later.source_report)(props.on_share.clone(), props.dispatch.reform(|()| Action::SourceReport(false))) }
                    }
                </div>
            </ContextProvider<WorkspaceContext>>
        </ContextProvider<QueryContext>>
    }
}

/// Searches a dropped folder once the code for it is loaded.
#[hook]
fn use_dropped_folder(props: &WorkspaceProps) {
    let (later, dispatch) = (props.later.clone(), props.dispatch.clone());
    let is_loaded = later.module().is_some();
    use_effect_with((props.dropped_folder.clone(), is_loaded), move |(folder, _)| {
        if let Some((folder, later)) = folder.clone().zip(later.module()) {
            dispatch.emit(Action::FolderDropped(None));
            (later.open_folder)(folder, dispatch);
        }
    });
}

/// Returns the colors of all modules and files in the open traces. The first trace's names come first, so its colors
/// don't depend on the second trace.
#[hook]
fn use_colors(loaded: &Loaded) -> Rc<ModuleColors> {
    use_memo(loaded.generation, |_| {
        let open = || iter::once(&loaded.main).chain(&loaded.other);
        let modules = open().flat_map(|trace| &trace.names.modules).map(String::as_str);
        ModuleColors::new(modules, open().flat_map(|trace| &trace.names.files).map(String::as_str))
    })
}

#[component]
fn TabPanel() -> Html {
    let is_deferred = use_deferred();
    let WorkspaceContext { loaded, view_state, units, later, .. } = use_workspace();
    let name = loaded.main.name.clone();
    let view = match view_state.tab {
        _ if !is_deferred => Html::default(),
        Tab::Summary => summary_view(&loaded.main, view_state.chips.iter().any(|chip| chip.is_on), units),
        tab => later.draw(|later| (later.view)(tab)),
    };
    html! {
        <section id="view" class="view" role="tabpanel" aria-labelledby={format!("tab-{}", view_state.tab.as_str())}>
            if view_state.tab != Tab::Summary {
                <h1 class="visually-hidden">{ format!("{} of {name}", view_state.tab.title()) }</h1>
            }
            { view }
        </section>
    }
}

/// `/` focuses the search field, digits and brackets change tabs, and `n` pins a note.
#[hook]
fn use_shortcuts(dispatch: Callback<ViewAction>, tabs: &'static [Tab], pin: Option<ViewAction>) {
    use_key((dispatch, tabs, pin), |&(ref dispatch, tabs, ref pin), event| {
        let action = match event.key().as_str() {
            "/" => {
                event.prevent_default();
                return focus_search();
            }
            "[" => ViewAction::TabBeside { by: -1, tabs },
            "]" => ViewAction::TabBeside { by: 1, tabs },
            "n" => match pin {
                Some(pin) => pin.clone(),
                None => return,
            },
            key => match key.parse::<usize>().ok().and_then(|digit| tabs.get(digit.wrapping_sub(1))) {
                Some(tab) => ViewAction::Tab(*tab),
                None => return,
            },
        };
        event.prevent_default();
        dispatch.emit(action);
    });
}

fn focus_search() {
    let field = gloo::utils::document().query_selector(".workspace [data-search]").ok().flatten();
    if let Some(field) = field.and_then(|field| field.dyn_into::<HtmlElement>().ok()) {
        let _ = field.focus();
        if let Some(input) = field.dyn_ref::<HtmlInputElement>() {
            input.select();
        }
    }
}
