//! The download size of the page, its limits, and which code takes the space.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use wasmparser::{KnownCustom, Name, Parser, Payload, TypeRef};

use crate::assets::Files;
use crate::one_file::ONE_FILE;
use crate::page;

/// The files that a visitor waits for, by the start of their names. The limits were set 4 to 5% above the gzipped sizes.
const LIMITS: [Limit; 2] = [
    Limit {
        until: "the worker is ready",
        files: &["index", "assets/style", "assets/boot", "assets/worker"],
        kb: 450.0,
    },
    Limit {
        until: "the workspace can be drawn",
        files: &["index", "assets/style", "assets/boot", "assets/worker", "assets/page"],
        kb: 888.0,
    },
];

struct Limit {
    until: &'static str,
    files: &'static [&'static str],
    kb: f64,
}

/// Returns a table of the files with their sizes, plain and gzipped. Fails if a page to be released exceeds a limit.
pub fn table(files: &Files, is_shipped: bool) -> Result<String> {
    let gzipped = |path: &str| files.get(&format!("{path}.gz")).map(Vec::len);
    let mut rows: Vec<(&str, usize, usize)> =
        files.iter().filter_map(|(path, content)| Some((path.as_str(), content.len(), gzipped(path)?))).collect();
    rows.sort_by_key(|(_, _, gzipped)| Reverse(*gzipped));
    let kb = |bytes: usize| bytes as f64 / 1000.0;
    let mut text = format!("  {:>8} {:>8}\n", "KB", "gzipped");
    for (path, bytes, gzipped) in &rows {
        text += &format!("  {:>8.1} {:>8.1}  {path}\n", kb(*bytes), kb(*gzipped));
    }
    for limit in &LIMITS {
        let counts = |path: &str| limit.files.iter().any(|start| path.starts_with(start));
        let sum = kb(rows.iter().filter(|(path, ..)| counts(path)).map(|(_, _, gzipped)| gzipped).sum());
        text += &format!("  {sum:.0} KB gzipped until {}, of at most {} KB\n", limit.until, limit.kb);
        if is_shipped && sum > limit.kb {
            bail!("{text}the page is too heavy: `cargo xtask weigh` shows where it comes from");
        }
    }
    if let Some(one_file) = files.get(ONE_FILE) {
        text += &format!("  {:.0} KB is {ONE_FILE}, the page as one file\n", kb(one_file.len()));
    }
    Ok(text)
}

/// Prints the largest functions of the last build, and the size of each crate and of each part of the page.
pub fn run(root: &Path) -> Result<()> {
    for (name, path) in page::modules(root) {
        let wasm = fs::read(&path).context("there is no page yet: build it with `cargo xtask build`")?;
        let functions = functions(&wasm)?;
        let total: usize = functions.iter().map(|(_, bytes)| bytes).sum();
        println!("{name}: {:.0} KB of code in {} functions", total as f64 / 1000.0, functions.len());
        let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
        for (name, bytes) in &functions {
            *parts.entry(part(name)).or_default() += bytes;
        }
        println!("\n  {:>8}  crate, or part of the page", "KB");
        largest(parts.into_iter(), 40);
        println!("\n  {:>8}  function", "KB");
        largest(functions.iter().map(|(name, bytes)| (name.as_str(), *bytes)), 30);
        println!();
    }
    Ok(())
}

fn largest<'a>(weights: impl Iterator<Item = (&'a str, usize)>, n: usize) {
    let mut weights: Vec<(&str, usize)> = weights.collect();
    weights.sort_by_key(|(name, bytes)| (Reverse(*bytes), *name));
    for (name, bytes) in weights.into_iter().take(n) {
        println!("  {:>8.1}  {name}", bytes as f64 / 1000.0);
    }
}

/// Returns the name and the size in bytes of each function.
fn functions(wasm: &[u8]) -> Result<Vec<(String, usize)>> {
    let (mut n_imported, mut sizes, mut names) = (0, Vec::new(), BTreeMap::new());
    for payload in Parser::new(0).parse_all(wasm) {
        match payload? {
            Payload::ImportSection(imports) => {
                for import in imports.into_imports() {
                    n_imported += u32::from(matches!(import?.ty, TypeRef::Func(_)));
                }
            }
            Payload::CodeSectionEntry(body) => sizes.push(body.range().len()),
            Payload::CustomSection(section) => {
                if let KnownCustom::Name(reader) = section.as_known() {
                    for subsection in reader {
                        if let Name::Function(map) = subsection? {
                            for naming in map {
                                let naming = naming?;
                                names.insert(naming.index, format!("{:#}", rustc_demangle::demangle(naming.name)));
                            }
                        }
                    }
                }
            }
            _ => {}
        }
    }
    let name = |index: u32| names.remove(&(n_imported + index)).unwrap_or_else(|| format!("function {index}"));
    Ok((0..).map(name).zip(sizes).collect())
}

/// Returns the crate of a function. For our own crates, it adds the module, and for the page also the view.
fn part(function: &str) -> &str {
    const PAGE: &str = "camlscope_page::";
    let path = function.trim_start_matches(['<', '&', '(', '[', '*']);
    let path = ["dyn ", "mut ", "const ", "impl "].iter().fold(path, |path, word| path.trim_start_matches(word));
    let depth = match path.strip_prefix(PAGE) {
        Some(inside) if inside.starts_with("ui::views::") => 4,
        Some(inside) if inside.starts_with("ui::") => 3,
        Some(_) => 2,
        None if path.starts_with("camlscope_") => 3,
        None => 1,
    };
    let is_end = |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let mut end = is_end(path);
    for _ in 1..depth {
        match path[end..].strip_prefix("::") {
            Some(rest) if is_end(rest) > 0 => end += 2 + is_end(rest),
            _ => break,
        }
    }
    &path[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_above_a_size_limit_is_rejected() {
        let site = |bytes: usize| {
            let file = |path: &str, bytes: usize| (path.to_owned(), vec![7; bytes]);
            Files::from([file("assets/worker-1.wasm", 9), file("assets/worker-1.wasm.gz", bytes), file("s.ctf", 9)])
        };
        let limit = (LIMITS[0].kb * 1000.0) as usize;
        assert!(table(&site(limit), true).is_ok_and(|text| text.contains("until the worker is ready")));
        assert!(table(&site(limit + 1000), true).is_err_and(|error| error.to_string().contains("too heavy")));
        assert!(table(&site(limit + 1000), false).is_ok());
    }

    #[test]
    fn function_counts_toward_its_crate_or_part_of_the_page() {
        for (name, expected) in [
            (
                "<camlscope_page::ui::views::flame::FlameView as yew::Component>::view",
                "camlscope_page::ui::views::flame",
            ),
            ("camlscope_page::ui::app::App::run::{{closure}}", "camlscope_page::ui::app"),
            ("camlscope_page::wire::encode", "camlscope_page::wire"),
            ("<alloc::string::String as core::clone::Clone>::clone", "alloc"),
            ("dlmalloc", "dlmalloc"),
        ] {
            assert_eq!(part(name), expected);
        }
    }
}
