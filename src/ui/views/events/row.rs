//! A row of the list, with the event and its object's lifetime.

use yew::prelude::*;

use camlscope_engine::query::events::{Event, Kind, Life};
use camlscope_present::format;
use camlscope_present::layout::names;
use camlscope_view::page::views::events::row::life_in_words;

pub const HEADINGS: [(&str, &str); 7] = [
    ("cell-time", "time, s"),
    ("cell-what", "event"),
    ("cell-number", "object"),
    ("cell-where", "allocated in"),
    ("cell-number", "words"),
    ("cell-heap", "heap"),
    ("cell-life", "lifecycle"),
];

pub fn cells(event: &Event, life: &Life) -> Html {
    let site = &life.site;
    html! {
        <>
            <span role="gridcell" class="cell-time" data-cell="time_us" data-value={event.time_us.to_string()}>{ seconds(event.time_us) }</span>
            <span role="gridcell" class={classes!("cell-what", kind_class(event.kind))} data-cell="kind" data-value={event.kind.as_str()}>
                { event.kind.as_str() }
            </span>
            <span role="gridcell" class="cell-number" data-cell="object" data-value={event.object.to_string()}>
                { format!("#{}", event.object) }
            </span>
            <span role="gridcell" class="cell-where" title={format!("{} {}", site.name, site.location())}>
                { names::plain(&site.name) }<i>{ site.location() }</i>
            </span>
            <span role="gridcell" class="cell-number">{ format::count(life.block.size_words) }</span>
            <span role="gridcell" class="cell-heap">{ &life.block.source }</span>
            <span role="gridcell" class="cell-life" data-cell="life">{ life_in_words(life) }</span>
        </>
    }
}

/// With microseconds, as in the exported text.
fn seconds(us: u64) -> String {
    format!("{}.{:06}", us / 1_000_000, us % 1_000_000)
}

fn kind_class(kind: Kind) -> &'static str {
    match kind {
        Kind::Alloc => "is-alloc",
        Kind::Promote => "is-promote",
        Kind::Collect => "is-collect",
    }
}
