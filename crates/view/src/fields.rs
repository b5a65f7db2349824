//! Fields in a URL, `key=value&key=value`. The fragment (`#`) holds those of a view, the query (`?`) those of the page.
//!
//! The browser's `URLSearchParams` isn't used because it reads `+` as a space, and names of operators and files contain
//! plus signs. Also, tests and the fuzzer parse the same text without a browser.

use std::fmt::Write;

use percent_encoding::{AsciiSet, CONTROLS, percent_decode_str, utf8_percent_encode};

use camlscope_engine::query::tree::Label;

/// Characters that separate fields or aren't allowed in URLs.
const ESCAPED: &AsciiSet =
    &CONTROLS.add(b' ').add(b'"').add(b'#').add(b'%').add(b'&').add(b'+').add(b'<').add(b'=').add(b'>').add(b'`');

/// Parses fields in order and skips everything else.
pub fn read(text: &str) -> impl DoubleEndedIterator<Item = (&str, String)> {
    let fields = text.trim_start_matches(['#', '?']).split('&').filter_map(|field| field.split_once('='));
    fields.map(|(key, value)| (key, decode(value)))
}

pub fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Writes escaped fields.
#[derive(Debug, Default)]
pub(crate) struct Fields(String);

impl Fields {
    pub fn into_text(self) -> String {
        self.0
    }

    pub fn put(&mut self, key: &str, value: &str) {
        if !self.0.is_empty() {
            self.0.push('&');
        }
        // Writing to a string can't fail.
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
