//! Which compiler builds for the browser. The usual one lacks the WebAssembly target until rustup fetches it, and on a
//! closed network rustup cannot; a distribution's compiler then stands in and builds the standard library itself.
//!
//! Facts are probed afresh each time (a fraction of a second), never remembered: a remembered fact goes stale. What is
//! already installed comes before what must be fetched, so a machine without a way to rustup's servers waits for them once.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Result, bail};

use crate::{packages, shell};

pub const TARGET: &str = "wasm32-unknown-unknown";

/// A compiler that can build for the browser.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Compiler {
    /// The toolchain that is active here, with the target installed.
    Active,
    /// The distribution's compiler, linking with the active toolchain's linker.
    Distribution { rustc: PathBuf, linker: PathBuf, build_std: bool },
}

/// Finds a compiler for the browser, or installs one.
pub fn set_up() -> Result<Compiler> {
    let mut tried = Tried::default();
    loop {
        let facts = probe();
        match decide(&facts, tried) {
            Decision::Use(compiler) => {
                println!("  compiler for {TARGET}: {}", compiler.words());
                return Ok(compiler);
            }
            Decision::AddTarget => {
                println!("  asking rustup for {TARGET} (for a minute at most)");
                let mut add = Command::new("rustup");
                if !shell::succeeds_within(add.args(["target", "add", TARGET]), RUSTUP_PATIENCE) {
                    println!("  rustup could not fetch it");
                }
                tried.rustup = true;
            }
            Decision::Install => {
                install()?;
                tried.apt = true;
            }
            Decision::Missing(what) => bail!("{}", missing_words(&what)),
        }
    }
}

impl Compiler {
    /// A cargo command for the browser's target, in a target directory of its own: two compilers that share one evict
    /// each other's work.
    pub fn cargo(&self, root: &Path, subcommand: &str) -> Command {
        let mut cargo = shell::cargo();
        cargo.current_dir(root).arg(subcommand).args(["--target", TARGET]);
        cargo.arg("--target-dir").arg(wasm_target_dir(root));
        if let Compiler::Distribution { rustc, linker, build_std } = self {
            cargo.env("RUSTC", rustc).env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
            if *build_std {
                // Building the standard library is not stable; nothing else of the build needs this.
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

/// Where the browser's binaries are built.
pub fn wasm_target_dir(root: &Path) -> PathBuf {
    shell::target_dir(root).join("wasm")
}

const RUSTUP_PATIENCE: Duration = Duration::from_secs(60);
const DISTRIBUTION_RUSTC: &str = "/usr/bin/rustc";

/// Pairs of compiler and what it needs for the target, the best first.
const PACKAGES: [[&str; 2]; 2] = [["rustc-web", "rust-web-src"], ["rustc", "libstd-rust-dev-wasm32"]];

/// What this machine has.
#[derive(Debug, Clone, Default)]
struct Facts {
    active_has_target: bool,
    rustup: bool,
    apt: bool,
    distribution: Option<Distribution>,
    linker: Option<PathBuf>,
}

#[derive(Debug, Clone, Default)]
struct Distribution {
    rustc: PathBuf,
    version: (u32, u32),
    has_target: bool,
    has_sources: bool,
}

/// What has been tried in this run, so that nothing is tried twice.
#[derive(Debug, Clone, Copy, Default)]
struct Tried {
    rustup: bool,
    apt: bool,
}

#[derive(Debug, PartialEq, Eq)]
enum Decision {
    Use(Compiler),
    AddTarget,
    Install,
    Missing(Vec<String>),
}

fn decide(facts: &Facts, tried: Tried) -> Decision {
    if facts.active_has_target {
        return Decision::Use(Compiler::Active);
    }
    if let (Some(found), Some(linker)) = (&facts.distribution, &facts.linker) {
        let usable = found.has_target || found.has_sources;
        if usable && found.version >= oldest() {
            let (rustc, linker, build_std) = (found.rustc.clone(), linker.clone(), !found.has_target);
            return Decision::Use(Compiler::Distribution { rustc, linker, build_std });
        }
    }
    if facts.rustup && !tried.rustup {
        return Decision::AddTarget;
    }
    // Without a linker the distribution's compiler would be of no use.
    if facts.apt && !tried.apt && facts.linker.is_some() {
        return Decision::Install;
    }
    Decision::Missing(reasons(facts))
}

fn reasons(facts: &Facts) -> Vec<String> {
    let (major, minor) = oldest();
    let rustup = if facts.rustup { "rustup could not fetch the target" } else { "rustup is not installed" };
    let mut reasons = vec![rustup.to_owned()];
    match &facts.distribution {
        None => reasons.push(format!("there is no {DISTRIBUTION_RUSTC}")),
        Some(found) if found.version < (major, minor) => {
            let (has_major, has_minor) = found.version;
            let rustc = found.rustc.display();
            reasons.push(format!("{rustc} is Rust {has_major}.{has_minor}; at least {major}.{minor} is needed"));
        }
        Some(found) if !found.has_target && !found.has_sources => {
            let rustc = found.rustc.display();
            reasons.push(format!("{rustc} has neither the target nor the sources of the standard library"));
        }
        Some(_) => {}
    }
    if facts.linker.is_none() {
        reasons.push("no linker: neither the active toolchain nor the search path has rust-lld".to_owned());
    }
    if !facts.apt {
        reasons.push("apt-get is not here to install packages".to_owned());
    }
    reasons
}

fn missing_words(reasons: &[String]) -> String {
    let (major, minor) = oldest();
    format!(
        "no compiler for {TARGET}: {}.\nTwo ways to get one:\n  with a way to rustup's servers: rustup target add {TARGET}\n  \
         on Debian or Ubuntu, as root: apt-get install --no-install-recommends rustc-web rust-web-src\n    \
         (or rustc with libstd-rust-dev-wasm32, where these are Rust {major}.{minor} or newer)",
        reasons.join("; ")
    )
}

/// The oldest Rust that compiles this repository: its manifest says so.
fn oldest() -> (u32, u32) {
    packages::major_minor(env!("CARGO_PKG_RUST_VERSION")).unwrap_or_default()
}

fn probe() -> Facts {
    let active_libs = shell::answer(Command::new("rustc").args(["--print", "target-libdir"]));
    let bundled_linker = active_libs.and_then(|libs| Some(Path::new(&libs).parent()?.join("bin/rust-lld")));
    Facts {
        active_has_target: has_target(Path::new("rustc")),
        rustup: shell::find("rustup").is_some(),
        apt: packages::available(),
        distribution: probe_distribution(Path::new(DISTRIBUTION_RUSTC)),
        linker: bundled_linker.filter(|linker| linker.is_file()).or_else(|| shell::find("rust-lld")),
    }
}

fn probe_distribution(rustc: &Path) -> Option<Distribution> {
    let version = shell::answer(Command::new(rustc).arg("--version"))?;
    let version = packages::major_minor(version.strip_prefix("rustc ")?)?;
    let sysroot = shell::answer(Command::new(rustc).args(["--print", "sysroot"]))?;
    let sources = Path::new(&sysroot).join("lib/rustlib/src/rust/library/Cargo.lock");
    Some(Distribution {
        rustc: rustc.to_owned(),
        version,
        has_target: has_target(rustc),
        has_sources: sources.is_file(),
    })
}

fn has_target(rustc: &Path) -> bool {
    let libs = shell::answer(Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]));
    let Some(entries) = libs.and_then(|libs| std::fs::read_dir(libs).ok()) else {
        return false;
    };
    entries.flatten().any(|entry| entry.file_name().to_string_lossy().starts_with("libstd-"))
}

fn install() -> Result<()> {
    let purpose = "a compiler that can build for the browser, as rustup cannot fetch the target here";
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

#[cfg(test)]
mod tests {
    use super::*;

    const NOTHING_TRIED: Tried = Tried { rustup: false, apt: false };
    const ALL_TRIED: Tried = Tried { rustup: true, apt: true };

    fn fresh_machine() -> Facts {
        Facts { rustup: true, apt: true, linker: Some("lld".into()), ..Facts::default() }
    }

    fn distribution(version: (u32, u32), has_target: bool, has_sources: bool) -> Option<Distribution> {
        Some(Distribution { rustc: "rustc".into(), version, has_target, has_sources })
    }

    fn uses_distribution(build_std: bool) -> Decision {
        Decision::Use(Compiler::Distribution { rustc: "rustc".into(), linker: "lld".into(), build_std })
    }

    #[test]
    fn the_active_toolchain_comes_first() {
        let facts =
            Facts { active_has_target: true, distribution: distribution((1, 96), true, true), ..fresh_machine() };
        assert_eq!(decide(&facts, NOTHING_TRIED), Decision::Use(Compiler::Active));
    }

    #[test]
    fn a_fresh_machine_asks_rustup_then_apt_and_each_once() {
        let facts = fresh_machine();
        assert_eq!(decide(&facts, NOTHING_TRIED), Decision::AddTarget);
        assert_eq!(decide(&facts, Tried { rustup: true, apt: false }), Decision::Install);
        assert!(matches!(decide(&facts, ALL_TRIED), Decision::Missing(_)));
    }

    #[test]
    fn an_installed_distribution_compiler_is_used_without_asking_the_network() {
        let sources = Facts { distribution: distribution((1, 96), false, true), ..fresh_machine() };
        assert_eq!(decide(&sources, NOTHING_TRIED), uses_distribution(true));
        let ready_made = Facts { distribution: distribution((1, 96), true, true), ..fresh_machine() };
        assert_eq!(decide(&ready_made, NOTHING_TRIED), uses_distribution(false));
    }

    #[test]
    fn a_distribution_compiler_that_is_too_old_or_bare_is_passed_over() {
        let old = Facts { distribution: distribution((1, 63), true, true), ..fresh_machine() };
        assert_eq!(decide(&old, NOTHING_TRIED), Decision::AddTarget);
        let bare = Facts { distribution: distribution((1, 96), false, false), ..fresh_machine() };
        assert_eq!(decide(&bare, NOTHING_TRIED), Decision::AddTarget);
    }

    #[test]
    fn without_a_linker_nothing_is_installed_in_vain() {
        let facts = Facts { linker: None, ..fresh_machine() };
        let Decision::Missing(reasons) = decide(&facts, Tried { rustup: true, apt: false }) else {
            panic!("there is no way to go on");
        };
        assert!(missing_words(&reasons).contains("no linker"));
    }

    #[test]
    fn the_last_message_names_both_ways() {
        let words = missing_words(&reasons(&Facts::default()));
        assert!(words.contains("rustup target add wasm32-unknown-unknown"));
        assert!(words.contains("apt-get install --no-install-recommends rustc-web rust-web-src"));
    }
}
