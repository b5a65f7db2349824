//! The layers, read off the sources: a module imports only the layers that it is allowed to, needs all of these
//! permissions, and no web type appears below `wire`, `worker` and `ui`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Each module of the library, and exactly what it imports. A layer comes after all that it imports.
const LAYERS: &[(&str, &[&str])] = &[
    ("format", &[]),
    ("ctf", &[]),
    ("spacetime", &[]),
    ("trace", &["ctf"]),
    ("profile", &["spacetime", "trace"]),
    ("unpack", &[]),
    ("load", &["ctf", "spacetime", "trace", "profile", "unpack"]),
    ("query", &["format", "ctf", "spacetime", "trace", "profile"]),
    ("layout", &["format", "query"]),
    ("protocol", &["format", "ctf", "spacetime", "trace", "unpack", "load", "query"]),
    ("session", &["trace", "profile", "load", "query", "protocol"]),
    ("follow", &["trace", "query", "protocol", "session"]),
    ("export", &["format", "ctf", "trace", "query", "layout", "protocol"]),
    ("wire", &["protocol"]),
    ("worker", &["format", "trace", "load", "query", "protocol", "session", "export", "wire"]),
    ("ui", &["format", "spacetime", "load", "layout", "query", "protocol", "wire", "export"]),
    ("synth", &["format", "ctf", "spacetime"]),
    ("tables", &["format", "ctf", "trace", "profile", "query"]),
    ("terminal", &["format", "trace", "profile", "query", "protocol", "session", "follow"]),
    (
        "cli",
        &[
            "format", "ctf", "trace", "profile", "query", "protocol", "session", "follow", "export", "synth", "tables",
            "terminal",
        ],
    ),
];

/// The same for the modules of `ui`.
const UI_LAYERS: &[(&str, &[&str])] = &[
    ("platform", &[]),
    ("store", &["platform"]),
    ("query", &["platform", "store"]),
    ("commands", &["platform", "store", "query"]),
    ("context", &["store"]),
    ("components", &["platform", "store", "query", "commands", "context"]),
    ("views", &["platform", "store", "query", "context", "components"]),
    ("screens", &["platform", "store", "query", "commands", "context", "components", "views"]),
    ("app", &["platform", "store", "commands", "components", "screens"]),
];

const WEB_CRATES: &[&str] =
    &["gloo", "js_sys", "serde_wasm_bindgen", "wasm_bindgen", "wasm_bindgen_futures", "web_sys", "yew"];
const MAY_KNOW_THE_WEB: &[&str] = &["wire", "worker", "ui"];

#[test]
fn each_module_imports_exactly_the_layers_that_it_is_allowed_to() {
    check_layers(&src(), "crate::", LAYERS);
}

#[test]
fn each_module_of_the_page_imports_exactly_the_layers_that_it_is_allowed_to() {
    check_layers(&src().join("ui"), "crate::ui::", UI_LAYERS);
}

#[test]
fn no_view_imports_another_view() {
    let views = src().join("ui/views");
    let names = declared_modules(&views.join("mod.rs"));
    for name in &names {
        for (path, source) in sources_of(&views, name) {
            let others = imports(&source, "crate::ui::views::").into_iter().filter(|other| other != name);
            let others: Vec<String> = others.filter(|other| names.contains(other)).collect();
            assert!(others.is_empty(), "{} imports {others:?}", path.display());
        }
    }
}

#[test]
fn the_files_of_the_page_do_not_import_each_other_in_a_circle() {
    let modules = modules_of(&src().join("ui"));
    let mut left: BTreeMap<&Vec<String>, BTreeSet<Vec<String>>> =
        modules.iter().map(|(module, source)| (module, imported_files(module, source, &modules))).collect();
    // Whoever imports nothing that is left cannot be part of a circle.
    loop {
        let free: Vec<_> =
            left.iter().filter(|(_, imported)| !imported.iter().any(|of| left.contains_key(of))).collect();
        let Some(free) = (!free.is_empty()).then(|| free.into_iter().map(|(module, _)| *module).collect::<Vec<_>>())
        else {
            break;
        };
        left.retain(|module, _| !free.contains(module));
    }
    let circle: Vec<String> = left.keys().map(|module| module.join("::")).collect();
    assert!(circle.is_empty(), "in or above a circle: {circle:?}");
}

#[test]
fn no_web_type_is_known_below_the_worker_and_the_page() {
    let mut offences = Vec::new();
    for (layer, _) in LAYERS.iter().filter(|(layer, _)| !MAY_KNOW_THE_WEB.contains(layer)) {
        for (path, source) in sources_of(&src(), layer) {
            for name in WEB_CRATES.iter().filter(|name| mentions_crate(&source, name)) {
                offences.push(format!("{} mentions {name}", path.display()));
            }
        }
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

#[test]
fn the_lists_above_have_every_module() {
    let names = |layers: &[(&str, &[&str])]| layers.iter().map(|(layer, _)| (*layer).to_owned()).collect();
    assert_eq!(declared_modules(&src().join("lib.rs")), names(LAYERS));
    assert_eq!(declared_modules(&src().join("ui/mod.rs")), names(UI_LAYERS));
}

#[test]
fn imports_are_found_however_they_are_written() {
    let source = "use crate::ctf::Sink;\nuse crate::{load, query::summary};\nfn f() { crate::ui::g() }";
    assert_eq!(imports(source, "crate::"), ["ctf", "load", "query", "ui"]);
    assert!(mentions_crate("use yew::prelude::*;", "yew"));
    assert!(!mentions_crate("// reviewed by yew and me", "yew"));
    let module = |path: &str| path.split("::").map(str::to_owned).collect::<Vec<_>>();
    let modules = ["a", "a::b", "c"].map(|path| (module(path), String::new())).into();
    let imported = imported_files(&module("a::b"), "use super::X;\nuse crate::ui::c::{self, Y};", &modules);
    assert_eq!(imported, [module("a"), module("c")].into());
    assert_eq!(imported_files(&module("a"), "fn f() { b::g() }", &modules), [module("a::b")].into());
}

/// Fails for an import that is not allowed, and for a permission that nothing needs.
fn check_layers(folder: &Path, prefix: &str, layers: &[(&str, &[&str])]) {
    let mut offences = Vec::new();
    for (at, (layer, allowed)) in layers.iter().enumerate() {
        let mut unused: BTreeSet<&str> = allowed.iter().copied().collect();
        let below: Vec<&str> = layers[..at].iter().map(|(name, _)| *name).collect();
        offences.extend(
            unused.iter().filter(|name| !below.contains(name)).map(|name| format!("{name} is not below {layer}")),
        );
        for (path, source) in sources_of(folder, layer) {
            for imported in imports(&source, prefix) {
                unused.remove(imported.as_str());
                let is_layer = layers.iter().any(|(name, _)| *name == imported);
                if is_layer && imported != *layer && !allowed.contains(&imported.as_str()) {
                    offences.push(format!("{} imports {prefix}{imported}", path.display()));
                }
            }
        }
        offences.extend(unused.into_iter().map(|name| format!("{layer} may import {name}, and does not")));
    }
    assert!(offences.is_empty(), "{}", offences.join("\n"));
}

/// By path from `folder` on, without tests.
fn modules_of(folder: &Path) -> BTreeMap<Vec<String>, String> {
    let mut modules = BTreeMap::new();
    for path in files_below(folder) {
        let module = path.strip_prefix(folder).expect("below the folder").with_extension("");
        let mut module: Vec<String> = module.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module.last().is_some_and(|name| name == "mod") {
            module.pop();
        }
        if module.last().is_none_or(|name| name != "tests") {
            let source = read_code(&path);
            // Tests import what they test.
            let code = source.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            modules.insert(module, code);
        }
    }
    modules
}

/// The files that a module of the page imports anything of, whichever way it names them.
fn imported_files(module: &[String], source: &str, modules: &BTreeMap<Vec<String>, String>) -> BTreeSet<Vec<String>> {
    let mut paths = paths_behind(source, "crate::ui::");
    let supers = paths_behind(source, "super::").into_iter().map(|mut path| {
        let n_up = 1 + path.iter().take_while(|name| *name == "super").count();
        let base = &module[..module.len().saturating_sub(n_up)];
        path.retain(|name| name != "super");
        [base, &path].concat()
    });
    paths.extend(supers);
    let selves = paths_behind(source, "self::").into_iter().map(|path| [module, &path].concat());
    paths.extend(selves);
    // A child that is named without `self::`.
    let children = modules.keys().filter(|other| other.len() == module.len() + 1 && other.starts_with(module));
    paths.extend(children.filter(|child| child.last().is_some_and(|name| mentions_crate(source, name))).cloned());
    let file =
        |path: Vec<String>| (0..=path.len()).rev().map(|n| path[..n].to_vec()).find(|path| modules.contains_key(path));
    paths.into_iter().filter_map(file).filter(|file| file != module).collect()
}

/// The whole paths behind each `prefix`, also in braced groups.
fn paths_behind(source: &str, prefix: &str) -> Vec<Vec<String>> {
    let starts = source.match_indices(prefix).filter(|(at, _)| {
        let before = source[..*at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':')
    });
    starts.flat_map(|(at, _)| expand(&[], &source[at + prefix.len()..])).collect()
}

fn expand(base: &[String], text: &str) -> Vec<Vec<String>> {
    if let Some(group) = text.strip_prefix('{') {
        return split_group(group).into_iter().flat_map(|part| expand(base, part.trim())).collect();
    }
    let Some(name) = leading_name(text) else { return vec![base.to_vec()] };
    let rest = &text[name.len()..];
    let path = [base, &[name]].concat();
    match rest.strip_prefix("::") {
        Some(rest) => expand(&path, rest),
        None => vec![path],
    }
}

fn src() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

fn declared_modules(file: &Path) -> BTreeSet<String> {
    let source = fs::read_to_string(file).expect("readable");
    let names = source.lines().filter_map(|line| {
        line.trim().strip_prefix("pub ").unwrap_or(line.trim()).strip_prefix("mod ")?.strip_suffix(';')
    });
    names.map(str::to_owned).collect()
}

fn sources_of(folder: &Path, module: &str) -> Vec<(PathBuf, String)> {
    let mut paths = files_below(&folder.join(module));
    let file = folder.join(format!("{module}.rs"));
    if file.exists() {
        paths.push(file);
    }
    assert!(!paths.is_empty(), "no source of {module}");
    paths.into_iter().map(|path| (path.clone(), read_code(&path))).collect()
}

fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    let mut folders = vec![folder.to_owned()];
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
    paths.sort();
    paths
}

/// Without comments.
fn read_code(path: &Path) -> String {
    let source = fs::read_to_string(path).expect("readable");
    source.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

/// The modules named behind `prefix`, also in a braced group.
fn imports(source: &str, prefix: &str) -> Vec<String> {
    let mut found = Vec::new();
    for (at, _) in source.match_indices(prefix) {
        let rest = &source[at + prefix.len()..];
        match rest.strip_prefix('{') {
            None => found.extend(leading_name(rest)),
            Some(group) => found.extend(split_group(group).into_iter().filter_map(|part| leading_name(part.trim()))),
        }
    }
    found
}

/// The parts of a group whose opening brace is gone.
fn split_group(group: &str) -> Vec<&str> {
    let group = &group[..matching_brace(group)];
    let mut depth = 0;
    let parts = group.split(move |c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        c == ',' && depth == 0
    });
    parts.filter(|part| !part.trim().is_empty()).collect()
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
