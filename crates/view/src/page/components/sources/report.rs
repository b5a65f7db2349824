//! The question whether a report includes source code.

/// Says who can read the `n` files with this many bytes, and how many others are too large.
pub fn words(n: usize, bytes: u64, n_too_large: usize, in_words: impl Fn(u64) -> String) -> String {
    let files = if n == 1 { "file" } else { "files" };
    let mut words = format!("Everyone who has the report can read these {n} {files} ({}).", in_words(bytes));
    if n == 1 {
        words = format!("Everyone who has the report can read this file ({}).", in_words(bytes));
    } else if n == 0 {
        words = "The folder has no source of this trace.".to_owned();
    }
    if n_too_large > 0 {
        words.push_str(&format!(" {n_too_large} more would make the report too large."));
    }
    words
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_dialog_says_how_much_code_the_report_includes() {
        let words = |n: usize, n_too_large| super::words(n, n as u64 * 1500, n_too_large, |bytes| format!("{bytes} B"));
        assert_eq!(words(1, 0), "Everyone who has the report can read this file (1500 B).");
        assert!(words(2, 3).ends_with("these 2 files (3000 B). 3 more would make the report too large."));
        assert_eq!(words(0, 0), "The folder has no source of this trace.");
    }
}
