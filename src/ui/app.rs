//! The root: state, what the reader can do, and which screen shows.

use std::rc::Rc;

use web_sys::{File, FocusOptions, HtmlElement};
use yew::prelude::*;

use super::bridge::Bridge;
use super::control::Control;
use super::drop::{DropTarget, Dropped};
use super::facts;
use super::later::use_later;
use super::parts::exporting::Export;
use super::parts::header::{Header, header};
use super::parts::notice::notice_strip;
use super::parts::second::Second;
use super::parts::units_button;
use super::piece::Piece;
use super::state::{Action, Load, Screen, State};
use super::theme::{self, Theme};
use super::views::empty::empty;
use super::views::error::error;
use super::views::loading::Loading;
use super::workspace::Workspace;
use crate::format::{self, Units};
use crate::ui::effect::use_effect_with;

#[component]
pub fn App() -> Html {
    let state = use_reducer_eq(|| {
        let units = units_button::remembered();
        format::set_units(units);
        State { theme: theme::remembered(), units, ..State::default() }
    });
    let tell: Callback<Action> = state.dispatcher().into();
    let acts = use_memo((), |()| Acts::new(Control::new(tell.clone()), tell.clone()));
    let main = use_node_ref();
    let is_later = use_later();
    let word = if is_later { state.word() } else { "starting" };
    let seen = theme::use_seen(state.theme);

    use_effect_with(title(&state), |title| gloo::utils::document().set_title(title));
    use_effect_with(state.theme, |theme| theme::apply(*theme));
    use_focus(main.clone(), (state.word(), title(&state)));
    use_reopening(&acts.control, state.load.as_ref());

    let header = header(&Header {
        loaded: state.loaded().map(|loaded| &**loaded),
        units: state.units,
        theme: state.theme,
        on_file: &acts.open,
        on_compare: &acts.compare,
        on_export: &acts.export,
        on_link: &acts.link,
        on_units: &acts.units,
        on_theme: &tell.reform(Action::Themed),
    });
    // A load under way is given up for a new file; an open trace is not, unless the reader says so.
    let is_settled = state.loaded().is_some() && state.load.is_none();
    let on_drop = if is_settled { acts.offer.clone() } else { acts.drop.clone() };
    let second = state.offered.as_ref().zip(state.loaded()).map(|(file, loaded)| {
        let (control, offered) = (acts.control.clone(), file.clone());
        let on_choice = Callback::from(move |choice| control.decide(&offered, choice));
        Second { name: file.name(), open: loaded.main.name.clone(), on_choice }.show()
    });
    let notice = notice_strip(state.notice.as_ref(), &tell.reform(|_: MouseEvent| Action::Dismissed));
    html! {
        <ContextProvider<Theme> context={seen}>
        <div class="app" data-screen={word} data-worker={state.worker.word()}
            aria-busy={state.load.is_some().to_string()}>
            { header }
            { notice }
            <main ref={main} tabindex="-1">if is_later { { screen(&state, &acts) } }</main>
            { DropTarget { on_drop }.show() }
            { second }
        </div>
        </ContextProvider<Theme>>
    }
}

/// The reader's acts as callbacks, made once so that views need not be drawn again for them.
struct Acts {
    open: Callback<File>,
    sample: Callback<()>,
    cancel: Callback<()>,
    back: Callback<()>,
    link: Callback<()>,
    export: Callback<Export>,
    units: Callback<Units>,
    compare: Callback<File>,
    drop: Callback<Dropped>,
    /// A drop beside an open trace.
    offer: Callback<Dropped>,
    control: Control,
    bridge: Bridge,
}

impl Acts {
    fn new(control: Control, tell: Callback<Action>) -> Acts {
        let act = |act: fn(&Control)| {
            let control = control.clone();
            Callback::from(move |()| act(&control))
        };
        let bridge = control.bridge().clone();
        let opening = control.clone();
        let dropping = control.clone();
        let offering = control.clone();
        let comparing = control.clone();
        let exporting = control.clone();
        Acts {
            bridge: control.bridge().clone(),
            open: Callback::from(move |file: File| opening.open(&file)),
            sample: act(Control::open_sample),
            cancel: act(Control::cancel),
            back: act(Control::go_back),
            link: act(Control::copy_link),
            export: Callback::from(move |export| exporting.export(export)),
            units: Callback::from(move |units| {
                bridge.write_in(units);
                units_button::remember(units);
                tell.emit(Action::Units(units));
            }),
            compare: Callback::from(move |file: File| comparing.compare(&file)),
            offer: Callback::from(move |dropped| match dropped {
                Dropped::File(file) => offering.offer(file),
                Dropped::FirstOf(file, notice) => {
                    offering.offer(file);
                    offering.notice(notice);
                }
                Dropped::Nothing(notice) => offering.notice(notice),
                Dropped::NotYet => {}
            }),
            control: control.clone(),
            drop: Callback::from(move |dropped| match dropped {
                Dropped::File(file) => dropping.open(&file),
                Dropped::FirstOf(file, notice) => dropping.open_with_notice(&file, notice),
                Dropped::Nothing(notice) => dropping.notice(notice),
                Dropped::NotYet => dropping.bridge().expect(),
            }),
        }
    }
}

fn screen(state: &State, acts: &Acts) -> Html {
    if let Some(load) = state.visible_load() {
        return Loading { load: load.clone(), worker: state.worker, on_cancel: acts.cancel.clone() }.show();
    }
    match &state.screen {
        Screen::Empty => empty(&acts.open, &acts.sample),
        Screen::Loaded(loaded) => {
            Workspace { loaded: Rc::clone(loaded), units: state.units, bridge: acts.bridge.clone() }.show()
        }
        Screen::Failed(failed) => error(failed, &acts.open, &acts.sample, &acts.back),
    }
}

fn title(state: &State) -> String {
    match (state.visible_load(), state.loaded()) {
        (Some(load), _) => format!("Opening {} · camlscope", load.name),
        (None, Some(loaded)) => format!("{} · camlscope", facts::title(&loaded.main.summary, &loaded.main.name)),
        (None, None) => "camlscope".to_owned(),
    }
}

/// Gives a new worker the trace whose worker died, once for each load that the reducer began for that.
#[hook]
fn use_reopening(control: &Control, load: Option<&Load>) {
    let wanted = load.and_then(|load| Some((load.id, load.source.clone(), load.retry.as_ref()?.is_halved())));
    let control = control.clone();
    use_effect_with(wanted, move |wanted| {
        if let Some((id, source, is_halved)) = wanted {
            control.reopen(*id, source, *is_halved);
        }
    });
}

/// When the screen changes, what had the focus is gone: the new screen takes it, so that keyboard and screen reader go on
/// from its top. Not at the start, where nothing was focused.
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
