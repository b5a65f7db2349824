//! Which sites grow, with their curves, and why the selected one is called what it is called.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::list::{self, Row};
use super::theme::Theme;
use super::{lines, missing};
use crate::format;
use crate::protocol::Answer;
use crate::query::leaks::{Site, Verdict};
use crate::terminal::app::App;
use crate::terminal::requests;
use crate::terminal::tab::Tab;
use crate::terminal::text::{coarser, sparkline, wrapped};

/// Characters of a curve.
const CURVE: usize = 16;

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let request = requests::leaks(&app.state);
    let Some(Answer::Leaks(leaks)) = app.answers.ok(&request) else {
        return missing(app, &request, theme, frame, area);
    };
    let width = usize::from(area.width);
    let selected = app.state.selected().min(leaks.sites.len().saturating_sub(1));
    let reason = leaks.sites.get(selected).map_or("", |site| site.reason.as_str());
    let conclusion = match app.state.is_provisional() {
        true => format!("Provisional: {}", leaks.conclusion.text),
        false => leaks.conclusion.text.clone(),
    };
    let mut words: Vec<Line<'_>> =
        wrapped(&conclusion, width).into_iter().map(|line| Line::styled(line, theme.heading())).collect();
    words.extend(wrapped(reason, width).into_iter().map(Line::raw));
    let rows = [Constraint::Min(2), Constraint::Length(Tab::Leaks.words_rows())];
    let [above, below] = Layout::vertical(rows).areas(area);
    let columns = [("verdict", 15), ("a second", 11), ("at the end", 10), ("live", CURVE), ("site", 0)];
    let page = list::page(selected, leaks.sites.len(), app.size.list_rows(Tab::Leaks));
    let first = page.start;
    let rows = leaks.sites[page].iter().map(|site| cells(site, theme)).collect();
    list::draw(&columns, rows, Some(selected - first), theme, frame, above);
    words.insert(0, Line::raw(""));
    lines(frame, below, words);
}

fn cells(site: &Site, theme: Theme) -> Row {
    let style = match site.verdict {
        Verdict::Growing => theme.alarm(),
        Verdict::TooFewSamples => theme.faint(),
        Verdict::Bounded | Verdict::StartUp | Verdict::Burst | Verdict::Kept | Verdict::BuildsUp => theme.plain(),
    };
    Row {
        cells: vec![
            (site.verdict.name().to_owned(), style),
            (format::bytes(site.growth_bytes_per_s), theme.plain()),
            (format::bytes(site.end_bytes), theme.plain()),
            (sparkline(&coarser(&site.sparkline, CURVE)), theme.bar()),
        ],
        name: site.name.clone(),
        file: list::place(&site.file, site.line),
    }
}
