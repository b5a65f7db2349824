//! What a Spacetime profile makes of the view: three graphs, moments that are snapshots, and the way from a site to its
//! callers. Nothing that a profile cannot answer stays in the view while one is open.

use super::compare::ComparePair;
use super::settings::Layers;
use super::state::{Chip, Tab, ViewState};
use camlscope_engine::query::filter::{Clause, FrameField, FrameTest, How, NameTest, Span, When, WhichFrame};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::table::Column;
use camlscope_engine::query::timeline::{By, Graph};

impl ViewState {
    /// The curve of what is shown.
    pub fn graph(&self) -> Graph {
        match self.measure {
            Measure::Blocks => Graph::LiveBlocks,
            Measure::Allocated => Graph::Allocated,
            Measure::Live(_)
            | Measure::Promoted
            | Measure::ByteSeconds
            | Measure::Samples
            | Measure::Growth(_)
            | Measure::Calls => Graph::LiveBytes,
        }
    }

    /// The moment that the figures are about. What was allocated is counted up to it.
    pub fn moment(&self) -> When {
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

    /// Shows another graph, at the same moment.
    pub(super) fn show_graph(&mut self, graph: Graph) {
        let moment = self.moment();
        self.chips.retain(|chip| !matches!(chip.clause, Clause::LiveAt(_) | Clause::Allocated(_)));
        self.measure = match graph {
            Graph::LiveBytes => Measure::Live(moment),
            Graph::LiveBlocks => {
                self.chips.insert(0, Chip { clause: Clause::LiveAt(moment), is_on: true });
                Measure::Blocks
            }
            Graph::Allocated => {
                if let When::At(us) = moment {
                    self.add_clause(Clause::Allocated(Span { from: None, to: Some(us) }));
                }
                Measure::Allocated
            }
        };
    }

    /// Moves the moment. The graph stays, but for the peak, which what was allocated has none of.
    pub(super) fn move_moment(&mut self, moment: When) {
        match (self.measure, moment) {
            (Measure::Blocks, _) => self.add_clause(Clause::LiveAt(moment)),
            (Measure::Allocated, When::At(us)) => {
                let from = self.brush().and_then(|span| span.from).filter(|from| *from <= us);
                self.add_clause(Clause::Allocated(Span { from, to: Some(us) }));
            }
            (Measure::Allocated, When::End) => {
                self.chips.retain(|chip| !matches!(chip.clause, Clause::Allocated(_)));
            }
            _ => {
                self.chips.retain(|chip| !matches!(chip.clause, Clause::Allocated(_)));
                self.measure = Measure::Live(moment);
            }
        }
    }

    /// From a layer to its callers: only what it allocated is left, and it is hidden itself, so that the layers are those
    /// who called it. From there on, each further layer is a caller of the one before.
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

    /// Whose callers the layers are; `None` where they are what allocates.
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

    /// Leaves what this profile can answer; times become those of snapshots.
    pub fn fit_to(&mut self, profile: &ProfileSummary) {
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
            // Snapshots don't say which blocks stayed, so blocks and samples that grow are unknown.
            Measure::Growth(_) => Measure::GROWTH,
            Measure::Calls | Measure::Promoted | Measure::ByteSeconds | Measure::Samples => Measure::Live(When::Peak),
        };
        let is_live_at = |chip: &Chip| chip.is_on && matches!(chip.clause, Clause::LiveAt(_));
        if self.measure == Measure::Blocks && !self.chips.iter().any(is_live_at) {
            // Blocks that were freed are not counted.
            self.chips.insert(0, Chip { clause: Clause::LiveAt(When::End), is_on: true });
        }
        if let Some(ComparePair::Moments { before, after }) = &mut self.compare.pair {
            (*before, *after) = (profile.fit_when(*before), profile.fit_when(*after));
        }
        if matches!(self.timeline.layers, Layers::By(By::Heap | By::Domain)) {
            self.timeline.layers = Layers::Usual;
        }
        self.timeline.wall_clock = false;
        self.table.order = self.table.order.filter(|order| COLUMNS.contains(&order.column));
    }
}

/// By what rows of a profile can be sorted.
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
    fn a_link_to_what_a_profile_has_not_shows_its_summary() {
        let view = fitted("tab=events&show=promoted&stack=heap&size=3..&lifetime=1s..&order=samples&hide-is=f");
        assert_eq!((view.tab, view.measure), (Tab::Summary, Measure::Live(When::Peak)));
        assert_eq!((view.timeline.layers, view.table.order), (Layers::Usual, None));
        assert_eq!(clauses(&view), [Clause::Hide(NameTest::is("f")).to_string()]);
        assert_eq!(fitted("show=calls").measure, Measure::Live(When::Peak), "nothing counted calls");
        assert_eq!(fitted("show=growth-blocks").measure, Measure::GROWTH);
    }

    #[test]
    fn every_time_is_that_of_the_snapshot_before_it() {
        assert_eq!(fitted("show=25us").measure, Measure::Live(When::At(20)));
        assert_eq!(fitted("show=5us").measure, Measure::Live(When::At(10)), "before the first comes none");
        let pair = fitted("versus=12us,99us").compare.pair;
        assert_eq!(pair, Some(ComparePair::Moments { before: When::At(10), after: When::At(30) }));
        // What was allocated between two snapshots begins just behind the first.
        let mut view = ViewState::default();
        view.add_clause(Clause::Allocated(Span::new(12, 33)));
        view.fit_to(&profile());
        assert_eq!(view.brush(), Some(Span::new(11, 30)));
        view.fit_to(&profile());
        assert_eq!(view.brush(), Some(Span::new(11, 30)), "fitting twice is fitting once");
    }

    #[test]
    fn another_graph_keeps_the_moment_and_other_clauses() {
        let mut view = fitted("show=20us&hide-is=f");
        for graph in [Graph::LiveBlocks, Graph::Allocated, Graph::LiveBlocks, Graph::LiveBytes] {
            view.show_graph(graph);
            view.fit_to(&profile());
            assert_eq!((view.graph(), view.moment()), (graph, When::At(20)));
            view.move_moment(When::At(30));
            assert_eq!((view.graph(), view.moment()), (graph, When::At(30)));
            view.move_moment(When::At(20));
        }
        assert_eq!(view, fitted("show=20us&hide-is=f"));
    }

    #[test]
    fn each_layer_leads_to_the_callers_of_the_one_before() {
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
        assert_eq!(ViewState::from_hash(&view.to_hash()), view, "a link leads to the same layers");
    }

    #[test]
    fn blocks_of_a_profile_are_those_that_are_live() {
        assert_eq!(clauses(&fitted("show=blocks")), [Clause::LiveAt(When::End).to_string()]);
        let size = Clause::Size(Span::ANY, SizeUnit::Words);
        assert!(!is_answered(&size));
    }
}
