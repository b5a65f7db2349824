//! The text next to the search field.

use camlscope_present::format;

/// Describes the matches, and which of them is the current one: `12 matches`, `3 of 12`.
pub fn match_words(at: Option<usize>, n: usize) -> String {
    let count = format::count(n as u64);
    match (at, n) {
        (_, 0) => "no match".to_owned(),
        (Some(at), _) => format!("{} of {count}", format::count(at as u64 + 1)),
        (None, 1) => "1 match".to_owned(),
        (None, _) => format!("{count} matches"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_are_counted_from_one() {
        assert_eq!(match_words(None, 12), "12 matches");
        assert_eq!(match_words(Some(2), 12), "3 of 12");
        assert_eq!([match_words(None, 1), match_words(None, 0)], ["1 match", "no match"]);
    }
}
