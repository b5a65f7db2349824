//! Filters by a line of source code.

use crate::{ViewAction, ViewState};
use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, NameTest, WhichFrame, line_name};

/// A filter for stacks through a line.
pub fn through(file: &str, line: u32) -> Clause {
    let name = NameTest::is(&line_name(file, line));
    Clause::Frame(FrameTest { part: FrameField::Line, name, not: false, which: WhichFrame::Any })
}

/// Returns what a click on a line does to the filter: it keeps only stacks through this line, instead of through another
/// one. A second click, or one on a line without memory, removes the filter.
pub fn toggle(view_state: &ViewState, file: &str, line: u32, has_figures: bool) -> Option<ViewAction> {
    let clause = through(file, line);
    let of_line = view_state.chips.iter().position(|chip| chip.is_on && is_through_line(&chip.clause));
    match of_line {
        Some(at) if view_state.chips[at].clause == clause || !has_figures => Some(ViewAction::RemoveChip(at)),
        Some(at) => Some(ViewAction::SetChip(at, clause)),
        None => has_figures.then_some(ViewAction::AddClause(clause)),
    }
}

fn is_through_line(clause: &Clause) -> bool {
    matches!(clause, Clause::Frame(FrameTest { part: FrameField::Line, not: false, which: WhichFrame::Any, .. }))
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    fn after(view: &Rc<ViewState>, line: u32, has_figures: bool) -> Rc<ViewState> {
        let action = toggle(view, "src/a.ml", line, has_figures);
        action.map_or_else(|| Rc::clone(view), |action| Rc::clone(view).reduce(action))
    }

    #[test]
    fn a_click_filters_by_the_line_and_a_second_one_shows_everything_again() {
        let view = Rc::new(ViewState::from_hash("size=3.."));
        let filtered = after(&view, 7, true);
        assert_eq!(filtered.filter().clauses[1..], [through("src/a.ml", 7)]);
        let other = after(&filtered, 8, true);
        assert_eq!(other.filter().clauses[1..], [through("src/a.ml", 8)], "the lines need not have a common stack");
        assert_eq!(after(&other, 8, true), view);
        assert_eq!(after(&other, 1, false), view);
        assert_eq!(after(&view, 1, false), view, "a line without memory");
    }
}
