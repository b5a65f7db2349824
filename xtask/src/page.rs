//! Building the page: compile, bind to JavaScript, shrink, name by content, and only then touch the output directory.
//! All of it is ready in memory before the first file is written, and the new directory replaces the old one whole.

use std::fs;
use std::mem;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::LazyLock;

use anyhow::{Context, Result, bail};
use clap::Args;
use regex_lite::{Captures, Regex};
use serde::Deserialize;
use walkdir::WalkDir;
use wasm_bindgen_cli_support::Bindgen;

use crate::assemble::{self, Files, PAGE};
use crate::references::regex;
use crate::shorten::shorten;
use crate::split::split;
use crate::toolchain::{self, Compiler, TARGET};
use crate::{pack, shell, weigh};

/// The profile of what the browser downloads.
pub const PROFILE: &str = "page";

#[derive(Debug, Args)]
pub struct Options {
    /// Directory to build into; it is replaced as a whole
    #[arg(long, default_value = "dist")]
    out: PathBuf,
}

pub fn run(root: &Path, options: &Options) -> Result<()> {
    let compiler = shell::step("looking for a compiler for the browser", toolchain::set_up)?;
    let out = root.join(&options.out);
    build(root, &compiler, &out, Effort::Full)?;
    println!("The page is in {}: any static host can serve it, under any path.", options.out.display());
    Ok(())
}

/// How much time a build may take for a smaller page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effort {
    Full,
    /// Without wasm-opt, for whoever waits for an edit to show.
    Quick,
}

/// Builds the page into `out`, which is left as it was if anything fails.
pub fn build(root: &Path, compiler: &Compiler, out: &Path, effort: Effort) -> Result<()> {
    check_is_replaceable(out)?;
    check_bindgen_version(&fs::read_to_string(root.join("Cargo.lock")).context("reading Cargo.lock")?)?;
    shell::step("compiling the page", || compile(root, compiler))?;
    let mut sources = shell::step("binding it to JavaScript", || bind(root))?;
    shorten_names(&mut sources)?;
    if effort == Effort::Full {
        shell::step("shrinking the WebAssembly", || shrink(root, &mut sources))?;
    }
    shell::step("packing the WebAssembly", || pack_programs(&mut sources, effort))?;
    shell::step("putting the page together", || {
        read_written_sources(root, &mut sources)?;
        let assembly = assemble::assemble(&sources)?;
        for path in &assembly.unreferenced {
            println!("  warning: nothing refers to {path}; it is left out");
        }
        replace(out, &assembly.files)?;
        print!("{}", weigh::table(&assembly.files)?);
        Ok(())
    })
}

/// Page and worker in one.
const BINARY: &str = "app";
/// Where the written sources of the page lie, and where what is generated appears to lie beside them.
const SOURCES: &str = "www";

fn compile(root: &Path, compiler: &Compiler) -> Result<()> {
    let mut cargo = compiler.cargo(root, "build");
    cargo.args(["--package", "camlscope", "--profile", PROFILE, "--no-default-features", "--features", "web"]);
    cargo.args(["--bin", BINARY]);
    shell::run(&mut cargo)
}

/// Its JavaScript and WebAssembly, as `www/app.js` and `www/app.wasm`.
fn bind(root: &Path) -> Result<Files> {
    let built = toolchain::wasm_target_dir(root).join(TARGET).join(PROFILE);
    let out = toolchain::wasm_target_dir(root).join("bindgen");
    remove_if_there(&out)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(built.join(format!("{BINARY}.wasm"))).web(true)?.typescript(false);
    bindgen.remove_name_section(true).remove_producers_section(true);
    // `boot.js` says where the WebAssembly lies; a second address in the generated code would dangle.
    bindgen.omit_default_module_path(true);
    bindgen.generate(&out).with_context(|| format!("wasm-bindgen could not read {BINARY}.wasm"))?;
    let renamed = |path: String| path.replace(&format!("{BINARY}_bg.wasm"), &format!("{BINARY}.wasm"));
    Ok(read_dir(&out)?.into_iter().map(|(path, content)| (format!("{SOURCES}/{}", renamed(path)), content)).collect())
}

/// Of what page and JavaScript share.
fn shorten_names(files: &mut Files) -> Result<()> {
    let [js, wasm] = ["js", "wasm"].map(|kind| format!("{SOURCES}/{BINARY}.{kind}"));
    let text = String::from_utf8(files.remove(&js).with_context(|| format!("no {js}"))?)?;
    let program = files.remove(&wasm).with_context(|| format!("no {wasm}"))?;
    let (text, program) = shorten(&text, &program)?;
    files.insert(js, text.into_bytes());
    files.insert(wasm, program);
    Ok(())
}

/// Replaces each `.wasm` by its `.wasm.lzma`, taken apart and packed.
fn pack_programs(files: &mut Files, effort: Effort) -> Result<()> {
    let (programs, others): (Files, Files) =
        mem::take(files).into_iter().partition(|(path, _)| path.ends_with(".wasm"));
    *files = others;
    for (path, content) in programs {
        files.insert(format!("{path}.lzma"), pack::pack(&split(&content)?, effort)?);
    }
    Ok(())
}

/// Runs wasm-opt over the WebAssembly if it is installed, and keeps the result where it is smaller on the wire.
fn shrink(root: &Path, files: &mut Files) -> Result<()> {
    let local = root.join("node_modules/.bin/wasm-opt");
    let Some(wasm_opt) = Some(local).filter(|path| path.is_file()).or_else(|| shell::find("wasm-opt")) else {
        println!("  wasm-opt is not installed; the page works without it");
        return Ok(());
    };
    for (path, content) in files.iter_mut().filter(|(path, _)| path.ends_with(".wasm")) {
        let before = pack::pack(content, Effort::Full)?.len();
        let Some(smaller) = optimised(root, &wasm_opt, content)? else {
            println!("  wasm-opt refused {path}; it stays as it is");
            continue;
        };
        let after = pack::pack(&smaller, Effort::Full)?.len();
        let (was, is) = (weigh::grouped(before), weigh::grouped(after));
        if after < before {
            println!("  {path}: {was} → {is} bytes packed");
            *content = smaller;
        } else {
            println!("  {path}: stays at {was} bytes packed; wasm-opt would make it {is}");
        }
    }
    Ok(())
}

/// What rustc's WebAssembly uses beyond the first version of the format.
const WASM_FEATURES: [&str; 6] = [
    "--enable-bulk-memory",
    "--enable-nontrapping-float-to-int",
    "--enable-sign-ext",
    "--enable-mutable-globals",
    "--enable-reference-types",
    "--enable-multivalue",
];

fn optimised(root: &Path, wasm_opt: &Path, content: &[u8]) -> Result<Option<Vec<u8>>> {
    let work = toolchain::wasm_target_dir(root);
    let (from, to) = (work.join("before-opt.wasm"), work.join("after-opt.wasm"));
    fs::write(&from, content)?;
    let mut command = Command::new(wasm_opt);
    command.arg("-O3").args(WASM_FEATURES).arg(&from).arg("-o").arg(&to).stdin(Stdio::null());
    let accepted = shell::run(&mut command).is_ok();
    Ok(if accepted { Some(fs::read(&to)?) } else { None })
}

fn read_written_sources(root: &Path, sources: &mut Files) -> Result<()> {
    let page = fs::read(root.join(PAGE)).with_context(|| format!("reading {PAGE}"))?;
    sources.insert(PAGE.to_owned(), page);
    for (path, content) in read_dir(&root.join(SOURCES))? {
        let path = format!("{SOURCES}/{path}");
        if sources.contains_key(&path) {
            bail!("{path} is generated by the build: give the written file another name");
        }
        sources.insert(path, content);
    }
    join_style_sheets(sources);
    Ok(())
}

/// What all style sheets become: one request instead of five.
const STYLE_SHEET: &str = "www/style.css";

/// The page's own sheet first, then those of its views, by name; without what only their writers read.
fn join_style_sheets(sources: &mut Files) {
    let is_sheet = |path: &str| path.ends_with(".css") && path != STYLE_SHEET;
    let others: Vec<String> = sources.keys().filter(|path| is_sheet(path)).cloned().collect();
    for path in others {
        if let Some(sheet) = sources.remove(&path) {
            let joined = sources.entry(STYLE_SHEET.to_owned()).or_default();
            joined.push(b'\n');
            joined.extend(sheet);
        }
    }
    if let Some(sheet) = sources.get_mut(STYLE_SHEET) {
        *sheet = without_comments(&String::from_utf8_lossy(sheet)).into_bytes();
    }
}

/// A text in quotes, or blanks and comments.
static KEPT_OR_BLANK: LazyLock<Regex> =
    LazyLock::new(|| regex(r#"(?s)("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|(?:\s|/\*.*?(?:\*/|\z))+"#));

/// A style sheet without comments and indentation: an eighth less of it, packed.
fn without_comments(sheet: &str) -> String {
    let short = KEPT_OR_BLANK.replace_all(sheet, |found: &Captures<'_>| match found.get(1) {
        Some(text) => text.as_str().to_owned(),
        // Words stay apart.
        None => if found[0].starts_with('\n') { "\n" } else { " " }.to_owned(),
    });
    short.into_owned()
}

/// The files below a directory, with `/` between the parts of their paths; hidden ones are not part of the page.
fn read_dir(dir: &Path) -> Result<Files> {
    let mut files = Files::new();
    let is_hidden = |name: &std::ffi::OsStr| name.to_string_lossy().starts_with('.');
    let entries = WalkDir::new(dir).min_depth(1).into_iter().filter_entry(|entry| !is_hidden(entry.file_name()));
    for entry in entries {
        let entry = entry?;
        if entry.file_type().is_file() {
            let parts: Vec<_> = entry.path().strip_prefix(dir)?.iter().map(|part| part.to_string_lossy()).collect();
            files.insert(parts.join("/"), fs::read(entry.path())?);
        }
    }
    Ok(files)
}

/// Writes the files into a directory beside `out`, then lets it take the place of `out`.
fn replace(out: &Path, files: &Files) -> Result<()> {
    let (new, old) = (beside(out, "new")?, beside(out, "old")?);
    remove_if_there(&new)?;
    remove_if_there(&old)?;
    for (name, content) in files {
        let path = new.join(name);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent)?;
        }
        fs::write(&path, content).with_context(|| format!("writing {}", path.display()))?;
    }
    if out.exists() {
        fs::rename(out, &old)?;
    }
    fs::rename(&new, out).with_context(|| format!("putting the page at {}", out.display()))?;
    remove_if_there(&old)
}

fn beside(out: &Path, suffix: &str) -> Result<PathBuf> {
    let name = out.file_name().with_context(|| format!("{} is no name for a directory", out.display()))?;
    Ok(out.with_file_name(format!(".{}.{suffix}", name.to_string_lossy())))
}

/// The output directory is deleted when it is replaced, so it must be one that an earlier build has made.
fn check_is_replaceable(out: &Path) -> Result<()> {
    let Ok(mut entries) = fs::read_dir(out) else {
        return Ok(());
    };
    let is_ours = out.join(PAGE).is_file() && out.join(".nojekyll").is_file();
    if entries.next().is_some() && !is_ours {
        bail!("{} holds other files, which would be lost: choose another --out, or empty it first", out.display());
    }
    Ok(())
}

fn remove_if_there(dir: &Path) -> Result<()> {
    if dir.exists() {
        fs::remove_dir_all(dir).with_context(|| format!("removing {}", dir.display()))?;
    }
    Ok(())
}

/// wasm-bindgen reads only what its very own version has written.
fn check_bindgen_version(lock: &str) -> Result<()> {
    let lock: Lock = toml::from_str(lock).context("reading Cargo.lock")?;
    let version = |name: &str| {
        let package = lock.package.iter().find(|package| package.name == name);
        package.map(|package| package.version.as_str()).with_context(|| format!("Cargo.lock has no {name}"))
    };
    let (library, tool) = (version("wasm-bindgen")?, version("wasm-bindgen-cli-support")?);
    if library != tool {
        bail!(
            "Cargo.lock has wasm-bindgen {library} but wasm-bindgen-cli-support {tool}: \
             give both the same version, in Cargo.toml and xtask/Cargo.toml"
        );
    }
    Ok(())
}

#[derive(Deserialize)]
struct Lock {
    package: Vec<LockedPackage>,
}

#[derive(Deserialize)]
struct LockedPackage {
    name: String,
    version: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lock(library: &str, tool: &str) -> String {
        format!(
            "version = 4\n[[package]]\nname = \"wasm-bindgen\"\nversion = \"{library}\"\n\
             [[package]]\nname = \"wasm-bindgen-cli-support\"\nversion = \"{tool}\"\n"
        )
    }

    fn scratch(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("camlscope-xtask-{name}-{}", std::process::id()));
        remove_if_there(&dir).expect("the directory can be emptied");
        fs::create_dir_all(&dir).expect("the directory can be made");
        dir
    }

    #[test]
    fn both_halves_of_wasm_bindgen_must_agree() {
        assert!(check_bindgen_version(&lock("0.2.130", "0.2.130")).is_ok());
        let error = check_bindgen_version(&lock("0.2.131", "0.2.130")).expect_err("they differ");
        assert!(error.to_string().contains("wasm-bindgen 0.2.131 but"), "{error}");
        let error = check_bindgen_version("version = 4\npackage = []\n").expect_err("none is there");
        assert_eq!(error.to_string(), "Cargo.lock has no wasm-bindgen");
    }

    #[test]
    fn the_output_is_replaced_whole_and_leaves_nothing_beside_it() {
        let dir = scratch("replace");
        let out = dir.join("dist");
        let site = |name: &str| {
            Files::from([
                (PAGE.to_owned(), b"<p>".to_vec()),
                (name.to_owned(), b"x".to_vec()),
                (".nojekyll".to_owned(), vec![]),
            ])
        };
        replace(&out, &site("assets/one.js")).expect("the first build");
        check_is_replaceable(&out).expect("an earlier build may go");
        replace(&out, &site("assets/two.js")).expect("the second build");
        assert!(out.join("assets/two.js").is_file() && !out.join("assets/one.js").exists());
        assert_eq!(fs::read_dir(&dir).expect("it is there").count(), 1);
        remove_if_there(&dir).expect("the directory can be removed");
    }

    #[test]
    fn all_style_sheets_become_one_the_pages_own_first() {
        let sheet = |path: &str, text: &str| (path.to_owned(), text.as_bytes().to_vec());
        let mut sources =
            Files::from([sheet("www/b.css", "b"), sheet("www/style.css", "own"), sheet("www/a.css", "a")]);
        join_style_sheets(&mut sources);
        assert_eq!(sources, Files::from([sheet("www/style.css", "own\na\nb")]));
    }

    #[test]
    fn style_sheets_lose_comments_and_indentation_and_nothing_else() {
        for (sheet, short) in [
            ("a {\n    color: red; /* why */\n\n    margin: 0;\n}\n", "a {\ncolor: red; margin: 0;\n}\n"),
            ("a/* apart */b{}", "a b{}"),
            (r#"q::before { content: "/* \"  kept */" }"#, r#"q::before { content: "/* \"  kept */" }"#),
            (r"q::after { content: '\'  //' } /* open", r"q::after { content: '\'  //' } "),
            ("a > b + c { }", "a > b + c { }"),
        ] {
            assert_eq!(without_comments(sheet), short);
        }
    }

    #[test]
    fn a_directory_with_other_files_is_not_replaced() {
        let dir = scratch("foreign");
        assert!(check_is_replaceable(&dir).is_ok(), "an empty directory may go");
        fs::write(dir.join("thesis.tex"), "years of work").expect("it can be written");
        let error = check_is_replaceable(&dir).expect_err("it holds other files");
        assert!(error.to_string().contains("would be lost"), "{error}");
        remove_if_there(&dir).expect("the directory can be removed");
    }
}
