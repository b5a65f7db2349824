//! The files of the page. Each goes to the host under a name that carries a hash of its content, so a browser may keep it
//! for ever, and a new release is never mixed with an old cache. Whoever names a file is rewritten to say the new name.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use sha2::{Digest, Sha256};

/// Files by their path, with `/` between its parts.
pub type Files = BTreeMap<String, Vec<u8>>;

pub const PAGE: &str = "index.html";
/// Where the page's sources lie. `index.html` names them by this path, the others by `./`.
pub const SOURCES: &str = "www";

/// The style sheets, in the order of the cascade. They become one file, [`STYLE_SHEET`].
const STYLE_SHEETS: [&str; 11] = [
    "style.css",
    "compare.css",
    "events.css",
    "flame.css",
    "histograms.css",
    "leaks.css",
    "notes.css",
    "panel.css",
    "reading.css",
    "sentence.css",
    "table.css",
];
pub const STYLE_SHEET: &str = "style.css";

/// What starts the page, as a module of the site and as a script of the one file. Each becomes one script, [`BOOT`].
const SITE_BOOT: [&str; 2] = ["site.js", BOOT];
pub const ONE_FILE_BOOT: [&str; 2] = ["one-file.js", BOOT];
const BOOT: &str = "boot.js";

/// A binary of the page's package, and what wasm-bindgen makes of it.
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

/// All files but `index.html`, each after the files that it names: a name must be known before it is written.
const ASSETS: [&str; 13] = [
    STYLE_SHEET,
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

/// Lies beside the page, since a service worker may only answer for its own folder, and always has the same name, since
/// that is where the browser looks for a newer one.
pub const SERVICE_WORKER: &str = "service-worker.js";

/// The files in [`SOURCES`].
pub fn written() -> impl Iterator<Item = &'static str> {
    let is_made = |name: &&str| {
        [STYLE_SHEET, LATER].contains(name)
            || PROGRAMS.iter().any(|program| [program.wasm, program.glue].contains(name))
    };
    let parts = [SITE_BOOT[0], ONE_FILE_BOOT[0], SERVICE_WORKER];
    ASSETS.into_iter().filter(move |name| !is_made(name)).chain(STYLE_SHEETS).chain(parts)
}

/// Takes the sources by their names and returns the files of the host by their paths.
pub fn assemble(mut sources: Files) -> Result<Files> {
    for (name, parts) in [(STYLE_SHEET, &STYLE_SHEETS[..]), (BOOT, &SITE_BOOT)] {
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
    // GitHub Pages would otherwise pass the files through Jekyll.
    files.insert(".nojekyll".to_owned(), Vec::new());
    Ok(files)
}

/// What the service worker keeps: each file with its hash, in the form of `integrity`, and the hash of all of these.
fn build_line(files: &Files) -> String {
    let entry = |(path, content): (&String, &Vec<u8>)| {
        let path = if path == PAGE { "./" } else { path };
        format!("\"{path}\":\"sha256-{}\"", BASE64_STANDARD.encode(Sha256::digest(content)))
    };
    let entries: Vec<String> = files.iter().map(entry).collect();
    let entries = entries.join(",");
    format!("const BUILD = {{\"version\":\"{}\",\"files\":{{{entries}}}}};", short_hash(entries.as_bytes()))
}

/// The text of all style sheets.
pub fn style_sheet(sources: &Files) -> Result<String> {
    joined(sources, &STYLE_SHEETS)
}

/// Texts one after the other.
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

/// Whether a file may name others.
fn is_text(name: &str) -> bool {
    [".js", ".webmanifest"].iter().any(|extension| name.ends_with(extension))
}

/// The new names of the files that were taken so far.
#[derive(Default)]
struct Names {
    new: Vec<(&'static str, String)>,
}

impl Names {
    /// Replaces each name that stands in quotes, behind `www/` in the page and behind `./` elsewhere.
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

/// `style-0123456789.css` for `style.css`.
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
        found.find(|path| path.ends_with(extension)).expect("the file is there").clone()
    }

    #[test]
    fn every_file_says_the_new_names_of_others() {
        let files = assemble(site()).expect("the site is sound");
        let path = |stem, extension| path_of(&files, stem, extension);
        let page = format!("<script src=\"{}\">", path("boot", ".js"));
        assert_eq!(files[PAGE], page.as_bytes());
        let beside = |stem, extension| path(stem, extension).replace("assets/", "./");
        let boot = format!("site.js\nimport(\"{}\"); fetch(\"{}\")", beside("page", ".js"), beside("page", ".wasm"));
        assert_eq!(files[&path("boot", ".js")], boot.as_bytes());
    }

    #[test]
    fn all_style_sheets_become_one_the_pages_own_first() {
        let files = assemble(site()).expect("the site is sound");
        assert_eq!(files[&path_of(&files, "style", ".css")], STYLE_SHEETS.join("\n").as_bytes());
        assert!(!files.keys().any(|path| path.contains("table")));
    }

    #[test]
    fn the_service_worker_lists_every_file_and_its_version_changes_with_any_of_them() {
        let built = |sources: Files| assemble(sources).expect("the site is sound");
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
    fn a_file_that_is_missing_or_not_listed_is_named() {
        let mut broken = site();
        broken.remove("icon.svg");
        assert_eq!(assemble(broken).expect_err("a file is missing").to_string(), "icon.svg is missing");
        for (path, text) in [(PAGE, "<img src=\"www/gone.png\">"), ("worker.js", "import(\"./boot.js\")")] {
            let mut broken = site();
            broken.insert(path.to_owned(), text.as_bytes().to_vec());
            let error = assemble(broken).expect_err("a name is left").to_string();
            assert!(error.contains(path) && error.contains("list of assets"), "{error}");
        }
    }

    #[test]
    fn every_source_of_the_page_is_listed() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(SOURCES);
        let mut found: Vec<String> = std::fs::read_dir(folder)
            .expect("the sources are there")
            .map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned())
            .collect();
        let mut listed: Vec<&str> = written().collect();
        found.sort();
        listed.sort();
        assert_eq!(found, listed);
    }
}
