//! Positions menus, tooltips and popovers, always inside the window. Code sets the position, because the content
//! security policy forbids inline styles in markup.

use web_sys::{Element, HtmlElement};
use yew::NodeRef;

use camlscope_view::page::platform::placement::{MARGIN, next_to, within};

#[derive(Clone, Debug, PartialEq)]
pub enum Anchor {
    /// Below an element, with the left edges aligned.
    Below(NodeRef),
    /// At a point in the window.
    Point(f64, f64),
    /// To the right of and below the pointer, or on the other side if there is no space.
    Pointer(f64, f64),
}

/// Moves a fixed element to its anchor, but keeps it inside the window.
pub fn place(node: &NodeRef, anchor: &Anchor) {
    let Some(element) = node.cast::<HtmlElement>() else { return };
    let Some(root) = gloo::utils::document().document_element() else { return };
    let area = element.get_bounding_client_rect();
    let window = (f64::from(root.client_width()), f64::from(root.client_height()));
    let (left, top) = match anchor {
        Anchor::Below(opener) => {
            let Some(opener) = opener.cast::<Element>().map(|opener| opener.get_bounding_client_rect()) else { return };
            const GAP: f64 = 6.0;
            let below = opener.bottom() + GAP;
            let above = opener.top() - GAP - area.height();
            let fits_below = below + area.height() + MARGIN <= window.1;
            (opener.left(), if fits_below || above < MARGIN { below } else { above })
        }
        Anchor::Point(x, y) => (*x, *y),
        Anchor::Pointer(x, y) => (next_to(*x, area.width(), window.0), next_to(*y, area.height(), window.1)),
    };
    let style = element.style();
    let _ = style.set_property("left", &format!("{}px", within(left, area.width(), window.0)));
    let _ = style.set_property("top", &format!("{}px", within(top, area.height(), window.1)));
}
