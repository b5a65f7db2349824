//! The start screen: how to open a trace and how to record one. It is part of `index.html` and works before the app has
//! started (`boot.js`). This module adds the parts that only the app can provide.

use web_sys::{Element, File};
use yew::prelude::*;
use yew::virtual_dom::VNode;

use crate::ui::components::recent_files::RecentFiles;
use camlscope_view::page::store::trace_id::TraceId;

/// `wanted` is the trace that a link was made for, if the page was opened from such a link.
pub fn start(screen: &Element, wanted: Option<&TraceId>, on_file: &Callback<File>) -> Html {
    let within = |selector: &str, html: Html| {
        let host = screen.query_selector(selector).ok().flatten();
        host.map(|host| create_portal(html, host))
    };
    let link = wanted.map(|wanted| {
        html! {
            <p class="banner banner-info link-waits" role="status">
                { "This link shows a view of " }<b>{ wanted.words() }</b>
                { ". Open that file to see it." }
            </p>
        }
    });
    html! {
        <>
            { VNode::VRef(screen.clone().into()) }
            { within("#start-link", link.unwrap_or_default()) }
            { within("#start-recent", html! { <RecentFiles {on_file} /> }) }
        </>
    }
}

#[derive(Properties, PartialEq)]
pub struct RecordStepsProps {
    pub start_screen: Element,
}

/// The start screen's instructions for recording a trace.
#[component]
pub fn RecordSteps(props: &RecordStepsProps) -> Html {
    let steps = use_memo(props.start_screen.clone(), |screen| {
        let steps = screen.query_selector("#record").ok().flatten();
        steps.and_then(|steps| steps.clone_node_with_deep(true).ok())
    });
    (*steps).clone().map_or_else(Html::default, VNode::VRef)
}
