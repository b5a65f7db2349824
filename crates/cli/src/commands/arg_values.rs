//! Parsers for option values, with suggestions for shell completion.

use std::ffi::OsStr;
use std::str::FromStr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Arg, Command, Error};

use camlscope_engine::query::tree::Grain;

/// Parses one of `words`.
pub fn one_of<T>(words: impl Into<PossibleValuesParser>) -> impl TypedValueParser<Value = T>
where
    T: FromStr + Clone + Send + Sync + 'static,
{
    words.into().try_map(|word| word.parse().map_err(|_| format!("unknown value “{word}”")))
}

/// Parses a grain, which determines what counts as the same frame.
pub fn grain() -> impl TypedValueParser<Value = Grain> {
    one_of(Grain::ALL.map(|grain| match grain {
        Grain::Site => PossibleValue::new(grain.as_str()).help("A location in a file"),
        Grain::Function | Grain::File | Grain::Module => PossibleValue::new(grain.as_str()),
    }))
}

/// Parses an option's value and suggests some words for it.
#[derive(Clone)]
pub struct Suggesting<F> {
    words: &'static [&'static str],
    read: F,
}

/// `words` are the suggestions for completion. `read` may accept other values.
pub fn suggesting<T, F>(words: &'static [&'static str], read: F) -> Suggesting<F>
where
    F: Fn(&str) -> Result<T, String>,
{
    Suggesting { words, read }
}

impl<T, F> TypedValueParser for Suggesting<F>
where
    T: Clone + Send + Sync + 'static,
    F: Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(&self, command: &Command, arg: Option<&Arg>, value: &OsStr) -> Result<T, Error> {
        self.read.parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.words.iter().map(PossibleValue::new)))
    }
}

/// Parses a number of rows, which must not be zero.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(0) => Err("expected at least 1".to_owned()),
        Ok(n) => Ok(n),
        Err(_) => Err("expected a whole number".to_owned()),
    }
}
