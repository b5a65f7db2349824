//! How the page looks: what stands on it, in which colors, at which sizes.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::page::Page;
use crate::traces::SAMPLE;
use crate::visit::visit;

#[test]
fn the_empty_page_offers_every_way_to_begin() -> Result<()> {
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
fn a_loaded_trace_fits_every_window() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.press("Try the sample")?;
        SAMPLE.is_shown(page)?;
        fits_every_window(page)
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
        ensure!(background(page)? == bright, "the system's colors do not come back");
        page.prefer("dark")?;
        ensure!(background(page)? != bright, "the page does not follow the system");
        Ok(())
    })
}

/// Nothing is cut off or has to be scrolled to sideways, from a wide window down to the narrowest.
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
