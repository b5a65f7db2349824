//! Every view explains itself to users who don't understand the data yet.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::looks::fits_every_window;
use crate::page::Page;
use crate::traces::{SAMPLE, explain, open_sample};
use crate::visit::visit;

const ANSWERS: [(&str, &str); 7] = [
    ("Summary", "memory sizes are estimates"),
    ("Flame graph", "Width is memory. Height is only stack depth."),
    ("Table", "only self values add up to 100%"),
    ("Histograms", "A tall bar on the right."),
    ("Leaks", "Record a longer trace to find out."),
    ("Events", "Many at the same time."),
    ("Compare", "Changes that aren't significant are gray"),
];

#[test]
pub fn every_view_has_an_explanation_that_is_closed_at_first() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        let tabs = page.browser.run("return document.querySelectorAll('[role=tab]').length", json!([]))?;
        ensure!(tabs == ANSWERS.len(), "the page has {tabs} views");
        for (tab, words) in ANSWERS {
            page.click(&format!("//button[@role='tab'][.='{tab}']"))?;
            page.wait_for(&format!("the link in {tab}"), || Ok(n_open(page)? == Some(0)))?;
            // Pending responses would move the link.
            page.wait_until_idle()?;
            ensure!(!page.text()?.contains(words), "{tab} shows its explanation without a click");
            explain(page).with_context(|| tab)?;
            page.says(words).with_context(|| tab)?;
            let drawn = "return document.querySelectorAll('.view .reading-sheet:popover-open li path').length";
            let drawn = page.browser.run(drawn, json!([]))?;
            ensure!(drawn.as_u64() >= Some(3), "{tab} draws {drawn} shapes");
            fits_every_window(page)?;
        }
        Ok(())
    })
}

#[test]
fn timeline_has_an_explanation() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        page.click("//button[@aria-label='How to read the timeline']")?;
        page.says("The curve shows live bytes over time")?;
        page.says("Rising low points.")?;
        fits_every_window(page)
    })
}

/// Returns how many explanations are open in the view, or `None` if it has none.
fn n_open(page: &Page) -> Result<Option<u64>> {
    let script = "
        const readings = [...document.querySelectorAll('.view .reading')];
        return readings.length ? readings.filter((reading) => reading.querySelector(':popover-open')).length : null";
    Ok(page.browser.run(script, json!([]))?.as_u64())
}
