//! The context menu of a frame. It takes the focus, arrow keys move through it, and Escape returns the focus to the
//! graph.

use wasm_bindgen::JsCast;
use web_sys::Node;
use yew::prelude::*;

use crate::ui::components::location::{can_open, open_source};
use crate::ui::components::menu::move_focus;
use crate::ui::components::name::breakable;
use crate::ui::components::popover::focus_first;
use crate::ui::platform::clipboard;
use crate::ui::platform::placement::{Anchor, place};
use crate::ui::query::use_query_context;
use crate::ui::store::view::ViewAction;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::{FlameScene, GraphKind};
use crate::ui::views::flame::source::{self, SourceForm};
use crate::ui::views::flame::state::{FlameAction, Half, MenuAt};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::flame;
use camlscope_view::page::components::panel::subject::Subject;
use camlscope_view::page::views::flame::menu::stack;

/// The open menu, or the form that it opened.
pub fn frame_menu(scene: &FlameScene, handlers: &Handlers) -> Html {
    if let Some(at) = scene.flame_state.menu.clone() {
        return html! { <FrameMenu scene={scene.clone()} handlers={handlers.clone()} {at} /> };
    }
    let Some(label) = scene.flame_state.source_form.clone() else {
        return Html::default();
    };
    let handlers = handlers.clone();
    let on_close = Callback::from(move |()| {
        handlers.flame_dispatch.emit(FlameAction::SourceForm(None));
        handlers.take_focus();
    });
    html! { <SourceForm {label} {on_close} /> }
}

#[derive(Properties, PartialEq)]
pub struct FrameMenuProps {
    pub scene: FlameScene,
    pub handlers: Handlers,
    pub at: MenuAt,
}

#[derive(Clone)]
enum Entry {
    Dispatch(&'static str, Box<ViewAction>),
    Copy(&'static str, String),
    Link(String),
    OpenSource,
    AskSource,
}

#[component]
pub fn FrameMenu(props: &FrameMenuProps) -> Html {
    let FrameMenuProps { scene, handlers, at } = props;
    let node = use_node_ref();
    let client = use_query_context().client;
    use_effect_with((node.clone(), at.x, at.y), |(node, x, y)| {
        place(node, &Anchor::Point(*x, *y));
        focus_first(node);
    });
    let Some(label) = at.path.last() else {
        return Html::default();
    };
    let close = {
        let handlers = handlers.clone();
        Callback::from(move |()| {
            handlers.flame_dispatch.emit(FlameAction::Menu(None));
            handlers.take_focus();
        })
    };
    let onkeydown = {
        let close = close.clone();
        Callback::from(move |event: KeyboardEvent| {
            if ["Escape", "Tab"].contains(&event.key().as_str()) {
                close.emit(());
                event.prevent_default();
            } else if !move_focus(&event) {
                return;
            }
            event.stop_propagation();
        })
    };
    // A click elsewhere moves the focus, which closes the menu.
    let onfocusout = {
        let (node, handlers) = (node.clone(), handlers.clone());
        Callback::from(move |event: FocusEvent| {
            let to = event.related_target().and_then(|to| to.dyn_into::<Node>().ok());
            let is_inside = node.cast::<Node>().is_some_and(|menu| menu.contains(to.as_ref()));
            if !is_inside {
                handlers.flame_dispatch.emit(FlameAction::Menu(None));
            }
        })
    };
    let entry = |entry: Entry| {
        let (handlers, close, label) = (handlers.clone(), close.clone(), label.clone());
        let (view, client) = (scene.workspace.view_state.query_view(), client.clone());
        let name = match &entry {
            Entry::Dispatch(name, _) | Entry::Copy(name, _) => *name,
            Entry::Link(address) => {
                let onclick = close.reform(|_: MouseEvent| ());
                return html! {
                    <a role="menuitem" tabindex="-1" href={address.clone()} target="_blank" rel="noopener noreferrer"
                        {onclick}>{ "Open source ↗" }</a>
                };
            }
            Entry::OpenSource => "Open source",
            Entry::AskSource if source::remembered().is_empty() => "Set source link…",
            Entry::AskSource => "Change source link…",
        };
        let onclick = Callback::from(move |_: MouseEvent| {
            close.emit(());
            match entry.clone() {
                Entry::Dispatch(_, action) => handlers.dispatch.emit(*action),
                Entry::Copy(_, text) => copy(&text, handlers.flame_dispatch.clone()),
                Entry::Link(_) => {}
                Entry::OpenSource => open_source(&label, &view, &client),
                Entry::AskSource => handlers.flame_dispatch.emit(FlameAction::SourceForm(Some(label.clone()))),
            }
        });
        html! { <button role="menuitem" tabindex="-1" {onclick}>{ name }</button> }
    };
    html! {
        <div ref={node} class="flame-menu" role="menu" aria-label={flame::title(label)} {onkeydown} {onfocusout}>
            <p role="presentation">{ breakable(&flame::title(label)) }</p>
            { for entries(scene, at, label).into_iter().map(entry) }
        </div>
    }
}

fn entries(scene: &FlameScene, at: &MenuAt, label: &Label) -> Vec<Entry> {
    let mut entries = Vec::new();
    if !scene.is_sandwich() && at.path != scene.root() {
        entries.push(Entry::Dispatch("Zoom in", Box::new(scene.root_action(at.path.clone()))));
    }
    let subject = Subject { label: label.clone(), grain: scene.workspace.view_state.grain };
    let add = |name, clause| Entry::Dispatch(name, Box::new(ViewAction::AddClause(clause)));
    entries.extend(subject.focus().map(|clause| add("Focus", clause)));
    entries.extend(subject.hide().map(|clause| add("Hide", clause)));
    let callees = Direction::Callees(label.clone());
    // A frame that only the other trace has isn't in the flame graph.
    if scene.kind == GraphKind::Stacks && scene.direction(Half::Lower) != callees {
        entries.push(Entry::Dispatch("Callers and callees", Box::new(ViewAction::Direction(callees))));
    }
    entries.push(add("Show only this", subject.clause(false)));
    entries.push(add("Exclude this", subject.clause(true)));
    entries.push(Entry::Copy("Copy name", label.name.clone()));
    entries.push(Entry::Copy("Copy stack", stack(&scene.direction(at.half), &at.path)));
    if can_open(label) {
        entries.push(Entry::OpenSource);
        return entries;
    }
    let address = source::link(label);
    entries.extend(address.map(Entry::Link));
    if !label.file.is_empty() {
        entries.push(Entry::AskSource);
    }
    entries
}

fn copy(text: &str, flame_dispatch: Callback<FlameAction>) {
    let done = format!("Copied: {}", text.lines().last().unwrap_or_default());
    clipboard::copy(text, move |copied| {
        flame_dispatch
            .emit(FlameAction::Say(copied.map_or_else(|_| "The browser blocked copying.".to_owned(), |()| done)));
    });
}
