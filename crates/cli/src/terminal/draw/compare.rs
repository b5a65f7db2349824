//! The Compare screen: what changed between two times or two files, and whether it's significant.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::Line;

use super::list::{self, Row};
use super::theme::Theme;
use super::{lines, missing};
use crate::UNITS;
use crate::terminal::app::App;
use crate::terminal::requests;
use crate::terminal::tab::Tab;
use camlscope_engine::protocol::Answer;
use camlscope_engine::query::compare::{Change, Comparison, Verdict};
use camlscope_engine::query::tree::Label;
use camlscope_present::format;
use camlscope_present::terminal_text::wrapped;
use camlscope_present::words::compare::rates_warning;

pub fn draw(app: &App, theme: Theme, frame: &mut Frame<'_>, area: Rect) {
    let [above, below] =
        Layout::vertical([Constraint::Min(2), Constraint::Length(Tab::Compare.words_rows())]).areas(area);
    let request = requests::comparison(&app.state);
    let Some(Answer::Compare(comparison)) = app.answers.ok(&request) else {
        return missing(app, &request, theme, frame, area);
    };
    let mut columns = vec![("before", 11), ("after", 11), ("change", 12)];
    columns.extend(list::wide(area.width, [(100, ("±", 10)), (120, ("ratio", 8))]));
    columns.extend([("verdict", 12), ("name", 0)]);
    let n_rows = comparison.rows.len();
    let selected = app.state.selected().min(n_rows.saturating_sub(1));
    let page = list::page(selected, n_rows, app.size.list_rows(Tab::Compare));
    let first = page.start;
    let row =
        |row: &camlscope_engine::query::compare::Row| cells(comparison, &row.change, &row.label, area.width, theme);
    let rows = comparison.rows[page].iter().map(row).collect();
    list::draw(&columns, rows, Some(selected - first), theme, frame, above);
    let words = wrapped(&conclusion(app, comparison), usize::from(area.width)).into_iter();
    let words = words.map(|line| Line::styled(line, theme.heading()));
    lines(frame, below, [Line::raw("")].into_iter().chain(words).collect());
}

fn conclusion(app: &App, comparison: &Comparison) -> String {
    let [before, after] = match app.state.both_names() {
        Some(names) => names.map(str::to_owned),
        None => {
            let [before, after] = app.state.time_words();
            [format!("live at {before}"), format!("at {after}")]
        }
    };
    let Change { before: was, after: is, verdict, .. } = comparison.all;
    let (was, is) = (UNITS.amount(comparison.unit, was), UNITS.amount(comparison.unit, is));
    let (verdict, n_changed, n_rows) = (verdict.as_str(), comparison.n_changed, comparison.n_rows);
    let warning = app.state.both_rates().and_then(|[before, after]| rates_warning(before, after));
    let warning = warning.map_or_else(String::new, |warning| format!(" {warning}"));
    format!("{before}: {was}, {after}: {is}, {verdict}. {n_changed} of {n_rows} rows changed significantly.{warning}")
}

fn cells(comparison: &Comparison, change: &Change, label: &Label, width: u16, theme: Theme) -> Row {
    let unit = comparison.unit;
    let style = match change.verdict {
        Verdict::New | Verdict::Grew => theme.alarm(),
        Verdict::Gone | Verdict::Shrank => theme.good(),
        Verdict::Same | Verdict::Unchanged | Verdict::TooFewSamples => theme.faint(),
    };
    let verdict = match change.verdict {
        Verdict::Same => "no change",
        Verdict::TooFewSamples => "few samples",
        verdict => verdict.as_str(),
    };
    let sign = if change.change < 0.0 { "−" } else { "+" };
    let mut cells = vec![
        (UNITS.amount(unit, change.before), theme.plain()),
        (UNITS.amount(unit, change.after), theme.plain()),
        (format!("{sign}{}", UNITS.amount(unit, change.change.abs())), style),
    ];
    let error = if change.error > 0.0 { UNITS.amount(unit, change.error) } else { String::new() };
    let ratio = if change.before > 0.0 && change.after > 0.0 {
        format!("{}×", format::decimal(change.after / change.before))
    } else {
        String::new()
    };
    cells.extend(list::wide(width, [(100, (error, theme.faint())), (120, (ratio, theme.plain()))]));
    cells.push((verdict.to_owned(), style));
    Row { cells, name: label.plain(), file: list::place(&label.file, label.place.map(|place| place.line)) }
}
