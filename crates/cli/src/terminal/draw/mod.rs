//! Draws the UI, as a pure function of its state. Everything consists of lines that are truncated to their width.

mod braille;
mod compare;
mod follow;
mod help;
mod leaks;
mod list;
mod loading;
pub mod summary;
mod table;
mod theme;
mod timeline;
mod tree;

use crate::UNITS;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

use self::theme::Theme;
use super::app::App;
use super::requests;
use super::size::HEAD_ROWS;
use super::state::{InputKind, State};
use super::tab::Tab;
use camlscope_engine::protocol::{Answer, Request};
use camlscope_engine::query::amounts::Amounts;
use camlscope_present::format;
use camlscope_present::terminal_text::{clean, cut_middle, wrapped};
use camlscope_present::words;
use camlscope_present::words::errors::UserError;

/// The minimum size of the terminal.
const LEAST: (u16, u16) = (40, 10);

pub fn draw(app: &App, frame: &mut Frame<'_>) {
    let theme = Theme { has_color: app.has_color };
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return lines(frame, area, vec![Line::raw("terminal too small")]);
    }
    let rows = [Constraint::Length(HEAD_ROWS), Constraint::Min(1), Constraint::Length(app.size.foot_rows)];
    let [head, body, foot] = Layout::vertical(rows).areas(area);
    lines(frame, head, vec![title(&app.state, theme, area.width), tabs(&app.state, theme), sentence(app, theme)]);
    let about_file = app.state.follow.as_ref().map(|follow| follow::line(follow, theme, area.width));
    lines(frame, foot, about_file.into_iter().chain([last_line(&app.state, theme, area.width)]).collect());
    if app.state.is_help {
        return help::draw(&app.state, theme, frame, body);
    }
    if app.state.load.is_some() || app.state.summary.is_none() {
        return loading::draw(app, theme, frame, body);
    }
    match app.state.tab {
        Tab::Summary => summary::draw(app, theme, frame, body),
        Tab::Timeline => timeline::draw(app, theme, frame, body),
        Tab::Table => table::draw(app, theme, frame, body),
        Tab::Tree => tree::draw(app, theme, frame, body),
        Tab::Leaks => leaks::draw(app, theme, frame, body),
        Tab::Compare => compare::draw(app, theme, frame, body),
    }
}

fn lines(frame: &mut Frame<'_>, area: Rect, lines: Vec<Line<'_>>) {
    frame.render_widget(Paragraph::new(lines), area);
}

/// Program, pid, duration and rate, or the names of two files.
fn title(state: &State, theme: Theme, width: u16) -> Line<'static> {
    let names = match &state.other_name {
        Some(other) => format!("A {}  B {other}", state.name),
        None => state.name.clone(),
    };
    let facts = state.summary.as_ref().map_or_else(String::new, |summary| {
        let info = &summary.info;
        match summary.profile {
            Some(_) => format!(" · Spacetime profile · {}", format::duration_us(summary.end_us)),
            None => format!(
                " · pid {} · {} · {}",
                info.pid,
                format::duration_us(summary.end_us),
                UNITS.rate(info.sample_rate, f64::from(info.word_size) / 8.0)
            ),
        }
    });
    let room = usize::from(width).saturating_sub(12);
    let whole = format!("{names}{facts}");
    // Two names are more important than details of the first file.
    let rest = if state.other_name.is_some() && whole.chars().count() > room { names } else { whole };
    Line::from(vec![
        Span::styled("camlscope", theme.heading()),
        Span::raw(format!("  {}", cut_middle(&clean(&rest), room))),
    ])
}

fn tabs(state: &State, theme: Theme) -> Line<'static> {
    let tab = |(at, tab): (usize, Tab)| {
        let style = if tab == state.tab { theme.selected() } else { theme.plain() };
        [Span::styled(tab_words(at, tab), style), Span::raw(" ")]
    };
    Tab::ALL.into_iter().enumerate().flat_map(tab).collect::<Vec<_>>().into()
}

fn tab_words(at: usize, tab: Tab) -> String {
    format!(" {} {} ", at + 1, tab.title())
}

/// Returns the tab at a column.
pub fn tab_at(column: u16) -> Option<Tab> {
    let mut right = 0;
    Tab::ALL.into_iter().enumerate().find_map(|(at, tab)| {
        let left = right;
        right += tab_words(at, tab).chars().count() + 1;
        (left..right).contains(&usize::from(column)).then_some(tab)
    })
}

/// Describes the measure, the filter, and how much passes it.
fn sentence(app: &App, theme: Theme) -> Line<'static> {
    let state = &app.state;
    let view = &state.view;
    let filter = match view.filter.clauses.is_empty() {
        true => String::new(),
        false => format!("  {}", words::filter::filter(&view.filter)),
    };
    let left = match app.answers.ok(&requests::amounts(state)) {
        Some(Answer::Amounts(Amounts { unit, passing, whole, .. })) => {
            let share = if whole.value > 0.0 { passing.value / whole.value } else { 0.0 };
            let (passing, whole) = (UNITS.amount(*unit, passing.value), UNITS.amount(*unit, whole.value));
            format!("{passing} of {whole} ({})", format::percent(share))
        }
        _ => String::new(),
    };
    let shown = format!("{} by {}", words::measure::counted(view.measure), view.grain.as_str());
    let width = usize::from(app.size.width);
    let room = width.saturating_sub(left.chars().count() + 2);
    let room_of_filter = room.saturating_sub(shown.chars().count());
    let shown = format!("{shown}{}", cut_middle(&clean(&filter), room_of_filter));
    let shown = cut_middle(&shown, room).into_owned();
    let space = " ".repeat(width.saturating_sub(shown.chars().count() + left.chars().count()));
    Line::from(vec![Span::styled(shown, theme.heading()), Span::raw(space), Span::raw(left)])
}

/// Returns the input line, its error, or the keys.
fn last_line(state: &State, theme: Theme, width: u16) -> Line<'static> {
    let width = usize::from(width);
    if let Some(input) = &state.input {
        let name = match input.kind {
            InputKind::Filter => "filter",
            InputKind::Search => "search",
            InputKind::Threshold => "minimum samples",
        };
        let problem = state.problem.as_ref().map_or_else(String::new, |problem| format!("  {problem}"));
        let typed = format!("{name}: {}", clean(&input.text));
        let room = width.saturating_sub(typed.chars().count() + 1);
        let problem = cut_middle(&problem, room).into_owned();
        return Line::from(vec![
            Span::raw(typed),
            Span::styled("▏", theme.heading()),
            Span::styled(problem, theme.alarm()),
        ]);
    }
    if let Some(problem) = &state.problem {
        return Line::styled(cut_middle(problem, width).into_owned(), theme.alarm());
    }
    let mut common = "m measure  f filter  ? help  q quit";
    if state.tab.keys().chars().count() + 2 + common.chars().count() > width {
        common = "? help  q quit";
    }
    let room = width.saturating_sub(common.chars().count() + 2);
    let keys: String = state.tab.keys().chars().take(room).collect();
    Line::styled(format!("{keys:<room$}  {common}"), theme.faint())
}

/// Drawn in place of a missing response: that it's loading, or why there is none.
fn missing(app: &App, request: &Request, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let text = match app.answers.get(request) {
        Some(Err(error)) => {
            let UserError { text, advice, .. } = error.clone().into();
            format!("{text} {advice}")
        }
        Some(Ok(_)) => String::new(),
        None => "Loading…".to_owned(),
    };
    let style = theme.faint();
    let text = wrapped(&text, usize::from(area.width)).into_iter().map(|line| Line::styled(line, style));
    lines(frame, area, text.collect());
}
