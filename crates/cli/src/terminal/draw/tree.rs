//! The Tree screen: from an allocation site to its callers, or from main to the sites.

use ratatui::Frame;
use ratatui::layout::Rect;

use super::list::{self, Column, Row};
use super::missing;
use super::theme::Theme;
use crate::UNITS;
use crate::terminal::app::App;
use crate::terminal::requests;
use crate::terminal::tab::Tab;
use crate::terminal::tree::{self, TreeRow};
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::flame::Direction;
use camlscope_present::format;
use camlscope_present::layout::flame::title;

/// More columns, each with the width of the terminal that it needs.
const WIDE: [(u16, Column<'static>); 2] = [(100, ("±", 10)), (120, ("self", 12))];

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let request = requests::branches(&app.state, &[]);
    let Some(Answer::Branches(top)) = app.answers.ok(&request) else {
        return missing(app, &request, theme, frame, area);
    };
    let unit = app.state.view.measure.unit();
    let has_samples = !app.state.is_profile();
    let way = match &app.state.tree.direction {
        Direction::TopDown => "from main to sites".to_owned(),
        Direction::Inverted => "from sites to their callers".to_owned(),
        Direction::Callers(function) => format!("callers of {}", title(function)),
        Direction::Callees(function) => format!("callees of {}", title(function)),
    };
    let mut columns = vec![(unit.name(), 12)];
    if has_samples {
        columns.extend(list::wide(area.width, WIDE));
    }
    columns.push(("share", 6));
    if has_samples {
        columns.extend([("minor", 6), ("major", 6), ("samples", 8)]);
    }
    columns.push((way.as_str(), 0));
    let all = tree::rows(&app.state, &app.answers);
    let selected = app.state.selected().min(all.len().saturating_sub(1));
    let page = list::page(selected, all.len(), app.size.list_rows(Tab::Tree));
    let first = page.start;
    let rows = all[page].iter().map(|row| cells(app, row, top.total, columns.len(), theme)).collect();
    list::draw(&columns, rows, Some(selected - first), theme, frame, area);
}

fn cells(app: &App, row: &TreeRow, all: f64, n_columns: usize, theme: Theme) -> Row {
    let (path, branch, minor, is_open) = match row {
        TreeRow::Branch { path, branch, minor, is_open } => (path, branch, minor, *is_open),
        TreeRow::Below { n, depth } => {
            let least = app.state.tree.min_samples;
            return words(&format!("… {n} more (threshold {least})"), *depth, n_columns, theme);
        }
        TreeRow::Waiting { depth } => return words("loading…", *depth, n_columns, theme),
    };
    let unit = app.state.view.measure.unit();
    let share = |part: f64, whole: f64| if whole > 0.0 { format::percent(part / whole) } else { String::new() };
    let has_samples = !app.state.is_profile();
    let mut cells = vec![(UNITS.amount(unit, branch.total), theme.plain())];
    if has_samples {
        let error = branch.error.filter(|error| *error > 0.0);
        let error = error.map_or_else(String::new, |error| UNITS.amount(unit, error * branch.total));
        let values = [(error, theme.faint()), (UNITS.amount(unit, branch.own), theme.plain())];
        let wide = WIDE.into_iter().zip(values).map(|((least, _), value)| (least, value));
        cells.extend(list::wide(app.size.width, wide));
    }
    cells.push((share(branch.total, all), theme.bar()));
    if has_samples {
        let part = |of: fn(f64, f64) -> f64| {
            minor.map_or_else(String::new, |minor| share(of(minor, branch.total), branch.total))
        };
        cells.push((part(|minor, _| minor), theme.faint()));
        cells.push((part(|minor, total| (total - minor).max(0.0)), theme.faint()));
        cells.push((format::count(branch.samples), theme.faint()));
    }
    let mark = match (branch.has_children, is_open) {
        (false, _) => "· ",
        (true, true) => "▾ ",
        (true, false) => "▸ ",
    };
    let label = &branch.label;
    let name = format!("{}{mark}{}", indent(path.len() - 1), label.plain());
    Row { cells, name, file: list::place(&label.file, label.place.map(|place| place.line)) }
}

/// Returns a row without figures.
fn words(text: &str, depth: usize, n_columns: usize, theme: Theme) -> Row {
    let cells = vec![(String::new(), theme.plain()); n_columns - 1];
    Row { cells, name: format!("{}  {text}", indent(depth)), file: String::new() }
}

/// Indents one character per level, up to a limit that leaves room for names.
fn indent(depth: usize) -> String {
    const MOST: usize = 12;
    match depth.checked_sub(MOST) {
        None | Some(0) => " ".repeat(depth),
        Some(_) => format!("{depth:>MOST$}"),
    }
}
