//! A location in the source code. If the page's host is an editor, a click opens it there.

use yew::prelude::*;

use crate::ui::context::use_workspace;
use crate::ui::platform::host;
use crate::ui::query::{WorkerClient, use_query_context};
use camlscope_engine::protocol::{Question, Request, View};
use camlscope_engine::query::lines::{FileLines, LinesConfig};
use camlscope_engine::query::tree::Label;
use camlscope_view::page::query::event::{QueryEvent, SharedAnswer};

#[derive(Properties, PartialEq)]
pub struct LocationProps {
    pub label: Label,
    pub text: AttrValue,
    /// Whether Tab skips it, because keys move through the rows of its table.
    #[prop_or_default]
    pub is_in_table: bool,
}

/// A text, or a button if the source can be opened.
#[component]
pub fn Location(props: &LocationProps) -> Html {
    let client = use_query_context().client;
    let view = use_workspace().view_state.query_view();
    if !can_open(&props.label) {
        return html! { &props.text };
    }
    let label = props.label.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        // Otherwise, the row is selected as well.
        event.stop_propagation();
        open_source(&label, &view, &client);
    });
    let tabindex = props.is_in_table.then_some("-1");
    html! {
        <button type="button" class="location" {tabindex} title={format!("Open {}", props.text)} {onclick}>{ &props.text }</button>
    }
}

pub fn can_open(label: &Label) -> bool {
    host::is_there() && !label.file.is_empty()
}

/// Opens the location of a call site, or the hottest line of a function.
pub fn open_source(label: &Label, view: &View, client: &WorkerClient) {
    let file = label.file.clone();
    if let Some(place) = label.place {
        return host::show_source(&file, place.line, Some(place));
    }
    let name = label.name.clone();
    let on_event = Callback::from(move |event| {
        if let QueryEvent::Finished(answer) = event {
            host::show_source(&file, answer.map_or(1, |answer| line_of(&name, &answer)), None);
        }
    });
    let question = Question::Lines(LinesConfig { file: label.file.clone() });
    client.query(client.new_channel(), Request { view: view.clone(), question }, on_event);
}

/// Returns a function's hottest line, or its first one.
fn line_of(name: &str, answer: &SharedAnswer) -> u32 {
    let mut functions = answer.get::<FileLines>().into_iter().flat_map(|lines| &lines.functions);
    let function = functions.find(|function| function.name == name);
    function.map_or(1, |function| function.hottest_line.unwrap_or(function.first_line))
}
