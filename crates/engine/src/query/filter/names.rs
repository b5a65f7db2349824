//! Names against tests. A pattern is compiled once a filter, and asked once a name, never once an object.

use regex_lite::Regex;

use super::{How, NameTest};
use crate::query::label::plain;

#[derive(Clone, Debug)]
pub struct NameMatcher(Kind);

#[derive(Clone, Debug)]
enum Kind {
    Is(String),
    /// In lower case.
    Contains(String),
    Matches(Box<Regex>),
}

impl NameMatcher {
    /// Fails with the reason, for a pattern that is none.
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

    /// A name passes as the compiler has it, or as people read it.
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

/// Whether people read it otherwise than the compiler has it.
fn has_plain(name: &str) -> bool {
    name.contains("__") || name.starts_with("Stdlib.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_as_the_compiler_has_it_and_as_people_read_it() {
        let finds = |test: NameTest, name: &str| NameMatcher::new(&test).expect("a test").is_match(name);
        for text in ["Base__Map.add", "Base.Map.add"] {
            assert!(finds(NameTest::is(text), "Base__Map.add"), "{text}");
        }
        assert!(finds(NameTest::matches(r"^List\.map$"), "Stdlib__List.map"));
        assert!(finds(NameTest::matches(r"^List\.map$"), "Stdlib.List.map"));
        assert!(!finds(NameTest::is("Map.add"), "Base__Map.add"));
    }
}
