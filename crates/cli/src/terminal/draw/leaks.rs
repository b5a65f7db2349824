//! The Leaks screen: whether the heap grows, which functions cause it, and the share of the selected row.

use crate::UNITS;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::list::{self, Row};
use super::theme::Theme;
use super::{lines, missing};
use crate::terminal::app::App;
use crate::terminal::requests;
use crate::terminal::tab::Tab;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::growth::{SiteGrowth, Verdict};
use camlscope_present::terminal_text::{coarser, sparkline, wrapped};
use camlscope_present::words::growth;

/// The width of the bars.
const BARS: usize = 11;

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
    let columns =
        [("verdict", 9), ("growth", 10), ("share", 6), ("at the end", 10), ("never freed", BARS), ("site", 0)];
    let page = list::page(selected, growth.sites.len(), app.size.list_rows(Tab::Leaks));
    let first = page.start;
    let rows = growth.sites[page].iter().map(|site| cells(site, theme)).collect();
    list::draw(&columns, rows, Some(selected - first), theme, frame, above);
    text.insert(0, Line::raw(""));
    lines(frame, below, text);
}

fn cells(site: &SiteGrowth, theme: Theme) -> Row {
    let style = match site.verdict {
        Verdict::Growing => theme.alarm(),
        Verdict::Undecided(_) | Verdict::NothingAllocated => theme.faint(),
        Verdict::Stopped | Verdict::Level => theme.plain(),
    };
    let none = || "–".to_owned();
    Row {
        cells: vec![
            (site.verdict.as_str().to_owned(), style),
            (site.rate.map_or_else(none, |rate| format!("{}/s", UNITS.bytes(rate.bytes_per_s))), theme.plain()),
            (site.share.map_or_else(none, |share| format!("{:.1}%", share.value * 100.0)), theme.plain()),
            (UNITS.bytes(site.end_bytes), theme.plain()),
            (sparkline(&coarser(&site.bars, BARS)), theme.bar()),
        ],
        name: site.label().plain(),
        file: list::place(&site.file, site.line),
    }
}
