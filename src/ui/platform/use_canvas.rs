//! A canvas that is redrawn when its content changes.

use yew::prelude::*;

use crate::ui::platform::canvas::Canvas;
use camlscope_present::layout::draw::Op;
use camlscope_view::page::platform::theme::Theme;

/// Redraws when the content, its size or the theme changes. `None` leaves the canvas unchanged.
#[hook]
pub fn use_canvas<T: PartialEq + 'static>(
    node: &NodeRef,
    drawn: Option<(T, (f64, f64))>,
    draw: impl Fn(&T, &Canvas) -> Option<Vec<Op>> + 'static,
) {
    let theme = use_context::<Theme>().unwrap_or_default();
    let node = node.clone();
    use_effect_with((drawn, theme), move |(drawn, _)| {
        let Some((drawn, size)) = drawn else { return };
        let Some(canvas) = node.cast().and_then(|element| Canvas::new(&element, *size)) else { return };
        draw(drawn, &canvas).into_iter().for_each(|ops| canvas.draw(&ops));
    });
}
