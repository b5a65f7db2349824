//! The files of the page. The name of each file has a hash of its content, so browsers can cache it forever, and files of two
//! releases never mix. References to a file are rewritten to its new name.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest, Sha256};

/// Files by path, with `/` as the separator.
pub type Files = BTreeMap<String, Vec<u8>>;

pub const PAGE: &str = "index.html";
/// The folder of the page's sources. `index.html` refers to them by this path, and the sources refer to each other by `./`.
pub const SOURCES: &str = "www";

/// The style sheets of what is drawn first, in cascade order. They are joined into one file, [`STYLE_SHEET`].
const STYLE_SHEETS: [&str; 5] = ["style.css", "compare.css", "notes.css", "reading.css", "sentence.css"];
pub const STYLE_SHEET: &str = "style.css";

/// The style sheets of the views in the page's second module. They are joined into one file, [`LATER_STYLE_SHEET`].
const LATER_STYLE_SHEETS: [&str; 6] =
    ["events.css", "flame.css", "histograms.css", "leaks.css", "panel.css", "table.css"];
const LATER_STYLE_SHEET: &str = "later.css";

/// The scripts that start the page, for the site and for the one-file page. Each list is joined into one script, [`BOOT`].
const SITE_BOOT: [&str; 3] = ["site.js", HOST, BOOT];
pub const ONE_FILE_BOOT: [&str; 3] = ["one-file.js", HOST, BOOT];
const HOST: &str = "host.js";
const BOOT: &str = "boot.js";

/// A binary of the page's package, and the files that wasm-bindgen generates from it.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    pub binary: &'static str,
    pub wasm: &'static str,
    pub glue: &'static str,
}

pub const WORKER: Program = Program { binary: "worker", wasm: "worker.wasm", glue: "worker.js" };
pub const UI: Program = Program { binary: "page", wasm: "page.wasm", glue: "page.js" };
pub const PROGRAMS: [Program; 2] = [WORKER, UI];
/// The second module of the page's program.
pub const LATER: &str = "later.wasm";

pub const SAMPLE: &str = "sample.ctf";
pub const ICON: &str = "icon.svg";

/// All files except `index.html`. Each comes after the files that it refers to, because their new names must be known first.
const ASSETS: [&str; 14] = [
    STYLE_SHEET,
    LATER_STYLE_SHEET,
    ICON,
    "icon-192.png",
    "icon-512.png",
    "icon-maskable.png",
    "manifest.webmanifest",
    SAMPLE,
    WORKER.wasm,
    WORKER.glue,
    UI.wasm,
    UI.glue,
    LATER,
    BOOT,
];

/// Next to the page, because a service worker only handles requests for its own folder. Its name never changes, because the
/// browser checks that address for updates.
pub const SERVICE_WORKER: &str = "service-worker.js";

/// Returns the names of the files in [`SOURCES`].
pub fn written() -> impl Iterator<Item = &'static str> {
    let is_made = |name: &&str| {
        [STYLE_SHEET, LATER_STYLE_SHEET, LATER].contains(name)
            || PROGRAMS.iter().any(|program| [program.wasm, program.glue].contains(name))
    };
    let parts = [SITE_BOOT[0], ONE_FILE_BOOT[0], HOST, SERVICE_WORKER];
    ASSETS.into_iter().filter(move |name| !is_made(name)).chain(STYLE_SHEETS).chain(LATER_STYLE_SHEETS).chain(parts)
}

/// Turns the sources, by name, into the files to deploy, by path.
pub fn assemble(mut sources: Files) -> Result<Files> {
    let parts = [(STYLE_SHEET, &STYLE_SHEETS[..]), (LATER_STYLE_SHEET, &LATER_STYLE_SHEETS), (BOOT, &SITE_BOOT)];
    for (name, parts) in parts {
        let joined = joined(&sources, parts)?;
        sources.insert(name.to_owned(), joined.into_bytes());
    }
    let mut files = Files::new();
    let mut names = Names::default();
    for name in ASSETS {
        let content = if is_text(name) {
            names.rewritten(name, taken_text(&mut sources, name)?)?.into_bytes()
        } else {
            taken(&mut sources, name)?
        };
        let new_name = hashed_name(name, &content);
        files.insert(format!("assets/{new_name}"), content);
        names.new.push((name, new_name));
    }
    let page = names.rewritten(PAGE, taken_text(&mut sources, PAGE)?)?;
    files.insert(PAGE.to_owned(), page.into_bytes());
    let service_worker = format!("{}\n{}", build_line(&files), taken_text(&mut sources, SERVICE_WORKER)?);
    files.insert(SERVICE_WORKER.to_owned(), service_worker.into_bytes());
    // Without this file, GitHub Pages runs Jekyll on the site.
    files.insert(".nojekyll".to_owned(), Vec::new());
    Ok(files)
}

/// Returns the list of files that the service worker caches, each with its hash as in `integrity`, and a hash of the whole list.
fn build_line(files: &Files) -> String {
    let entry = |(path, content): (&String, &Vec<u8>)| {
        let path = if path == PAGE { "./" } else { path };
        format!("\"{path}\":\"sha256-{}\"", BASE64_STANDARD.encode(Sha256::digest(content)))
    };
    let entries: Vec<String> = files.iter().map(entry).collect();
    let entries = entries.join(",");
    format!("const BUILD = {{\"version\":\"{}\",\"files\":{{{entries}}}}};", short_hash(entries.as_bytes()))
}

/// Joins all style sheets.
pub fn style_sheet(sources: &Files) -> Result<String> {
    joined(sources, &[&STYLE_SHEETS[..], &LATER_STYLE_SHEETS].concat())
}

pub fn joined(sources: &Files, names: &[&str]) -> Result<String> {
    let texts: Result<Vec<&str>> = names.iter().map(|name| text(sources, name)).collect();
    Ok(texts?.join("\n"))
}

pub fn text<'a>(sources: &'a Files, name: &str) -> Result<&'a str> {
    let bytes = sources.get(name).with_context(|| format!("{name} is missing"))?;
    str::from_utf8(bytes).with_context(|| format!("{name} is not text"))
}

fn taken(sources: &mut Files, name: &str) -> Result<Vec<u8>> {
    sources.remove(name).with_context(|| format!("{name} is missing"))
}

fn taken_text(sources: &mut Files, name: &str) -> Result<String> {
    String::from_utf8(taken(sources, name)?).with_context(|| format!("{name} is not text"))
}

/// Returns whether a file can refer to other files.
fn is_text(name: &str) -> bool {
    [".js", ".webmanifest"].iter().any(|extension| name.ends_with(extension))
}

/// The new names of the files processed so far.
#[derive(Default)]
struct Names {
    new: Vec<(&'static str, String)>,
}

impl Names {
    /// Replaces each name in quotes that starts with `www/` in the page, or with `./` in other files.
    fn rewritten(&self, path: &str, mut text: String) -> Result<String> {
        let (before, after) = if path == PAGE { ("www/", "assets/") } else { ("./", "./") };
        for (name, new) in &self.new {
            text = text.replace(&format!("\"{before}{name}\""), &format!("\"{after}{new}\""));
        }
        let left = ASSETS.iter().find(|name| text.contains(&format!("\"{before}{name}\"")));
        if let Some(name) = left {
            bail!("{path} names {name}: the list of assets must have {name} before {path}");
        }
        if path == PAGE && text.contains("\"www/") {
            bail!("{path} names a file of www/ that is not in the list of assets");
        }
        Ok(text)
    }
}

/// Returns `style-0123456789.css` for `style.css`.
fn hashed_name(name: &str, content: &[u8]) -> String {
    let (stem, extension) = name.split_at(name.find('.').unwrap_or(name.len()));
    format!("{stem}-{}{extension}", short_hash(content))
}

fn short_hash(content: &[u8]) -> String {
    Sha256::digest(content).iter().take(5).map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn site() -> Files {
        let mut sources: Files = ASSETS
            .iter()
            .chain(&STYLE_SHEETS)
            .chain(&LATER_STYLE_SHEETS)
            .chain(&SITE_BOOT)
            .map(|name| ((*name).to_owned(), name.as_bytes().to_vec()))
            .collect();
        sources.insert("boot.js".to_owned(), b"import(\"./page.js\"); fetch(\"./page.wasm\")".to_vec());
        sources.insert(PAGE.to_owned(), b"<script src=\"www/boot.js\">".to_vec());
        sources.insert(SERVICE_WORKER.to_owned(), b"keep(BUILD)".to_vec());
        sources
    }

    fn path_of(files: &Files, stem: &str, extension: &str) -> String {
        let mut found = files.keys().filter(|path| path.starts_with(&format!("assets/{stem}-")));
        found.find(|path| path.ends_with(extension)).expect("the file exists").clone()
    }

    #[test]
    fn files_refer_to_each_other_by_their_new_names() {
        let files = assemble(site()).expect("a valid site");
        let path = |stem, extension| path_of(&files, stem, extension);
        let page = format!("<script src=\"{}\">", path("boot", ".js"));
        assert_eq!(files[PAGE], page.as_bytes());
        let beside = |stem, extension| path(stem, extension).replace("assets/", "./");
        let boot =
            format!("site.js\nhost.js\nimport(\"{}\"); fetch(\"{}\")", beside("page", ".js"), beside("page", ".wasm"));
        assert_eq!(files[&path("boot", ".js")], boot.as_bytes());
    }

    #[test]
    fn style_sheets_are_joined_in_order() {
        let files = assemble(site()).expect("a valid site");
        assert_eq!(files[&path_of(&files, "style", ".css")], STYLE_SHEETS.join("\n").as_bytes());
        assert!(!files.keys().any(|path| path.contains("table")));
    }

    #[test]
    fn service_worker_lists_every_file_and_its_version_changes_with_the_files() {
        let built = |sources: Files| assemble(sources).expect("a valid site");
        let line = |files: &Files| String::from_utf8_lossy(&files[SERVICE_WORKER]).lines().next().map(str::to_owned);
        let version = |files: &Files| line(files).and_then(|line| line.split('"').nth(3).map(str::to_owned));
        let files = built(site());
        let listed = line(&files).unwrap_or_default();
        let assets = files.keys().filter(|path| path.starts_with("assets/"));
        assert!(assets.map(String::as_str).chain(["./"]).all(|path| listed.contains(&format!("\"{path}\":\"sha256-"))));
        assert_eq!(listed.matches("sha256-").count(), ASSETS.len() + 1);
        let mut changed = site();
        changed.insert("sample.ctf".to_owned(), b"another".to_vec());
        assert_ne!(version(&files), version(&built(changed)));
        assert_eq!(version(&files), version(&built(site())));
    }

    #[test]
    fn error_names_a_missing_or_unlisted_file() {
        let mut broken = site();
        broken.remove("icon.svg");
        assert_eq!(assemble(broken).expect_err("a file is missing").to_string(), "icon.svg is missing");
        for (path, text) in [(PAGE, "<img src=\"www/gone.png\">"), ("worker.js", "import(\"./boot.js\")")] {
            let mut broken = site();
            broken.insert(path.to_owned(), text.as_bytes().to_vec());
            let error = assemble(broken).expect_err("a reference to an unlisted file").to_string();
            assert!(error.contains(path) && error.contains("list of assets"), "{error}");
        }
    }

    #[test]
    fn every_file_in_www_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(SOURCES);
        let mut found: Vec<String> = std::fs::read_dir(folder)
            .expect("the sources exist")
            .map(|entry| entry.expect("readable entry").file_name().to_string_lossy().into_owned())
            .collect();
        let mut listed: Vec<&str> = written().collect();
        found.sort();
        listed.sort();
        assert_eq!(found, listed);
    }
}
