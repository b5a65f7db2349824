//! Virtual scrolling for long lists: only visible lines are rendered, with padding above and below them.

use web_sys::{Element, HtmlElement};
use yew::prelude::*;

use crate::ui::platform::size::use_size;
use camlscope_view::page::components::virtual_list::ScrollWindow;

/// A list that scrolls below its header, and its scroll position.
#[derive(Clone)]
pub struct Scroll {
    pub scroller: NodeRef,
    pub head: NodeRef,
    pub body: NodeRef,
    pub onscroll: Callback<Event>,
    pub line_px: f64,
    pub view_px: f64,
    scroll_px: f64,
}

/// `usual_px` is the line height before the first layout. After that, the header's height is used.
#[hook]
pub fn use_scroll(usual_px: f64) -> Scroll {
    let (scroller, head, body) = (use_node_ref(), use_node_ref(), use_node_ref());
    let line_px = use_size(&head).map_or(usual_px, |(_, height)| height.max(1.0));
    let view_px = use_size(&scroller).map_or(0.0, |(_, height)| height - line_px).max(line_px);
    let scroll_px = use_state_eq(|| 0.0);
    let onscroll = {
        let (scroller, scroll_px) = (scroller.clone(), scroll_px.setter());
        Callback::from(move |_: Event| {
            if let Some(scroller) = scroller.cast::<Element>() {
                scroll_px.set(f64::from(scroller.scroll_top()));
            }
        })
    };
    Scroll { scroller, head, body, onscroll, line_px, view_px, scroll_px: *scroll_px }
}

impl Scroll {
    pub fn window(&self, n_lines: usize) -> ScrollWindow {
        ScrollWindow::new(n_lines, self.line_px, self.view_px, self.scroll_px)
    }

    /// Returns how many lines are visible at once.
    pub fn n_seen(&self) -> usize {
        (self.view_px / self.line_px).ceil() as usize
    }

    pub fn to_px(&self, px: f64) {
        if let Some(scroller) = self.scroller.cast::<Element>() {
            scroller.set_scroll_top(px.round() as i32);
        }
    }
}

/// Sets the height of a list's body and positions the rendered lines. The content security policy forbids inline styles
/// in markup, but scripts may set them.
#[hook]
pub fn use_scroll_height(body: &NodeRef, window: &ScrollWindow) {
    let body = body.clone();
    use_effect_with((window.body_px, window.above_px), move |(body_px, above_px)| {
        if let Some(body) = body.cast::<HtmlElement>() {
            let _ = body.style().set_property("height", &format!("{body_px}px"));
            let _ = body.style().set_property("padding-top", &format!("{above_px}px"));
        }
    });
}
