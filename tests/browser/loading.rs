//! Loading large files: progress, and how to cancel.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::keys::ESCAPE;
use crate::page::Page;
use crate::traces::{TINY, TYPECORE, packets};
use crate::visit::visit;

/// About 2 GB, which takes any machine several seconds. WebKit keeps the whole file in memory.
const COPIES: usize = 6_000;
/// Returns whether a canvas shows more than two colors.
pub const IS_DRAWN: &str = "
    const canvas = document.querySelector(arguments[0]);
    if (!canvas?.width || !canvas.height) return false;
    // Reading the canvas itself often makes Chromium warn, and draw it more slowly.
    const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
    copy.drawImage(canvas, 0, 0);
    const pixels = copy.getImageData(0, 0, canvas.width, canvas.height).data;
    return new Set(new Uint32Array(pixels.buffer)).size > 2;";

#[test]
pub fn cancel_returns_to_the_start_screen() -> Result<()> {
    visit(|page| {
        page.open()?;
        drop_large(page, COPIES)?;
        page.wait_for_screen("loading")?;
        percent_grows(page)?;
        page.says("MiB of")?;
        page.says("events")?;
        page.wait_for_text("Live bytes by allocation site")?;
        page.says("Live bytes in the first")?;
        page.resize(360, 740)?;
        page.fits_its_width()?;

        page.press("Cancel")?;
        page.wait_for_screen("empty")?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)
    })
}

#[test]
fn sites_and_flame_graph_are_shown_while_a_trace_loads() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.resize(1440, 900)?;
        drop_large(page, COPIES)?;
        page.wait_for_text("Live bytes by allocation site")?;
        page.wait_for("a flame graph of the data so far", || {
            Ok(page.browser.run(IS_DRAWN, json!(["canvas.so-far-flame"]))?.as_bool() == Some(true))
        })?;
        for (width, height) in [(1024, 700), (390, 844)] {
            page.resize(width, height)?;
            page.fits_its_width()?;
            let bottom = "return Math.max(...[...document.querySelectorAll('.loading button')]
                .map((button) => button.getBoundingClientRect().bottom))";
            let bottom = page.browser.run(bottom, json!([]))?;
            let is_visible = bottom.as_f64().is_some_and(|bottom| bottom <= f64::from(height));
            ensure!(is_visible, "at {width} × {height}, Cancel ends at {bottom} px");
        }
        Ok(())
    })
}

#[test]
fn escape_returns_to_the_previous_trace() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        drop_large(page, COPIES)?;
        page.press("Replace")?;
        page.wait_for_screen("loading")?;
        page.browser.press(ESCAPE)?;
        TINY.is_shown(page)
    })
}

#[test]
pub fn file_dropped_during_a_load_replaces_it() -> Result<()> {
    visit(|page| {
        page.open()?;
        drop_large(page, COPIES)?;
        page.wait_for_screen("loading")?;
        percent_grows(page)?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)
    })
}

/// Drops a trace that repeats all packets of a real trace except the first.
pub fn drop_large(page: &Page, copies: usize) -> Result<()> {
    let trace = TYPECORE.bytes()?;
    let info = packets(&trace)?.first().context("the trace has packets")?.end;
    let (info, events) = trace.split_at(info);
    page.drop_repeated("large.ctf", info, events, copies)
}

fn percent_grows(page: &Page) -> Result<()> {
    let mut seen: Vec<u64> = Vec::new();
    page.wait_for("the percentage to grow three times", || {
        let percent = page.attribute("progress", "value")?.and_then(|value| value.parse().ok());
        if let Some(percent) = percent.filter(|percent| seen.last().is_none_or(|last| last < percent)) {
            seen.push(percent);
        }
        Ok(seen.len() > 3)
    })
}
