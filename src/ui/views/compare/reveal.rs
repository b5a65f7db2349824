//! Shows a function that was selected in the table of changes in the difference graph, wherever it is: on the other
//! side, outside of the zoomed frame, or scrolled out of view.

use web_sys::Element;
use yew::prelude::*;

use crate::ui::store::view::ViewAction;
use crate::ui::store::view::compare::CompareAction;
use crate::ui::views::compare::difference::Difference;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::{FlameAction, Half};
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::diff::Width;
use camlscope_present::layout::flame;

/// `difference` is `None` until the response for the current view has arrived.
#[hook]
pub fn use_reveal(scene: &FlameScene, handlers: &Handlers, difference: Option<&Difference>, stage: &NodeRef) {
    let selected = scene.workspace.view_state.selected.clone();
    // A link shows its selection as it was left.
    let known = use_mut_ref(|| selected.clone());
    let wanted = use_mut_ref(|| None::<Label>);
    if *known.borrow() != selected {
        known.replace(selected.clone());
        wanted.replace(selected.clone());
    }
    let about = (selected, difference.cloned(), scene.zoom());
    let (scene, handlers, stage) = (scene.clone(), handlers.clone(), stage.clone());
    use_effect_with(about, move |(_, difference, _)| {
        let (Some(label), Some(difference)) = (wanted.borrow().clone(), difference) else { return };
        match next_step(&scene, difference, &label) {
            RevealStep::Done => drop(wanted.take()),
            RevealStep::Show(place) => {
                wanted.take();
                handlers.show(&scene, Half::Lower, &difference.picture.flame, place, false);
                scroll_to(&stage);
            }
            RevealStep::View(action) => handlers.dispatch.emit(action),
            RevealStep::ShowAll => handlers.flame_dispatch.emit(FlameAction::Zoom(None)),
            RevealStep::TooNarrow => {
                wanted.take();
                let words = format!("{} is too narrow to draw.", flame::title(&label));
                handlers.flame_dispatch.emit(FlameAction::Say(words));
            }
        }
    });
}

/// What brings the function closer to being visible.
enum RevealStep {
    Done,
    Show(usize),
    ShowAll,
    View(ViewAction),
    TooNarrow,
}

fn next_step(scene: &FlameScene, difference: &Difference, label: &Label) -> RevealStep {
    let picture = &difference.picture.flame;
    let is_it = |place: &usize| picture.boxes[*place].n_merged == 0 && difference.label(*place) == Some(label);
    let places: Vec<usize> = (0..picture.boxes.len()).filter(is_it).collect();
    // A selection in the graph itself is visible already.
    if scene.cursor_hit().is_some_and(|hit| places.contains(&hit.place)) {
        return RevealStep::Done;
    }
    let width = |place: &usize| picture.boxes[*place].x1 - picture.boxes[*place].x0;
    // The topmost one, if several are as wide.
    if let Some(widest) = places.into_iter().rev().max_by(|one, two| width(one).total_cmp(&width(two))) {
        return RevealStep::Show(widest);
    }
    let zoom = scene.zoom();
    if zoom.lower != (0.0..1.0) {
        return RevealStep::ShowAll;
    }
    let settings = &scene.workspace.view_state.compare;
    let other = match settings.width {
        Width::Before => Width::After,
        Width::After => Width::Before,
    };
    let is_there = difference.flame().is_some_and(|diff| {
        let is_it = |name: Option<usize>| name.and_then(|name| diff.names.get(name)) == Some(label);
        diff.boxes.iter().any(|of| is_it(of.name))
    });
    if is_there {
        return RevealStep::View(ViewAction::Compare(CompareAction::Width(other)));
    }
    if !settings.root.is_empty() {
        return RevealStep::View(ViewAction::Compare(CompareAction::Zoom(Vec::new())));
    }
    RevealStep::TooNarrow
}

/// In a narrow window, the table is far below the graph.
fn scroll_to(stage: &NodeRef) {
    let Some(stage) = stage.cast::<Element>() else { return };
    let area = stage.get_bounding_client_rect();
    if area.top() < 0.0 {
        stage.scroll_into_view();
    }
}
