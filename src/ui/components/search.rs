//! The search that all views share: a regular expression over names.

use camlscope_engine::query::filter::NameTest;

/// What a text is searched for by. Without capitals it finds either case.
pub fn search_test(text: &str) -> Option<NameTest> {
    let text = text.trim();
    let ignores_case = !text.chars().any(char::is_uppercase);
    (!text.is_empty()).then(|| NameTest::matches(&format!("{}{text}", if ignores_case { "(?i)" } else { "" })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_capitals_finds_either_case() {
        assert_eq!(search_test("json"), Some(NameTest::matches("(?i)json")));
        assert_eq!(search_test(" Json|xml "), Some(NameTest::matches("Json|xml")));
        assert_eq!(search_test("  "), None);
    }
}
