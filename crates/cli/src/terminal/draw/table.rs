//! The Table screen: functions, sites, files or modules, with self and total.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::list::{self, Column, Row};
use super::missing;
use super::theme::Theme;
use crate::UNITS;
use crate::terminal::app::App;
use crate::terminal::requests;
use crate::terminal::tab::Tab;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{self, Order, Table};
use camlscope_present::format;

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let request = requests::table(&app.state, app.size);
    let Some(Answer::Table(table)) = app.answers.ok(&request) else {
        return missing(app, &request, theme, frame, area);
    };
    let columns = columns(app);
    let rows = table.rows.iter().map(|row| cells(app, table, row, theme)).collect();
    list::draw(&columns, rows, Some(app.state.selected() % app.size.list_rows(Tab::Table)), theme, frame, area);
}

/// More columns, each with the width of the terminal that it needs.
const WIDE: [(u16, Column<'static>); 4] =
    [(100, ("promoted", 10)), (115, ("lifetime", 10)), (130, ("samples", 10)), (150, ("blocks", 12))];

/// Returns the columns, with a marker on the one that rows are sorted by.
fn columns(app: &App) -> Vec<Column<'static>> {
    use table::Column as By;
    let sorted = |by: By, names: [&'static str; 3]| match app.state.order {
        Order { column, .. } if column != by => names[0],
        Order { descending: true, .. } => names[1],
        Order { .. } => names[2],
    };
    let mut columns = vec![
        (sorted(By::SelfBytes, ["self", "▾self", "▴self"]), 10),
        ("share", 6),
        (sorted(By::TotalBytes, ["total", "▾total", "▴total"]), 10),
        ("±", 10),
    ];
    if !app.state.is_profile() {
        columns.push((sorted(By::EndBytes, ["at end", "▾at end", "▴at end"]), 10));
        columns.extend(list::wide(app.size.width, WIDE));
    }
    columns.push((sorted(By::Name, ["name", "▾name", "▴name"]), 0));
    columns
}

fn cells(app: &App, table: &Table, row: &table::Row, theme: Theme) -> Row {
    let is_calls = app.state.view.measure == Measure::Calls;
    let amount = |bytes: f64, calls: Option<u64>| match calls.filter(|_| is_calls) {
        Some(calls) => format::count(calls),
        None => UNITS.bytes(bytes),
    };
    let share = if table.all_bytes > 0.0 { row.self_bytes / table.all_bytes } else { 0.0 };
    let error = row.error.filter(|error| *error > 0.0);
    let error = error.map_or_else(String::new, |error| UNITS.bytes(error * row.total_bytes));
    let mut cells = vec![
        (amount(row.self_bytes, row.self_calls), theme.plain()),
        (format::percent(share), theme.bar()),
        (amount(row.total_bytes, row.calls), theme.plain()),
        (error, theme.faint()),
    ];
    if !app.state.is_profile() {
        cells.push((UNITS.bytes(row.end_bytes), theme.plain()));
        let lifetime = row.mean_lifetime_us.map_or_else(String::new, |us| format::duration_us(us as u64));
        let values = [
            UNITS.bytes(row.promoted_bytes),
            lifetime,
            format::count(row.total_samples),
            format::count(row.blocks.round() as u64),
        ];
        let wide = WIDE.into_iter().zip(values).map(|((least, _), text)| (least, (text, theme.plain())));
        cells.extend(list::wide(app.size.width, wide));
    }
    Row { cells, name: row.label().plain(), file: list::place(&row.file, row.line) }
}
