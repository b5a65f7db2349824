//! What a box is about, at once: all that its picture knows. Its mean lifetime comes a moment later, from a question of its
//! own.

use yew::prelude::*;

use crate::ui::components::name::breakable;
use crate::ui::components::trunk::trunk_words;
use crate::ui::platform::placement::{Anchor, place};
use crate::ui::query::use_query;
use crate::ui::views::flame::scene::Scene;
use crate::ui::views::flame::state::Hit;
use crate::ui::views::flame::words;
use camlscope_engine::protocol::{Answer, Question};
use camlscope_engine::query::flame::BoxSelector;
use camlscope_present::format;
use camlscope_present::layout::flame;

#[derive(Properties, Clone)]
pub struct TooltipProps {
    pub scene: Scene,
    pub hit: Option<Hit>,
    /// The pointer's place in the window, or that of the box.
    pub x: f64,
    pub y: f64,
}

impl PartialEq for TooltipProps {
    fn eq(&self, _: &TooltipProps) -> bool {
        false
    }
}

#[component]
pub fn Tooltip(props: &TooltipProps) -> Html {
    let TooltipProps { scene, hit, x, y } = props;
    let of = hit.and_then(|hit| scene.box_at(hit)).copied();
    let measure = scene.workspace.view_state.measure;
    let has_samples = !scene.workspace.loaded.is_profile();
    // A profile knows no lifetimes, and what grows was never freed.
    let has_lifetime = has_samples && !measure.is_growth();
    let wanted = hit.zip(of).filter(|(_, of)| of.n_merged == 0 && has_lifetime);
    let request = wanted.map(|(hit, of)| {
        scene
            .workspace
            .view_state
            .request(Question::Detail { direction: scene.direction(hit.half), selector: BoxSelector::Id(of.id) })
    });
    let detail = use_query(request);
    let node = use_node_ref();
    use_effect_with((*x, *y, *hit), {
        let node = node.clone();
        move |&(x, y, _)| place(&node, &Anchor::Pointer(x, y))
    });
    let (Some(hit), Some(of)) = (*hit, of) else {
        return Html::default();
    };
    let Some(label) = scene.label_at(hit) else {
        return Html::default();
    };
    let flame_all = scene.flame(hit.half).map_or(0.0, |flame| flame.all);
    let (summary, units) = (&scene.workspace.loaded.main.summary, scene.workspace.units);
    let error = words::error((measure.unit(), units), of.total, of.samples, summary);
    let lifetime = match detail.answer.as_deref() {
        Some(Answer::Detail(detail)) if detail.id == of.id => detail.mean_lifetime_us,
        _ => None,
    };
    // The keyboard stands on one of its frames, the pointer on all of them.
    let is_trunk = scene.hovered() == Some(hit) && scene.is_folded(hit);
    let (title, place) = if is_trunk {
        scene.flame(hit.half).map(|flame| trunk_words(flame, scene.folded_trunk(hit.half))).unwrap_or_default()
    } else if of.n_merged > 0 {
        let title = format!("{} boxes too narrow to draw", format::count(u64::from(of.n_merged)));
        (title, format!("below {}; a click shows them", flame::title(label)))
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
                { row(&camlscope_present::words::measure::measure(measure), "flame.total", of.total.to_string(),
                    format!("{}{error}", units.amount(measure.unit(), of.total))) }
                { row("share", "flame.share", (of.total / flame_all).to_string(), format::percent(of.total / flame_all)) }
                if of.n_merged == 0 && !is_trunk {
                    { row("self", "flame.self", of.own.to_string(), units.amount(measure.unit(), of.own)) }
                }
                if has_samples {
                    { row("samples", "flame.samples", of.samples.to_string(), format::count(of.samples)) }
                }
                if of.n_merged == 0 && has_lifetime && !is_trunk {
                    { row("mean lifetime", "flame.mean_lifetime_us",
                        lifetime.map_or_else(String::new, |us| us.to_string()),
                        lifetime.map_or_else(|| "…".to_owned(), |us| format::duration_us(us as u64))) }
                }
            </dl>
        </div>
    }
}
