//! Above the picture: how stacks are read, what gives boxes their colour, and where the picture is zoomed to.

use web_sys::{HtmlInputElement, HtmlSelectElement};
use yew::prelude::*;

use super::keys;
use super::pointer::Hand;
use super::scene::{Half, Scene};
use crate::layout::flame::{self, Colors};
use crate::query::flame::Direction;
use crate::query::tree::{Grain, Label};
use crate::ui::look::{GRAINS, Look, Turn, grain_word};
use crate::ui::memory;

const COLORS_KEY: &str = "camlscope.colors";
/// Longer paths are shown by their ends.
const MOST_CRUMBS: usize = 6;

/// The reader's earlier choice.
pub fn remembered_colors() -> Colors {
    if memory::recall(COLORS_KEY) == "file" { Colors::File } else { Colors::Module }
}

fn remember_colors(colors: Colors) {
    memory::remember(COLORS_KEY, if colors == Colors::File { "file" } else { "" });
}

/// `sandwich_of` is what callers and callees are shown of, should the reader ask for them.
pub fn ways(look: &Look, turn: &Callback<Turn>, sandwich_of: Option<Label>, colors: &UseStateHandle<Colors>) -> Html {
    let current = match &look.direction {
        Direction::TopDown => "down",
        Direction::Inverted => "up",
        Direction::Callers(_) | Direction::Callees(_) => "sandwich",
    };
    let can_sandwich = sandwich_of.is_some();
    let on_way = chosen({
        let turn = turn.clone();
        move |word| {
            let direction = match word {
                "up" => Direction::Inverted,
                "sandwich" => sandwich_of.clone().map_or(Direction::TopDown, Direction::Callees),
                _ => Direction::TopDown,
            };
            turn.emit(Turn::Direction(direction));
        }
    });
    let on_grain = chosen({
        let turn = turn.clone();
        move |word| {
            if let Some(grain) = GRAINS.into_iter().find(|grain| grain_word(*grain) == word) {
                turn.emit(Turn::Grain(grain));
            }
        }
    });
    let on_colors = chosen({
        let colors = colors.clone();
        move |word| {
            let chosen = if word == "file" { Colors::File } else { Colors::Module };
            remember_colors(chosen);
            colors.set(chosen);
        }
    });
    let on_fold = {
        let turn = turn.clone();
        Callback::from(move |event: Event| {
            let folds = event.target_dyn_into::<HtmlInputElement>().is_some_and(|field| field.checked());
            turn.emit(Turn::FoldRecursion(folds));
        })
    };
    let grain = |grain: Grain| {
        let words = match grain {
            Grain::Site => "by call site".to_owned(),
            grain => format!("by {}", grain_word(grain)),
        };
        html! { <option value={grain_word(grain)} selected={look.grain == grain}>{ words }</option> }
    };
    html! {
        <div class="flame-ways">
            <select class="quiet" aria-label="Direction" onchange={on_way}>
                <option value="down" selected={current == "down"}>{ "top-down" }</option>
                <option value="up" selected={current == "up"}>{ "bottom-up" }</option>
                <option value="sandwich" selected={current == "sandwich"} disabled={!can_sandwich}>{ "callers and callees" }</option>
            </select>
            <select class="quiet" aria-label="What a box is" onchange={on_grain}>{ for GRAINS.into_iter().map(grain) }</select>
            <select class="quiet" aria-label="Colours" onchange={on_colors}>
                <option value="module" selected={**colors == Colors::Module}>{ "colour by module" }</option>
                <option value="file" selected={**colors == Colors::File}>{ "colour by file" }</option>
            </select>
            <label class="quiet flame-check" title="Repeated frames of a stack are folded onto the outermost">
                <input type="checkbox" checked={look.fold_recursion} onchange={on_fold} />{ "fold recursion" }
            </label>
        </div>
    }
}

fn chosen(then: impl Fn(&str) + 'static) -> Callback<Event> {
    Callback::from(move |event: Event| {
        if let Some(select) = event.target_dyn_into::<HtmlSelectElement>() {
            then(&select.value());
        }
    })
}

/// From the top to what fills the width; each leads back.
pub fn crumbs(scene: &Scene, turn: &Callback<Turn>) -> Html {
    let look = &scene.work.look;
    let crumb = |name: String, turn_to: Option<Turn>| match turn_to {
        Some(to) => {
            let onclick = turn.reform(move |_: MouseEvent| to.clone());
            html! { <li><button class="flame-crumb" {onclick}>{ name }</button></li> }
        }
        None => html! { <li><b aria-current="location">{ name }</b></li> },
    };
    let mut items = Vec::new();
    if let Some(function) = look.direction.function() {
        items.push(crumb("all".to_owned(), Some(Turn::Direction(Direction::TopDown))));
        items.push(crumb(format!("callers and callees of {}", flame::title(function)), None));
    } else {
        let path: Vec<Label> = match scene.flame(Half::Lower) {
            Some(picture) => {
                let names = picture.path.iter().skip(1).filter_map(|&name| picture.names.get(name as usize));
                names.map(|name| name.label.clone()).collect()
            }
            None => look.root.clone(),
        };
        let n = path.len();
        items.push(crumb("all".to_owned(), (n > 0).then(|| Turn::Zoom(Vec::new()))));
        let hidden = if n > MOST_CRUMBS { 1..n - MOST_CRUMBS + 2 } else { 0..0 };
        for (at, label) in path.iter().enumerate() {
            let name = if hidden.start == at && !hidden.is_empty() { "…".to_owned() } else { flame::title(label) };
            if !hidden.contains(&at) || hidden.start == at {
                let at = if hidden.contains(&at) { hidden.end - 1 } else { at };
                items.push(crumb(name, (at + 1 < n).then(|| Turn::Zoom(path[..=at].to_vec()))));
            }
        }
    }
    html! { <nav class="flame-crumbs" aria-label="Zoomed to"><ol>{ for items }</ol></nav> }
}

/// How near the picture is, and which stretch of it shows.
pub fn nearness(scene: &Scene, hand: &Hand) -> Html {
    let zoom = scene.zoom();
    let Some(picture) = scene.flame(Half::Lower) else {
        return Html::default();
    };
    let span = zoom.lower.end - zoom.lower.start;
    let upper = zoom.upper.end - zoom.upper.start;
    let times = picture.all / (picture.total * span.min(upper)).max(f64::MIN_POSITIVE);
    let is_near = times.is_finite() && times >= 1.005;
    if !is_near && scene.root().is_empty() {
        return Html::default();
    }
    let onclick = {
        let hand = hand.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(scene) = hand.scene() {
                keys::show_all(&hand, &scene);
            }
        })
    };
    let words = match times {
        // A frame that is all of what lies above it is no nearer than that.
        _ if !is_near => String::new(),
        times if times < 10.0 => format!("zoomed {times:.1} ×"),
        times => format!("zoomed {times:.0} ×"),
    };
    let stretch = (span < 1.0).then(|| {
        html! {
            <svg class="flame-stretch" width="96" height="8" role="img"
                aria-label={format!("shows {:.0} to {:.0} % of the width", zoom.lower.start * 100.0, zoom.lower.end * 100.0)}>
                <rect class="flame-stretch-all" width="96" height="8" rx="2" />
                <rect class="flame-stretch-seen" x={format!("{:.1}", zoom.lower.start * 96.0)}
                    width={format!("{:.1}", (span * 96.0).max(2.0))} height="8" rx="2" />
            </svg>
        }
    });
    html! {
        <div class="flame-near">
            { stretch }
            <span>{ words }</span>
            <button class="quiet" {onclick}><kbd>{ "0" }</kbd>{ " shows all" }</button>
        </div>
    }
}
