//! The root component. It holds the store and the commands, and picks the screen to show.

use std::rc::Rc;

use gloo::timers::callback::Interval;
use wasm_bindgen_futures::spawn_local;
use web_sys::{Element, File, FocusOptions, HtmlElement};
use yew::prelude::*;

use crate::ui::commands::export::Exported;
use crate::ui::commands::following::FollowedFile;
use crate::ui::commands::{Commands, SourceLocation};
use crate::ui::components::drop_target::{DropEvent, DropTarget};
use crate::ui::components::following::Following;
use crate::ui::components::header::Header;
use crate::ui::components::newer_version::newer_version;
use crate::ui::components::notice::Notices;
use crate::ui::components::palette::PaletteSource;
use crate::ui::components::replace_dialog::ReplaceDialog;
use crate::ui::components::share_menu::Share;
use crate::ui::later::{Arrival, Fetch, use_later};
use crate::ui::platform::deferred::use_deferred;
use crate::ui::platform::theme;
use crate::ui::platform::{address, delivery, host, page_config, recent_files, service_worker, storage};
use crate::ui::screens::error::error;
use crate::ui::screens::loading::Loading;
use crate::ui::screens::start::start;
use crate::ui::screens::workspace::Workspace;
use crate::ui::store::address_sync::use_address_sync;
use crate::ui::store::view::{Tab, ViewAction, ViewState};
use crate::ui::store::{Action, DroppedFile, FileHandle, Load, LoadedTrace, Screen, State, Store, TraceSource};
use crate::ui::yew_reducer::YewReducer;
use camlscope_engine::protocol::ToWorker;
use camlscope_present::export::{Notes, ReportHeader};
use camlscope_view::page::components::facts;
use camlscope_view::page::platform::theme::Theme;
use camlscope_view::page::store::follow_status::CHECK_EVERY_MS;
use camlscope_view::page::store::notice::Notice;
use camlscope_view::page::store::report;
use camlscope_view::page::store::trace_id::TraceId;
use camlscope_view::page::store::worker::WorkerState;

#[derive(Properties)]
pub struct AppProps {
    /// The start screen from `index.html`.
    pub start_screen: Element,
    /// Fetches the page's second module.
    pub fetch: Fetch,
}

/// The props never change.
impl PartialEq for AppProps {
    fn eq(&self, _: &AppProps) -> bool {
        true
    }
}

#[component]
pub fn App(props: &AppProps) -> Html {
    let state = use_reducer_eq(initial_state);
    let dispatch = state.dispatcher().to_callback();
    let commands = use_memo((), |()| Commands::new(state.clone()));
    let later = use_later(props.fetch, state.worker == WorkerState::Ready);
    let main = use_node_ref();
    let is_deferred = use_deferred();
    // The start screen is already in the document.
    let shows_start = state.screen_name() == "empty";
    let screen_name = if is_deferred { state.screen_name() } else { "starting" };
    let shown_theme = theme::use_shown(state.theme);

    use_effect_with(title(&state), |title| gloo::utils::document().set_title(title));
    // While rendering, because canvases are redrawn in effects, and those of children run first.
    use_memo(state.theme, |theme| theme::apply(*theme));
    use_address_sync(&state);
    use_focus(main.clone(), (state.screen_name(), title(&state)));
    use_reopening(&commands, state.load.as_ref());
    use_report(&commands, state.report.clone());
    use_following(&commands, &state);

    let dialog = state.dropped.as_ref().zip(state.loaded()).map(|(DroppedFile { file, is_profile }, loaded)| {
        let can_compare = *is_profile == loaded.main.capabilities.has_snapshots;
        let (commands, dropped) = (Rc::clone(&commands), file.clone());
        let on_choice = Callback::from(move |choice| commands.answer_drop(&dropped, choice));
        html! { <ReplaceDialog name={file.name()} open={loaded.main.name.clone()} {can_compare} {on_choice} /> }
    });
    let on_share = use_share(&state, &commands, &dispatch, &later);
    let show_source = use_callback(Rc::clone(&commands), |location, commands| commands.show_source(location));
    let on_dismiss = use_callback(dispatch.clone(), |(), dispatch| dispatch.emit(Action::NoticeDismissed));
    let header = use_header(&state, &commands, &dispatch, &later, &on_share);
    let on_drop = use_drop(&commands);
    let compares = state.is_settled() && state.view.tab == Tab::Compare;
    let drop_words = if compares { "Drop to compare" } else { "Drop to open" };
    use_second(&commands, &state);
    use_launched(&commands);
    use_effect_with(Rc::clone(&commands), |commands| {
        commands.take_over();
        commands.listen_to_host();
    });
    use_effect_with((Rc::clone(&commands), state.wanted.clone()), |(commands, _)| commands.open_linked_sample());
    use_service_worker(&dispatch, state.worker == WorkerState::Ready);
    html! {
        <ContextProvider<Theme> context={shown_theme}>
        <div class="app" data-screen={screen_name} data-worker={state.worker.as_str()}
            data-bytes={state.loaded().map(|loaded| loaded.main.summary.file_bytes.to_string())}
            aria-busy={state.load.is_some().to_string()}>
            { header }
            <Notices notice={state.notice.clone()} {on_dismiss}>
                if state.has_newer_version { { newer(&state, &dispatch) } }
            </Notices>
            <main ref={main} tabindex="-1">
                if is_deferred || shows_start { { screen(&state, &commands, &dispatch, (&show_source, &on_share), &props.start_screen, &later) } }
            </main>
            <DropTarget {on_drop} words={drop_words} />
            { dialog }
        </div>
        </ContextProvider<Theme>>
    }
}

/// The URL takes precedence over the view saved in a report, so reloading a report keeps the current view.
fn initial_state() -> Store {
    let units = storage::remembered_units();
    // A page with a host shows only what the host sends.
    let header = delivery::report_header().filter(|_| !host::is_there());
    let report = header.and_then(|text| report::read(&text)).map(Rc::new);
    let hash = match (address::hash(), &report) {
        (hash, Some(report)) if hash.len() <= 1 => report.view.clone(),
        (hash, _) => hash,
    };
    let (view, wanted) = (Rc::new(ViewState::from_hash(&hash)), TraceId::from_hash(&hash));
    let notes = Rc::new(report.as_ref().map_or_else(Notes::default, |report| report.notes.clone()));
    YewReducer(State { theme: theme::remembered(), units, view, wanted, report, notes, ..State::default() })
}

/// Opens the embedded trace if this page is a report.
#[hook]
fn use_report(commands: &Rc<Commands>, report: Option<Rc<ReportHeader>>) {
    let commands = Rc::clone(commands);
    use_effect_with((), move |()| {
        if host::is_there() || delivery::report_header().is_none() {
            return;
        }
        commands.open_report(&report.clone().unwrap_or_default());
        if report.is_none() {
            let text = "The notes and view in this report are damaged and can't be shown.".to_owned();
            commands.show_notice(Notice::problem(text));
        }
    });
}

/// Creates the callbacks once, so that the header re-renders only when its content changes.
#[hook]
fn use_header(
    state: &UseReducerHandle<Store>,
    commands: &Rc<Commands>,
    dispatch: &Callback<Action>,
    later: &Arrival,
    on_share: &Callback<Share>,
) -> Html {
    let on_file = use_callback(Rc::clone(commands), |file, commands| commands.open(&file));
    let on_compare = use_callback(Rc::clone(commands), |file, commands| commands.compare(&file, false));
    let on_swap = use_callback(Rc::clone(commands), |(), commands| commands.swap());
    let on_close_other = use_callback(Rc::clone(commands), |(), commands| commands.close_other());
    let on_tab = use_callback(dispatch.clone(), |tab, dispatch| dispatch.emit(Action::View(ViewAction::Tab(tab))));
    let following = use_following_words(state, commands, &on_file);
    let on_units = use_callback(Rc::clone(commands), |units, commands| commands.set_units(units));
    let on_view = use_callback(dispatch.clone(), |action, dispatch| dispatch.emit(Action::View(action)));
    let on_palette = use_callback(dispatch.clone(), |is_open, dispatch| dispatch.emit(Action::PaletteOpened(is_open)));
    let palette = state.loaded().filter(|_| state.is_palette_open).map(|loaded| PaletteSource {
        loaded: Rc::clone(loaded),
        view_state: Rc::clone(&state.view),
        client: commands.client.clone(),
        has_sources: state.sources.is_some(),
    });
    let on_theme = use_callback(dispatch.clone(), |theme, dispatch| dispatch.emit(Action::ThemeChosen(theme)));
    html! {
        <Header loaded={state.loaded().cloned()} tab={state.view.tab} later={later.clone()} units={state.units} theme={state.theme}
            picture_name={state.view.picture_name()} has_filter={!state.view.filter().clauses.is_empty()} has_sources={state.sources.is_some()} {palette} {on_palette} {on_view}
            {on_file} {on_tab} {on_share} {on_compare} {on_swap} {on_close_other} {on_units} {on_theme}>{ following }</Header>
    }
}

/// Handles links, notes, reports and exports.
#[hook]
fn use_share(
    state: &UseReducerHandle<Store>,
    commands: &Rc<Commands>,
    dispatch: &Callback<Action>,
    later: &Arrival,
) -> Callback<Share> {
    let exported = state.loaded().map(|loaded| Exported {
        view_state: Rc::clone(&state.view),
        loaded: Rc::clone(loaded),
        notes: Rc::clone(&state.notes),
        hash: state.to_hash(),
        units: state.units,
    });
    let sharing = (Rc::clone(commands), exported, later.clone(), dispatch.clone(), state.edits_notes);
    use_callback(sharing, |share: Share, (commands, exported, later, dispatch, edits_notes)| match share {
        Share::CopyLink => commands.copy_link(),
        Share::Notes => dispatch.emit(Action::NotesEdited(!edits_notes)),
        Share::SourceReport => dispatch.emit(Action::SourceReport(true)),
        share => match exported.as_ref().zip(later.module()) {
            Some((exported, later)) => (later.share)(share, exported, commands.saving()),
            None => commands.show_notice(Notice::problem("The page is still loading. Try again in a few seconds.")),
        },
    })
}

/// The header's status of a live trace. A trace that is being compared is not followed.
#[hook]
fn use_following_words(state: &State, commands: &Rc<Commands>, on_file: &Callback<File>) -> Html {
    let on_pause = use_callback(Rc::clone(commands), |is_paused, commands| commands.pause_following(is_paused));
    let on_again = use_callback(Rc::clone(commands), |file: FileHandle, commands| commands.open_again(&file));
    let alone = state.loaded().filter(|loaded| loaded.other.is_none());
    alone.map_or_else(Html::default, |loaded| {
        let LoadedTrace { source, growth, ends_inside_packet, .. } = &loaded.main;
        html! {
            <Following source={source.clone()} growth={*growth} ends_inside_packet={*ends_inside_packet}
                is_paused={state.is_paused} {on_pause} {on_again} {on_file} />
        }
    })
}

#[hook]
fn use_drop(commands: &Rc<Commands>) -> Callback<DropEvent> {
    // The callback never changes, so the listeners are never replaced in the middle of a drop.
    use_callback(Rc::clone(commands), |event: DropEvent, commands| match event {
        DropEvent::Expected => commands.client.post(&ToWorker::Expect),
        DropEvent::Files(first, second, notice) => {
            match second {
                Some(second) => commands.open_both(&first, second),
                None => commands.take_dropped(first),
            }
            notice.into_iter().for_each(|notice| commands.show_notice(notice));
        }
        DropEvent::Nothing(notice) => commands.show_notice(notice),
        DropEvent::Folder(folder, notice) => commands.take_folder(folder, notice),
    })
}

fn screen(
    state: &State,
    commands: &Rc<Commands>,
    dispatch: &Callback<Action>,
    (show_source, on_share): (&Callback<SourceLocation>, &Callback<Share>),
    start_screen: &Element,
    later: &Arrival,
) -> Html {
    let on_file = {
        let commands = Rc::clone(commands);
        Callback::from(move |file| commands.open(&file))
    };
    let on_sample = {
        let commands = Rc::clone(commands);
        Callback::from(move |_: MouseEvent| commands.open_sample())
    };
    if let Some(load) = state.visible_load() {
        return html! { <Loading load={load.clone()} worker={state.worker} units={state.units} commands={(**commands).clone()} /> };
    }
    match &state.screen {
        Screen::Empty => start(start_screen, state.wanted.as_ref().filter(|wanted| !wanted.is_sample()), &on_file),
        Screen::Loaded(loaded) => html! {
            <Workspace loaded={Rc::clone(loaded)} view_state={Rc::clone(&state.view)} units={state.units}
                notes={Rc::clone(&state.notes)} edits_notes={state.edits_notes} report={state.report.clone()}
                annotated={state.annotated.clone()} client={commands.client.clone()} later={later.clone()} sources={state.sources.clone()}
                dropped_folder={state.dropped_folder.clone()} show_source={show_source}
                is_source_report={state.is_source_report} on_share={on_share} dispatch={dispatch} />
        },
        Screen::Failed(failed) => {
            let on_back = dispatch.reform(|_: MouseEvent| Action::WentBack);
            error(failed, start_screen, &on_file, &on_sample, &on_back)
        }
    }
}

fn title(state: &State) -> String {
    match (state.visible_load(), state.loaded()) {
        (Some(load), _) => format!("Opening {} · camlscope", load.name),
        (None, Some(loaded)) => format!("{} · camlscope", facts::title(&loaded.main.summary, &loaded.main.name)),
        (None, None) => "camlscope".to_owned(),
    }
}

fn newer(state: &State, dispatch: &Callback<Action>) -> Html {
    let on_reload = Callback::from(|_: MouseEvent| spawn_local(service_worker::reload_newer()));
    let on_later = dispatch.reform(|_: MouseEvent| Action::NewerVersion(false));
    newer_version(state.loaded().is_some(), &on_reload, &on_later)
}

/// Registers the service worker only after everything has loaded, so that it delays nothing.
#[hook]
fn use_service_worker(dispatch: &Callback<Action>, is_ready: bool) {
    let is_registered = use_mut_ref(|| false);
    let dispatch = dispatch.clone();
    use_effect_with(is_ready, move |is_ready| {
        if *is_ready && !is_registered.replace(true) {
            spawn_local(service_worker::register(move || dispatch.emit(Action::NewerVersion(true))));
        }
    });
}

/// Opens files that the operating system passes to the installed page.
#[hook]
fn use_launched(commands: &Rc<Commands>) {
    let commands = Rc::clone(commands);
    use_effect_with((), move |()| recent_files::on_launch(move |file| commands.open(&file)));
}

/// Opens the second of two files that were dropped together once the first is open, and restores their order.
#[hook]
fn use_second(commands: &Rc<Commands>, state: &State) {
    let second = state.second.clone().filter(|_| state.is_settled());
    let wants_swap = state.loaded().is_some_and(|loaded| loaded.wants_swap);
    let commands = Rc::clone(commands);
    use_effect_with((second, wants_swap), move |(second, wants_swap)| {
        if let Some(second) = second {
            commands.open_second(second);
        }
        if *wants_swap {
            commands.swap();
        }
    });
}

/// Reopens the trace for each load that the store started because a worker failed.
#[hook]
fn use_reopening(commands: &Rc<Commands>, load: Option<&Load>) {
    let wanted = load.and_then(|load| Some((load.id, load.source.clone(), load.retry.as_ref()?.is_halved())));
    let commands = Rc::clone(commands);
    use_effect_with(wanted, move |wanted| {
        if let Some((id, source, is_halved)) = wanted {
            commands.reopen(*id, source, *is_halved);
        }
    });
}

/// Checks the open file for new data from time to time. A trace that is being compared is not followed.
#[hook]
fn use_following(commands: &Rc<Commands>, state: &State) {
    let loaded = state.loaded().filter(|loaded| loaded.other.is_none() && state.load.is_none());
    let followed = loaded.and_then(|loaded| {
        let LoadedTrace { source, summary, growth, .. } = &loaded.main;
        let may_grow = match source {
            TraceSource::File(_) => true,
            TraceSource::Address(_) => page_config::is_followed(),
            TraceSource::Host { .. } | TraceSource::Sample | TraceSource::Report(_) => false,
        };
        may_grow.then(|| FollowedFile {
            source: source.clone(),
            bytes_shown: summary.file_bytes,
            growth: *growth,
            is_paused: state.is_paused,
        })
    });
    let commands = Rc::clone(commands);
    use_effect_with(followed, move |followed| {
        let looking =
            followed.clone().map(|followed| Interval::new(CHECK_EVERY_MS, move || commands.look_at(&followed)));
        move || drop(looking)
    });
}

/// Moves the focus to a new screen, so that keyboard and screen reader users continue from its top. The element that
/// had the focus is gone. Does nothing at startup, when nothing had the focus, or if the focus is in the program that the page is
/// embedded in.
#[hook]
fn use_focus(main: NodeRef, screen: (&'static str, String)) {
    let first = use_mut_ref(|| true);
    use_effect_with(screen, move |_| {
        let is_outside = || host::is_there() && gloo::utils::document().has_focus() == Ok(false);
        if first.replace(false) || is_outside() {
            return;
        }
        if let Some(main) = main.cast::<HtmlElement>() {
            let options = FocusOptions::new();
            options.set_prevent_scroll(true);
            let _ = main.focus_with_options(&options);
            gloo::utils::window().scroll_to_with_x_and_y(0.0, 0.0);
        }
    });
}
