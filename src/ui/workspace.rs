//! What shows once a trace is open: timeline, sentence, tabs and panel around one view. All of them read the [`Look`] and
//! turn it; the address follows, and the look follows the address when the reader goes back.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::HtmlElement;
use yew::prelude::*;

use super::address;
use super::asking::Desk;
use super::bridge::Bridge;
use super::later::use_later;
use super::look::{Look, Tab, Turn};
use super::parts::panel::Panel;
use super::parts::sentence::Sentence;
use super::shortcuts::use_shortcuts;
use super::state::Loaded;
use super::views::compare::CompareView;
use super::views::events::EventsView;
use super::views::flame::FlameView;
use super::views::histograms::HistogramsView;
use super::views::leaks::LeaksView;
use super::views::summary::summary_view;
use super::views::table::TableView;
use super::views::timeline::TimelineStrip;
use crate::format::Units;
use crate::ui::effect::use_effect_with;
use crate::ui::piece::{Piece, piece};

/// What every part of the workspace can read and do.
#[derive(Clone, PartialEq)]
pub struct Work {
    pub loaded: Rc<Loaded>,
    pub look: Rc<Look>,
    pub turn: Callback<Turn>,
    /// What all figures are written in: who reads it or not, is drawn again when it changes.
    pub units: Units,
}

/// Only inside a [`Workspace`]; none elsewhere.
#[hook]
pub fn use_work() -> Option<Work> {
    use_context::<Work>()
}

#[derive(Clone, PartialEq)]
pub struct Workspace {
    pub loaded: Rc<Loaded>,
    pub units: Units,
    pub bridge: Bridge,
}

piece!(Workspace, use_workspace);

#[hook]
fn use_workspace(props: &Workspace) -> Html {
    let look = use_reducer_eq(|| Look::from_hash(&address::settled()));
    let turn = use_turn(&look);
    use_arrivals(&look);
    use_shortcuts(look.tab, turn.clone());
    // A second trace was opened to be compared.
    use_effect_with(props.loaded.other.as_ref().map(|_| props.loaded.generation), {
        let turn = turn.clone();
        move |second| {
            if second.is_some() {
                turn.emit(Turn::Tab(Tab::Compare));
            }
        }
    });
    let work = Work { loaded: Rc::clone(&props.loaded), look: Rc::new((*look).clone()), turn, units: props.units };
    // In other units, the worker's words are others.
    let generation = props.loaded.generation * 2 + props.units as u32;
    let desk = Desk { bridge: props.bridge.clone(), generation };
    html! {
        <ContextProvider<Desk> context={desk}>
            <ContextProvider<Work> context={work.clone()}>
                <div class="workspace" data-tab={work.look.tab.word()}>
                    { TimelineStrip.show() }
                    { Sentence.show() }
                    <div class="workspace-body">
                        { Tabs.show() }
                        { View.show() }
                        if has_panel(work.look.tab) {
                            { Panel.show() }
                        }
                    </div>
                </div>
            </ContextProvider<Work>>
        </ContextProvider<Desk>>
    }
}

/// Where there is something to select.
fn has_panel(tab: Tab) -> bool {
    matches!(tab, Tab::Flame | Tab::Table | Tab::Histograms)
}

/// The tab so many places to the right, going round.
pub fn beside(tab: Tab, by: isize) -> Tab {
    let at = Tab::ALL.iter().position(|other| *other == tab).unwrap_or_default() as isize;
    Tab::ALL[(at + by).rem_euclid(Tab::ALL.len() as isize) as usize]
}

#[derive(PartialEq)]
struct Tabs;

piece!(Tabs, use_tabs());

#[hook]
fn use_tabs() -> Html {
    let Some(Work { look, turn, .. }) = use_work() else {
        return Html::default();
    };
    let tab = |tab: Tab| {
        let onclick = turn.reform(move |_: MouseEvent| Turn::Tab(tab));
        let is_open = look.tab == tab;
        html! {
            <button role="tab" class="tab" id={format!("tab-{}", tab.word())} aria-selected={is_open.to_string()}
                aria-controls="view" tabindex={if is_open { "0" } else { "-1" }} {onclick}>{ tab.title() }</button>
        }
    };
    let onkeydown = tab_keys(look.tab, turn.clone());
    html! { <div class="tabs" role="tablist" aria-label="Views" {onkeydown}>{ for Tab::ALL.into_iter().map(tab) }</div> }
}

/// Arrow keys open the next tab and take the focus along.
fn tab_keys(open: Tab, turn: Callback<Turn>) -> Callback<KeyboardEvent> {
    Callback::from(move |event: KeyboardEvent| {
        let tab = match event.key().as_str() {
            "ArrowLeft" => beside(open, -1),
            "ArrowRight" => beside(open, 1),
            "Home" => Tab::ALL[0],
            "End" => Tab::ALL[Tab::ALL.len() - 1],
            _ => return,
        };
        event.prevent_default();
        turn.emit(Turn::Tab(tab));
        let button = gloo::utils::document().get_element_by_id(&format!("tab-{}", tab.word()));
        if let Some(button) = button.and_then(|button| button.dyn_into::<HtmlElement>().ok()) {
            let _ = button.focus();
        }
    })
}

#[derive(PartialEq)]
struct View;

piece!(View, use_view());

#[hook]
fn use_view() -> Html {
    let is_later = use_later();
    let Some(Work { loaded, look, .. }) = use_work() else {
        return Html::default();
    };
    let name = loaded.main.name.clone();
    let view = match look.tab {
        _ if !is_later => Html::default(),
        Tab::Summary => summary_view(&loaded.main),
        Tab::Flame => FlameView.show(),
        Tab::Table => TableView.show(),
        Tab::Histograms => HistogramsView.show(),
        Tab::Leaks => LeaksView.show(),
        Tab::Events => EventsView.show(),
        Tab::Compare => CompareView.show(),
    };
    html! {
        <section id="view" class="view" role="tabpanel" aria-labelledby={format!("tab-{}", look.tab.word())}>
            if look.tab != Tab::Summary {
                <h1 class="visually-hidden">{ format!("{} of {name}", look.tab.title()) }</h1>
            }
            { view }
        </section>
    }
}

/// Turns the look, and writes the address: a step that the reader may want to undo becomes an entry of the history.
#[hook]
fn use_turn(look: &UseReducerHandle<Look>) -> Callback<Turn> {
    let dispatcher = look.dispatcher();
    // Several turns may come before the next drawing, so the newest look is kept here.
    let newest = use_mut_ref(|| (**look).clone());
    *newest.borrow_mut() = (**look).clone();
    use_callback((), move |turn: Turn, ()| {
        let before = newest.borrow().clone();
        let is_step = turn.is_step();
        let after = Rc::unwrap_or_clone(Rc::new(before.clone()).reduce(turn.clone()));
        dispatcher.dispatch(turn);
        let hash = after.to_hash();
        if hash != before.to_hash() {
            address::write(hash, is_step);
        }
        *newest.borrow_mut() = after;
    })
}

/// Back, forward, and links that are pasted into the address.
#[hook]
fn use_arrivals(look: &UseReducerHandle<Look>) {
    let dispatcher = look.dispatcher();
    use_effect_with((), move |()| {
        let listener =
            address::on_arrival(move |hash| dispatcher.dispatch(Turn::Arrive(Box::new(Look::from_hash(hash)))));
        move || drop(listener)
    });
}
