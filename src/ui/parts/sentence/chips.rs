//! The filter as chips: each can be switched off and on, changed, removed; a last one adds.

use std::rc::Rc;

use yew::prelude::*;

use super::draft::{Draft, Kind};
use super::editor::Editor;
use super::say::{Said, chip_words};
use crate::query::filter::presets::presets;
use crate::ui::look::{Chip, Look, Turn};
use crate::ui::parts::menu::{Item, MenuButton};
use crate::ui::piece::{Piece, piece};

#[derive(PartialEq)]
pub struct Chips {
    pub look: Rc<Look>,
    pub turn: Callback<Turn>,
}

piece!(Chips, use_chips);

#[hook]
fn use_chips(props: &Chips) -> Html {
    let adding = use_state_eq(|| None::<Kind>);
    let add_ref = use_node_ref();
    let Said { spoken, .. } = Said::of(&props.look);
    let shown: Vec<_> = props.look.chips.iter().enumerate().filter(|(at, _)| Some(*at) != spoken).collect();
    let on_add = {
        let adding = adding.setter();
        Callback::from(move |at: usize| adding.set(Some(Kind::ALL[at])))
    };
    let on_close = {
        let adding = adding.setter();
        Callback::from(move |()| adding.set(None))
    };
    let kinds: Vec<Item> = Kind::ALL.iter().map(|kind| Item { group: kind.group(), text: kind.title() }).collect();
    let add = MenuButton { text: "+ filter", label: "Add a filter", class: "say-link", items: kinds, on_pick: on_add };
    let clear = props.turn.reform(|_: MouseEvent| Turn::ClearChips);
    html! {
        <>
            if !shown.is_empty() {
                <span>{ "for objects" }</span>
            }
            <ul class="chips" aria-label="Filter">
                { for shown.iter().map(|(at, chip)| {
                    ChipPart { at: *at, chip: (*chip).clone(), turn: props.turn.clone() }.show_as(*at)
                }) }
                <li class="anchor" ref={add_ref.clone()}>
                    { add.show() }
                    if let Some(kind) = *adding {
                        { Editor { draft: Draft::new(kind), chip: None, opener: add_ref.clone(), on_close }.show() }
                    }
                </li>
                if shown.len() > 1 {
                    <li><button type="button" class="say-link say-quiet" onclick={clear}>{ "clear" }</button></li>
                }
                <li>{ questions(props) }</li>
            </ul>
        </>
    }
}

#[derive(PartialEq)]
struct ChipPart {
    at: usize,
    chip: Chip,
    turn: Callback<Turn>,
}

piece!(ChipPart, use_chip_part);

#[hook]
fn use_chip_part(props: &ChipPart) -> Html {
    let is_open = use_state_eq(|| false);
    let opener = use_node_ref();
    let Chip { clause, is_on } = &props.chip;
    let words = chip_words(clause);
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    let on_close = {
        let is_open = is_open.setter();
        Callback::from(move |()| is_open.set(false))
    };
    let at = props.at;
    let switch = props.turn.reform(move |_: Event| Turn::SwitchChip(at));
    let remove = props.turn.reform(move |_: MouseEvent| Turn::RemoveChip(at));
    html! {
        <li class="anchor">
            <span class={classes!("chip", (!is_on).then_some("chip-off"))} data-clause={clause.to_string()}
                data-on={is_on.to_string()}>
                <input type="checkbox" class="chip-switch" checked={*is_on} onchange={switch}
                    title={if *is_on { "Switch off" } else { "Switch on" }} aria-label={format!("Use: {words}")} />
                <button type="button" ref={opener.clone()} class="chip-words" aria-haspopup="dialog"
                    aria-expanded={is_open.to_string()} title={format!("Change: {}", clause.words())}
                    onclick={toggle}>{ &words }</button>
                <button type="button" class="chip-remove" onclick={remove} title="Remove"
                    aria-label={format!("Remove: {words}")}>{ "×" }</button>
            </span>
            if *is_open {
                { Editor { draft: Draft::of(clause), chip: Some(at), opener, on_close }.show() }
            }
        </li>
    }
}

/// Filters and measures by the question that they answer.
fn questions(props: &Chips) -> Html {
    let presets = presets(props.look.brush());
    let items: Vec<Item> = presets.iter().map(|preset| Item { group: "", text: preset.question }).collect();
    let turn = props.turn.clone();
    let on_pick = Callback::from(move |at: usize| {
        let preset = presets[at].clone();
        turn.emit(Turn::Show { filter: preset.filter, measure: preset.measure, tab: None });
    });
    MenuButton { text: "Questions", label: "Filters by question", class: "say-link say-quiet", items, on_pick }.show()
}
