//! Notes about the source of a trace: why it may not be the code that was compiled.

/// For a source that was changed after the trace was recorded.
pub fn newer(path: &str) -> String {
    format!("{path} was changed after the trace was recorded. Figures may be on the wrong lines.")
}

/// For a source with fewer lines than the trace has figures for.
pub fn beyond(path: &str, n_beyond: usize, n_lines: usize) -> String {
    let (lines, are) = if n_beyond == 1 { ("line", "is") } else { ("lines", "are") };
    let text = format!("{n_beyond} {lines} with figures {are} past the end of {path}, which has {n_lines} lines.");
    format!("{text} This isn't the file that was compiled.")
}
