//! Units of 1024 or 1000: one switch changes every figure, and the choice is remembered.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::looks::fits_every_window;
use crate::page::Page;
use crate::traces::{SAMPLE, open_sample};
use crate::visit::visit;

#[test]
fn one_switch_sets_all_figures_to_units_of_1000_and_is_remembered() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page)?;
        let (peak, exact) = (text(page, "peak.bytes")?, page.figure("peak.bytes")?);
        ensure!(peak == "32.8 MiB", "the peak is {peak}");
        page.pick("⋯", "MB of 1000")?;
        page.wait_for("megabytes", || Ok(text(page, "peak.bytes")? == "34.4 MB"))?;
        ensure!(page.figure("peak.bytes")? == exact, "the exact value changed");
        // Text from the worker also changes, in every view.
        for tab in ["Summary", "Flame graph", "Table", "Histograms", "Leaks", "Compare"] {
            page.click(&format!("//button[@role='tab'][.='{tab}']"))?;
            page.wait_for(&format!("{tab} in units of 1000"), || {
                let text = page.text()?;
                Ok((text.contains("MB") || text.contains("kB")) && !text.contains("KiB") && !text.contains("MiB"))
            })?;
        }
        page.click("//button[@role='tab'][.='Leaks']")?;
        page.wait_for_text("kB/s")?;
        fits_every_window(page)?;

        open(page)?;
        page.wait_for("still megabytes", || Ok(text(page, "peak.bytes")? == "34.4 MB"))?;
        page.pick("⋯", "MiB of 1024")?;
        page.wait_for("mebibytes", || Ok(text(page, "peak.bytes")? == "32.8 MiB"))
    })
}

fn open(page: &Page) -> Result<()> {
    page.browser.go("about:blank")?;
    page.open()?;
    open_sample(page)?;
    SAMPLE.is_shown(page)
}

fn text(page: &Page, figure: &str) -> Result<String> {
    let script = "return document.querySelector(`[data-figure='${arguments[0]}']`)?.innerText";
    let text = page.browser.run(script, json!([figure]))?;
    Ok(text.as_str().context("no such figure")?.to_owned())
}
