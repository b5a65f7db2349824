//! From the files as people write them to the files a browser may keep for ever: each is named after its content, and
//! whoever refers to it says the new name. A name depends on the names inside, so files are taken innermost first.
//!
//! Everything but the page itself goes into one directory, as deep as `www/`, so that `../` means the same before and after.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};

use crate::references;

/// Files by their path, with `/` between its parts.
pub type Files = BTreeMap<String, Vec<u8>>;

pub const PAGE: &str = "index.html";

/// What goes to the host, and what was left behind.
#[derive(Debug)]
pub struct Assembly {
    pub files: Files,
    /// Sources that nothing refers to.
    pub unreferenced: Vec<String>,
}

/// Follows the references from `index.html`, and renames and rewrites what they lead to.
pub fn assemble(sources: &Files) -> Result<Assembly> {
    let mut assembler = Assembler { sources, names: BTreeMap::new(), open: Vec::new(), files: Files::new() };
    let page = assembler.rewritten(PAGE)?;
    assembler.files.insert(PAGE.to_owned(), page);
    // GitHub Pages would otherwise pass the files through Jekyll.
    assembler.files.insert(".nojekyll".to_owned(), Vec::new());
    let known: BTreeSet<&str> = assembler.names.keys().map(String::as_str).chain([PAGE]).collect();
    let unreferenced = sources.keys().filter(|path| !known.contains(path.as_str())).cloned().collect();
    Ok(Assembly { files: assembler.files, unreferenced })
}

struct Assembler<'a> {
    sources: &'a Files,
    /// Source path → path on the host.
    names: BTreeMap<String, String>,
    /// The files being rewritten, outermost first: a file that is met again here refers to itself.
    open: Vec<String>,
    files: Files,
}

impl Assembler<'_> {
    /// The path on the host of a source, after placing it there.
    fn placed(&mut self, path: &str) -> Result<String> {
        if let Some(name) = self.names.get(path) {
            return Ok(name.clone());
        }
        if self.open.iter().any(|open| open == path) {
            bail!("{} → {path} is a circle: a name cannot contain its own hash", self.open.join(" → "));
        }
        self.open.push(path.to_owned());
        let content = self.rewritten(path)?;
        self.open.pop();
        let name = hashed_name(path, &content);
        self.files.insert(name.clone(), content);
        self.names.insert(path.to_owned(), name.clone());
        Ok(name)
    }

    /// A source with the names in it replaced.
    fn rewritten(&mut self, path: &str) -> Result<Vec<u8>> {
        let content = self.sources.get(path).with_context(|| format!("{path} is missing"))?;
        let Ok(text) = str::from_utf8(content) else {
            return Ok(content.clone());
        };
        let mut result = String::with_capacity(text.len());
        let mut copied = 0;
        for reference in references::find(path, text)? {
            if reference.target == PAGE {
                continue;
            }
            if !self.sources.contains_key(&reference.target) {
                bail!("{path} names {}, which is missing", reference.target);
            }
            let name = self.placed(&reference.target)?;
            result.push_str(&text[copied..reference.span.start]);
            result.push_str(&seen_from(path, &name));
            copied = reference.span.end;
        }
        result.push_str(&text[copied..]);
        Ok(result.into_bytes())
    }
}

const ASSETS: &str = "assets/";

/// `assets/style-0123456789.css` for `www/style.css`.
fn hashed_name(path: &str, content: &[u8]) -> String {
    let file = path.rsplit('/').next().unwrap_or(path);
    let (stem, extension) = file.split_at(file.find('.').unwrap_or(file.len()));
    let hash: String = Sha256::digest(content).iter().take(5).map(|byte| format!("{byte:02x}")).collect();
    format!("{ASSETS}{stem}-{hash}{extension}")
}

/// How a file on the host is named by the page, or by a file beside it. The dot matters: a module's path needs it.
fn seen_from(path: &str, name: &str) -> String {
    if path == PAGE { name.to_owned() } else { name.replacen(ASSETS, "./", 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(list: &[(&str, &str)]) -> Files {
        list.iter().map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec())).collect()
    }

    fn site() -> Files {
        files(&[
            ("index.html", "<link href=\"www/m.webmanifest\"><script src=\"www/boot.js\"></script>"),
            ("www/boot.js", "import init from \"./app.js\"; init(new URL(\"./app.wasm\", import.meta.url));"),
            ("www/app.js", "export default function init() {}"),
            ("www/app.wasm", "\0asm"),
            ("www/m.webmanifest", "{ \"start_url\": \"../\", \"icons\": [{ \"src\": \"icon.svg\" }] }"),
            ("www/icon.svg", "<svg/>"),
        ])
    }

    fn name_of(assembly: &Assembly, stem: &str) -> String {
        let prefix = format!("assets/{stem}-");
        let mut found = assembly.files.keys().filter(|name| name.starts_with(&prefix));
        found.next().expect("the file is there").clone()
    }

    fn text_of(assembly: &Assembly, name: &str) -> String {
        String::from_utf8(assembly.files[name].clone()).expect("the file is text")
    }

    #[test]
    fn every_reference_says_the_new_name() {
        let assembly = assemble(&site()).expect("the site is sound");
        let page = text_of(&assembly, PAGE);
        let (boot, manifest) = (name_of(&assembly, "boot"), name_of(&assembly, "m"));
        assert_eq!(page, format!("<link href=\"{manifest}\"><script src=\"{boot}\"></script>"));
        let icon = name_of(&assembly, "icon").replace("assets/", "./");
        assert_eq!(
            text_of(&assembly, &manifest),
            format!("{{ \"start_url\": \"../\", \"icons\": [{{ \"src\": \"{icon}\" }}] }}")
        );
        let (glue, wasm) = (name_of(&assembly, "app"), "new URL(\"./app-");
        let boot = text_of(&assembly, &boot);
        assert!(boot.contains(&glue.replace("assets/", "./")) && boot.contains(wasm), "{boot}");
    }

    #[test]
    fn a_change_deep_inside_renames_all_that_lead_to_it_and_nothing_else() {
        let before = assemble(&site()).expect("the site is sound");
        let mut changed = site();
        changed.insert("www/app.wasm".to_owned(), b"\0asm2".to_vec());
        let after = assemble(&changed).expect("the site is sound");
        assert_ne!(name_of(&before, "boot"), name_of(&after, "boot"));
        assert_eq!(name_of(&before, "m"), name_of(&after, "m"));
    }

    #[test]
    fn the_page_keeps_its_name_and_jekyll_is_told_off() {
        let assembly = assemble(&site()).expect("the site is sound");
        let outside: Vec<_> = assembly.files.keys().filter(|name| !name.starts_with(ASSETS)).collect();
        assert_eq!(outside, [".nojekyll", "index.html"]);
    }

    #[test]
    fn a_name_carries_ten_digits_of_the_content() {
        assert_eq!(hashed_name("www/style.css", b""), "assets/style-e3b0c44298.css");
        assert_ne!(hashed_name("a.css", b"a"), hashed_name("a.css", b"b"));
    }

    #[test]
    fn a_missing_file_is_named_with_whoever_names_it() {
        let mut broken = site();
        broken.remove("www/app.wasm");
        let error = assemble(&broken).expect_err("a file is missing");
        assert_eq!(error.to_string(), "www/boot.js names www/app.wasm, which is missing");
    }

    #[test]
    fn a_file_that_nobody_names_is_left_out_and_reported() {
        let mut more = site();
        more.insert("www/old.png".to_owned(), b"old".to_vec());
        let assembly = assemble(&more).expect("the site is sound");
        assert_eq!(assembly.unreferenced, ["www/old.png"]);
        assert!(!assembly.files.keys().any(|name| name.contains("old")));
    }

    #[test]
    fn a_circle_of_modules_is_refused() {
        let circle = files(&[
            ("index.html", "<script src=\"www/a.js\"></script>"),
            ("www/a.js", "import \"./b.js\""),
            ("www/b.js", "import \"./a.js\""),
        ]);
        let error = assemble(&circle).expect_err("a circle");
        assert_eq!(error.to_string(), "www/a.js → www/b.js → www/a.js is a circle: a name cannot contain its own hash");
    }
}
