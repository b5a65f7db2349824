//! Styles, with and without colors.

use crate::terminal::colors::{Colors, INK};
use camlscope_present::layout::color::Tint;
use ratatui::style::{Color, Modifier, Style};

#[derive(Clone, Copy, Debug)]
pub struct Theme {
    pub colors: Colors,
}

/// The colors of layers: the named ones, largest first, others, and what a profile doesn't attribute. These are the
/// terminal's own colors, which fit its background. Red is reserved for alarms.
const LAYERS: [Color; 7] =
    [Color::Yellow, Color::Cyan, Color::Magenta, Color::Green, Color::Blue, Color::Gray, Color::White];

impl Theme {
    pub fn plain(self) -> Style {
        Style::new()
    }

    pub fn heading(self) -> Style {
        Style::new().add_modifier(Modifier::BOLD)
    }

    pub fn faint(self) -> Style {
        Style::new().add_modifier(Modifier::DIM)
    }

    pub fn selected(self) -> Style {
        Style::new().add_modifier(Modifier::REVERSED)
    }

    /// For what needs attention.
    pub fn alarm(self) -> Style {
        self.colored(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub fn warning(self) -> Style {
        self.colored(Color::Yellow)
    }

    pub fn good(self) -> Style {
        self.colored(Color::Green)
    }

    pub fn bar(self) -> Style {
        self.colored(Color::Cyan)
    }

    pub fn layer(self, at: usize) -> Style {
        self.colored(LAYERS[at % LAYERS.len()])
    }

    /// A box with the color of its module. Without colors, a line shows its width.
    pub fn filled(self, tint: Tint) -> Style {
        match self.colors.of(tint) {
            Some(color) => Style::new().bg(color).fg(INK),
            None => self.outlined(),
        }
    }

    /// A box without a color: the top, merged boxes, and boxes that a search didn't find.
    pub fn outlined(self) -> Style {
        Style::new().add_modifier(Modifier::UNDERLINED)
    }

    fn colored(self, color: Color) -> Style {
        if self.colors == Colors::None { Style::new() } else { Style::new().fg(color) }
    }
}
