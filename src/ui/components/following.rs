//! The status of a live trace, with the buttons to follow, pause or reopen it.

use web_sys::File;
use yew::prelude::*;

use super::open_button::open_button;
use crate::ui::platform::recent_files;
use crate::ui::store::{FileHandle, TraceSource};
use crate::wire;
use camlscope_view::page::store::follow_status::FollowStatus;

#[derive(Properties, PartialEq)]
pub struct FollowingProps {
    pub source: TraceSource,
    pub growth: FollowStatus,
    /// Whether the file currently ends inside a packet.
    pub ends_inside_packet: bool,
    pub is_paused: bool,
    pub on_pause: Callback<bool>,
    /// Reopens the file.
    pub on_again: Callback<FileHandle>,
    pub on_file: Callback<File>,
}

#[component]
pub fn Following(props: &FollowingProps) -> Html {
    let file = match &props.source {
        TraceSource::File(file) => Some(file),
        TraceSource::Address(_) => None,
        TraceSource::Host { .. } | TraceSource::Sample | TraceSource::Report(_) => return Html::default(),
    };
    let pause = |is_paused: bool| props.on_pause.reform(move |_: MouseEvent| is_paused);
    let (words, action) = match props.growth {
        FollowStatus::Growing { .. } if props.is_paused => {
            let title = "Load new data every few seconds";
            ("still being written, paused", button("Follow", title, pause(false)))
        }
        FollowStatus::Growing { .. } => {
            let title = "Stop loading new data";
            ("still being written", button("Pause", title, pause(true)))
        }
        FollowStatus::Idle { .. } if props.ends_inside_packet => {
            ("no new data, last packet truncated: the program was killed or is idle", Html::default())
        }
        FollowStatus::Idle { .. } => ("no new data: the program exited or is idle", Html::default()),
        FollowStatus::Stuck => match file.cloned() {
            Some(file) => {
                let title = "This trace can't be followed further. Open the file again.";
                let on_click = props.on_again.reform(move |_: MouseEvent| file.clone());
                ("the file has changed", button("Open again", title, on_click))
            }
            None => ("the file has changed: reload the page", Html::default()),
        },
        FollowStatus::Still if props.ends_inside_packet => ("truncated, or still being written", Html::default()),
        FollowStatus::Still if !recent_files::is_available() && file.is_some_and(|file| wire::is_fresh(file)) => {
            let words = "this browser can't follow files; open it again for new data";
            (words, open_button("Open again…", false, &props.on_file))
        }
        FollowStatus::Still | FollowStatus::Replaced => ("", Html::default()),
    };
    html! {
        <div class="following">
            <span role="status" title={words}>{ words }</span>
            { action }
        </div>
    }
}

fn button(label: &'static str, title: &'static str, onclick: Callback<MouseEvent>) -> Html {
    html! { <button type="button" class="button button-quiet" {title} {onclick}>{ label }</button> }
}
