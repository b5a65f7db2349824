//! The traces that the page's URL names.

use crate::fields;

/// A trace given in the page's URL as `?trace=…` or `?compare=…`.
#[derive(Clone, Debug, PartialEq)]
pub enum NamedTrace {
    /// The full URL of a file on the page's own server.
    SameHost(String),
    /// The value as given, if it points anywhere else.
    Elsewhere(String),
}

impl NamedTrace {
    /// Returns the full URL, or the value as given.
    pub fn address(&self) -> &str {
        let (NamedTrace::SameHost(address) | NamedTrace::Elsewhere(address)) = self;
        address
    }

    /// Returns the file name.
    pub fn name(&self) -> String {
        let path = self.address().split(['?', '#']).next().unwrap_or_default();
        fields::decode(path.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(path))
    }
}
