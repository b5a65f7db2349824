//! A sentence above the screen, read out when it comes. It covers what is below it instead of moving it, and goes by itself
//! once it could be read, or when it is dismissed.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use crate::ui::store::notice::{Notice, Tone};

/// A slow reader's time for a letter, and for seeing that there is something to read.
const MS_A_LETTER: u32 = 80;
const MS_TO_SEE: u32 = 5_000;

#[derive(Properties, PartialEq)]
pub struct NoticesProps {
    pub notice: Option<Notice>,
    pub on_dismiss: Callback<()>,
    /// What stands below it, and stays.
    #[prop_or_default]
    pub children: Html,
}

/// The live region stays in the page when it is empty: only a change within one is read out.
#[component]
pub fn Notices(props: &NoticesProps) -> Html {
    // While the pointer or the focus is on it, it stays.
    let is_held = use_state_eq(|| false);
    use_effect_with((props.notice.clone(), *is_held, props.on_dismiss.clone()), |(notice, is_held, on_dismiss)| {
        let reading = notice.as_ref().filter(|_| !is_held).map(|notice| {
            let on_dismiss = on_dismiss.clone();
            let n_letters = notice.text.chars().count() as u32;
            Timeout::new(MS_TO_SEE + n_letters * MS_A_LETTER, move || on_dismiss.emit(()))
        });
        move || drop(reading)
    });
    let hold = |holds: bool| {
        let is_held = is_held.setter();
        move || is_held.set(holds)
    };
    let (on_enter, on_leave, on_focus, on_blur) = (hold(true), hold(false), hold(true), hold(false));
    let strip = props.notice.as_ref().map(|notice| {
        let tone = match notice.tone {
            Tone::Info => "notice-info",
            Tone::Problem => "notice-problem",
        };
        let onclick = {
            let (on_dismiss, is_held) = (props.on_dismiss.clone(), is_held.setter());
            Callback::from(move |_: MouseEvent| {
                is_held.set(false);
                on_dismiss.emit(());
            })
        };
        html! {
            <div class={classes!("notice", tone)}>
                <p>{ &notice.text }</p>
                <button type="button" class="button button-quiet" {onclick} aria-label="Dismiss">{ "×" }</button>
            </div>
        }
    });
    html! {
        <div class="notices" role="status" aria-live="polite" onpointerenter={move |_: PointerEvent| on_enter()}
            onpointerleave={move |_: PointerEvent| on_leave()} onfocusin={move |_: FocusEvent| on_focus()}
            onfocusout={move |_: FocusEvent| on_blur()}>{ strip }{ props.children.clone() }</div>
    }
}
