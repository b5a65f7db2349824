//! The browsers for the tests: Chromium for all tests, and Firefox and WebKit for those where engines differ. Chromium and its
//! driver must have the same version, so they are found as a pair.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, thread};

use anyhow::{Context, Result, bail};

use crate::{checks, packages, shell};

/// A browser and a driver of the same version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub chromium: PathBuf,
    pub driver: PathBuf,
}

/// Finds the pair for benchmarks and pictures, or installs Debian's.
pub fn set_up() -> Result<Pair> {
    find_or_install(&BROWSERS)
}

/// Finds or installs the pair for tests. Prefers Chromium's headless shell, which has the same engine and takes two thirds of the
/// CPU time.
pub fn set_up_for_tests() -> Result<Pair> {
    find_or_install(&TEST_BROWSERS)
}

fn find_or_install(browsers: &[&str]) -> Result<Pair> {
    if let Some(pair) = find(browsers) {
        return Ok(pair);
    }
    println!("  found no Chromium with a driver of the same version");
    if packages::available() {
        packages::install(&CHROMIUM_PACKAGES, "the browser tests drive it")?;
        if let Some(pair) = find(browsers) {
            return Ok(pair);
        }
    }
    bail!(
        "the browser tests need Chromium or Chrome, and a chromedriver of the same version: \
         install both, or name them in CAMLSCOPE_CHROMIUM and CAMLSCOPE_CHROMEDRIVER"
    )
}

/// Returns the packages of the browsers and drivers that aren't installed.
pub fn missing_packages() -> Vec<&'static str> {
    let mut missing = Vec::new();
    // Any Chromium will do here: systems that don't get Chromium from apt may not have the headless shell's package.
    if find(&BROWSERS).is_none() {
        missing.extend(CHROMIUM_PACKAGES);
    }
    if find_firefox().is_none() {
        missing.extend(FIREFOX_PACKAGES);
    }
    if find_webkit_driver().is_none() {
        missing.extend(WEBKIT_PACKAGES);
    }
    missing
}

/// The driver's package depends on the browser's.
const CHROMIUM_PACKAGES: [&str; 2] = ["chromium-driver", "chromium-headless-shell"];
const FIREFOX_PACKAGES: [&str; 1] = ["firefox-esr"];
/// WebKit has no headless mode, so the tests start an Xvfb screen for each window.
const WEBKIT_PACKAGES: [&str; 2] = ["webkit2gtk-driver", "xvfb"];

/// The engines other than Chromium.
#[derive(Debug, Default)]
pub struct Others {
    /// The environment variables that tell the tests where the browsers and drivers are.
    variables: Vec<(&'static str, PathBuf)>,
    /// The last parts of the names of test modules, for engines that aren't available.
    left_out: Vec<&'static str>,
}

/// More than one, because a test waits for its browser most of the time.
const TESTS_PER_PROCESSOR: usize = 2;

/// Finds or installs Firefox and WebKit. Skips the tests in an engine that isn't available, but fails in CI, which must run all.
pub fn set_up_others() -> Result<Others> {
    let mut others = Others::default();
    for (name, module, found) in [("Firefox", "firefox", firefox()), ("WebKit", "webkit", webkit())] {
        match found {
            Ok(variables) => others.variables.extend(variables),
            Err(error) if env::var("CI").is_ok_and(|value| value == "true") => {
                return Err(error.context(format!("CI runs the tests in {name} too")));
            }
            Err(error) => {
                println!("  skipped: the tests in {name}, because {error:#}");
                others.left_out.push(module);
            }
        }
    }
    Ok(others)
}

impl Others {
    /// Adds VS Code, which the tests open in Chromium. It's skipped like an engine.
    pub fn with_vscode(mut self, found: Result<[(&'static str, PathBuf); 2]>) -> Result<Others> {
        match found {
            Ok(variables) => self.variables.extend(variables),
            Err(error) if env::var("CI").is_ok_and(|value| value == "true") => {
                return Err(error.context("CI runs the tests in VS Code too"));
            }
            Err(error) => {
                println!("  skipped: the tests in VS Code, because {error:#}");
                self.left_out.push("vscode");
            }
        }
        Ok(self)
    }
}

/// Also runs the tests in other engines that are ignored because Chromium's results are enough. All other ignored tests take
/// pictures.
pub const ALL_ENGINES: [&str; 2] = ["--include-ignored", "--skip=pictures::"];

/// Returns a command for the browser tests. Arguments that are added to it go to the tests. The tests compare the page with the
/// command line, so this builds the command line first.
pub fn tests(root: &Path, dist: &Path, chromium: &Pair, others: &Others) -> Result<Command> {
    let name = "camlscope";
    shell::run(checks::product(root, "build")?.args(["--bin", name]))?;
    let mut command = checks::product(root, "test")?;
    command.args(["--test", "browser"]);
    let built = shell::target_dir(root).join("debug").join(format!("{name}{}", env::consts::EXE_SUFFIX));
    command.env("CAMLSCOPE_COMMAND", built).env("CAMLSCOPE_DIST", dist).envs(others.variables.iter().cloned());
    command.env("CAMLSCOPE_CHROMIUM", &chromium.chromium).env("CAMLSCOPE_CHROMEDRIVER", &chromium.driver);
    let processors = thread::available_parallelism().map_or(2, usize::from);
    command.arg("--").arg(format!("--test-threads={}", TESTS_PER_PROCESSOR * processors));
    for engine in &others.left_out {
        command.arg(format!("--skip={engine}::"));
    }
    Ok(command)
}

type Variables = [(&'static str, PathBuf); 2];

fn firefox() -> Result<Variables> {
    let firefox = found_or_installed(find_firefox, &FIREFOX_PACKAGES, "Firefox")?;
    if find_geckodriver().is_none() {
        println!("  installing geckodriver with cargo, once: it drives Firefox");
        // Outside the repository, whose settings in `.cargo` aren't meant for geckodriver. It only relays messages, and a debug
        // build takes half the time.
        let mut install = shell::cargo();
        install.args(["install", "--quiet", "--locked", "--debug", "geckodriver@0.37.1"]).current_dir(env::temp_dir());
        shell::run(&mut install).context("can't build geckodriver")?;
    }
    let driver = find_geckodriver().context("cargo installed geckodriver in a folder that isn't searched")?;
    println!("  Firefox: {}, driven by {}", firefox.display(), driver.display());
    Ok([("CAMLSCOPE_FIREFOX", firefox), ("CAMLSCOPE_GECKODRIVER", driver)])
}

fn find_firefox() -> Option<PathBuf> {
    named("CAMLSCOPE_FIREFOX").or_else(|| ["firefox-esr", "firefox"].into_iter().find_map(shell::find))
}

fn find_geckodriver() -> Option<PathBuf> {
    let of_runner = || named("GECKOWEBDRIVER").map(|folder| folder.join("geckodriver"));
    let found = named("CAMLSCOPE_GECKODRIVER").or_else(of_runner).or_else(|| shell::find("geckodriver"));
    // `cargo install` may put programs in a folder that isn't in PATH.
    let installed = || {
        let home = named("CARGO_INSTALL_ROOT").or_else(|| named("CARGO_HOME"));
        let home = home.or_else(|| Some(env::home_dir()?.join(".cargo")));
        home.map(|home| home.join("bin/geckodriver")).filter(|path| path.is_file())
    };
    found.or_else(installed)
}

fn webkit() -> Result<Variables> {
    let driver = found_or_installed(find_webkit_driver, &WEBKIT_PACKAGES, "WebKit's driver, or Xvfb,")?;
    let browser =
        named("CAMLSCOPE_MINIBROWSER").or_else(mini_browser).context("WebKit's MiniBrowser isn't installed")?;
    println!("  WebKit: {}, driven by {}", browser.display(), driver.display());
    Ok([("CAMLSCOPE_MINIBROWSER", browser), ("CAMLSCOPE_WEBKITDRIVER", driver)])
}

fn find_webkit_driver() -> Option<PathBuf> {
    shell::find("Xvfb")?;
    named("CAMLSCOPE_WEBKITDRIVER").or_else(|| shell::find("WebKitWebDriver"))
}

/// Finds MiniBrowser in `/usr/lib/ARCHITECTURE/LIBRARY`.
fn mini_browser() -> Option<PathBuf> {
    let architectures = fs::read_dir("/usr/lib").ok()?.flatten().map(|entry| entry.path());
    let libraries = ["webkit2gtk-4.1", "webkitgtk-6.0", "webkit2gtk-4.0"];
    architectures
        .flat_map(|folder| libraries.map(|library| folder.join(library).join("MiniBrowser")))
        .find(|path| path.is_file())
}

fn found_or_installed(find: impl Fn() -> Option<PathBuf>, wanted: &[&str], what: &str) -> Result<PathBuf> {
    if find().is_none() && packages::available() {
        packages::install(wanted, "the browser tests drive it")?;
    }
    find().with_context(|| format!("{what} isn't installed"))
}

fn named(variable: &str) -> Option<PathBuf> {
    env::var_os(variable).map(PathBuf::from)
}

const BROWSERS: [&str; 4] = ["chromium", "google-chrome", "google-chrome-stable", "chromium-browser"];
const TEST_BROWSERS: [&str; 5] = ["chromium-headless-shell", BROWSERS[0], BROWSERS[1], BROWSERS[2], BROWSERS[3]];
const MAC_BROWSER: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

#[derive(Debug, Clone)]
struct Program {
    path: PathBuf,
    major: u32,
}

fn find(names: &[&str]) -> Option<Pair> {
    let mut browsers: Vec<PathBuf> = named("CAMLSCOPE_CHROMIUM").into_iter().collect();
    if browsers.is_empty() {
        browsers.extend(names.iter().copied().filter_map(shell::find));
        browsers.push(MAC_BROWSER.into());
    }
    let mut drivers: Vec<PathBuf> = named("CAMLSCOPE_CHROMEDRIVER").into_iter().collect();
    if drivers.is_empty() {
        drivers.extend(named("CHROMEWEBDRIVER").map(|dir| dir.join("chromedriver")));
        drivers.extend(shell::find("chromedriver"));
    }
    // A program that doesn't print a version is missing, or a stub that asks you to install the real one.
    let running = |paths: Vec<PathBuf>| -> Vec<Program> { paths.iter().filter_map(|path| program(path)).collect() };
    let pair = pair_up(&running(browsers), &running(drivers))?;
    println!("  browser: {}, driven by {}", pair.chromium.display(), pair.driver.display());
    Some(pair)
}

fn program(path: &Path) -> Option<Program> {
    let version = shell::answer(Command::new(path).arg("--version"))?;
    Some(Program { path: path.to_owned(), major: major_of(&version)? })
}

/// Returns 156 for `Chromium 156.0.8078.79 built on Debian` and for `ChromeDriver 156.0.8078.79 (…)`.
fn major_of(version: &str) -> Option<u32> {
    let number = version.split_whitespace().find(|word| word.starts_with(|c: char| c.is_ascii_digit()))?;
    number.split('.').next()?.parse().ok()
}

fn pair_up(browsers: &[Program], drivers: &[Program]) -> Option<Pair> {
    let pairs = browsers.iter().flat_map(|browser| drivers.iter().map(move |driver| (browser, driver)));
    let (browser, driver) = pairs.into_iter().find(|(browser, driver)| browser.major == driver.major)?;
    Some(Pair { chromium: browser.path.clone(), driver: driver.path.clone() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn program(name: &str, major: u32) -> Program {
        Program { path: name.into(), major }
    }

    #[test]
    fn major_version_is_read_from_the_version_line() {
        assert_eq!(major_of("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)"), Some(156));
        assert_eq!(major_of("Google Chrome 141.0.7390.54 "), Some(141));
        assert_eq!(major_of("ChromeDriver 156.0.8078.79 (abc-refs/branch-heads/8078@{#1})"), Some(156));
        assert_eq!(major_of("install it with snap"), None);
    }

    #[test]
    fn browser_is_paired_with_the_driver_of_its_version() {
        let browsers = [program("chromium", 150), program("google-chrome", 156)];
        let drivers = [program("chromedriver", 156)];
        let pair = pair_up(&browsers, &drivers).expect("a matching pair");
        assert_eq!(pair, Pair { chromium: "google-chrome".into(), driver: "chromedriver".into() });
        assert_eq!(pair_up(&browsers[..1], &drivers), None);
        assert_eq!(pair_up(&browsers, &[]), None);
    }
}
