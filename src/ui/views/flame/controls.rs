//! Above the picture: how stacks are read, what gives boxes their color, and where the picture is zoomed to.

use web_sys::HtmlInputElement;
use yew::prelude::*;

use crate::ui::components::grain_select::GrainSelect;
use crate::ui::components::select::{Select, SelectOption};
use crate::ui::components::trunk::trunk_switch;
use crate::ui::platform::storage;
use crate::ui::store::view::{ViewAction, ViewState};
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::{FlameScene, Orientation};
use crate::ui::views::flame::state::{FlameAction, Half};
use crate::ui::views::flame::{keys, minimap};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::flame::{self, Colors};

const COLORS_KEY: &str = "camlscope.colors";
const ORIENTATION_KEY: &str = "camlscope.orientation";
/// Longer paths are shown by their ends.
const MOST_CRUMBS: usize = 6;

/// The user's earlier choice.
pub fn remembered_colors() -> Colors {
    if storage::recall(COLORS_KEY) == "file" { Colors::File } else { Colors::Module }
}

fn remember_colors(colors: Colors) {
    storage::remember(COLORS_KEY, if colors == Colors::File { "file" } else { "" });
}

/// The user's earlier choice.
pub fn remembered_orientation() -> Orientation {
    if storage::recall(ORIENTATION_KEY) == "flame" { Orientation::Flame } else { Orientation::Icicle }
}

fn remember_orientation(orientation: Orientation) {
    storage::remember(ORIENTATION_KEY, if orientation == Orientation::Flame { "flame" } else { "" });
}

/// What the user likes, whatever is shown.
pub struct DisplaySettings<'a> {
    pub colors: &'a UseStateHandle<Colors>,
    pub orientation: &'a UseStateHandle<Orientation>,
}

impl DisplaySettings<'_> {
    fn colors(&self) -> Html {
        let options =
            vec![SelectOption::new("module", "colour by module"), SelectOption::new("file", "colour by file")];
        let selected = usize::from(**self.colors == Colors::File);
        let colors = self.colors.clone();
        let on_select = Callback::from(move |index: usize| {
            let chosen = if index == 1 { Colors::File } else { Colors::Module };
            remember_colors(chosen);
            colors.set(chosen);
        });
        html! { <Select label="Colours" {options} {selected} {on_select} /> }
    }

    fn orientation(&self) -> Html {
        let options = vec![SelectOption::new("icicle", "icicle"), SelectOption::new("flame", "flame")];
        let selected = usize::from(**self.orientation == Orientation::Flame);
        let orientation = self.orientation.clone();
        let on_select = Callback::from(move |index: usize| {
            let chosen = if index == 1 { Orientation::Flame } else { Orientation::Icicle };
            remember_orientation(chosen);
            orientation.set(chosen);
        });
        html! { <Select label="Orientation" {options} {selected} {on_select} /> }
    }
}

/// `sandwich_of` is what callers and callees are shown of, should the user ask for them.
pub fn stack_controls(
    view_state: &ViewState,
    dispatch: &Callback<ViewAction>,
    sandwich_of: Option<Label>,
    settings: &DisplaySettings<'_>,
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
    let on_fold = dispatch.reform(|event: Event| {
        ViewAction::FoldRecursion(event.target_dyn_into::<HtmlInputElement>().is_some_and(|field| field.checked()))
    });
    html! {
        <div class="flame-ways">
            <Select label="Direction" options={directions} selected={direction} on_select={on_direction} />
            <GrainSelect label="What a box is" grain={view_state.grain} on_select={dispatch.reform(ViewAction::Grain)} />
            // A sandwich grows both ways.
            if view_state.flame.direction.function().is_none() {
                { settings.orientation() }
            }
            { settings.colors() }
            <label class="quiet flame-check" title="Repeated frames of a stack are folded onto the outermost">
                <input type="checkbox" checked={view_state.fold_recursion} onchange={on_fold} />{ "fold recursion" }
            </label>
        </div>
    }
}

/// From the top to what fills the width; each leads back.
pub fn breadcrumbs(scene: &FlameScene, dispatch: &Callback<ViewAction>) -> Html {
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

/// Opens the trunk, or lets its frames share a row again.
pub fn trunk(scene: &FlameScene, handlers: &Handlers) -> Html {
    let n_frames = scene.trunk(Half::Lower).n_frames() + scene.trunk(Half::Upper).n_frames();
    let is_open = scene.flame_state.is_trunk_open;
    let onclick = handlers.flame_dispatch.reform(move |_: MouseEvent| FlameAction::OpenTrunk(!is_open));
    trunk_switch(n_frames, is_open, onclick)
}

/// How near the picture is, and which stretch of it shows: on the `minimap`, where there is one.
pub fn zoom_status(scene: &FlameScene, handlers: &Handlers, minimap: Option<Html>) -> Html {
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
        Callback::from(move |_: MouseEvent| keys::show_all(&handlers, &handlers.scene()))
    };
    let words = match times {
        // A frame that is all of what lies above it is no nearer than that.
        _ if !is_near => String::new(),
        times if times < 10.0 => format!("zoomed {times:.1} ×"),
        times => format!("zoomed {times:.0} ×"),
    };
    let stretch = (span < 1.0 && minimap.is_none()).then(|| {
        html! {
            <svg class="flame-stretch" width="96" height="8" role="img" aria-label={minimap::extent(&zoom.lower)}>
                <rect class="flame-stretch-all" width="96" height="8" rx="2" />
                <rect class="flame-stretch-seen" x={format!("{:.1}", zoom.lower.start * 96.0)}
                    width={format!("{:.1}", (span * 96.0).max(2.0))} height="8" rx="2" />
            </svg>
        }
    });
    html! {
        <div class="flame-near">
            { minimap }
            { stretch }
            <span>{ words }</span>
            <button class="quiet" {onclick}><kbd>{ "0" }</kbd>{ " shows all" }</button>
        </div>
    }
}
