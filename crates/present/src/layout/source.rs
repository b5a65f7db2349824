//! A source file as rows of code with figures, and its overview: where in the file the hot lines are.

use std::ops::Range;

use crate::ocaml_tokens::{Token, TokenKind, parts_of_line, tokens};
use camlscope_engine::query::lines::SourceLine;

/// Lines with at least this share of the total are hot.
pub const HOT: f64 = 0.01;
/// Lines whose self is at least this share of the total are very hot.
pub const VERY_HOT: f64 = 0.1;

/// The text of a file, split into lines and tokens once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceText {
    text: String,
    lines: Vec<Range<usize>>,
    tokens: Vec<Token>,
}

impl SourceText {
    pub fn new(text: String) -> SourceText {
        let start = text.as_ptr().addr();
        let range = |line: &str| {
            let from = line.as_ptr().addr() - start;
            from..from + line.len()
        };
        let lines = text.lines().map(range).collect();
        SourceText { tokens: tokens(&text), lines, text }
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn n_lines(&self) -> u32 {
        u32::try_from(self.lines.len()).unwrap_or(u32::MAX)
    }

    /// Returns a line's parts, each with its color if it has one. Lines count from 1.
    pub fn line(&self, number: u32) -> Option<Vec<(&str, Option<TokenKind>)>> {
        let range = self.lines.get((number as usize).checked_sub(1)?)?;
        Some(parts_of_line(&self.text, range.clone(), &self.tokens))
    }

    /// Returns the number of columns of the widest line, with tabs as wide as they are shown.
    pub fn n_columns(&self, tab_width: usize) -> usize {
        let columns = |line: &Range<usize>| {
            let chars = self.text[line.clone()].chars();
            chars.fold(0, |column, c| if c == '\t' { (column / tab_width + 1) * tab_width } else { column + 1 })
        };
        self.lines.iter().map(columns).max().unwrap_or(0)
    }
}

/// Which lines a file's rows are: all lines of its text, then those with figures that the text doesn't have. Without a
/// text, only lines with figures.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SourceRows {
    /// Rows that are the lines of the text.
    n_of_text: usize,
    /// The lines of the other rows, in order.
    others: Vec<u32>,
}

impl SourceRows {
    pub fn new(n_lines: Option<u32>, lines: &[SourceLine]) -> SourceRows {
        let n_of_text = n_lines.unwrap_or(0);
        let is_in_text = |line: u32| (1..=n_of_text).contains(&line);
        let others = lines.iter().map(|line| line.line).filter(|line| !is_in_text(*line)).collect();
        SourceRows { n_of_text: n_of_text as usize, others }
    }

    pub fn len(&self) -> usize {
        self.n_of_text + self.others.len()
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns how many lines with figures are not in the text.
    pub fn n_beyond(&self) -> usize {
        if self.n_of_text == 0 { 0 } else { self.others.len() }
    }

    /// Returns the line of a row.
    pub fn line(&self, row: usize) -> Option<u32> {
        match row.checked_sub(self.n_of_text) {
            None => u32::try_from(row + 1).ok(),
            Some(nth) => self.others.get(nth).copied(),
        }
    }

    /// Returns the row of a line.
    pub fn row(&self, line: u32) -> Option<usize> {
        let at = line as usize;
        if (1..=self.n_of_text).contains(&at) {
            return Some(at - 1);
        }
        self.others.iter().position(|other| *other == line).map(|nth| self.n_of_text + nth)
    }
}

/// A mark of the overview: hot lines that are close together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HotMark {
    /// The row of the hottest of these lines.
    pub row: usize,
    /// Its share of the total.
    pub share: f64,
    /// Whether one of the lines is very hot.
    pub is_very_hot: bool,
}

/// Returns marks of the lines with figures, at most one for each of `n_marks` equal parts of the file. `all` is the total.
pub fn hot_marks(rows: &SourceRows, lines: &[SourceLine], all: f64, n_marks: usize) -> Vec<(usize, HotMark)> {
    let mut marks: Vec<(usize, HotMark)> = Vec::new();
    let share = |value: f64| if all > 0.0 { value / all } else { 0.0 };
    for line in lines {
        let Some(row) = rows.row(line.line) else { continue };
        let at = row * n_marks.min(rows.len()) / rows.len().max(1);
        let is_very_hot = share(line.figures.own) >= VERY_HOT;
        let mark = HotMark { row, share: share(line.figures.total), is_very_hot };
        match marks.last_mut().filter(|(last, _)| *last == at) {
            Some((_, known)) => {
                let hotter = if mark.share > known.share { mark } else { *known };
                *known = HotMark { is_very_hot: known.is_very_hot || is_very_hot, ..hotter };
            }
            None => marks.push((at, mark)),
        }
    }
    marks
}

/// Returns the lines of an excerpt: `n_shown` lines with a function in the middle, or if it is longer, with its line `around`.
pub fn excerpt(around: u32, first: u32, last: u32, n_lines: u32, n_shown: u32) -> Range<u32> {
    let (first, last) = (first.max(1).min(around), last.min(n_lines).max(around));
    if last - first >= n_shown {
        let start = around.saturating_sub(n_shown / 2).clamp(first, last + 1 - n_shown);
        return start..start + n_shown;
    }
    // Lines before a function say more about it than those after it.
    let n_missing = n_shown - (last - first + 1);
    let start = first.saturating_sub(n_missing.div_ceil(2)).max(1);
    let end = (start + n_shown).min(n_lines.max(last) + 1);
    end.saturating_sub(n_shown).max(1)..end
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::lines::SourceFigures;

    fn line(line: u32, own: f64, total: f64) -> SourceLine {
        let figures = SourceFigures {
            own,
            total,
            error: None,
            self_bytes: own,
            total_bytes: total,
            self_blocks: 0.0,
            blocks: 0.0,
            self_samples: 1,
            total_samples: 1,
        };
        SourceLine { line, figures }
    }

    #[test]
    fn lines_are_the_same_whatever_ends_them() {
        for text in ["let a = 1\nlet b", "let a = 1\r\nlet b\r\n"] {
            let source = SourceText::new(text.to_owned());
            assert_eq!(source.n_lines(), 2);
            let first: String = source.line(1).expect("a line").into_iter().map(|(part, _)| part).collect();
            assert_eq!(first, "let a = 1");
            assert_eq!(source.line(2), Some(vec![("let", Some(TokenKind::Keyword)), (" b", None)]));
            assert_eq!((source.line(0), source.line(3)), (None, None));
        }
        assert_eq!(SourceText::new("\tx\nab\tc".to_owned()).n_columns(8), 9);
        assert_eq!(SourceText::new(String::new()).n_columns(8), 0);
    }

    #[test]
    fn rows_are_the_lines_of_the_text_and_then_those_it_lacks() {
        let lines = [line(2, 0.0, 1.0), line(5, 0.0, 1.0), line(9, 0.0, 1.0)];
        let rows = SourceRows::new(Some(5), &lines);
        assert_eq!((rows.len(), rows.n_beyond()), (6, 1));
        assert_eq!((rows.line(4), rows.line(5), rows.line(6)), (Some(5), Some(9), None));
        assert_eq!((rows.row(5), rows.row(9), rows.row(7)), (Some(4), Some(5), None));
        let without_text = SourceRows::new(None, &lines);
        assert_eq!((without_text.len(), without_text.n_beyond()), (3, 0));
        assert_eq!((without_text.line(0), without_text.row(9)), (Some(2), Some(2)));
        assert!(SourceRows::new(None, &[]).is_empty());
    }

    #[test]
    fn close_hot_lines_share_a_mark() {
        let lines = [line(1, 0.0, 10.0), line(2, 20.0, 30.0), line(100, 0.0, 5.0)];
        let rows = SourceRows::new(Some(100), &lines);
        let marks = hot_marks(&rows, &lines, 100.0, 10);
        let hottest = HotMark { row: 1, share: 0.3, is_very_hot: true };
        assert_eq!(marks, [(0, hottest), (9, HotMark { row: 99, share: 0.05, is_very_hot: false })]);
        assert_eq!(hot_marks(&SourceRows::default(), &lines, 0.0, 10), []);
    }

    #[test]
    fn an_excerpt_has_the_function_or_its_hot_part() {
        assert_eq!(excerpt(5, 4, 6, 100, 9), 1..10);
        assert_eq!(excerpt(50, 49, 51, 100, 9), 46..55);
        assert_eq!(excerpt(99, 98, 99, 100, 9), 92..101);
        assert_eq!(excerpt(50, 10, 90, 100, 9), 46..55);
        assert_eq!(excerpt(11, 10, 90, 100, 9), 10..19);
        assert_eq!(excerpt(90, 10, 90, 100, 9), 82..91);
        assert_eq!(excerpt(3, 0, 9, 4, 9), 1..5);
        assert_eq!(excerpt(7, 7, 7, 4, 9), 1..8, "a line that the file doesn't have");
    }
}
