//! A message at the bottom of the window, announced by screen readers. It overlays the page instead of moving it. It
//! disappears after enough time to read it, or when dismissed.

use gloo::timers::callback::Timeout;
use yew::prelude::*;

use camlscope_view::page::store::notice::{Notice, Tone};

/// The time that a slow reader needs per letter, and to notice the message.
const MS_A_LETTER: u32 = 80;
const MS_TO_SEE: u32 = 5_000;

#[derive(Properties, PartialEq)]
pub struct NoticesProps {
    pub notice: Option<Notice>,
    pub on_dismiss: Callback<()>,
    /// Persistent messages, shown below the notice.
    #[prop_or_default]
    pub children: Html,
}

/// The live region stays in the document when empty, because only changes inside it are announced.
#[component]
pub fn Notices(props: &NoticesProps) -> Html {
    // The notice stays while the pointer or the focus is on it.
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
