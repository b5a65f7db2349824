//! `?`: every shortcut, in a dialog. The browser's own modal dialog keeps the focus in, closes on Escape and gives the
//! focus back.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use crate::ui::later::Arrival;
use crate::ui::platform::keyboard::use_key;

/// Keys, and what they do.
type Shortcut = (&'static [&'static str], &'static str);

/// Where the keys work, and each with what it does.
const SHORTCUTS: [(&str, &[Shortcut]); 10] = [
    (
        "Anywhere",
        &[
            (&["?"], "this list"),
            (&["/"], "search in the view"),
            (&["1", "2", "…"], "open a tab by its number"),
            (&["["], "the tab before"),
            (&["]"], "the tab behind"),
            (&["Esc"], "close what is open"),
        ],
    ),
    (
        "Timeline",
        &[
            (&["←", "→"], "move the moment; of a profile, to another snapshot"),
            (&["Shift", "← →"], "mark a stretch of time"),
            (&["Home", "End"], "the first moment, the last"),
            (&["p"], "the peak"),
            (&["Shift", "p"], "the peak of what passes the filter"),
            (&["↑", "↓"], "on its lower edge, change its height"),
        ],
    ),
    (
        "Flame graph",
        &[
            (&["↑", "↓", "←", "→"], "go from frame to frame"),
            (&["w", "s"], "zoom in, zoom out"),
            (&["+", "-"], "the same, at the pointer"),
            (&["a", "d"], "move left, move right"),
            (&["Page Up", "Page Down"], "scroll the rows"),
            (&["Space"], "select the frame"),
            (&["Enter"], "zoom to the frame"),
            (&["m"], "the frame's menu"),
            (&["0"], "show all"),
        ],
    ),
    (
        "Table",
        &[
            (&["↑", "↓"], "go from row to row"),
            (&["→", "←"], "open and close callers and callees"),
            (&["Space"], "select the row"),
            (&["Enter"], "show it in the flame graph"),
        ],
    ),
    (
        "Histograms and heat maps",
        &[
            (&["←", "→"], "go from bar to bar"),
            (&["↑", "↓"], "in a heat map, longer and shorter lives"),
            (&["Shift", "← →"], "mark several"),
            (&["Enter"], "show only what is marked"),
            (&["Esc"], "unmark"),
        ],
    ),
    (
        "Leaks",
        &[
            (&["←", "→"], "go from bar to bar"),
            (&["Shift", "← →"], "mark several"),
            (&["Enter"], "select their time range"),
            (&["Esc"], "unmark"),
        ],
    ),
    (
        "Events",
        &[
            (&["↑", "↓"], "go from event to event"),
            (&["Enter"], "show its object's life"),
            (&["Esc"], "hide it"),
            (&["/"], "go to a time or an object"),
        ],
    ),
    (
        "Compare",
        &[
            (&["←", "→"], "on the timeline, move moment A or B"),
            (&["↑", "↓", "←", "→"], "in the picture, go from frame to frame"),
            (&["Enter"], "zoom to the frame"),
            (&["0"], "show all"),
        ],
    ),
    (
        "Search",
        &[(&["Enter"], "the next match"), (&["Shift", "Enter"], "the match before"), (&["Esc"], "search no more")],
    ),
    (
        "Filter",
        &[
            (&["↑", "↓"], "choose in a menu or among suggestions"),
            (&["←", "→"], "move a handle of a range"),
            (&["Enter"], "apply"),
        ],
    ),
];

/// The views of single objects.
const OF_OBJECTS: [&str; 2] = ["Histograms and heat maps", "Events"];

/// All shortcuts; those of the views of single objects only if there are any.
pub fn shortcuts(has_objects: bool) -> Html {
    let is_listed = |(title, _): &&(&str, &[Shortcut])| has_objects || !OF_OBJECTS.contains(title);
    html! { <div class="help-sections">{ for SHORTCUTS.iter().filter(is_listed).map(section) }</div> }
}

#[derive(Properties, PartialEq)]
pub struct HelpButtonProps {
    pub has_objects: bool,
    pub later: Arrival,
}

#[component]
pub fn HelpButton(props: &HelpButtonProps) -> Html {
    let dialog = use_node_ref();
    use_key(dialog.clone(), |dialog, event| {
        if event.key() == "?" {
            event.prevent_default();
            show(dialog);
        }
    });
    let onclick = {
        let dialog = dialog.clone();
        Callback::from(move |_: MouseEvent| show(&dialog))
    };
    let close = {
        let dialog = dialog.clone();
        Callback::from(move |_: MouseEvent| hide(dialog.cast()))
    };
    // A press beside the sheet is one on the dialog itself.
    let on_backdrop = Callback::from(|event: MouseEvent| hide(event.target_dyn_into()));
    html! {
        <>
            <button type="button" class="button button-quiet" aria-label="Keyboard shortcuts"
                title="Keyboard shortcuts (?)" aria-haspopup="dialog" {onclick}>{ "?" }</button>
            <dialog ref={dialog} class="help" aria-labelledby="help-title" onclick={on_backdrop}>
                <div class="help-sheet">
                    <div class="help-head">
                        <h2 id="help-title">{ "Keyboard shortcuts" }</h2>
                        <button type="button" class="button button-quiet" aria-label="Close" onclick={close}>{ "×" }</button>
                    </div>
                    if props.later != Arrival::Coming {
                        { props.later.draw(|later| (later.shortcuts)(props.has_objects)) }
                    }
                </div>
            </dialog>
        </>
    }
}

fn section((title, shortcuts): &(&'static str, &[(&[&'static str], &'static str)])) -> Html {
    let row = |(keys, what): &(&[&'static str], &'static str)| {
        html! {
            <div>
                <dt>{ for keys.iter().map(|key| html! { <kbd>{ *key }</kbd> }) }</dt>
                <dd>{ *what }</dd>
            </div>
        }
    };
    html! { <section><h3>{ *title }</h3><dl>{ for shortcuts.iter().map(row) }</dl></section> }
}

fn show(dialog: &NodeRef) {
    if let Some(dialog) = dialog.cast::<HtmlDialogElement>()
        && !dialog.open()
    {
        // Only refused where it is already open.
        let _ = dialog.show_modal();
    }
}

fn hide(dialog: Option<HtmlDialogElement>) {
    dialog.iter().for_each(HtmlDialogElement::close);
}
