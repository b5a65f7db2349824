//! How the page looks: what stands on it, in which colours, at which sizes. The pictures are for people to look at.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::page::Page;
use crate::traces::SAMPLE;
use crate::visit::visit;

#[test]
fn the_empty_page_offers_every_way_to_begin() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.says("Drop a memtrace trace anywhere on this page")?;
        page.says("Open a trace…")?;
        page.says("Try the sample")?;
        page.says("MEMTRACE=trace.ctf")?;
        page.says("Nothing leaves this computer")?;
        let pickers = page.browser.run("return document.querySelectorAll('input[type=file]').length", json!([]))?;
        ensure!(pickers == 1, "the page has {pickers} pickers");
        pictures(page, "empty")
    })
}

#[test]
fn the_first_paint_comes_within_a_second() -> Result<()> {
    visit(|page| {
        page.open()?;
        let script = "return performance.getEntriesByName('first-contentful-paint')[0]?.startTime";
        let first = page.browser.run(script, json!([]))?.as_f64().context("the browser saw no first paint")?;
        ensure!(first < 1000.0, "the first paint came after {first:.0} ms");
        Ok(())
    })
}

#[test]
fn a_loaded_trace_fits_every_window() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.press("Try the sample")?;
        SAMPLE.is_shown(page)?;
        pictures(page, "loaded")
    })
}

#[test]
fn the_theme_button_cycles_and_the_choice_is_remembered() -> Result<()> {
    visit(|page| {
        page.prefer("light")?;
        page.open()?;
        let bright = background(page)?;
        shows_theme(page, "system", None)?;
        next_theme(page)?;
        shows_theme(page, "light", Some("light"))?;
        ensure!(background(page)? == bright, "chosen light differs from the system's");
        next_theme(page)?;
        shows_theme(page, "dark", Some("dark"))?;
        ensure!(background(page)? != bright, "dark looks like light");

        page.browser.reload()?;
        page.wait_for_screen("empty")?;
        shows_theme(page, "dark", Some("dark"))?;
        next_theme(page)?;
        shows_theme(page, "system", None)?;
        ensure!(background(page)? == bright, "the system's colours do not come back");
        page.prefer("dark")?;
        ensure!(background(page)? != bright, "the page does not follow the system");
        Ok(())
    })
}

#[test]
fn the_pictures_of_the_readme() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.press("Try the sample")?;
        SAMPLE.is_shown(page)?;
        page.resize(1440, 900)?;
        page.press("Flame graph")?;
        page.wait_for("the picture", || Ok(page.attribute(".flame-canvas", "data-draw-ms")?.is_some()))?;
        // A function with callers and callees of its own, for the panel.
        page.browser.run("document.querySelector('.flame-tree').focus()", json!([]))?;
        for key in ["\u{e015}", "\u{e015}", "\u{e015}", " "] {
            page.browser.press(key)?;
            std::thread::sleep(std::time::Duration::from_millis(200));
        }
        page.wait_for_text("Called by")?;
        for scheme in ["light", "dark"] {
            page.prefer(scheme)?;
            std::thread::sleep(std::time::Duration::from_millis(400));
            page.screenshot(&format!("readme-{scheme}"))?;
        }
        Ok(())
    })
}

/// Pictures in both colour schemes, wide and narrow, and no sideways scrolling down to the narrowest.
pub fn pictures(page: &Page, name: &str) -> Result<()> {
    for scheme in ["light", "dark"] {
        page.prefer(scheme)?;
        for (width, height) in [(1440, 900), (390, 844)] {
            page.resize(width, height)?;
            page.fits_its_width()?;
            // What is pressed is scrolled to, and the header with it into the middle of the picture.
            page.browser.run("scrollTo(0, 0)", json!([]))?;
            page.screenshot(&format!("{name}-{scheme}-{width}"))?;
        }
    }
    page.resize(360, 740)?;
    page.fits_its_width()
}

fn next_theme(page: &Page) -> Result<()> {
    page.browser.click("//button[@data-choice]")
}

fn shows_theme(page: &Page, choice: &str, attribute: Option<&str>) -> Result<()> {
    page.wait_for(&format!("the theme “{choice}”"), || {
        let chosen = page.attribute("button[data-choice]", "data-choice")?;
        Ok(chosen.as_deref() == Some(choice) && page.attribute("html", "data-theme")?.as_deref() == attribute)
    })
}

fn background(page: &Page) -> Result<String> {
    let script =
        "return [document.documentElement, document.body].map((e) => getComputedStyle(e).backgroundColor).join()";
    Ok(page.browser.run(script, json!([]))?.to_string())
}
