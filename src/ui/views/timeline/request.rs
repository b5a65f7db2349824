//! What the timeline asks, of either trace.

use crate::protocol::{Answer, Question, Request};
use crate::query::timeline::Timeline;
use crate::ui::context::WorkspaceContext;
use crate::ui::query::SharedAnswer;

/// The curve is of live bytes whatever the measure, so a moving moment need not ask again.
pub fn request(WorkspaceContext { view_state, loaded, .. }: &WorkspaceContext, question: Question) -> Request {
    Request { view: view_state.timeline_view(loaded.is_profile()), question }
}

pub fn as_timeline(answer: Option<&SharedAnswer>) -> Option<&Timeline> {
    match answer.map(|answer| &**answer) {
        Some(Answer::Timeline(timeline)) => Some(timeline),
        _ => None,
    }
}
