//! The look of the page: its content, colors and sizes.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::page::Page;
use crate::traces::SAMPLE;
use crate::visit::visit;

#[test]
fn start_screen_offers_every_way_to_start() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.says("Drop a memtrace trace (.ctf) or Spacetime profile here")?;
        page.says("Open a file…")?;
        page.says("Try the sample")?;
        page.says("MEMTRACE=trace.ctf")?;
        page.says("Your trace never leaves this computer")?;
        let pickers = page.browser.run("return document.querySelectorAll('input[type=file]').length", json!([]))?;
        ensure!(pickers == 1, "the page has {pickers} pickers");
        fits_every_window(page)
    })
}

#[test]
fn loaded_trace_fits_any_window_size() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.press("Try the sample")?;
        SAMPLE.is_shown(page)?;
        fits_every_window(page)
    })
}

#[test]
fn theme_button_cycles_and_the_choice_is_remembered() -> Result<()> {
    visit(|page| {
        page.prefer("light")?;
        page.open()?;
        let bright = background(page)?;
        shows_theme(page, "system", None)?;
        next_theme(page)?;
        shows_theme(page, "light", Some("light"))?;
        ensure!(background(page)? == bright, "light mode differs from the system's");
        next_theme(page)?;
        shows_theme(page, "dark", Some("dark"))?;
        ensure!(background(page)? != bright, "dark mode looks like light mode");

        page.browser.reload()?;
        page.wait_for_screen("empty")?;
        shows_theme(page, "dark", Some("dark"))?;
        next_theme(page)?;
        shows_theme(page, "system", None)?;
        ensure!(background(page)? == bright, "the page doesn't return to the system's colors");
        page.prefer("dark")?;
        ensure!(background(page)? != bright, "the page doesn't follow the system");
        Ok(())
    })
}

/// Checks that nothing is cut off or needs horizontal scrolling, from wide to narrow windows.
pub fn fits_every_window(page: &Page) -> Result<()> {
    for width in [1440, 390, 360] {
        page.resize(width, 900)?;
        page.fits_its_width().with_context(|| format!("in a window of {width} px"))?;
    }
    page.resize(1440, 900)
}

fn next_theme(page: &Page) -> Result<()> {
    page.click("//button[@data-choice]")
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
