//! The tooltip of a box. It shows what the graph already knows at once. The mean lifetime comes from a separate query.

use yew::prelude::*;

use crate::ui::components::collapsed_frames::collapsed_words;
use crate::ui::components::name::breakable;
use crate::ui::platform::placement::{Anchor, place};
use crate::ui::query::use_query;
use crate::ui::store::view::Capabilities;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::Hit;
use crate::ui::views::flame::words;
use camlscope_engine::protocol::Question;
use camlscope_engine::query::flame::{BoxSelector, Detail};
use camlscope_present::format;
use camlscope_present::layout::flame;

#[derive(Properties, PartialEq)]
pub struct FlameTooltipProps {
    pub scene: FlameScene,
    pub hit: Option<Hit>,
    /// The position of the pointer or the box in the window.
    pub x: f64,
    pub y: f64,
}

#[component]
pub fn FlameTooltip(props: &FlameTooltipProps) -> Html {
    let FlameTooltipProps { scene, hit, x, y } = props;
    let flame_box = hit.and_then(|hit| scene.box_at(hit)).copied();
    let measure = scene.workspace.view_state.measure;
    let Capabilities { has_objects, has_samples, .. } = scene.workspace.capabilities;
    // Objects that count as growth were never freed.
    let has_lifetime = has_objects && !measure.is_growth();
    let wanted = hit.zip(flame_box).filter(|(_, flame_box)| flame_box.n_merged == 0 && has_lifetime);
    let request = wanted.map(|(hit, flame_box)| {
        scene
            .workspace
            .view_state
            .request(Question::Detail { direction: scene.direction(hit.half), selector: BoxSelector::Id(flame_box.id) })
    });
    let detail = use_query(request);
    let node = use_node_ref();
    use_effect_with((node.clone(), *x, *y, *hit), |(node, x, y, _)| place(node, &Anchor::Pointer(*x, *y)));
    let (Some(hit), Some(flame_box)) = (*hit, flame_box) else {
        return Html::default();
    };
    let Some(label) = scene.label_at(hit) else {
        return Html::default();
    };
    let flame_all = scene.flame(hit.half).map_or(0.0, |flame| flame.all);
    let (summary, units) = (&scene.workspace.loaded.main.summary, scene.workspace.units);
    let error = words::error((measure.unit(), units), flame_box.total, flame_box.samples, summary);
    let detail = detail.get::<Detail>().filter(|detail| detail.id == flame_box.id);
    let lifetime = detail.and_then(|detail| detail.mean_lifetime_us);
    // The keyboard cursor is on one of the collapsed frames, but the pointer is on all of them.
    let is_collapsed_row = scene.hovered() == Some(hit) && scene.is_collapsed(hit);
    let (title, place) = if is_collapsed_row {
        scene.flame(hit.half).map(|flame| collapsed_words(flame, scene.collapsed_frames(hit.half))).unwrap_or_default()
    } else if flame_box.n_merged > 0 {
        let title = format!("{} boxes too narrow to draw", format::count(u64::from(flame_box.n_merged)));
        (title, format!("below {}; click to zoom in", flame::title(label)))
    } else {
        (flame::title(label), label.location())
    };
    let row = |name: &str, figure: &'static str, value: String, text: String| {
        html! { <><dt>{ name.to_owned() }</dt><dd data-figure={figure} data-value={value}>{ text }</dd></> }
    };
    html! {
        <div ref={node} class="flame-tip" role="tooltip">
            <b>{ breakable(&title) }</b>
            if !place.is_empty() {
                <p>{ breakable(&place) }</p>
            }
            <dl>
                { row(&camlscope_present::words::measure::measure(measure), "flame.total", flame_box.total.to_string(),
                    format!("{}{error}", units.amount(measure.unit(), flame_box.total))) }
                { row("share", "flame.share", (flame_box.total / flame_all).to_string(), format::percent(flame_box.total / flame_all)) }
                if flame_box.n_merged == 0 && !is_collapsed_row {
                    { row("self", "flame.self", flame_box.own.to_string(), units.amount(measure.unit(), flame_box.own)) }
                }
                if has_samples {
                    { row("samples", "flame.samples", flame_box.samples.to_string(), format::count(flame_box.samples)) }
                }
                if flame_box.n_merged == 0 && has_lifetime && !is_collapsed_row {
                    { row("mean lifetime", "flame.mean_lifetime_us",
                        lifetime.map_or_else(String::new, |us| us.to_string()),
                        lifetime.map_or_else(|| "…".to_owned(), |us| format::duration_us(us as u64))) }
                }
            </dl>
        </div>
    }
}
