//! A square in a curve's color, for legends.

use yew::prelude::*;

use crate::ui::platform::use_canvas::use_canvas;
use camlscope_present::layout::draw::{Op, Paint};

/// The size, as in the style sheet.
const SWATCH: f64 = 9.0;

#[derive(Properties, PartialEq)]
pub struct SwatchProps {
    pub paint: Paint,
}

/// A square in a layer's color. It is a canvas, because the content security policy forbids inline styles.
#[component]
pub fn Swatch(props: &SwatchProps) -> Html {
    let node = use_node_ref();
    use_canvas(&node, Some((props.paint, (SWATCH, SWATCH))), |&fill, _| {
        Some(vec![Op::Rect { x: 0.0, y: 0.0, w: SWATCH, h: SWATCH, fill }])
    });
    html! { <canvas ref={node} class="swatch" aria-hidden="true" /> }
}
