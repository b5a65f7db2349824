//! Rules that the JSON of every command follows.

use serde_json::Value;

use crate::program::{fixture, json};

const COMMANDS: [&[&str]; 9] = [
    &["summary"],
    &["table"],
    &["flame"],
    &["timeline", "--by", "heap"],
    &["histogram", "--of", "size"],
    &["histogram", "--of", "lifetime", "--split", "fate"],
    &["leaks"],
    &["dump"],
    &["compare", "--times", "100ms,end"],
];

fn answer(command: &[&str], more: &[&str]) -> Value {
    json(&[&command[..1], &[&fixture("leak-1e-4-v3.ctf")], &command[1..], more].concat())
}

#[test]
fn every_json_result_names_its_measure_and_unit() {
    let of = |command: &[&str], more: &[&str]| {
        let answer = answer(command, more);
        let text =
            |field: &str| answer[field].as_str().unwrap_or_else(|| panic!("{command:?} has no {field}")).to_owned();
        (text("measure"), text("unit"))
    };
    let pair = |measure: &str, unit: &str| (measure.to_owned(), unit.to_owned());
    for command in COMMANDS {
        let (measure, unit) = of(command, &[]);
        let expected = match command[0] {
            "histogram" => pair("allocated", "samples"),
            "dump" => pair("allocated", "events"),
            "compare" => pair("end", "bytes"),
            "leaks" => pair("growth", "bytes-per-second"),
            _ => pair("allocated", "bytes"),
        };
        assert_eq!((measure, unit), expected, "{command:?}");
    }
    for command in ["summary", "table", "flame"] {
        assert_eq!(of(&[command], &["--measure", "byte-seconds"]), pair("byte-seconds", "byte-seconds"));
        assert_eq!(of(&[command], &["--measure", "live@1.5s"]), pair("live@1.5s", "bytes"));
    }
    assert_eq!(of(&["timeline"], &["--measure", "promoted"]), pair("promoted", "bytes"));
    assert_eq!(of(&["timeline"], &["--measure", "temporary"]), pair("temporary:4MiB", "bytes"));
    assert_eq!(of(&["histogram", "--of", "size"], &["--measure", "blocks"]), pair("blocks", "blocks"));
    assert_eq!(of(&["histogram", "--of", "size"], &["--measure", "peak"]), pair("peak", "bytes"));
    let both = ["--measure", "peak", "--weight", "samples"];
    assert_eq!(of(&["histogram", "--of", "size"], &both), pair("peak", "samples"));
    let (one, two) = (fixture("tiny-0.1-v2.ctf"), fixture("tiny-1.0-v3.ctf"));
    let compared = json(&["compare", &one, &two, "--measure", "blocks"]);
    assert_eq!((&compared["measure"], &compared["unit"]), (&"blocks".into(), &"blocks".into()));
}

/// Fields with names from the program, or sentences.
const FREE_TEXT: [&str; 15] = [
    "called_from",
    "called_from_label",
    "label",
    "labels",
    "stack",
    "name",
    "file",
    "frames",
    "text",
    "headline",
    "reason",
    "executable",
    "host",
    "runtime_params",
    "part_names",
];

/// This includes field names. Only names from the program have capitals, in fields meant for them.
#[test]
fn json_keywords_are_lowercase() {
    fn check(value: &Value, field: &str, command: &[&str]) {
        let is_lower = |text: &str| !text.contains(|c: char| c.is_uppercase());
        match value {
            Value::String(text) => {
                let is_free_text = FREE_TEXT.contains(&field);
                assert!(is_free_text || is_lower(text), "{command:?}: {field} is {text}");
            }
            Value::Array(items) => items.iter().for_each(|item| check(item, field, command)),
            Value::Object(fields) => {
                for (name, value) in fields {
                    assert!(is_lower(name), "{command:?}: a field {name}");
                    check(value, name, command);
                }
            }
            _ => {}
        }
    }
    for command in COMMANDS {
        check(&answer(command, &["--measure", "peak"][..if command[0] == "compare" { 0 } else { 2 }]), "", command);
    }
    assert_eq!(answer(&["compare", "--times", "100ms,end"], &[])["all"]["verdict"], "grew");
    assert_eq!(answer(&["timeline", "--by", "heap"], &[])["series"][0]["of"]["heap"], "promoted");
}
