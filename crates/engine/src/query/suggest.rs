//! Suggests names from the trace that contain what the user typed.

use std::borrow::Cow;
use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::filter::{FrameField, for_each_line, line_name};
use super::label::plain;
use crate::query::sorting::sort_by;
use crate::trace::{Calls, Function, TextId};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SuggestConfig {
    pub part: FrameField,
    /// The text typed so far.
    pub text: String,
    pub limit: usize,
}

/// Returns names that contain the text, ignoring case. Names come first if the text starts one of their components,
/// then shorter before longer. Names are plain, unless only the compiler's name contains the text or several names have
/// the same plain name.
pub fn suggest(calls: &Calls, config: &SuggestConfig) -> Vec<String> {
    let names = names(calls, config.part);
    let text = config.text.to_ascii_lowercase();
    let plain_of = |name: &str| match config.part {
        FrameField::File | FrameField::Line => name.to_owned(),
        FrameField::Function | FrameField::Module => plain(name),
    };
    let mut n_of_plain: FxHashMap<String, usize> = FxHashMap::default();
    for name in &names {
        *n_of_plain.entry(plain_of(name)).or_default() += 1;
    }
    let mut ranked: Vec<(bool, usize, String)> = names
        .into_iter()
        .filter_map(|name| {
            let plain = plain_of(&name);
            let is_ambiguous = n_of_plain.get(&plain).is_some_and(|n| *n > 1);
            // Whether the text starts a component of the name. `None` if the name doesn't contain it.
            let begins_a_part = |name: &str| {
                let lower = name.to_ascii_lowercase();
                let at = lower.find(&text)?;
                Some(at == 0 || lower[..at].ends_with(['.', '/', '_']))
            };
            let in_plain = begins_a_part(&plain);
            let begins_a_part = in_plain.or_else(|| begins_a_part(&name))?;
            let shown = if in_plain.is_none() || is_ambiguous { name.into_owned() } else { plain };
            Some((!begins_a_part, shown.len(), shown))
        })
        .collect();
    sort_by(&mut ranked, Ord::cmp);
    ranked.truncate(config.limit);
    ranked.into_iter().map(|(_, _, name)| name).collect()
}

/// Returns the names of the trace's functions, files, modules or lines.
fn names(calls: &Calls, part: FrameField) -> BTreeSet<Cow<'_, str>> {
    let frames = &calls.frames;
    // Inserted one by one, because `collect` would add another sort to the page.
    let mut names = BTreeSet::new();
    let name_of: fn(&Function) -> TextId = match part {
        FrameField::Function => |function| function.name,
        FrameField::File => |function| function.file,
        FrameField::Module => |function| function.module,
        FrameField::Line => {
            for_each_line(calls, |file, line| {
                names.insert(Cow::Owned(line_name(frames.text(file), line)));
            });
            return names;
        }
    };
    let all = frames.functions().iter().map(|function| frames.text(name_of(function)));
    names.extend(all.filter(|name| !name.is_empty()).map(Cow::Borrowed));
    names
}
