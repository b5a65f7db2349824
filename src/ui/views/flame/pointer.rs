//! What a pointer does on the flame graph: the wheel zooms at it, a drag pans, a click selects, a double click zooms to a
//! frame, the other button opens the menu.

use std::cell::RefCell;
use std::rc::Rc;

use web_sys::{Element, HtmlElement, MouseEvent, PointerEvent, WheelEvent};
use yew::prelude::*;

use crate::layout::flame;
use crate::ui::store::view::ViewAction;
use crate::ui::views::flame::scene::{Effect, FlameAction, Half, Hit, MenuAt, Pointer, Scene, Zoom};

/// A shorter drag is a click.
const CLICK_PX: f64 = 4.0;

/// What handlers share: the scene as it was last drawn, and ways to change it.
#[derive(Clone)]
pub struct Handlers {
    pub now: Rc<RefCell<Option<Scene>>>,
    pub flame_dispatch: Callback<FlameAction>,
    pub dispatch: Callback<ViewAction>,
    pub stage: NodeRef,
    pub tree: NodeRef,
    pub drag: Rc<RefCell<Option<Drag>>>,
}

/// A drag under way.
#[derive(Clone, Debug)]
pub struct Drag {
    begin: (f64, f64),
    half: Half,
    zoom: Zoom,
    top: f64,
    is_pan: bool,
}

impl Handlers {
    pub fn scene(&self) -> Option<Scene> {
        self.now.borrow().clone()
    }

    pub fn run(&self, what: Effect) {
        match what {
            Effect::Nothing => {}
            Effect::View(dispatch) => self.dispatch.emit(dispatch),
            Effect::Flame(flame_dispatch) => self.flame_dispatch.emit(flame_dispatch),
        }
    }

    /// Keys go to the tree that stands for the picture.
    pub fn take_focus(&self) {
        if let Some(tree) = self.tree.cast::<HtmlElement>() {
            let options = web_sys::FocusOptions::new();
            options.set_prevent_scroll(true);
            let _ = tree.focus_with_options(&options);
        }
    }

    pub fn down(&self, event: &PointerEvent) {
        let (Some(scene), Some(stage)) = (self.scene(), self.stage.cast::<Element>()) else { return };
        if event.button() != 0 {
            return;
        }
        let _ = stage.set_pointer_capture(event.pointer_id());
        let begin = position_on(&stage, event);
        let half = scene.half_at(begin.1);
        *self.drag.borrow_mut() = Some(Drag { begin, half, zoom: scene.zoom(), top: scene.top(), is_pan: false });
    }

    pub fn moved(&self, event: &PointerEvent) {
        let (Some(scene), Some(stage)) = (self.scene(), self.stage.cast::<Element>()) else { return };
        let (x, y) = position_on(&stage, event);
        let mut drag = self.drag.borrow_mut();
        let Some(drag) = drag.as_mut() else {
            let client = (f64::from(event.client_x()), f64::from(event.client_y()));
            return self.flame_dispatch.emit(FlameAction::Hover(Some(Pointer { x, y, client })));
        };
        let (dx, dy) = (x - drag.begin.0, y - drag.begin.1);
        drag.is_pan |= dx.hypot(dy) >= CLICK_PX;
        if !drag.is_pan {
            return;
        }
        let mut zoom = drag.zoom.clone();
        let range = zoom.x(drag.half).clone();
        let by = -dx / scene.size.0.max(1.0) * (range.end - range.start);
        let range = flame::panned(&range, by);
        match drag.half {
            Half::Lower => zoom.lower = range,
            Half::Upper => zoom.upper = range,
        }
        // Fingers scroll the page up and down.
        if event.pointer_type() != "touch" {
            zoom.top = Some(drag.top + dy);
        }
        self.flame_dispatch.emit(FlameAction::Hover(None));
        self.flame_dispatch.emit(FlameAction::Zoom(Some(zoom)));
    }

    pub fn up(&self, event: &PointerEvent) {
        let drag = self.drag.borrow_mut().take();
        let (Some(scene), Some(stage), Some(drag)) = (self.scene(), self.stage.cast::<Element>(), drag) else { return };
        if drag.is_pan {
            return;
        }
        let (x, y) = position_on(&stage, event);
        self.take_focus();
        if let Some(hit) = scene.hit(x, y) {
            self.click(&scene, hit);
        }
    }

    /// The browser took the pointer for something else, such as scrolling.
    pub fn give_up(&self) {
        self.drag.borrow_mut().take();
    }

    pub fn leave(&self) {
        self.flame_dispatch.emit(FlameAction::Hover(None));
    }

    pub fn double_click(&self, event: &MouseEvent) {
        let (Some(scene), Some(stage)) = (self.scene(), self.stage.cast::<Element>()) else { return };
        let (x, y) = position_on(&stage, event);
        if let Some(hit) = scene.hit(x, y).filter(|hit| scene.box_at(*hit).is_some_and(|of| of.n_merged == 0)) {
            self.flame_dispatch.emit(FlameAction::Hover(None));
            self.run(scene.zoom_to(hit));
        }
    }

    pub fn menu(&self, event: &MouseEvent) {
        let (Some(scene), Some(stage)) = (self.scene(), self.stage.cast::<Element>()) else { return };
        let (x, y) = position_on(&stage, event);
        if let Some(hit) = scene.hit(x, y) {
            event.prevent_default();
            self.open_menu(&scene, hit, f64::from(event.client_x()), f64::from(event.client_y()));
        }
    }

    /// None for the top, which is no frame.
    pub fn open_menu(&self, scene: &Scene, hit: Hit, x: f64, y: f64) {
        let mut path = scene.path_to(hit);
        // The top of a sandwich is a frame.
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
        let (Some(scene), Some(stage)) = (self.scene(), self.stage.cast::<Element>()) else { return };
        // The browser's own zoom stays the browser's.
        if event.ctrl_key() {
            return;
        }
        event.prevent_default();
        let (x, y) = position_on(&stage, event);
        let half = scene.half_at(y);
        let range = scene.zoom().x(half).clone();
        let span = range.end - range.start;
        let (dx, dy) = (event.delta_x(), event.delta_y());
        let is_sideways = event.shift_key() || dx.abs() > dy.abs();
        let range = if is_sideways {
            let by = if dx == 0.0 { dy } else { dx };
            flame::panned(&range, by / scene.size.0.max(1.0) * span)
        } else {
            let at = range.start + x / scene.size.0.max(1.0) * span;
            flame::zoomed(&range, at, (dy.clamp(-120.0, 120.0) * 0.004).exp())
        };
        self.flame_dispatch.emit(scene.with_x(half, range));
    }

    /// Selects a frame; opens a box that stands for several.
    pub fn click(&self, scene: &Scene, hit: Hit) {
        let Some(of) = scene.box_at(hit) else { return };
        let path = scene.path_to(hit);
        self.flame_dispatch
            .emit(FlameAction::Cursor { cursor: scene.cursor_at(hit.half, path.clone()), by_keyboard: false });
        if of.n_merged > 0 {
            return self.run(scene.zoom_to(hit));
        }
        let is_frame = !path.is_empty() || scene.is_sandwich();
        self.dispatch.emit(ViewAction::Select(scene.label_at(hit).filter(|_| is_frame).cloned()));
    }
}

fn position_on(stage: &Element, event: &MouseEvent) -> (f64, f64) {
    let area = stage.get_bounding_client_rect();
    (f64::from(event.client_x()) - area.left(), f64::from(event.client_y()) - area.top())
}
