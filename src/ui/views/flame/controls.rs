//! Above the picture: how stacks are read, what gives boxes their colour, and where the picture is zoomed to.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::layout::flame::{self, Colors};
use crate::query::flame::Direction;
use crate::query::tree::Label;
use crate::ui::components::grain_select::GrainSelect;
use crate::ui::components::select::{Select, SelectOption};
use crate::ui::platform::storage;
use crate::ui::store::view::{ViewAction, ViewState};
use crate::ui::views::flame::keys;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::{Half, Scene};

const COLORS_KEY: &str = "camlscope.colors";
/// Longer paths are shown by their ends.
const MOST_CRUMBS: usize = 6;

/// The user's earlier choice.
pub fn remembered_colors() -> Colors {
    if storage::recall(COLORS_KEY) == "file" { Colors::File } else { Colors::Module }
}

fn remember_colors(colors: Colors) {
    storage::remember(COLORS_KEY, if colors == Colors::File { "file" } else { "" });
}

/// `sandwich_of` is what callers and callees are shown of, should the user ask for them.
pub fn ways(
    view_state: &ViewState,
    dispatch: &Callback<ViewAction>,
    sandwich_of: Option<Label>,
    colors: &UseStateHandle<Colors>,
) -> Html {
    let sandwich =
        SelectOption { is_disabled: sandwich_of.is_none(), ..SelectOption::new("sandwich", "callers and callees") };
    let directions = vec![SelectOption::new("down", "top-down"), SelectOption::new("up", "bottom-up"), sandwich];
    let direction = match &view_state.flame.direction {
        Direction::TopDown => 0,
        Direction::Inverted => 1,
        Direction::Callers(_) | Direction::Callees(_) => 2,
    };
    let on_direction = dispatch.reform(move |index: usize| {
        ViewAction::Direction(match index {
            1 => Direction::Inverted,
            2 => sandwich_of.clone().map_or(Direction::TopDown, Direction::Callees),
            _ => Direction::TopDown,
        })
    });
    let color_options =
        vec![SelectOption::new("module", "colour by module"), SelectOption::new("file", "colour by file")];
    let color = usize::from(**colors == Colors::File);
    let on_colors = {
        let colors = colors.clone();
        Callback::from(move |index: usize| {
            let chosen = if index == 1 { Colors::File } else { Colors::Module };
            remember_colors(chosen);
            colors.set(chosen);
        })
    };
    let on_fold = dispatch.reform(|event: Event| {
        ViewAction::FoldRecursion(event.target_dyn_into::<HtmlInputElement>().is_some_and(|field| field.checked()))
    });
    html! {
        <div class="flame-ways">
            <Select label="Direction" options={directions} selected={direction} on_select={on_direction} />
            <GrainSelect label="What a box is" grain={view_state.grain} on_select={dispatch.reform(ViewAction::Grain)} />
            <Select label="Colours" options={color_options} selected={color} on_select={on_colors} />
            <label class="quiet flame-check" title="Repeated frames of a stack are folded onto the outermost">
                <input type="checkbox" checked={view_state.fold_recursion} onchange={on_fold} />{ "fold recursion" }
            </label>
        </div>
    }
}

/// From the top to what fills the width; each leads back.
pub fn crumbs(scene: &Scene, dispatch: &Callback<ViewAction>) -> Html {
    let view_state = &scene.workspace.view_state;
    let crumb = |name: String, turn_to: Option<ViewAction>| match turn_to {
        Some(to) => {
            let onclick = dispatch.reform(move |_: MouseEvent| to.clone());
            html! { <li><button class="flame-crumb" {onclick}>{ name }</button></li> }
        }
        None => html! { <li><b aria-current="location">{ name }</b></li> },
    };
    let mut items = Vec::new();
    if let Some(function) = view_state.flame.direction.function() {
        items.push(crumb("all".to_owned(), Some(ViewAction::Direction(Direction::TopDown))));
        items.push(crumb(format!("callers and callees of {}", flame::title(function)), None));
    } else {
        let path: Vec<Label> = match scene.flame(Half::Lower) {
            Some(picture) => {
                let names = picture.path.iter().skip(1).filter_map(|&name| picture.names.get(name as usize));
                names.map(|name| name.label.clone()).collect()
            }
            None => view_state.flame.root.clone(),
        };
        let n = path.len();
        items.push(crumb("all".to_owned(), (n > 0).then(|| ViewAction::Zoom(Vec::new()))));
        let hidden = if n > MOST_CRUMBS { 1..n - MOST_CRUMBS + 2 } else { 0..0 };
        for (at, label) in path.iter().enumerate() {
            let name = if hidden.start == at && !hidden.is_empty() { "…".to_owned() } else { flame::title(label) };
            if !hidden.contains(&at) || hidden.start == at {
                let at = if hidden.contains(&at) { hidden.end - 1 } else { at };
                items.push(crumb(name, (at + 1 < n).then(|| ViewAction::Zoom(path[..=at].to_vec()))));
            }
        }
    }
    html! { <nav class="flame-crumbs" aria-label="Zoomed to"><ol>{ for items }</ol></nav> }
}

/// How near the picture is, and which stretch of it shows.
pub fn nearness(scene: &Scene, handlers: &Handlers) -> Html {
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
        let handlers = handlers.clone();
        Callback::from(move |_: MouseEvent| {
            if let Some(scene) = handlers.scene() {
                keys::show_all(&handlers, &scene);
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
