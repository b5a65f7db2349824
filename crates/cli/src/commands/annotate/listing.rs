//! Annotated files as text: hot regions, or whole files.

use std::collections::BTreeSet;

use anstyle::Style;

use super::{About, Annotated, Args};
use crate::UNITS;
use crate::commands::text::{ERROR, FAINT, HEADING, PLAIN, WARNING, clean};
use camlscope_engine::query::label::plain;
use camlscope_engine::query::lines::{SourceFigures, SourceLine};
use camlscope_engine::query::table::has_few_samples;
use camlscope_present::format;
use camlscope_present::words::measure::{figure, margin};

/// Lines with at least this share of the total are hot.
const HOT: f64 = 0.01;
/// Figures of lines that allocate at least this share themselves are red.
const VERY_HOT: f64 = 0.1;
const TAB_WIDTH: usize = 8;
const COLUMNS: [&str; 5] = ["self", "total", "share", "±", "line"];

/// A row of the listing.
enum Row<'a> {
    Line {
        number: u32,
        figures: Option<&'a SourceFigures>,
        text: String,
    },
    /// Lines are left out here. The next one may belong to a function.
    Gap {
        function: Option<String>,
    },
}

pub fn listing(annotated: &Annotated, about: About, args: &Args, width: Option<usize>) -> String {
    let hot = hot_lines(annotated, about);
    let shown = shown_lines(annotated, &hot, args);
    let rows = rows(annotated, &shown);
    let SourceFigures { total, error, .. } = annotated.file.figures;
    let margin = margin(about.measure, total, error);
    let figure = figure(UNITS, about.measure, total, margin, Some(about.share(total)));
    let mut text = format!("{HEADING}{}: {figure}{HEADING:#}\n", annotated.shown_path());
    text.push_str(&render(&rows, about, width));
    let n_more = annotated.lines.lines.iter().filter(|line| !shown.contains(&line.line)).count();
    if n_more > 0 {
        let lines = if n_more == 1 { "line" } else { "lines" };
        text.push_str(&format!("{FAINT}{n_more} more {lines} below 1%. Use --all for the whole file.{FAINT:#}\n"));
    }
    text
}

/// Returns the lines with at least 1% of the total. If the file has none, all its lines with figures are hot.
fn hot_lines(annotated: &Annotated, about: About) -> Vec<&SourceLine> {
    let lines = || annotated.lines.lines.iter();
    let hot: Vec<&SourceLine> = lines().filter(|line| about.share(line.figures.total) >= HOT).collect();
    if hot.is_empty() { lines().collect() } else { hot }
}

/// Returns the numbers of the lines to print. Lines with figures past the end of the source are always there.
fn shown_lines(annotated: &Annotated, hot: &[&SourceLine], args: &Args) -> BTreeSet<u32> {
    let beyond = annotated.lines.lines.iter().filter(|line| annotated.is_beyond(line));
    let mut shown: BTreeSet<u32> = hot.iter().copied().chain(beyond).map(|line| line.line).collect();
    match annotated.n_lines() {
        None if args.all => shown.extend(annotated.lines.lines.iter().map(|line| line.line)),
        None => {}
        Some(n_lines) if args.all => shown.extend(1..=n_lines),
        Some(n_lines) => {
            let context = u32::try_from(args.context).unwrap_or(u32::MAX);
            for line in hot.iter().map(|line| line.line).filter(|&line| line <= n_lines) {
                shown.extend(line.saturating_sub(context).max(1)..=line.saturating_add(context).min(n_lines));
            }
        }
    }
    shown
}

fn rows<'a>(annotated: &'a Annotated, shown: &BTreeSet<u32>) -> Vec<Row<'a>> {
    let mut lines = annotated.lines.lines.iter().peekable();
    let mut rows = Vec::new();
    let mut last = 0;
    for &number in shown {
        while lines.next_if(|line| line.line < number).is_some() {}
        if number > last + 1 && annotated.source.is_some() {
            rows.push(Row::Gap { function: function_at(annotated, number) });
        }
        let figures = lines.next_if(|line| line.line == number).map(|line| &line.figures);
        let text = match (annotated.text(number), &annotated.source) {
            (Some(text), _) => expanded(text),
            (None, Some(_)) => "(past the end of the file)".to_owned(),
            (None, None) => String::new(),
        };
        rows.push(Row::Line { number, figures, text });
        last = number;
    }
    rows
}

/// Returns the innermost function that has locations before and after the line, or on it.
fn function_at(annotated: &Annotated, line: u32) -> Option<String> {
    let around =
        annotated.lines.functions.iter().filter(|function| (function.first_line..=function.last_line).contains(&line));
    around.min_by_key(|function| function.last_line - function.first_line).map(|function| plain(&function.name))
}

fn render(rows: &[Row<'_>], about: About, width: Option<usize>) -> String {
    let cells: Vec<([String; 5], Style)> = rows.iter().map(|row| cells(row, about)).collect();
    let mut widths = COLUMNS.map(|name| name.chars().count());
    for (cells, _) in &cells {
        widths.iter_mut().zip(cells).for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
    }
    // Only some measures have a margin.
    let has_margins = cells.iter().any(|(cells, _)| !cells[3].is_empty());
    let is_shown = |column: usize| column != 3 || has_margins;
    let shown: Vec<usize> = (0..COLUMNS.len()).filter(|&column| is_shown(column)).collect();
    let indent = shown.iter().map(|&column| widths[column] + 2).sum::<usize>();
    let line = |cells: [&str; 5], style: Style, faint: Style, code: &str| {
        let mut line = String::new();
        for &column in &shown {
            let style = if column == 4 { faint } else { style };
            line.push_str(&format!("{style}{:>1$}{style:#}  ", cells[column], widths[column]));
        }
        line.push_str(&cut(code, width.map(|width| width.saturating_sub(indent))));
        format!("{}\n", line.trim_end())
    };
    let mut text = line(COLUMNS, HEADING, HEADING, "");
    for ((cells, style), row) in cells.iter().zip(rows) {
        let code = match row {
            Row::Line { text, .. } => text.as_str(),
            Row::Gap { function } => function.as_deref().unwrap_or_default(),
        };
        text.push_str(&line(cells.each_ref().map(String::as_str), *style, FAINT, &clean(code)));
    }
    text
}

/// Returns the cells of a row, and the style of its figures.
fn cells(row: &Row<'_>, about: About) -> ([String; 5], Style) {
    let (number, figures) = match row {
        Row::Gap { .. } => return (["", "", "", "", "…"].map(str::to_owned), PLAIN),
        Row::Line { number, figures: None, .. } => {
            return (["", "", "", "", &number.to_string()].map(str::to_owned), PLAIN);
        }
        Row::Line { number, figures: Some(figures), .. } => (number, figures),
    };
    let SourceFigures { own, total, error, .. } = **figures;
    let margin = margin(about.measure, total, error);
    let or_empty = |value: f64| if value > 0.0 { about.amount(value) } else { String::new() };
    let cells =
        [or_empty(own), about.amount(total), format::percent(about.share(total)), or_empty(margin), number.to_string()];
    let share = about.share(own);
    let style = match share {
        _ if !about.is_profile && has_few_samples(figures.total_samples) => FAINT,
        VERY_HOT.. => ERROR,
        HOT.. => WARNING,
        _ => PLAIN,
    };
    (cells, style)
}

/// Replaces tabs with spaces.
fn expanded(text: &str) -> String {
    let mut expanded = String::new();
    let mut column = 0;
    for c in text.chars() {
        let n_spaces = TAB_WIDTH - column % TAB_WIDTH;
        if c == '\t' {
            expanded.extend(std::iter::repeat_n(' ', n_spaces));
            column += n_spaces;
        } else {
            expanded.push(c);
            column += 1;
        }
    }
    expanded
}

/// Shortens code at its end, because its start has the indentation.
fn cut(code: &str, width: Option<usize>) -> String {
    match width {
        Some(width) if code.chars().count() > width => {
            code.chars().take(width.saturating_sub(1)).chain(['…']).collect()
        }
        _ => code.to_owned(),
    }
}
