//! The filter as chips, which can be toggled, edited and removed, and the button that adds one.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::menu::{MenuButton, MenuItem};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::store::view::draft::{ClauseKind, Draft};
use crate::ui::store::view::{Capabilities, Chip, Tab, ViewAction, ViewState};
use camlscope_present::words;
use camlscope_present::words::presets::{presets, presets_of_profile};
use camlscope_view::page::components::filter_bar::shown_measure::ShownMeasure;

#[derive(Properties, PartialEq)]
pub struct ChipsProps {
    pub view_state: Rc<ViewState>,
    pub dispatch: Callback<ViewAction>,
}

#[component]
pub fn Chips(props: &ChipsProps) -> Html {
    let WorkspaceContext { capabilities, later, .. } = use_workspace();
    let adding = use_state_eq(|| None::<ClauseKind>);
    let add_ref = use_node_ref();
    let ShownMeasure { implied_chip, .. } = ShownMeasure::of(&props.view_state);
    let shown: Vec<_> = props.view_state.chips.iter().enumerate().filter(|(at, _)| Some(*at) != implied_chip).collect();
    let kinds: &'static [ClauseKind] =
        if capabilities.has_objects { &ClauseKind::ALL } else { &ClauseKind::WITHOUT_OBJECTS };
    let on_add = Callback::from(adding.setter()).reform(|at: usize| kinds.get(at).copied());
    let on_close = Callback::from(adding.setter()).reform(|()| None);
    let title = |kind: &ClauseKind| MenuItem::new(kind.group(), kind.title(capabilities));
    let items: Vec<MenuItem> = kinds.iter().map(title).collect();
    let clear = props.dispatch.reform(|_: MouseEvent| ViewAction::ClearChips);
    html! {
        <div class="filters">
            <ul class="chips" aria-label="Filters">
                { for shown.iter().map(|(at, chip)| {
                    html! { <ChipPart key={*at} at={*at} chip={(*chip).clone()} dispatch={props.dispatch.clone()} /> }
                }) }
                if props.view_state.fold_recursion {
                    <li>{ folded_recursion(&props.dispatch) }</li>
                }
            </ul>
            <div class="chips chip-tools">
                <span class="anchor" ref={add_ref.clone()}>
                    <MenuButton text="+ Filter" label="Add a filter" class="say-link" {items} on_pick={on_add} />
                    if let Some(kind) = *adding {
                        { later.draw(|later| (later.clause_editor)(Draft::new(kind), None, add_ref.clone(), on_close)) }
                    }
                </span>
                if shown.len() > 1 {
                    <button type="button" class="say-link say-quiet" onclick={clear}>{ "Clear" }</button>
                }
                { library_switch(props) }
                { questions(props, capabilities) }
            </div>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct ChipPartProps {
    at: usize,
    chip: Chip,
    dispatch: Callback<ViewAction>,
}

#[component]
fn ChipPart(props: &ChipPartProps) -> Html {
    let WorkspaceContext { later, .. } = use_workspace();
    let is_open = use_state_eq(|| false);
    let opener = use_node_ref();
    let Chip { clause, is_on } = &props.chip;
    let words = words::filter::clause(clause);
    let toggle = {
        let is_open = is_open.clone();
        Callback::from(move |_: MouseEvent| is_open.set(!*is_open))
    };
    let on_close = Callback::from(is_open.setter()).reform(|()| false);
    let at = props.at;
    let switch = props.dispatch.reform(move |_: Event| ViewAction::SwitchChip(at));
    let remove = props.dispatch.reform(move |_: MouseEvent| ViewAction::RemoveChip(at));
    html! {
        <li class="anchor">
            <span class={classes!("chip", (!is_on).then_some("chip-off"))} data-clause={clause.to_string()}
                data-on={is_on.to_string()}>
                <input type="checkbox" class="chip-switch" checked={*is_on} onchange={switch}
                    title={if *is_on { "Disable" } else { "Enable" }} aria-label={format!("Enable: {words}")} />
                <button type="button" ref={opener.clone()} class="chip-words" aria-haspopup="dialog"
                    aria-expanded={is_open.to_string()} title={format!("Edit: {words}")}
                    onclick={toggle}>{ &words }</button>
                <button type="button" class="chip-remove" onclick={remove} title="Remove"
                    aria-label={format!("Remove: {words}")}>{ "×" }</button>
            </span>
            if *is_open {
                { later.draw(|later| (later.clause_editor)(Draft::of(clause), Some(at), opener, on_close)) }
            }
        </li>
    }
}

/// Folding recursion affects callers and callees in every view, so it is shown here, although it is set in one view.
fn folded_recursion(dispatch: &Callback<ViewAction>) -> Html {
    let unfold = dispatch.reform(|_: MouseEvent| ViewAction::FoldRecursion(false));
    html! {
        <span class="chip" data-reading="recursion" title="Merges repeated frames of a stack into the outermost one">
            <span class="chip-fixed">{ "recursion folded" }</span>
            <button type="button" class="chip-remove" onclick={unfold} title="Unfold"
                aria-label="Remove: recursion folded">{ "×" }</button>
        </span>
    }
}

fn library_switch(ChipsProps { view_state, dispatch }: &ChipsProps) -> Html {
    let is_on = view_state.counts_library_for_callers();
    let onchange = dispatch.reform(move |_: Event| ViewAction::CountLibraryForCallers(!is_on));
    let is_of_finding = !view_state.is_library_for_callers && is_on;
    let title = "Attribute library code to callers. Always on for layers, leaks and findings.";
    html! {
        <label class={classes!("chip", "chip-toggle", (!is_on).then_some("chip-off"))} {title} data-reading="library">
            <input type="checkbox" role="switch" class="chip-switch" checked={is_on} disabled={view_state.tab == Tab::Leaks}
                aria-label="Attribute library code to callers" {onchange} />
            <span class="chip-fixed">{ "library → callers" }</span>
            if is_of_finding {
                <span class="say-quiet">{ "(for this finding)" }</span>
            }
        </label>
    }
}

/// A menu of presets, each titled with the question it answers.
fn questions(props: &ChipsProps, capabilities: Capabilities) -> Html {
    let presets = match capabilities.has_objects {
        true => presets(props.view_state.brush()),
        false => presets_of_profile(capabilities.has_calls),
    };
    let items: Vec<MenuItem> = presets.iter().map(|preset| MenuItem::new("", preset.question)).collect();
    let dispatch = props.dispatch.clone();
    let on_pick = Callback::from(move |at: usize| {
        let preset = presets[at].clone();
        dispatch.emit(ViewAction::Show { filter: preset.filter, measure: preset.measure, tab: None });
    });
    html! { <MenuButton text={"Presets"} label={"Filter presets"} class={"say-link say-quiet"} {items} {on_pick} /> }
}
