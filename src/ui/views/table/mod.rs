//! The table: who allocates, as rows that can be sorted, searched and opened. Only the rows on the screen are asked for
//! and drawn, so a table of a million rows scrolls.
//!
//! To a screen reader it is a treegrid with one place in the tab order; the active line is named by
//! `aria-activedescendant`, since a line that scrolls away is no longer there to hold the focus.

mod copy;
mod forest;
mod keys;
mod lines;
pub mod nothing;
mod row;
mod shapes;
mod sheet;

use web_sys::{Element, HtmlInputElement, HtmlSelectElement, InputEvent, KeyboardEvent};
use yew::prelude::*;

use self::forest::{At, Forest, use_branches};
use self::keys::Walker;
use self::lines::{line_id, lines};
use self::row::HEADINGS;
use self::sheet::Base;
use crate::format;
use crate::query::flame::Direction;
use crate::query::measure::Measure;
use crate::query::table::{Column, Order, TableConfig};
use crate::query::tree::{Grain, Label};
use crate::ui::asking::Desk;
use crate::ui::effect::use_effect_with;
use crate::ui::look::{GRAINS, Look, Tab, Turn, grain_word};
use crate::ui::parts::pages::{List, Pages, use_pages};
use crate::ui::parts::reading::{QUESTION, reading};
use crate::ui::parts::window::{Window, use_room};
use crate::ui::piece::{Piece, piece};
use crate::ui::size::use_size;
use crate::ui::workspace::{Work, use_work};

pub use self::forest::in_bytes;
pub use self::nothing::why as why_nothing;
pub use self::row::{is_thin, label_of, place_of};

/// Before the first layout; the header then says how high a line really is.
const LINE_PX: f64 = 26.0;

#[derive(PartialEq)]
pub struct TableView;

piece!(TableView, use_table_view());

#[hook]
fn use_table_view() -> Html {
    use_work().map_or_else(Html::default, |work| Grid { work }.show())
}

#[derive(PartialEq)]
struct Grid {
    work: Work,
}

piece!(Grid, use_grid);

#[hook]
fn use_grid(props: &Grid) -> Html {
    let Work { look, turn, loaded, .. } = &props.work;
    let (scroller, head, head_name, body) = (use_node_ref(), use_node_ref(), use_node_ref(), use_node_ref());
    let base =
        Base { generation: loaded.generation, view: look.view(), order: order(look), search: look.search.clone() };
    let line_px = use_size(&head).map_or(LINE_PX, |(_, height)| height.max(1.0));
    let em = use_memo(line_px.to_bits(), |_| font_px());
    let name_px = use_size(&head_name).map_or(0.0, |(width, _)| width);
    let view_px = use_size(&scroller).map_or(0.0, |(_, height)| height - line_px).max(line_px);
    let scroll_px = use_state_eq(|| 0.0);
    let active = use_state_eq(|| None::<usize>);
    let told = use_state_eq(String::new);
    let list = base.list();
    let pages = use_reducer(Pages::default);
    let forest = use_reducer_eq(Forest::default);

    let n_lines = pages.n + forest.n_lines_below();
    let window = Window::new(n_lines, line_px, view_px, *scroll_px);
    let row_at = |line: usize| match forest.at(line) {
        At::Row(row) | At::Below { row, .. } => row,
    };
    let n_first = (view_px / line_px).ceil() as usize;
    let wanted = row_at(window.lines.start)..row_at(window.lines.end).max(n_first);
    use_pages(sheet::CHANNEL, &pages, &list, wanted);
    use_branches(&forest, &base);
    use_room(&body, &window);
    use_effect_with((base.order, base.search.clone(), base.view.grain), {
        let (scroller, active, told) = (scroller.clone(), active.setter(), told.setter());
        move |_| {
            active.set(None);
            told.set(String::new());
            if let Some(scroller) = scroller.cast::<Element>() {
                scroller.set_scroll_top(0);
            }
        }
    });

    let walker = Walker {
        pages: pages.clone(),
        forest: forest.clone(),
        active: active.clone(),
        window: window.clone(),
        n_lines,
        scroller: scroller.clone(),
        name_px,
        em: *em,
        turn: turn.clone(),
        show: show_in_flame(look, turn),
    };
    let onscroll = {
        let (scroller, scroll_px) = (scroller.clone(), scroll_px.setter());
        Callback::from(move |_: Event| {
            if let Some(scroller) = scroller.cast::<Element>() {
                scroll_px.set(f64::from(scroller.scroll_top()));
            }
        })
    };
    let onkeydown = {
        let walker = walker.clone();
        Callback::from(move |event: KeyboardEvent| walker.press(&event))
    };
    let is_active_drawn = active.filter(|line| window.lines.contains(line));
    let desk = use_context::<Desk>();
    let on_copy = {
        let (base, told) = (base.clone(), told.setter());
        Callback::from(move |_: MouseEvent| {
            if let Some(desk) = &desk {
                copy::copy(
                    desk,
                    &base,
                    Callback::from({
                        let told = told.clone();
                        move |words| told.set(words)
                    }),
                );
            }
        })
    };
    let is_empty = pages.n == 0 && !pages.is_stale(&list);
    html! {
        <div class="table-view">
            <div class="table-bar">
                { search_field(look, turn) }
                { grain_select(look, turn) }
                <span class="table-count" role="status" data-figure="n_rows" data-value={pages.n.to_string()}>
                    { status(&pages, &list, look.grain, &told) }
                </span>
                <button class="quiet table-copy" onclick={on_copy} disabled={is_empty}>{ "Copy as CSV" }</button>
            </div>
            <div class="table-scroll" ref={scroller} {onscroll}>
                <div class="table-grid" role="treegrid" tabindex="0" aria-label={format!("Allocations by {}", one(look.grain))}
                    aria-rowcount={(n_lines + 1).to_string()} aria-busy={pages.is_stale(&list).to_string()}
                    aria-activedescendant={is_active_drawn.map(line_id)} {onkeydown}>
                    <div role="rowgroup" class="table-head">
                        <div role="row" class="table-line" ref={head} aria-rowindex="1">
                            { for HEADINGS.iter().map(|heading| header(heading, base.order, turn, &head_name)) }
                        </div>
                    </div>
                    <div role="rowgroup" class="table-body" ref={body}>
                        { for lines(&walker, look) }
                    </div>
                </div>
                if is_empty {
                    { nothing::why(look, turn, pages.error.as_ref()) }
                }
            </div>
            { reading(QUESTION, shapes::SUMMARY, &shapes::SHAPES) }
        </div>
    }
}

/// By self for call sites and by total for all others, in what the measure counts.
/// All rows that fit a file or a clipboard, as the table shows them.
pub fn whole(look: &Look) -> TableConfig {
    TableConfig { order: order(look), search: look.search.clone(), rows: 0..copy::MAX_ROWS }
}

fn order(look: &Look) -> Order {
    look.order.unwrap_or(match look.measure {
        Measure::Blocks if look.grain != Grain::Site => Order { column: Column::Blocks, descending: true },
        _ => Order::usual(look.grain),
    })
}

fn header(heading: &row::Heading, order: Order, turn: &Callback<Turn>, name: &NodeRef) -> Html {
    let column = heading.column;
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
    let onclick = turn.reform(move |_: MouseEvent| Turn::Order(Some(next)));
    let node = if column == Column::Name { name.clone() } else { NodeRef::default() };
    html! {
        <div role="columnheader" {class} aria-sort={sort} ref={node}>
            <button class="sort" title={heading.hint} {onclick}>
                { heading.title }<span class="arrow" aria-hidden="true">{ arrow }</span>
            </button>
        </div>
    }
}

fn search_field(look: &Look, turn: &Callback<Turn>) -> Html {
    let oninput = {
        let turn = turn.clone();
        Callback::from(move |event: InputEvent| {
            if let Some(input) = event.target_dyn_into::<HtmlInputElement>() {
                turn.emit(Turn::Search(input.value()));
            }
        })
    };
    html! {
        <input class="table-search" type="search" data-search="" value={look.search.clone()} {oninput}
            placeholder="Search names and files  /" aria-label="Search names and files" spellcheck="false"
            autocomplete="off" />
    }
}

fn grain_select(look: &Look, turn: &Callback<Turn>) -> Html {
    let onchange = {
        let turn = turn.clone();
        Callback::from(move |event: Event| {
            let word = event.target_dyn_into::<HtmlSelectElement>().map(|select| select.value()).unwrap_or_default();
            if let Some(grain) = GRAINS.into_iter().find(|grain| grain_word(*grain) == word) {
                turn.emit(Turn::Grain(grain));
            }
        })
    };
    let option = |grain: Grain| {
        html! {
            <option value={grain_word(grain)} selected={look.grain == grain}>{ format!("by {}", one(grain)) }</option>
        }
    };
    html! { <select class="quiet" {onchange} aria-label="What a row is">{ for GRAINS.into_iter().map(option) }</select> }
}

fn one(grain: Grain) -> &'static str {
    match grain {
        Grain::Site => "call site",
        Grain::Function | Grain::File | Grain::Module => grain_word(grain),
    }
}

fn status(pages: &Pages, list: &List, grain: Grain, told: &str) -> String {
    if let Some(share) = pages.working.filter(|_| pages.is_stale(list)) {
        return format!("Counting… {}", format::percent(share));
    }
    if !told.is_empty() {
        return told.to_owned();
    }
    let plural = if pages.n == 1 { "" } else { "s" };
    format!("{} {}{plural}", format::count(pages.n as u64), one(grain))
}

/// Selects a function and goes to the flame graph; a sandwich there becomes this function's.
fn show_in_flame(look: &Look, turn: &Callback<Turn>) -> Callback<Label> {
    let (turn, is_sandwich) = (turn.clone(), look.direction.function().is_some());
    Callback::from(move |label: Label| {
        turn.emit(Turn::Select(Some(label.clone())));
        if is_sandwich {
            turn.emit(Turn::Direction(Direction::Callees(label)));
        }
        turn.emit(Turn::Tab(Tab::Flame));
    })
}

/// The size of the page's font, which the reader may have set.
fn font_px() -> f64 {
    let root = gloo::utils::document().document_element();
    let style = root.and_then(|root| gloo::utils::window().get_computed_style(&root).ok().flatten());
    let size = style.and_then(|style| style.get_property_value("font-size").ok()).unwrap_or_default();
    let px = js_sys::Number::parse_float(&size);
    if px.is_finite() { px } else { LINE_PX / 2.0 }
}
