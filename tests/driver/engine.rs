//! The three engines that the page is tested in, each with its driver and the driver's options.

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
    /// The paths of the browser and its driver, from `cargo xtask test`.
    pub fn programs(self) -> Result<(PathBuf, PathBuf)> {
        let (browser, driver) = match self {
            Engine::Chromium => ("CAMLSCOPE_CHROMIUM", "CAMLSCOPE_CHROMEDRIVER"),
            Engine::Firefox => ("CAMLSCOPE_FIREFOX", "CAMLSCOPE_GECKODRIVER"),
            Engine::WebKit => ("CAMLSCOPE_MINIBROWSER", "CAMLSCOPE_WEBKITDRIVER"),
        };
        Ok((named(browser)?, named(driver)?))
    }

    /// Returns the options for a new browser, which always has a fresh profile. Chromium logs all its requests to `net_log`.
    /// The others have no such log.
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
                "binary": browser, "args": ["-headless", "--width=1280", "--height=800"],
            }}),
            Engine::WebKit => json!({ "webkitgtk:browserOptions": {
                "binary": browser, "args": ["--automation", "--geometry=1280x800"],
            }}),
        }
    }
}

/// A virtual screen for WebKit, which needs one. Each window has its own screen. On one screen, windows would take the focus
/// from each other.
#[derive(Debug)]
pub struct Screen {
    process: Child,
    /// The value of `DISPLAY`.
    name: String,
}

impl Screen {
    pub fn start() -> Result<Screen> {
        let mut command = Command::new("Xvfb");
        // It chooses a free number and prints it.
        command.args(["-displayfd", "1", "-screen", "0", "1600x1200x24", "-nolisten", "tcp"]);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut screen = Screen { process: command.spawn().context("starting Xvfb")?, name: ":".to_owned() };
        let output = screen.process.stdout.take().context("Xvfb has no output")?;
        BufReader::new(output).read_line(&mut screen.name)?;
        screen.name = screen.name.trim().to_owned();
        Ok(screen)
    }

    /// Returns the environment of a program on this screen. Without a graphics card, WebKit's compositing takes a third of the
    /// CPU time.
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

/// Returns a path from the environment that `cargo xtask test` sets.
pub fn named(variable: &str) -> Result<PathBuf> {
    let path = env::var_os(variable).map(PathBuf::from);
    path.with_context(|| {
        format!("{variable} is not set: run `cargo xtask test`, which builds the page and finds the browsers")
    })
}

const CHROMIUM_FLAGS: [&str; 13] = [
    "--headless=new",
    "--window-size=1280,800",
    "--hide-scrollbars",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    // Tests share one renderer process, one after the other. It keeps compiled WebAssembly, which saves a fifth of the CPU time.
    "--renderer-process-limit=1",
    // The tests need no network, so the browser must not use it for its own purposes.
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost , EXCLUDE *.localhost",
];
