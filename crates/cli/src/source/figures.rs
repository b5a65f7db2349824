//! The figures of source lines as cells of a listing, for `annotate` and the terminal UI.

use crate::UNITS;
use camlscope_engine::query::label::plain;
use camlscope_engine::query::lines::{FileLines, SourceFigures, SourceLine};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::has_few_samples;
use camlscope_present::format;
use camlscope_present::layout::source::{HOT, VERY_HOT};
pub use camlscope_present::words::measure::margin;

const TAB_WIDTH: usize = 8;

pub const COLUMNS: [&str; 5] = ["self", "total", "share", "±", "line"];
/// The column that only some measures have.
pub const MARGIN: usize = 3;
/// The column of line numbers.
pub const LINE: usize = 4;

/// What figures are about.
#[derive(Clone, Copy, Debug)]
pub struct About {
    pub measure: Measure,
    /// The total of the selection, in the unit of the measure.
    pub all: f64,
    pub is_profile: bool,
}

/// How much a line allocates itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heat {
    /// There are too few samples for more than a rough estimate.
    FewSamples,
    Low,
    Hot,
    VeryHot,
}

impl About {
    pub fn share(&self, value: f64) -> f64 {
        if self.all > 0.0 { value / self.all } else { 0.0 }
    }

    /// `12.3 MiB`
    pub fn amount(&self, value: f64) -> String {
        UNITS.amount(self.measure.unit(), value)
    }

    /// Returns the cells of a line, in the order of [`COLUMNS`].
    pub fn cells(&self, line: u32, figures: Option<&SourceFigures>) -> [String; 5] {
        let Some(&SourceFigures { own, total, error, .. }) = figures else {
            return ["", "", "", "", &line.to_string()].map(str::to_owned);
        };
        let or_empty = |value: f64| if value > 0.0 { self.amount(value) } else { String::new() };
        let margin = margin(self.measure, total, error);
        [or_empty(own), self.amount(total), format::percent(self.share(total)), or_empty(margin), line.to_string()]
    }

    pub fn heat(&self, figures: &SourceFigures) -> Heat {
        match self.share(figures.own) {
            _ if !self.is_profile && has_few_samples(figures.total_samples) => Heat::FewSamples,
            VERY_HOT.. => Heat::VeryHot,
            HOT.. => Heat::Hot,
            _ => Heat::Low,
        }
    }

    /// Returns the lines with at least 1% of the total. If the file has none, all its lines with figures are hot.
    pub fn hot_lines<'a>(&self, lines: &'a [SourceLine]) -> Vec<&'a SourceLine> {
        let hot: Vec<&SourceLine> = lines.iter().filter(|line| self.share(line.figures.total) >= HOT).collect();
        if hot.is_empty() { lines.iter().collect() } else { hot }
    }
}

/// Returns the innermost function that has locations before and after the line, or on it.
pub fn function_at(lines: &FileLines, line: u32) -> Option<String> {
    let around = lines.functions.iter().filter(|function| (function.first_line..=function.last_line).contains(&line));
    around.min_by_key(|function| function.last_line - function.first_line).map(|function| plain(&function.name))
}

/// Returns the width of each column that some line has a value in, and 0 for the others.
pub fn widths<'a>(cells: impl Iterator<Item = &'a [String; 5]>) -> [usize; 5] {
    let mut widths = COLUMNS.map(|name| name.chars().count());
    let mut has_margins = false;
    for cells in cells {
        widths.iter_mut().zip(cells).for_each(|(width, cell)| *width = (*width).max(cell.chars().count()));
        has_margins |= !cells[MARGIN].is_empty();
    }
    if !has_margins {
        widths[MARGIN] = 0;
    }
    widths
}

/// Replaces tabs with spaces.
pub fn expanded(text: &str) -> String {
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
pub fn cut(code: &str, width: Option<usize>) -> String {
    match width {
        Some(width) if code.chars().count() > width => {
            code.chars().take(width.saturating_sub(1)).chain(['…']).collect()
        }
        _ => code.to_owned(),
    }
}
