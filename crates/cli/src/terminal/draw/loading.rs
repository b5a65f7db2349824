//! The loading screen: progress, and what is known so far.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::braille::stacked;
use super::lines;
use super::theme::Theme;
use crate::UNITS;
use crate::terminal::app::App;
use camlscope_engine::protocol::{Progress, SoFar};
use camlscope_engine::query::label::plain;
use camlscope_present::format;
use camlscope_present::terminal_text::{bar, clean, coarser, cut_middle, wrapped};

/// The height of the curve, in rows.
const CURVE_ROWS: usize = 6;

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let Some(load) = &app.state.load else {
        let words = format!("Waiting for {}: no data yet.", app.state.name);
        let words = wrapped(&words, usize::from(area.width)).into_iter().map(Line::raw);
        return lines(frame, area, words.collect());
    };
    let width = usize::from(area.width);
    let mut text = vec![Line::raw(format!("Reading {}", clean(&load.name))), progress(&load.progress, width, theme)];
    if let Some(so_far) = &load.so_far {
        text.push(Line::raw(""));
        text.extend(known(so_far, width, theme));
    }
    lines(frame, area, text);
}

fn progress(progress: &Progress, width: usize, theme: Theme) -> Line<'static> {
    let events = format!("{} events", format::count(progress.events));
    let read = UNITS.bytes(progress.bytes_read as f64);
    match progress.bytes_total.filter(|total| *total > 0) {
        None => Line::raw(format!("{read}, {events}")),
        Some(total) => {
            let share = progress.bytes_read as f64 / total as f64;
            let words = format!(" {} of {}, {events}", format::percent(share), UNITS.bytes(total as f64));
            let room = width.saturating_sub(words.chars().count() + 1).min(40);
            let drawn = bar(share, room);
            Line::from(vec![Span::styled(format!("{drawn:<room$}"), theme.bar()), Span::raw(words)])
        }
    }
}

/// Draws live bytes over time and the largest functions.
fn known(so_far: &SoFar, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let values = coarser(&so_far.live, 2 * width);
    let max = values.iter().copied().fold(0.0, f64::max);
    let rows = stacked(&[&values], max, width.min(values.len().div_ceil(2)), CURVE_ROWS);
    let curve = rows
        .into_iter()
        .map(|row| Line::styled(row.into_iter().map(|cell| cell.symbol).collect::<String>(), theme.bar()));
    let heading = format!("live so far: up to {} in {}", UNITS.bytes(max), format::elapsed_us(so_far.end_us));
    let holder = |(name, bytes): &(String, f64)| {
        let name = plain(name);
        let name = clean(&name);
        Line::raw(format!("{:>10} {}", UNITS.bytes(*bytes), cut_middle(&name, width.saturating_sub(11))))
    };
    let heading = Line::styled(heading, theme.heading());
    [heading].into_iter().chain(curve).chain(so_far.holders.iter().map(holder)).collect()
}
