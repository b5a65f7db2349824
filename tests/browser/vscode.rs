//! The extension in VS Code for browsers: a server with an open folder, and its window in Chromium.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use camlscope_testkit::synth::{Extent, Options, Shape, generate};
use serde_json::{Value, json};

use crate::browser::free_port;
use crate::engine::{Engine, named};
use crate::exporting::{save, saved, watch_saves};
use crate::keys::{ENTER, ESCAPE, F1};
use crate::leaks::{camlscope, fixture};
use crate::page::Page;
use crate::pool::Place;
use crate::visit::{fresh_folder, visit};

const TRACE: &str = "orders-1e-4-v2.ctf";
const PROFILE: &str = "spacetime-11710";

/// The server of VS Code. It's killed at the end.
struct Server {
    child: Child,
    url: String,
}

impl Server {
    fn start(folder: &Path) -> Result<Server> {
        let home = named("CAMLSCOPE_VSCODE")?;
        let port = free_port()?;
        let mut command = Command::new("node");
        command.arg(home.join("serve.mjs")).arg(port.to_string()).arg(named("CAMLSCOPE_VSCODE_EXTENSION")?).arg(folder);
        command.current_dir(&home).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("starting node")?;
        let output = child.stdout.take().context("it has no output")?;
        let server = Server { child, url: format!("http://localhost:{port}/") };
        let mut lines = BufReader::new(output).lines();
        let is_ready = lines.any(|line| line.is_ok_and(|line| line.contains("camlscope: ready")));
        ensure!(is_ready, "VS Code's server ended");
        // It says so before it listens.
        let start = Instant::now();
        while TcpStream::connect(("localhost", port)).is_err() {
            ensure!(start.elapsed() < Duration::from_secs(60), "VS Code's server does not listen to port {port}");
            thread::sleep(Duration::from_millis(10));
        }
        // It prints each request, and fails if it can't.
        thread::spawn(move || lines.for_each(drop));
        Ok(server)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// VS Code with a folder that has a trace, a profile and a program's source.
struct Window {
    page: Page,
    _server: Server,
}

impl Window {
    fn run(acts: impl FnOnce(&Window) -> Result<()>) -> Result<()> {
        Window::run_in(workspace()?, acts)
    }

    fn run_in(folder: PathBuf, acts: impl FnOnce(&Window) -> Result<()>) -> Result<()> {
        let server = Server::start(&folder)?;
        let place = Place::take(Engine::Chromium);
        let page = Page::new(place.browser()?, server.url.clone(), folder);
        let window = Window { page, _server: server };
        window.page.resize(1440, 900)?;
        window.page.visit()?;
        acts(&window).map_err(|error| {
            // The frame that the test was in may be gone.
            let _ = window.page.browser.leave_frames();
            let picture = window.picture("failed-vscode");
            error.context(format!("VS Code (a screenshot: {picture:?})"))
        })
        // The browser isn't reused: VS Code keeps data of all its windows.
    }

    /// Saves a picture of the whole window.
    fn picture(&self, name: &str) -> Result<()> {
        self.page.browser.leave_frames()?;
        self.page.screenshot(name)
    }

    fn see(&self, what: &str, script: &str, arguments: Value) -> Result<()> {
        self.page.wait_for(what, || Ok(self.page.browser.run(script, arguments.clone())? == true))
    }

    /// Opens a file of the folder in its editor. Before VS Code has loaded the extension, it would open profiles as text.
    fn open(&self, name: &str) -> Result<()> {
        let are_loaded = "return performance.getEntriesByName('code/didLoadExtensions').length > 0";
        self.see("the extensions", are_loaded, json!([]))?;
        let item = format!("//*[@role='treeitem'][.//*[text()='{name}']]");
        self.page.wait_for(name, || Ok(self.page.browser.find("xpath", &item).is_ok()))?;
        self.page.wait_for("a click", || Ok(self.page.browser.click(&item).is_ok()))
    }

    /// Enters the page of the visible profile, and waits until it shows the profile.
    fn enter_profile(&self) -> Result<()> {
        let browser = &self.page.browser;
        self.page.wait_for("the profile", || {
            browser.leave_frames()?;
            // Frames are replaced while the editor starts.
            Ok(browser.enter_frame_at("iframe.webview.ready").is_ok()
                && browser.enter_frame_at("#active-frame").is_ok()
                && self.page.attribute(".app", "data-screen")?.as_deref() == Some("loaded"))
        })?;
        self.page.wait_until_idle()
    }

    /// Runs a command of the palette.
    fn command(&self, title: &str) -> Result<()> {
        let browser = &self.page.browser;
        browser.leave_frames()?;
        browser.press(F1)?;
        self.see("the palette", "return Boolean(document.activeElement?.closest('.quick-input-widget'))", json!([]))?;
        browser.press(title)?;
        let script = "return document.querySelector('.quick-input-list .monaco-list-row.focused')?.textContent.includes(arguments[0]) ?? false";
        self.see(title, script, json!([title]))?;
        browser.press(ENTER)
    }

    fn is_at_line(&self, line: u64) -> Result<()> {
        let script = "return document.querySelector('[id=\"status.editor.selection\"]')?.textContent.includes(arguments[0]) ?? false";
        self.see(&format!("line {line}"), script, json!([format!("Ln {line},")]))
    }

    /// Returns the figures at the ends of visible lines, by line.
    fn figures(&self) -> Result<BTreeMap<u64, String>> {
        let figures = self.page.browser.run(FIGURES, json!([]))?;
        Ok(serde_json::from_value(figures)?)
    }

    /// Waits until the visible lines have the figures that the command line prints.
    fn shows_figures_of(&self, options: &[&str]) -> Result<()> {
        self.shows_figures_of_file(TRACE, "orders.ml", options)
    }

    fn shows_figures_of_file(&self, trace: &str, file: &str, options: &[&str]) -> Result<()> {
        let printed = camlscope(&[&["annotate", trace, file, "--json"], options].concat())?;
        let expected = expected(&printed["files"][0]);
        let mut shown = BTreeMap::new();
        let is_same = self.page.wait_for("the figures of the command line", || {
            shown = self.figures()?;
            Ok(!shown.is_empty() && shown.iter().all(|(line, text)| expected.get(line) == Some(text)))
        });
        is_same.with_context(|| format!("VS Code shows {shown:?} instead of {expected:?}"))?;
        let (first, last) = (shown.keys().next().copied(), shown.keys().last().copied());
        let between = expected.keys().filter(|line| first <= Some(**line) && Some(**line) <= last).count();
        ensure!(
            shown.len() == between,
            "{} of {between} lines between {first:?} and {last:?} have figures",
            shown.len()
        );
        Ok(())
    }
}

/// The text that is drawn behind each line, with the number in the margin at the same height.
const FIGURES: &str = "
    const editor = document.querySelector('.editor-instance .monaco-editor');
    const top = (element) => Math.round(element.getBoundingClientRect().top);
    const numbers = new Map([...editor?.querySelectorAll('.line-numbers') ?? []].map((number) => [top(number.parentElement), number.textContent]));
    const figures = {};
    for (const line of editor?.querySelectorAll('.view-line') ?? []) {
        for (const part of line.querySelectorAll('[class*=ced-]')) {
            const { content } = getComputedStyle(part, '::after');
            if (content.startsWith('\"')) figures[numbers.get(top(line))] = JSON.parse(content);
        }
    }
    return figures";

/// Whether VS Code has saved a state with this text. It saves every five seconds, but not before a reload.
const HAS_SAVED: &str = "
    const [text] = arguments;
    const finished = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    return (async () => {
        for (const { name } of await indexedDB.databases()) {
            if (!name.startsWith('vscode-web-state-db')) continue;
            const database = await finished(indexedDB.open(name));
            const values = await finished(database.transaction('ItemTable').objectStore('ItemTable').getAll());
            database.close();
            if (values.some((value) => String(value).includes(text))) return true;
        }
        return false;
    })()";

fn expected(file: &Value) -> BTreeMap<u64, String> {
    let text = |line: &Value| {
        let prefix = if line["self"].as_f64() > Some(0.0) { "" } else { "calls: " };
        format!("{prefix}{}", line["text"].as_str().unwrap_or_default())
    };
    let lines = file["lines"].as_array().into_iter().flatten();
    lines.filter_map(|line| Some((line["line"].as_u64()?, text(line)))).collect()
}

/// Makes a folder with the trace and, elsewhere, the program.
fn workspace() -> Result<PathBuf> {
    let folder = fresh_folder(&thread::current().name().unwrap_or("vscode").replace("::", "-"))?;
    for name in [".vscode", "src"] {
        fs::create_dir_all(folder.join(name))?;
    }
    let settings = json!({
        "workbench.colorTheme": "Default Light Modern",
        "workbench.startupEditor": "none",
        "explorer.compactFolders": false,
        "camlscope.codeLens": true,
    });
    fs::write(folder.join(".vscode/settings.json"), settings.to_string())?;
    fs::copy(fixture(TRACE), folder.join(TRACE))?;
    fs::copy(fixture(PROFILE), folder.join(PROFILE))?;
    for name in ["orders.ml", "leak.ml"] {
        fs::copy(fixture("source").join(name), folder.join("src").join(name))?;
    }
    Ok(folder)
}

#[test]
fn trace_opens_and_its_figures_are_shown_in_the_source() -> Result<()> {
    Window::run(|window| {
        let Window { page, .. } = window;
        window.open(TRACE)?;
        window.enter_profile()?;
        page.says("orders.exe")?;
        ensure!(!page.text()?.contains("Open…"), "the page opens files itself");
        window.see(
            "no space around the page",
            "return document.querySelector('.app').getBoundingClientRect().left === 0",
            json!([]),
        )?;

        // A click on a location opens its line.
        page.browser.run("location.hash = 'tab=table&by=site'", json!([]))?;
        page.wait_for("the table", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table")))?;
        page.wait_until_idle()?;
        page.click("(//*[@role='row']//button[starts-with(., 'orders.ml:95:')])[1]")?;
        page.browser.leave_frames()?;
        window.is_at_line(95)?;
        window.shows_figures_of(&["--measure", "peak"])?;
        window.see(
            "the heat map in the gutter",
            "return document.querySelectorAll('.margin .cgmr').length > 0",
            json!([]),
        )?;
        window.see(
            "a code lens",
            "return document.querySelector('.codelens-decoration')?.textContent.includes('line ') ?? false",
            json!([]),
        )?;
        window.picture("vscode-light")?;

        // The figures follow the measure and the filter of the page.
        window.enter_profile()?;
        page.browser.run("location.hash = 'tab=table&by=site&show=promoted&size=3..'", json!([]))?;
        page.browser.leave_frames()?;
        window.shows_figures_of(&["--measure", "promoted", "--size", "3.."])?;

        // A report has nothing that VS Code or the extension added to the page.
        window.enter_profile()?;
        watch_saves(page)?;
        save(page, "Report with the trace")?;
        let plain = fs::read_to_string(named("CAMLSCOPE_VSCODE_EXTENSION")?.join("camlscope.html"))?;
        let before_trace = plain.rsplit_once("</body>").context("the page has no body")?.0;
        ensure!(saved(page)?.starts_with(before_trace), "the report isn't made of the extension's page");

        // Light and dark follow.
        window.enter_profile()?;
        ensure!(page.attribute("html", "data-theme")?.as_deref() == Some("light"), "the page isn't light");
        window.command("Toggle between Light/Dark Themes")?;
        window.enter_profile()?;
        page.wait_for("the dark page", || Ok(page.attribute("html", "data-theme")?.as_deref() == Some("dark")))?;
        window.picture("vscode-dark")?;

        // The view and the figures are still there after a reload.
        window.see("the saved view", HAS_SAVED, json!(["&size=3.."]))?;
        page.browser.reload()?;
        window.enter_profile()?;
        ensure!(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table"), "the view is lost");
        page.browser.leave_frames()?;
        window.shows_figures_of(&["--measure", "promoted", "--size", "3.."])
    })
}

#[test]
fn commands_show_hot_lines_and_profiles() -> Result<()> {
    Window::run(|window| {
        let Window { page, .. } = window;
        window.open(PROFILE)?;
        window.enter_profile()?;
        page.browser.leave_frames()?;
        window.see("the profile in the status bar", STATUS_SAYS, json!([PROFILE]))?;

        // From the profile, it goes to the file with the most memory. Then it goes from line to line.
        window.command("camlscope: Next hot line")?;
        window.is_at_line(1)?;
        window.shows_figures_of_file(PROFILE, "leak.ml", &["--measure", "peak"])?;

        window.command("View: Close All Editors")?;
        window.open(TRACE)?;
        window.enter_profile()?;
        page.browser.leave_frames()?;
        window.see("the trace in the status bar", STATUS_SAYS, json!([TRACE]))?;

        window.command("camlscope: Next hot line")?;
        window.is_at_line(1)?;
        window.shows_figures_of(&["--measure", "peak"])?;
        let printed = camlscope(&["annotate", TRACE, "orders.ml", "--json", "--measure", "peak"])?;
        let lines = printed["files"][0]["lines"].as_array().cloned().unwrap_or_default();
        let hot = lines.iter().filter(|line| line["total_share"].as_f64() >= Some(0.01));
        for line in hot.filter_map(|line| line["line"].as_u64()).take(2) {
            window.command("camlscope: Next hot line")?;
            window.is_at_line(line)?;
        }
        let total = printed["files"][0]["text"].as_str().context("no total")?;
        window.see("the file's memory in the status bar", STATUS_SAYS, json!([total]))?;

        window.command("camlscope: Show memory decorations")?;
        page.wait_for("no figures", || Ok(window.figures()?.is_empty()))?;
        page.browser.press(ESCAPE)?;
        window.command("camlscope: Show memory decorations")?;
        window.shows_figures_of(&["--measure", "peak"])
    })
}

#[test]
#[ignore = "measured by `cargo xtask bench vscode`"]
fn large_trace_opens_in_at_most_three_times_the_time_outside() -> Result<()> {
    const ROUNDS: usize = 5;
    let options =
        Options { shape: Shape::Compiler, extent: Extent::Bytes(LARGE_BYTES), rate: 0.1, domains: 1, seed: 1 };
    let mut trace = Vec::new();
    generate(&options, &mut trace)?;

    let mut outside = Vec::new();
    for _ in 0..ROUNDS {
        visit(|page| {
            let large = page.make_file("large.ctf", &trace)?;
            page.open()?;
            let start = Instant::now();
            page.drop_path(&large)?;
            page.wait_for_screen("loaded")?;
            outside.push(start.elapsed());
            Ok(())
        })?;
    }
    let mut inside = Vec::new();
    for _ in 0..ROUNDS {
        let folder = workspace()?;
        fs::write(folder.join("large.ctf"), &trace)?;
        Window::run_in(folder, |window| {
            // VS Code is ready once it has opened another trace.
            window.open(TRACE)?;
            window.enter_profile()?;
            window.page.browser.leave_frames()?;
            let start = Instant::now();
            window.open("large.ctf")?;
            window.page.wait_for("the new editor", || {
                window.enter_profile()?;
                Ok(!window.page.text()?.contains("orders.exe"))
            })?;
            inside.push(start.elapsed());
            Ok(())
        })?;
    }
    let [outside, inside] = [outside, inside].map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2].as_secs_f64()
    });
    println!(
        "{} MB: {outside:.2} s in the page, {inside:.2} s in VS Code, {:.2}×",
        LARGE_BYTES / 1_000_000,
        inside / outside
    );
    ensure!(inside <= 3.0 * outside, "{inside:.2} s in VS Code, {outside:.2} s outside");
    Ok(())
}

const LARGE_BYTES: u64 = 113_000_000;

const STATUS_SAYS: &str = "
    const items = [...document.querySelectorAll('.statusbar-item')];
    return items.some((item) => item.textContent.includes(arguments[0]))";
