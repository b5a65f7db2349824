//! The Table tab: functions as rows that can be sorted, searched and expanded. Only visible rows are queried and
//! rendered, so that a table with a million rows scrolls smoothly.
//!
//! For screen readers it is a treegrid with a single tab stop. `aria-activedescendant` names the active line, because a
//! line that scrolls out of view is removed and couldn't keep the focus.

mod copy;
pub mod explainer;
mod keys;
mod lines;
mod open_rows;
mod row;
mod rows;

use std::rc::Rc;

use web_sys::{HtmlElement, KeyboardEvent};
use yew::prelude::*;

use self::keys::TableHandlers;
use self::lines::{line_id, lines};
use self::open_rows::use_branches;
use self::rows::TableQuery;
use crate::ui::components::grain_select::grain_select;
use crate::ui::components::nothing::why_nothing;
use crate::ui::components::search::{search_field, use_matcher};
use crate::ui::components::virtual_list::{use_scroll, use_scroll_height};
use crate::ui::context::{WorkspaceContext, use_workspace};
use crate::ui::platform::size::use_size;
use crate::ui::query::paged::use_pages;
use crate::ui::query::use_channel;
use crate::ui::store::view::{Tab, ViewAction, ViewState};
use crate::ui::yew_reducer::YewReducer;
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::table::{Column, Order};
use camlscope_engine::query::tree::{Grain, Label};
use camlscope_present::format;
use camlscope_view::page::components::search::match_words;
use camlscope_view::page::query::paged::{PagedList, Pages};
use camlscope_view::page::views::flame::matches::next;
use camlscope_view::page::views::table::open_rows::{LineAt, OpenRows};

/// The line height before the first layout.
const LINE_PX: f64 = 26.0;

#[component]
pub fn TableView() -> Html {
    let workspace = use_workspace();
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, units, .. } = &workspace;
    let (scroll, head_name, grid) = (use_scroll(LINE_PX), use_node_ref(), use_node_ref());
    let base = TableQuery {
        generation: loaded.generation,
        view: view_state.query_view(),
        order: view_state.table_order(),
        search: view_state.valid_search().to_owned(),
    };
    let em = use_memo(scroll.line_px.to_bits(), |_| font_px());
    let name_px = use_size(&head_name).map_or(0.0, |(width, _)| width);
    let active = use_state_eq(|| None::<usize>);
    let status_text = use_state_eq(String::new);
    let list = base.list();
    let pages = use_reducer(YewReducer::<Pages>::default);
    let open_rows = use_reducer_eq(YewReducer::<OpenRows>::default);

    let n_lines = pages.n + open_rows.n_lines_below();
    let window = scroll.window(n_lines);
    let row_at = |line: usize| match open_rows.at(line) {
        LineAt::Row(row) | LineAt::Below { row, .. } => row,
    };
    let wanted = row_at(window.lines.start)..row_at(window.lines.end).max(scroll.n_seen());
    use_pages(&pages, &list, wanted);
    use_branches(&open_rows, &base);
    use_scroll_height(&scroll.body, &window);
    use_effect_with((base.order, base.search.clone(), base.view.grain), {
        let (scroll, active, status_text) = (scroll.clone(), active.setter(), status_text.setter());
        move |_| {
            active.set(None);
            status_text.set(String::new());
            scroll.to_px(0.0);
        }
    });

    let noun = capabilities.frame_noun(view_state.grain);
    let headings: Rc<[row::Heading]> = row::headings(*capabilities, view_state.measure).into();
    let handlers = TableHandlers {
        pages: pages.clone(),
        open_rows: open_rows.clone(),
        active: active.clone(),
        window: window.clone(),
        n_lines,
        scroll: scroll.clone(),
        name_px,
        em: *em,
        headings: Rc::clone(&headings),
        unit: view_state.measure.in_bytes().unit(),
        units: *units,
        has_samples: capabilities.has_samples,
        dispatch: dispatch.clone(),
        show: show_in_flame(view_state, dispatch),
    };
    use_unhidden(&handlers, view_state.hides_selected() && !pages.is_stale(&list));
    let onkeydown = {
        let handlers = handlers.clone();
        Callback::from(move |event: KeyboardEvent| handlers.press(&event))
    };
    // All rows match, so the current match is the row with the keyboard's line.
    let at = active.filter(|line| *line < n_lines).map(row_at);
    let found = use_matcher(view_state).map(|_| html! { match_words(at, pages.n) });
    let on_step = {
        let (handlers, open_rows) = (handlers.clone(), open_rows.clone());
        Callback::from(move |is_forward: bool| {
            let next = next(at, handlers.pages.n, is_forward);
            next.into_iter().for_each(|row| handlers.go(open_rows.line_of(row)));
        })
    };
    let on_leave = {
        let grid = grid.clone();
        Callback::from(move |()| grid.cast::<HtmlElement>().into_iter().for_each(|grid| drop(grid.focus())))
    };
    let is_growth = view_state.measure.is_growth() && capabilities.has_samples;
    let grid_classes = classes!(
        "table-grid",
        (!capabilities.has_samples).then_some("is-profile"),
        is_growth.then_some("is-growth"),
        (view_state.grain == Grain::Site).then_some("is-site")
    );
    let is_active_drawn = active.filter(|line| window.lines.contains(line));
    let on_copy = use_copy(&base, &status_text);
    let is_empty = pages.n == 0 && !pages.is_stale(&list);
    html! {
        <div class="table-view">
            <div class="table-bar">
                { search_field(view_state, dispatch, found, on_step, on_leave) }
                { grain_select("Group by", &workspace) }
                <span class="table-count" role="status" data-figure="n_rows" data-value={pages.n.to_string()}>
                    { status(&pages, &list, noun, &status_text) }
                </span>
                <button class="quiet table-copy" onclick={on_copy} disabled={is_empty}>{ "Copy as CSV" }</button>
            </div>
            <div class="table-scroll" ref={scroll.scroller} onscroll={scroll.onscroll}>
                <div class={grid_classes} role="treegrid" tabindex="0" ref={&grid}
                    aria-label={format!("Allocations by {noun}")}
                    aria-rowcount={(n_lines + 1).to_string()} aria-busy={pages.is_stale(&list).to_string()}
                    aria-activedescendant={is_active_drawn.map(line_id)} {onkeydown}>
                    <div role="rowgroup" class="table-head">
                        <div role="row" class="table-line" ref={scroll.head} aria-rowindex="1">
                            { for headings.iter().map(|heading| header(heading, base.order, dispatch, &head_name)) }
                        </div>
                    </div>
                    <div role="rowgroup" class="table-body" ref={scroll.body}>
                        { for lines(&handlers, view_state) }
                    </div>
                </div>
                if is_empty {
                    { why_nothing(loaded, view_state, dispatch, pages.error.as_ref()) }
                }
            </div>
        </div>
    }
}

#[hook]
fn use_copy(base: &TableQuery, status_text: &UseStateHandle<String>) -> Callback<MouseEvent> {
    let channel = use_channel();
    let (base, status_text) = (base.clone(), status_text.setter());
    Callback::from(move |_: MouseEvent| copy::copy(&channel, &base, Callback::from(status_text.clone())))
}

/// A function that the filter hides no longer has a row, so the selection moves to the keyboard's line.
#[hook]
fn use_unhidden(handlers: &TableHandlers, is_hidden: bool) {
    let (next, dispatch) = (handlers.active.and_then(|line| handlers.label(line)), handlers.dispatch.clone());
    use_effect_with((is_hidden, next), move |(is_hidden, next)| {
        if *is_hidden {
            dispatch.emit(ViewAction::Select(next.clone()));
        }
    });
}

fn header(heading: &row::Heading, order: Order, dispatch: &Callback<ViewAction>, name: &NodeRef) -> Html {
    let Some(column) = heading.column else {
        return html! {
            <div role="columnheader" class="cell-figure"><span class="sort" title={heading.hint}>{ heading.title }</span></div>
        };
    };
    let is_text = matches!(column, Column::Name | Column::File);
    let is_sorted = order.column == column;
    let next = Order { column, descending: if is_sorted { !order.descending } else { !is_text } };
    let (sort, arrow) = match (is_sorted, order.descending) {
        (false, _) => ("none", ""),
        (true, true) => ("descending", "▾"),
        (true, false) => ("ascending", "▴"),
    };
    let class = match column {
        Column::Name => "cell-name",
        Column::File => "cell-file",
        _ => "cell-figure",
    };
    let onclick = dispatch.reform(move |_: MouseEvent| ViewAction::Order(Some(next)));
    let node = if column == Column::Name { name.clone() } else { NodeRef::default() };
    html! {
        <div role="columnheader" {class} aria-sort={sort} ref={node}>
            <button class="sort" title={heading.hint} {onclick}>
                { heading.title }<span class="arrow" aria-hidden="true">{ arrow }</span>
            </button>
        </div>
    }
}

fn status(pages: &Pages, list: &PagedList, noun: &str, status_text: &str) -> String {
    if let Some(share) = pages.progress.filter(|_| pages.is_stale(list)) {
        return format!("Counting… {}", format::percent(share));
    }
    if !status_text.is_empty() {
        return status_text.to_owned();
    }
    let plural = if pages.n == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", format::count(pages.n as u64))
}

/// Selects a function and opens the flame graph. If that shows a sandwich, it switches to this function.
fn show_in_flame(view_state: &ViewState, dispatch: &Callback<ViewAction>) -> Callback<Label> {
    let (dispatch, is_sandwich) = (dispatch.clone(), view_state.flame.direction.function().is_some());
    Callback::from(move |label: Label| {
        dispatch.emit(ViewAction::Select(Some(label.clone())));
        if is_sandwich {
            dispatch.emit(ViewAction::Direction(Direction::Callees(label)));
        }
        dispatch.emit(ViewAction::Tab(Tab::Flame));
    })
}

/// Returns the page's font size, which the user may have changed.
fn font_px() -> f64 {
    let root = gloo::utils::document().document_element();
    let style = root.and_then(|root| gloo::utils::window().get_computed_style(&root).ok().flatten());
    let size = style.and_then(|style| style.get_property_value("font-size").ok()).unwrap_or_default();
    let px = js_sys::Number::parse_float(&size);
    if px.is_finite() { px } else { LINE_PX / 2.0 }
}
