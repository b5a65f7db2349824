//! The three engines that the page is tested in, each with its driver and what that driver has to be told.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use anyhow::{Context, Result};
use serde_json::{Value, json};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Engine {
    Chromium,
    Firefox,
    WebKit,
}

impl Engine {
    /// The browser and its driver, where `cargo xtask test` found them.
    pub fn programs(self) -> Result<(PathBuf, PathBuf)> {
        let (browser, driver) = match self {
            Engine::Chromium => ("CAMLSCOPE_CHROMIUM", "CAMLSCOPE_CHROMEDRIVER"),
            Engine::Firefox => ("CAMLSCOPE_FIREFOX", "CAMLSCOPE_GECKODRIVER"),
            Engine::WebKit => ("CAMLSCOPE_MINIBROWSER", "CAMLSCOPE_WEBKITDRIVER"),
        };
        Ok((named(browser)?, named(driver)?))
    }

    /// What a driver is asked for when it opens its browser, always with a fresh profile. `net_log` is where Chromium
    /// writes down every request that it makes; the others have no such record.
    pub fn capabilities(self, browser: &Path, net_log: &Path) -> Value {
        match self {
            Engine::Chromium => {
                let net_log = format!("--log-net-log={}", net_log.display());
                let arguments: Vec<&str> = CHROMIUM_FLAGS.into_iter().chain([net_log.as_str()]).collect();
                json!({
                    "goog:chromeOptions": { "binary": browser, "args": arguments },
                    "goog:loggingPrefs": { "browser": "ALL" },
                })
            }
            Engine::Firefox => json!({ "moz:firefoxOptions": {
                "binary": browser, "args": ["-headless", "--width=1440", "--height=900"],
            }}),
            Engine::WebKit => json!({ "webkitgtk:browserOptions": {
                "binary": browser, "args": ["--automation", "--geometry=1440x900"],
            }}),
        }
    }
}

/// A screen that nobody sees, for WebKit, which cannot do without. Each window has one of its own: on one screen they would
/// take the focus from each other.
#[derive(Debug)]
pub struct Screen {
    process: Child,
    /// As `DISPLAY` wants it.
    name: String,
}

impl Screen {
    pub fn start() -> Result<Screen> {
        let mut command = Command::new("Xvfb");
        // It chooses a free number and says which.
        command.args(["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut screen = Screen { process: command.spawn().context("starting Xvfb")?, name: ":".to_owned() };
        let output = screen.process.stdout.take().context("Xvfb has no output")?;
        BufReader::new(output).read_line(&mut screen.name)?;
        screen.name = screen.name.trim().to_owned();
        Ok(screen)
    }

    /// What a program that draws on it has to know. Without a graphics card, WebKit's compositing takes a third of the processor
    /// time.
    pub fn variables(&self) -> [(&'static str, &str); 2] {
        [("DISPLAY", &self.name), ("WEBKIT_DISABLE_COMPOSITING_MODE", "1")]
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What `cargo xtask test` says about where things are.
pub fn named(variable: &str) -> Result<PathBuf> {
    let path = env::var_os(variable).map(PathBuf::from);
    path.with_context(|| {
        format!("{variable} is not set: run `cargo xtask test`, which builds the page and finds the browsers")
    })
}

const CHROMIUM_FLAGS: [&str; 12] = [
    "--headless=new",
    "--window-size=1440,900",
    "--hide-scrollbars",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // Whatever the browser wants for itself, the tests need no network and must not use one.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
];
