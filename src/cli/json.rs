//! JSON as scripts read it: it says what was measured in which unit, and its enums are words in lower case.

use serde::Serialize;
use serde_json::{Map, Value};

use super::measure::measure_word;
use crate::query::measure::Measure;

/// An answer, and what its figures are.
#[derive(Debug, Serialize)]
pub struct Measured<'a, T> {
    /// As `--measure` takes it.
    pub measure: String,
    pub unit: &'static str,
    #[serde(flatten)]
    pub answer: &'a T,
}

impl<'a, T> Measured<'a, T> {
    /// For figures in the measure's unit.
    pub fn new(measure: Measure, answer: &'a T) -> Measured<'a, T> {
        Measured::in_unit(measure, measure.unit().name(), answer)
    }

    /// For figures in a unit of their own, of the objects that count for the measure.
    pub fn in_unit(measure: Measure, unit: &'static str, answer: &'a T) -> Measured<'a, T> {
        Measured { measure: measure_word(measure), unit, answer }
    }
}

/// The fields whose values are variants of enums.
const ENUM_FIELDS: [&str; 6] = ["kind", "view", "verdict", "unit", "how", "part"];

/// A value with its enums in lower case: `"kind": "PromotedDies"` becomes `promoted-dies`, `{"Heap": "Minor"}` becomes
/// `{"heap": "minor"}`. Fields of structs are in lower case anyway, so a name with a capital is that of a variant.
pub fn with_words(value: &impl Serialize) -> Value {
    spelled(serde_json::to_value(value).unwrap_or_default(), false)
}

/// `is_variant`: whether a text is the name of a variant.
fn spelled(value: Value, is_variant: bool) -> Value {
    match value {
        Value::String(text) if is_variant => Value::String(word(&text)),
        Value::Array(items) => items.into_iter().map(|item| spelled(item, is_variant)).collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let holds_variant = is_capital(&name) || ENUM_FIELDS.contains(&&*name);
                (word(&name), spelled(value, holds_variant))
            });
            Value::Object(fields.collect::<Map<_, _>>())
        }
        value => value,
    }
}

fn is_capital(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
}

/// `TooFewSamples` → `too-few-samples`; what begins with a small letter stays.
fn word(name: &str) -> String {
    if !is_capital(name) {
        return name.to_owned();
    }
    let mut word = String::new();
    for c in name.chars() {
        if c.is_ascii_uppercase() && !word.is_empty() {
            word.push('-');
        }
        word.push(c.to_ascii_lowercase());
    }
    word
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn variants_are_words_in_lower_case_and_names_stay() {
        let value = json!({
            "name": "Orders", "kind": "PromotedDies", "verdict": "too few samples",
            "clauses": [{ "Heap": ["Minor", "Major"] }, { "Hide": { "how": "Matches", "text": "Stdlib" } }],
        });
        let expected = json!({
            "name": "Orders", "kind": "promoted-dies", "verdict": "too few samples",
            "clauses": [{ "heap": ["minor", "major"] }, { "hide": { "how": "matches", "text": "Stdlib" } }],
        });
        assert_eq!(with_words(&value), expected);
    }
}
