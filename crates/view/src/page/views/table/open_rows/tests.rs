use super::*;
use camlscope_engine::query::flame::BoxId;

#[test]
fn lines_below_an_open_row_push_the_others_down() {
    let mut open_rows = opened();
    assert_eq!(open_rows.at(2), LineAt::Row(2));
    assert_eq!(open_rows.at(3), LineAt::Below { row: 2, nth: 0 });
    assert_eq!(open_rows.at(4), LineAt::Below { row: 2, nth: 1 });
    assert_eq!(open_rows.at(5), LineAt::Row(3));
    assert_eq!(open_rows.line_of(7), 9);
    assert_eq!(open_rows.line_of(2), 2);

    answer(&mut open_rows, &["main", "run"], 2);
    assert_eq!(open_rows.n_lines_below(), 4);
    assert_eq!(open_rows.at(7), LineAt::Row(3));
    let missing = open_rows.missing().expect("callees are missing");
    assert_eq!((missing.path.as_slice(), missing.parent), ([1].as_slice(), BoxSelector::Top));
}

#[test]
fn a_branch_expands_below_itself_and_more_rows_are_appended() {
    let mut open_rows = opened();
    answer(&mut open_rows, &["main"], 3);
    assert_eq!(open_rows.missing().map(|missing| missing.rows), Some(1..3), "all rows up to the step are wanted");
    answer(&mut open_rows, &["b", "c"], 3);
    answer(&mut open_rows, &[], 0);
    assert_eq!(open_rows.missing(), None);

    open_rows.apply(OpenRowsAction::Toggle(2, vec![0, 1]));
    let missing = open_rows.missing().expect("children of b are missing");
    assert_eq!(missing.path, [0, 1]);
    assert_eq!(missing.parent, BoxSelector::Id(BoxId { group: 7, depth: 1 }));
    answer(&mut open_rows, &["d"], 400);
    let below = open_rows.below(2);
    let names: Vec<String> = below.iter().map(name).collect();
    assert_eq!(names, ["callers", "main", "b", "d", "399 more", "c", "callees"]);
    assert_eq!(below[3].path, [0, 1, 0]);
    assert_eq!(below[6].is_open, None, "no callees");

    open_rows.apply(OpenRowsAction::Toggle(2, vec![0, 1]));
    assert_eq!(open_rows.below(2).len(), 5);
    open_rows.apply(OpenRowsAction::ToggleRow(2, label("f")));
    assert_eq!(open_rows.n_lines_below(), 0);
}

#[test]
fn a_response_for_a_collapsed_row_is_ignored() {
    let open_rows = opened();
    let missing = open_rows.missing().expect("missing rows");
    let mut other = OpenRows::default();
    other.apply(OpenRowsAction::ToggleRow(2, label("g")));
    let mut after = other.clone();
    after.apply(OpenRowsAction::Got(missing, Some(branches(&["main"], 1))));
    assert_eq!(after.n_lines_below(), other.n_lines_below());
}

fn opened() -> OpenRows {
    let mut open_rows = OpenRows::default();
    open_rows.apply(OpenRowsAction::ToggleRow(2, label("f")));
    open_rows
}

/// Answers the next query.
fn answer(open_rows: &mut OpenRows, names: &[&str], n_children: usize) {
    let missing = open_rows.missing().expect("missing rows");
    open_rows.take(&missing, Some(branches(names, n_children)));
}

fn branches(names: &[&str], n_children: usize) -> Branches {
    let branch = |name: &&str| Branch {
        id: BoxId { group: 7, depth: 1 },
        label: label(name),
        total: 1.0,
        own: 0.0,
        samples: 1,
        error: None,
        has_children: true,
    };
    Branches { own: 0.0, total: 1.0, n_children, children: names.iter().map(branch).collect() }
}

fn label(name: &str) -> Label {
    Label { name: name.to_owned(), ..Label::default() }
}

fn name(line: &Line<'_>) -> String {
    match line.what {
        LineKind::Callers(_) => "callers".to_owned(),
        LineKind::Callees(_) => "callees".to_owned(),
        LineKind::Branch(branch) => branch.label.name.clone(),
        LineKind::More(n) => format!("{n} more"),
        LineKind::Failed => "failed".to_owned(),
    }
}
