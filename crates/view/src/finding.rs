//! Links from a finding to the view that shows its figure, and back. Findings attribute library code to its callers, so
//! the view does the same until the user leaves the finding. The user's own setting doesn't change.

use super::settings::FollowedFinding;
use super::state::{Chip, Tab, ViewState};
use camlscope_engine::query::filter::Filter;
use camlscope_engine::query::filter::presets::library;
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{Column, Order};
use camlscope_engine::query::tree::{Grain, Label};

/// The target of a link from a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct FindingLink {
    pub filter: Filter,
    pub measure: Measure,
    /// The timeline, which every tab shows, if `None`.
    pub tab: Option<Tab>,
    pub function: Option<Label>,
}

/// Findings report what a function allocates itself.
const ORDER: Order = Order { column: Column::SelfBytes, descending: true };

impl ViewState {
    /// Shows the figure of a finding, regardless of the current settings.
    pub(super) fn follow(&mut self, link: FindingLink) {
        let clauses = link.filter.clauses.into_iter().filter(|clause| *clause != library());
        self.chips = clauses.map(|clause| Chip { clause, is_on: true }).collect();
        self.measure = link.measure;
        self.tab = link.tab.unwrap_or(self.tab);
        (self.grain, self.leak_grain) = (Grain::Function, Grain::Function);
        self.search.clear();
        self.flame.direction = Direction::TopDown;
        self.table.order = link.function.is_some().then_some(ORDER);
        self.selected.clone_from(&link.function);
        self.finding = Some(FollowedFinding { function: link.function, shows_figure: true });
        self.clear_roots();
    }

    /// Called when the user moves on to something else.
    pub(super) fn leave_finding(&mut self) {
        if self.finding.take().is_some() {
            self.clear_roots();
            self.table.order = self.table.order.filter(|order| *order != ORDER);
        }
    }

    /// Called when a setting changes that the finding's figure depends on.
    pub(super) fn change_figure(&mut self) {
        if let Some(followed) = &mut self.finding {
            followed.shows_figure = false;
        }
    }

    /// Whether library code is attributed to its callers.
    pub fn counts_library_for_callers(&self) -> bool {
        self.is_library_for_callers || self.finding.is_some()
    }

    /// Returns the finding whose figure is shown.
    pub fn shown_finding(&self) -> Option<&FollowedFinding> {
        self.finding.as_ref().filter(|followed| followed.shows_figure)
    }
}
