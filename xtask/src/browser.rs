//! The browser that the tests drive. Chromium and its driver must be of one version, so they are sought as a pair.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Result, bail};

use crate::{packages, shell};

/// A browser and the driver that fits it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pair {
    pub chromium: PathBuf,
    pub driver: PathBuf,
}

/// Finds the pair, or installs Debian's.
pub fn set_up() -> Result<Pair> {
    if let Some(pair) = find() {
        return Ok(pair);
    }
    println!("  there is no Chromium with a driver of its version");
    if packages::available() {
        packages::install(&["chromium", "chromium-driver"], "the browser tests drive it")?;
        if let Some(pair) = find() {
            return Ok(pair);
        }
    }
    bail!(
        "the browser tests need Chromium or Chrome, and a chromedriver of the same version: \
         install both, or name them in CAMLSCOPE_CHROMIUM and CAMLSCOPE_CHROMEDRIVER"
    )
}

const BROWSERS: [&str; 4] = ["chromium", "google-chrome", "google-chrome-stable", "chromium-browser"];
const MAC_BROWSER: &str = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome";

#[derive(Debug, Clone)]
struct Program {
    path: PathBuf,
    major: u32,
}

fn find() -> Option<Pair> {
    let named = |variable: &str| env::var_os(variable).map(PathBuf::from);
    let mut browsers: Vec<PathBuf> = named("CAMLSCOPE_CHROMIUM").into_iter().collect();
    if browsers.is_empty() {
        browsers.extend(BROWSERS.into_iter().filter_map(shell::find));
        browsers.push(MAC_BROWSER.into());
    }
    let mut drivers: Vec<PathBuf> = named("CAMLSCOPE_CHROMEDRIVER").into_iter().collect();
    if drivers.is_empty() {
        drivers.extend(named("CHROMEWEBDRIVER").map(|dir| dir.join("chromedriver")));
        drivers.extend(shell::find("chromedriver"));
    }
    // What does not tell its version is not there, or only a stub that asks to install the real one.
    let running = |paths: Vec<PathBuf>| -> Vec<Program> { paths.iter().filter_map(|path| program(path)).collect() };
    let pair = pair_up(&running(browsers), &running(drivers))?;
    println!("  browser: {}, driven by {}", pair.chromium.display(), pair.driver.display());
    Some(pair)
}

fn program(path: &Path) -> Option<Program> {
    let version = shell::answer(Command::new(path).arg("--version"))?;
    Some(Program { path: path.to_owned(), major: major_of(&version)? })
}

/// 156 of `Chromium 156.0.8078.79 built on Debian` and of `ChromeDriver 156.0.8078.79 (…)`.
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
    fn versions_are_read_from_what_the_programs_say() {
        assert_eq!(major_of("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)"), Some(156));
        assert_eq!(major_of("Google Chrome 141.0.7390.54 "), Some(141));
        assert_eq!(major_of("ChromeDriver 156.0.8078.79 (abc-refs/branch-heads/8078@{#1})"), Some(156));
        assert_eq!(major_of("install it with snap"), None);
    }

    #[test]
    fn a_browser_is_paired_with_the_driver_of_its_version() {
        let browsers = [program("chromium", 150), program("google-chrome", 156)];
        let drivers = [program("chromedriver", 156)];
        let pair = pair_up(&browsers, &drivers).expect("one pair fits");
        assert_eq!(pair, Pair { chromium: "google-chrome".into(), driver: "chromedriver".into() });
        assert_eq!(pair_up(&browsers[..1], &drivers), None);
        assert_eq!(pair_up(&browsers, &[]), None);
    }
}
