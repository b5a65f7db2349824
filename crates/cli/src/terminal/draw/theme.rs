//! How things look, with colours and without.

use ratatui::style::{Color, Modifier, Style};

#[derive(Clone, Copy, Debug)]
pub struct Theme {
    pub has_colour: bool,
}

/// Of the layers: those that are named, the largest first, others, and what a profile knows nothing of. The terminal's own
/// colours, which fit its background; red is for alarms.
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

    /// What needs attention.
    pub fn alarm(self) -> Style {
        self.coloured(Color::Red).add_modifier(Modifier::BOLD)
    }

    pub fn good(self) -> Style {
        self.coloured(Color::Green)
    }

    pub fn bar(self) -> Style {
        self.coloured(Color::Cyan)
    }

    pub fn layer(self, at: usize) -> Style {
        self.coloured(LAYERS[at % LAYERS.len()])
    }

    fn coloured(self, colour: Color) -> Style {
        if self.has_colour { Style::new().fg(colour) } else { Style::new() }
    }
}
