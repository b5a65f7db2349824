//! Draws the UI, as a pure function of its state. Everything consists of lines that are truncated to their width.

mod braille;
mod compare;
mod completion;
pub mod flame;
mod follow;
mod help;
mod histograms;
mod leaks;
mod list;
mod loading;
mod source;
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
    let theme = Theme { colors: app.colors };
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        return lines(frame, area, vec![Line::raw("terminal too small")]);
    }
    let rows = [Constraint::Length(HEAD_ROWS), Constraint::Min(1), Constraint::Length(app.size.foot_rows)];
    let [head, body, foot] = Layout::vertical(rows).areas(area);
    let tabs = tabs(area.width, app.state.tab, theme);
    lines(frame, head, vec![title(&app.state, theme, area.width), tabs, sentence(app, theme)]);
    let about_file = app.state.follow.as_ref().map(|follow| follow::line(follow, theme, area.width));
    lines(frame, foot, about_file.into_iter().chain([last_line(app, theme, area.width)]).collect());
    if app.state.is_help {
        return help::draw(&app.state, theme, frame, body);
    }
    if app.state.load.is_some() || app.state.summary.is_none() {
        return loading::draw(app, theme, frame, body);
    }
    if let Some(source) = &app.state.source {
        source::draw(app, source, theme, frame, body);
        return completion::draw(app, theme, frame, body);
    }
    match app.state.tab {
        Tab::Summary => summary::draw(app, theme, frame, body),
        Tab::Timeline => timeline::draw(app, theme, frame, body),
        Tab::Table => table::draw(app, theme, frame, body),
        Tab::Tree => tree::draw(app, theme, frame, body),
        Tab::Flame => flame::draw(app, theme, frame, body),
        Tab::Histograms => histograms::draw(app, theme, frame, body),
        Tab::Leaks => leaks::draw(app, theme, frame, body),
        Tab::Compare => compare::draw(app, theme, frame, body),
    }
    completion::draw(app, theme, frame, body);
}

fn lines(frame: &mut Frame<'_>, area: Rect, lines: Vec<Line<'_>>) {
    frame.render_widget(Paragraph::new(lines), area);
}

/// Program, pid, duration and rate, or the names of two files. The name of the file that is shown is underlined.
fn title(state: &State, theme: Theme, width: u16) -> Line<'static> {
    let program = Span::styled("camlscope", theme.heading());
    let room = usize::from(width).saturating_sub(12);
    if let Some(names) = state.both_names() {
        let key = if state.tab == Tab::Compare { "" } else { "  o shows the other" };
        let room = room.saturating_sub(6 + key.len()) / 2;
        let shown = if state.tab == Tab::Compare { None } else { Some(state.slot as usize) };
        let file = |(at, name): (usize, &str)| {
            let style = if shown == Some(at) { theme.outlined() } else { theme.plain() };
            [Span::raw(["  A ", "  B "][at]), Span::styled(cut_middle(&clean(name), room).into_owned(), style)]
        };
        let files = names.into_iter().enumerate().flat_map(file);
        let key = [Span::styled(key, theme.faint())];
        return [program].into_iter().chain(files).chain(key).collect::<Vec<_>>().into();
    }
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
    let whole = format!("{}{facts}", state.name);
    Line::from(vec![program, Span::raw(format!("  {}", cut_middle(&clean(&whole), room)))])
}

fn tabs(width: u16, open: Tab, theme: Theme) -> Line<'static> {
    let tab = |(tab, words): (Tab, String)| {
        let style = if tab == open { theme.selected() } else { theme.plain() };
        [Span::styled(words, style), Span::raw(" ")]
    };
    tab_words(width, open).into_iter().flat_map(tab).collect::<Vec<_>>().into()
}

/// Returns the tabs with their texts: with space around them, without, or only the number of those that aren't open,
/// whatever fits.
fn tab_words(width: u16, open: Tab) -> Vec<(Tab, String)> {
    let written = |words: &dyn Fn(usize, Tab) -> String| -> Vec<(Tab, String)> {
        (1..).zip(Tab::ALL).map(|(n, tab)| (tab, words(n, tab))).collect()
    };
    let spacious = written(&|n, tab| format!(" {n} {} ", tab.title()));
    let plain = written(&|n, tab| format!("{n} {}", tab.title()));
    let short = written(&|n, tab| if tab == open { format!("{n} {}", tab.title()) } else { n.to_string() });
    let n_columns = |tabs: &[(Tab, String)]| tabs.iter().map(|(_, words)| words.chars().count() + 1).sum::<usize>();
    let fits = |tabs: &Vec<(Tab, String)>| n_columns(tabs) <= usize::from(width) + 1;
    [spacious, plain].into_iter().find(fits).unwrap_or(short)
}

/// Returns the tab at a column.
pub fn tab_at(width: u16, open: Tab, column: u16) -> Option<Tab> {
    let mut right = 0;
    tab_words(width, open).into_iter().find_map(|(tab, words)| {
        let left = right;
        right += words.chars().count() + 1;
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
fn last_line(app: &App, theme: Theme, width: u16) -> Line<'static> {
    let (state, width) = (&app.state, usize::from(width));
    if let Some(input) = &state.input {
        let name = match input.kind {
            InputKind::Filter => "filter",
            InputKind::Search => "search",
            InputKind::Threshold => "minimum samples",
        };
        let problem = state.problem.as_ref().map_or_else(String::new, |problem| format!("  {problem}"));
        // If the line is too long, its end stays visible.
        let room = width.saturating_sub(name.len() + 3);
        let hidden = input.text.chars().count().saturating_sub(room);
        let typed = format!("{name}: {}", clean(&input.text.chars().skip(hidden).collect::<String>()));
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
    let search = active_search(app);
    let keys = match search.is_empty() {
        true => keys(app),
        false => format!("  Esc clears it  {}", keys(app)),
    };
    let search = cut_middle(&search, width / 2).into_owned();
    let width = width.saturating_sub(search.chars().count());
    let mut common = "m measure  f filter  ? help  q quit";
    if keys.chars().count() + 2 + common.chars().count() > width {
        common = "? help  q quit";
    }
    let room = width.saturating_sub(common.chars().count() + 2);
    let keys: String = keys.chars().take(room).collect();
    let keys = Span::styled(format!("{keys:<room$}  {common}"), theme.faint());
    Line::from(vec![Span::styled(search, theme.heading()), keys])
}

/// Returns the keys specific to the screen.
fn keys(app: &App) -> String {
    let keys = app.state.tab.keys();
    match app.state.source {
        Some(_) => source::KEYS.to_owned(),
        None if app.is_source_on_enter() => {
            keys.replace("⏎ callers  v source", "⏎ source  → callers").replace("v source", "⏎ source")
        }
        None => keys.to_owned(),
    }
}

/// Describes the search whose matches the screen shows. Empty if there is none.
fn active_search(app: &App) -> String {
    let state = &app.state;
    if state.search.is_empty() || !state.tab.has_search() || state.source.is_some() {
        return String::new();
    }
    let search = format!("search: {}", clean(&state.search));
    match (state.tab, requests::find(state).and_then(|request| app.answers.ok(&request))) {
        (Tab::Flame, Some(Answer::Find(found))) if found.samples == 0 => format!("{search}, no match"),
        (Tab::Flame, Some(Answer::Find(found))) => {
            let matched = format::percent_with_margin(found.percent / 100.0, found.percent_error / 100.0);
            format!("{search}, matched {matched}")
        }
        _ => search,
    }
}

/// Says why there is nothing to draw, and which key shows something else.
fn nothing(state: &State) -> &'static str {
    match &state.summary {
        Some(summary) if summary.profile.is_none() && summary.samples.total == 0 => "No allocations were sampled.",
        _ if !state.view.filter.clauses.is_empty() => "Nothing passes the filter. c clears it.",
        _ => "No data for this measure. m shows another one.",
    }
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
