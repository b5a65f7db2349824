//! Builds the page: compiles it, generates its JavaScript, and adds content hashes to file names. Everything is ready in memory
//! before the first file is written, and the new directory replaces the old one as a whole.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use flate2::Compression;
use flate2::write::GzEncoder;
use wasm_bindgen_cli_support::Bindgen;
use wasmparser::Parser;

use crate::assets::{self, Files, LATER, PAGE, Program, SOURCES, UI, WORKER};
use crate::one_file::{self, ONE_FILE};
use crate::toolchain::{self, Compiler, TARGET};
use crate::{checks, shell, weigh};

pub const PACKAGE: &str = "camlscope-page";
/// The profile of the page that is released.
pub const PROFILE: &str = "page";
/// The profile for development. The page is larger, but builds in a fraction of the time.
pub const QUICK_PROFILE: &str = "page-quick";

#[derive(Debug, Args)]
pub struct Options {
    /// Directory to build into; it is replaced as a whole
    #[arg(long, default_value = "dist")]
    out: PathBuf,
    /// Also lint the page's code
    #[arg(long)]
    lint: bool,
    /// Build a larger page in a fraction of the time
    #[arg(long)]
    quick: bool,
}

pub fn run(root: &Path, options: &Options) -> Result<()> {
    let compiler = shell::step("looking for a compiler for the browser", toolchain::set_up)?;
    let profile = if options.quick { QUICK_PROFILE } else { PROFILE };
    let lints = options.lint.then(|| checks::clippy_for(root, &compiler)).transpose()?;
    let compile = || compile(root, &compiler, profile, lints.as_deref());
    build_with(root, &root.join(&options.out), profile, compile)?;
    println!("The page is in {}: any static host can serve it, under any path.", options.out.display());
    Ok(())
}

/// Builds the page into `out`, which is replaced once all files are ready.
pub fn build(root: &Path, compiler: &Compiler, out: &Path, profile: &str) -> Result<()> {
    build_with(root, out, profile, || compile(root, compiler, profile, None))
}

fn build_with(root: &Path, out: &Path, profile: &str, compile: impl FnOnce() -> Result<()>) -> Result<()> {
    check_is_replaceable(out)?;
    shell::step("compiling the page", compile)?;
    let mut sources = shell::step("generating JavaScript bindings", || bind(root, profile))?;
    shell::step("assembling the page", || {
        for name in assets::written() {
            sources.insert(name.to_owned(), read(&root.join(SOURCES).join(name))?);
        }
        sources.insert(PAGE.to_owned(), read(&root.join(PAGE))?);
        let one_file = one_file::assemble(&sources)?;
        let mut files = assets::assemble(sources)?;
        files.insert(ONE_FILE.to_owned(), one_file.into_bytes());
        add_gzipped(&mut files)?;
        replace(out, &files)?;
        print!("{}", weigh::table(&files, profile == PROFILE)?);
        Ok(())
    })
}

/// `clippy` is the driver that lints while it compiles: linting alone would compile all dependencies twice. Its code generation is
/// rustc's.
fn compile(root: &Path, compiler: &Compiler, profile: &str, clippy: Option<&Path>) -> Result<()> {
    let mut cargo = compiler.cargo(root, "build");
    if let Some(clippy) = clippy {
        checks::lint_page_with(&mut cargo, clippy);
    }
    cargo.args(["--package", PACKAGE, "--profile", profile, "--bins"]);
    shell::run(&mut cargo)
}

/// Returns the WebAssembly and the JavaScript of each program, and the second module of the page.
fn bind(root: &Path, profile: &str) -> Result<Files> {
    let mut files = Files::new();
    let (page, later) = split(root, profile)?;
    files.insert(LATER.to_owned(), later);
    for (program, wasm) in [(WORKER, built(root, profile, WORKER.binary)), (UI, page)] {
        let (glue, wasm) = bind_program(root, &program, &wasm)?;
        files.insert(program.glue.to_owned(), glue);
        files.insert(program.wasm.to_owned(), wasm);
    }
    Ok(files)
}

/// Splits the page's program at the function that `src/main.rs` marks. Returns the path of the first module and the bytes of the
/// second.
fn split(root: &Path, profile: &str) -> Result<(PathBuf, Vec<u8>)> {
    let out = toolchain::wasm_target_dir(root).join("split");
    remove_if_there(&out)?;
    let whole = read(&built(root, profile, UI.binary))?;
    let page = out.join(UI.wasm);
    let mut options = wasm_split_cli_support::Options::new(&whole);
    options.output_dir = &out;
    options.main_out_path = &page;
    options.link_name = LINK_MODULE;
    let cut = wasm_split_cli_support::transform(options).map_err(|error| anyhow!("{error:?}"))?;
    let [later] = &cut.split_modules[..] else {
        bail!("the page's program was split into {} modules instead of two", cut.split_modules.len() + 1);
    };
    let later = without_custom_sections(&read(later)?)?;
    Ok((page, later))
}

/// Removes function names, which are a third of the module, and other sections that browsers don't need.
fn without_custom_sections(wasm: &[u8]) -> Result<Vec<u8>> {
    let mut kept = wasm.to_vec();
    let mut start = 8;
    kept.truncate(start);
    for payload in Parser::new(0).parse_all(wasm) {
        if let Some((id, range)) = payload?.as_section() {
            if id != 0 {
                kept.extend_from_slice(&wasm[start..range.end]);
            }
            start = range.end;
        }
    }
    Ok(kept)
}

/// The first module imports the loader of the second from this file. The file doesn't exist: [`linked`] replaces the import.
const LINK_MODULE: &str = "./later.js";

fn bind_program(root: &Path, program: &Program, wasm: &Path) -> Result<(Vec<u8>, Vec<u8>)> {
    let Program { binary, .. } = program;
    let out = toolchain::wasm_target_dir(root).join("bindgen");
    remove_if_there(&out)?;
    let mut bindgen = Bindgen::new();
    bindgen.input_path(wasm).typescript(false).web(true)?;
    bindgen.remove_name_section(true).remove_producers_section(true);
    // The boot script passes the address of the WebAssembly. A default address in the generated code would point to no file.
    bindgen.omit_default_module_path(true);
    // Keeps the memory and the function table, which the page's two modules share.
    bindgen.keep_lld_exports(program.binary == UI.binary);
    bindgen.generate(&out).with_context(|| format!("wasm-bindgen can't read {binary}.wasm"))?;
    if out.join("snippets").exists() {
        bail!("a crate has its own JavaScript, which isn't in the list of assets");
    }
    let glue = fs::read_to_string(out.join(format!("{binary}.js"))).context("wasm-bindgen generated no JavaScript")?;
    Ok((linked(&glue).into_bytes(), read(&out.join(format!("{binary}_bg.wasm")))?))
}

/// Replaces the import of [`LINK_MODULE`] with the loader in `boot.js`.
fn linked(glue: &str) -> String {
    let from = format!(" from \"{LINK_MODULE}\"");
    let import = |line: &&str| line.starts_with("import * as ") && line.contains(&from);
    let Some(line) = glue.lines().find(import) else { return glue.to_owned() };
    let name = line.trim_start_matches("import * as ").split(' ').next().unwrap_or_default();
    let links = format!("const {name} = {{ __wasm_split_load_later: (...call) => camlscope.later(...call) }};");
    glue.replacen(line, &links, 1)
}

/// Returns the modules of the last build, with function names.
pub fn modules(root: &Path) -> [(&'static str, PathBuf); 3] {
    let split = toolchain::wasm_target_dir(root).join("split");
    [
        (WORKER.wasm, built(root, PROFILE, WORKER.binary)),
        (UI.wasm, split.join(UI.wasm)),
        (LATER, split.join("split_later.wasm")),
    ]
}

/// Returns the path of a binary's WebAssembly as the compiler wrote it.
fn built(root: &Path, profile: &str, binary: &str) -> PathBuf {
    toolchain::wasm_target_dir(root).join(TARGET).join(profile).join(format!("{binary}.wasm"))
}

/// Adds a gzipped copy of each file, for servers that can send it instead.
fn add_gzipped(files: &mut Files) -> Result<()> {
    let mut twins = Files::new();
    for (path, content) in files.iter().filter(|(_, content)| !content.is_empty()) {
        twins.insert(format!("{path}.gz"), gzipped(content)?);
    }
    files.append(&mut twins);
    Ok(())
}

/// Compresses at gzip's highest level.
pub fn gzipped(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

/// Copies a built page and adds gzipped copies of its files, which older builds don't have.
pub fn copy_gzipped(from: &Path, to: &Path) -> Result<()> {
    let mut files = Files::new();
    for dir in ["", "assets/"] {
        for entry in fs::read_dir(from.join(dir))? {
            let path = entry?.path();
            if path.is_file() {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                files.insert(format!("{dir}{name}"), read(&path)?);
            }
        }
    }
    files.retain(|path, _| !path.ends_with(".gz"));
    add_gzipped(&mut files)?;
    replace(to, &files)
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("reading {}", path.display()))
}

/// Writes the files to a new directory next to `out`, then replaces `out` with it.
fn replace(out: &Path, files: &Files) -> Result<()> {
    let name = out.file_name().with_context(|| format!("{} isn't a directory name", out.display()))?;
    let new = out.with_file_name(format!(".{}.new", name.to_string_lossy()));
    remove_if_there(&new)?;
    fs::create_dir_all(new.join("assets"))?;
    for (name, content) in files {
        let path = new.join(name);
        fs::write(&path, content).with_context(|| format!("writing {}", path.display()))?;
    }
    remove_if_there(out)?;
    fs::rename(&new, out).with_context(|| format!("moving the page to {}", out.display()))
}

/// Fails unless the output directory is missing, empty or an earlier build, because replacing it deletes its files.
fn check_is_replaceable(out: &Path) -> Result<()> {
    let Ok(mut entries) = fs::read_dir(out) else {
        return Ok(());
    };
    let is_ours = out.join(PAGE).is_file() && out.join(".nojekyll").is_file();
    if entries.next().is_some() && !is_ours {
        bail!(
            "{} contains other files, which would be deleted. Choose another --out, or empty it first",
            out.display()
        );
    }
    Ok(())
}

fn remove_if_there(dir: &Path) -> Result<()> {
    if dir.exists() {
        fs::remove_dir_all(dir).with_context(|| format!("removing {}", dir.display()))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn build_replaces_an_earlier_build_but_no_other_files() {
        let dir = std::env::temp_dir().join(format!("camlscope-xtask-page-{}", std::process::id()));
        let out = dir.join("dist");
        let site = |name: &str| Files::from([PAGE, name, ".nojekyll"].map(|name| (name.to_owned(), b"x".to_vec())));
        replace(&out, &site("assets/one.js")).expect("the first build");
        check_is_replaceable(&out).expect("an earlier build can be replaced");
        replace(&out, &site("assets/two.js")).expect("the second build");
        assert!(out.join("assets/two.js").is_file() && !out.join("assets/one.js").exists());
        assert_eq!(fs::read_dir(&dir).expect("the directory exists").count(), 1, "no other files are left");

        let error = check_is_replaceable(&dir).expect_err("the directory has other files");
        assert!(error.to_string().contains("would be deleted"), "{error}");
        assert!(check_is_replaceable(&dir.join("none")).is_ok());
        remove_if_there(&dir).expect("the directory can be removed");
    }
}
