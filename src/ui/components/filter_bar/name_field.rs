//! A text field that suggests names from the trace. It is a combobox, so arrow keys choose a name without leaving the
//! field.

use web_sys::{FocusEvent, HtmlInputElement, InputEvent, KeyboardEvent};
use yew::prelude::*;

use crate::ui::components::select::prominent_select;
use crate::ui::query::use_query;
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::filter::{FrameField, How, NameTest};
use camlscope_engine::query::suggest::SuggestConfig;

const LIMIT: usize = 8;
const HOWS: [(How, &str); 3] = [(How::Is, "is"), (How::Contains, "contains"), (How::Matches, "matches (regex)")];

#[derive(Properties, PartialEq)]
pub struct NameFieldProps {
    /// The ID of the field, and the prefix of its parts' IDs.
    pub id: &'static str,
    pub label: AttrValue,
    pub part: FrameField,
    pub test: NameTest,
    pub on_change: Callback<NameTest>,
    /// Whether the field gets the focus when the popover opens.
    pub is_first: bool,
}

#[component]
pub fn NameField(props: &NameFieldProps) -> Html {
    let is_open = use_state_eq(|| false);
    let active = use_state_eq(|| None::<usize>);
    let config = SuggestConfig { part: props.part, text: props.test.text.clone(), limit: LIMIT };
    let request = Request { view: View::default(), question: Question::Suggest(config) };
    let query = use_query(is_open.then_some(request));
    let names = query.get::<[String]>().filter(|_| *is_open).unwrap_or_default().to_vec();
    // A complete name needs no suggestion.
    let names = if names.len() == 1 && names[0] == props.test.text { Vec::new() } else { names };
    let shows = !names.is_empty();

    let pick = {
        let (is_open, active, on_change) = (is_open.setter(), active.setter(), props.on_change.clone());
        Callback::from(move |name: String| {
            is_open.set(false);
            active.set(None);
            // A suggested name is matched exactly. As a regex, its dots would match anything.
            on_change.emit(NameTest { how: How::Is, text: name });
        })
    };
    let oninput = {
        let (is_open, active, on_change, how) =
            (is_open.setter(), active.setter(), props.on_change.clone(), props.test.how);
        Callback::from(move |event: InputEvent| {
            let text = event.target_dyn_into::<HtmlInputElement>().map(|input| input.value()).unwrap_or_default();
            is_open.set(true);
            active.set(None);
            on_change.emit(NameTest { how, text });
        })
    };
    let onkeydown = {
        let (is_open, active, names, pick) = (is_open.setter(), active.clone(), names.clone(), pick.clone());
        Callback::from(move |event: KeyboardEvent| {
            let n = names.len();
            match (event.key().as_str(), *active) {
                ("ArrowDown", _) if n == 0 => is_open.set(true),
                ("ArrowDown", at) => active.set(Some(at.map_or(0, |at| (at + 1) % n))),
                ("ArrowUp", at) if n > 0 => active.set(Some(at.map_or(n - 1, |at| (at + n - 1) % n))),
                ("Enter", Some(at)) if at < n => pick.emit(names[at].clone()),
                // The first Escape closes the list, the second closes the popover.
                ("Escape", _) if n > 0 => {
                    event.stop_propagation();
                    is_open.set(false);
                }
                _ => return,
            }
            event.prevent_default();
        })
    };
    let onblur = Callback::from(is_open.setter()).reform(|_: FocusEvent| false);
    let on_how = {
        let (on_change, text) = (props.on_change.clone(), props.test.text.clone());
        Callback::from(move |how| on_change.emit(NameTest { how, text: text.clone() }))
    };
    let list_id = format!("{}-list", props.id);
    let option_id = |at: usize| format!("{}-{at}", props.id);
    let option = |(at, name): (usize, &String)| {
        // Pressing the mouse must not blur the field, which would close the list before the click.
        let onmousedown = Callback::from(|event: MouseEvent| event.prevent_default());
        let onclick = {
            let (pick, name) = (pick.clone(), name.clone());
            Callback::from(move |_: MouseEvent| pick.emit(name.clone()))
        };
        html! {
            <li id={option_id(at)} role="option" class="suggestion" aria-selected={(*active == Some(at)).to_string()}
                {onmousedown} {onclick}>{ name }</li>
        }
    };
    let hows = HOWS.map(|(how, text)| (how, text.into()));
    let label = format!("{}: match type", props.label);
    html! {
        <div class="name-field">
            { prominent_select(label, hows.into(), &props.test.how, on_how) }
            <span class="combobox">
                <input id={props.id} class="field" role="combobox" autocomplete="off" autocapitalize="off"
                    spellcheck="false" data-first={props.is_first.then_some("")}
                    aria-label={&props.label} aria-autocomplete="list" aria-expanded={shows.to_string()}
                    aria-controls={list_id.clone()} aria-activedescendant={active.filter(|_| shows).map(option_id)}
                    value={props.test.text.clone()} {oninput} {onkeydown} {onblur} />
                <ul id={list_id} class="suggestions" role="listbox" aria-label="Names in the trace" hidden={!shows}>
                    { for names.iter().enumerate().map(option) }
                </ul>
            </span>
        </div>
    }
}
