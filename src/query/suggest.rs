//! Names that a person may mean, from the trace's own.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::filter::Part;
use crate::query::sorting::sort_by;
use crate::trace::Calls;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestConfig {
    pub part: Part,
    /// What has been typed so far.
    pub text: String,
    pub limit: usize,
}

/// Names that contain the text, in either case of letters: those first that begin with it or have a part that does, the
/// shorter before the longer.
pub fn suggest(calls: &Calls, config: &SuggestConfig) -> Vec<String> {
    let frames = &calls.frames;
    let all = frames.functions().iter().map(|function| match config.part {
        Part::Function => frames.text(function.name),
        Part::File => frames.text(function.file),
        Part::Module => frames.text(function.module),
    });
    // Put in one by one: collecting would bring a sort of its own into the page.
    let mut names = BTreeSet::new();
    names.extend(all.filter(|name| !name.is_empty()));
    let text = config.text.to_ascii_lowercase();
    let mut ranked: Vec<(bool, usize, &str)> = names
        .into_iter()
        .filter_map(|name| {
            let lower = name.to_ascii_lowercase();
            let at = lower.find(&text)?;
            let begins_a_part = at == 0 || lower[..at].ends_with(['.', '/', '_']);
            Some((!begins_a_part, name.len(), name))
        })
        .collect();
    sort_by(&mut ranked, Ord::cmp);
    ranked.truncate(config.limit);
    ranked.into_iter().map(|(_, _, name)| name.to_owned()).collect()
}
