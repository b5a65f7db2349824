//! The view of a Spacetime profile: three graphs, times that are snapshots, and navigation from a site to its callers.
//! Settings that a profile doesn't support are removed from the view while one is open.

use super::compare::ComparePair;
use super::settings::Layers;
use super::state::{Chip, Tab, ViewState};
use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, How, NameTest, Span, When, WhichFrame};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::table::Column;
use camlscope_engine::query::timeline::{By, Graph};

impl ViewState {
    /// The graph of the current measure.
    pub fn graph(&self) -> Graph {
        match self.measure {
            Measure::Blocks => Graph::LiveBlocks,
            Measure::Allocated => Graph::Allocated,
            Measure::Live(_)
            | Measure::Promoted
            | Measure::Temporary(_)
            | Measure::ByteSeconds
            | Measure::Samples
            | Measure::Growth(_)
            | Measure::Calls => Graph::LiveBytes,
        }
    }

    /// The time of the figures. Allocations are counted up to this time.
    pub fn time(&self) -> When {
        let live_at = self.filter().clauses.into_iter().find_map(|clause| match clause {
            Clause::LiveAt(when) => Some(when),
            _ => None,
        });
        match self.measure {
            Measure::Live(when) => when,
            Measure::Allocated => self.brush().and_then(|span| span.to).map_or(When::End, When::At),
            _ => live_at.unwrap_or(When::End),
        }
    }

    /// Shows another graph and keeps the time.
    pub(super) fn show_graph(&mut self, graph: Graph) {
        let time = self.time();
        self.chips.retain(|chip| !matches!(chip.clause, Clause::LiveAt(_) | Clause::Allocated(_)));
        self.measure = match graph {
            Graph::LiveBytes => Measure::Live(time),
            Graph::LiveBlocks => {
                self.chips.insert(0, Chip { clause: Clause::LiveAt(time), is_on: true });
                Measure::Blocks
            }
            Graph::Allocated => {
                if let When::At(us) = time {
                    self.add_clause(Clause::Allocated(Span { from: None, to: Some(us) }));
                }
                Measure::Allocated
            }
        };
    }

    /// Moves the time. The graph stays the same, except for the peak, because allocations have no peak.
    pub(super) fn move_time(&mut self, time: When) {
        match (self.measure, time) {
            (Measure::Blocks, _) => self.add_clause(Clause::LiveAt(time)),
            (Measure::Allocated, When::At(us)) => {
                let from = self.brush().and_then(|span| span.from).filter(|from| *from <= us);
                self.add_clause(Clause::Allocated(Span { from, to: Some(us) }));
            }
            (Measure::Allocated, When::End) => {
                self.chips.retain(|chip| !matches!(chip.clause, Clause::Allocated(_)));
            }
            _ => {
                self.chips.retain(|chip| !matches!(chip.clause, Clause::Allocated(_)));
                self.measure = Measure::Live(time);
            }
        }
    }

    /// Goes from a layer to its callers. It keeps only what this layer allocated and hides the layer itself, so the
    /// layers become its callers. Each further step goes to the callers of the previous layer.
    pub(super) fn descend(&mut self, name: &str) {
        let name = NameTest::is(name);
        let clause = match self.descended_to() {
            Some(callee) => Clause::Calls { caller: name.clone(), callee },
            None => Clause::Frame(FrameTest {
                part: FrameField::Function,
                name: name.clone(),
                not: false,
                which: WhichFrame::Allocating,
            }),
        };
        self.add_clause(clause);
        self.add_clause(Clause::Hide(name));
        self.clear_roots();
    }

    /// The name whose callers the layers show, or `None` if they show allocation sites.
    pub fn descended_to(&self) -> Option<NameTest> {
        let on = self.chips.iter().rev().filter(|chip| chip.is_on);
        { on }.find_map(|chip| match &chip.clause {
            Clause::Calls { caller, .. } if caller.how == How::Is => Some(caller.clone()),
            Clause::Frame(FrameTest {
                part: FrameField::Function,
                name,
                not: false,
                which: WhichFrame::Allocating,
            }) if name.how == How::Is => Some(name.clone()),
            _ => None,
        })
    }

    /// Removes what this profile doesn't support, and moves times to snapshots.
    pub(crate) fn fit_to(&mut self, profile: &ProfileSummary) {
        if !Tab::WITHOUT_OBJECTS.contains(&self.tab) {
            self.tab = Tab::Summary;
        }
        self.chips.retain(|chip| is_answered(&chip.clause));
        for chip in &mut self.chips {
            profile.fit_clause(&mut chip.clause);
        }
        self.chips.retain(|chip| chip.clause != Clause::Allocated(Span::ANY));
        self.measure = match self.measure {
            Measure::Live(when) => Measure::Live(profile.fit_when(when)),
            Measure::Calls if profile.has_call_counts => Measure::Calls,
            Measure::Allocated | Measure::Blocks => self.measure,
            // Snapshots don't tell which blocks survived, so growth in blocks and samples is unknown.
            Measure::Growth(_) => Measure::GROWTH,
            Measure::Calls | Measure::Promoted | Measure::Temporary(_) | Measure::ByteSeconds | Measure::Samples => {
                Measure::Live(When::Peak)
            }
        };
        let is_live_at = |chip: &Chip| chip.is_on && matches!(chip.clause, Clause::LiveAt(_));
        if self.measure == Measure::Blocks && !self.chips.iter().any(is_live_at) {
            // Freed blocks are not counted.
            self.chips.insert(0, Chip { clause: Clause::LiveAt(When::End), is_on: true });
        }
        if let Some(ComparePair::Times { before, after }) = &mut self.compare.pair {
            (*before, *after) = (profile.fit_when(*before), profile.fit_when(*after));
        }
        if matches!(self.timeline.layers, Layers::By(By::Heap | By::Domain)) {
            self.timeline.layers = Layers::Usual;
        }
        self.timeline.wall_clock = false;
        self.table.order = self.table.order.filter(|order| COLUMNS.contains(&order.column));
    }
}

/// The columns that a profile's rows can be sorted by.
const COLUMNS: [Column; 8] = [
    Column::Name,
    Column::File,
    Column::SelfBytes,
    Column::TotalBytes,
    Column::SelfBlocks,
    Column::Blocks,
    Column::SelfCalls,
    Column::Calls,
];

fn is_answered(clause: &Clause) -> bool {
    match clause {
        Clause::LiveAt(_)
        | Clause::Allocated(_)
        | Clause::Frame(_)
        | Clause::Calls { .. }
        | Clause::Hide(_)
        | Clause::Focus(_) => true,
        Clause::Collected(_)
        | Clause::NeverCollected
        | Clause::LiveWithin(_)
        | Clause::LiveThrough(_)
        | Clause::Size(..)
        | Clause::Lifetime(_)
        | Clause::Temporary(_)
        | Clause::Heap(_)
        | Clause::Domain(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::filter::SizeUnit;
    use camlscope_engine::query::profile::Snapshot;

    fn profile() -> ProfileSummary {
        let snapshot = |at_us| {
            let mut snapshot = Snapshot::default();
            snapshot.at_us = at_us;
            snapshot
        };
        ProfileSummary { snapshots: [10, 20, 30].map(snapshot).to_vec(), ..ProfileSummary::default() }
    }

    fn fitted(hash: &str) -> ViewState {
        let mut view = ViewState::from_hash(hash);
        view.fit_to(&profile());
        view
    }

    fn clauses(view: &ViewState) -> Vec<String> {
        view.filter().clauses.iter().map(Clause::to_string).collect()
    }

    #[test]
    fn a_link_to_something_a_profile_lacks_shows_the_summary() {
        let view = fitted("tab=events&show=promoted&stack=heap&size=3..&lifetime=1s..&order=samples&hide-is=f");
        assert_eq!((view.tab, view.measure), (Tab::Summary, Measure::Live(When::Peak)));
        assert_eq!((view.timeline.layers, view.table.order), (Layers::Usual, None));
        assert_eq!(clauses(&view), [Clause::Hide(NameTest::is("f")).to_string()]);
        assert_eq!(fitted("show=calls").measure, Measure::Live(When::Peak), "calls were not counted");
        assert_eq!(fitted("show=growth-blocks").measure, Measure::GROWTH);
    }

    #[test]
    fn times_snap_to_the_previous_snapshot() {
        assert_eq!(fitted("show=25us").measure, Measure::Live(When::At(20)));
        assert_eq!(fitted("show=5us").measure, Measure::Live(When::At(10)), "the first snapshot");
        let pair = fitted("versus=12us,99us").compare.pair;
        assert_eq!(pair, Some(ComparePair::Times { before: When::At(10), after: When::At(30) }));
        // Allocations between two snapshots start just after the first one.
        let mut view = ViewState::default();
        view.add_clause(Clause::Allocated(Span::new(12, 33)));
        view.fit_to(&profile());
        assert_eq!(view.brush(), Some(Span::new(11, 30)));
        view.fit_to(&profile());
        assert_eq!(view.brush(), Some(Span::new(11, 30)), "fitting again changes nothing");
    }

    #[test]
    fn switching_graphs_keeps_the_time_and_other_clauses() {
        let mut view = fitted("show=20us&hide-is=f");
        for graph in [Graph::LiveBlocks, Graph::Allocated, Graph::LiveBlocks, Graph::LiveBytes] {
            view.show_graph(graph);
            view.fit_to(&profile());
            assert_eq!((view.graph(), view.time()), (graph, When::At(20)));
            view.move_time(When::At(30));
            assert_eq!((view.graph(), view.time()), (graph, When::At(30)));
            view.move_time(When::At(20));
        }
        assert_eq!(view, fitted("show=20us&hide-is=f"));
    }

    #[test]
    fn each_step_goes_to_the_callers_of_the_previous_layer() {
        let mut view = ViewState::default();
        view.descend("list.ml:67");
        view.descend("leak.ml:4");
        let is = NameTest::is;
        let allocating =
            FrameTest { part: FrameField::Function, name: is("list.ml:67"), not: false, which: WhichFrame::Allocating };
        let expected = [
            Clause::Frame(allocating),
            Clause::Hide(is("list.ml:67")),
            Clause::Calls { caller: is("leak.ml:4"), callee: is("list.ml:67") },
            Clause::Hide(is("leak.ml:4")),
        ];
        assert_eq!(view.filter().clauses, expected);
        assert_eq!(ViewState::from_hash(&view.to_hash()), view, "a link shows the same layers");
    }

    #[test]
    fn a_profile_counts_only_live_blocks() {
        assert_eq!(clauses(&fitted("show=blocks")), [Clause::LiveAt(When::End).to_string()]);
        let size = Clause::Size(Span::ANY, SizeUnit::Words);
        assert!(!is_answered(&size));
    }
}
