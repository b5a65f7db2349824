//! The Leaks tab shows growth with the flame graph and table of other tabs. This module derives the state that these
//! views get there, and maps their actions to actions of the page.

use super::action::ViewAction;
use super::settings::LeakView;
use super::state::{Chip, Tab, ViewState};
use camlscope_engine::query::filter::Clause;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{Column, Order};

/// Growth is what a function allocates itself. Its callees have their own rows.
const ORDER: Order = Order { column: Column::SelfBytes, descending: true };

impl ViewState {
    /// Returns the state of the views inside the Leaks tab. `window` selects the time range of growth that stopped.
    pub fn of_growth(&self, window: Option<Clause>) -> ViewState {
        let mut state = self.clone();
        state.measure = Measure::GROWTH;
        state.grain = self.leak_grain;
        state.is_library_for_callers = true;
        state.table.order = state.table.order.or(Some(ORDER));
        state.chips.extend(window.map(|clause| Chip { clause, is_on: true }));
        state
    }

    /// Translates an action of such a view, which knows neither the page's measure nor which chip isn't the user's.
    pub fn actions_of_growth(&self, action: ViewAction) -> Vec<ViewAction> {
        match action {
            ViewAction::Tab(Tab::Flame) => vec![ViewAction::LeakView(LeakView::Flame)],
            ViewAction::Grain(grain) => vec![ViewAction::LeakGrain(grain)],
            ViewAction::Measure(_) => vec![action, ViewAction::Tab(Tab::Flame)],
            ViewAction::Count { mut chips, .. } => {
                chips.truncate(self.chips.len());
                vec![ViewAction::Count { measure: self.measure, chips }]
            }
            _ => vec![action],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::filter::presets::library;
    use camlscope_engine::query::filter::{Span, When};
    use camlscope_engine::query::tree::Grain;

    #[test]
    fn views_inside_the_tab_show_growth_and_keep_the_measure_and_chips_of_the_page() {
        let state = ViewState::from_hash("tab=leaks&show=peak&size=3..");
        let window = Clause::Allocated(Span::new(0, 9));
        let inside = state.of_growth(Some(window.clone()));
        assert_eq!(inside.measure, Measure::GROWTH);
        assert_eq!(inside.filter().clauses, [state.chips[0].clause.clone(), window, library()]);
        let without = ViewAction::Count { measure: inside.measure, chips: inside.chips };
        let expected = ViewAction::Count { measure: Measure::Live(When::Peak), chips: state.chips.clone() };
        assert_eq!(state.actions_of_growth(without), [expected]);
    }

    #[test]
    fn another_measure_opens_the_flame_graph() {
        let state = ViewState::from_hash("tab=leaks");
        let actions = state.actions_of_growth(ViewAction::Measure(Measure::Allocated));
        assert_eq!(actions, [ViewAction::Measure(Measure::Allocated), ViewAction::Tab(Tab::Flame)]);
        let actions = state.actions_of_growth(ViewAction::Tab(Tab::Flame));
        assert_eq!(actions, [ViewAction::LeakView(LeakView::Flame)]);
    }

    #[test]
    fn a_link_keeps_the_leak_view_and_ignores_obsolete_fields() {
        let state = ViewState::from_hash("tab=leaks&leak.view=table&leak=A.b&leak.by=site&leak.needs=sigmas:3");
        assert_eq!(state.to_hash(), "tab=leaks&leak.view=table&leak.by=site");
    }

    #[test]
    fn growth_has_its_own_grouping() {
        let mut state = ViewState::from_hash("tab=leaks&by=site&root=A.b@a.ml");
        assert_eq!(state.of_growth(None).grain, Grain::Function, "as when it is opened from a finding");
        let actions = state.actions_of_growth(ViewAction::Grain(Grain::Module));
        actions.into_iter().for_each(|action| state.apply(action));
        assert_eq!((state.of_growth(None).grain, state.grain), (Grain::Module, Grain::Site));
        assert!(state.flame.root.is_empty());
    }
}
