//! What is shown as files: the same that the command line writes of the same filter.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::flame::wait_for_picture;
use crate::leaks::{open, printed};
use crate::page::Page;
use crate::visit::visit;

const FILE: &str = "leak-1e-4-v3.ctf";

#[test]
pub fn stacks_and_table_are_saved_as_the_command_line_writes_them() -> Result<()> {
    visit(|page| {
        open(page, FILE)?;
        watch_saves(page)?;
        page.browser.run("location.hash = 'tab=flame&show=promoted&size=3..'", json!([]))?;
        let view = ["--measure", "promoted", "--size", "3.."];
        let of = |command: &[&str]| printed(&[command, &view].concat());

        save(page, "Folded stacks")?;
        ensure!(saved(page)? == of(&["flame", FILE])?, "the folded stacks differ");
        save(page, "Stacks for speedscope")?;
        let written: Value = serde_json::from_str(&saved(page)?)?;
        let expected: Value = serde_json::from_str(&of(&["convert", FILE, "--output", "-", "--to", "speedscope"])?)?;
        ensure!(written["profiles"] == expected["profiles"], "the stacks for speedscope differ");
        save(page, "Stacks for pprof")?;
        let size = page.browser.run("return window.saved.size", json!([]))?;
        let begins = page
            .browser
            .run("return window.saved.arrayBuffer().then((bytes) => [...new Uint8Array(bytes, 0, 2)])", json!([]))?;
        ensure!(begins == json!([0x1f, 0x8b]) && size.as_u64() > Some(100), "no gzip: {begins}, {size} bytes");
        save(page, "Table of functions")?;
        ensure!(saved(page)? == of(&["table", FILE, "--csv"])?, "the table differs");
        Ok(())
    })
}

#[test]
pub fn the_picture_is_saved_as_it_is_seen() -> Result<()> {
    visit(|page| {
        open(page, FILE)?;
        page.press("Flame graph")?;
        wait_for_picture(page)?;
        watch_saves(page)?;
        let canvas = "const { width, height } = document.querySelector('.flame-canvas'); return [width, height]";
        let drawn = page.browser.run(canvas, json!([]))?;
        save(page, "The picture")?;
        let picture = "return createImageBitmap(window.saved).then(({ width, height }) => [width, height])";
        let seen = page.browser.run(picture, json!([]))?;
        ensure!(seen == drawn, "the picture has {seen} pixels, the canvas {drawn}");
        ensure!(page.browser.run("return window.saved.type", json!([]))? == "image/png");
        Ok(())
    })
}

/// Keeps what the page offers as a file.
pub fn watch_saves(page: &Page) -> Result<()> {
    let script = "const make = URL.createObjectURL;
        URL.createObjectURL = (blob) => { window.saved = blob; return make.call(URL, blob); }";
    page.browser.run(script, json!([])).map(drop)
}

pub fn save(page: &Page, what: &str) -> Result<()> {
    page.browser.run("window.saved = null", json!([]))?;
    page.press("Export")?;
    page.browser.click(&format!("//*[@role='menuitem'][starts-with(., '{what}')]"))?;
    page.wait_for("a file", || Ok(page.browser.run("return window.saved !== null", json!([]))? == true))?;
    page.wait_for_text("Saved camlscope.")
}

pub fn saved(page: &Page) -> Result<String> {
    let text = page.browser.run("return window.saved.text()", json!([]))?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}
