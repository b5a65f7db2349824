//! A function that a filter hides no longer has a box, so cursor and selection move to its caller.

use yew::prelude::*;

use crate::ui::store::view::ViewAction;
use crate::ui::views::flame::pointer::Handlers;
use crate::ui::views::flame::scene::FlameScene;
use crate::ui::views::flame::state::FlameAction;
use camlscope_engine::query::tree::Label;

#[hook]
pub fn use_unhidden(handlers: &Handlers, scene: &FlameScene) {
    let view_state = &scene.workspace.view_state;
    let cursor = scene.cursor();
    let hidden = view_state.hidden_names();
    let is_hidden = |label: &Label| hidden.iter().any(|names| names.is_match(&label.name));
    let path: Vec<Label> = cursor.path.iter().filter(|label| !is_hidden(label)).cloned().collect();
    let moves = path.len() < cursor.path.len();
    let selects = view_state.hides_selected();
    let (handlers, scene) = (handlers.clone(), scene.clone());
    use_effect_with((moves, selects, path), move |(moves, selects, path)| {
        if *selects {
            handlers.dispatch.emit(ViewAction::Select(path.last().cloned()));
        }
        if *moves {
            let by_keyboard = scene.flame_state.by_keyboard;
            let cursor = scene.cursor_at(cursor.half, path.clone());
            handlers.flame_dispatch.emit(FlameAction::Cursor { cursor, by_keyboard });
        }
    });
}
