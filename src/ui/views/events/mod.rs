//! The Events tab: the raw events of the file, one per row. Only visible rows are queried and rendered, so it can
//! scroll through tens of millions of them.

pub mod explainer;
mod life;
mod list;
mod row;
mod rows;

use web_sys::KeyboardEvent;
use yew::prelude::*;

use self::life::ObjectLife;
use self::list::{EventList, line_id, use_event_list, use_jump};
use self::row::HEADINGS;
use self::rows::EventsQuery;
use crate::ui::components::nothing::why_nothing;
use crate::ui::components::select::{SelectOption, select};
use crate::ui::components::text_field::TextField;
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::query::save_events::{ListedEvents, save_events};
use crate::ui::query::use_channel;
use crate::ui::store::Loaded;
use crate::ui::store::view::settings::{EventSettings, EventTarget};
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::query::events::Kind;
use camlscope_engine::query::measure::Measure;
use camlscope_view::page::query::paged::Pages;

const KINDS: [(Option<Kind>, &str); 4] = [
    (None, "all events"),
    (Some(Kind::Alloc), "allocations"),
    (Some(Kind::Promote), "promotions"),
    (Some(Kind::Collect), "collections"),
];

#[component]
pub fn EventsView() -> Html {
    let WorkspaceContext { view_state, dispatch, loaded, .. } = use_workspace();
    let EventSettings { kind, from } = view_state.events;
    let events = ListedEvents { filter: view_state.filter(), kind };
    let base = EventsQuery { generation: loaded.generation, events };
    let list = use_event_list(&base);
    let target = use_jump(&list, &base, from, &loaded.main.summary);
    let on_go = list.on_go(from, target, &dispatch);
    let on_save = use_save(&base, &list.status_text, loaded.file_name("events.txt"));
    let on_close = Callback::from(list.object.setter()).reform(|_: MouseEvent| None);
    let onkeydown = {
        let list = list.clone();
        Callback::from(move |event: KeyboardEvent| list.press(&event))
    };
    let EventList { pages, window, scroll, active, is_stale, .. } = &list;
    let is_empty = pages.n == 0 && !is_stale;
    html! {
        <div class="events-view">
            <div class="events-bar">
                { kind_select(kind, &dispatch) }
                <TextField class="table-search events-go" kind="search" is_search=true on_commit={on_go}
                    value={from.map(EventTarget::to_text).unwrap_or_default()} placeholder="Go to 1.5s, peak or #12  /"
                    label="Go to a time or an object" />
                <span class="events-count" role="status" data-figure="total" data-value={pages.n.to_string()}>
                    { list.status() }
                </span>
                <button class="quiet" onclick={on_save} disabled={is_empty}>{ "Save as text" }</button>
            </div>
            <div class="events-scroll" ref={&scroll.scroller} onscroll={&scroll.onscroll}>
                <div class="events-grid" role="grid" tabindex="0" aria-label="Events by time"
                    aria-rowcount={(pages.n + 1).to_string()} aria-busy={is_stale.to_string()}
                    aria-activedescendant={active.filter(|line| window.lines.contains(line)).map(line_id)} {onkeydown}>
                    <div role="row" class="event-line events-head" ref={&scroll.head} aria-rowindex="1">
                        { for HEADINGS.iter().map(|&(class, title)| html! { <span role="columnheader" {class}>{ title }</span> }) }
                    </div>
                    <div role="rowgroup" class="events-body" ref={&scroll.body}>
                        { for window.lines.clone().map(|line| list.line(line)) }
                    </div>
                </div>
                if is_empty {
                    { nothing(&loaded, &view_state, &dispatch, pages) }
                }
            </div>
            if let Some(object) = *list.object {
                <ObjectLife {object} {base} dispatch={dispatch.clone()} {on_close} />
            }
        </div>
    }
}

/// Saves all events in the list.
#[hook]
fn use_save(base: &EventsQuery, status_text: &UseStateHandle<String>, name: String) -> Callback<MouseEvent> {
    let channel = use_channel();
    let (events, status_text) = (base.events.clone(), status_text.setter());
    Callback::from(move |_: MouseEvent| {
        let report =
            Callback::from(status_text.clone()).reform(|words: Result<_, _>| words.unwrap_or_else(|problem| problem));
        save_events(&channel, &events, name.clone(), report);
    })
}

fn nothing(loaded: &Loaded, view_state: &ViewState, dispatch: &Callback<ViewAction>, pages: &Pages) -> Html {
    let why = why_nothing(
        loaded,
        &ViewState { search: String::new(), measure: Measure::Allocated, ..view_state.clone() },
        dispatch,
        pages.error.as_ref(),
    );
    let show_all = dispatch.reform(|_: MouseEvent| ViewAction::EventKind(None));
    match view_state.events.kind {
        None => why,
        Some(_) if pages.error.is_some() => why,
        Some(_) => html! {
            <div class="nothing">
                <p><b>{ "No events of this type." }</b></p>
                <button class="button" onclick={show_all}>{ "Show all events" }</button>
            </div>
        },
    }
}

fn kind_select(shown: Option<Kind>, dispatch: &Callback<ViewAction>) -> Html {
    let kinds = KINDS.map(|(kind, text)| (kind, SelectOption::new(kind.map_or("", Kind::as_str), text)));
    select("Event type", kinds.into(), &shown, dispatch.reform(ViewAction::EventKind))
}
