//! The filter as chips: each can be switched off and on, changed, removed; a last one adds.

use std::rc::Rc;

use yew::prelude::*;

use super::draft::{Draft, Kind};
use super::editor::Editor;
use super::menu::{Item, MenuButton};
use super::say::{Said, chip_words};
use crate::query::filter::presets::presets;
use crate::ui::look::{Chip, Look, Turn};

#[derive(PartialEq, Properties)]
pub struct ChipsProps {
    pub look: Rc<Look>,
    pub turn: Callback<Turn>,
}

#[component]
pub fn Chips(props: &ChipsProps) -> Html {
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
    let clear = props.turn.reform(|_: MouseEvent| Turn::ClearChips);
    html! {
        <>
            if !shown.is_empty() {
                <span>{ "for objects" }</span>
            }
            <ul class="chips" aria-label="Filter">
                { for shown.iter().map(|(at, chip)| html! {
                    <ChipPart key={*at} at={*at} chip={(*chip).clone()} turn={&props.turn} />
                }) }
                <li class="anchor" ref={add_ref.clone()}>
                    <MenuButton text="+ filter" label="Add a filter" class="say-link" items={kinds} on_pick={on_add} />
                    if let Some(kind) = *adding {
                        <Editor draft={Draft::new(kind)} chip={None::<usize>} opener={add_ref.clone()} {on_close} />
                    }
                </li>
                if shown.len() > 1 {
                    <li><button type="button" class="say-link say-quiet" onclick={clear}>{ "clear" }</button></li>
                }
                <li><Questions look={Rc::clone(&props.look)} turn={&props.turn} /></li>
            </ul>
        </>
    }
}

#[derive(PartialEq, Properties)]
struct ChipProps {
    at: usize,
    chip: Chip,
    turn: Callback<Turn>,
}

#[component]
fn ChipPart(props: &ChipProps) -> Html {
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
                <Editor draft={Draft::of(clause)} chip={Some(at)} {opener} {on_close} />
            }
        </li>
    }
}

/// Filters and measures by the question that they answer.
#[component]
fn Questions(props: &ChipsProps) -> Html {
    let presets = presets(props.look.brush());
    let items: Vec<Item> = presets.iter().map(|preset| Item { group: "", text: preset.question }).collect();
    let turn = props.turn.clone();
    let on_pick = Callback::from(move |at: usize| {
        let preset = presets[at].clone();
        turn.emit(Turn::Show { filter: preset.filter, measure: preset.measure, tab: None });
    });
    html! { <MenuButton text="Questions" label="Filters by question" class="say-link say-quiet" {items} {on_pick} /> }
}
