//! A row of the list, with the event and its object's lifetime.

use yew::prelude::*;

use camlscope_engine::query::events::{Event, Kind, Life};
use camlscope_present::format;
use camlscope_present::layout::names;

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

/// Returns `allocated 0.17 s → promoted 0.2 s → collected 1.4 s, lived 1.23 s`.
pub fn life_in_words(life: &Life) -> String {
    let mut text = format!("allocated {}", format::elapsed_us(life.allocated_us));
    if let Some(us) = life.promoted_us {
        text.push_str(&format!(" → promoted {}", format::elapsed_us(us)));
    }
    match life.collected_us {
        Some(us) => {
            let lived = format::duration_us(us.saturating_sub(life.allocated_us));
            text.push_str(&format!(" → collected {}, lived {lived}", format::elapsed_us(us)));
        }
        None => text.push_str(" → never collected"),
    }
    text
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

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::events::Block;
    use camlscope_engine::query::tree::Label;

    #[test]
    fn a_lifetime_fits_on_one_line() {
        let block = Block { samples: 1, size_words: 2, source: "minor".to_owned(), domain: 0, stack: String::new() };
        let mut life = Life {
            allocated_us: 170_000,
            promoted_us: Some(200_000),
            collected_us: Some(1_400_000),
            site: Label::default(),
            block,
        };
        assert_eq!(life_in_words(&life), "allocated 0.17 s → promoted 0.2 s → collected 1.4 s, lived 1.23 s");
        (life.promoted_us, life.collected_us) = (None, None);
        assert_eq!(life_in_words(&life), "allocated 0.17 s → never collected");
    }
}
