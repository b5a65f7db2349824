//! Why a file of a trace has no source, and why its source may not be what was compiled.

use super::{SourcePath, shown};

/// The most names in a message. The others are counted.
const MAX_NAMED: usize = 5;

/// `list.ml, hashtbl.ml and 3 more`
pub fn listed<'a>(names: impl ExactSizeIterator<Item = &'a str>) -> String {
    let n_more = names.len().saturating_sub(MAX_NAMED);
    let named: Vec<&str> = names.take(MAX_NAMED).collect();
    match n_more {
        0 => named.join(", "),
        n_more => format!("{} and {n_more} more", named.join(", ")),
    }
}

/// Explains why a file of the trace has no source. `None` if it has one.
pub fn why_missing(file: &str, place: &SourcePath) -> Option<String> {
    Some(match place {
        SourcePath::At(_) => return None,
        SourcePath::Missing => format!("{file} isn't in the --source folders."),
        SourcePath::GeneratedFrom(original) => {
            format!("{file} is generated from {} and doesn't exist. Build the project.", shown(original))
        }
        SourcePath::Ambiguous(several) => {
            let several: Vec<String> = several.iter().map(|path| shown(path)).collect();
            format!("{file} could be any of {}.", listed(several.iter().map(String::as_str)))
        }
    })
}

pub const SEARCH_CUT: &str = "--source has too many files, so some weren't searched. Use the project's folder.";

/// For a source that was changed after the trace was recorded.
pub fn newer(path: &str) -> String {
    format!("{path} was changed after the trace was recorded. Figures may be on the wrong lines.")
}

/// For a line that the source doesn't have.
pub fn no_line(path: &str, line: u32, n_lines: usize) -> String {
    let lines = if n_lines == 1 { "line" } else { "lines" };
    format!("{path} has no line {line}, only {n_lines} {lines}. This isn't the file that was compiled.")
}

/// For a source with fewer lines than the trace has figures for.
pub fn beyond(path: &str, n_beyond: usize, n_lines: usize) -> String {
    let (lines, are) = if n_beyond == 1 { ("line", "is") } else { ("lines", "are") };
    let text = format!("{n_beyond} {lines} with figures {are} past the end of {path}, which has {n_lines} lines.");
    format!("{text} This isn't the file that was compiled.")
}
