//! The light theme's colors, for pictures that are drawn without a browser. They are those of `www/style.css`.

use super::color::{self, Tint};
use super::draw::{Paint, Rgba};

/// Returns a color of the light theme. Only flame graphs and timelines are drawn without a browser, so paints of other
/// charts are gray.
pub fn light(paint: Paint) -> Rgba {
    match paint {
        Paint::Ink => rgb(0x1d2125),
        Paint::Muted => rgb(0x626a73),
        Paint::Faint => rgb(0x757d86),
        Paint::Line => rgb(0xe3e5e8),
        Paint::Hover => rgb(0xf0f1f3),
        Paint::Accent | Paint::After => rgb(0x3457d5),
        Paint::AccentSoft | Paint::AfterSoft => Rgba { alpha: 0x1f, ..rgb(0x3457d5) },
        Paint::FlameInk => rgb(0x14171a),
        Paint::FlameInkPale => rgb(0x4b535c),
        Paint::Tint(Tint::Library) => rgb(0xe4eaf1),
        Paint::Tint(Tint::Module { hue, tone }) => {
            let [red, green, blue] = color::rgb(hue, tone, false);
            Rgba { red, green, blue, alpha: 255 }
        }
        Paint::Surface => rgb(0xffffff),
        Paint::Other => rgb(0xe6e7e9),
        Paint::Rest => rgb(0xdfe3e8),
        Paint::Behind | Paint::Before | Paint::Heat(_) | Paint::Change(_) | Paint::Part(_) => rgb(0x8c939b),
    }
}

fn rgb(hex: u32) -> Rgba {
    let [_, red, green, blue] = hex.to_be_bytes();
    Rgba { red, green, blue, alpha: 255 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `--ink: light-dark(#1d2125, #e7e9ec);`
    #[test]
    fn the_colors_are_those_of_the_page() {
        let style = concat!(env!("CARGO_MANIFEST_DIR"), "/../../www/style.css");
        let style = std::fs::read_to_string(style).expect("the page's style sheet");
        for (name, paint) in [
            ("ink", Paint::Ink),
            ("muted", Paint::Muted),
            ("faint", Paint::Faint),
            ("line", Paint::Line),
            ("hover", Paint::Hover),
            ("accent", Paint::Accent),
            ("accent-soft", Paint::AccentSoft),
            ("flame-ink", Paint::FlameInk),
            ("flame-ink-pale", Paint::FlameInkPale),
            ("flame-library", Paint::Tint(Tint::Library)),
            ("surface", Paint::Surface),
            ("other", Paint::Other),
            ("rest", Paint::Rest),
            ("behind", Paint::Behind),
        ] {
            let Rgba { red, green, blue, alpha } = light(paint);
            let alpha = if alpha == 255 { String::new() } else { format!("{alpha:02x}") };
            let color = format!("#{red:02x}{green:02x}{blue:02x}{alpha}");
            let is_there = [format!("--{name}: light-dark({color},"), format!("--{name}: {color};")];
            assert!(is_there.iter().any(|line| style.contains(line)), "--{name} isn't {color}");
        }
    }
}
