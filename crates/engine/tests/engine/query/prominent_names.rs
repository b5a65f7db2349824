//! The modules of a trace in the order in which they get their colors.

use camlscope_engine::query::prominent_names::prominent_names;

use super::support::Case;

#[test]
fn modules_are_listed_once_most_prominent_first() {
    let case = Case::from_text(
        "Main.go;Cache.put 50@0-\nMain.go;Json.parse 1@0.2-0.6\nMain.go;Cache.put;Stdlib__List.map 3@0.5-",
    );
    assert_eq!(prominent_names(&case.trace).modules, ["Cache", "Main", "Json"]);
}
