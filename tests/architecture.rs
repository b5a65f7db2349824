//! The floors of the house, read off the sources: a folder imports only what lies below it, and no web type is known
//! below `worker` and `ui`.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the library, and what it may import. `architecture_covers_every_module` keeps the list whole.
const FLOORS: &[(&str, &[&str])] = &[
    ("format", &[]),
    ("ctf", &[]),
    ("trace", &["ctf"]),
    ("unpack", &[]),
    ("load", &["ctf", "trace", "unpack"]),
    ("query", &["format", "ctf", "trace", "load"]),
    ("layout", &["format", "ctf", "trace", "load", "query"]),
    ("protocol", &["format", "ctf", "trace", "unpack", "load", "query", "layout"]),
    ("session", &["format", "ctf", "trace", "load", "query", "layout", "protocol"]),
    ("export", &["format", "ctf", "trace", "query"]),
    ("wire", &["protocol"]),
    ("worker", &["format", "trace", "load", "query", "layout", "protocol", "session", "wire"]),
    ("ui", &["format", "layout", "query", "protocol", "wire", "export"]),
    ("synth", &["format", "ctf"]),
    ("cli", &["format", "ctf", "trace", "query", "layout", "protocol", "session", "export", "synth"]),
];

const WEB_CRATES: &[&str] =
    &["gloo", "js_sys", "serde_wasm_bindgen", "wasm_bindgen", "wasm_bindgen_futures", "web_sys", "yew"];
const MAY_KNOW_THE_WEB: &[&str] = &["wire", "worker", "ui"];

#[test]
fn each_floor_imports_only_what_lies_below_it() {
    let mut offences = Vec::new();
    for (floor, below) in FLOORS {
        for (path, source) in sources_of(floor) {
            for imported in imports_from_crate(&source) {
                let known = FLOORS.iter().any(|(name, _)| *name == imported);
                if known && imported != *floor && !below.contains(&imported.as_str()) {
                    offences.push(format!("{} imports crate::{imported}", path.display()));
                }
            }
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn no_web_type_is_known_below_the_worker_and_the_page() {
    let mut offences = Vec::new();
    for (floor, _) in FLOORS.iter().filter(|(floor, _)| !MAY_KNOW_THE_WEB.contains(floor)) {
        for (path, source) in sources_of(floor) {
            for name in WEB_CRATES.iter().filter(|name| mentions_crate(&source, name)) {
                offences.push(format!("{} mentions {name}", path.display()));
            }
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn architecture_covers_every_module() {
    let lib = fs::read_to_string(src().join("lib.rs")).expect("src/lib.rs");
    let declared: BTreeSet<String> = lib
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub mod ")?.strip_suffix(';').map(str::to_owned))
        .collect();
    let covered: BTreeSet<String> = FLOORS.iter().map(|(floor, _)| (*floor).to_owned()).collect();
    assert_eq!(declared, covered);
}

#[test]
fn imports_are_found_however_they_are_written() {
    let source = "use crate::ctf::Sink;\nuse crate::{load, query::summary};\nfn f() { crate::ui::g() }";
    assert_eq!(imports_from_crate(source), ["ctf", "load", "query", "ui"]);
    assert!(mentions_crate("use yew::prelude::*;", "yew"));
    assert!(!mentions_crate("// reviewed by yew and me", "yew"));
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn sources_of(floor: &str) -> Vec<(PathBuf, String)> {
    let mut paths = Vec::new();
    let file = src().join(format!("{floor}.rs"));
    if file.exists() {
        paths.push(file);
    }
    let mut folders = vec![src().join(floor)];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                paths.push(path);
            }
        }
    }
    assert!(!paths.is_empty(), "no source of {floor}");
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read_to_string(path).expect("readable"))).collect()
}

/// The modules named behind `crate::`, also in a braced group.
fn imports_from_crate(source: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices("crate::") {
        let rest = &source[at + "crate::".len()..];
        match rest.strip_prefix('{') {
            None => found.extend(leading_name(rest)),
            Some(group) => {
                let group = &group[..matching_brace(group)];
                let mut depth = 0;
                let parts = group.split(|c| {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    c == ',' && depth == 0
                });
                found.extend(parts.filter_map(|part| leading_name(part.trim())));
            }
        }
    }
    found
}

fn matching_brace(group: &str) -> usize {
    let mut depth = 1;
    for (at, c) in group.char_indices() {
        depth += i32::from(c == '{') - i32::from(c == '}');
        if depth == 0 {
            return at;
        }
    }
    group.len()
}

fn leading_name(text: &str) -> Option<String> {
    let name: String = text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
    (!name.is_empty()).then_some(name)
}

fn mentions_crate(source: &str, name: &str) -> bool {
    source.match_indices(name).any(|(at, _)| {
        let before = source[..at].chars().next_back();
        let is_whole_word = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
        is_whole_word && source[at + name.len()..].starts_with("::")
    })
}
