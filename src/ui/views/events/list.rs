//! The event list: its rows, the keyboard cursor, the selected object, and jumping to a time or an object.

use web_sys::KeyboardEvent;
use yew::prelude::*;

use crate::ui::components::virtual_list::{Scroll, use_scroll, use_scroll_height};
use crate::ui::query::paged::use_pages;
use crate::ui::query::use_query;
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::settings::EventTarget;
use crate::ui::views::events::row;
use crate::ui::views::events::rows::{self, EventsQuery};
use crate::ui::yew_reducer::YewReducer;
use camlscope_engine::query::events::EventsPage;
use camlscope_engine::query::summary::Summary;
use camlscope_present::format;
use camlscope_view::page::components::virtual_list::ScrollWindow;
use camlscope_view::page::query::paged::Pages;

/// The line height before the first layout.
const LINE_PX: f64 = 24.0;

#[derive(Clone)]
pub struct EventList {
    pub pages: UseReducerHandle<YewReducer<Pages>>,
    /// Whether the pages belong to an older list.
    pub is_stale: bool,
    pub scroll: Scroll,
    pub window: ScrollWindow,
    /// The row with the keyboard cursor.
    pub active: UseStateHandle<Option<usize>>,
    /// The object whose details are shown. Its row may be scrolled out of view.
    pub object: UseStateHandle<Option<u32>>,
    pub status_text: UseStateHandle<String>,
}

#[hook]
pub fn use_event_list(base: &EventsQuery) -> EventList {
    let scroll = use_scroll(LINE_PX);
    let active = use_state_eq(|| None::<usize>);
    let object = use_state_eq(|| None::<u32>);
    let status_text = use_state_eq(String::new);
    let list = base.list();
    let pages = use_reducer(YewReducer::<Pages>::default);
    let window = scroll.window(pages.n);
    use_pages(&pages, &list, window.lines.start..window.lines.end.max(scroll.n_seen()));
    use_scroll_height(&scroll.body, &window);
    // The details take space from the list, so scroll the object's row back into view.
    use_effect_with((*object, scroll.view_px.to_bits()), {
        let (scroll, line) = (scroll.clone(), active.and_then(|line| window.scroll_to(line)));
        move |(object, _)| object.and(line).into_iter().for_each(|px| scroll.to_px(px))
    });
    let is_stale = pages.is_stale(&list);
    EventList { pages, is_stale, scroll, window, active, object, status_text }
}

/// Jumps to the target once the list that contains it has loaded. Returns its row.
#[hook]
pub fn use_jump(list: &EventList, base: &EventsQuery, from: Option<EventTarget>, summary: &Summary) -> Option<usize> {
    let query = use_query(from.map(|from| base.events.request(from.start(summary), 1, 0, false)));
    let page = query.get::<EventsPage>().filter(|_| from.is_some() && !query.is_waiting);
    let target = page.map(|page| (page.first as usize, page.total as usize, page.events.first().map(|e| e.object)));
    let jumped = list.clone();
    use_effect_with((target, from, list.pages.n, list.is_stale), move |(target, from, n, is_stale)| {
        let Some((first, total, found)) = target.filter(|(_, total, _)| total == n && !is_stale) else { return };
        jumped.status_text.set(landed(*from, first, total, found));
        let line = first.min(total.saturating_sub(1));
        jumped.active.set((total > 0).then_some(line));
        jumped.object.set(found.filter(|_| matches!(from, Some(EventTarget::Object(..)))));
        jumped.go_to(line);
    });
    target.map(|(first, ..)| first)
}

/// Returns a message if a jump didn't end at its target.
fn landed(from: Option<EventTarget>, first: usize, total: usize, object: Option<u32>) -> String {
    match (from, object) {
        (Some(EventTarget::Object(wanted, _)), found) if found != Some(wanted) => {
            format!("Object #{wanted} isn't in this list. Showing the next one.")
        }
        (Some(EventTarget::Time(_)), None) if first >= total && total > 0 => {
            "No events at or after that time. Showing the last event.".to_owned()
        }
        _ => String::new(),
    }
}

impl EventList {
    fn go_to(&self, line: usize) {
        self.scroll.to_px(self.window.center(line));
    }

    /// Handles the jump field's input. `now` is the last target, which is in row `line`.
    pub fn on_go(
        &self,
        now: Option<EventTarget>,
        line: Option<usize>,
        dispatch: &Callback<ViewAction>,
    ) -> Callback<String, Result<(), String>> {
        let (list, dispatch) = (self.clone(), dispatch.clone());
        Callback::from(move |typed: String| {
            match typed.parse() {
                Err(()) if typed.trim().is_empty() => dispatch.emit(ViewAction::EventTarget(None)),
                Err(()) => return Err(format!("“{typed}” isn't a time (1.5s, peak) or an object (#12).")),
                Ok(from) if Some(from) == now => line.into_iter().for_each(|line| list.go_to(line)),
                Ok(from) => dispatch.emit(ViewAction::EventTarget(Some(from))),
            }
            Ok(())
        })
    }

    pub fn status(&self) -> String {
        if self.is_stale {
            let share = self.pages.progress.map_or_else(String::new, |share| format!(" {}", format::percent(share)));
            return format!("Sorting events…{share}");
        }
        if !self.status_text.is_empty() {
            return (*self.status_text).clone();
        }
        format!("{} event{}", format::count(self.pages.n as u64), if self.pages.n == 1 { "" } else { "s" })
    }

    pub fn line(&self, at: usize) -> Html {
        let found = rows::event(&self.pages, at);
        let onclick = {
            let (active, object) = (self.active.setter(), self.object.setter());
            let chosen = found.map(|(event, _)| event.object);
            Callback::from(move |_: MouseEvent| {
                active.set(Some(at));
                object.set(chosen);
            })
        };
        let is_active = *self.active == Some(at);
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
    }

    /// Arrow keys move between rows, Enter shows an object's details, and Escape hides them.
    pub fn press(&self, event: &KeyboardEvent) {
        let n = self.pages.n;
        if n == 0 || event.ctrl_key() || event.alt_key() || event.meta_key() {
            return;
        }
        let (last, at) = (n - 1, self.active.unwrap_or(0));
        let to = match event.key().as_str() {
            "ArrowDown" => self.active.map_or(0, |line| (line + 1).min(last)),
            "ArrowUp" => at.saturating_sub(1),
            "PageDown" => (at + self.window.page()).min(last),
            "PageUp" => at.saturating_sub(self.window.page()),
            "Home" => 0,
            "End" => last,
            "Enter" | " " | "Escape" => at,
            _ => return,
        };
        event.prevent_default();
        self.active.set(Some(to));
        let of_line = rows::event(&self.pages, to).map(|(event, _)| event.object);
        match event.key().as_str() {
            "Escape" => self.object.set(None),
            "Enter" | " " => self.object.set(of_line),
            // If details are open, they follow the cursor.
            _ if self.object.is_some() && of_line.is_some() => self.object.set(of_line),
            _ => {}
        }
        self.window.scroll_to(to).into_iter().for_each(|px| self.scroll.to_px(px));
    }
}

pub fn line_id(line: usize) -> String {
    format!("event-{line}")
}
