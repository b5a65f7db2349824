//! Filters named by the question they answer, one click away.

use super::{Clause, Filter, Heap, NameTest, SizeUnit, Span, When};
use crate::query::measure::Measure;
use crate::trace::MAX_MINOR_WORDS;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    pub question: &'static str,
    pub filter: Filter,
    pub measure: Measure,
}

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

/// The questions that a profile can answer.
pub fn presets_of_profile(has_call_counts: bool) -> Vec<Preset> {
    let preset = |question, measure| Preset { question, filter: Filter::default(), measure };
    let mut presets = vec![
        preset("What is live at the peak?", Measure::Live(When::Peak)),
        preset("What is live at the end?", Measure::Live(When::End)),
        preset("What was allocated?", Measure::Allocated),
    ];
    presets.extend(has_call_counts.then(|| preset("What is called most?", Measure::Calls)));
    presets
}

/// Hides OCaml's own library, the runtime, and what no location explains.
pub fn library() -> Clause {
    Clause::Hide(library_names())
}

/// The files of OCaml's own library, by which profiles know it: they have no names of functions.
pub const LIBRARY_FILES: &str = "arg|array|arrayLabels|bigarray|buffer|bytes|bytesLabels|callback|camlinternal[A-Za-z]*|char|complex\
    |digest|ephemeron|filename|float|format|gc|genlex|hashtbl|int32|int64|lazy|lexing|list|listLabels|map|marshal\
    |moreLabels|nativeint|obj|oo|parsing|pervasives|printexc|printf|queue|random|scanf|seq|set|sort|spacetime|stack\
    |std_exit|stdLabels|stdlib|stream|string|stringLabels|sys|uchar|weak";

/// The functions of OCaml's own library and runtime, of memtrace itself, and codes that no location explains.
pub fn library_names() -> NameTest {
    NameTest::matches(&format!(r"^((Stdlib|Memtrace)(__|[.$]|$)|Camlinternal|[$<(]|$|({LIBRARY_FILES})\.mlp?:)"))
}

/// Those that are never in the minor heap.
pub fn large_blocks() -> Clause {
    Clause::Size(Span { from: Some(MAX_MINOR_WORDS + 1), to: None }, SizeUnit::Words)
}
