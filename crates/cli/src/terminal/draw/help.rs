//! The help screen, with every key.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::lines;
use super::theme::Theme;
use crate::terminal::state::State;
use crate::terminal::tab::Tab;
use camlscope_present::format;

const COMMON: [(&str, &str); 9] = [
    ("1 – 8, Tab", "switch screens (or click)"),
    ("↑ ↓ PgUp PgDn Home End", "select a row"),
    ("Backspace", "go back to the previous screen or filter"),
    ("m", "measure: allocated, live at the peak, …"),
    ("g", "group by function, site, file or module"),
    ("f, c", "filter, such as size=257.. (Tab completes); clear it"),
    ("v, e", "source with figures (n N hot lines), $EDITOR: need --source"),
    ("/, Esc", "search the table or flame graph; clear the search"),
    ("q, Ctrl-C, Ctrl-Z", "quit, suspend (fg continues)"),
];

pub fn draw(state: &State, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let line = |name: &str, words: &str| {
        Line::from(vec![Span::styled(format!("{name:<24}"), theme.heading()), Span::raw(words.to_owned())])
    };
    let mut text: Vec<Line<'static>> = COMMON.iter().map(|(keys, words)| line(keys, words)).collect();
    if state.follow.is_some() {
        text.push(line("p", "pause or resume"));
    }
    if state.other.is_some() {
        text.push(line("o", "show the other file"));
    }
    text.extend(Tab::ALL.iter().map(|tab| {
        Line::from(vec![Span::styled(format!("{:<12}", tab.title()), theme.heading()), Span::raw(tab.keys())])
    }));
    text.push(Line::styled(format!("{} Press any key.", format::MARGIN), theme.faint()));
    lines(frame, area, text);
}
