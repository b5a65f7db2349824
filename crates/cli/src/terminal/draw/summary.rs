//! The Summary screen: findings, then facts, with the same text as `camlscope summary`. Findings can be selected. Below
//! the last one, the arrow keys scroll, so that everything is accessible on a small screen.

use crate::UNITS;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::theme::Theme;
use super::{lines, missing};
use crate::terminal::app::App;
use crate::terminal::colors::Colors;
use crate::terminal::requests;
use crate::terminal::size::HEAD_ROWS;
use crate::terminal::state::State;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::findings::Finding;
use camlscope_engine::query::summary::Summary;
use camlscope_present::facts::facts;
use camlscope_present::terminal_text::{clean, wrapped};
use camlscope_present::words;

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let Some(Answer::Summary(summary)) = app.answers.ok(&requests::summary(&app.state)) else {
        return missing(app, &requests::summary(&app.state), theme, frame, area);
    };
    let all = all_lines(app, summary, theme);
    let (first, shown, n) = (first_line(app, &all), shown_lines(app, all.len()), all.len());
    let mut text: Vec<Line<'static>> = all.into_iter().skip(first).take(shown).map(|(_, line)| line).collect();
    match n.saturating_sub(first + shown) {
        0 => {}
        1 => text.push(Line::styled("↓ 1 more line", theme.faint())),
        n => text.push(Line::styled(format!("↓ {n} more lines"), theme.faint())),
    }
    lines(frame, area, text);
}

/// Returns the number of rows to move through: the findings, then the lines that don't fit.
pub fn n_rows(app: &App) -> usize {
    let Some(Answer::Summary(summary)) = app.answers.ok(&requests::summary(&app.state)) else { return 0 };
    let n_lines = all_lines(app, summary, Theme { colors: Colors::None }).len();
    n_findings(app).max(1) + n_lines - shown_lines(app, n_lines)
}

/// Returns the finding in a row of the terminal.
pub fn finding_at(app: &App, row: u16) -> Option<usize> {
    let Some(Answer::Summary(summary)) = app.answers.ok(&requests::summary(&app.state)) else { return None };
    let all = all_lines(app, summary, Theme { colors: Colors::None });
    all.get(first_line(app, &all) + usize::from(row.checked_sub(HEAD_ROWS)?))?.0
}

pub fn selected_finding(app: &App) -> Option<usize> {
    Some(app.state.selected().min(n_findings(app).checked_sub(1)?))
}

fn n_findings(app: &App) -> usize {
    findings(app).len()
}

/// Returns none for a program that has only begun, since advice on too few samples would be premature.
fn findings(app: &App) -> &[Finding] {
    match app.answers.ok(&requests::findings(&app.state)) {
        Some(Answer::Findings(findings)) if !has_only_begun(&app.state) => findings,
        _ => &[],
    }
}

fn has_only_begun(state: &State) -> bool {
    state.is_provisional() && state.summary.as_ref().is_some_and(|summary| summary.samples.total == 0)
}

/// Returns the number of visible lines. If not all fit, the last row shows how many follow.
fn shown_lines(app: &App, n_lines: usize) -> usize {
    let height = app.size.body_rows();
    if n_lines <= height { n_lines } else { height - 1 }
}

/// Returns the line at the top. It depends on how far the user scrolled beyond the findings, and keeps the selected one
/// visible.
fn first_line(app: &App, all: &[(Option<usize>, Line<'static>)]) -> usize {
    let shown = shown_lines(app, all.len());
    let scrolled = (app.state.selected() + 1).saturating_sub(n_findings(app).max(1));
    let selected = all.iter().rposition(|(finding, _)| finding.is_some() && *finding == selected_finding(app));
    let to_see_it = selected.map_or(0, |at| (at + 1).saturating_sub(shown));
    scrolled.max(to_see_it).min(all.len() - shown)
}

/// Returns all lines, each with its finding.
fn all_lines(app: &App, summary: &Summary, theme: Theme) -> Vec<(Option<usize>, Line<'static>)> {
    let width = usize::from(app.size.width);
    let mut all: Vec<(Option<usize>, Line<'static>)> = Vec::new();
    for (at, finding) in findings(app).iter().enumerate() {
        let style = if Some(at) == selected_finding(app) { theme.selected() } else { theme.plain() };
        all.extend(headline(finding, width).into_iter().map(|line| (Some(at), Line::styled(line, style))));
    }
    let mut rest: Vec<Line<'static>> = Vec::new();
    if has_only_begun(&app.state) {
        rest.extend([Line::raw("No samples yet."), Line::raw("")]);
    }
    if !all.is_empty() && app.state.is_provisional() {
        rest.push(Line::raw("  Provisional: the trace may still grow."));
    }
    if !all.is_empty() {
        rest.push(Line::raw(""));
    }
    for warning in &summary.warnings {
        rest.extend(
            wrapped(&words::warnings::text(warning, UNITS), width)
                .into_iter()
                .map(|line| Line::styled(line, theme.alarm())),
        );
    }
    if !summary.warnings.is_empty() {
        rest.push(Line::raw(""));
    }
    // Figures come before the facts about the file, because most users look for these.
    let facts = facts(summary, UNITS);
    let mut groups: Vec<_> = facts.split(|(name, _)| name.is_empty()).collect();
    groups.rotate_left(1);
    let room = app.size.body_rows().saturating_sub(all.len() + rest.len());
    rest.extend(fact_lines(&groups.concat(), width, room, theme));
    all.extend(rest.into_iter().map(|line| (None, line)));
    all
}

fn headline(finding: &Finding, width: usize) -> Vec<String> {
    let lines = wrapped(&words::findings::headline(finding, UNITS), width.saturating_sub(2)).into_iter().enumerate();
    lines.map(|(n, line)| format!("{} {line}", if n == 0 { "•" } else { " " })).collect()
}

/// The width of a fact's name.
const NAME: usize = 20;

/// Uses as many columns as needed to show all facts, if each value fits into one. Otherwise lists them in one column.
fn fact_lines(facts: &[(&str, String)], width: usize, height: usize, theme: Theme) -> Vec<Line<'static>> {
    let longest = facts.iter().map(|(_, value)| value.chars().count()).max().unwrap_or(0);
    let n_columns = facts.len().div_ceil(height.max(1)).max(1);
    if n_columns == 1 || width / n_columns < NAME + longest + 2 {
        return facts.iter().flat_map(|fact| fact_in_lines(fact, width, theme)).collect();
    }
    let n_lines = facts.len().div_ceil(n_columns);
    let room = (width / n_columns).saturating_sub(NAME + 1);
    let cell = |(name, value): &(&str, String)| {
        [Span::styled(format!("{name:<NAME$}"), theme.faint()), Span::raw(format!("{:<room$} ", clean(value)))]
    };
    let line = |at: usize| {
        let cells = (0..n_columns).filter_map(|column| facts.get(column * n_lines + at));
        Line::from(cells.flat_map(cell).collect::<Vec<_>>())
    };
    (0..n_lines).map(line).collect()
}

/// Wraps the value over as many lines as it needs.
fn fact_in_lines((name, value): &(&str, String), width: usize, theme: Theme) -> Vec<Line<'static>> {
    let room = width.saturating_sub(NAME).max(1);
    let line = |(n, value): (usize, String)| {
        let name = if n == 0 { *name } else { "" };
        Line::from(vec![Span::styled(format!("{name:<NAME$}"), theme.faint()), Span::raw(value)])
    };
    wrapped(value, room).into_iter().enumerate().map(line).collect()
}
