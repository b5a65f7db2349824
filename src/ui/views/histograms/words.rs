//! How the parts of a bar are called.

pub fn part_words(name: &str) -> String {
    match name {
        "minor" => "minor heap only",
        "promoted" => "promoted",
        "major" => "straight to the major heap",
        "external" => "external, outside the heap",
        other => other,
    }
    .to_owned()
}
