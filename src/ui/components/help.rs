//! The dialog with all keyboard shortcuts, opened with `?` or from a menu. The browser's modal dialog traps the focus, closes on
//! Escape and restores the focus.

use web_sys::HtmlDialogElement;
use yew::prelude::*;

use crate::ui::later::Arrival;
use crate::ui::platform::keyboard::use_key;

/// Keys and their effect.
type Shortcut = (&'static [&'static str], &'static str);

/// The shortcuts, grouped by where they work.
const SHORTCUTS: [(&str, &[Shortcut]); 11] = [
    (
        "Anywhere",
        &[
            (&["?"], "show keyboard shortcuts"),
            (&["Ctrl", "k"], "find a command, function, module or file"),
            (&["/"], "search"),
            (&["1", "2", "…"], "go to tab"),
            (&["["], "previous tab"),
            (&["]"], "next tab"),
            (&["Esc"], "close dialog or menu"),
        ],
    ),
    (
        "Timeline",
        &[
            (&["←", "→"], "move the selected time"),
            (&["Shift", "← →"], "select a time range"),
            (&["Home", "End"], "go to start, end"),
            (&["p"], "go to the peak"),
            (&["Shift", "p"], "go to the filter’s peak"),
            (&["n"], "pin a note to the time"),
            (&["↑", "↓"], "resize (lower edge focused)"),
        ],
    ),
    (
        "Flame graphs",
        &[
            (&["↑", "↓", "←", "→"], "move between frames"),
            (&["Space", "click"], "select frame"),
            (&["Enter", "double-click"], "zoom to frame"),
            (&["Page Up", "Page Down", "wheel"], "scroll"),
            (&["w", "s", "+", "-"], "zoom in, out at the pointer"),
            (&["Ctrl", "wheel"], "zoom in, out at the pointer"),
            (&["a", "d", "drag"], "pan"),
            (&["Esc"], "zoom out, deselect"),
            (&["0"], "reset zoom"),
            (&["m", "right-click"], "open menu"),
        ],
    ),
    (
        "Table",
        &[
            (&["↑", "↓"], "move between rows"),
            (&["→", "←"], "expand, collapse"),
            (&["Space"], "select row"),
            (&["Enter"], "show in flame graph"),
        ],
    ),
    (
        "Histograms and heat maps",
        &[
            (&["←", "→"], "move between bars"),
            (&["↑", "↓"], "longer, shorter lifetimes (heat maps)"),
            (&["Shift", "← →"], "select several"),
            (&["Enter"], "filter by selection"),
            (&["Esc"], "clear selection"),
        ],
    ),
    (
        "Leaks",
        &[
            (&["←", "→"], "move between bars"),
            (&["Shift", "← →"], "select several"),
            (&["Enter"], "select time range"),
            (&["Esc"], "clear selection"),
        ],
    ),
    (
        "Events",
        &[
            (&["↑", "↓"], "move between events"),
            (&["Enter"], "show object details"),
            (&["Esc"], "hide object details"),
            (&["/"], "go to time or object"),
        ],
    ),
    ("Source", &[(&["↑", "↓"], "move between lines"), (&["Enter", "click"], "filter by line, or undo it")]),
    ("Compare", &[(&["←", "→"], "move time A or B (timeline)")]),
    ("Search", &[(&["Enter"], "next match"), (&["Shift", "Enter"], "previous match"), (&["Esc"], "clear search")]),
    ("Filter", &[(&["↑", "↓"], "choose an item"), (&["←", "→"], "move range handle"), (&["Enter"], "apply")]),
];

/// Sections about views of individual objects.
const OF_OBJECTS: [&str; 2] = ["Histograms and heat maps", "Events"];

/// Lists all shortcuts. Those for views of individual objects are listed only if there are objects.
pub fn shortcuts(has_objects: bool) -> Html {
    let is_listed = |(title, _): &&(&str, &[Shortcut])| has_objects || !OF_OBJECTS.contains(title);
    html! { <div class="help-sections">{ for SHORTCUTS.iter().filter(is_listed).map(section) }</div> }
}

#[derive(Properties, PartialEq)]
pub struct ShortcutsProps {
    pub dialog: NodeRef,
    pub has_objects: bool,
    pub later: Arrival,
}

#[component]
pub fn Shortcuts(props: &ShortcutsProps) -> Html {
    use_key(props.dialog.clone(), |dialog, event| {
        if event.key() == "?" {
            event.prevent_default();
            show(dialog);
        }
    });
    let content = match props.later {
        Arrival::Coming => Html::default(),
        _ => props.later.draw(|later| (later.shortcuts)(props.has_objects)),
    };
    dialog(&props.dialog, "Keyboard shortcuts", "help-title", content)
}

/// A modal dialog with a title and a button that closes it.
pub fn dialog(node: &NodeRef, title: &'static str, title_id: &'static str, content: Html) -> Html {
    let close = {
        let node = node.clone();
        Callback::from(move |_: MouseEvent| hide(node.cast()))
    };
    // A click outside the sheet targets the dialog itself.
    let on_backdrop = Callback::from(|event: MouseEvent| hide(event.target_dyn_into()));
    html! {
        <dialog ref={node} class="help" aria-labelledby={title_id} onclick={on_backdrop}>
            <div class="help-sheet">
                <div class="help-head">
                    <h2 id={title_id}>{ title }</h2>
                    <button type="button" class="button button-quiet" aria-label="Close" onclick={close}>{ "×" }</button>
                </div>
                { content }
            </div>
        </dialog>
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

pub fn show(dialog: &NodeRef) {
    if let Some(dialog) = dialog.cast::<HtmlDialogElement>()
        && !dialog.open()
    {
        // This fails only if the dialog is already open.
        let _ = dialog.show_modal();
    }
}

fn hide(dialog: Option<HtmlDialogElement>) {
    dialog.iter().for_each(HtmlDialogElement::close);
}
