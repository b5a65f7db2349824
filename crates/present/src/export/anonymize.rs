//! Names that reveal nothing, for files that are shared with others.
//!
//! Modules, functions and files are numbered in order of first appearance, so that modules still group functions and
//! equal names stay equal within the file. A number means nothing outside the file. It can't be looked up, even by
//! someone who can guess the program's names. Functions with the same name in different modules get different numbers.

use rustc_hash::FxHashMap;

use camlscope_engine::query::label::{LOST, NO_DEBUG_INFO, NO_FRAME, is_library};
use camlscope_engine::query::stacks::OTHER_STACKS;
use camlscope_engine::query::tree::Place;

/// Information that an anonymized file keeps. Each item may reveal whose program it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Keep {
    /// Lines and columns of call sites. If not kept, they become numbers.
    pub places: bool,
    /// The parameters of the OCaml runtime.
    pub parameters: bool,
    /// The context string that the program recorded.
    pub context: bool,
    /// The functions and modules of OCaml's own library, which every program has.
    pub stdlib: bool,
}

/// Assigns the numbers of one file.
#[derive(Debug, Default)]
pub struct Anonymizer {
    pub keep: Keep,
    modules: Numbers<String>,
    functions: Numbers<String>,
    files: Numbers<String>,
    places: Numbers<(String, Place)>,
}

/// Numbers things, starting from 1.
#[derive(Debug)]
struct Numbers<T>(FxHashMap<T, u32>);

impl Anonymizer {
    pub fn new(keep: Keep) -> Anonymizer {
        Anonymizer { keep, ..Anonymizer::default() }
    }

    /// `Orders.Session.add` → `M1.M2.f1`. Placeholders from the compiler or camlscope for missing names stay.
    pub fn name(&mut self, name: &str) -> String {
        if [NO_DEBUG_INFO, NO_FRAME, OTHER_STACKS, LOST].contains(&name) || self.keeps(name) {
            return name.to_owned();
        }
        let mut end = 0;
        let parts = name.split('.').map(|part| {
            // Includes all enclosing modules, to distinguish it from others with the same name.
            end += part.len() + 1;
            let path = &name[..end - 1];
            match part.chars().next() {
                None => String::new(),
                Some(_) if part == "(fun)" => part.to_owned(),
                Some(first) if first.is_uppercase() => format!("M{}", self.modules.of(path.to_owned())),
                Some(_) => format!("f{}", self.functions.of(path.to_owned())),
            }
        });
        parts.collect::<Vec<_>>().join(".")
    }

    /// Whether a function's name stays because it is part of OCaml's own library.
    fn keeps(&self, name: &str) -> bool {
        self.keep.stdlib && is_library(name) && name.starts_with(|first: char| first.is_alphabetic())
    }

    /// Returns the file of a function: `src/session.ml` → `file1.ml`. An empty name stays empty. Files of OCaml's own
    /// library lose only their folder, which may contain a user's name.
    pub fn file(&mut self, name: &str, file: &str) -> String {
        if self.keeps(name) {
            return file.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        }
        if file.is_empty() { String::new() } else { format!("file{}.ml", self.files.of(file.to_owned())) }
    }

    /// Returns the location in a function unchanged if locations are kept, otherwise a number as its line. Line 0, for
    /// no location, stays.
    pub fn place(&mut self, name: &str, file: &str, place: Place) -> Place {
        if self.keep.places || place.line == 0 || self.keeps(name) {
            return place;
        }
        Place { line: self.places.of((file.to_owned(), place)), start_char: 0, end_char: 0 }
    }
}

impl<T> Default for Numbers<T> {
    fn default() -> Numbers<T> {
        Numbers(FxHashMap::default())
    }
}

impl<T: Eq + std::hash::Hash> Numbers<T> {
    fn of(&mut self, thing: T) -> u32 {
        let next = self.0.len() as u32 + 1;
        *self.0.entry(thing).or_insert(next)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_still_group_functions_and_no_real_name_remains() {
        let mut anonymizer = Anonymizer::default();
        let names = ["Orders.Session.add", "Orders.Set.add", "Orders.(fun)", "Orders.Session.add", "", "(no frame)"];
        let hidden = names.map(|name| anonymizer.name(name));
        assert_eq!(hidden, ["M1.M2.f1", "M1.M3.f2", "M1.(fun)", "M1.M2.f1", "", "(no frame)"]);
        assert_eq!(
            ["src/session.ml", "", "a.ml"].map(|file| anonymizer.file("F.f", file)),
            ["file1.ml", "", "file2.ml"]
        );
    }

    #[test]
    fn locations_stay_distinct_without_revealing_lines() {
        let mut anonymizer = Anonymizer::default();
        let place = |line, start_char, end_char| Place { line, start_char, end_char };
        let here = place(42, 10, 18);
        let places = [("a.ml", here), ("a.ml", place(42, 20, 30)), ("b.ml", here), ("a.ml", here)];
        let hidden = places.map(|(file, place)| anonymizer.place("F.f", file, place));
        assert_eq!(hidden, [1, 2, 3, 1].map(|line| place(line, 0, 0)));
        assert_eq!(anonymizer.place("F.f", "a.ml", place(0, 0, 0)), place(0, 0, 0));
        let mut keeping = Anonymizer::new(Keep { places: true, ..Keep::default() });
        assert_eq!(keeping.place("F.f", "a.ml", here), here);
    }

    #[test]
    fn only_ocamls_own_library_keeps_its_names() {
        let mut anonymizer = Anonymizer::new(Keep { stdlib: true, ..Keep::default() });
        let names = ["Stdlib__List.map", "Secret.run", "CamlinternalFormat.make_printf", "$4711", "<secret>"];
        let hidden = names.map(|name| anonymizer.name(name));
        assert_eq!(hidden[..3], ["Stdlib__List.map", "M1.f1", "CamlinternalFormat.make_printf"]);
        assert!(hidden[3..].iter().all(|name| name.starts_with('f')), "{hidden:?}");
        assert_eq!(anonymizer.file("Stdlib__List.map", "/home/ann/ocaml/list.ml"), "list.ml");
        assert_eq!(anonymizer.file("Secret.run", "list.ml"), "file1.ml");
        let place = Place { line: 42, start_char: 10, end_char: 18 };
        assert_eq!(anonymizer.place("Stdlib__List.map", "list.ml", place), place);
        assert_eq!(anonymizer.place("Secret.run", "list.ml", place).line, 1);
    }

    /// Someone who guesses a function's name learns nothing from its number.
    #[test]
    fn numbers_do_not_depend_on_names() {
        let number_of = |names: &[&str]| {
            let mut anonymizer = Anonymizer::default();
            names.iter().map(|name| anonymizer.name(name)).collect::<Vec<_>>()
        };
        assert_eq!(number_of(&["Secret.run", "Other.run"]), number_of(&["List.map", "Array.map"]));
    }
}
