//! The Leaks screen: whether the heap grows, which functions cause it, and the share of the selected row.

use crate::UNITS;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::list::{self, Column, Row};
use super::theme::Theme;
use super::{lines, missing};
use crate::terminal::app::App;
use crate::terminal::requests;
use crate::terminal::state::State;
use crate::terminal::tab::Tab;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::growth::{SiteGrowth, Verdict};
use camlscope_present::format;
use camlscope_present::terminal_text::{coarser, sparkline, wrapped};
use camlscope_present::words::growth;

/// The width of the bars.
const BARS: usize = 11;
/// The width of terminals that have room for intervals.
const INTERVAL_WIDTH: u16 = 100;

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let request = requests::growth(&app.state);
    let Some(Answer::Growth(growth)) = app.answers.ok(&request) else {
        return missing(app, &request, theme, frame, area);
    };
    let width = usize::from(area.width);
    let selected = app.state.selected().min(growth.sites.len().saturating_sub(1));
    let headline = growth::headline(&growth.heap, UNITS);
    let conclusion = if app.state.is_provisional() { format!("Provisional: {headline}") } else { headline };
    let mut text: Vec<Line<'_>> =
        wrapped(&conclusion, width).into_iter().map(|line| Line::styled(line, theme.heading())).collect();
    if let Some(site) = growth.sites.get(selected) {
        let interval = site.rate.map_or_else(String::new, |rate| format!(" {},", growth::rate(Some(rate), UNITS)));
        let reason = format!("{}:{interval} {}", site.label().plain(), growth::reason(&growth.heap, site, UNITS));
        text.extend(wrapped(&reason, width).into_iter().map(Line::raw));
    }
    let rows = [Constraint::Min(2), Constraint::Length(Tab::Leaks.words_rows())];
    let [above, below] = Layout::vertical(rows).areas(area);
    let has_interval = area.width >= INTERVAL_WIDTH;
    let rate = if has_interval { ("growth (95% interval)", 24) } else { ("growth", 10) };
    let mut columns = vec![("verdict", 9), rate, ("share", 6), ("at the end", 10)];
    columns.extend(list::wide(area.width, wide_columns(&app.state)));
    columns.extend([("never freed", BARS), ("site", 0)]);
    let page = list::page(selected, growth.sites.len(), app.size.list_rows(Tab::Leaks));
    let first = page.start;
    let rows = growth.sites[page].iter().map(|site| cells(app, site, theme)).collect();
    list::draw(&columns, rows, Some(selected - first), theme, frame, above);
    text.insert(0, Line::raw(""));
    lines(frame, below, text);
}

/// Returns more columns, each with the width of the terminal that it needs. Profiles have no samples.
fn wide_columns(state: &State) -> impl Iterator<Item = (u16, Column<'static>)> {
    let columns = [(120, ("allocated", 10)), (135, ("samples", 10))];
    columns.into_iter().take(if state.is_profile() { 1 } else { 2 })
}

fn cells(app: &App, site: &SiteGrowth, theme: Theme) -> Row {
    let style = match site.verdict {
        Verdict::Growing => theme.alarm(),
        Verdict::Undecided(_) | Verdict::NothingAllocated => theme.faint(),
        Verdict::Stopped | Verdict::Level => theme.plain(),
    };
    let none = || "–".to_owned();
    let width = app.size.width;
    let rate = site.rate.map_or_else(none, |rate| match width >= INTERVAL_WIDTH {
        true => growth::rate(Some(rate), UNITS),
        false => format!("{}/s", UNITS.bytes(rate.bytes_per_s)),
    });
    let mut cells = vec![
        (site.verdict.as_str().to_owned(), style),
        (rate, theme.plain()),
        (site.share.map_or_else(none, |share| format!("{:.1}%", share.value * 100.0)), theme.plain()),
        (UNITS.bytes(site.end_bytes), theme.plain()),
    ];
    let values = [UNITS.bytes(site.allocated_bytes), format::count(site.samples)];
    let wide = wide_columns(&app.state).zip(values).map(|((least, _), text)| (least, (text, theme.plain())));
    cells.extend(list::wide(width, wide));
    cells.push((sparkline(&coarser(&site.bars, BARS)), theme.bar()));
    Row { cells, name: site.label().plain(), file: list::place(&site.file, site.line) }
}
