//! Names against tests. A pattern is compiled once a filter, and asked once a name, never once an object.

use regex_lite::Regex;

use super::{How, NameTest};

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
            How::Contains => Kind::Contains(test.text.to_lowercase()),
            How::Matches => {
                let regex = Regex::new(&test.text).map_err(|error| error.to_string())?;
                Kind::Matches(Box::new(regex))
            }
        }))
    }

    pub fn is_match(&self, name: &str) -> bool {
        match &self.0 {
            Kind::Is(text) => name == text,
            Kind::Contains(text) => name.to_lowercase().contains(text.as_str()),
            Kind::Matches(regex) => regex.is_match(name),
        }
    }
}
