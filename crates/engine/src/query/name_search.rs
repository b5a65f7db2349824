//! Finds functions, modules and files by name, for the command palette.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::filter::FrameField;
use super::fuzzy::distance;
use super::label::plain;
use super::sorting::sort_by;
use super::tree::Label;
use crate::trace::Calls;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NameSearchConfig {
    /// The text typed so far.
    pub text: String,
    pub limit: usize,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundName {
    pub part: FrameField,
    pub label: Label,
}

/// Returns the names that match best. Both the plain name and the compiler's match.
pub fn search_names(calls: &Calls, config: &NameSearchConfig) -> Vec<FoundName> {
    let frames = &calls.frames;
    let mut names: BTreeSet<(u8, &str, &str)> = BTreeSet::new();
    for function in frames.functions() {
        names.insert((0, frames.text(function.name), frames.text(function.file)));
        names.insert((1, frames.text(function.module), ""));
        names.insert((2, frames.text(function.file), ""));
    }
    let parts = [FrameField::Function, FrameField::Module, FrameField::File];
    let mut found: Vec<(u32, u8, &str, &str)> = { names.into_iter() }
        .filter(|(_, name, _)| !name.is_empty())
        .filter_map(|(part, name, file)| {
            let by_plain = || distance(&plain(name), &config.text).filter(|_| part < 2);
            let by_name = distance(name, &config.text);
            Some((by_plain().into_iter().chain(by_name).min()?, part, name, file))
        })
        .collect();
    sort_by(&mut found, Ord::cmp);
    found.truncate(config.limit);
    let label = |name: &str, file: &str| Label { name: name.to_owned(), file: file.to_owned(), place: None };
    { found.into_iter() }
        .map(|(_, part, name, file)| FoundName { part: parts[usize::from(part)], label: label(name, file) })
        .collect()
}
