//! A drawing as a standalone chart, with a heading, a description, a legend and the theme's background.

use super::draw::{Align, Font, Op, Paint, TextWidth};
use super::flame::Area;

/// The contents of a chart.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parts {
    pub heading: String,
    /// Each starts a new line and wraps if necessary.
    pub about: Vec<String>,
    pub legend: Vec<LegendEntry>,
    /// The drawing, and the size of its visible part.
    pub drawing: Vec<Op>,
    pub tooltips: Vec<Tooltip>,
    pub size: (f64, f64),
}

/// A text that viewers show while the pointer is over a part of the drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct Tooltip {
    pub area: Area,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct LegendEntry {
    pub paint: Paint,
    pub text: String,
}

/// A chart in two layers: the frame and the drawing, which is clipped at its edges.
#[derive(Clone, Debug, PartialEq)]
pub struct Picture {
    pub width: f64,
    pub height: f64,
    /// The background, the text and the legend.
    pub frame: Vec<Op>,
    pub drawing: Vec<Op>,
    /// In the drawing's coordinates. Bitmap images don't use them.
    pub tooltips: Vec<Tooltip>,
    /// The position of the drawing's upper left corner.
    pub place: (f64, f64),
    pub drawing_size: (f64, f64),
}

const MARGIN: f64 = 16.0;
const HEADING_HEIGHT: f64 = 26.0;
const LINE_HEIGHT: f64 = 18.0;
const SWATCH: f64 = 10.0;
/// The space between a swatch and its text, and between two entries.
const SWATCH_GAP: f64 = 6.0;
const ENTRY_GAP: f64 = 18.0;
const SECTION_GAP: f64 = 8.0;
/// The minimum width of the text, even if the drawing is narrower.
const LEAST_WIDTH: f64 = 360.0;

impl Picture {
    pub fn new(parts: Parts, text: &dyn TextWidth) -> Picture {
        let Parts { heading, about, legend, drawing, tooltips, size } = parts;
        let room = size.0.max(LEAST_WIDTH);
        let mut words = Vec::new();
        let mut y = MARGIN;
        for line in wrapped(&heading, room, Font::Heading, text) {
            words.push(word(MARGIN, y + HEADING_HEIGHT / 2.0, line, Paint::Ink, Font::Heading));
            y += HEADING_HEIGHT;
        }
        for line in about.iter().flat_map(|line| wrapped(line, room, Font::Plain, text)) {
            words.push(word(MARGIN, y + LINE_HEIGHT / 2.0, line, Paint::Muted, Font::Plain));
            y += LINE_HEIGHT;
        }
        y += SECTION_GAP;
        if !legend.is_empty() {
            y = entries(legend, y, room, text, &mut words) + SECTION_GAP;
        }
        let (width, height) = (room + 2.0 * MARGIN, y + size.1 + MARGIN);
        let mut frame = vec![Op::Rect { x: 0.0, y: 0.0, w: width, h: height, fill: Paint::Surface }];
        frame.extend(words);
        Picture { width, height, frame, drawing, tooltips, place: (MARGIN, y), drawing_size: size }
    }
}

/// Adds the legend's entries, as many per row as fit, and returns the end of the last row.
fn entries(legend: Vec<LegendEntry>, top: f64, room: f64, text: &dyn TextWidth, ops: &mut Vec<Op>) -> f64 {
    let (mut x, mut y) = (MARGIN, top);
    for LegendEntry { paint, text: name } in legend {
        let name = shortened(name, room - SWATCH - SWATCH_GAP, text);
        let width = SWATCH + SWATCH_GAP + text.width(&name, Font::Plain);
        if x > MARGIN && x + width > MARGIN + room {
            (x, y) = (MARGIN, y + LINE_HEIGHT);
        }
        let middle = y + LINE_HEIGHT / 2.0;
        ops.push(Op::Rect { x, y: middle - SWATCH / 2.0, w: SWATCH, h: SWATCH, fill: paint });
        ops.push(word(x + SWATCH + SWATCH_GAP, middle, name, Paint::Ink, Font::Plain));
        x += width + ENTRY_GAP;
    }
    y + LINE_HEIGHT
}

fn word(x: f64, y: f64, text: String, fill: Paint, font: Font) -> Op {
    Op::Text { x, y, text, fill, align: Align::Left, font }
}

/// Wraps text at spaces. A single word that doesn't fit is shortened.
fn wrapped(words: &str, room: f64, font: Font, text: &dyn TextWidth) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in words.split_whitespace() {
        match lines.last_mut() {
            Some(line) if text.width(&format!("{line} {word}"), font) <= room => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines.into_iter().map(|line| shortened(line, room, text)).collect()
}

/// Shortens a text to fit, with `…` for the rest. Assumes that letters are about equally wide.
fn shortened(words: String, room: f64, text: &dyn TextWidth) -> String {
    let width = text.width(&words, Font::Plain);
    if width <= room {
        return words;
    }
    let n_letters = words.chars().count() as f64;
    let n_kept = (n_letters * room / width - 2.0).max(1.0) as usize;
    words.chars().take(n_kept).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::draw::FixedWidth;

    fn texts(picture: &Picture) -> Vec<(&str, f64, f64)> {
        let texts = picture.frame.iter().filter_map(|op| match op {
            Op::Text { x, y, text, .. } => Some((text.as_str(), *x, *y)),
            _ => None,
        });
        texts.collect()
    }

    #[test]
    fn text_and_legend_wrap_above_the_drawing() {
        let legend = ["Orders", "Json", "library code", "3 others"]
            .map(|text| LegendEntry { paint: Paint::Other, text: text.to_owned() });
        let parts = Parts {
            heading: "Flame graph of orders.exe".to_owned(),
            about: vec!["bytes live at the peak of objects larger than 256 words".to_owned()],
            legend: legend.to_vec(),
            drawing: vec![Op::Dot { x: 1.0, y: 1.0, r: 1.0, fill: Paint::Ink }],
            tooltips: Vec::new(),
            size: (100.0, 50.0),
        };
        let picture = Picture::new(parts, &FixedWidth(10.0));
        let expected = [
            ("Flame graph of orders.exe", 16.0, 29.0),
            ("bytes live at the peak of objects", 16.0, 51.0),
            ("larger than 256 words", 16.0, 69.0),
            ("Orders", 32.0, 95.0),
            ("Json", 126.0, 95.0),
            ("library code", 200.0, 95.0),
            ("3 others", 32.0, 113.0),
        ];
        assert_eq!(texts(&picture), expected);
        assert_eq!((picture.width, picture.height), (392.0, 196.0));
        assert_eq!(picture.place, (16.0, 130.0));
        assert!(matches!(picture.frame[0], Op::Rect { fill: Paint::Surface, w: 392.0, h: 196.0, .. }));
    }

    #[test]
    fn long_names_are_shortened_and_empty_parts_take_no_space() {
        let entry = LegendEntry { paint: Paint::Other, text: "m".repeat(80) };
        let parts = Parts { legend: vec![entry], ..Parts::default() };
        let picture = Picture::new(parts, &FixedWidth(10.0));
        let longest = texts(&picture)[0].0;
        assert!(longest.ends_with("m…") && longest.chars().count() <= 34, "{longest}");
        assert_eq!(Picture::new(Parts::default(), &FixedWidth(10.0)).height, 40.0);
    }
}
