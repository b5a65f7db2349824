//! A sentence above the screen, read out when it comes and gone when it is dismissed.

use yew::prelude::*;

use crate::ui::piece::piece;
use crate::ui::state::{Notice, Tone};

#[derive(Clone, Debug, PartialEq)]
pub struct NoticeStrip {
    pub notice: Option<Notice>,
    pub on_dismiss: Callback<()>,
}

piece!(NoticeStrip, use_notice_strip);

/// The live region stays in the page when it is empty: only a change within one is read out.
#[hook]
fn use_notice_strip(props: &NoticeStrip) -> Html {
    let onclick = props.on_dismiss.reform(|_: MouseEvent| ());
    let strip = props.notice.as_ref().map(|notice| {
        let tone = match notice.tone {
            Tone::Info => "notice-info",
            Tone::Problem => "notice-problem",
        };
        html! {
            <div class={classes!("notice", tone)}>
                <p>{ &notice.text }</p>
                <button type="button" class="button button-quiet" {onclick} aria-label="Dismiss">{ "×" }</button>
            </div>
        }
    });
    html! { <div class="notices" role="status" aria-live="polite">{ strip }</div> }
}
