//! The text behind the address's `#`, field by field.

use std::fmt::Write;

use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

use camlscope_engine::query::tree::Label;

/// The characters that separate fields, and those that addresses do not allow.
const ESCAPED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'<').add(b'=').add(b'>').add(b'`');

/// `key=value&key=value`, escaped.
#[derive(Debug, Default)]
pub struct Hash(String);

impl Hash {
    pub fn into_text(self) -> String {
        self.0
    }

    pub fn put(&mut self, key: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        // Writing into a string cannot fail.
        let _ = write!(self.0, "{key}={}", utf8_percent_encode(value, ESCAPED));
    }

    pub fn put_unless(&mut self, is_default: bool, key: &str, value: &str) {
        if !is_default {
            self.put(key, value);
        }
    }

    pub fn put_label(&mut self, key: &str, label: Option<&Label>) {
        if let Some(label) = label {
            self.put(key, &label.to_text());
        }
    }
}
