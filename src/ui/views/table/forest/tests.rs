use super::*;
use camlscope_engine::query::flame::BoxId;

#[test]
fn lines_below_an_open_row_push_the_others_down() {
    let mut forest = opened();
    assert_eq!(forest.at(2), At::Row(2));
    assert_eq!(forest.at(3), At::Below { row: 2, nth: 0 });
    assert_eq!(forest.at(4), At::Below { row: 2, nth: 1 });
    assert_eq!(forest.at(5), At::Row(3));
    assert_eq!(forest.line_of(7), 9);
    assert_eq!(forest.line_of(2), 2);

    answer(&mut forest, &["main", "run"], 2);
    assert_eq!(forest.n_lines_below(), 4);
    assert_eq!(forest.at(7), At::Row(3));
    let wish = forest.wish().expect("the callees");
    assert_eq!((wish.path.as_slice(), wish.parent), ([1].as_slice(), BoxSelector::Top));
}

#[test]
fn a_branch_opens_below_itself_and_more_are_asked_for_behind_the_last() {
    let mut forest = opened();
    answer(&mut forest, &["main"], 3);
    assert_eq!(forest.wish().map(|wish| wish.rows), Some(1..3), "all up to the step are wanted");
    answer(&mut forest, &["b", "c"], 3);
    answer(&mut forest, &[], 0);
    assert_eq!(forest.wish(), None);

    forest = Rc::unwrap_or_clone(Rc::new(forest).reduce(ForestAction::Toggle(2, vec![0, 1])));
    let wish = forest.wish().expect("what is below b");
    assert_eq!(wish.path, [0, 1]);
    assert_eq!(wish.parent, BoxSelector::Id(BoxId { group: 7, depth: 1 }));
    answer(&mut forest, &["d"], 400);
    let below = forest.below(2);
    let names: Vec<String> = below.iter().map(name).collect();
    assert_eq!(names, ["callers", "main", "b", "d", "399 more", "c", "callees"]);
    assert_eq!(below[3].path, [0, 1, 0]);
    assert_eq!(below[6].is_open, None, "it calls nothing");

    let forest = Rc::new(forest).reduce(ForestAction::Toggle(2, vec![0, 1]));
    assert_eq!(forest.below(2).len(), 5);
    let forest = forest.reduce(ForestAction::ToggleRow(2, label("f")));
    assert_eq!(forest.n_lines_below(), 0);
}

#[test]
fn an_answer_for_a_row_that_was_closed_is_dropped() {
    let forest = opened();
    let wish = forest.wish().expect("a wish");
    let other = Rc::new(Forest::default()).reduce(ForestAction::ToggleRow(2, label("g")));
    let after = Rc::clone(&other).reduce(ForestAction::Got(wish, Some(branches(&["main"], 1))));
    assert_eq!(after.n_lines_below(), other.n_lines_below());
}

fn opened() -> Forest {
    Rc::unwrap_or_clone(Rc::new(Forest::default()).reduce(ForestAction::ToggleRow(2, label("f"))))
}

/// Answers the next wish.
fn answer(forest: &mut Forest, names: &[&str], n_children: usize) {
    let wish = forest.wish().expect("a wish");
    forest.take(&wish, Some(branches(names, n_children)));
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
        What::Callers(_) => "callers".to_owned(),
        What::Callees(_) => "callees".to_owned(),
        What::Branch(branch) => branch.label.name.clone(),
        What::More(n) => format!("{n} more"),
        What::Failed => "failed".to_owned(),
    }
}
