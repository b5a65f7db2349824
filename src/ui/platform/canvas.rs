//! Runs draw operations on a canvas, sharp at any device pixel ratio and in the theme's colors.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{CanvasRenderingContext2d, CssStyleDeclaration, HtmlCanvasElement};

use camlscope_present::layout::color::{self, Tint};
use camlscope_present::layout::draw::{Align, Dash, Font, Op, PARTS, Paint, Rgba, TextWidth};
use camlscope_present::layout::picture::Picture;
use camlscope_present::layout::{diff, heat};

/// A canvas with CSS pixels as coordinates.
pub struct Canvas {
    context: CanvasRenderingContext2d,
    palette: Rc<Palette>,
}

/// The theme's colors and fonts, read from the style sheet.
struct Palette {
    style: CssStyleDeclaration,
    /// The colors used so far.
    tokens: RefCell<HashMap<&'static str, String>>,
    font_family: String,
    fonts: [String; Font::ALL.len()],
    is_dark: bool,
}

const HEAT: [&str; heat::SHADES as usize] =
    ["--heat-1", "--heat-2", "--heat-3", "--heat-4", "--heat-5", "--heat-6", "--heat-7"];

const PART: [&str; PARTS as usize] = ["--part-0", "--part-1", "--part-2", "--part-3"];

/// From the largest decrease to the largest increase. The middle is for changes that aren't significant.
const CHANGE: [&str; 2 * diff::SHADES as usize + 1] = [
    "--less-5", "--less-4", "--less-3", "--less-2", "--less-1", "--same", "--more-1", "--more-2", "--more-3",
    "--more-4", "--more-5",
];

thread_local! {
    /// Text widths by font and text. Measuring is slower than drawing, and every pointer move redraws the canvas.
    static WIDTHS: RefCell<[HashMap<String, f64>; Font::ALL.len()]> = RefCell::default();
    /// The current theme's palette, read from the style sheet.
    static PALETTE: RefCell<Option<Rc<Palette>>> = RefCell::default();
}

/// Call this when the theme changes.
pub fn forget_colors() {
    PALETTE.set(None);
}

/// Limits the cache to a few MB of text.
const MOST_WIDTHS: usize = 1 << 14;

impl Canvas {
    /// Resizes the canvas to its size on the screen and clears it. Returns `None` if the browser doesn't support
    /// canvas.
    ///
    /// The caller passes the size, because reading it would force the browser to lay out the page again for each
    /// canvas.
    pub fn new(element: &HtmlCanvasElement, size: (f64, f64)) -> Option<Canvas> {
        Canvas::with_ratio(element, size, gloo::utils::window().device_pixel_ratio().max(1.0))
    }

    /// Like [`Canvas::new`], with `ratio` device pixels per CSS pixel.
    pub fn with_ratio(element: &HtmlCanvasElement, (width, height): (f64, f64), ratio: f64) -> Option<Canvas> {
        let context: CanvasRenderingContext2d = element.get_context("2d").ok()??.dyn_into().ok()?;
        let (pixels_wide, pixels_high) = ((width * ratio).round() as u32, (height * ratio).round() as u32);
        if element.width() != pixels_wide || element.height() != pixels_high {
            element.set_width(pixels_wide);
            element.set_height(pixels_high);
        }
        let _ = context.set_transform(ratio, 0.0, 0.0, ratio, 0.0, 0.0);
        context.clear_rect(0.0, 0.0, width, height);
        context.set_text_baseline("middle");
        let palette = Palette::now()?;
        Some(Canvas { context, palette })
    }

    pub fn draw(&self, ops: &[Op]) {
        let context = &self.context;
        // Setting a style is slower than drawing a box, so neighbors of the same color share it.
        let mut fill: Option<Paint> = None;
        let mut set_fill = |paint: Paint| {
            if fill != Some(paint) {
                context.set_fill_style_str(&self.palette.css(paint));
                fill = Some(paint);
            }
        };
        let mut font: Option<Font> = None;
        let mut aligned: Option<Align> = None;
        for op in ops {
            match op {
                Op::Rect { x, y, w, h, fill } => {
                    set_fill(*fill);
                    context.fill_rect(*x, *y, *w, *h);
                }
                Op::Frame { x, y, w, h, stroke, width } => {
                    context.set_stroke_style_str(&self.palette.css(*stroke));
                    context.set_line_width(*width);
                    let _ = context.set_line_dash(&js_sys::Array::new());
                    context.stroke_rect(x + width / 2.0, y + width / 2.0, w - width, h - width);
                }
                Op::Text { x, y, text, fill, align, font: wanted } => {
                    set_fill(*fill);
                    if font != Some(*wanted) {
                        context.set_font(self.palette.font(*wanted));
                        font = Some(*wanted);
                    }
                    if aligned != Some(*align) {
                        context.set_text_align(match align {
                            Align::Left => "left",
                            Align::Center => "center",
                            Align::Right => "right",
                        });
                        aligned = Some(*align);
                    }
                    let _ = context.fill_text(text, *x, *y);
                }
                Op::Area { points, fill } => {
                    set_fill(*fill);
                    self.path(points);
                    context.close_path();
                    context.fill();
                }
                Op::Line { points, stroke, width, dash } => {
                    context.set_stroke_style_str(&self.palette.css(*stroke));
                    context.set_line_width(*width);
                    let dashes = match dash {
                        Dash::Solid => js_sys::Array::new(),
                        Dash::Dotted => js_sys::Array::of2(&2.into(), &3.into()),
                    };
                    let _ = context.set_line_dash(&dashes);
                    self.path(points);
                    context.stroke();
                }
                Op::Dot { x, y, r, fill } => {
                    set_fill(*fill);
                    context.begin_path();
                    let _ = context.arc(*x, *y, *r, 0.0, std::f64::consts::TAU);
                    context.fill();
                }
            }
        }
    }

    /// Draws an image's frame, and its drawing clipped to its bounds.
    pub fn draw_picture(&self, picture: &Picture) {
        self.draw(&picture.frame);
        let ((x, y), (width, height)) = (picture.place, picture.drawing_size);
        self.context.save();
        let _ = self.context.translate(x, y);
        self.context.begin_path();
        self.context.rect(0.0, 0.0, width, height);
        self.context.clip();
        self.draw(&picture.drawing);
        self.context.restore();
    }

    /// Returns a theme color as RGBA. Overwrites the canvas's first pixel.
    pub fn rgba(&self, paint: Paint) -> Option<Rgba> {
        self.context.clear_rect(0.0, 0.0, 1.0, 1.0);
        self.context.set_fill_style_str(&self.palette.css(paint));
        self.context.fill_rect(0.0, 0.0, 1.0, 1.0);
        let pixel = self.context.get_image_data(0.0, 0.0, 1.0, 1.0).ok()?.data().to_vec();
        let [red, green, blue, alpha] = pixel.try_into().ok()?;
        Some(Rgba { red, green, blue, alpha })
    }

    pub fn font_family(&self) -> &str {
        &self.palette.font_family
    }

    fn path(&self, points: &[(f64, f64)]) {
        self.context.begin_path();
        for &(x, y) in points {
            self.context.line_to(x, y);
        }
    }
}

impl TextWidth for Canvas {
    fn width(&self, text: &str, font: Font) -> f64 {
        WIDTHS.with_borrow_mut(|widths| {
            let of_font = &mut widths[font as usize];
            if let Some(width) = of_font.get(text) {
                return *width;
            }
            self.context.set_font(self.palette.font(font));
            let width = self.context.measure_text(text).map_or(0.0, |measured| measured.width());
            if of_font.len() >= MOST_WIDTHS {
                of_font.clear();
            }
            of_font.insert(text.to_owned(), width);
            width
        })
    }
}

impl Palette {
    fn now() -> Option<Rc<Palette>> {
        PALETTE.with_borrow_mut(|palette| {
            if palette.is_none() {
                *palette = Palette::read().map(Rc::new);
            }
            palette.clone()
        })
    }

    fn read() -> Option<Palette> {
        let style = gloo::utils::window().get_computed_style(&gloo::utils::body()).ok()??;
        let family = style.get_property_value("font-family").unwrap_or_else(|_| "sans-serif".to_owned());
        let fonts = Font::ALL.map(|font| format!("{} {}px {family}", font.weight(), font.px()));
        let is_dark = style.get_property_value("--surface").is_ok_and(|surface| is_dark(&surface));
        Some(Palette { style, tokens: RefCell::default(), font_family: family, fonts, is_dark })
    }

    fn font(&self, font: Font) -> &str {
        &self.fonts[font as usize]
    }

    fn css(&self, paint: Paint) -> String {
        let read = |name: &str| self.style.get_property_value(name).unwrap_or_default().trim().to_owned();
        let token = |name| self.tokens.borrow_mut().entry(name).or_insert_with_key(|name| read(name)).clone();
        match paint {
            Paint::Ink => token("--ink"),
            Paint::Muted => token("--muted"),
            Paint::Faint => token("--faint"),
            Paint::Line => token("--line"),
            Paint::Hover => token("--hover"),
            Paint::Accent => token("--accent"),
            Paint::AccentSoft => token("--accent-soft"),
            Paint::FlameInk => token("--flame-ink"),
            Paint::FlameInkPale => token("--flame-ink-pale"),
            Paint::Other => token("--other"),
            Paint::Rest => token("--rest"),
            Paint::Behind => token("--behind"),
            Paint::Surface => token("--surface"),
            Paint::Before => token("--before"),
            Paint::After => token("--after"),
            Paint::AfterSoft => token("--after-soft"),
            Paint::Change(shade) => {
                let shade = shade.clamp(-diff::SHADES, diff::SHADES);
                token(CHANGE[usize::from((shade + diff::SHADES).unsigned_abs())])
            }
            Paint::Part(part) => token(PART[usize::from(part.min(PARTS - 1))]),
            Paint::Heat(shade) => token(HEAT[usize::from(shade.clamp(1, heat::SHADES) - 1)]),
            Paint::Tint(Tint::Library) => token("--flame-library"),
            Paint::Tint(Tint::Module { hue, tone }) => color::oklch(hue, tone, self.is_dark),
        }
    }
}

/// `color` is a computed color such as `rgb(25, 28, 32)`.
fn is_dark(color: &str) -> bool {
    let channels = color.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse::<u32>().ok()).take(3);
    channels.sum::<u32>() < 3 * 128
}
