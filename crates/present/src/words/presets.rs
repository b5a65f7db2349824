//! Predefined queries, each named by the question it answers.

use camlscope_engine::query::filter::presets::large_blocks;
use camlscope_engine::query::filter::{Clause, Filter, Heap, Span, When};
use camlscope_engine::query::measure::Measure;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Preset {
    pub question: &'static str,
    pub filter: Filter,
    pub measure: Measure,
}

/// `brush` is the selected time range, if any. One preset uses it.
pub fn presets(brush: Option<Span>) -> Vec<Preset> {
    let preset = |question, clauses: Vec<Clause>, measure| Preset { question, filter: Filter { clauses }, measure };
    let mut presets = vec![
        preset("What is live at the peak?", vec![], Measure::Live(When::Peak)),
        preset("What is never freed?", vec![], Measure::Live(When::End)),
    ];
    presets.extend(brush.map(|span| {
        let question = "What was allocated in this time range and is still live?";
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

/// Returns the presets that a profile supports.
pub fn presets_of_profile(has_call_counts: bool) -> Vec<Preset> {
    let preset = |question, measure| Preset { question, filter: Filter::default(), measure };
    let mut presets = vec![
        preset("What is live at the peak?", Measure::Live(When::Peak)),
        preset("What is live at the end?", Measure::Live(When::End)),
        preset("What was allocated?", Measure::Allocated),
    ];
    presets.extend(has_call_counts.then(|| preset("Which functions are called most?", Measure::Calls)));
    presets
}
