//! What the timeline asks, of either trace.

use crate::protocol::{Answer, Question, Request};
use crate::query::filter::{Clause, Filter};
use crate::query::findings;
use crate::query::measure::Measure;
use crate::query::timeline::Timeline;
use crate::query::tree::Grain;
use crate::ui::context::WorkspaceContext;
use crate::ui::query::SharedAnswer;

/// A question about all objects of the filter but for the marked stretch, which is drawn instead.
pub fn request(workspace: &WorkspaceContext, question: Question) -> Request {
    let view_state = &workspace.view_state;
    let mut clauses: Vec<Clause> =
        view_state.filter().clauses.into_iter().filter(|clause| !matches!(clause, Clause::Allocated(_))).collect();
    // What the library allocates counts for the program's module that called it: that is who can do something about it. In a
    // profile a click leads from the library to its callers.
    if !workspace.loaded.is_profile() {
        clauses.push(findings::library());
    }
    let mut request = view_state.request(question);
    request.view.filter = Filter { clauses };
    // The curve is of live bytes whatever the measure, so a moving moment need not ask again.
    request.view.measure = Measure::Allocated;
    request.view.grain = Grain::default();
    request
}

pub fn as_timeline(answer: Option<&SharedAnswer>) -> Option<&Timeline> {
    match answer.map(|answer| &**answer) {
        Some(Answer::Timeline(timeline)) => Some(timeline),
        _ => None,
    }
}
