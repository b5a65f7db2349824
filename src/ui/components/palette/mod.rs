//! The command palette: a dialog that finds commands, and the functions, modules and files of the trace, by what the
//! user types. The best match comes first.

mod commands;

use std::rc::Rc;

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlDialogElement, HtmlElement, HtmlInputElement};
use yew::prelude::*;

use self::commands::{commands, of_name};
use crate::ui::components::help::show;
use crate::ui::components::more_menu::More;
use crate::ui::components::name::breakable;
use crate::ui::components::share_menu::Share;
use crate::ui::query::{QueryContext, WorkerClient, use_query};
use crate::ui::store::Loaded;
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::fuzzy::distance;
use camlscope_engine::query::name_search::{FoundName, NameSearchConfig};
use camlscope_engine::query::sorting::sort_by;
use camlscope_present::format::Units;
use camlscope_view::page::platform::theme::Theme;

/// More entries than anyone reads. The best ones come first.
const LIMIT: usize = 40;

/// The user's choice in the palette.
#[derive(Clone, Debug, PartialEq)]
pub enum PaletteChoice {
    View(Vec<ViewAction>),
    Share(Share),
    More(More),
}

/// The state and the traces whose commands and names the palette lists.
#[derive(Clone, PartialEq)]
pub struct PaletteSource {
    pub loaded: Rc<Loaded>,
    pub view_state: Rc<ViewState>,
    pub client: WorkerClient,
    /// Whether the program's source code is open.
    pub has_sources: bool,
}

#[derive(Properties, Clone, PartialEq)]
pub struct PaletteProps {
    pub source: PaletteSource,
    pub units: Units,
    pub theme: Theme,
    pub on_choice: Callback<PaletteChoice>,
    pub on_close: Callback<()>,
}

/// A command or a name.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    pub text: String,
    /// Where a function is defined.
    pub place: String,
    /// What choosing it does, or the group of a command.
    pub hint: String,
    /// Whether it is the current one of several choices.
    pub is_current: bool,
    pub choice: PaletteChoice,
}

/// The palette is outside of the workspace, whose components share a query context.
#[component]
pub fn Palette(props: &PaletteProps) -> Html {
    let PaletteSource { client, loaded, .. } = &props.source;
    let context = QueryContext { client: client.clone(), generation: loaded.generation };
    html! {
        <ContextProvider<QueryContext> {context}>
            <PaletteDialog ..props.clone() />
        </ContextProvider<QueryContext>>
    }
}

#[component]
fn PaletteDialog(props: &PaletteProps) -> Html {
    let (dialog, list) = (use_node_ref(), use_node_ref());
    let typed = use_state_eq(String::new);
    let active = use_state_eq(|| 0usize);
    use_shown(&dialog, props.on_close.clone());
    let config = NameSearchConfig { text: (*typed).clone(), limit: LIMIT };
    let request = Request { view: View::default(), question: Question::Names(config) };
    let names = use_query((!typed.trim().is_empty()).then_some(request));
    let entries = Rc::new(entries(props, names.get().unwrap_or_default(), &typed));
    let at = (*active).min(entries.len().saturating_sub(1));
    use_effect_with((list.clone(), at, entries.len()), |(list, at, _)| scroll_to(list, *at));

    let choose = {
        let (dialog, entries, on_choice) = (dialog.clone(), Rc::clone(&entries), props.on_choice.clone());
        Callback::from(move |at: usize| {
            if let Some(entry) = entries.get(at) {
                // The dialog closes first, so that the focus is back on the page.
                close(&dialog);
                on_choice.emit(entry.choice.clone());
            }
        })
    };
    let oninput = {
        let (typed, active) = (typed.setter(), active.setter());
        Callback::from(move |event: InputEvent| {
            typed.set(event.target_unchecked_into::<HtmlInputElement>().value());
            active.set(0);
        })
    };
    let onkeydown = {
        let (dialog, active, choose, n) = (dialog.clone(), active.setter(), choose.clone(), entries.len());
        Callback::from(move |event: KeyboardEvent| {
            match event.key().as_str() {
                "ArrowDown" if n > 0 => active.set((at + 1) % n),
                "ArrowUp" if n > 0 => active.set((at + n - 1) % n),
                "PageDown" if n > 0 => active.set((at + 8).min(n - 1)),
                "PageUp" => active.set(at.saturating_sub(8)),
                "Enter" => choose.emit(at),
                "k" if event.ctrl_key() || event.meta_key() => close(&dialog),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    // A click outside the sheet targets the dialog itself.
    let on_backdrop = {
        let dialog = dialog.clone();
        Callback::from(move |event: MouseEvent| {
            if event.target().is_some_and(|target| target.dyn_ref::<HtmlDialogElement>().is_some()) {
                close(&dialog);
            }
        })
    };
    let option = |(nth, entry): (usize, &Entry)| {
        let onclick = choose.reform(move |_: MouseEvent| nth);
        html! {
            <li id={option_id(nth)} role="option" class="palette-entry" aria-selected={(nth == at).to_string()} {onclick}>
                <span class="palette-text">{ breakable(&entry.text) }</span>
                <span class="palette-place">{ &entry.place }</span>
                <span class="palette-hint">{ &entry.hint }{ if entry.is_current { " ✓" } else { "" } }</span>
            </li>
        }
    };
    let is_empty = entries.is_empty() && !names.is_waiting;
    let words = match entries.len() {
        0 => String::new(),
        1 => "1 match".to_owned(),
        n => format!("{n} matches"),
    };
    html! {
        <dialog ref={dialog} class="palette" aria-label="Command palette" onclick={on_backdrop}>
            <div class="palette-sheet">
                <input class="palette-input" role="combobox" autocomplete="off" autocapitalize="off" spellcheck="false"
                    autofocus=true aria-label="Command or name" aria-autocomplete="list" aria-expanded="true"
                    aria-controls="palette-list" aria-activedescendant={(!entries.is_empty()).then(|| option_id(at))}
                    placeholder="Type a command, function, module or file" value={(*typed).clone()} {oninput} {onkeydown} />
                <ul ref={list} id="palette-list" class="palette-list" role="listbox" aria-label="Commands and names">
                    { for entries.iter().enumerate().map(option) }
                </ul>
                if is_empty {
                    <p class="palette-none">{ "No command or name matches." }</p>
                }
                <p class="visually-hidden" role="status">{ words }</p>
            </div>
        </dialog>
    }
}

fn option_id(nth: usize) -> String {
    format!("palette-{nth}")
}

/// Shows the dialog, and calls back when it closes.
#[hook]
fn use_shown(dialog: &NodeRef, on_close: Callback<()>) {
    use_effect_with(dialog.clone(), move |dialog| {
        show(dialog);
        let element = dialog.cast::<Element>();
        let closed = element.map(|element| EventListener::new(&element, "close", move |_| on_close.emit(())));
        move || drop(closed)
    });
}

fn close(dialog: &NodeRef) {
    dialog.cast::<HtmlDialogElement>().iter().for_each(HtmlDialogElement::close);
}

/// Returns what matches, best first. Of equally good matches, commands come first. The names may belong to an earlier
/// text.
fn entries(props: &PaletteProps, names: &[FoundName], typed: &str) -> Vec<Entry> {
    let PaletteProps { source, units, theme, .. } = props;
    let commands = commands(source, *units, *theme).into_iter().filter_map(|entry| {
        let with_hint = || distance(&format!("{} {}", entry.text, entry.hint), typed);
        Some((distance(&entry.text, typed).or_else(with_hint)?, entry))
    });
    let names = names.iter().filter_map(|found| {
        let by_name = distance(&found.label.name, typed);
        let far = distance(&found.label.plain(), typed).into_iter().chain(by_name).min()?;
        Some((far, of_name(found, &source.view_state, source.loaded.main.capabilities)))
    });
    let mut entries: Vec<(u32, Entry)> = commands.chain(names).collect();
    if !typed.trim().is_empty() {
        sort_by(&mut entries, |one, two| one.0.cmp(&two.0));
        entries.truncate(LIMIT);
    }
    entries.into_iter().map(|(_, entry)| entry).collect()
}

fn scroll_to(list: &NodeRef, at: usize) {
    let Some(list) = list.cast::<HtmlElement>() else { return };
    let Some(option) = list.children().item(at as u32).and_then(|item| item.dyn_into::<HtmlElement>().ok()) else {
        return;
    };
    let (top, height) = (option.offset_top() - list.offset_top(), option.offset_height());
    let hidden_below = top + height - list.client_height();
    list.set_scroll_top(list.scroll_top().clamp(hidden_below.min(top), top));
}
