//! Labels of rows that are listed together.

use camlscope_engine::query::frame_names::frame_names;
use camlscope_engine::query::tree::Label;

/// Returns a different label for each row: the name, and whatever else is needed to tell it from the others. Call sites
/// show their line, and their columns if they share a line. Functions show their file.
pub fn distinct_labels(rows: &[Label]) -> Vec<String> {
    let with_file = |(text, label): (String, &Label)| match label.place {
        None if !label.file.is_empty() && !text.ends_with(&label.file) => format!("{text} {}", label.file),
        _ => text,
    };
    frame_names(rows).into_iter().zip(rows).map(with_file).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_engine::query::tree::Place;

    #[test]
    fn sites_of_one_line_and_functions_of_one_name_have_different_labels() {
        let place = |start_char| Some(Place { line: 5, start_char, end_char: start_char + 4 });
        let label = |name: &str, file: &str, place| Label { name: name.to_owned(), file: file.to_owned(), place };
        let sites = [label("A.f", "a.ml", place(2)), label("A.f", "a.ml", place(9)), label("A.g", "a.ml", place(2))];
        assert_eq!(distinct_labels(&sites), ["A.f a.ml:5:2-6", "A.f a.ml:5:9-13", "A.g a.ml:5"]);
        let functions = [label("A.f", "a.ml", None), label("A.f", "b/a.ml", None), label("A", "", None)];
        assert_eq!(distinct_labels(&functions), ["A.f a.ml", "A.f b/a.ml", "A"]);
    }
}
