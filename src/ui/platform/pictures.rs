//! Saves the page's charts as images. A view registers how it draws, and the chart is drawn again when the user saves
//! it.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use js_sys::{Object, Reflect};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Blob, HtmlCanvasElement};
use yew::prelude::*;

use crate::ui::platform::canvas::Canvas;
use camlscope_present::export::svg;
use camlscope_present::layout::draw::{Paint, Rgba, TextWidth};
use camlscope_present::layout::picture::{Parts, Picture};

/// The parts of the page that can be saved as an image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pictured {
    Timeline,
    /// The open tab.
    View,
}

/// Creates the parts of an image. Redrawing everything is expensive, so this runs only on save.
type Draw = Rc<dyn Fn(&dyn TextWidth) -> Parts>;

/// The scale of a PNG relative to the screen.
const PNG_SCALE: f64 = 2.0;

thread_local! {
    static SHOWN: RefCell<[Option<Draw>; 2]> = RefCell::default();
}

/// Registers what a component currently draws, or `None` if there is nothing to save.
#[hook]
pub fn use_picture(which: Pictured, draw: Option<impl Fn(&dyn TextWidth) -> Parts + 'static>) {
    let draw = draw.map(|draw| Rc::new(draw) as Draw);
    use_effect(move || SHOWN.with_borrow_mut(|shown| shown[which as usize] = draw));
    use_effect_with((), move |()| move || SHOWN.with_borrow_mut(|shown| shown[which as usize] = None));
}

/// Returns an SVG file, or `None` if there is nothing to save.
pub fn as_svg(which: Pictured) -> Option<String> {
    let element = new_canvas()?;
    // A canvas keeps the options of the first `getContext` call.
    let options = Object::new();
    Reflect::set(&options, &"willReadFrequently".into(), &true.into()).ok()?;
    element.get_context_with_context_options("2d", &options).ok()?;
    let canvas = Canvas::with_ratio(&element, (1.0, 1.0), 1.0)?;
    let picture = picture(which, &canvas)?;
    let colors: RefCell<HashMap<Paint, Rgba>> = RefCell::default();
    let color_of = |paint: Paint| {
        let read = || canvas.rgba(paint).unwrap_or(Rgba { red: 0, green: 0, blue: 0, alpha: 255 });
        *colors.borrow_mut().entry(paint).or_insert_with(read)
    };
    Some(svg(&picture, canvas.font_family(), &color_of))
}

/// Calls back with a PNG file at twice the screen size, or with `None` if there is nothing to save or the browser can't
/// encode it.
pub fn as_png(which: Pictured, on_made: impl FnOnce(Option<Blob>) + 'static) {
    match drawn(which) {
        Some(element) => {
            let on_made = Closure::once_into_js(on_made);
            // This can't fail, because the canvas contains nothing from other origins.
            let _ = element.to_blob(on_made.unchecked_ref());
        }
        None => on_made(None),
    }
}

fn drawn(which: Pictured) -> Option<HtmlCanvasElement> {
    let element = new_canvas()?;
    let picture = picture(which, &Canvas::with_ratio(&element, (1.0, 1.0), 1.0)?)?;
    let canvas = Canvas::with_ratio(&element, (picture.width, picture.height), PNG_SCALE)?;
    canvas.draw_picture(&picture);
    Some(element)
}

fn picture(which: Pictured, canvas: &Canvas) -> Option<Picture> {
    let draw = SHOWN.with_borrow(|shown| shown[which as usize].clone())?;
    Some(Picture::new(draw(canvas), canvas))
}

fn new_canvas() -> Option<HtmlCanvasElement> {
    gloo::utils::document().create_element("canvas").ok()?.dyn_into().ok()
}
