//! Events: what the file says, one event a line, for doubts. Only the lines on the screen are asked for and drawn, so tens
//! of millions of them scroll.

mod explainer;
mod life;
mod row;
mod rows;

use web_sys::{Element, HtmlInputElement, KeyboardEvent};
use yew::prelude::*;

use self::life::ObjectLife;
use self::row::HEADINGS;
use self::rows::Base;
use crate::ui::components::explainer::{QUESTION, explainer};
use crate::ui::components::nothing::why_nothing;
use crate::ui::components::select::{Select, SelectOption};
use crate::ui::components::text_field::TextField;
use crate::ui::components::virtual_list::{Window, use_scroll_height};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::size::use_size;
use crate::ui::query::paged::{List, Pages, use_pages};
use crate::ui::query::save_events::{ListedEvents, save_events};
use crate::ui::query::{use_channel, use_query};
use crate::ui::store::state::Loaded;
use crate::ui::store::view::settings::{EventSettings, EventTarget, TableSettings};
use crate::ui::store::view::{ViewAction, ViewState};
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::events::Kind;
use camlscope_engine::query::measure::Measure;
use camlscope_present::format;

/// Before the first layout; the header then says how high a line really is.
const LINE_PX: f64 = 24.0;
const KINDS: [(Option<Kind>, &str); 4] = [
    (None, "all events"),
    (Some(Kind::Alloc), "allocations"),
    (Some(Kind::Promote), "promotions"),
    (Some(Kind::Collect), "collections"),
];

#[component]
pub fn EventsView() -> Html {
    let WorkspaceContext { view_state, dispatch, loaded, .. } = use_workspace();
    let (scroller, head, body) = (use_node_ref(), use_node_ref(), use_node_ref());
    let EventSettings { kind, from } = view_state.events;
    let base = Base { generation: loaded.generation, events: ListedEvents { filter: view_state.filter(), kind } };
    let line_px = use_size(&head).map_or(LINE_PX, |(_, height)| height.max(1.0));
    let view_px = use_size(&scroller).map_or(0.0, |(_, height)| height - line_px).max(line_px);
    let scroll_px = use_state_eq(|| 0.0);
    let active = use_state_eq(|| None::<usize>);
    // Whose life is shown; its line may be scrolled away.
    let object = use_state_eq(|| None::<u32>);
    let status_text = use_state_eq(String::new);
    let list = base.list();
    let pages = use_reducer(Pages::default);
    let window = Window::new(pages.n, line_px, view_px, *scroll_px);
    let n_first = (view_px / line_px).ceil() as usize;
    use_pages(&pages, &list, window.lines.start..window.lines.end.max(n_first));
    use_scroll_height(&body, &window);

    let wanted = from.map(|from| base.request(from.start(&loaded.main.summary), 1, 0, false));
    let jump = use_query(wanted);
    let target = match jump.answer.as_deref() {
        Some(Answer::Events(page)) if from.is_some() && !jump.is_waiting => Some(page),
        _ => None,
    };
    let target = target.map(|page| (page.first as usize, page.total as usize, page.events.first().map(|e| e.object)));
    let go_to = {
        let (window, scroller) = (window.clone(), scroller.clone());
        move |line: usize| {
            if let Some(scroller) = scroller.cast::<Element>() {
                scroller.set_scroll_top(window.centre(line).round() as i32);
            }
        }
    };
    // Once the list is there that the place is in.
    use_effect_with((target, from, pages.n, pages.is_stale(&list)), {
        let (active, object, status_text, go_to) =
            (active.setter(), object.setter(), status_text.setter(), go_to.clone());
        move |(target, from, n, is_stale)| {
            let Some((first, total, found)) = target.filter(|(_, total, _)| total == n && !is_stale) else { return };
            status_text.set(landed(*from, first, total, found));
            let line = first.min(total.saturating_sub(1));
            active.set((total > 0).then_some(line));
            object.set(found.filter(|_| matches!(from, Some(EventTarget::Object(..)))));
            go_to(line);
        }
    });

    // The life takes room from the list: the line that it belongs to stays seen.
    use_effect_with((*object, view_px.to_bits()), {
        let (scroller, line) = (scroller.clone(), active.and_then(|line| window.scroll_to(line)));
        move |(object, _)| {
            if let (Some(_), Some(px), Some(scroller)) = (object, line, scroller.cast::<Element>()) {
                scroller.set_scroll_top(px.round() as i32);
            }
        }
    });

    let onscroll = {
        let (scroller, scroll_px) = (scroller.clone(), scroll_px.setter());
        Callback::from(move |_: Event| {
            if let Some(scroller) = scroller.cast::<Element>() {
                scroll_px.set(f64::from(scroller.scroll_top()));
            }
        })
    };
    let onkeydown = keys(&window, &pages, &scroller, &active, &object);
    let on_go = {
        let (dispatch, status_text, now) = (dispatch.clone(), status_text.setter(), from);
        let again = target.map(|(first, ..)| first);
        Callback::from(move |input: HtmlInputElement| {
            let typed = input.value();
            let target = typed.parse();
            let is_taken = target.is_ok() || typed.trim().is_empty();
            match target {
                Err(()) if typed.trim().is_empty() => {
                    dispatch.emit(ViewAction::EventTarget(None));
                }
                Err(()) => {
                    status_text.set(format!("“{typed}” is no time such as 1.5s or peak, and no object such as #12."))
                }
                Ok(from) if Some(from) == now => {
                    if let Some(line) = again {
                        go_to(line);
                    }
                }
                Ok(from) => dispatch.emit(ViewAction::EventTarget(Some(from))),
            }
            is_taken
        })
    };
    let channel = use_channel();
    let on_save = {
        let (events, status_text, name) = (base.events.clone(), status_text.setter(), loaded.file_name("events.txt"));
        Callback::from(move |_: MouseEvent| {
            let status_text = status_text.clone();
            let report = Callback::from(move |words: Result<String, String>| {
                status_text.set(words.unwrap_or_else(|problem| problem));
            });
            save_events(&channel, &events, name.clone(), report);
        })
    };
    let is_empty = pages.n == 0 && !pages.is_stale(&list);
    let on_close = {
        let object = object.setter();
        Callback::from(move |_: MouseEvent| object.set(None))
    };
    let line = |at: usize| {
        let found = rows::event(&pages, at);
        let onclick = {
            let (active, object, chosen) = (active.setter(), object.setter(), found.map(|(event, _)| event.object));
            Callback::from(move |_: MouseEvent| {
                active.set(Some(at));
                object.set(chosen);
            })
        };
        let is_active = *active == Some(at);
        html! {
            <div role="row" key={at} id={line_id(at)} class={classes!("event-line", is_active.then_some("is-active"))}
                aria-rowindex={(at + 2).to_string()} aria-selected={is_active.to_string()} {onclick}>
                if let Some((event, life)) = found {
                    { row::cells(event, life) }
                } else {
                    <span role="gridcell" class="cell-time">{ "…" }</span>
                }
            </div>
        }
    };
    html! {
        <div class="events-view">
            <div class="events-bar">
                { kind_select(kind, &dispatch) }
                <TextField class="table-search events-go" kind="search" is_search=true on_commit={on_go}
                    value={from.map(EventTarget::to_text).unwrap_or_default()} placeholder="Go to 1.5s, peak or #12  /"
                    label="Go to a time or an object" />
                <span class="events-count" role="status" data-figure="total" data-value={pages.n.to_string()}>
                    { status(&pages, &list, &status_text) }
                </span>
                <button class="quiet" onclick={on_save} disabled={is_empty}>{ "Save as text" }</button>
            </div>
            <div class="events-help">{ explainer(QUESTION, explainer::SUMMARY, &explainer::SHAPES) }</div>
            <div class="events-scroll" ref={scroller} {onscroll}>
                <div class="events-grid" role="grid" tabindex="0" aria-label="Events in the order of time"
                    aria-rowcount={(pages.n + 1).to_string()} aria-busy={pages.is_stale(&list).to_string()}
                    aria-activedescendant={active.filter(|line| window.lines.contains(line)).map(line_id)} {onkeydown}>
                    <div role="row" class="event-line events-head" ref={head} aria-rowindex="1">
                        { for HEADINGS.iter().map(|&(class, title)| html! { <span role="columnheader" {class}>{ title }</span> }) }
                    </div>
                    <div role="rowgroup" class="events-body" ref={body}>{ for window.lines.clone().map(line) }</div>
                </div>
                if is_empty {
                    { nothing(&loaded, &view_state, &dispatch, &pages) }
                }
            </div>
            if let Some(object) = *object {
                <ObjectLife {object} base={base.clone()} dispatch={dispatch.clone()} {on_close} />
            }
        </div>
    }
}

/// Where a jump ended, if not where the user wanted to go.
fn landed(from: Option<EventTarget>, first: usize, total: usize, object: Option<u32>) -> String {
    match (from, object) {
        (Some(EventTarget::Object(wanted, _)), found) if found != Some(wanted) => {
            format!("Object #{wanted} is not in this list: this is what comes next.")
        }
        (Some(EventTarget::Time(_)), None) if first >= total && total > 0 => {
            "Nothing happened then or later: this is the last event.".to_owned()
        }
        _ => String::new(),
    }
}

fn nothing(loaded: &Loaded, view_state: &ViewState, dispatch: &Callback<ViewAction>, pages: &Pages) -> Html {
    let why = why_nothing(
        loaded,
        &ViewState { table: TableSettings::default(), measure: Measure::Allocated, ..view_state.clone() },
        dispatch,
        pages.error.as_ref(),
    );
    let show_all = dispatch.reform(|_: MouseEvent| ViewAction::EventKind(None));
    match view_state.events.kind {
        None => why,
        Some(_) if pages.error.is_some() => why,
        Some(_) => html! {
            <div class="nothing">
                <p><b>{ "No event of this kind." }</b></p>
                <button class="button" onclick={show_all}>{ "Show all events" }</button>
            </div>
        },
    }
}

fn kind_select(shown: Option<Kind>, dispatch: &Callback<ViewAction>) -> Html {
    let options: Vec<SelectOption> =
        KINDS.iter().map(|(kind, text)| SelectOption::new(kind.map_or("", Kind::as_str), *text)).collect();
    let selected = KINDS.iter().position(|(kind, _)| *kind == shown).unwrap_or_default();
    let on_select = dispatch.reform(|index: usize| ViewAction::EventKind(KINDS.get(index).and_then(|(kind, _)| *kind)));
    html! { <Select label="Which events" {options} {selected} {on_select} /> }
}

fn status(pages: &Pages, list: &List, status_text: &str) -> String {
    if pages.is_stale(list) {
        return pages.progress.map_or_else(
            || "Putting events in order…".to_owned(),
            |share| format!("Putting events in order… {}", format::percent(share)),
        );
    }
    if !status_text.is_empty() {
        return status_text.to_owned();
    }
    format!("{} event{}", format::count(pages.n as u64), if pages.n == 1 { "" } else { "s" })
}

/// Arrow keys walk the lines, Enter shows the object's life, Escape hides it.
fn keys(
    window: &Window,
    pages: &UseReducerHandle<Pages>,
    scroller: &NodeRef,
    active: &UseStateHandle<Option<usize>>,
    object: &UseStateHandle<Option<u32>>,
) -> Callback<KeyboardEvent> {
    let (window, pages, scroller) = (window.clone(), pages.clone(), scroller.clone());
    let (active, object) = (active.clone(), object.clone());
    Callback::from(move |event: KeyboardEvent| {
        let n = pages.n;
        if n == 0 || event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let (last, at) = (n - 1, active.unwrap_or(0));
        let to = match event.key().as_str() {
            "ArrowDown" => active.map_or(0, |line| (line + 1).min(last)),
            "ArrowUp" => at.saturating_sub(1),
            "PageDown" => (at + window.page()).min(last),
            "PageUp" => at.saturating_sub(window.page()),
            "Home" => 0,
            "End" => last,
            "Enter" | " " | "Escape" => at,
            _ => return,
        };
        event.prevent_default();
        active.set(Some(to));
        let of_line = rows::event(&pages, to).map(|(event, _)| event.object);
        match event.key().as_str() {
            "Escape" => object.set(None),
            "Enter" | " " => object.set(of_line),
            // A life that is shown follows.
            _ if object.is_some() && of_line.is_some() => object.set(of_line),
            _ => {}
        }
        if let (Some(px), Some(scroller)) = (window.scroll_to(to), scroller.cast::<Element>()) {
            scroller.set_scroll_top(px.round() as i32);
        }
    })
}

fn line_id(line: usize) -> String {
    format!("event-{line}")
}
