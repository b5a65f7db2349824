//! Styles, with and without colors.

use ratatui::style::{Color, Modifier, Style};

#[derive(Clone, Copy, Debug)]
pub struct Theme {
    pub has_color: bool,
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

    pub fn good(self) -> Style {
        self.colored(Color::Green)
    }

    pub fn bar(self) -> Style {
        self.colored(Color::Cyan)
    }

    pub fn layer(self, at: usize) -> Style {
        self.colored(LAYERS[at % LAYERS.len()])
    }

    fn colored(self, color: Color) -> Style {
        if self.has_color { Style::new().fg(color) } else { Style::new() }
    }
}
