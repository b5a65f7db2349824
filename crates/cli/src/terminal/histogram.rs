//! The user's settings of the histograms: what to show, and what bars count.

use super::state::State;
use camlscope_engine::query::filter::{Clause, SizeUnit, Span};
use camlscope_engine::query::histogram::sites::Which;
use camlscope_engine::query::histogram::{Bins, Counted, HistogramConfig, Of};
use camlscope_present::layout::histogram::Column;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HistogramState {
    pub of: Of,
    pub weight: Counted,
    size_bins: Bins,
    lifetime_bins: Bins,
}

impl HistogramState {
    pub fn bins(&self) -> Bins {
        match self.of {
            Of::Size => self.size_bins,
            Of::Lifetime => self.lifetime_bins,
        }
    }

    pub fn config(&self) -> HistogramConfig {
        HistogramConfig { of: self.of, bins: self.bins(), split: None, weight: self.weight }
    }

    pub fn next_weight(&mut self) {
        self.weight = match self.weight {
            Counted::Bytes => Counted::Samples,
            Counted::Samples => Counted::Blocks,
            Counted::Blocks => Counted::Bytes,
        };
    }

    pub fn next_bins(&mut self) {
        match self.of {
            Of::Size => self.size_bins = if self.size_bins == Bins::Log2 { Bins::Classic } else { Bins::Log2 },
            Of::Lifetime => {
                self.lifetime_bins = if self.lifetime_bins == Bins::Log2 { Bins::Log10 } else { Bins::Log2 }
            }
        }
    }
}

impl Default for HistogramState {
    fn default() -> HistogramState {
        HistogramState { of: Of::Size, weight: Counted::Bytes, size_bins: Bins::Log2, lifetime_bins: Bins::Log2 }
    }
}

impl State {
    /// Keeps only the objects of a bar.
    pub fn filter_by_bar(&mut self, column: &Column) {
        let clauses = match (column.which, self.histogram.of) {
            (Which::Never, _) => vec![Clause::NeverCollected],
            (Which::Values { from, to }, Of::Size) => {
                let to = (!column.is_open).then_some(to.saturating_sub(1));
                vec![Clause::Size(Span { from: Some(from), to }, SizeUnit::Words)]
            }
            // A lifetime alone would also match live objects, by their age.
            (Which::Values { from, to }, Of::Lifetime) => {
                vec![Clause::Lifetime(Span::new(from, to.saturating_sub(1))), Clause::Collected(Span::ANY)]
            }
        };
        self.change_view(|view| {
            let is_new = |clause: &Clause| !view.filter.clauses.contains(clause);
            let added: Vec<Clause> = clauses.into_iter().filter(is_new).collect();
            view.filter.clauses.extend(added);
        });
    }
}
