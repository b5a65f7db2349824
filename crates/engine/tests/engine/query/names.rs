//! Readable names: suggestions, and the sort order of tables.

use camlscope_engine::query::filter::{Filter, FrameField};
use camlscope_engine::query::name_search::{NameSearchConfig, search_names};
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
    assert_eq!(suggested(FrameField::Line, "main.ml:"), ["main.ml:1"]);
}

#[test]
fn a_search_finds_functions_modules_and_files_best_first() {
    let case = dune_case();
    let found = |text: &str, limit| {
        let config = NameSearchConfig { text: text.to_owned(), limit };
        let names = search_names(&case.trace.calls, &config).into_iter();
        names.map(|found| format!("{} {}", found.part.as_str(), found.label.to_text())).collect::<Vec<_>>()
    };
    let maps = ["function Dune__exe__List.map@main.ml", "function Stdlib__List.map@main.ml", "module Base__Map@"];
    assert_eq!(found("map", 3), maps);
    assert_eq!(found("map", 1), maps[..1]);
    assert_eq!(found("ml", 9), ["file main.ml@"]);
    assert_eq!(found("base__map add", 9), ["function Base__Map.add@main.ml"]);
    assert_eq!(found("nowhere", 9), Vec::<String>::new());
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
