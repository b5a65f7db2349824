//! The number of rows above and below the visible ones, with buttons to scroll to them.

use yew::prelude::*;

use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::Half;
use camlscope_present::format;

pub fn hidden_rows(scene: &FlameScene, handlers: &Handlers) -> Html {
    let (above, below) = scene.n_hidden_rows();
    // Rows beyond the queried depth are in the direction in which the stacks grow.
    let is_deeper = scene.is_deeper();
    let grows_up = scene.grows_up(Half::Lower);
    let button = |n: u32, is_more: bool, arrow: &'static str, side: &'static str, pages: f64| {
        let handlers = handlers.clone();
        let onclick =
            Callback::from(move |_: MouseEvent| handlers.flame_dispatch.emit(handlers.scene().scrolled(pages)));
        (n > 0).then(|| {
            let rows = if n == 1 { "row" } else { "rows" };
            let least = if is_more { "at least " } else { "" };
            html! {
                <button class="quiet" {onclick}>
                    { format!("{arrow} {least}{} more {rows} {side}", format::count(u64::from(n))) }
                </button>
            }
        })
    };
    html! {
        <div class="flame-outside">
            { button(above, is_deeper && (grows_up || scene.is_sandwich()), "▴", "above", -1.0) }
            { button(below, is_deeper && !grows_up, "▾", "below", 1.0) }
        </div>
    }
}
