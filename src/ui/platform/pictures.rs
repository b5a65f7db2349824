//! The pictures on the page, as files: a view says what it draws, and it is drawn once more when the user saves it.

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

/// The places of the page where there can be a picture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pictured {
    Timeline,
    /// What the open tab shows.
    View,
}

/// Makes the parts of a picture. Drawing all of it again costs something, so this is done only when it is saved.
type Draw = Rc<dyn Fn(&dyn TextWidth) -> Parts>;

/// How much larger than on the screen a picture of pixels is saved.
const PNG_SCALE: f64 = 2.0;

thread_local! {
    static SHOWN: RefCell<[Option<Draw>; 2]> = RefCell::default();
}

/// Says what a component draws now; `None` while there is nothing to see.
#[hook]
pub fn use_picture(which: Pictured, draw: Option<impl Fn(&dyn TextWidth) -> Parts + 'static>) {
    let draw = draw.map(|draw| Rc::new(draw) as Draw);
    use_effect(move || SHOWN.with_borrow_mut(|shown| shown[which as usize] = draw));
    use_effect_with((), move |()| move || SHOWN.with_borrow_mut(|shown| shown[which as usize] = None));
}

/// The picture as an SVG file. `None` where there is nothing to see.
pub fn as_svg(which: Pictured) -> Option<String> {
    let element = new_canvas()?;
    // A canvas keeps to the options with which it is first asked for its context.
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

/// Calls back with the picture as a PNG file of twice its size on the screen; with `None` where there is nothing to see, or
/// the browser cannot make a file of it.
pub fn as_png(which: Pictured, on_made: impl FnOnce(Option<Blob>) + 'static) {
    match drawn(which) {
        Some(element) => {
            let on_made = Closure::once_into_js(on_made);
            // A canvas that holds nothing of other sites is always let out.
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
