//! The page inside another program, which opens files for it: docs/embedding.md.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::engine::named;
use crate::leaks::{camlscope, fixture};
use crate::page::Page;
use crate::server::Server;
use crate::traces::TINY;
use crate::visit::{Visit, visit};

const TRACE: &str = "orders-1e-4-v2.ctf";

/// A portal with the page in a frame. Another port is another origin.
struct Portal(Server);

impl Portal {
    fn start() -> Result<Portal> {
        let files = BTreeMap::from([
            ("portal.html".to_owned(), include_bytes!("embedding.html").to_vec()),
            (TRACE.to_owned(), std::fs::read(fixture(TRACE))?),
        ]);
        Ok(Portal(Server::start(&named("CAMLSCOPE_DIST")?, Box::new(|_, bytes| Some(bytes)), files)?))
    }

    /// Opens the portal and enters its frame. `host` is the origin that the page trusts.
    fn enter(&self, page: &Page, host: Option<&str>) -> Result<()> {
        let host = host.map_or_else(String::new, |host| format!("%3Fhost={host}"));
        let portal = self.0.page_url();
        page.browser.go(&format!("{portal}portal.html?open={TRACE}&page={}{host}", page.url))?;
        page.browser.enter_frame()
    }
}

/// Runs a script in the portal, and returns to the frame.
fn in_portal(page: &Page, script: &str, arguments: Value) -> Result<Value> {
    page.browser.leave_frames()?;
    let result = page.browser.run(script, arguments)?;
    page.browser.enter_frame()?;
    Ok(result)
}

fn say(page: &Page, message: &Value) -> Result<()> {
    in_portal(page, "window.say(arguments[0])", json!([message])).map(drop)
}

/// Waits until the page has sent a message of this type, and returns the last one.
fn heard(page: &Page, kind: &str) -> Result<Value> {
    let script = "return window.heard.findLast(({ type }) => type === arguments[0])";
    let mut message = Value::Null;
    page.wait_for(&format!("the message {kind}"), || {
        message = in_portal(page, script, json!([kind]))?;
        Ok(!message.is_null())
    })?;
    Ok(message)
}

fn offers(page: &Page, css: &str, words: &str) -> Result<bool> {
    let script =
        "return [...document.querySelectorAll(arguments[0])].some((item) => item.textContent.includes(arguments[1]))";
    Ok(page.browser.run(script, json!([css, words]))? == true)
}

#[test]
fn host_opens_a_trace_and_chooses_the_theme_and_view() -> Result<()> {
    // The browser has advice for pages that read pixels.
    Visit::default().tolerating("getImageData").run(|page| {
        let portal = Portal::start()?;
        portal.enter(page, Some(&portal.0.origin()))?;
        page.wait_for_screen("loaded")?;
        page.says(TRACE.trim_end_matches(".ctf").split('-').next().unwrap_or_default())?;
        let bytes = std::fs::read(fixture(TRACE))?.len();
        ensure!(page.attribute(".app", "data-bytes")? == Some(bytes.to_string()), "not all bytes arrived");
        let focused = in_portal(page, "return document.activeElement.localName", json!([]))?;
        ensure!(focused == "body", "the page takes the focus from the portal: {focused}");

        // The host opens files, chooses the theme and has its own links.
        for (menu, words) in [("⋯", "Dark"), ("⋯", "Compare with"), ("Share", "Copy link")] {
            page.press(menu)?;
            ensure!(!offers(page, "[role^=menuitem]", words)?, "{menu} offers “{words}”");
            page.press(menu)?;
        }
        ensure!(!offers(page, "label", "Open")?, "there is a button to open files");
        page.drop_bytes(TINY.file, &TINY.bytes()?)?;
        ensure!(page.browser.find("css selector", "dialog[open]").is_err(), "it takes a dropped file");

        page.resize(1440, 900)?;
        page.click("//*[@id='tab-flame']")?;
        page.wait_for("the flame graph", || Ok(page.attribute(".flame-canvas", "class")?.is_some()))?;
        page.wait_until_idle()?;
        ensure!(heard(page, "state")?["hash"].as_str().is_some_and(|hash| hash.contains("tab=flame")), "no view");
        let mut seen = vec![];
        for kind in ["light", "dark", "high-contrast-light", "high-contrast-dark"] {
            say(page, &json!({ "type": "theme", "kind": kind }))?;
            page.wait_for(kind, || Ok(page.attribute("html", "data-theme")?.as_deref() == Some(kind)))?;
            page.wait_until_idle()?;
            let background = page.browser.run("return getComputedStyle(document.body).backgroundColor", json!([]))?;
            ensure!(!seen.contains(&background), "{kind} looks like another theme");
            seen.push(background);
            // A window of another size draws everything again.
            let repainted = canvases(page)?;
            for width in [1300, 1440] {
                page.resize(width, 900)?;
                page.wait_until_idle()?;
            }
            ensure!(canvases(page)? == repainted, "canvases are not repainted for {kind}");
        }
        say(page, &json!({ "type": "state", "hash": "tab=table&by=site" }))?;
        page.wait_for("the table", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table")))?;
        page.wait_until_idle()?;
        ensure!(page.browser.run("return location.hash", json!([]))? == "", "the view is in the frame's address");
        Ok(())
    })
}

fn canvases(page: &Page) -> Result<Value> {
    page.browser.run("return [...document.querySelectorAll('canvas')].map((canvas) => canvas.toDataURL())", json!([]))
}

#[test]
fn host_gets_source_locations_and_the_figures_of_the_command_line() -> Result<()> {
    visit(|page| {
        let portal = Portal::start()?;
        portal.enter(page, Some(&portal.0.origin()))?;
        page.wait_for_screen("loaded")?;
        say(page, &json!({ "type": "annotate", "files": ["orders.ml"] }))?;
        let lines = heard(page, "lines")?;
        same_lines(&lines, &["annotate", TRACE, "orders.ml", "--json", "--measure", "peak"])?;
        let files = heard(page, "files")?;
        ensure!(files["files"][0]["file"] == "orders.ml", "the largest file is {}", files["files"][0]);

        in_portal(page, "window.heard = []", json!([]))?;
        say(page, &json!({ "type": "state", "hash": "tab=table&by=site&show=promoted&size=3.." }))?;
        same_lines(
            &heard(page, "lines")?,
            &["annotate", TRACE, "orders.ml", "--json", "--measure", "promoted", "--size", "3.."],
        )?;

        page.wait_until_idle()?;
        page.click("(//*[@role='row']//button[starts-with(., 'orders.ml:')])[1]")?;
        let source = heard(page, "source")?;
        let clicked = page.browser.run(
            "return [...document.querySelectorAll('button.location')].find((button) => button.textContent.startsWith('orders.ml:')).textContent",
            json!([]),
        )?;
        let columns = &source["columns"];
        let told = format!("{}:{}:{}-{}", text(&source["file"]), source["line"], columns["start"], columns["end"]);
        ensure!(clicked == told, "a click on {clicked} opens {told}");

        // A function has no line of its own, so its hottest one opens.
        in_portal(page, "window.heard = []", json!([]))?;
        say(page, &json!({ "type": "state", "hash": "tab=table&by=function&search=Orders.Json.parse.value" }))?;
        page.wait_until_idle()?;
        page.click("(//*[@role='row']//button[.='orders.ml'])[1]")?;
        ensure!(heard(page, "source")?["line"] == 17, "{}", heard(page, "source")?);
        Ok(())
    })
}

fn same_lines(lines: &Value, arguments: &[&str]) -> Result<()> {
    let printed = camlscope(arguments)?;
    let of = |lines: &Value| -> Vec<(Value, Value, Value)> {
        let lines = lines["lines"].as_array().into_iter().flatten();
        lines.map(|line| (line["line"].clone(), line["self_text"].clone(), line["text"].clone())).collect()
    };
    let (shown, expected) = (of(lines), of(&printed["files"][0]));
    ensure!(!shown.is_empty() && shown == expected, "the page says {shown:?}, but {arguments:?} prints {expected:?}");
    Ok(())
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

#[test]
fn page_neither_obeys_nor_informs_anybody_but_its_host() -> Result<()> {
    // The browser warns about messages that it doesn't deliver.
    Visit::default()
        .tolerating("postMessage")
        .run(|page| {
            let portal = Portal::start()?;
            let open = json!({ "camlscope": 1, "type": "open", "name": TRACE, "size": 1 });
            // Nobody was declared; somebody else was; the address isn't an origin.
            for host in [None, Some("http://portal.example"), Some("*"), Some(&format!("{}/", portal.0.origin()))] {
                portal.enter(page, host)?;
                page.wait_for_worker("ready")?;
                page.wait_for_screen("empty")?;
                say(page, &open)?;
                // From the frame itself.
                page.browser.run("window.postMessage(arguments[0], '*')", json!([open]))?;
                page.wait_until_idle()?;
                let heard = in_portal(page, "return window.heard", json!([]))?;
                ensure!(heard == json!([]), "with {host:?}, the portal heard {heard}");
                ensure!(page.attribute(".app", "data-screen")?.as_deref() == Some("empty"), "it obeys with {host:?}");
            }
            // A page with a host shows nothing else, such as a trace that only this reader may see.
            page.browser.go(&format!("{}?host={}", page.url, portal.0.origin()))?;
            page.wait_for_worker("ready")?;
            ensure!(page.attribute("html", "data-hosted")?.is_none(), "a page without a frame has a host");
            portal.enter(page, Some(&format!("{}%26trace=camlscope.html", portal.0.origin())))?;
            page.wait_for_screen("loaded")?;
            ensure!(page.title()?.starts_with("orders"), "it shows {}", page.title()?);
            Ok(())
        })
        .context("with an origin that wasn't allowed")
}
