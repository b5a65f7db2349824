//! The selected event's object: its lifetime, with a link to each of its events, and the stack that allocated it.

use yew::prelude::*;

use crate::ui::components::name::breakable;
use crate::ui::query::save_events::ListedEvents;
use crate::ui::query::use_query;
use crate::ui::store::view::ViewAction;
use crate::ui::store::view::settings::EventTarget;
use crate::ui::views::events::rows::EventsQuery;
use camlscope_engine::query::events::{EventsPage, Kind, Life, Start};
use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, NameTest, WhichFrame};
use camlscope_present::format;
use camlscope_present::layout::names;
use camlscope_view::page::views::events::row::life_in_words;

/// The number of innermost frames shown. Recursion can produce thousands.
const MAX_FRAMES: usize = 200;

#[derive(Properties, PartialEq)]
pub struct ObjectLifeProps {
    pub object: u32,
    pub base: EventsQuery,
    pub dispatch: Callback<ViewAction>,
    pub on_close: Callback<MouseEvent>,
}

#[component]
pub fn ObjectLife(props: &ObjectLifeProps) -> Html {
    let ObjectLifeProps { object, base, dispatch, on_close } = props;
    let of_object = ListedEvents { kind: Some(Kind::Alloc), ..base.events.clone() };
    let query = use_query(Some(of_object.request(Start::Object(*object), 1, MAX_FRAMES, true)));
    let page = query.get::<EventsPage>();
    let page = page.filter(|page| page.events.first().is_some_and(|event| event.object == *object));
    let life = page.and_then(|page| page.lives.first());
    html! {
        <section class="event-life" aria-label={format!("Object {object}")}>
            <div class="event-life-head">
                <h2 data-figure="object" data-value={object.to_string()}>{ format!("Object #{object}") }</h2>
                if let Some(life) = life {
                    { words(life) }
                }
                <button class="quiet" onclick={on_close.clone()} aria-label="Close">{ "×" }</button>
            </div>
            if let Some(life) = life {
                { steps(*object, life, base, dispatch) }
                <ol class="event-stack" aria-label="Call stack, from main to the allocation">
                    { for frames(&life.block.stack) }
                </ol>
            }
        </section>
    }
}

fn words(life: &Life) -> Html {
    let block = &life.block;
    let plural = |n: u64| if n == 1 { "" } else { "s" };
    html! {
        <p title={life_in_words(life)}>{ format!("{} word{} in the {} heap, domain {}, {} sample{}, allocated in {} {}",
            format::count(block.size_words), plural(block.size_words), block.source, block.domain, block.samples,
            plural(u64::from(block.samples)), names::plain(&life.site.name), life.site.location()) }</p>
    }
}

fn steps(object: u32, life: &Life, base: &EventsQuery, dispatch: &Callback<ViewAction>) -> Html {
    let step = |kind: Kind, words: &'static str, us: Option<u64>| {
        let us = us?;
        let (dispatch, shown) = (dispatch.clone(), base.events.kind.filter(|shown| *shown == kind));
        let onclick = Callback::from(move |_: MouseEvent| {
            dispatch.emit(ViewAction::EventKind(shown));
            dispatch.emit(ViewAction::EventTarget(Some(EventTarget::Object(object, kind))));
        });
        let after = match us.saturating_sub(life.allocated_us) {
            _ if kind == Kind::Alloc => String::new(),
            after => format!(", {} later", format::duration_us(after)),
        };
        Some(html! {
            <button class="button" {onclick} data-figure={format!("life.{words}_us")} data-value={us.to_string()}
                title={format!("Go to this event ({us} µs)")}>
                { format!("{words} at {}{after}", format::elapsed_us(us)) }
            </button>
        })
    };
    let (part, name) = (FrameField::Function, NameTest::is(&life.site.name));
    let here = Clause::Frame(FrameTest { part, name, not: false, which: WhichFrame::Allocating });
    let only_here = dispatch.reform(move |_: MouseEvent| ViewAction::AddClause(here.clone()));
    html! {
        <div class="event-steps">
            { step(Kind::Alloc, "allocated", Some(life.allocated_us)) }
            { step(Kind::Promote, "promoted", life.promoted_us) }
            { step(Kind::Collect, "collected", life.collected_us) }
            if life.collected_us.is_none() {
                <span>{ "never collected" }</span>
            }
            <button class="quiet" onclick={only_here}>{ "Filter by this function" }</button>
        </div>
    }
}

/// Formats frames of the form `name@file:line:from-to`, or without a location. Repeated frames are shown once, with a
/// count.
fn frames(stack: &str) -> Vec<Html> {
    let frames: Vec<&str> = stack.split(' ').collect();
    let frame = |same: &[&str]| {
        let (name, place) = same[0].split_once('@').unwrap_or((same[0], ""));
        // The line is enough here. The exported text also has the columns.
        let line = place.rsplit_once(':').map_or(place, |(line, _)| line);
        let times = if same.len() > 1 { format!(" ×{}", same.len()) } else { String::new() };
        html! { <li title={same[0].to_owned()}>{ breakable(&names::plain(name)) }{ times }<i>{ line }</i></li> }
    };
    frames.chunk_by(|one, two| one == two).map(frame).collect()
}
