//! The colors that a terminal can show, and the page's module colors in them.

use std::env;

use camlscope_present::layout::color::{Tint, rgb};
use ratatui::style::Color;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    /// Letters and bold, underlined or reversed text carry the information.
    None,
    /// The terminal's own colors, which fit its theme.
    Theme,
    /// 256 fixed colors.
    Indexed,
    /// Any color.
    True,
}

/// Text on a box.
pub const INK: Color = Color::Black;
/// Library code, between the tones of a dark and a light background.
const LIBRARY: [u8; 3] = [158, 163, 168];
/// Red is reserved for alarms. Blue is left out, because black text on it is hard to read.
const OF_THEME: [Color; 4] = [Color::Green, Color::Cyan, Color::Magenta, Color::Yellow];

impl Colors {
    /// Returns the colors that the environment announces.
    pub fn detect() -> Colors {
        let is_named = |name: &str, words: &[&str]| {
            let value = env::var(name).unwrap_or_default();
            words.iter().any(|word| value.contains(word))
        };
        // Windows' own terminals show any color, but set none of these variables.
        if cfg!(windows) || is_named("COLORTERM", &["truecolor", "24bit"]) || is_named("TERM", &["direct"]) {
            Colors::True
        } else if is_named("TERM", &["256color"]) {
            Colors::Indexed
        } else {
            Colors::Theme
        }
    }

    /// Returns the background of a box with this tint, `None` without colors.
    pub fn of(self, tint: Tint) -> Option<Color> {
        let parts = match tint {
            Tint::Module { hue, tone } => rgb(hue, tone, true),
            Tint::Library => LIBRARY,
        };
        match (self, tint) {
            (Colors::None, _) => None,
            (Colors::True, _) => Some(Color::Rgb(parts[0], parts[1], parts[2])),
            (Colors::Indexed, _) => Some(Color::Indexed(nearest(parts))),
            (Colors::Theme, Tint::Library) => Some(Color::Gray),
            (Colors::Theme, Tint::Module { hue, .. }) => {
                // Each of the theme's colors is for a quarter of the color wheel. Green begins at 120°.
                let of_theme = (usize::from(hue) + 240) % 360 * OF_THEME.len() / 360;
                Some(OF_THEME[of_theme])
            }
        }
    }
}

/// Returns the nearest of the 216 colors from 16 on, whose parts have six levels.
fn nearest(parts: [u8; 3]) -> u8 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let level = |part: u8| {
        let distance = |(_, level): &(u8, u8)| level.abs_diff(part);
        (0..).zip(LEVELS).min_by_key(distance).map_or(0, |(at, _)| at)
    };
    let [red, green, blue] = parts.map(level);
    16 + 36 * red + 6 * green + blue
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_with_256_colors_shows_the_nearest() {
        assert_eq!([[0, 0, 0], [255, 255, 255], [240, 137, 170]].map(nearest), [16, 231, 211]);
    }

    #[test]
    fn modules_have_the_colors_of_the_page_where_the_terminal_has_them() {
        let (orange, blue) = (Tint::Module { hue: 60, tone: 1 }, Tint::Module { hue: 240, tone: 1 });
        let [red, green, blue_part] = rgb(60, 1, true);
        assert_eq!(Colors::True.of(orange), Some(Color::Rgb(red, green, blue_part)));
        assert_eq!(Colors::None.of(orange), None);
        for colors in [Colors::Theme, Colors::Indexed, Colors::True] {
            assert_ne!(colors.of(orange), colors.of(blue));
            assert_ne!(colors.of(orange), colors.of(Tint::Library));
        }
        let used: Vec<_> = (0..12).map(|slot| Colors::Theme.of(Tint::Module { hue: 30 * slot, tone: 0 })).collect();
        assert!(OF_THEME.iter().all(|color| used.contains(&Some(*color))), "{used:?}");
    }
}
