//! A square of a curve's colour, for legends.

use yew::prelude::*;

use crate::ui::platform::canvas::Canvas;
use crate::ui::platform::theme::Theme;
use camlscope_present::layout::draw::{Op, Paint};

/// Its size, as in the style sheet.
const SWATCH: f64 = 9.0;

#[derive(Properties, PartialEq)]
pub struct SwatchProps {
    pub paint: Paint,
}

/// A square of a layer's colour. The page's policy allows no inline style, so it is a canvas.
#[component]
pub fn Swatch(props: &SwatchProps) -> Html {
    let node = use_node_ref();
    let theme = use_context::<Theme>().unwrap_or_default();
    use_effect_with((props.paint, theme), {
        let node = node.clone();
        move |(paint, _)| {
            if let Some(canvas) = Canvas::of(&node, (SWATCH, SWATCH)) {
                canvas.draw(&[Op::Rect { x: 0.0, y: 0.0, w: SWATCH, h: SWATCH, fill: *paint }]);
            }
        }
    });
    html! { <canvas ref={node} class="swatch" aria-hidden="true" /> }
}
