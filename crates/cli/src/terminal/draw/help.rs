//! Every key.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::lines;
use super::theme::Theme;
use crate::terminal::state::State;
use crate::terminal::tab::Tab;
use camlscope_present::format;

const COMMON: [(&str, &str); 9] = [
    ("1 – 6, Tab", "another screen; the mouse works, too"),
    ("↑ ↓ PgUp PgDn Home End", "choose a row"),
    ("m", "what is counted: allocated, live at the peak, …"),
    ("g", "by function, call site, file or module"),
    ("f", "filter, as in the page's address: size=257.."),
    ("c", "clear the filter"),
    ("Esc", "leave a line that is being typed"),
    ("?", "this"),
    ("q, Ctrl-C", "quit"),
];

pub fn draw(state: &State, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let line = |name: &str, words: &str| {
        Line::from(vec![Span::styled(format!("{name:<24}"), theme.heading()), Span::raw(words.to_owned())])
    };
    let mut text: Vec<Line<'static>> = COMMON.iter().map(|(keys, words)| line(keys, words)).collect();
    if state.follow.is_some() {
        text.push(line("p", "figures stand still, and go on"));
    }
    text.push(Line::raw(""));
    text.extend(Tab::ALL.iter().map(|tab| {
        Line::from(vec![Span::styled(format!("{:<10}", tab.title()), theme.heading()), Span::raw(tab.keys())])
    }));
    text.push(Line::raw(""));
    text.push(Line::styled(format!("{} Any key goes back.", format::MARGIN), theme.faint()));
    lines(frame, area, text);
}
