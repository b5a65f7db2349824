//! Drawing as data: layouts return operations, one small file of the page turns them into canvas calls, and tests read
//! them. Lengths are CSS pixels.

use super::color::Tint;

#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    Rect {
        x: f64,
        y: f64,
        w: f64,
        h: f64,
        fill: Paint,
    },
    /// The outline of a rectangle, drawn inside it.
    Frame {
        x: f64,
        y: f64,
        w: f64,
        h: f64,
        stroke: Paint,
        width: f64,
    },
    /// `y` is the middle of the line.
    Text {
        x: f64,
        y: f64,
        text: String,
        fill: Paint,
        align: Align,
        font: Font,
    },
    /// What lies between the points and back.
    Area {
        points: Vec<(f64, f64)>,
        fill: Paint,
    },
    Line {
        points: Vec<(f64, f64)>,
        stroke: Paint,
        width: f64,
        dash: Dash,
    },
    Dot {
        x: f64,
        y: f64,
        r: f64,
        fill: Paint,
    },
}

/// A color by what it is for; a theme says what it looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paint {
    Ink,
    Muted,
    Faint,
    Line,
    Hover,
    Accent,
    AccentSoft,
    /// Text on boxes, and paler on library code.
    FlameInk,
    FlameInkPale,
    Tint(Tint),
    /// A shade of a heat map, from 1.
    Heat(u8),
    /// How much something changed: less below 0, more above it, each in [`super::diff::SHADES`] shades; 0 is what is not
    /// significant.
    Change(i8),
    /// The first of two things that are compared, and the second.
    Before,
    After,
    AfterSoft,
    /// Letters on either of them.
    Surface,
    /// Boxes that stand for several, and what has no color of its own.
    Other,
    /// What is left when the most prominent have a color each: no color, and not the background's.
    Rest,
    /// Bars that stand behind others, and must be seen alone.
    Behind,
    /// A part of a histogram's bars, from 0.
    Part(u8),
}

/// How many parts of bars have colors.
pub const PARTS: u8 = 4;

/// A color as numbers, opaque at 255.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rgba {
    pub red: u8,
    pub green: u8,
    pub blue: u8,
    pub alpha: u8,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Align {
    #[default]
    Left,
    Center,
    Right,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Font {
    #[default]
    Plain,
    Small,
    SmallBold,
    /// The heading of a picture that is saved.
    Heading,
}

impl Font {
    pub const ALL: [Font; 4] = [Font::Plain, Font::Small, Font::SmallBold, Font::Heading];

    pub fn px(self) -> f64 {
        match self {
            Font::Plain => 12.0,
            Font::Small | Font::SmallBold => 11.0,
            Font::Heading => 16.0,
        }
    }

    pub fn weight(self) -> u16 {
        match self {
            Font::Plain | Font::Small => 400,
            Font::SmallBold | Font::Heading => 600,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dash {
    #[default]
    Solid,
    Dotted,
}

/// The texts of a drawing, in the order in which they are drawn.
#[cfg(test)]
pub fn texts(ops: &[Op]) -> Vec<&str> {
    ops.iter().filter_map(|op| if let Op::Text { text, .. } = op { Some(text.as_str()) } else { None }).collect()
}

/// How wide a text is drawn; the page asks the canvas, tests count letters.
pub trait TextWidth {
    fn width(&self, text: &str, font: Font) -> f64;
}

/// A letter is so wide, whichever it is.
#[derive(Clone, Copy, Debug)]
pub struct FixedWidth(pub f64);

impl TextWidth for FixedWidth {
    fn width(&self, text: &str, _font: Font) -> f64 {
        text.chars().count() as f64 * self.0
    }
}
