//! The part of a file that the panel shows of the selection.

use crate::page::components::panel::subject::Subject;
use camlscope_engine::query::filter::parse_line;
use camlscope_engine::query::lines::FileLines;
use camlscope_engine::query::tree::Grain;

/// The lines on both sides of a call site.
const N_AROUND: u32 = 3;

/// Returns the file's path in the trace.
pub fn file_of(subject: &Subject) -> Option<&str> {
    let file = if subject.grain == Grain::File { &subject.label.name } else { &subject.label.file };
    (!file.is_empty()).then_some(file)
}

/// The part of a file to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The line in the middle.
    pub around: u32,
    pub first: u32,
    pub last: u32,
}

/// Returns the lines of a function around its hottest one, those around a call site, or those around a file's hottest one.
pub fn part_of(subject: &Subject, lines: &FileLines) -> Option<Part> {
    let around =
        |line: u32| Part { around: line, first: line.saturating_sub(N_AROUND), last: line.saturating_add(N_AROUND) };
    if let Some(place) = subject.label.place {
        return Some(around(place.line));
    }
    match subject.grain {
        Grain::File => {
            let hottest = lines.lines.iter().max_by(|one, two| one.figures.total.total_cmp(&two.figures.total));
            hottest.map(|line| around(line.line))
        }
        _ => {
            let Some(function) = lines.functions.iter().find(|function| function.name == subject.label.name) else {
                // A profile has lines instead of functions.
                return parse_line(&subject.label.name).map(|(_, line)| around(line));
            };
            let around = function.hottest_line.unwrap_or(function.first_line);
            Some(Part { around, first: function.first_line, last: function.last_line })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::lines::FunctionLines;
    use camlscope_engine::query::tree::{Label, Place};

    #[test]
    fn a_function_is_shown_around_its_hottest_line_and_a_site_around_itself() {
        let function =
            |hottest_line| FunctionLines { name: "A.f".to_owned(), first_line: 3, last_line: 9, hottest_line };
        let lines = |hottest| FileLines { all: 0.0, lines: Vec::new(), functions: vec![function(hottest)] };
        let label = Label { name: "A.f".to_owned(), file: "a.ml".to_owned(), place: None };
        let subject = Subject { label: label.clone(), grain: Grain::Function };
        assert_eq!(part_of(&subject, &lines(Some(7))), Some(Part { around: 7, first: 3, last: 9 }));
        assert_eq!(part_of(&subject, &lines(None)).map(|part| part.around), Some(3));
        let place = Some(Place { line: 20, start_char: 0, end_char: 1 });
        let site = Subject { label: Label { place, ..label }, grain: Grain::Site };
        assert_eq!(part_of(&site, &lines(None)), Some(Part { around: 20, first: 17, last: 23 }));
        assert_eq!(file_of(&Subject { label: Label::default(), grain: Grain::Module }), None);
    }
}
