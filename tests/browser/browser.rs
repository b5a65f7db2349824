//! A browser under WebDriver: chromedriver on a port of its own choice, and one window of Chromium.
//!
//! Half of what the tests need is chromedriver's own (real files dropped by path, the console, sizes and colour schemes), so
//! the commands are spoken directly: each is one line of JSON.

use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use ureq::Agent;

/// Longer than any command takes; a browser that hangs must not hang the tests.
const COMMAND_LIMIT: Duration = Duration::from_secs(30);

const FLAGS: [&str; 12] = [
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

/// Dropping it closes the window and ends both processes, also when a test panics.
pub struct Browser {
    driver: Driver,
    session: String,
    console: RefCell<Vec<Line>>,
}

/// Something the console said.
#[derive(Clone, Debug)]
pub struct Line {
    pub level: String,
    pub message: String,
}

impl Browser {
    /// `net_log` is where Chromium writes down every request that it makes; it is complete once the browser has ended.
    pub fn start(driver: &Path, chromium: &Path, net_log: &Path) -> Result<Browser> {
        let driver = Driver::start(driver)?;
        let mut arguments: Vec<String> = FLAGS.map(str::to_owned).to_vec();
        arguments.push(format!("--log-net-log={}", net_log.display()));
        // No profile is named: chromedriver makes a fresh one and removes it.
        let capabilities = json!({ "capabilities": { "alwaysMatch": {
            "goog:chromeOptions": { "binary": chromium, "args": arguments },
            "goog:loggingPrefs": { "browser": "ALL" },
        }}});
        let answer = driver.post("/session", &capabilities).context("opening a browser")?;
        let session = answer["sessionId"].as_str().context("the driver names no session")?.to_owned();
        Ok(Browser { driver, session, console: RefCell::default() })
    }

    pub fn go(&self, url: &str) -> Result<()> {
        self.post("/url", &json!({ "url": url })).map(drop)
    }

    pub fn reload(&self) -> Result<()> {
        self.post("/refresh", &json!({})).map(drop)
    }

    /// Runs the body of a function in the page; a promise is waited for.
    pub fn run(&self, script: &str, arguments: Value) -> Result<Value> {
        self.post("/execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// Clicks where a reader would: refused where the element is hidden or covered.
    pub fn click(&self, xpath: &str) -> Result<()> {
        let element = self.find("xpath", xpath)?;
        self.post(&format!("/element/{element}/click"), &json!({})).map(drop)
    }

    /// Types into an element; for a file input the text is the path of a file.
    pub fn type_into(&self, css: &str, text: &str) -> Result<()> {
        let element = self.find("css selector", css)?;
        self.post(&format!("/element/{element}/value"), &json!({ "text": text })).map(drop)
    }

    /// Presses keys wherever the focus is. Special keys have code points of WebDriver's own.
    pub fn press(&self, keys: &str) -> Result<()> {
        let strokes: Vec<Value> = keys
            .chars()
            .flat_map(|key| ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() })))
            .collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.post("/actions", &json!({ "actions": [keyboard] })).map(drop)
    }

    /// Presses a key while another is held.
    pub fn press_with(&self, held: char, key: &str) -> Result<()> {
        let stroke = |kind: &str, key: &str| json!({ "type": kind, "value": key });
        let held = held.to_string();
        let strokes = [stroke("keyDown", &held), stroke("keyDown", key), stroke("keyUp", key), stroke("keyUp", &held)];
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.post("/actions", &json!({ "actions": [keyboard] })).map(drop)
    }

    /// A command of Chromium's own protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Result<Value> {
        self.post("/goog/cdp/execute", &json!({ "cmd": command, "params": parameters }))
    }

    /// All that the console has said so far.
    pub fn console(&self) -> Result<Vec<Line>> {
        let news = self.post("/se/log", &json!({ "type": "browser" }))?;
        let word = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let lines = news.as_array().into_iter().flatten();
        let mut console = self.console.borrow_mut();
        console.extend(lines.map(|entry| Line { level: word(entry, "level"), message: word(entry, "message") }));
        Ok(console.clone())
    }

    fn find(&self, using: &str, value: &str) -> Result<String> {
        let found = self.post("/element", &json!({ "using": using, "value": value }))?;
        let id = found.as_object().and_then(|object| object.values().next()).and_then(Value::as_str);
        id.map(str::to_owned).with_context(|| format!("the driver found no {value}"))
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        self.driver.post(&format!("/session/{}{path}", self.session), body)
    }
}

/// The chromedriver process.
struct Driver {
    process: Child,
    /// Kept open: a driver that cannot print would end.
    _output: BufReader<ChildStdout>,
    url: String,
    agent: Agent,
}

impl Driver {
    /// A driver that takes a free port asks for the same one under IPv6, and ends if that is taken: then another may do.
    fn start(program: &Path) -> Result<Driver> {
        let again = |_| Driver::start_once(program);
        Driver::start_once(program).or_else(again).or_else(again)
    }

    fn start_once(program: &Path) -> Result<Driver> {
        let mut command = Command::new(program);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().with_context(|| format!("starting {}", program.display()))?;
        let output = process.stdout.take().context("the driver has no output")?;
        let mut output = BufReader::new(output);
        let Some(port) = announced_port(&mut output) else {
            let _ = process.kill();
            let _ = process.wait();
            bail!("{} ended without naming its port", program.display());
        };
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(COMMAND_LIMIT))
            .build()
            .new_agent();
        Ok(Driver { process, _output: output, url: format!("http://127.0.0.1:{port}"), agent })
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        let mut response = self.agent.post(format!("{}{path}", self.url)).send_json(body)?;
        let answer: Value = response.body_mut().read_json()?;
        let value = answer["value"].clone();
        if !response.status().is_success() {
            bail!("the browser refused: {}", value["message"].as_str().unwrap_or("it gave no reason"));
        }
        Ok(value)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Asked to shut down, the driver closes its browser first; killed, it would leave it behind.
        let asked = self.agent.get(format!("{}/shutdown", self.url)).call();
        let patience = Instant::now() + Duration::from_secs(if asked.is_ok() { 10 } else { 0 });
        while Instant::now() < patience {
            if matches!(self.process.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(10));
        }
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// 12345 of `ChromeDriver was started successfully on port 12345.`
fn announced_port(output: &mut impl BufRead) -> Option<u16> {
    output.lines().map_while(Result::ok).find_map(|line| {
        let (_, port) = line.rsplit_once("started successfully on port ")?;
        port.trim_end_matches('.').parse().ok()
    })
}

/// What `cargo xtask test` says about where things are.
pub fn named(variable: &str) -> Result<PathBuf> {
    let path = std::env::var_os(variable).map(PathBuf::from);
    path.with_context(|| {
        format!("{variable} is not set: run `cargo xtask test`, which builds the page and finds a browser")
    })
}
