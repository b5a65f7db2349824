//! The search shared by all views: a regex on names.

use camlscope_engine::query::filter::NameTest;

/// Returns the name test for a search. A search without capital letters ignores case.
pub fn search_test(text: &str) -> Option<NameTest> {
    let text = text.trim();
    let ignores_case = !text.chars().any(char::is_uppercase);
    (!text.is_empty()).then(|| NameTest::matches(&format!("{}{text}", if ignores_case { "(?i)" } else { "" })))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_without_capitals_ignores_case() {
        assert_eq!(search_test("json"), Some(NameTest::matches("(?i)json")));
        assert_eq!(search_test(" Json|xml "), Some(NameTest::matches("Json|xml")));
        assert_eq!(search_test("  "), None);
    }
}
