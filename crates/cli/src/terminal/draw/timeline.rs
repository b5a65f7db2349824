//! The Timeline screen: live bytes over time in layers, with a cursor and a time range.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::braille::{sample, stacked};
use super::theme::Theme;
use super::{lines, missing};
use crate::UNITS;
use crate::terminal::app::App;
use crate::terminal::requests;
use crate::terminal::size::GUTTER;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::filter::When;
use camlscope_engine::query::timeline::Timeline;
use camlscope_present::format;
use camlscope_present::terminal_text::{clean, cut_middle};

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let request = requests::timeline(&app.state, app.size);
    let Some(Answer::Timeline(timeline)) = app.answers.ok(&request) else {
        return missing(app, &request, theme, frame, area);
    };
    let legend = legend(app, timeline, theme);
    let plot_rows = usize::from(area.height).saturating_sub(2 + legend.len()).max(3);
    let mut text = plot(app, timeline, plot_rows, theme);
    text.push(axis(app, theme));
    text.push(times(app, theme));
    text.extend(legend);
    lines(frame, area, text);
}

fn plot(app: &App, timeline: &Timeline, rows: usize, theme: Theme) -> Vec<Line<'static>> {
    let width = app.size.plot_width();
    let whole = [timeline.live_last.as_slice()];
    let series: Vec<&[f64]> = timeline.series.iter().map(|series| series.live_last.as_slice()).collect();
    let layers: &[&[f64]] = if series.is_empty() { &whole } else { &series };
    let max = timeline.live_max.iter().copied().fold(0.0, f64::max);
    let cursor = column(app, app.state.cursor_us());
    let cells = stacked(layers, max, width, rows);
    let line = |(row, cells): (usize, Vec<super::braille::Cell>)| {
        let amount = match row {
            0 => UNITS.bytes(max),
            _ if row + 1 == rows => "0".to_owned(),
            _ => String::new(),
        };
        let mut spans = vec![Span::styled(format!("{amount:>10} "), theme.faint())];
        spans.extend(cells.into_iter().enumerate().map(|(at, cell)| {
            let style = cell.layer.map_or(theme.plain(), |layer| theme.layer(layer));
            let style = if Some(at) == cursor { style.patch(theme.selected()) } else { style };
            Span::styled(cell.symbol.to_string(), style)
        }));
        Line::from(spans)
    };
    cells.into_iter().enumerate().map(line).collect()
}

/// Returns the column of a time, or `None` if it isn't visible.
fn column(app: &App, time_us: u64) -> Option<usize> {
    let [from, to] = app.state.timeline.window(app.state.end_us());
    (from..=to).contains(&time_us).then(|| column_within(app, time_us))
}

/// Returns the column of a time, or of the nearest edge.
fn column_within(app: &App, time_us: u64) -> usize {
    let [from, to] = app.state.timeline.window(app.state.end_us());
    let width = app.size.plot_width();
    let share = time_us.saturating_sub(from) as f64 / (to - from).max(1) as f64;
    ((share * width as f64) as usize).min(width - 1)
}

/// Draws the range between brackets, the compared times as letters, and the cursor.
fn axis(app: &App, theme: Theme) -> Line<'static> {
    let mut marks = vec!['─'; app.size.plot_width()];
    if let Some([from, to]) = app.state.timeline.range {
        let (from, to) = (from.min(to), from.max(to));
        let [seen_from, seen_to] = app.state.timeline.window(app.state.end_us());
        if from <= seen_to && to >= seen_from {
            marks[column_within(app, from)..=column_within(app, to)].fill('═');
        }
        for (end, mark) in [(from, '['), (to, ']')] {
            put(&mut marks, column(app, end), mark);
        }
    }
    // With two files, the comparison is of these and not of two times.
    let compared = ['A', 'B'].into_iter().zip(app.state.times()).filter(|_| app.state.other.is_none());
    for (letter, time) in compared {
        if let When::At(us) = time {
            put(&mut marks, column(app, us), letter);
        }
    }
    put(&mut marks, column(app, app.state.cursor_us()), '▲');
    let axis: String = marks.into_iter().collect();
    Line::from(vec![Span::raw(" ".repeat(usize::from(GUTTER))), Span::styled(axis, theme.faint())])
}

fn put(marks: &mut [char], column: Option<usize>, mark: char) {
    if let Some(column) = column {
        marks[column] = mark;
    }
}

/// Shows the times of both ends, with the cursor and the range between them.
fn times(app: &App, theme: Theme) -> Line<'static> {
    let state = &app.state;
    let range = state.timeline.range.map_or_else(String::new, |[from, to]| {
        format!("  range {} – {}", format::elapsed_us(from.min(to)), format::elapsed_us(from.max(to)))
    });
    let zoom = if state.timeline.zoom.is_some() { "  0 shows all" } else { "" };
    let peak = if state.cursor() == When::Peak { " (peak)" } else { "" };
    let middle = format!("at {}{peak}{range}{zoom}", format::elapsed_us(state.cursor_us()));
    let [start, end] = state.timeline.window(state.end_us()).map(format::elapsed_us);
    let width = app.size.plot_width();
    let room = width.saturating_sub(start.chars().count() + end.chars().count() + 2);
    let middle = cut_middle(&middle, room).into_owned();
    let text = format!("{:gutter$}{start} {middle:^room$} {end}", "", gutter = usize::from(GUTTER));
    Line::styled(text, theme.faint())
}

/// Lists each layer with its pattern, name and amount at the cursor. The largest is last, because it's drawn at the
/// bottom.
fn legend(app: &App, timeline: &Timeline, theme: Theme) -> Vec<Line<'static>> {
    let point = match app.answers.ok(&requests::point(&app.state, timeline)) {
        Some(Answer::Point(point)) => Some(point),
        _ => None,
    };
    let amount =
        |bytes: Option<f64>| format!("{:>10} ", bytes.map_or_else(|| "…".to_owned(), |bytes| UNITS.bytes(bytes)));
    let whole = Line::from(vec![
        Span::styled(amount(point.map(|point| point.total)), theme.heading()),
        Span::styled(format!("live by {}", app.state.timeline.by.as_str()), theme.heading()),
    ]);
    let room = app.size.plot_width().saturating_sub(3);
    let names = timeline.series_names();
    let layer = |layer: usize| {
        let bytes = point.and_then(|point| point.series.get(layer)).map(|(_, amount)| *amount);
        Line::from(vec![
            Span::raw(amount(bytes)),
            Span::styled(format!("{0}{0} ", sample(layer)), theme.layer(layer)),
            Span::raw(cut_middle(&clean(&names[layer]), room).into_owned()),
        ])
    };
    [whole].into_iter().chain((0..timeline.series.len()).map(layer)).collect()
}
