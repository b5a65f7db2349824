//! Pointer interaction, the same in both flame graphs: a click selects, a double click zooms to a frame, the wheel
//! scrolls, with Control it zooms at the pointer, pinching zooms, dragging pans, and a right click opens the menu.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::{Element, HtmlElement, MouseEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use crate::ui::platform::pinch::Pinch;
use crate::ui::platform::pointer::Pointer;
use crate::ui::store::view::ViewAction;
use crate::ui::views::flame::double_click::Clicks;
use crate::ui::views::flame::scene::{Effect, FlameScene};
use crate::ui::views::flame::state::{FlameAction, FlameState, Half, Hit, MenuAt, Zoom};
use camlscope_engine::query::tree::Label;
use camlscope_present::layout::flame::{self, ROW};

/// A shorter drag is a click.
const CLICK_PX: f64 = 4.0;

/// The scene and the callbacks that change it, shared by all handlers.
#[derive(Clone, PartialEq)]
pub struct Handlers {
    /// The scene of the last rendering.
    pub rendered: Rc<RefCell<FlameScene>>,
    pub flame_state: UseReducerHandle<FlameState>,
    pub flame_dispatch: Callback<FlameAction>,
    pub dispatch: Callback<ViewAction>,
    pub stage: NodeRef,
    pub tree: NodeRef,
    pub drag: Rc<RefCell<Option<FlameDrag>>>,
    pub clicks: Rc<RefCell<Clicks>>,
}

/// The second of two fingers, with its start and current position.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Finger {
    pointer: i32,
    begin: (f64, f64),
    now: (f64, f64),
}

/// A drag in progress.
#[derive(Clone, Debug, PartialEq)]
pub struct FlameDrag {
    pointer: i32,
    begin: (f64, f64),
    now: (f64, f64),
    /// A second finger that touched down later.
    second: Option<Finger>,
    half: Half,
    zoom: Zoom,
    top: f64,
    is_pan: bool,
}

impl Handlers {
    /// Returns the scene with the latest flame state. On a busy page, the next key or wheel event can arrive before the
    /// next rendering, and must continue from the latest state.
    pub fn scene(&self) -> FlameScene {
        // A handle keeps alive every state that is read from it, so read from a clone.
        let flame_state = Rc::new(FlameState::clone(&self.flame_state.clone()));
        FlameScene { flame_state, ..self.rendered.borrow().clone() }
    }

    pub fn run(&self, what: Option<Effect>) {
        match what {
            Some(Effect::View(action)) => {
                self.flame_dispatch.emit(FlameAction::LeaveRoot(self.scene().root().to_vec()));
                self.dispatch.emit(action);
            }
            Some(Effect::Flame(action)) => self.flame_dispatch.emit(action),
            None => {}
        }
    }

    /// Focuses the tree, which handles the graph's keys.
    pub fn take_focus(&self) {
        if let Some(tree) = self.tree.cast::<HtmlElement>() {
            let options = web_sys::FocusOptions::new();
            options.set_prevent_scroll(true);
            let _ = tree.focus_with_options(&options);
        }
    }

    pub fn down(&self, event: &PointerEvent) {
        let (scene, Some(at)) = (self.scene(), Pointer::on(&self.stage, event)) else { return };
        if event.button() != 0 {
            return;
        }
        Pointer::capture(&self.stage, event);
        self.clicks.borrow_mut().is_drag = false;
        let (pointer, begin) = (event.pointer_id(), (at.x, at.y));
        let zoom = scene.zoom();
        let mut drag = self.drag.borrow_mut();
        match drag.as_mut() {
            Some(first) if event.pointer_type() == "touch" && first.pointer != pointer => {
                first.second = Some(Finger { pointer, begin, now: begin });
                (first.begin, first.zoom, first.is_pan) = (first.now, zoom, true);
            }
            _ => {
                let (half, top) = (scene.half_at(begin.1), scene.top());
                *drag = Some(FlameDrag { pointer, begin, now: begin, second: None, half, zoom, top, is_pan: false });
            }
        }
    }

    pub fn moved(&self, event: &PointerEvent) {
        let (scene, Some(at)) = (self.scene(), Pointer::on(&self.stage, event)) else { return };
        let mut drag = self.drag.borrow_mut();
        let Some(drag) = drag.as_mut() else {
            return self.flame_dispatch.emit(FlameAction::Hover(Some(at)));
        };
        match drag.second.as_mut() {
            Some(finger) if finger.pointer == event.pointer_id() => finger.now = (at.x, at.y),
            _ => drag.now = (at.x, at.y),
        }
        let (dx, dy) = (drag.now.0 - drag.begin.0, drag.now.1 - drag.begin.1);
        drag.is_pan |= dx.hypot(dy) >= CLICK_PX;
        if !drag.is_pan {
            return;
        }
        let mut zoom = drag.zoom.clone();
        let (range, width) = (zoom.x_mut(drag.half), scene.size.0.max(1.0));
        *range = match drag.second {
            Some(Finger { begin, now, .. }) => flame::pinched(range, width, [drag.begin, begin], [drag.now, now]),
            None => flame::panned(range, -dx / width * (range.end - range.start)),
        };
        // With touch, vertical movement scrolls the page.
        if event.pointer_type() != "touch" {
            zoom.top = Some(drag.top + dy);
        }
        self.flame_dispatch.emit(FlameAction::Hover(None));
        self.flame_dispatch.emit(FlameAction::Zoom(Some(zoom)));
    }

    pub fn up(&self, _: &PointerEvent) {
        let drag = self.drag.borrow_mut().take();
        self.clicks.borrow_mut().is_drag = drag.is_some_and(|drag| drag.is_pan);
    }

    /// The browser took over the pointer, for example to scroll.
    pub fn give_up(&self) {
        self.drag.borrow_mut().take();
    }

    pub fn leave(&self) {
        self.flame_dispatch.emit(FlameAction::Hover(None));
    }

    pub fn click(&self, event: &MouseEvent) {
        let (scene, Some(at)) = (self.scene(), Pointer::on(&self.stage, event)) else { return };
        // The second click of a double click belongs to the frame of the first, and a drag also ends with a click.
        if event.detail() > 1 || self.clicks.borrow().is_drag {
            return;
        }
        self.take_focus();
        let hit = scene.hit(at.x, at.y);
        self.clicks.borrow_mut().begin(event, hit.and_then(|hit| scene.frame_at(hit)));
        match hit {
            Some(hit) if scene.is_collapsed(hit) => self.flame_dispatch.emit(FlameAction::Expand(true)),
            Some(hit) => self.select(&scene, hit),
            None => {}
        }
    }

    pub fn menu(&self, event: &MouseEvent) {
        let (scene, Some(at)) = (self.scene(), Pointer::on(&self.stage, event)) else { return };
        if let Some(hit) = scene.hit(at.x, at.y) {
            event.prevent_default();
            if scene.is_collapsed(hit) {
                return self.flame_dispatch.emit(FlameAction::Expand(true));
            }
            self.open_menu(&scene, hit, at.client.0, at.client.1);
        }
    }

    /// Opens a frame's menu. Does nothing for the root, which isn't a frame.
    pub fn open_menu(&self, scene: &FlameScene, hit: Hit, x: f64, y: f64) {
        let mut path = scene.path_to(hit);
        // In a sandwich, the root is a frame.
        if path.is_empty() && scene.is_sandwich() {
            path.extend(scene.label_at(hit).cloned());
        }
        if path.is_empty() {
            return;
        }
        self.flame_dispatch.emit(FlameAction::Hover(None));
        self.flame_dispatch.emit(FlameAction::Menu(Some(MenuAt { half: hit.half, path, x, y })));
    }

    pub fn wheel(&self, event: &WheelEvent) {
        let (scene, Some(at)) = (self.scene(), Pointer::on(&self.stage, event)) else { return };
        let half = scene.half_at(at.y);
        let px = match event.delta_mode() {
            WheelEvent::DOM_DELTA_LINE => ROW,
            WheelEvent::DOM_DELTA_PAGE => scene.size.1,
            _ => 1.0,
        };
        let (dx, dy) = (event.delta_x() * px, event.delta_y() * px);
        let action = if event.ctrl_key() || event.meta_key() {
            // Also sent for trackpad pinches, in smaller steps.
            let factor = (dy.clamp(-40.0, 40.0) * 0.012).exp();
            Some(scene.with_x(half, flame::zoomed(scene.zoom().x(half), scene.fraction_at(at.x, half), factor)))
        } else if event.shift_key() || dx.abs() > dy.abs() {
            let range = scene.zoom().x(half).clone();
            let by = if dx == 0.0 { dy } else { dx } / scene.size.0.max(1.0) * (range.end - range.start);
            Some(scene.with_x(half, flame::panned(&range, by)))
        } else {
            scene.scrolled_by(dy)
        };
        // At the end of the graph, the page scrolls.
        if let Some(action) = action {
            event.prevent_default();
            self.flame_dispatch.emit(action);
        }
    }

    pub fn pinch(&self, pinch: Pinch) {
        let (scene, Some(stage)) = (self.scene(), self.stage.cast::<Element>()) else { return };
        let area = stage.get_bounding_client_rect();
        let (x, y) = (pinch.client.0 - area.left(), pinch.client.1 - area.top());
        let half = scene.half_at(y);
        let zoomed = flame::zoomed(scene.zoom().x(half), scene.fraction_at(x, half), 1.0 / pinch.apart);
        self.flame_dispatch.emit(scene.with_x(half, zoomed));
    }

    /// Zooms to a frame that was clicked twice.
    pub fn zoom_to_frame(&self, half: Half, path: &[Label]) {
        self.flame_dispatch.emit(FlameAction::Hover(None));
        self.run(self.scene().zoom_to_frame(half, path));
        self.take_focus();
    }

    /// Moves the keyboard cursor to a frame, and scrolls to it.
    pub fn go_to(&self, scene: &FlameScene, half: Half, path: Vec<Label>) {
        let drawn = scene.flame(half).and_then(|flame| flame.boxes.get(flame::locate(flame, &path)?));
        let shown = drawn.and_then(|flame_box| scene.reveal(half, flame_box));
        self.flame_dispatch.emit(FlameAction::Cursor { cursor: scene.cursor_at(half, path), by_keyboard: true });
        shown.into_iter().for_each(|action| self.flame_dispatch.emit(action));
    }

    /// Selects a frame. For a box of several merged frames, zooms to it.
    pub fn select(&self, scene: &FlameScene, hit: Hit) {
        let Some(flame_box) = scene.box_at(hit) else { return };
        let path = scene.path_to(hit);
        self.flame_dispatch
            .emit(FlameAction::Cursor { cursor: scene.cursor_at(hit.half, path.clone()), by_keyboard: false });
        if flame_box.n_merged > 0 {
            return self.run(scene.zoom_to(hit));
        }
        let is_frame = !path.is_empty() || scene.is_sandwich();
        self.dispatch.emit(ViewAction::Select(scene.label_at(hit).filter(|_| is_frame).cloned()));
    }
}
