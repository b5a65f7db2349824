//! The layout is stable: no blank page between two screens, nothing jumps, and notices disappear by themselves.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::loading::{IS_DRAWN, drop_large};
use crate::page::Page;
use crate::sentence::open;
use crate::visit::visit;

/// About 100 MB, so the load takes long enough to show a curve.
const COPIES: usize = 300;
/// Holds queries back until they are released. The load itself isn't delayed.
const HOLD_QUERIES: &str = "
    const post = Worker.prototype.postMessage;
    const held = [];
    Worker.prototype.postMessage = function (...message) {
        if (document.querySelector('.app').dataset.screen === 'loaded') held.push([this, message]);
        else post.apply(this, message);
    };
    window.release = () => {
        Worker.prototype.postMessage = post;
        for (const [worker, message] of held) post.apply(worker, message);
    };";

#[test]
fn curve_of_the_loading_screen_stays_until_the_layers_arrive() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.browser.run(HOLD_QUERIES, json!([]))?;
        drop_large(page, COPIES)?;
        // This can't wait until the page is idle, because its queries are held back.
        page.wait_for("the trace", || Ok(page.attribute(".app", "data-screen")?.as_deref() == Some("loaded")))?;
        page.wait_for("the curve so far", || {
            Ok(page.browser.run(IS_DRAWN, json!(["canvas.timeline-canvas"]))?.as_bool() == Some(true))
        })?;
        ensure!(n_layers(page)? == 0, "the layers are shown before their query was sent");
        page.browser.run("release()", json!([]))?;
        page.wait_for("the layers", || Ok(n_layers(page)? > 1))
    })
}

#[test]
fn chips_hints_and_notices_do_not_move_the_view() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        for (width, height) in [(1440, 900), (1024, 700)] {
            page.resize(width, height)?;
            go_to(page, "tab=table")?;
            page.wait_for("no chips", || Ok(n_chips(page)? == 0))?;
            let before = top_of_view(page)?;
            go_to(page, "tab=table&allocated=1s..50s&collected=2s..&lifetime=1ms..&heap=promoted,major")?;
            page.wait_for("four chips", || Ok(n_chips(page)? == 4))?;
            ensure!(top_of_view(page)? == before, "chips move the view in a window of {width} px");
            go_to(page, "tab=table&show=allocated&allocated=1us..2us")?;
            page.wait_for_text("Disable it")?;
            ensure!(top_of_view(page)? == before, "a hint moves the view in a window of {width} px");
            page.pick("Share", "Copy link")?;
            page.wait_for("a notice", || has_notice(page))?;
            ensure!(top_of_view(page)? == before, "a notice moves the view in a window of {width} px");
        }
        page.wait_for("no notice", || Ok(!has_notice(page)?))
    })
}

fn go_to(page: &Page, hash: &str) -> Result<()> {
    page.browser.run("location.hash = arguments[0]", json!([hash])).map(drop)
}

fn n_chips(page: &Page) -> Result<u64> {
    let script = "return document.querySelectorAll('[data-clause]').length";
    page.browser.run(script, json!([]))?.as_u64().context("no number")
}

/// Returns the distance from the top of the window, in pixels.
fn top_of_view(page: &Page) -> Result<f64> {
    let top = page.browser.run("return document.querySelector('.view').getBoundingClientRect().top", json!([]))?;
    top.as_f64().context("no view")
}

fn has_notice(page: &Page) -> Result<bool> {
    Ok(page.browser.run("return document.querySelector('.notice') !== null", json!([]))?.as_bool() == Some(true))
}

fn n_layers(page: &Page) -> Result<u64> {
    let script = "return document.querySelectorAll('.legend-entry').length";
    page.browser.run(script, json!([]))?.as_u64().context("no number")
}
