//! The files of the page. Each goes to the host under a name that carries a hash of its content, so a browser may keep it
//! for ever, and a new release is never mixed with an old cache. Whoever names a file is rewritten to say the new name.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

/// Files by their path, with `/` between its parts.
pub type Files = BTreeMap<String, Vec<u8>>;

pub const PAGE: &str = "index.html";
/// Where the page's sources lie. `index.html` names them by this path, the others by `./`.
pub const SOURCES: &str = "www";

/// The style sheets, in the order of the cascade. They become one file, [`STYLE_SHEET`].
const STYLE_SHEETS: [&str; 10] = [
    "style.css",
    "compare.css",
    "events.css",
    "flame.css",
    "histograms.css",
    "leaks.css",
    "panel.css",
    "reading.css",
    "sentence.css",
    "table.css",
];
const STYLE_SHEET: &str = "style.css";

/// What wasm-bindgen makes of the program.
pub const GLUE: &str = "app.js";
pub const PROGRAM: &str = "app.wasm";

/// All files but `index.html`, each after the files that it names: a name must be known before it is written.
const ASSETS: [&str; 8] =
    [STYLE_SHEET, "icon.svg", "manifest.webmanifest", "sample.ctf", PROGRAM, GLUE, "worker-boot.js", "boot.js"];

/// The files in [`SOURCES`].
pub fn written() -> impl Iterator<Item = &'static str> {
    let is_made = |name: &&str| [STYLE_SHEET, PROGRAM, GLUE].contains(name);
    ASSETS.into_iter().filter(move |name| !is_made(name)).chain(STYLE_SHEETS)
}

/// Takes the sources by their names and returns the files of the host by their paths.
pub fn assemble(mut sources: Files) -> Result<Files> {
    let sheets: Result<Vec<String>> = STYLE_SHEETS.iter().map(|name| taken_text(&mut sources, name)).collect();
    sources.insert(STYLE_SHEET.to_owned(), sheets?.join("\n").into_bytes());
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
    // GitHub Pages would otherwise pass the files through Jekyll.
    files.insert(".nojekyll".to_owned(), Vec::new());
    Ok(files)
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
    let hash: String = Sha256::digest(content).iter().take(5).map(|byte| format!("{byte:02x}")).collect();
    format!("{stem}-{hash}{extension}")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn site() -> Files {
        let mut sources: Files =
            ASSETS.iter().chain(&STYLE_SHEETS).map(|name| ((*name).to_owned(), name.as_bytes().to_vec())).collect();
        sources.insert("boot.js".to_owned(), b"import(\"./app.js\"); fetch(\"./app.wasm\")".to_vec());
        sources.insert(PAGE.to_owned(), b"<script src=\"www/boot.js\">".to_vec());
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
        let boot = format!("import(\"{}\"); fetch(\"{}\")", beside("app", ".js"), beside("app", ".wasm"));
        assert_eq!(files[&path("boot", ".js")], boot.as_bytes());
    }

    #[test]
    fn all_style_sheets_become_one_the_pages_own_first() {
        let files = assemble(site()).expect("the site is sound");
        assert_eq!(files[&path_of(&files, "style", ".css")], STYLE_SHEETS.join("\n").as_bytes());
        assert!(!files.keys().any(|path| path.contains("table")));
    }

    #[test]
    fn a_file_that_is_missing_or_not_listed_is_named() {
        let mut broken = site();
        broken.remove("icon.svg");
        assert_eq!(assemble(broken).expect_err("a file is missing").to_string(), "icon.svg is missing");
        for (path, text) in [(PAGE, "<img src=\"www/gone.png\">"), ("worker-boot.js", "import(\"./boot.js\")")] {
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
