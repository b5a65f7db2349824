//! Matches names against tests. A pattern is compiled once per filter and run once per name, never once per object.

use regex_lite::Regex;

use super::{How, NameTest};
use crate::query::label::plain;

#[derive(Clone, Debug)]
pub struct NameMatcher(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Is(String),
    /// In lowercase.
    Contains(String),
    Matches(Box<Regex>),
}

impl NameMatcher {
    /// Fails with the reason if the pattern is invalid.
    pub fn new(test: &NameTest) -> Result<NameMatcher, String> {
        Ok(NameMatcher(match test.how {
            How::Is => Kind::Is(test.text.clone()),
            How::Contains => Kind::Contains(test.text.to_ascii_lowercase()),
            How::Matches => {
                let regex = Regex::new(&test.text).map_err(|error| error.to_string())?;
                Kind::Matches(Box::new(regex))
            }
        }))
    }

    /// Returns whether the compiler's name or the plain name passes.
    pub fn is_match(&self, name: &str) -> bool {
        self.is_literal_match(name) || has_plain(name) && self.is_literal_match(&plain(name))
    }

    fn is_literal_match(&self, name: &str) -> bool {
        match &self.0 {
            Kind::Is(text) => name == text,
            Kind::Contains(text) => name.to_ascii_lowercase().contains(text.as_str()),
            Kind::Matches(regex) => regex.is_match(name),
        }
    }
}

/// Returns whether the plain name may differ from the compiler's.
fn has_plain(name: &str) -> bool {
    name.contains("__") || name.starts_with("Stdlib.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_the_compilers_name_and_the_plain_name_match() {
        let finds = |test: NameTest, name: &str| NameMatcher::new(&test).expect("the test is valid").is_match(name);
        for text in ["Base__Map.add", "Base.Map.add"] {
            assert!(finds(NameTest::is(text), "Base__Map.add"), "{text}");
        }
        assert!(finds(NameTest::matches(r"^List\.map$"), "Stdlib__List.map"));
        assert!(finds(NameTest::matches(r"^List\.map$"), "Stdlib.List.map"));
        assert!(!finds(NameTest::is("Map.add"), "Base__Map.add"));
    }
}
