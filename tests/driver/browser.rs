//! A browser that is controlled with WebDriver: a driver process on its own port, and one tab.
//!
//! Half of the commands that the tests need are specific to chromedriver (dropping files by path, the console, window sizes,
//! color schemes). So this sends the commands itself: each is one line of JSON.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU16, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use std::{fmt, fs};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use ureq::Agent;

use crate::devtools::Tab;
use crate::engine::{Engine, Screen};

/// Longer than any command takes. A browser that hangs must not block the tests.
const COMMAND_LIMIT: Duration = Duration::from_secs(180);

/// The initial size of a window. Without a graphics card, a larger one takes more CPU time.
const WINDOW: (u32, u32) = (1280, 800);

/// A command that the browser understood but refused.
#[derive(Debug)]
pub struct Refused {
    /// WebDriver's error code, such as `element not interactable`, or the DevTools command.
    code: String,
    message: String,
}

impl Refused {
    pub(crate) fn new(code: &str, message: &str) -> Refused {
        Refused { code: code.to_owned(), message: message.to_owned() }
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the browser refused: {}: {}", self.code, self.message)
    }
}

impl Error for Refused {}

/// Dropping it closes the window and ends both processes, even if a test panics.
#[derive(Debug)]
pub struct Browser {
    pub engine: Engine,
    /// The log of all requests that Chromium makes.
    pub net_log: PathBuf,
    driver: Driver,
    session: String,
    /// In Chromium, the address for DevTools and the connection to the current tab.
    devtools: Option<(String, RefCell<Tab>)>,
    console: RefCell<Vec<Line>>,
    is_in_frame: Cell<bool>,
    /// Dropped last.
    _screen: Option<Screen>,
}

/// A message in the console.
#[derive(Clone, Debug)]
pub struct Line {
    pub level: String,
    pub message: String,
}

impl Browser {
    /// The folder of `net_log` is the browser's home, so downloads don't go to the user's folder.
    pub fn start(engine: Engine, net_log: &Path) -> Result<Browser> {
        let (browser, driver) = engine.programs()?;
        let screen = (engine == Engine::WebKit).then(Screen::start).transpose()?;
        let home = net_log.parent().context("the record of requests is in no folder")?;
        let driver = Driver::start(&driver, home, screen.as_ref())?;
        let mut wanted = engine.capabilities(&browser, net_log);
        let limit_ms = COMMAND_LIMIT.as_millis() as u64;
        wanted["timeouts"] = json!({ "script": limit_ms, "pageLoad": limit_ms });
        let capabilities = json!({ "capabilities": { "alwaysMatch": wanted } });
        let opened = driver.agent.post(format!("{}/session", driver.url)).send_json(&capabilities)?;
        let answer = Driver::value(opened).context("opening a browser")?;
        let session = answer["sessionId"].as_str().context("the driver names no session")?.to_owned();
        let address = answer["capabilities"]["goog:chromeOptions"]["debuggerAddress"].as_str().map(str::to_owned);
        let net_log = net_log.to_owned();
        let mut browser = Browser {
            engine,
            net_log,
            driver,
            session,
            devtools: None,
            console: RefCell::default(),
            is_in_frame: Cell::default(),
            _screen: screen,
        };
        if let Some(address) = address {
            let handle = browser.get("/window")?;
            let tab = connect(&address, &handle)?;
            browser.devtools = Some((address, RefCell::new(tab)));
        }
        browser.restore_size()?;
        Ok(browser)
    }

    /// Opens an empty tab, closes the other one, and clears the console. Everything that a test sets with DevTools belongs to
    /// its tab: sizes, media, touch, network conditions and scripts for new documents.
    pub fn reset(&self) -> Result<()> {
        self.is_in_frame.set(false);
        let mut old = self.get("/window/handles")?;
        let old = old.as_array_mut().context("the driver lists no windows")?;
        let kept = if self.engine == Engine::WebKit {
            // A second window of MiniBrowser has an arbitrary height.
            old.remove(0)
        } else {
            self.post("/window/new", &json!({ "type": "tab" }))?["handle"].clone()
        };
        for handle in &*old {
            self.post("/window", &json!({ "handle": handle }))?;
            self.delete("/window")?;
        }
        self.post("/window", &json!({ "handle": kept }))?;
        if let Some((address, tab)) = &self.devtools {
            tab.replace(connect(address, &kept)?);
        }
        if self.engine == Engine::WebKit {
            self.go("about:blank")?;
        }
        self.restore_size()?;
        self.console()?;
        self.console.borrow_mut().clear();
        Ok(())
    }

    /// Chromium's windows get their size from a flag, and tests change only the size of a tab. MiniBrowser ignores its flag.
    fn restore_size(&self) -> Result<()> {
        if self.engine == Engine::Chromium { Ok(()) } else { self.resize_window(WINDOW.0, WINDOW.1) }
    }

    /// Whether the browser still accepts commands.
    pub fn is_alive(&self) -> bool {
        self.get("/window").is_ok()
    }

    pub fn go(&self, url: &str) -> Result<()> {
        self.is_in_frame.set(false);
        self.post("/url", &json!({ "url": url })).map(drop)
    }

    /// From here on, all commands are about the first frame of the page, until the tab goes elsewhere.
    pub fn enter_frame(&self) -> Result<()> {
        self.switch_to_frame(json!(0))
    }

    /// From here on, all commands are about a frame inside the current one.
    pub fn enter_frame_at(&self, css: &str) -> Result<()> {
        let frame = self.find("css selector", css)?;
        // The name of an element's ID in WebDriver.
        self.switch_to_frame(json!({ "element-6066-11e4-a52e-4f735466cecf": frame }))
    }

    /// From here on, all commands are about the whole page again.
    pub fn leave_frames(&self) -> Result<()> {
        self.switch_to_frame(Value::Null)
    }

    fn switch_to_frame(&self, frame: Value) -> Result<()> {
        self.is_in_frame.set(!frame.is_null());
        self.post("/frame", &json!({ "id": frame })).map(drop)
    }

    pub fn reload(&self) -> Result<()> {
        self.post("/refresh", &json!({})).map(drop)
    }

    /// Runs the body of a function in the page. If it returns a promise, waits for its result.
    pub fn run(&self, script: &str, arguments: Value) -> Result<Value> {
        if let Some(tab) = self.tab_outside_frames()
            && let Some(answer) = tab.borrow_mut().run(script, &arguments).ok().flatten()
        {
            return Ok(answer);
        }
        // The document may still be loading, and lack the elements that the script uses. The driver waits for it.
        self.post("/execute/sync", &json!({ "script": script, "args": arguments }))
    }

    /// Clicks like a user. Fails if the element is hidden or covered.
    pub fn click(&self, xpath: &str) -> Result<()> {
        if let Some(tab) = self.tab_outside_frames() {
            return tab.borrow_mut().click(xpath);
        }
        let element = self.find("xpath", xpath)?;
        self.post(&format!("/element/{element}/click"), &json!({})).map(drop)
    }

    /// Types into an element. For a file input, the text is the path of a file.
    pub fn type_into(&self, css: &str, text: &str) -> Result<()> {
        let element = self.find("css selector", css)?;
        self.post(&format!("/element/{element}/value"), &json!({ "text": text })).map(drop)
    }

    /// Presses keys in the focused element. WebDriver assigns code points to special keys.
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

    /// Returns a screenshot of the window: a PNG in base64.
    pub fn screenshot(&self) -> Result<String> {
        let picture = self.get("/screenshot")?;
        Ok(picture.as_str().context("the browser took no picture")?.to_owned())
    }

    /// Sets the size of the window. Browsers have a minimum size.
    pub fn resize_window(&self, width: u32, height: u32) -> Result<()> {
        self.post("/window/rect", &json!({ "width": width, "height": height })).map(drop)
    }

    /// Runs a command of Chromium's DevTools protocol.
    pub fn devtools(&self, command: &str, parameters: Value) -> Result<Value> {
        let (_, tab) = self.devtools.as_ref().context("only Chromium has DevTools")?;
        tab.borrow_mut().command(command, &parameters)
    }

    /// Only the driver can send commands to a frame.
    fn tab_outside_frames(&self) -> Option<&RefCell<Tab>> {
        let (_, tab) = self.devtools.as_ref()?;
        (!self.is_in_frame.get()).then_some(tab)
    }

    /// Returns all messages in the console. Only Chromium's driver supports this.
    pub fn console(&self) -> Result<Vec<Line>> {
        if self.engine != Engine::Chromium {
            return Ok(Vec::new());
        }
        let news = self.post("/se/log", &json!({ "type": "browser" }))?;
        let word = |entry: &Value, key: &str| entry[key].as_str().unwrap_or_default().to_owned();
        let lines = news.as_array().into_iter().flatten();
        let mut console = self.console.borrow_mut();
        console.extend(lines.map(|entry| Line { level: word(entry, "level"), message: word(entry, "message") }));
        Ok(console.clone())
    }

    pub fn find(&self, using: &str, value: &str) -> Result<String> {
        let found = self.post("/element", &json!({ "using": using, "value": value }))?;
        let id = found.as_object().and_then(|object| object.values().next()).and_then(Value::as_str);
        id.map(str::to_owned).with_context(|| format!("the driver found no {value}"))
    }

    fn get(&self, path: &str) -> Result<Value> {
        Driver::value(self.driver.agent.get(self.address(path)).call()?)
    }

    fn post(&self, path: &str, body: &Value) -> Result<Value> {
        Driver::value(self.driver.agent.post(self.address(path)).send_json(body)?)
    }

    fn delete(&self, path: &str) -> Result<Value> {
        Driver::value(self.driver.agent.delete(self.address(path)).call()?)
    }

    fn address(&self, path: &str) -> String {
        format!("{}/session/{}{path}", self.driver.url, self.session)
    }
}

fn connect(address: &str, handle: &Value) -> Result<Tab> {
    Tab::connect(address, handle.as_str().context("the driver names no tab")?, COMMAND_LIMIT)
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The driver closes its browser first. If it were killed, the browser would keep running.
        let _ = self.delete("");
        let _ = fs::remove_file(&self.net_log);
    }
}

/// The driver's process.
#[derive(Debug)]
struct Driver {
    process: Child,
    url: String,
    agent: Agent,
}

impl Driver {
    /// Another program may take the port before the driver does. Then the driver exits, and this tries another port.
    fn start(program: &Path, home: &Path, screen: Option<&Screen>) -> Result<Driver> {
        let again = |_| Driver::start_once(program, home, screen);
        Driver::start_once(program, home, screen).or_else(again).or_else(again)
    }

    fn start_once(program: &Path, home: &Path, screen: Option<&Screen>) -> Result<Driver> {
        let port = free_port()?;
        let mut command = Command::new(program);
        command.arg(format!("--port={port}")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        // Chromium's headless shell downloads into its working directory.
        command.current_dir(home).env("HOME", home).envs(screen.into_iter().flat_map(Screen::variables));
        let process = command.spawn().with_context(|| format!("starting {}", program.display()))?;
        let agent = Agent::config_builder()
            .http_status_as_error(false)
            .proxy(None)
            .timeout_global(Some(COMMAND_LIMIT))
            .build()
            .new_agent();
        let mut driver = Driver { process, url: format!("http://127.0.0.1:{port}"), agent };
        let start = Instant::now();
        while driver.agent.get(format!("{}/status", driver.url)).call().is_err() {
            if driver.process.try_wait()?.is_some() || start.elapsed() > COMMAND_LIMIT {
                bail!("{} does not respond", program.display());
            }
            thread::sleep(Duration::from_millis(10));
        }
        Ok(driver)
    }

    fn value(mut response: ureq::http::Response<ureq::Body>) -> Result<Value> {
        let answer: Value = response.body_mut().read_json()?;
        let value = answer["value"].clone();
        if !response.status().is_success() {
            let text = |key: &str| value[key].as_str().unwrap_or_default().to_owned();
            bail!(Refused { code: text("error"), message: text("message") });
        }
        Ok(value)
    }
}

/// Returns a free port below the system's range of automatic ports, so that no test server gets it before the program starts.
pub fn free_port() -> Result<u16> {
    static NEXT: AtomicU16 = AtomicU16::new(0);
    // Tests of two clones can run at the same time.
    let first = 12_000 + (std::process::id() % 100) as u16 * 200;
    let candidates = (0..200).map(|_| first + NEXT.fetch_add(1, Ordering::Relaxed) % 200);
    candidates.into_iter().find(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()).context("no port is free")
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
