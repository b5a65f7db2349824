//! Chooses the compiler for the browser. The active toolchain lacks the WebAssembly target until rustup downloads it. Without
//! access to rustup's servers, the distribution's compiler is used instead, and builds the standard library if it has to.
//!
//! The machine is checked on every run, which takes a fraction of a second. Installed compilers come first, so a machine without
//! access to rustup's servers waits for them only once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::{packages, shell};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// A compiler that can build for the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compiler {
    /// The active toolchain, with the target installed.
    Active,
    /// The distribution's compiler, with the active toolchain's linker.
    Distribution { rustc: PathBuf, linker: PathBuf, build_std: bool },
}

/// Finds a compiler for the browser, or installs one.
pub fn set_up() -> Result<Compiler> {
    let compiler = find_or_install()?;
    println!("  compiler for {TARGET}: {}", compiler.words());
    Ok(compiler)
}

fn find_or_install() -> Result<Compiler> {
    if let Some(compiler) = find() {
        return Ok(compiler);
    }
    if shell::find("rustup").is_some() {
        println!("  installing {TARGET} with rustup (at most a minute)");
        let mut add = Command::new("rustup");
        if shell::succeeds_within(add.args(["target", "add", TARGET]), RUSTUP_PATIENCE)
            && let Some(compiler) = find()
        {
            return Ok(compiler);
        }
        println!("  rustup couldn't download it");
    }
    // The distribution's compiler needs a linker.
    if packages::available() && find_linker().is_some() {
        install()?;
        if let Some(compiler) = find() {
            return Ok(compiler);
        }
    }
    let (major, minor) = oldest();
    bail!(
        "no compiler for {TARGET}.\nTwo ways to get one:\n  with access to rustup's servers: rustup target add \
         {TARGET}\n  \
         on Debian or Ubuntu, as root: apt-get install --no-install-recommends rustc-web rust-web-src\n    \
         (or rustc with libstd-rust-dev-wasm32, where these are Rust {major}.{minor} or newer)\n  \
         The second way takes the active toolchain's linker, rust-lld{}.",
        if find_linker().is_some() { "" } else { ", which is missing here" }
    )
}

fn find() -> Option<Compiler> {
    if has_target(Path::new("rustc")) {
        Some(Compiler::Active)
    } else {
        find_distribution(Path::new(DISTRIBUTION_RUSTC))
    }
}

/// Returns the distribution's compiler if it's recent enough and has the target or the sources of the standard library.
fn find_distribution(rustc: &Path) -> Option<Compiler> {
    let version = shell::answer(Command::new(rustc).arg("--version"))?;
    let is_new = packages::major_minor(version.strip_prefix("rustc ")?)? >= oldest();
    let sysroot = shell::answer(Command::new(rustc).args(["--print", "sysroot"]))?;
    let has_sources = Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock").is_file();
    let has_target = has_target(rustc);
    let linker = find_linker()?;
    let compiler = Compiler::Distribution { rustc: rustc.to_owned(), linker, build_std: !has_target };
    (is_new && (has_target || has_sources)).then_some(compiler)
}

fn find_linker() -> Option<PathBuf> {
    let libs = shell::answer(Command::new("rustc").args(["--print", "target-libdir"]));
    let bundled = libs.and_then(|libs| Some(Path::new(&libs).parent()?.join("bin/rust-lld")));
    bundled.filter(|linker| linker.is_file()).or_else(|| shell::find("rust-lld"))
}

impl Compiler {
    /// Returns a cargo command for the browser's target, with a separate target directory. Two compilers that share one discard
    /// each other's results.
    pub fn cargo(&self, root: &Path, subcommand: &str) -> Command {
        let mut cargo = shell::cargo();
        cargo.current_dir(root).arg(subcommand).args(["--target", TARGET]);
        cargo.arg("--target-dir").arg(wasm_target_dir(root));
        if let Compiler::Distribution { rustc, linker, build_std } = self {
            cargo.env("RUSTC", rustc).env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            if *build_std {
                // Building the standard library is unstable. Nothing else in the build needs this.
                cargo.env("RUSTC_BOOTSTRAP", "1").args(["-Z", "build-std=std,panic_abort"]);
            }
        }
        cargo
    }

    fn words(&self) -> String {
        match self {
            Compiler::Active => "the active toolchain has the target".to_owned(),
            Compiler::Distribution { rustc, build_std: true, .. } => {
                format!("{}, which builds the standard library from its sources", rustc.display())
            }
            Compiler::Distribution { rustc, .. } => {
                format!("{}, with the distribution's package of the target", rustc.display())
            }
        }
    }
}

/// Returns the target directory for the browser.
pub fn wasm_target_dir(root: &Path) -> PathBuf {
    shell::target_dir(root).join("wasm")
}

const RUSTUP_PATIENCE: Duration = Duration::from_secs(60);
const DISTRIBUTION_RUSTC: &str = "/usr/bin/rustc";

/// Pairs of a compiler's package and the package that it needs for the target, best first.
const PACKAGES: [[&str; 2]; 2] = [["rustc-web", "rust-web-src"], ["rustc", "libstd-rust-dev-wasm32"]];

/// Returns the oldest Rust version that compiles this repository, from the manifest.
fn oldest() -> (u32, u32) {
    packages::major_minor(env!("CARGO_PKG_RUST_VERSION")).unwrap_or_default()
}

fn has_target(rustc: &Path) -> bool {
    let libs = shell::answer(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]));
    let Some(entries) = libs.and_then(|libs| std::fs::read_dir(libs).ok()) else {
        return false;
    };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
}

fn install() -> Result<()> {
    let purpose = "a compiler that can build for the browser, because rustup can't download the target";
    for pair in PACKAGES {
        let mut versions = Vec::new();
        for package in pair {
            versions.push(packages::version_to_install(package)?);
        }
        if versions.iter().all(|version| version.is_some_and(|version| version >= oldest())) {
            return packages::install(&pair, purpose);
        }
    }
    println!("  apt has no compiler that is new enough");
    Ok(())
}
