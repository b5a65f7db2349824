use super::compare::*;
use super::settings::*;
use super::{Chip, FindingLink, Tab, ViewAction, ViewState};
use camlscope_engine::query::compare::{Scale, Sum};
use camlscope_engine::query::events::Kind;
use camlscope_engine::query::filter::presets::library;
use camlscope_engine::query::filter::{
    Clause, Filter, FrameField, FrameTest, How, NameTest, SizeUnit, Span, When, WhichFrame,
};
use camlscope_engine::query::flame::Direction;
use camlscope_engine::query::histogram::{Bins, Counted};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{Column, Order};
use camlscope_engine::query::timeline::By;
use camlscope_engine::query::tree::{Grain, Label, Place};
use camlscope_present::layout::diff::Width;
use camlscope_present::layout::timeline::Pin;

fn label(name: &str) -> Label {
    Label { name: name.to_owned(), file: "src/a b.ml".to_owned(), place: None }
}

#[test]
fn a_link_keeps_every_setting() {
    let site = Label { place: Some(Place { line: 12, start_char: 3, end_char: 40 }), ..label("A.(>>=)") };
    let view = ViewState {
        tab: Tab::Table,
        measure: Measure::Live(When::At(1_234_567)),
        chips: vec![
            Chip { clause: Clause::Size(Span { from: Some(257), to: None }, SizeUnit::Words), is_on: true },
            Chip {
                clause: Clause::Frame(FrameTest {
                    part: FrameField::Function,
                    name: NameTest { how: How::Matches, text: "a&b=#%c d+".to_owned() },
                    not: true,
                    which: WhichFrame::Any,
                }),
                is_on: false,
            },
        ],
        grain: Grain::Site,
        fold_recursion: true,
        is_library_for_callers: true,
        finding: Some(FollowedFinding { function: Some(label("A.b")), shows_figure: false }),
        search: "x|y".to_owned(),
        selected: Some(site.clone()),
        timeline: TimelineSettings {
            layers: Layers::By(By::Heap),
            wall_clock: true,
            zoom: Some(Span::new(1_000_000, 2_500_000)),
            pins: vec![Pin::new(5, "a&b=#%c d+<i>"), Pin::new(1_500_000, "Deploy")],
            edited_pin: None,
        },
        flame: FlameSettings { direction: Direction::Callers(site), root: vec![label("A.b"), label("C.d")] },
        table: TableSettings { order: Some(Order { column: Column::EndBytes, descending: false }) },
        histograms: HistogramSettings {
            chart: Chart::Lifetimes,
            weight: Counted::Blocks,
            split: None,
            bins: Some(Bins::Log10),
            is_log: true,
        },
        leak_view: LeakView::Table,
        leak_grain: Grain::Module,
        events: EventSettings { kind: Some(Kind::Promote), from: Some(EventTarget::Object(12, Kind::Collect)) },
        source: SourceSettings::at("src/a b&c.ml", Some(88)),
        compare: CompareSettings {
            pair: Some(ComparePair::Times { before: When::At(1_500_000), after: When::End }),
            width: Width::Before,
            root: vec![label("A.b")],
            sum: Sum::Own,
            is_changed_only: true,
            order: ChangeOrder { column: ChangeColumn::Samples, is_descending: false },
            scale: Scale::PerSecond,
            is_stretched: true,
            is_newer_first: true,
        },
    };
    let hash = view.to_hash();
    assert!(!hash.contains([' ', '"', '<', '#']), "{hash}");
    assert_eq!(ViewState::from_hash(&format!("#{hash}")), view);
}

#[test]
fn the_default_view_has_an_empty_link_and_invalid_links_open_it() {
    assert_eq!(ViewState::default().to_hash(), "");
    assert_eq!(ViewState::from_hash(""), ViewState::default());
    let nonsense = "#tab=nothing&show=&size=x..y&&=&order=-&bars=x&bars.count=&leak.by=y&events=z&versus=-";
    assert_eq!(ViewState::from_hash(nonsense), ViewState::default());
}

#[test]
fn another_source_file_is_a_step_back_but_another_line_is_not() {
    let view = ViewState { source: SourceSettings::at("a.ml", Some(3)), ..ViewState::default() };
    let step = |file, line| ViewAction::Source(SourceSettings::at(file, line)).is_step(&view);
    assert!(step("b.ml", None) && !step("a.ml", Some(4)));
    let mut other = view;
    other.leave_trace();
    assert_eq!(other.source, SourceSettings::default(), "another trace has other files");
}

#[test]
fn a_second_range_of_the_same_kind_replaces_the_first() {
    let mut view = ViewState::default();
    view.apply(ViewAction::AddClause(Clause::Allocated(Span::new(1, 2))));
    view.apply(ViewAction::AddClause(Clause::Allocated(Span::new(3, 4))));
    assert_eq!(view.chips.len(), 1);
    assert_eq!(view.brush(), Some(Span::new(3, 4)));
    view.apply(ViewAction::SwitchChip(0));
    assert_eq!((view.brush(), view.filter()), (None, Filter::default()));
    let names = |text: &str| Clause::Hide(NameTest::is(text));
    view.apply(ViewAction::AddClause(names("a")));
    view.apply(ViewAction::AddClause(names("b")));
    view.apply(ViewAction::AddClause(names("a")));
    assert_eq!(view.chips.len(), 3);
}

#[test]
fn changing_the_grain_resets_the_flame_graph() {
    let mut view = ViewState::default();
    view.apply(ViewAction::Direction(Direction::Callees(label("A.b"))));
    view.apply(ViewAction::Zoom(vec![label("A.b")]));
    view.apply(ViewAction::Grain(Grain::Module));
    assert_eq!(view.flame, FlameSettings::default());
}

#[test]
fn selecting_a_time_range_shows_its_allocations() {
    let marked = |measure: Measure, clauses: Vec<Clause>| {
        let chips = clauses.into_iter().map(|clause| Chip { clause, is_on: true }).collect();
        let mut view = ViewState { measure, chips, ..ViewState::default() };
        view.apply(ViewAction::SelectTimeRange(Span::new(1, 2)));
        (view.measure, view.filter().clauses)
    };
    let range = vec![Clause::Allocated(Span::new(1, 2))];
    assert_eq!(marked(Measure::Live(When::Peak), Vec::new()), (Measure::Allocated, range.clone()));
    assert_eq!(marked(Measure::Promoted, Vec::new()), (Measure::Promoted, range.clone()));
    assert_eq!(marked(Measure::Blocks, vec![Clause::LiveAt(When::Peak)]), (Measure::Blocks, range));
}

#[test]
fn a_heat_map_opens_with_all_allocations() {
    let opened = |hash: &str, chart: Chart| {
        let mut view = ViewState::from_hash(hash);
        view.apply(ViewAction::HistogramChart(chart));
        (view.measure, view.filter().clauses)
    };
    assert_eq!(opened("show=end", Chart::TimeAndLifetime), (Measure::Allocated, Vec::new()));
    assert_eq!(opened("show=blocks&live-at=peak", Chart::SizeAndLifetime), (Measure::Blocks, Vec::new()));
    assert_eq!(opened("show=promoted", Chart::SizeAndLifetime).0, Measure::Promoted);
    assert_eq!(opened("show=end", Chart::Lifetimes).0, Measure::Live(When::End), "bars show any measure");
}

#[test]
fn choosing_a_time_ends_the_selected_time_range() {
    let mut view = ViewState::default();
    let choose = ViewAction::ChooseTime(When::At(7));
    assert!(!choose.is_step(&view), "each step of a drag would need its own way back");
    view.apply(ViewAction::AddClause(Clause::NeverCollected));
    view.apply(ViewAction::SelectTimeRange(Span::new(1, 2)));
    assert!(choose.is_step(&view), "going back restores the time range");
    view.apply(choose.clone());
    assert_eq!((view.measure, view.filter().clauses), (Measure::Live(When::At(7)), vec![Clause::NeverCollected]));
    let mut view = ViewState::from_hash("show=blocks&live-at=peak");
    view.apply(choose);
    assert_eq!((view.measure, view.filter()), (Measure::Live(When::At(7)), Filter::default()));
}

#[test]
fn a_view_without_names_keeps_everything_else() {
    let names = "search=secret&selected=Secret.f@secret.ml&root=Secret.f@secret.ml&versus.root=Secret.f@secret.ml\
        &finding=Secret.f@secret.ml&way=callees&of=Secret.f@secret.ml&function-is=Secret.f&source=secret.ml&source.line=3&off.hide-is=Secret.f&calls=Secret.f%3ESecret.g&pin=2s%20secret";
    let view = ViewState::from_hash(&format!("tab=table&show=2s&by=module&size=3..&{names}"));
    assert!(view.to_hash().to_lowercase().contains("secret"));
    assert_eq!(view.without_names().to_hash(), "tab=table&show=2s&by=module&library=callers&size=3..");
}

fn link(function: Option<Label>) -> FindingLink {
    let filter = Filter { clauses: vec![Clause::Collected(Span::ANY), library()] };
    FindingLink { filter, measure: Measure::Promoted, tab: Some(Tab::Table), function }
}

#[test]
fn a_finding_shows_its_figure_regardless_of_settings() {
    let mut view = ViewState::from_hash("by=module&search=x&way=up&leak.by=file&order=name");
    view.apply(ViewAction::Follow(link(Some(label("A.b")))));
    assert_eq!((view.tab, view.grain, view.search.as_str()), (Tab::Table, Grain::Function, ""));
    assert_eq!(view.table_order(), Order { column: Column::SelfBytes, descending: true });
    assert_eq!(view.filter().clauses, [Clause::Collected(Span::ANY), library()]);
    assert_eq!(view.chips.len(), 1, "library code is a setting, not a chip");
    assert_eq!(view.shown_finding().and_then(|followed| followed.function.clone()), Some(label("A.b")));
    assert_eq!(ViewState::from_hash(&view.to_hash()), view);
}

#[test]
fn leaving_a_finding_restores_stacks_and_order() {
    for is_on in [false, true] {
        let mut view = ViewState { is_library_for_callers: is_on, ..ViewState::default() };
        view.apply(ViewAction::Follow(link(Some(label("A.b")))));
        view.apply(ViewAction::Measure(Measure::Allocated));
        assert_eq!(view.shown_finding(), None, "another measure has another figure");
        assert!(view.counts_library_for_callers(), "stacks don't change while the user stays on the tab");
        view.apply(ViewAction::Tab(Tab::Flame));
        assert_eq!(view.counts_library_for_callers(), is_on, "the user's own setting is restored");
        assert_eq!(view.table.order, None);
    }
}

#[test]
fn a_search_is_the_same_in_every_tab_and_an_invalid_one_hides_no_rows() {
    let view = ViewState::from_hash("tab=table&table.search=map");
    assert_eq!((view.search.as_str(), view.table_config(1).search.as_str()), ("map", "map"));
    let view = ViewState::from_hash("tab=table&search=/map(/");
    assert_eq!((view.search.as_str(), view.table_config(1).search.as_str()), ("/map(/", ""));
}

#[test]
fn an_old_link_that_hides_the_library_turns_the_setting_on() {
    let library = library();
    let view = ViewState::from_hash(&format!("{}={}", library.key(), library.value()));
    assert!(view.is_library_for_callers && view.chips.is_empty());
}
