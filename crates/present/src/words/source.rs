//! Notes about the source of a trace: why it may not be the code that was compiled.

/// Code that was changed since then has its figures on the wrong lines.
pub fn newer_than_trace(path: &str) -> String {
    format!("{path} was changed after the trace was recorded. Figures may be on the wrong lines.")
}

/// `n_beyond` lines with figures don't exist in the file.
pub fn past_end(path: &str, n_beyond: usize, n_lines: u32) -> String {
    let (lines, are) = if n_beyond == 1 { ("line", "is") } else { ("lines", "are") };
    format!(
        "{n_beyond} {lines} with figures {are} past the end of {path}, which has {n_lines} lines. It isn't the file that \
         was compiled."
    )
}
