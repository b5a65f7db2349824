//! The root component: the store, the commands, and which screen shows.

use std::rc::Rc;

use web_sys::{FocusOptions, HtmlElement};
use yew::prelude::*;

use crate::format;
use crate::ui::commands::Commands;
use crate::ui::commands::export::Export;
use crate::ui::components::drop_target::{DropEvent, DropTarget};
use crate::ui::components::facts;
use crate::ui::components::header::Header;
use crate::ui::components::notice::Notices;
use crate::ui::components::replace_dialog::ReplaceDialog;
use crate::ui::platform::address;
use crate::ui::platform::deferred::use_deferred;
use crate::ui::platform::storage;
use crate::ui::platform::theme::{self, Theme};
use crate::ui::screens::error::error;
use crate::ui::screens::loading::Loading;
use crate::ui::screens::start::start;
use crate::ui::screens::workspace::Workspace;
use crate::ui::store::action::Action;
use crate::ui::store::address_sync::use_address_sync;
use crate::ui::store::offer::Offer;
use crate::ui::store::state::{Load, Screen, State};
use crate::ui::store::trace_id::TraceId;
use crate::ui::store::view::{Tab, ViewState};

#[component]
pub fn App() -> Html {
    let state = use_reducer_eq(|| {
        let units = storage::remembered_units();
        format::set_units(units);
        let hash = address::hash();
        let (view, wanted) = (Rc::new(ViewState::from_hash(&hash)), TraceId::from_hash(&hash));
        State { theme: theme::remembered(), units, view, wanted, ..State::default() }
    });
    let dispatch = use_callback((), {
        let dispatcher = state.dispatcher();
        move |action: Action, ()| dispatcher.dispatch(action)
    });
    let commands = use_memo((), |()| Commands::new(dispatch.clone()));
    let main = use_node_ref();
    let is_deferred = use_deferred();
    let screen_name = if is_deferred { state.screen_name() } else { "starting" };
    let shown_theme = theme::use_shown(state.theme);

    use_effect_with(title(&state), |title| gloo::utils::document().set_title(title));
    use_effect_with(state.theme, |theme| theme::apply(*theme));
    use_address_sync(&state);
    use_focus(main.clone(), (state.screen_name(), title(&state)));
    use_reopening(&commands, state.load.as_ref());

    let offer = state.offered.as_ref().zip(state.loaded()).map(|(Offer { file, is_profile }, loaded)| {
        let can_compare = *is_profile == loaded.is_profile();
        let (commands, offered) = (Rc::clone(&commands), file.clone());
        let on_choice = Callback::from(move |choice| commands.close_offer(&offered, choice));
        html! { <ReplaceDialog name={file.name()} open={loaded.main.name.clone()} {can_compare} {on_choice} /> }
    });
    let on_dismiss = use_callback(dispatch.clone(), |(), dispatch| dispatch.emit(Action::NoticeDismissed));
    // A new file replaces a load under way, but an open trace only if the user says so.
    let is_settled = state.loaded().is_some() && state.load.is_none();
    let header = use_header(&state, &commands, &dispatch);
    let compares = is_settled && state.view.tab == Tab::Compare;
    let on_drop = use_drop(&commands, is_settled, compares);
    let drop_words = if compares { "Drop the file to compare it" } else { "Drop the file to open it" };
    use_second(&commands, &state);
    html! {
        <ContextProvider<Theme> context={shown_theme}>
        <div class="app" data-screen={screen_name} data-worker={state.worker.as_str()}
            aria-busy={state.load.is_some().to_string()}>
            { header }
            <Notices notice={state.notice.clone()} {on_dismiss} />
            <main ref={main} tabindex="-1">if is_deferred { { screen(&state, &commands, &dispatch) } }</main>
            <DropTarget {on_drop} words={drop_words} />
            { offer }
        </div>
        </ContextProvider<Theme>>
    }
}

/// The callbacks are made once, so that the header re-renders only when what it shows changes.
#[hook]
fn use_header(state: &UseReducerHandle<State>, commands: &Rc<Commands>, dispatch: &Callback<Action>) -> Html {
    let on_file = use_callback(Rc::clone(commands), |file, commands| commands.open(&file));
    let on_compare = use_callback(Rc::clone(commands), |file, commands| commands.compare(&file, false));
    let on_swap = use_callback(Rc::clone(commands), |_: MouseEvent, commands| commands.swap());
    let on_close_other = use_callback(Rc::clone(commands), |_: MouseEvent, commands| commands.close_other());
    let exported = (Rc::clone(commands), Rc::clone(&state.view), state.loaded().cloned());
    let on_export = use_callback(exported, |export: Export, (commands, view, loaded)| {
        if let Some(loaded) = loaded {
            commands.export(export, view, loaded);
        }
    });
    let on_link = use_callback(Rc::clone(commands), |_: MouseEvent, commands| commands.copy_link());
    let on_units = use_callback(Rc::clone(commands), |units, commands| commands.set_units(units));
    let on_theme = use_callback(dispatch.clone(), |theme, dispatch| dispatch.emit(Action::ThemeChosen(theme)));
    html! {
        <Header loaded={state.loaded().cloned()} units={state.units} theme={state.theme} {on_file} {on_compare}
            {on_swap} {on_close_other} picture_name={state.view.picture_name()} {on_export} {on_link} {on_units} {on_theme} />
    }
}

#[hook]
fn use_drop(commands: &Rc<Commands>, is_settled: bool, compares: bool) -> Callback<DropEvent> {
    // The callback never changes, so that no drop meets listeners that are about to be replaced.
    let now = use_mut_ref(|| (is_settled, compares));
    *now.borrow_mut() = (is_settled, compares);
    use_callback(Rc::clone(commands), move |event: DropEvent, commands| {
        let take = |file| match *now.borrow() {
            (_, true) => commands.compare(&file, false),
            (true, false) => commands.offer(file),
            (false, false) => commands.open(&file),
        };
        match event {
            DropEvent::Expected => commands.client().expect_file(),
            DropEvent::File(file) => take(file),
            DropEvent::FileAnd(file, notice) => {
                take(file);
                commands.show_notice(notice);
            }
            DropEvent::Two(first, second, notice) => {
                commands.open_both(&first, second);
                notice.into_iter().for_each(|notice| commands.show_notice(notice));
            }
            DropEvent::Nothing(notice) => commands.show_notice(notice),
        }
    })
}

fn screen(state: &State, commands: &Rc<Commands>, dispatch: &Callback<Action>) -> Html {
    let on_file = {
        let commands = Rc::clone(commands);
        Callback::from(move |file| commands.open(&file))
    };
    let on_sample = {
        let commands = Rc::clone(commands);
        Callback::from(move |_: MouseEvent| commands.open_sample())
    };
    if let Some(load) = state.visible_load() {
        return html! { <Loading load={load.clone()} worker={state.worker} commands={(**commands).clone()} /> };
    }
    match &state.screen {
        Screen::Empty => start(state.wanted.as_ref(), &on_file, &on_sample),
        Screen::Loaded(loaded) => html! {
            <Workspace loaded={Rc::clone(loaded)} view_state={Rc::clone(&state.view)} units={state.units}
                client={commands.client().clone()} dispatch={dispatch} />
        },
        Screen::Failed(failed) => {
            let on_back = dispatch.reform(|_: MouseEvent| Action::WentBack);
            error(failed, &on_file, &on_sample, &on_back)
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

/// Of two files that were dropped at once: opens the second once the first is open, and puts them in their order.
#[hook]
fn use_second(commands: &Rc<Commands>, state: &State) {
    let is_first_open = state.load.is_none() && state.loaded().is_some();
    let second = state.second.clone().filter(|_| is_first_open);
    let wants_swap = state.loaded().is_some_and(|loaded| loaded.wants_swap);
    let commands = Rc::clone(commands);
    use_effect_with((second, wants_swap), move |(second, wants_swap)| {
        if let Some(file) = second {
            commands.compare(file, true);
        }
        if *wants_swap {
            commands.swap();
        }
    });
}

/// Opens the trace again for each load that the store started because a worker failed.
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

/// Moves the focus to a new screen, so that keyboard and screen reader go on from its top: the element that had the focus
/// is gone. Not at the start, where nothing was focused.
#[hook]
fn use_focus(main: NodeRef, screen: (&'static str, String)) {
    let first = use_mut_ref(|| true);
    use_effect_with(screen, move |_| {
        if first.replace(false) {
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
