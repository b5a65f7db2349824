//! The user's notes on the timeline, as labels that can be clicked or focused to edit them.

use std::rc::Rc;

use yew::prelude::*;

use crate::ui::components::popover::Popover;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::store::Loaded;
use crate::ui::store::view::{ViewAction, ViewState};
use crate::ui::views::timeline::scene::{TimelineScene, cursor_us};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::measure::Measure;
use camlscope_present::layout::draw::FixedWidth;
use camlscope_present::layout::timeline::{Axes, Pin, PinLabel, Plot, pin_labels};
use camlscope_view::page::components::comparison;

/// The average width of a label's letters in a wide system font.
const LETTERS: FixedWidth = FixedWidth(7.6);
/// The distance between a label's edge and its text.
const PADDING: f64 = 5.0;

/// Returns the action that pins a note to the shown time, or `None` while two traces share the time axis.
pub fn pin_action(view_state: &ViewState, loaded: &Loaded) -> Option<ViewAction> {
    let is_alone = !comparison::shows_both(view_state, loaded);
    is_alone.then(|| ViewAction::EditPin(Some(cursor_us(view_state, loaded))))
}

/// The button that pins a note to the time that the user has selected.
pub fn pin_button(scene: &TimelineScene) -> Html {
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, .. } = &scene.workspace;
    let is_selected = capabilities.has_snapshots || matches!(view_state.measure, Measure::Live(When::At(_)));
    let Some(action) = pin_action(view_state, loaded).filter(|_| is_selected && scene.times().is_none()) else {
        return Html::default();
    };
    let onclick = dispatch.reform(move |_: MouseEvent| action.clone());
    html! { <button class="quiet" title="Pin a note to the selected time (n)" {onclick}>{ "Pin note" }</button> }
}

#[derive(Properties, PartialEq)]
pub struct PinsProps {
    pub pins: Vec<Pin>,
    pub plot: Plot,
    pub size: (f64, f64),
    pub axes: Rc<Axes>,
    pub dispatch: Callback<ViewAction>,
}

#[component]
pub fn Pins(props: &PinsProps) -> Html {
    let PinsProps { pins, plot, size, axes, dispatch } = props;
    let WorkspaceContext { later, view_state, .. } = use_workspace();
    let edited = view_state.timeline.edited_pin;
    let (svg, marker) = (use_node_ref(), use_node_ref());
    let labels = pin_labels(pins, plot, &LETTERS);
    let is_visible = labels.iter().any(|label| Some(pins[label.nth].at_us) == edited);
    let bottom = plot.rates_bottom;
    let label = |label: &PinLabel| {
        let Pin { at_us, text } = &pins[label.nth];
        let words = format!("{text} · {}", axes.time_words(*at_us));
        let node = if Some(*at_us) == edited { marker.clone() } else { NodeRef::default() };
        html! { <PinMarker key={*at_us} {node} label={label.clone()} at_us={*at_us} {words} {bottom} dispatch={dispatch.clone()} /> }
    };
    let editor = edited.zip(later.module()).map(|(at_us, later)| {
        let text = view_state.timeline.pin_text(at_us).to_owned();
        let opener = if is_visible { &marker } else { &svg };
        let dispatch = dispatch.clone();
        let time = axes.time_words(at_us);
        (later.pin_editor)(at_us, text, time, opener.clone(), dispatch)
    });
    html! {
        <>
            <svg ref={svg} class="pins" width={size.0.to_string()} height={size.1.to_string()} role="group"
                aria-label="Pinned notes">{ for labels.iter().map(label) }</svg>
            { editor.unwrap_or_default() }
        </>
    }
}

#[derive(Properties, PartialEq)]
struct PinMarkerProps {
    /// The marker's label, for the editor to be placed next to.
    node: NodeRef,
    label: PinLabel,
    at_us: u64,
    /// The note with its time.
    words: String,
    /// The end of the line.
    bottom: f64,
    dispatch: Callback<ViewAction>,
}

#[component]
fn PinMarker(props: &PinMarkerProps) -> Html {
    let PinMarkerProps { node, label: PinLabel { x, area, text, .. }, at_us, words, bottom, dispatch } = props;
    let edit = ViewAction::EditPin(Some(*at_us));
    let onclick = {
        let (dispatch, edit) = (dispatch.clone(), edit.clone());
        Callback::from(move |_: MouseEvent| dispatch.emit(edit.clone()))
    };
    let onkeydown = {
        let (dispatch, at_us) = (dispatch.clone(), *at_us);
        Callback::from(move |event: KeyboardEvent| {
            match event.key().as_str() {
                "Enter" | " " => dispatch.emit(edit.clone()),
                "Delete" | "Backspace" => dispatch.emit(ViewAction::Pin(Pin::new(at_us, ""))),
                _ => return,
            }
            event.prevent_default();
        })
    };
    html! {
        <g class="pin" role="button" tabindex="0" aria-label={format!("Note: {words}")} aria-haspopup="dialog"
            {onclick} {onkeydown}>
            <title>{ words }</title>
            <line x1={x.to_string()} x2={x.to_string()} y1={area.y.to_string()} y2={bottom.to_string()} />
            <rect ref={node.clone()} x={area.x.to_string()} y={area.y.to_string()} width={area.w.to_string()}
                height={area.h.to_string()} rx="3" />
            <text x={(area.x + PADDING).to_string()} y={(area.y + 11.0).to_string()}>{ text }</text>
        </g>
    }
}

#[derive(Properties, PartialEq)]
pub struct PinEditorProps {
    pub at_us: u64,
    pub text: String,
    pub time: String,
    pub opener: NodeRef,
    pub dispatch: Callback<ViewAction>,
}

/// Every letter is saved, so no text is lost however the editor closes.
#[component]
pub fn PinEditor(props: &PinEditorProps) -> Html {
    let PinEditorProps { at_us, time, opener, dispatch, .. } = props;
    let at_us = *at_us;
    let text = use_state(|| props.text.clone());
    let on_close = dispatch.reform(|()| ViewAction::EditPin(None));
    let oninput = {
        let (text, dispatch) = (text.setter(), dispatch.clone());
        Callback::from(move |event: InputEvent| {
            let typed = event.target_unchecked_into::<web_sys::HtmlInputElement>().value();
            dispatch.emit(ViewAction::Pin(Pin::new(at_us, if typed.trim().is_empty() { "" } else { &typed })));
            text.set(typed);
        })
    };
    let onsubmit = {
        let on_close = on_close.clone();
        Callback::from(move |event: SubmitEvent| {
            event.prevent_default();
            on_close.emit(());
        })
    };
    let on_remove = {
        let (dispatch, on_close) = (dispatch.clone(), on_close.clone());
        Callback::from(move |_: MouseEvent| {
            dispatch.emit(ViewAction::Pin(Pin::new(at_us, "")));
            on_close.emit(());
        })
    };
    let form = html! {
        <form class="pin-editor" {onsubmit}>
            <label for="pin-text">{ format!("Note at {time}") }</label>
            <input id="pin-text" class="field" data-first="" maxlength={Pin::MAX_CHARS.to_string()} autocomplete="off"
                value={(*text).clone()} {oninput} />
            <div class="pin-editor-end">
                <button type="submit" class="button button-primary">{ "Done" }</button>
                <button type="button" class="button" onclick={on_remove} disabled={text.trim().is_empty()}>{ "Remove" }</button>
            </div>
        </form>
    };
    html! { <Popover key={at_us} label="Note" role="dialog" opener={opener.clone()} {on_close} children={form} /> }
}
