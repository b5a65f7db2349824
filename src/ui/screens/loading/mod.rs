//! The screen for a load that takes a while: progress, remaining time, a preview of the trace, and a cancel button.

use std::rc::Rc;

use gloo::events::EventListener;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;
use yew::prelude::*;

use crate::ui::commands::Commands;
use crate::ui::platform::size::use_size;
use crate::ui::platform::use_canvas::use_canvas;
use crate::ui::store::Load;
use camlscope_engine::protocol::SoFar;
use camlscope_present::format::{self, Units};
use camlscope_present::layout::flame::{CollapsedFrames, Marks, Stage, draw};
use camlscope_present::layout::names::plain;
use camlscope_view::page::screens::loading::progress::{Words, words};
use camlscope_view::page::screens::loading::{announcement, area, waiting};
use camlscope_view::page::store::worker::WorkerState;

#[derive(Properties, Clone, PartialEq)]
pub struct LoadingProps {
    pub load: Load,
    pub worker: WorkerState,
    pub units: Units,
    pub commands: Commands,
}

#[component]
pub fn Loading(props: &LoadingProps) -> Html {
    use_effect_with(props.commands.clone(), |commands| {
        let commands = commands.clone();
        let listener = EventListener::new(&gloo::utils::window(), "keydown", move |event| {
            if event.unchecked_ref::<KeyboardEvent>().key() == "Escape" {
                commands.cancel();
            }
        });
        move || drop(listener)
    });
    let onclick = {
        let commands = props.commands.clone();
        Callback::from(move |_: MouseEvent| commands.cancel())
    };
    let words = props.load.progress.as_ref().map(|progress| words(progress, props.units));
    let percent = words.as_ref().and_then(|words| words.percent);
    html! {
        <div class="column loading">
            <h1>{ "Opening " }<span class="file-name">{ &props.load.name }</span></h1>
            if let Some(retry) = &props.load.retry {
                <p class="retry" role="status">{ retry.in_words() }</p>
            }
            <progress max="100" value={percent.map(|percent| percent.to_string())} aria-label="Loading progress" />
            { match words {
                Some(words) => figures(&words),
                None => html! { <p class="waiting">{ waiting(&props.load.source, props.worker) }</p> },
            } }
            <p class="visually-hidden" role="status">{ announcement(percent) }</p>
            <div class="actions">
                <button type="button" class="button" {onclick}>{ "Cancel" }<kbd>{ "Esc" }</kbd></button>
            </div>
            { props.load.so_far.as_deref().map(|shown| so_far(shown, props.units)) }
            { props.load.so_far.clone().map(|so_far| html! { <FlameSoFar {so_far} /> }) }
        </div>
    }
}

/// The curve up to the current position in the file, and the functions that hold most of the memory at that point.
fn so_far(so_far: &SoFar, units: Units) -> Html {
    let most = so_far.live.iter().copied().fold(0.0, f64::max);
    let now = so_far.live.last().copied().unwrap_or_default();
    if most <= 0.0 {
        return Html::default();
    }
    let holder = |(name, bytes): &(String, f64)| {
        html! {
            <li>
                <span class="so-far-name">{ plain(name) }</span>
                <progress max="1" value={(bytes / now).to_string()} aria-hidden="true" />
                <span class="so-far-share">{ format::percent(bytes / now) }</span>
            </li>
        }
    };
    let label = format!(
        "Live bytes in the first {}: peak {}, currently {}",
        format::duration_us(so_far.end_us),
        units.bytes(most),
        units.bytes(now)
    );
    html! {
        <section class="so-far" aria-label="Trace preview">
            <svg class="so-far-curve" viewBox="0 0 240 60" preserveAspectRatio="none" role="img" aria-label={label.clone()}>
                <path d={area(&so_far.live, most)} />
            </svg>
            <p class="so-far-label">{ label }</p>
            if !so_far.holders.is_empty() {
                <h2>{ "Live bytes by allocation site" }</h2>
                <ol class="so-far-holders">{ for so_far.holders.iter().map(holder) }</ol>
            }
        </section>
    }
}

/// A flame graph of what is live at the current position in the file.
#[derive(Properties, PartialEq)]
struct FlameSoFarProps {
    so_far: Rc<SoFar>,
}

#[component]
fn FlameSoFar(props: &FlameSoFarProps) -> Html {
    let canvas_ref = use_node_ref();
    let size = use_size(&canvas_ref);
    let drawn = size.map(|(width, height)| {
        let ratio = gloo::utils::window().device_pixel_ratio().max(1.0);
        let collapsed = CollapsedFrames::default();
        let stage = Stage { x: 0.0..1.0, width, height, top: 0.0, is_upward: false, collapsed, ratio };
        ((Rc::clone(&props.so_far), stage), (width, height))
    });
    use_canvas(&canvas_ref, drawn, |(so_far, stage), canvas| {
        Some(draw(&so_far.flame, stage, &Marks::default(), canvas))
    });
    html! {
        <canvas ref={canvas_ref} class="so-far-flame" role="img"
            aria-label="Flame graph of live bytes" />
    }
}

fn figures(words: &Words) -> Html {
    let percent = words.percent.map(|percent| html! { <li class="percent">{ percent }{ "%" }</li> });
    let parts = [&words.read, &words.speed, &words.events, &words.left];
    let parts = parts.into_iter().filter(|part| !part.is_empty());
    html! { <ul class="figures">{ percent }{ for parts.map(|part| html! { <li>{ part }</li> }) }</ul> }
}
