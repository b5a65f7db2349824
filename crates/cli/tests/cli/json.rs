//! Rules that the JSON of every command follows.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use serde_json::Value;

use crate::program::{TempPath, fixture, json, run_on};

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
const FREE_TEXT: [&str; 16] = [
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
    "title",
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

/// Commands that together print every field. FILE is a trace, PROFILE a Spacetime profile.
const DOCUMENTED: [(&str, &[&str]); 14] = [
    (
        "summary",
        &[
            "summary FILE --module Leak",
            "summary orders-1e-4-v2.ctf",
            "summary domains-negpromote-1e-3-o5-v3.ctf",
            "summary PROFILE",
        ],
    ),
    ("table", &["table FILE --by site", "table PROFILE --live-at 1s", "table PROFILE --allocated 1s..2s"]),
    ("annotate", &["annotate FILE --source SOURCE"]),
    ("sites", &["sites FILE"]),
    ("flame", &["flame FILE"]),
    (
        "timeline",
        &[
            "timeline FILE --by heap",
            "timeline FILE --by domain",
            "timeline FILE --by function --top 2",
            "timeline PROFILE",
            "timeline PROFILE --by site",
        ],
    ),
    ("histogram", &["histogram FILE --of size", "histogram FILE --of lifetime --split fate"]),
    ("leaks", &["leaks FILE", "leaks fill-30.ctf"]),
    (
        "compare",
        &[
            "compare FILE --times 100ms,end --by site",
            "compare leak-3-long.ctf leak-15.ctf --fail-above 1% --by function",
            "compare PROFILE --times 1s,2s",
        ],
    ),
    ("dump", &["dump FILE --limit 1000"]),
    ("fleet", &["fleet FILE PROFILE domains-negpromote-1e-3-o5-v3.ctf tiny-0.1-v2.facts.json"]),
    ("watch", &["watch FILE --every 10ms --until-idle 30ms"]),
    ("convert", &["convert FILE -o OUT.ctf", "convert FILE -o OUT.folded", "convert FILE -o OUT.tables --to parquet"]),
    ("error", &["summary no-such.ctf"]),
];

/// A field that needs a program that is idle, which a test can't wait for.
const SELDOM: &str = "seconds";

#[test]
fn every_field_is_documented_and_every_documented_field_exists() {
    let documented = documented_fields();
    let outputs = ["OUT.ctf", "OUT.folded", "OUT.tables"].map(|name| (name, TempPath::new(&format!("json-{name}"))));
    let mut wrong = Vec::new();
    for (section, commands) in DOCUMENTED {
        let fields = &documented[section];
        let is_documented = |path: &str| {
            fields.contains(path)
                || fields.iter().any(|field| field.strip_suffix('*').is_some_and(|start| path.starts_with(start)))
        };
        // Null stands for all fields of a missing object.
        let has_fields_below = |path: &str| fields.iter().any(|field| field.starts_with(&format!("{path}.")));
        let mut found = BTreeSet::new();
        for command in commands {
            let mut command = (*command).to_owned();
            for (name, path) in &outputs {
                command = command.replace(name, path.path());
            }
            let words = command.split(' ').map(|word| match word {
                "PROFILE" => fixture("spacetime-11710"),
                "SOURCE" => fixture("source"),
                word if word.ends_with(".ctf") && !word.contains('/') || word.ends_with(".json") => fixture(word),
                word => word.to_owned(),
            });
            let command = words.collect::<Vec<_>>().join(" ");
            let output = run_on("leak-1e-4-v3.ctf", &format!("{command} --json")).stdout;
            for object in serde_json::Deserializer::from_slice(&output).into_iter::<Value>() {
                let object = object.unwrap_or_else(|error| panic!("{command}: {error}"));
                assert_eq!(object["schema"], 1, "{command}");
                paths(&object, "", &mut |path, is_null| {
                    if !(is_null && has_fields_below(path)) && path != "schema" {
                        found.insert(path.to_owned());
                    }
                });
            }
        }
        wrong.extend(
            found.iter().filter(|path| !is_documented(path)).map(|path| format!("{section}: {path} isn't documented")),
        );
        let occurs = |field: &str| match field.strip_suffix('*') {
            Some(start) => found.iter().any(|path| path.starts_with(start)),
            None => found.contains(field) || field == SELDOM,
        };
        wrong.extend(fields.iter().filter(|field| !occurs(field)).map(|field| format!("{section}: no {field}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Returns the fields in the tables of docs/json.md, by section.
fn documented_fields() -> BTreeMap<String, BTreeSet<String>> {
    let text = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/json.md")).expect("docs/json.md");
    let mut fields: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut section = String::new();
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("## ") {
            section = name.to_owned();
        } else if let Some((field, _)) = line.strip_prefix("| `").and_then(|rest| rest.split_once('`')) {
            fields.entry(section.clone()).or_default().insert(field.to_owned());
        }
    }
    fields
}

/// Visits each value that is no object or list, and whether it is null. `findings[].kind` is the path of a field in a list.
fn paths(value: &Value, path: &str, visit: &mut impl FnMut(&str, bool)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
                paths(value, &path, visit);
            }
        }
        Value::Array(items) => items.iter().for_each(|item| paths(item, &format!("{path}[]"), visit)),
        value => visit(path, value.is_null()),
    }
}
