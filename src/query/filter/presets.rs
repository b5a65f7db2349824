//! Filters named by the question they answer, one click away.

use super::{Clause, Filter, Heap, NameTest, SizeUnit, Span, When};
use crate::query::measure::Measure;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    pub question: &'static str,
    pub filter: Filter,
    pub measure: Measure,
}

/// Blocks of more words go straight to the major heap.
pub const MAX_MINOR_WORDS: u64 = 256;

/// `brush` is the stretch of time that is marked, if any: one question is about it.
pub fn presets(brush: Option<Span>) -> Vec<Preset> {
    let preset = |question, clauses: Vec<Clause>, measure| Preset { question, filter: Filter { clauses }, measure };
    let mut presets = vec![
        preset("What is live at the peak?", vec![], Measure::Live(When::Peak)),
        preset("What is never freed?", vec![], Measure::Live(When::End)),
    ];
    presets.extend(brush.map(|span| {
        let question = "What was allocated here and is still alive?";
        preset(question, vec![Clause::Allocated(span)], Measure::Live(When::End))
    }));
    let dead = Clause::Collected(Span::ANY);
    presets.extend([
        preset("What dies young?", vec![Clause::Heap(vec![Heap::Minor]), dead.clone()], Measure::Allocated),
        preset("What gets promoted and then dies?", vec![dead], Measure::Promoted),
        preset("Which blocks are large?", vec![large_blocks()], Measure::Allocated),
    ]);
    presets
}

/// Hides OCaml's own library, the runtime, and what no location explains.
pub fn library() -> Clause {
    Clause::Hide(library_names())
}

/// The functions of OCaml's own library and runtime, and codes that no location explains.
pub fn library_names() -> NameTest {
    NameTest::matches(r"^(Stdlib(__|[.$]|$)|Camlinternal|[$<(]|$)")
}

/// Those that go straight to the major heap.
pub fn large_blocks() -> Clause {
    Clause::Size(Span { from: Some(MAX_MINOR_WORDS + 1), to: None }, SizeUnit::Words)
}
