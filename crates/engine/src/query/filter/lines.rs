//! Finds the source lines that pass a test. A path without its first folders means all files that end with it, as people
//! and editors write paths. A file's full path means only that file, so a click on a line always selects that line.

use rustc_hash::FxHashMap;

use super::{How, NameMatcher, NameTest};
use crate::query::label::frames_of;
use crate::trace::{Calls, TextId};
use camlscope_formats::ctf::CodeId;

/// Whether each of the trace's lines passes, by file and line. A test that asks for one line lists only that line.
pub type PassingLines = FxHashMap<(TextId, u32), bool>;

/// Fails with the reason if the test's pattern is invalid.
pub fn passing_lines(calls: &Calls, test: &NameTest) -> Result<PassingLines, String> {
    if test.how == How::Is {
        let Some((path, line)) = parse_line(&test.text) else { return Ok(PassingLines::default()) };
        return Ok(files_of(calls, path).into_iter().map(|file| ((file, line), true)).collect());
    }
    let matcher = NameMatcher::new(test)?;
    let mut lines = PassingLines::default();
    for_each_line(calls, |file, line| {
        lines.entry((file, line)).or_insert_with(|| matcher.is_match(&line_name(calls.frames.text(file), line)));
    });
    Ok(lines)
}

/// Visits each line of the trace, possibly several times.
pub fn for_each_line(calls: &Calls, mut visit: impl FnMut(TextId, u32)) {
    for code in (0..calls.codes.len() as u32).map(CodeId) {
        for frame in frames_of(calls, code).into_iter().flatten() {
            let file = calls.frames.function(frame.function).file;
            if !calls.frames.text(file).is_empty() {
                visit(file, frame.line);
            }
        }
    }
}

/// Returns a line's name: `src/orders.ml:88`.
pub fn line_name(file: &str, line: u32) -> String {
    format!("{file}:{line}")
}

/// Parses a line's name into a path and a line number.
pub fn parse_line(name: &str) -> Option<(&str, u32)> {
    let (path, line) = name.rsplit_once(':')?;
    let is_number = line.bytes().all(|byte| byte.is_ascii_digit());
    (!path.is_empty() && is_number).then_some(())?;
    Some((path, line.parse().ok()?))
}

/// Returns the file with this path. If there is none, all files whose path ends with it.
fn files_of(calls: &Calls, path: &str) -> Vec<TextId> {
    let frames = &calls.frames;
    let files = || frames.functions().iter().map(|function| function.file);
    if let Some(file) = files().find(|&file| frames.text(file) == path) {
        return vec![file];
    }
    let ends_with_path = |file: &str| file.strip_suffix(path).is_some_and(|folders| folders.ends_with(['/', '\\']));
    let mut matching: Vec<TextId> = files().filter(|&file| ends_with_path(frames.text(file))).collect();
    matching.dedup();
    matching
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_path_and_a_number() {
        assert_eq!(parse_line("src/orders.ml:88"), Some(("src/orders.ml", 88)));
        assert_eq!(parse_line(r"C:\src\orders.ml:88"), Some((r"C:\src\orders.ml", 88)));
        for wrong in
            ["", "88", ":88", "orders.ml", "orders.ml:", "orders.ml:x", "orders.ml:+8", "orders.ml:99999999999"]
        {
            assert_eq!(parse_line(wrong), None, "{wrong}");
        }
    }
}
