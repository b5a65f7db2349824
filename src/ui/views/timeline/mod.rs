//! The timeline, which is visible on every tab. A drag selects a time range, a click shows what is live at that time,
//! and the wheel zooms. Arrow keys do the same.

mod controls;
mod drag;
mod drawing;
mod explainer;
mod handles;
mod height;
mod keys;
pub mod pins;
mod saved;
mod scene;
mod strip;
mod swatch;
mod tooltip;
mod two_traces;
mod words;

use std::rc::Rc;

use web_sys::PointerEvent;
use yew::prelude::*;

use self::drag::{Pointing, TimelineDrag};
use self::handles::Handles;
use self::height::HeightHandle;
use self::pins::{Pins, pin_button};
use self::scene::{TimelineScene, use_point, use_scene};
use self::strip::use_strip;
use crate::ui::components::explainer::Explainer;
use crate::ui::context::WorkspaceContext;
use crate::ui::store::view::ViewAction;
use camlscope_engine::query::filter::When;
use camlscope_present::layout::timeline::Marks;

#[component]
pub fn TimelineStrip() -> Html {
    let (canvas_ref, marks_ref, stage_ref) = (use_node_ref(), use_node_ref(), use_node_ref());
    let scene = use_scene(&canvas_ref);
    let drag = use_state(|| None::<TimelineDrag>);
    let pointing = use_state_eq(Pointing::default);
    drawing::use_both_drawing(&scene, &marks_ref, pointing.us);
    drawing::use_so_far(&scene);
    drawing::use_curve(&scene);
    saved::use_timeline_picture(&scene);
    let hover_us = pointing.us.filter(|_| drag.is_none());
    let marks =
        Marks { hover_us, hover_layer: pointing.layer, ..scene.marks(drag.as_ref().and_then(TimelineDrag::span)) };
    let hovered = use_point(&scene, hover_us.map(|us| When::At(us as u64)));
    let chosen = use_point(&scene, scene.time());
    let read = match pointing.us {
        Some(us) if drag.is_none() => Some((us, &hovered)),
        None if pointing.is_keyed && marks.cursor.is_some() => Some((scene.cursor_us() as f64, &chosen)),
        _ => None,
    };
    let tooltip = read.and_then(|(us, point)| tooltip::tooltip(&scene, *pointing, us, point.as_ref()));
    let value_text = words::value_text(&scene, chosen.as_ref(), marks.brush);
    drawing::use_marks(&scene, &marks_ref, marks, hovered.clone());
    let section_ref = use_node_ref();
    use_strip(&section_ref);
    let WorkspaceContext { dispatch, loaded, .. } = &scene.workspace;
    html! {
        <section ref={section_ref} class="timeline" aria-label={saved::title(scene.axes.graph)}>
            { head(&scene) }
            <div class="timeline-stage" ref={stage_ref.clone()}>
                { curve(&scene, &drag, &pointing, value_text) }
                <canvas ref={marks_ref} class="timeline-marks" aria-hidden="true" />
                if let Some((times, (plot, size))) = scene.times().zip(scene.place()) {
                    <Handles {times} {plot} {size} end_us={scene.end_us()} snapshots_us={Rc::clone(&scene.snapshots_us)}
                        dispatch={dispatch.clone()} />
                }
                if let Some((plot, size)) = scene.place().filter(|_| !scene.is_both) {
                    <Pins pins={scene.workspace.view_state.timeline.shown_pins()} {plot} {size} axes={Rc::clone(&scene.axes)}
                        dispatch={dispatch.clone()} />
                }
            </div>
            <HeightHandle stage={stage_ref} height={scene.size.map(|size| size.1)} />
            { tooltip.unwrap_or_default() }
            { loaded.profile().map(words::events) }
        </section>
    }
}

fn head(scene: &TimelineScene) -> Html {
    let WorkspaceContext { view_state, dispatch, loaded, capabilities, .. } = &scene.workspace;
    let has_times = scene.times().is_some();
    let about = if capabilities.has_snapshots { explainer::OF_PROFILE } else { explainer::SUMMARY };
    let reset = dispatch.reform(|_: MouseEvent| ViewAction::TimeZoom(None));
    html! {
        <div class="timeline-head">
            if capabilities.has_snapshots && !has_times && !scene.is_both {
                { controls::graph_switch(view_state, dispatch) }
            }
            { legend(scene) }
            <div class="timeline-actions">
                if view_state.timeline.zoom.is_some() {
                    <button class="quiet" onclick={reset}>{ "Reset zoom" }</button>
                }
                if !has_times {
                    { controls::peak_buttons(capabilities.has_snapshots, scene.filter_peak_us(), dispatch) }
                }
                { pin_button(scene) }
                { controls::brush_fields(view_state, dispatch) }
                if scene.is_both {
                    { two_traces::alignment(view_state, dispatch) }
                } else {
                    { controls::stack_select(&view_state.timeline, *capabilities, dispatch) }
                    { controls::clock_select(&view_state.timeline, dispatch, loaded.main.summary.info.start_time_us) }
                }
                <Explainer question={explainer::QUESTION} is_short=true summary={about} shapes={&explainer::SHAPES[..]} />
            </div>
        </div>
    }
}

fn legend(scene: &TimelineScene) -> Html {
    if scene.is_both {
        two_traces::legend()
    } else {
        controls::legend(scene.timeline(), scene.plot.as_ref(), &scene.workspace)
    }
}

/// The canvas that handles pointer and keyboard. `value_text` describes the value that the keys change.
fn curve(
    scene: &Rc<TimelineScene>,
    drag: &UseStateHandle<Option<TimelineDrag>>,
    pointing: &UseStateHandle<Pointing>,
    value_text: String,
) -> Html {
    let (onpointerdown, onpointerup) = (drag::down(scene, drag), drag::up(scene, drag));
    let onpointermove = drag::moved(scene, drag, pointing);
    let onpointerleave = {
        let pointing = pointing.clone();
        Callback::from(move |_: PointerEvent| pointing.set(Pointing { us: None, layer: None, ..*pointing }))
    };
    let onwheel = keys::wheel(scene);
    if scene.times().is_some() {
        // The two compared times have their own handles, which support the keyboard.
        return html! {
            <canvas key="curve" ref={&scene.canvas} class="timeline-canvas" role="img"
                aria-label={saved::title(scene.axes.graph)} {onpointerdown} {onpointermove} {onpointerup} {onpointerleave}
                {onwheel} />
        };
    }
    let has_snapshots = scene.workspace.capabilities.has_snapshots;
    let (on_key, label) = match has_snapshots {
        true => (keys::snapshot_keys(scene), "Time. Use arrow keys to move between snapshots."),
        false => (keys::keys(scene), "Time. Use arrow keys to move, Shift to select a range."),
    };
    let onkeydown = {
        let pointing = pointing.clone();
        Callback::from(move |event: KeyboardEvent| {
            let is_keyed = event.key() != "Escape" && event.key() != "Tab";
            pointing.set(Pointing { is_keyed, ..*pointing });
            on_key.emit(event);
        })
    };
    let onblur = {
        let pointing = pointing.clone();
        Callback::from(move |_: FocusEvent| pointing.set(Pointing { is_keyed: false, ..*pointing }))
    };
    let is_on_layer = has_snapshots && pointing.layer.is_some();
    html! {
        <canvas key="curve" ref={&scene.canvas} tabindex="0" role="slider"
            class={classes!("timeline-canvas", is_on_layer.then_some("is-on-layer"))} aria-label={label}
            aria-valuemin="0" aria-valuemax={format!("{:.6}", scene.end_us() as f64 / 1e6)}
            aria-valuenow={format!("{:.6}", scene.cursor_us() as f64 / 1e6)} aria-valuetext={value_text}
            {onpointerdown} {onpointermove} {onpointerup} {onpointerleave} {onwheel} {onkeydown} {onblur} />
    }
}
