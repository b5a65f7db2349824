//! Readable names: suggestions, and the sort order of tables.

use camlscope_engine::query::filter::{Filter, FrameField};
use camlscope_engine::query::selection::Selection;
use camlscope_engine::query::suggest::{SuggestConfig, suggest};
use camlscope_engine::query::table::{Column, Order, TableConfig};
use camlscope_engine::query::tree::{Grain, Shape};

use super::support::Case;
use super::table::ask;

fn dune_case() -> Case {
    Case::from_text(
        "Dune__exe__Main.go;Base__Map.add 5@0-\nDune__exe__Main.go;Stdlib__List.map 1@0-\nDune__exe__Main.go;Dune__exe__List.map 1@0-",
    )
}

#[test]
fn suggestions_use_short_names_unless_ambiguous_or_the_compilers_name_is_typed() {
    let case = dune_case();
    let suggested = |part: FrameField, text: &str| {
        suggest(&case.trace.calls, &SuggestConfig { part, text: text.to_owned(), limit: 8 })
    };
    assert_eq!(suggested(FrameField::Function, "base.map"), ["Base.Map.add"]);
    assert_eq!(suggested(FrameField::Function, "base__map"), ["Base__Map.add"]);
    assert_eq!(suggested(FrameField::Function, "list.map"), ["Stdlib__List.map", "Dune__exe__List.map"]);
    assert_eq!(suggested(FrameField::Module, "main"), ["Main"]);
}

#[test]
fn a_table_is_sorted_by_the_names_it_shows() {
    let case = dune_case();
    let shape = Shape::new(Grain::Function, false, &Filter::default());
    let names = |descending: bool| {
        let order = Order { column: Column::Name, descending };
        let config = TableConfig { order, search: String::new(), rows: 0..9 };
        let table = ask(&case.trace, &Selection::all(case.trace.columns.len()), &shape, &config);
        table.rows.into_iter().map(|row| row.name).collect::<Vec<_>>()
    };
    let sorted = ["Base__Map.add", "Dune__exe__List.map", "Stdlib__List.map", "Dune__exe__Main.go"];
    assert_eq!(names(false), sorted);
    assert!(names(true).iter().rev().eq(&sorted));
}
