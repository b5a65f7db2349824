//! Drawing as data. Layouts return operations, the page turns them into canvas calls, and tests inspect them. Lengths
//! are CSS pixels.

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
    /// `y` is the vertical center of the line.
    Text {
        x: f64,
        y: f64,
        text: String,
        fill: Paint,
        align: Align,
        font: Font,
    },
    /// The polygon between the points.
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

/// A color by its purpose. The theme determines how it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Paint {
    Ink,
    Muted,
    Faint,
    Line,
    Hover,
    Accent,
    AccentSoft,
    /// Text on boxes, paler on library code.
    FlameInk,
    FlameInkPale,
    Tint(Tint),
    /// A shade of a heat map, starting from 1.
    Heat(u8),
    /// The size of a change: negative for less, positive for more, with [`super::diff::SHADES`] shades each, and 0 for
    /// not significant.
    Change(i8),
    /// The first and second side of a comparison.
    Before,
    After,
    AfterSoft,
    /// Text on either of them.
    Surface,
    /// Merged boxes, and things without a color of their own.
    Other,
    /// The remainder after the most prominent items got their own colors. Neutral, but distinct from the background.
    Rest,
    /// Bars behind other bars. They must be visible on their own.
    Behind,
    /// A part of a histogram's bars, starting from 0.
    Part(u8),
}

/// The number of parts that have colors.
pub const PARTS: u8 = 4;

/// A color with 8 bits per channel. An alpha of 255 is opaque.
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
    /// The heading of an exported chart.
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

/// Returns the texts of a drawing, in drawing order.
#[cfg(test)]
pub fn texts(ops: &[Op]) -> Vec<&str> {
    ops.iter().filter_map(|op| if let Op::Text { text, .. } = op { Some(text.as_str()) } else { None }).collect()
}

/// Measures the width of a text. The page asks the canvas, tests count letters.
pub trait TextWidth {
    fn width(&self, text: &str, font: Font) -> f64;
}

/// Every letter has this width.
#[derive(Clone, Copy, Debug)]
pub struct FixedWidth(pub f64);

impl TextWidth for FixedWidth {
    fn width(&self, text: &str, _font: Font) -> f64 {
        text.chars().count() as f64 * self.0
    }
}
