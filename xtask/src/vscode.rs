//! The extension for VS Code: compiles it, adds the page as one file, and packs both into a `.vsix`. The compilers come from npm.

mod package;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::{self, JoinHandle};

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use self::package::Extension;
use crate::one_file::ONE_FILE;
use crate::{packages, shell};

const SOURCES: &str = "editors/vscode";
const TESTS: &str = "tests/vscode";

#[derive(Debug, Args)]
pub struct Options {
    /// The file to write
    #[arg(long, default_value = "target/camlscope.vsix")]
    out: PathBuf,
    /// The page as one file, from `cargo xtask build`
    #[arg(long, default_value = "dist/camlscope.html")]
    page: PathBuf,
}

pub fn run(root: &Path, options: &Options) -> Result<()> {
    let page = root.join(&options.page);
    ensure!(page.is_file(), "there is no {}: build it with `cargo xtask build`", options.page.display());
    shell::step("compiling the extension", || compile(root))?;
    let folder = shell::step("putting the extension together", || assemble(root, &page))?;
    let out = root.join(&options.out);
    let bytes = Extension::read(&folder)?.packed()?;
    fs::write(&out, &bytes).with_context(|| format!("writing {}", out.display()))?;
    println!("  {:.1} MB: {}", bytes.len() as f64 / 1e6, options.out.display());
    println!("Install it with `code --install-extension {}`.", options.out.display());
    Ok(())
}

/// What the tests in VS Code need, while it's being installed. Most of the time is spent on the network.
#[derive(Debug)]
pub struct SetUp(JoinHandle<Result<PathBuf>>);

impl SetUp {
    /// Installs VS Code and its server, and compiles the extension, in a thread.
    pub fn start(root: &Path) -> SetUp {
        println!("• VS Code: installed with npm in the background");
        let root = root.to_owned();
        SetUp(thread::spawn(move || {
            compile(&root)?;
            let names = ["package.json", "package-lock.json", "serve.mjs"];
            install(&root.join(TESTS), &folder(&root).join("tests"), &names)
        }))
    }

    /// Returns the environment of the tests: VS Code's folder, and the extension's with the built page.
    pub fn finish(self, root: &Path) -> Result<[(&'static str, PathBuf); 2]> {
        let Ok(installed) = self.0.join() else { bail!("the thread panicked") };
        let extension = assemble(root, &root.join("dist").join(ONE_FILE))?;
        Ok([("CAMLSCOPE_VSCODE", installed?), ("CAMLSCOPE_VSCODE_EXTENSION", extension)])
    }
}

/// Checks types, and makes one script for VS Code on a computer and one for VS Code in a browser, which can't load several.
fn compile(root: &Path) -> Result<()> {
    let sources = root.join(SOURCES);
    let build =
        install(&sources, &folder(root).join("build"), &["package.json", "package-lock.json", "tsconfig.json"])?;
    copy_all(&sources.join("src"), &build.join("src"))?;
    quiet(node_program(&build, "typescript", "bin/tsc")?.arg("--project").arg("."))?;
    let mut esbuild = node_program(&build, "esbuild", "bin/esbuild")?;
    esbuild.args(["src/node.ts", "src/web.ts", "--bundle", "--format=cjs", "--target=es2022", "--platform=node"]);
    quiet(esbuild.args(["--external:vscode", "--outdir=out", "--log-level=warning"]))
}

/// Copies everything that belongs to the extension into a folder, and returns it.
fn assemble(root: &Path, page: &Path) -> Result<PathBuf> {
    let (build, to) = (folder(root).join("build"), folder(root).join("extension"));
    if to.exists() {
        fs::remove_dir_all(&to)?;
    }
    copy_all(&build.join("out"), &to.join("out"))?;
    for (from, name) in [
        (root.join(SOURCES).join("package.json"), "package.json"),
        (root.join(SOURCES).join("README.md"), "README.md"),
        (root.join("CHANGELOG.md"), "CHANGELOG.md"),
        (root.join("www/icon-192.png"), "icon.png"),
        (page.to_owned(), ONE_FILE),
    ] {
        fs::copy(&from, to.join(name)).with_context(|| format!("copying {}", from.display()))?;
    }
    let licenses: Result<Vec<Vec<u8>>, _> =
        ["LICENSE", "LICENSE-MIT", "LICENSE-APACHE"].map(|name| fs::read(root.join(name))).into_iter().collect();
    fs::write(to.join("LICENSE.txt"), licenses?.join(&b"\n\n"[..]))?;
    Ok(to)
}

fn folder(root: &Path) -> PathBuf {
    shell::target_dir(root).join("vscode")
}

/// Copies the files to a folder and installs the packages that they lock, unless an earlier run did. Returns the folder.
fn install(from: &Path, to: &Path, names: &[&str]) -> Result<PathBuf> {
    fs::create_dir_all(to)?;
    for name in names {
        fs::copy(from.join(name), to.join(name)).with_context(|| format!("copying {name}"))?;
    }
    let (lock, installed) = (fs::read(to.join("package-lock.json"))?, to.join("installed.json"));
    if fs::read(&installed).is_ok_and(|installed| installed == lock) {
        return Ok(to.to_owned());
    }
    if shell::find("npm").is_none() && packages::available() {
        packages::install(&["npm"], "it fetches VS Code, and the compiler of the extension")?;
    }
    let npm = shell::find("npm").context("npm is missing: it fetches VS Code, and the compiler of the extension")?;
    let mut command = Command::new(npm);
    // No package may run code of its own here.
    command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]).current_dir(to);
    shell::run(&mut command)?;
    fs::write(&installed, lock)?;
    Ok(to.to_owned())
}

/// Returns a command that runs a program of an installed package.
fn node_program(folder: &Path, package: &str, program: &str) -> Result<Command> {
    let node = shell::find("node").context("node is missing, which comes with npm")?;
    let mut command = Command::new(node);
    command.arg(folder.join("node_modules").join(package).join(program)).current_dir(folder);
    Ok(command)
}

/// Runs a command, and shows its output only if it fails.
fn quiet(command: &mut Command) -> Result<()> {
    let output = command.output().context("could not start node")?;
    let text = [output.stdout, output.stderr].concat();
    ensure!(output.status.success(), "the extension doesn't compile:\n{}", String::from_utf8_lossy(&text));
    Ok(())
}

fn copy_all(from: &Path, to: &Path) -> Result<()> {
    if to.exists() {
        fs::remove_dir_all(to)?;
    }
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("reading {}", from.display()))? {
        let path = entry?.path();
        fs::copy(&path, to.join(path.file_name().unwrap_or_default()))?;
    }
    Ok(())
}
