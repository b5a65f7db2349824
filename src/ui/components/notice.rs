//! A sentence above the screen, read out when it comes and gone when it is dismissed.

use yew::prelude::*;

use crate::ui::store::notice::{Notice, Tone};

/// The live region stays in the page when it is empty: only a change within one is read out.
pub fn notice_strip(notice: Option<&Notice>, on_dismiss: &Callback<MouseEvent>) -> Html {
    let strip = notice.map(|notice| {
        let tone = match notice.tone {
            Tone::Info => "notice-info",
            Tone::Problem => "notice-problem",
        };
        html! {
            <div class={classes!("notice", tone)}>
                <p>{ &notice.text }</p>
                <button type="button" class="button button-quiet" onclick={on_dismiss.clone()} aria-label="Dismiss">{ "×" }</button>
            </div>
        }
    });
    html! { <div class="notices" role="status" aria-live="polite">{ strip }</div> }
}
