//! Checks figures by source line against sums over all objects.

use std::collections::BTreeMap;

use camlscope_engine::protocol::{Answer, Question, Request, View};
use camlscope_engine::query::amounts::Amounts;
use camlscope_engine::query::filter::{Clause, Filter, FrameField, FrameTest, NameTest, When, WhichFrame, line_name};
use camlscope_engine::query::flame::{BoxSelector, BranchConfig, Branches, Direction};
use camlscope_engine::query::lines::{FileLines, LinesConfig, SourceFigures, SourceFile, SourceFiles};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::tree::{Grain, Label, Shape};
use camlscope_engine::session::Session;
use camlscope_testkit::fixtures::{fixture, opened};
use expect_test::expect;
use proptest::prelude::*;

use super::filters::{name, random_case, random_measure};
use super::reference::{counted, reading, weight};
use super::support::{Case, Object};

/// `None` if nothing can pass the filter.
fn source_files(session: &mut Session, view: &View) -> Option<SourceFiles> {
    match session.handle(&Request { view: view.clone(), question: Question::SourceFiles }) {
        Ok(Answer::SourceFiles(files)) => Some(files),
        Err(_) => None,
        Ok(other) => panic!("{other:?}"),
    }
}

fn file_lines(session: &mut Session, view: &View, file: &str) -> FileLines {
    let question = Question::Lines(LinesConfig { file: file.to_owned() });
    match session.handle(&Request { view: view.clone(), question }) {
        Ok(Answer::Lines(lines)) => lines,
        other => panic!("{other:?}"),
    }
}

fn amounts(session: &mut Session, view: &View) -> Amounts {
    match session.handle(&Request { view: view.clone(), question: Question::Amounts }) {
        Ok(Answer::Amounts(amounts)) => amounts,
        other => panic!("{other:?}"),
    }
}

/// The view with a filter for a line, in any frame or in the one that allocated.
fn view_of_line(view: &View, line: &str, not: bool, which: WhichFrame) -> View {
    let test = FrameTest { part: FrameField::Line, name: NameTest::is(line), not, which };
    let clauses = view.filter.clauses.iter().cloned().chain([Clause::Frame(test)]).collect();
    View { filter: Filter { clauses }, ..view.clone() }
}

fn next_lines(session: &mut Session, view: &View, direction: Direction) -> Branches {
    let config = BranchConfig { direction, parent: BoxSelector::Top, rows: 0..usize::MAX };
    match session.handle(&Request { view: view.clone(), question: Question::LineBranches(config) }) {
        Ok(Answer::Branches(branches)) => branches,
        other => panic!("{other:?}"),
    }
}

/// The objects that a line or a file allocated itself, and those with it in their stack.
#[derive(Default)]
struct Counted<'a> {
    own: Vec<&'a Object>,
    total: Vec<&'a Object>,
}

impl Counted<'_> {
    fn figures(&self, case: &Case, measure: Measure) -> [f64; 8] {
        let sum = |objects: &[&Object], measure: Measure| {
            let raw: f64 = objects.iter().map(|object| weight(case, object, measure)).sum();
            raw * measure.scale(case.trace.sampling(), 0.0)
        };
        let both = |measure| [sum(&self.own, measure), sum(&self.total, measure)];
        let figures = [measure, Measure::Allocated, Measure::Blocks, Measure::Samples].map(both);
        figures.concat().try_into().expect("eight figures")
    }
}

fn fast(figures: &SourceFigures) -> [f64; 8] {
    [
        figures.own,
        figures.total,
        figures.self_bytes,
        figures.total_bytes,
        figures.self_blocks,
        figures.blocks,
        figures.self_samples as f64,
        figures.total_samples as f64,
    ]
}

fn are_close(one: &[f64], two: &[f64]) -> bool {
    one.iter().zip(two).all(|(one, two)| (one - two).abs() <= 1e-9 * two.abs())
}

/// Groups the counted objects by what `group` makes of each frame.
fn grouped<'a, K: Ord>(case: &'a Case, view: &View, group: impl Fn(&Label) -> Option<K>) -> BTreeMap<K, Counted<'a>> {
    let shape = Shape::new(Grain::Site, false, &view.filter);
    let mut groups: BTreeMap<K, Counted<'_>> = BTreeMap::new();
    for object in counted(case, &view.filter, view.measure) {
        let Some(stack) = reading(object, &shape) else { continue };
        if let Some(key) = stack.last().and_then(&group) {
            groups.entry(key).or_default().own.push(object);
        }
        let mut keys: Vec<K> = stack.iter().filter_map(&group).collect();
        keys.sort();
        keys.dedup();
        for key in keys {
            groups.entry(key).or_default().total.push(object);
        }
    }
    groups
}

/// Checks all files and lines of a view.
fn check(case: &Case, session: &mut Session, view: &View) -> Result<(), TestCaseError> {
    let Some(found) = source_files(session, view) else { return Ok(()) };
    let has_file = |label: &Label| label.place.is_some() && !label.file.is_empty();
    let files = grouped(case, view, |label| has_file(label).then(|| label.file.clone()));
    prop_assert_eq!(found.files.len(), files.len());
    for SourceFile { file, figures, .. } in &found.files {
        let slow = files.get(file).map(|objects| objects.figures(case, view.measure)).unwrap_or_default();
        prop_assert!(are_close(&fast(figures), &slow), "{file}: {figures:?} is not {slow:?}");
    }
    let by_total = |pair: &[SourceFile]| pair[0].figures.total >= pair[1].figures.total;
    prop_assert!(found.files.windows(2).all(by_total));

    let of_line = |label: &Label| has_file(label).then(|| (label.file.clone(), label.place.map(|place| place.line)));
    let mut lines = grouped(case, view, of_line);
    for file in files.keys() {
        let found = file_lines(session, view, file);
        prop_assert!(found.lines.is_sorted_by(|one, two| one.line < two.line));
        for line in &found.lines {
            let slow = lines.remove(&(file.clone(), Some(line.line)));
            let slow = slow.map(|objects| objects.figures(case, view.measure)).unwrap_or_default();
            prop_assert!(are_close(&fast(&line.figures), &slow), "{file}:{}: {line:?} is not {slow:?}", line.line);
        }
    }
    prop_assert!(lines.is_empty(), "these lines are missing: {:?}", lines.keys());
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(100) })]

    #[test]
    fn lines_and_files_count_each_object_once((case, filter) in random_case(), measure in random_measure()) {
        let view = View { filter, measure, ..View::default() };
        check(&case, &mut opened(&case.bytes), &view)?;
    }

    #[test]
    fn filtering_by_a_line_leaves_that_lines_total((case, filter) in random_case(), measure in random_measure()) {
        // These change which frames a stack has, but not which objects a filter by line selects.
        let clauses = filter.clauses.into_iter();
        let clauses = clauses.filter(|clause| !matches!(clause, Clause::Hide(_) | Clause::Focus(_))).collect();
        let view = View { filter: Filter { clauses }, measure, ..View::default() };
        let mut session = opened(&case.bytes);
        for SourceFile { file, .. } in source_files(&mut session, &view).into_iter().flat_map(|found| found.files) {
            let FileLines { all, lines, .. } = file_lines(&mut session, &view, &file);
            for line in lines {
                let name = line_name(&file, line.line);
                let mut total = |not, which| {
                    amounts(&mut session, &view_of_line(&view, &name, not, which)).passing.value
                };
                prop_assert!(are_close(&[total(false, WhichFrame::Any)], &[line.figures.total]), "{name}");
                prop_assert!(are_close(&[total(false, WhichFrame::Allocating)], &[line.figures.own]), "{name}");
                let others = all - line.figures.total;
                prop_assert!((total(true, WhichFrame::Any) - others).abs() <= 1e-9 * all, "{name}");
            }
        }
    }

    #[test]
    fn callers_and_callees_of_a_line_match_the_slow_sums(
        (case, filter) in random_case(),
        measure in random_measure(),
        fold_recursion in any::<bool>(),
    ) {
        let view = View { filter, measure, fold_recursion, ..View::default() };
        let shape = Shape::by_line(fold_recursion, &view.filter);
        let mut session = opened(&case.bytes);
        for SourceFile { file, .. } in source_files(&mut session, &view).into_iter().flat_map(|found| found.files) {
            for line in file_lines(&mut session, &view, &file).lines {
                let asked = Label::of_line(&file, line.line);
                for (direction, step) in [(Direction::Callers(asked.clone()), -1), (Direction::Callees(asked.clone()), 1)] {
                    let mut slow: BTreeMap<Option<Label>, f64> = BTreeMap::new();
                    for object in counted(&case, &view.filter, measure) {
                        let stack = reading(object, &shape).unwrap_or_default();
                        let Some(at) = stack.iter().position(|label| *label == asked) else { continue };
                        let next = at.checked_add_signed(step).and_then(|at| stack.get(at)).cloned();
                        *slow.entry(next).or_default() += weight(&case, object, measure);
                    }
                    let found = next_lines(&mut session, &view, direction);
                    let scale = measure.scale(case.trace.sampling(), 0.0);
                    prop_assert!(are_close(&[found.total], &[line.figures.total]));
                    let own = slow.remove(&None).unwrap_or_default();
                    prop_assert!((found.own - own * scale).abs() <= 1e-9 * found.total);
                    for child in &found.children {
                        let slow = slow.remove(&Some(child.label.clone())).unwrap_or_default();
                        prop_assert!(are_close(&[child.total], &[slow * scale]), "{child:?}");
                    }
                    prop_assert!(slow.is_empty(), "these lines are missing: {slow:?}");
                }
            }
        }
    }

    #[test]
    fn hiding_functions_changes_what_a_line_allocates_itself_but_not_its_total(
        (case, filter) in random_case(),
        hidden in name(),
    ) {
        let mut session = opened(&case.bytes);
        let plain = View { filter: filter.clone(), ..View::default() };
        let hiding = Filter { clauses: filter.clauses.into_iter().chain([Clause::Hide(hidden)]).collect() };
        let hiding = View { filter: hiding, ..View::default() };
        let (Some(_), Some(files)) = (source_files(&mut session, &plain), source_files(&mut session, &hiding)) else {
            return Ok(());
        };
        for SourceFile { file, .. } in &files.files {
            let all = file_lines(&mut session, &plain, file).lines;
            for line in file_lines(&mut session, &hiding, file).lines {
                let before = all.iter().find(|other| other.line == line.line).expect("the same line");
                // In random traces, each line belongs to one function, so a line is hidden entirely or not at all.
                prop_assert_eq!(line.figures.total_samples, before.figures.total_samples);
                prop_assert!(line.figures.self_samples >= before.figures.self_samples);
            }
        }
    }
}

#[test]
fn every_line_of_real_programs_matches_the_slow_sums() {
    for name in ["orders-1e-4-v2", "leak-1e-4-v3"] {
        let case = Case::from_bytes(&fixture(name));
        let mut session = opened(&case.bytes);
        for measure in [Measure::Allocated, Measure::Live(When::Peak)] {
            let view = View { measure, ..View::default() };
            check(&case, &mut session, &view).unwrap_or_else(|why| panic!("{name}, {measure}: {why}"));
        }
    }
}

const PROGRAM: &str = "
    main[main.ml:3];visit[tree.ml:10];visit[tree.ml:11];visit[tree.ml:10];add[tree.ml:5] 10@0-1
    main[main.ml:3];visit[tree.ml:10];add[tree.ml:6] 20@0-2
    main[main.ml:4];visit[tree.ml:10]+visit.(fun)[tree.ml:10] 30@0-
    main[main.ml:4];print[out.ml:1] 5@0-
    main[main.ml:3];Stdlib__List.map[list.ml:92];visit[tree.ml:10] 1@0-
";

fn text(filter: &str, file: &str) -> String {
    let filter = if filter.is_empty() { Filter::default() } else { Filter::parse(filter).expect("a filter") };
    let view = View { filter, measure: Measure::Samples, ..View::default() };
    let found = file_lines(&mut opened(&Case::from_text(PROGRAM).bytes), &view, file);
    let lines = found.lines.iter().map(|line| {
        let SourceFigures { own, total, .. } = line.figures;
        format!("line {}: self {own} total {total} of {}\n", line.line, found.all)
    });
    let functions = found.functions.iter().map(|function| {
        let hottest = function.hottest_line.map_or_else(|| "none".to_owned(), |line| line.to_string());
        format!("{} {}-{}, hottest {hottest}\n", function.name, function.first_line, function.last_line)
    });
    lines.chain(functions).collect()
}

#[test]
fn recursion_and_inlined_frames_count_an_object_once_per_line() {
    expect![[r#"
        line 5: self 10 total 10 of 66
        line 6: self 20 total 20 of 66
        line 10: self 31 total 61 of 66
        line 11: self 0 total 10 of 66
        add 5-6, hottest 6
        visit 10-11, hottest 10
        visit.(fun) 10-10, hottest 10
    "#]]
    .assert_eq(&text("", "tree.ml"));
    assert_eq!(text("", "no such file"), "");
}

#[test]
fn functions_keep_their_lines_when_a_filter_hides_their_objects() {
    expect![[r#"
        add 5-6, hottest none
        visit 10-11, hottest none
        visit.(fun) 10-10, hottest none
    "#]]
    .assert_eq(&text("function=print", "tree.ml"));
}

#[test]
fn only_files_of_ocamls_library_are_library_files() {
    let view = View { measure: Measure::Samples, ..View::default() };
    let found = source_files(&mut opened(&Case::from_text(PROGRAM).bytes), &view).expect("files");
    let files: Vec<String> = found
        .files
        .iter()
        .map(|SourceFile { file, is_library, figures }| format!("{file} {} {is_library}", figures.total))
        .collect();
    assert_eq!(files, ["main.ml 66 false", "tree.ml 61 false", "out.ml 5 false", "list.ml 1 true"]);
}

#[test]
fn a_line_is_found_by_the_end_of_its_path_unless_a_file_has_exactly_this_path() {
    let samples = |line: &str| {
        let case = Case::from_text(
            "main[src/main.ml:3];visit[src/a/tree.ml:10] 1@0-
             main[src/main.ml:3];visit[src/b/tree.ml:10] 2@0-
             main[src/main.ml:3];visit[main.ml:3] 4@0-
             main[src/main.ml:3];visit[old_main.ml:3] 8@0-
             main[src/main.ml:30];visit[old_main.ml:3] 16@0-",
        );
        let view = View { measure: Measure::Samples, ..View::default() };
        amounts(&mut opened(&case.bytes), &view_of_line(&view, line, false, WhichFrame::Any)).passing.value
    };
    assert_eq!(samples("src/a/tree.ml:10"), 1.0);
    assert_eq!(samples("a/tree.ml:10"), 1.0);
    assert_eq!(samples("tree.ml:10"), 3.0);
    assert_eq!(samples("main.ml:3"), 4.0, "a file has exactly this path");
    assert_eq!(samples("src/main.ml:3"), 15.0, "line 30 is another line");
    for nothing in ["tree.ml:1", "ree.ml:10", "tree.ml", "/src/main.ml:3", "Tree.ml:10"] {
        assert_eq!(samples(nothing), 0.0, "{nothing}");
    }
}

#[test]
fn callers_and_callees_of_a_line_are_lines() {
    let view = View { measure: Measure::Samples, ..View::default() };
    let mut session = opened(&Case::from_text(PROGRAM).bytes);
    let mut text = |direction| {
        let found = next_lines(&mut session, &view, direction);
        let rows = found.children.iter().map(|child| format!("{} {}\n", child.label.name, child.total));
        format!("{}self {} of {}\n", rows.collect::<String>(), found.own, found.total)
    };
    expect![[r#"
        main.ml:3 30
        main.ml:4 30
        list.ml:92 1
        self 0 of 61
    "#]]
    .assert_eq(&text(Direction::Callers(Label::of_line("tree.ml", 10))));
    expect![[r#"
        tree.ml:10 30
        tree.ml:6 20
        tree.ml:11 10
        self 1 of 61
    "#]]
    .assert_eq(&text(Direction::Callees(Label::of_line("tree.ml", 10))));
}
