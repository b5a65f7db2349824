//! The actions of a user on the page: open it, drop a file, read a figure, press a button.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs, thread};

use anyhow::{Context, Result, bail, ensure};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::{Value, json};

use crate::browser::{Browser, Refused};
use crate::engine::Engine;

/// Much longer than anything takes, even on a busy machine. Only a test that fails waits until then.
const PATIENCE: Duration = Duration::from_secs(120);
const LOOK_EVERY: Duration = Duration::from_millis(20);

#[derive(Debug)]
pub struct Page {
    pub browser: Browser,
    pub url: String,
    /// The folder for files that a test creates.
    scratch: PathBuf,
}

impl Page {
    pub fn new(browser: Browser, url: String, scratch: PathBuf) -> Page {
        Page { browser, url, scratch }
    }

    pub fn into_browser(self) -> Browser {
        self.browser
    }

    /// Opens the page and waits until it can open a file.
    pub fn open(&self) -> Result<()> {
        self.visit()?;
        self.wait_for_worker("ready")?;
        self.wait_for_screen("empty")
    }

    /// Opens the page without waiting for it.
    pub fn visit(&self) -> Result<()> {
        self.browser.go(&self.url)
    }

    /// Drops a file in the middle of the window, as from a file manager. In Chromium, it can be a folder.
    ///
    /// No other driver can drag files. There, this chooses the file in its own picker and a script dispatches the drop event.
    /// The page can't tell the difference.
    pub fn drop_path(&self, path: &Path) -> Result<()> {
        if self.browser.engine != Engine::Chromium {
            self.browser.run(ADD_PICKER, json!([]))?;
            self.browser.type_into("#chosen", &path.display().to_string())?;
            return self.drop_made_by(TAKE_CHOSEN, json!([]));
        }
        let middle = self.browser.run("return [innerWidth / 2, innerHeight / 2]", json!([]))?;
        self.drop_files(&[path], &middle, &middle)
    }

    /// Drops two files at once. Only works in Chromium.
    pub fn drop_both(&self, paths: [&Path; 2]) -> Result<()> {
        let middle = self.browser.run("return [innerWidth / 2, innerHeight / 2]", json!([]))?;
        self.drop_files(&paths, &middle, &middle)
    }

    /// Drags a file over one element, and drops it as soon as it reaches another.
    pub fn drop_crossing(&self, path: &Path, from: &str, to: &str) -> Result<()> {
        let script = "
            const box = document.querySelector(arguments[0]).getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2]";
        let [from, to] = [from, to].map(|css| self.browser.run(script, json!([css])));
        self.drop_files(&[path], &from?, &to?)
    }

    /// Drops a file with these bytes.
    pub fn drop_bytes(&self, name: &str, bytes: &[u8]) -> Result<()> {
        self.drop_path(&self.make_file(name, bytes)?)
    }

    /// Drops a file that consists of one piece and many copies of another. The browser keeps the copies as references, so the
    /// file can have any size.
    pub fn drop_repeated(&self, name: &str, head: &[u8], body: &[u8], copies: usize) -> Result<()> {
        let script = "
            const [name, head, body, copies] = arguments;
            const blob = (text) => new Blob([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))]);
            const file = new File([blob(head), ...Array(copies).fill(blob(body))], name);";
        let (head, body) = (BASE64_STANDARD.encode(head), BASE64_STANDARD.encode(body));
        self.drop_made_by(script, json!([name, head, body, copies]))
    }

    /// Drops the file that a script stores in `file`.
    pub fn drop_made_by(&self, script: &str, arguments: Value) -> Result<()> {
        let drop_it = "
            const dataTransfer = new DataTransfer();
            dataTransfer.items.add(file);
            const target = document.elementFromPoint(innerWidth / 2, innerHeight / 2);
            for (const kind of ['dragenter', 'dragover', 'drop']) {
                target.dispatchEvent(new DragEvent(kind, { dataTransfer, bubbles: true, cancelable: true }));
            }";
        self.browser.run(&format!("{script}{drop_it}"), arguments).map(drop)
    }

    /// Chooses a file in the picker.
    pub fn pick_file(&self, path: &Path) -> Result<()> {
        self.browser.type_into("input[type=file]", &path.display().to_string())
    }

    /// Last modified a day ago, so no program is still writing it.
    pub fn make_file(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.make_fresh_file(name, bytes)?;
        fs::File::options()
            .write(true)
            .open(&path)?
            .set_modified(SystemTime::now() - Duration::from_secs(24 * 60 * 60))?;
        Ok(path)
    }

    /// Last modified now.
    pub fn make_fresh_file(&self, name: &str, bytes: &[u8]) -> Result<PathBuf> {
        let path = self.scratch.join(name);
        fs::write(&path, bytes).with_context(|| format!("writing {}", path.display()))?;
        Ok(path)
    }

    pub fn make_folder(&self, name: &str) -> Result<PathBuf> {
        let path = self.scratch.join(name);
        fs::create_dir_all(&path).with_context(|| format!("making {}", path.display()))?;
        Ok(path)
    }

    /// Clicks the button with this label as soon as it exists.
    pub fn press(&self, label: &str) -> Result<()> {
        self.click(&format!("//button[contains(., '{label}')]")).with_context(|| format!("pressing “{label}”"))
    }

    /// Opens a menu and clicks one of its items.
    pub fn pick(&self, menu: &str, item: &str) -> Result<()> {
        self.press(menu)?;
        self.click(&format!("//*[starts-with(@role, 'menuitem')][.='{item}']"))
    }

    /// Clicks like a user, once nothing moves. While a trace loads, something always moves. If the driver refuses, it clicked
    /// nothing: the element isn't there yet, was just replaced, or something covers it.
    pub fn click(&self, xpath: &str) -> Result<()> {
        if self.attribute(".app", "data-screen")?.as_deref() != Some("loading") {
            self.wait_until_idle()?;
        }
        let start = Instant::now();
        loop {
            match self.browser.click(xpath) {
                Err(error) if error.is::<Refused>() && start.elapsed() < PATIENCE => thread::sleep(LOOK_EVERY),
                clicked => return clicked,
            }
        }
    }

    /// Types into a field as soon as it exists and nothing moves.
    pub fn type_into(&self, css: &str, text: &str) -> Result<()> {
        self.wait_for(&format!("the field {css}"), || Ok(self.browser.find("css selector", css).is_ok()))?;
        self.wait_until_idle()?;
        self.browser.type_into(css, text)
    }

    /// Goes back one step once the page has updated its address.
    pub fn go_back(&self) -> Result<()> {
        self.wait_until_idle()?;
        self.browser.run("history.back()", json!([])).map(drop)
    }

    /// For a trace's screen, waits until it's idle. Before that, the layout may still change, and clicks may miss.
    pub fn wait_for_screen(&self, screen: &str) -> Result<()> {
        self.wait_for(&format!("the screen “{screen}”"), || {
            Ok(self.attribute(".app", "data-screen")?.as_deref() == Some(screen))
        })?;
        if screen == "loaded" { self.wait_until_idle() } else { Ok(()) }
    }

    pub fn wait_for_worker(&self, state: &str) -> Result<()> {
        self.wait_for(&format!("a worker that is {state}"), || {
            Ok(self.attribute(".app", "data-worker")?.as_deref() == Some(state))
        })
    }

    pub fn wait_for_text(&self, words: &str) -> Result<()> {
        self.wait_for(&format!("the words “{words}”"), || Ok(self.text()?.contains(words)))
    }

    /// Waits until the page is idle: nothing loads, no request is pending, no transition runs, and that is still true two frames
    /// later.
    pub fn wait_until_idle(&self) -> Result<()> {
        self.wait_for("the page to be idle", || Ok(self.browser.run(IS_IDLE, json!([]))? == true))
    }

    pub fn wait_for(&self, what: &str, mut is_there: impl FnMut() -> Result<bool>) -> Result<()> {
        let start = Instant::now();
        while !is_there()? {
            ensure!(start.elapsed() < PATIENCE, "waited {} s for {what}", PATIENCE.as_secs());
            thread::sleep(LOOK_EVERY);
        }
        Ok(())
    }

    /// Returns the exact value of a figure, by its path in the command line's JSON.
    pub fn figure(&self, path: &str) -> Result<String> {
        let value = self.attribute(&format!("[data-figure='{path}']"), "data-value")?;
        value.with_context(|| format!("the page shows no figure {path}"))
    }

    pub fn count(&self, path: &str) -> Result<u64> {
        let value = self.figure(path)?;
        value.parse().with_context(|| format!("{path} is {value}"))
    }

    /// Returns an attribute of the first element that matches the selector.
    pub fn attribute(&self, css: &str, name: &str) -> Result<Option<String>> {
        let script = "return document.querySelector(arguments[0])?.getAttribute(arguments[1])";
        Ok(self.browser.run(script, json!([css, name]))?.as_str().map(str::to_owned))
    }

    /// Returns all visible text.
    pub fn text(&self) -> Result<String> {
        self.ask("return document.body.innerText")
    }

    pub fn title(&self) -> Result<String> {
        self.ask("return document.title")
    }

    pub fn says(&self, words: &str) -> Result<()> {
        self.wait_for_text(words)
    }

    /// Sets the size of the viewport, in CSS pixels. Windows of other browsers than Chromium have a minimum width of about 500
    /// pixels.
    pub fn resize(&self, width: u32, height: u32) -> Result<()> {
        if self.browser.engine != Engine::Chromium {
            return self.browser.resize_window(width, height);
        }
        self.resize_zoomed(width, height, 1)
    }

    /// Sets the size of the viewport in device pixels, and the page's zoom. Only works in Chromium.
    pub fn resize_zoomed(&self, width: u32, height: u32, zoom: u32) -> Result<()> {
        let size =
            json!({ "width": width / zoom, "height": height / zoom, "deviceScaleFactor": zoom, "mobile": false });
        self.browser.devtools("Emulation.setDeviceMetricsOverride", size).map(drop)
    }

    /// Runs a script in every new document, before the page's own scripts. Only works in Chromium.
    pub fn before_scripts(&self, script: &str) -> Result<()> {
        self.browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script })).map(drop)
    }

    /// Sets the system's color scheme: `light` or `dark`.
    pub fn prefer(&self, scheme: &str) -> Result<()> {
        let features = json!({ "features": [{ "name": "prefers-color-scheme", "value": scheme }] });
        self.browser.devtools("Emulation.setEmulatedMedia", features).map(drop)
    }

    /// Sets the system's preference for reduced motion.
    pub fn prefer_no_motion(&self) -> Result<()> {
        let features = json!({ "features": [{ "name": "prefers-reduced-motion", "value": "reduce" }] });
        self.browser.devtools("Emulation.setEmulatedMedia", features).map(drop)
    }

    /// Scrolls to an element and returns its left, top, width and height, once nothing moves. Only works in Chromium.
    pub fn area(&self, css: &str) -> Result<[f64; 4]> {
        self.wait_until_idle()?;
        let script = "
            const element = document.querySelector(arguments[0]);
            element.scrollIntoViewIfNeeded();
            const frame = () => new Promise(requestAnimationFrame);
            return frame().then(frame).then(() => {
                const { left, top, width, height } = element.getBoundingClientRect();
                return [left, top, width, height];
            })";
        let area = self.browser.run(script, json!([css]))?;
        serde_json::from_value(area).with_context(|| format!("measuring {css}"))
    }

    /// Returns the point at these fractions of an element's width and height.
    pub fn point_in(&self, css: &str, x: f64, y: f64) -> Result<(f64, f64)> {
        let [left, top, width, height] = self.area(css)?;
        Ok((left + x * width, top + y * height))
    }

    pub fn click_at(&self, at: (f64, f64)) -> Result<()> {
        ["mouseMoved", "mousePressed", "mouseReleased"].into_iter().try_for_each(|kind| self.mouse_at(kind, at))
    }

    pub fn drag(&self, from: (f64, f64), to: (f64, f64)) -> Result<()> {
        self.mouse_at("mouseMoved", from)?;
        self.mouse_at("mousePressed", from)?;
        for (x, y) in [((from.0 + to.0) / 2.0, (from.1 + to.1) / 2.0), to] {
            self.mouse(json!({ "type": "mouseMoved", "x": x, "y": y, "button": "left", "buttons": 1 }))?;
        }
        self.mouse_at("mouseReleased", to)
    }

    /// Moves the mouse, or presses or releases its left button.
    pub fn mouse_at(&self, kind: &str, (x, y): (f64, f64)) -> Result<()> {
        let button = if kind == "mouseMoved" { "none" } else { "left" };
        self.mouse(json!({ "type": kind, "x": x, "y": y, "button": button, "clickCount": 1 }))
    }

    /// Sends a mouse event with DevTools.
    pub fn mouse(&self, event: Value) -> Result<()> {
        self.browser.devtools("Input.dispatchMouseEvent", event).map(drop)
    }

    /// Moves a finger from point to point and lifts it.
    pub fn touch(&self, way: &[(f64, f64)]) -> Result<()> {
        for (step, (x, y)) in way.iter().enumerate() {
            let kind = if step == 0 { "touchStart" } else { "touchMove" };
            let event = json!({ "type": kind, "touchPoints": [{ "x": x, "y": y }] });
            self.browser.devtools("Input.dispatchTouchEvent", event)?;
        }
        self.browser.devtools("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] })).map(drop)
    }

    /// Returns the address without percent escapes.
    pub fn address(&self) -> Result<String> {
        self.ask("return decodeURIComponent(location.href)")
    }

    /// Waits until the address contains this text. The page updates the address later than what it shows.
    pub fn wait_for_address(&self, part: &str) -> Result<()> {
        self.wait_for(&format!("{part} in the address"), || Ok(self.address()?.contains(part)))
    }

    /// Checks that nothing is cut off on the right, and that the page doesn't scroll sideways.
    pub fn fits_its_width(&self) -> Result<()> {
        let script = "const page = document.scrollingElement; return [page.scrollWidth, page.clientWidth]";
        let mut widths = Value::Null;
        let fits = self.wait_for("the page to fit its width", || {
            widths = self.browser.run(script, json!([]))?;
            Ok(widths[0].as_u64().zip(widths[1].as_u64()).is_some_and(|(needed, given)| needed <= given))
        });
        fits.with_context(|| format!("the page needs {} px and has {}", widths[0], widths[1]))
    }

    /// Saves a screenshot of the page in `target/browser/`. In other browsers than Chromium, it only shows the viewport.
    pub fn screenshot(&self, name: &str) -> Result<()> {
        let picture = if self.browser.engine == Engine::Chromium {
            let size = self.browser.run("return [innerWidth, document.scrollingElement.scrollHeight]", json!([]))?;
            let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
            let shot = json!({ "captureBeyondViewport": true, "clip": clip });
            let picture = self.browser.devtools("Page.captureScreenshot", shot)?;
            picture["data"].as_str().context("the browser took no picture")?.to_owned()
        } else {
            self.browser.screenshot()?
        };
        let folder = pictures()?;
        let path = folder.join(format!("{name}.png"));
        fs::create_dir_all(&folder)?;
        fs::write(&path, BASE64_STANDARD.decode(picture)?)?;
        println!("picture: {}", path.display());
        Ok(())
    }

    fn drop_files(&self, paths: &[&Path], over: &Value, onto: &Value) -> Result<()> {
        let data = json!({ "items": [], "files": paths, "dragOperationsMask": 1 });
        for (kind, place) in [("dragEnter", over), ("dragOver", over), ("drop", onto)] {
            let event = json!({ "type": kind, "x": place[0], "y": place[1], "data": data });
            self.browser.devtools("Input.dispatchDragEvent", event)?;
        }
        Ok(())
    }

    fn ask(&self, script: &str) -> Result<String> {
        match self.browser.run(script, json!([]))? {
            Value::String(text) => Ok(text),
            other => bail!("not a text: {other}"),
        }
    }
}

/// Resolves to whether the page is idle, now and after two frames.
/// Waits for up to a second, because asking again from here takes more CPU time.
const IS_IDLE: &str = "
    const isIdle = () => !document.querySelector('[data-idle=false], [aria-busy=true]')
        && document.getAnimations().every((animation) => animation.playState !== 'running');
    const frame = () => new Promise(requestAnimationFrame);
    const isStill = async () => isIdle() && await frame().then(frame).then(isIdle);
    const pause = () => new Promise((done) => setTimeout(done, 20));
    return (async () => {
        const end = performance.now() + 1000;
        while (!await isStill()) {
            if (performance.now() > end) return false;
            await pause();
        }
        return true;
    })()";

/// Adds a file picker to the page, for [`TAKE_CHOSEN`].
pub const ADD_PICKER: &str = "
    document.body.append(Object.assign(document.createElement('input'), { type: 'file', id: 'chosen' }));";

/// Takes the file that was chosen in that picker, and removes the picker.
pub const TAKE_CHOSEN: &str = "
    const input = document.querySelector('#chosen');
    const [file] = input.files;
    input.remove();";

fn pictures() -> Result<PathBuf> {
    // The tests are in `target/debug/deps`.
    let program = env::current_exe()?;
    let target = program.ancestors().nth(3).context("the target directory has no place")?;
    Ok(target.join("browser"))
}
