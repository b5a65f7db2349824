use super::*;
use crate::query::filter::{FrameTest, How, NameTest, Part, SizeUnit};

fn label(name: &str) -> Label {
    Label { name: name.to_owned(), file: "src/a b.ml".to_owned(), place: None }
}

#[test]
fn a_link_carries_everything_that_was_set() {
    let site = Label { place: Some(Place { line: 12, start_char: 3, end_char: 40 }), ..label("A.(>>=)") };
    let look = Look {
        tab: Tab::Table,
        measure: Measure::Live(When::At(1_234_567)),
        chips: vec![
            Chip { clause: Clause::Size(Span { from: Some(257), to: None }, SizeUnit::Words), is_on: true },
            Chip {
                clause: Clause::Frame(FrameTest {
                    part: Part::Function,
                    name: NameTest { how: How::Matches, text: "a&b=#%c d+".to_owned() },
                    not: true,
                    allocating_only: false,
                }),
                is_on: false,
            },
        ],
        grain: Grain::Site,
        fold_recursion: true,
        direction: Direction::Callers(site.clone()),
        root: vec![label("A.b"), label("C.d")],
        search: "x|y".to_owned(),
        stacked_by: Some(By::Heap),
        wall_clock: true,
        zoom: Some(Span::new(1_000_000, 2_500_000)),
        order: Some(Order { column: Column::EndBytes, descending: false }),
        selected: Some(site),
        settings: {
            let mut settings = Settings::default();
            settings.set(Setting::HistogramOf, "lifetimes".to_owned());
            settings.set(Setting::HistogramSplit, "a&b c".to_owned());
            settings
        },
    };
    let hash = look.to_hash();
    assert!(!hash.contains([' ', '"', '<', '#']), "{hash}");
    assert_eq!(Look::from_hash(&format!("#{hash}")), look);
}

#[test]
fn the_usual_look_is_an_empty_link_and_nonsense_is_read_as_usual() {
    assert_eq!(Look::default().to_hash(), "");
    assert_eq!(Look::from_hash(""), Look::default());
    assert_eq!(Look::from_hash("#tab=nothing&show=&size=x..y&&=&order=-"), Look::default());
}

#[test]
fn a_second_range_of_the_same_kind_takes_the_place_of_the_first() {
    let mut look = Look::default();
    look.turn(Turn::AddClause(Clause::Allocated(Span::new(1, 2))));
    look.turn(Turn::AddClause(Clause::Allocated(Span::new(3, 4))));
    assert_eq!(look.chips.len(), 1);
    assert_eq!(look.brush(), Some(Span::new(3, 4)));
    look.turn(Turn::SwitchChip(0));
    assert_eq!((look.brush(), look.filter()), (None, Filter::default()));
    let names = |text: &str| Clause::Hide(NameTest::is(text));
    look.turn(Turn::AddClause(names("a")));
    look.turn(Turn::AddClause(names("b")));
    look.turn(Turn::AddClause(names("a")));
    assert_eq!(look.chips.len(), 3);
}
