//! The menu of a frame. It takes the focus, arrow keys walk it, Escape gives the focus back to the picture.

use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, Node};
use yew::prelude::*;

use crate::ui::components::name::breakable;
use crate::ui::platform::clipboard;
use crate::ui::platform::placement::{Anchor, place};
use crate::ui::store::view::ViewAction;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::Scene;
use crate::ui::views::flame::source;
use crate::ui::views::flame::state::{FlameAction, Half, MenuAt};
use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, NameTest, WhichFrame};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::layout::flame;

#[derive(Properties, Clone)]
pub struct MenuProps {
    pub scene: Scene,
    pub handlers: Handlers,
    pub at: MenuAt,
}

impl PartialEq for MenuProps {
    fn eq(&self, _: &MenuProps) -> bool {
        false
    }
}

/// What an entry does.
#[derive(Clone)]
enum Entry {
    Dispatch(&'static str, Box<ViewAction>),
    Copy(&'static str, String),
    Link(String),
    AskSource,
}

#[component]
pub fn Menu(props: &MenuProps) -> Html {
    let MenuProps { scene, handlers, at } = props;
    let node = use_node_ref();
    use_effect_with((at.x, at.y), {
        let node = node.clone();
        move |&(x, y)| {
            place(&node, &Anchor::Point(x, y));
            focus(&node, |_, _| 0);
        }
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
        let (node, close) = (node.clone(), close.clone());
        Callback::from(move |event: KeyboardEvent| {
            match event.key().as_str() {
                "ArrowDown" => focus(&node, |at, n| (at + 1) % n),
                "ArrowUp" => focus(&node, |at, n| (at + n - 1) % n),
                "Home" => focus(&node, |_, _| 0),
                "End" => focus(&node, |_, n| n - 1),
                "Escape" | "Tab" => close.emit(()),
                _ => return,
            }
            event.prevent_default();
            event.stop_propagation();
        })
    };
    // A click elsewhere takes the focus away, and the menu with it.
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
        let name = match &entry {
            Entry::Dispatch(name, _) | Entry::Copy(name, _) => *name,
            Entry::Link(address) => {
                let onclick = close.reform(|_: MouseEvent| ());
                return html! {
                    <a role="menuitem" tabindex="-1" href={address.clone()} target="_blank" rel="noopener noreferrer"
                        {onclick}>{ "Open source ↗" }</a>
                };
            }
            Entry::AskSource if source::remembered().is_empty() => "Link to sources…",
            Entry::AskSource => "Change link to sources…",
        };
        let onclick = Callback::from(move |_: MouseEvent| {
            close.emit(());
            match entry.clone() {
                Entry::Dispatch(_, action) => handlers.dispatch.emit(*action),
                Entry::Copy(_, text) => copy(&text, handlers.flame_dispatch.clone()),
                Entry::Link(_) => {}
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

fn entries(scene: &Scene, at: &MenuAt, label: &Label) -> Vec<Entry> {
    let grain = scene.workspace.view_state.grain;
    let mut entries = Vec::new();
    if !scene.is_sandwich() && at.path != scene.root() {
        entries.push(Entry::Dispatch("Zoom to it", Box::new(ViewAction::Zoom(at.path.clone()))));
    }
    // Focus and hide are about functions: a module is all of its functions, a file has no name among them.
    let test = match grain {
        Grain::Function | Grain::Site => Some(NameTest::is(&label.name)),
        Grain::Module => Some(NameTest::matches(&functions_pattern(&label.name))),
        Grain::File => None,
    };
    if let Some(test) = test {
        entries.push(Entry::Dispatch("Focus on it", Box::new(ViewAction::AddClause(Clause::Focus(test.clone())))));
        entries.push(Entry::Dispatch("Hide it", Box::new(ViewAction::AddClause(Clause::Hide(test)))));
    }
    let callees = Direction::Callees(label.clone());
    if scene.direction(Half::Lower) != callees {
        entries.push(Entry::Dispatch("Callers and callees", Box::new(ViewAction::Direction(callees))));
    }
    let part = match grain {
        Grain::Function | Grain::Site => FrameField::Function,
        Grain::File => FrameField::File,
        Grain::Module => FrameField::Module,
    };
    let frame = |not| Clause::Frame(FrameTest { part, name: NameTest::is(&label.name), not, which: WhichFrame::Any });
    entries.push(Entry::Dispatch("Only what comes through it", Box::new(ViewAction::AddClause(frame(false)))));
    entries.push(Entry::Dispatch("Nothing that comes through it", Box::new(ViewAction::AddClause(frame(true)))));
    entries.push(Entry::Copy("Copy name", label.name.clone()));
    entries.push(Entry::Copy("Copy stack", stack(&scene.direction(at.half), &at.path)));
    let address = source::link(label);
    entries.extend(address.map(Entry::Link));
    if !label.file.is_empty() {
        entries.push(Entry::AskSource);
    }
    entries
}

/// A pattern for the functions of a module, and not of those within it.
fn functions_pattern(module: &str) -> String {
    let escaped = module.replace('.', "\\.").replace('$', "\\$");
    format!("^{escaped}(\\.[^A-Z].*)?$")
}

/// A line for each frame, from the program's start to the frame.
fn stack(direction: &Direction, path: &[Label]) -> String {
    let mut frames: Vec<&Label> = direction.function().into_iter().collect();
    frames.extend(path);
    // The middle of a sandwich is its own path.
    frames.dedup();
    if matches!(direction, Direction::Inverted | Direction::Callers(_)) {
        frames.reverse();
    }
    let lines: Vec<String> = frames
        .into_iter()
        .map(|label| match label.location() {
            place if place.is_empty() => label.name.clone(),
            place => format!("{} ({place})", label.name),
        })
        .collect();
    lines.join("\n")
}

fn copy(text: &str, flame_dispatch: Callback<FlameAction>) {
    let done = format!("Copied: {}", text.lines().last().unwrap_or_default());
    clipboard::copy(text, move |copied| {
        flame_dispatch
            .emit(FlameAction::Say(copied.map_or_else(|_| "The browser did not allow copying.".to_owned(), |()| done)));
    });
}

/// Moves the focus among the entries.
fn focus(menu: &NodeRef, to: impl Fn(usize, usize) -> usize) {
    let Some(menu) = menu.cast::<HtmlElement>() else { return };
    let Ok(entries) = menu.query_selector_all("[role=menuitem]") else { return };
    let active = gloo::utils::document().active_element();
    let n = entries.length() as usize;
    let is_active = |at: &usize| entries.item(*at as u32).as_ref() == active.as_deref();
    let at = (0..n).find(is_active).unwrap_or(0);
    if n > 0
        && let Some(entry) = entries.item(to(at, n) as u32).and_then(|entry| entry.dyn_into::<HtmlElement>().ok())
    {
        let _ = entry.focus();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(name: &str) -> Label {
        Label { name: name.to_owned(), file: "a.ml".to_owned(), place: None }
    }

    #[test]
    fn a_copied_stack_runs_from_the_start_of_the_program_whichever_way_it_was_read() {
        let [main, run, alloc] = ["A.main", "A.run", "A.alloc"].map(label);
        let whole = "A.main (a.ml)\nA.run (a.ml)\nA.alloc (a.ml)";
        assert_eq!(stack(&Direction::TopDown, &[main.clone(), run.clone(), alloc.clone()]), whole);
        assert_eq!(stack(&Direction::Inverted, &[alloc.clone(), run.clone(), main.clone()]), whole);
        assert_eq!(stack(&Direction::Callees(main.clone()), &[run.clone(), alloc.clone()]), whole);
        assert_eq!(stack(&Direction::Callers(alloc.clone()), &[run, main.clone()]), whole);
        assert_eq!(stack(&Direction::Callees(main.clone()), &[main]), "A.main (a.ml)");
    }

    #[test]
    fn the_functions_of_a_module_are_told_from_those_of_modules_within_it() {
        let pattern = NameTest::matches(&functions_pattern("A.B"));
        let matcher = camlscope_engine::query::filter::NameMatcher::new(&pattern).expect("a pattern");
        for (name, is_of_it) in
            [("A.B.f", true), ("A.B", true), ("A.B.(fun)", true), ("A.B.C.f", false), ("A.Bx.f", false)]
        {
            assert_eq!(matcher.is_match(name), is_of_it, "{name}");
        }
    }
}
