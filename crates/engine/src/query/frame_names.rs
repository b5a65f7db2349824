//! One text per frame, for output in which nothing else distinguishes frames: folded stacks, legends.

use rustc_hash::{FxHashMap, FxHashSet};

use super::label::file_of_line;
use super::tree::Label;

/// Returns the text of each frame: its plain name, plus the location of a call site. Different frames get different
/// texts, as long as no frame is listed twice. Columns distinguish call sites on the same line, and files distinguish
/// functions of the same name.
pub fn frame_names(frames: &[Label]) -> Vec<String> {
    let texts: Vec<String> =
        frames.iter().zip(distinct_names(frames)).map(|(frame, name)| with_location(frame, name)).collect();
    let mut n_frames_of: FxHashMap<&str, usize> = FxHashMap::default();
    for text in &texts {
        *n_frames_of.entry(text).or_default() += 1;
    }
    let is_shared = |text: &String| n_frames_of.get(text.as_str()).is_some_and(|n| *n > 1);
    frames
        .iter()
        .zip(&texts)
        .map(|(frame, text)| if is_shared(text) { exact(frame, text) } else { text.clone() })
        .collect()
}

/// Returns the plain name of each frame. If two different names have the same plain name, both keep the compiler's
/// name, because tools that go by name would add them up. This depends only on the listed frames, not on the rest of
/// the trace.
pub fn distinct_names(frames: &[Label]) -> Vec<String> {
    let plain: Vec<String> = frames.iter().map(Label::plain).collect();
    let mut name_of: FxHashMap<&str, &str> = FxHashMap::default();
    let mut ambiguous = FxHashSet::default();
    for (plain, frame) in plain.iter().zip(frames) {
        if *name_of.entry(plain).or_insert(&frame.name) != frame.name {
            ambiguous.insert(plain.as_str());
        }
    }
    let name = |(plain, frame): (&String, &Label)| match ambiguous.contains(plain.as_str()) {
        true => frame.name.clone(),
        false => plain.clone(),
    };
    plain.iter().zip(frames).map(name).collect()
}

/// `Orders.Json.parse orders.ml:88` for a call site. Frames of a profile are already named after their location.
fn with_location(frame: &Label, name: String) -> String {
    let is_known = frame.place.is_some_and(|place| place.line > 0) && !frame.file.is_empty();
    match is_known && file_of_line(&frame.name).is_none() {
        true => format!("{name} {}", frame.location()),
        false => name,
    }
}

fn exact(frame: &Label, text: &str) -> String {
    match frame.place {
        Some(place) => format!("{text}:{}-{}", place.start_char, place.end_char),
        None if frame.file.is_empty() => text.to_owned(),
        None => format!("{text} {}", frame.file),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::tree::Place;

    fn function(name: &str, file: &str) -> Label {
        Label { name: name.to_owned(), file: file.to_owned(), place: None }
    }

    fn site(name: &str, file: &str, line: u32, start_char: u16) -> Label {
        let place = Some(Place { line, start_char, end_char: start_char + 5 });
        Label { place, ..function(name, file) }
    }

    #[test]
    fn functions_have_plain_names_unless_two_collide() {
        let frames = [
            function("Dune__exe__Slow.Route.make", "slow.ml"),
            function("Stdlib__List.map", "list.ml"),
            function("Dune__exe__List.map", "bin/list.ml"),
            function("Base__Map.add", "src/map.ml"),
        ];
        let expected = ["Slow.Route.make", "Stdlib__List.map", "Dune__exe__List.map", "Base.Map.add"];
        assert_eq!(frame_names(&frames), expected);
    }

    #[test]
    fn functions_of_the_same_name_show_their_file() {
        let frames =
            [function("Parser.run", "parser.mly"), function("Parser.run", "parser.ml"), function("Lexer.run", "")];
        assert_eq!(frame_names(&frames), ["Parser.run parser.mly", "Parser.run parser.ml", "Lexer.run"]);
    }

    #[test]
    fn call_sites_show_columns_only_if_they_share_a_line() {
        let frames = [
            site("A__B.f", "b.ml", 7, 2),
            site("A__B.f", "b.ml", 8, 2),
            site("A__B.f", "b.ml", 8, 9),
            site("A__B.f", "", 0, 0),
        ];
        assert_eq!(frame_names(&frames), ["A.B.f b.ml:7", "A.B.f b.ml:8:2-7", "A.B.f b.ml:8:9-14", "A.B.f"]);
    }

    #[test]
    fn profile_lines_and_files_do_not_repeat_their_location() {
        let frames =
            [site("list.ml:67", "list.ml", 67, 2), site("list.ml:67", "list.ml", 67, 9), function("src/a__b.ml", "")];
        assert_eq!(frame_names(&frames), ["list.ml:67:2-7", "list.ml:67:9-14", "src/a__b.ml"]);
        assert_eq!(frame_names(&[function("Odd__file.ml", "")]), ["Odd__file.ml"]);
    }
}
