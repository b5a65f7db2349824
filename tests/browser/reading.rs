//! Readers who say “I don't understand the data well yet”: every view explains its own picture.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::looks::fits_every_window;
use crate::page::Page;
use crate::traces::SAMPLE;
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
pub fn every_view_says_what_one_is_looking_at_once_asked_and_not_before() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        page.open()?;
        page.press("Try the sample")?;
        SAMPLE.is_shown(page)?;
        let tabs = page.browser.run("return document.querySelectorAll('[role=tab]').length", json!([]))?;
        ensure!(tabs == ANSWERS.len(), "there are {tabs} views");
        for (tab, words) in ANSWERS {
            page.click(&format!("//button[@role='tab'][.='{tab}']"))?;
            page.wait_for(&format!("the question in {tab}"), || Ok(n_open(page)? == Some(0)))?;
            // What a view still waits for would move the question.
            page.wait_until_idle()?;
            ensure!(!page.text()?.contains(words), "{tab} explains itself unasked");
            page.click("//summary[.='What am I looking at?']").with_context(|| tab)?;
            page.says(words).with_context(|| tab)?;
            let drawn = "return document.querySelectorAll('.view .reading[open] li path').length";
            let drawn = page.browser.run(drawn, json!([]))?;
            ensure!(drawn.as_u64() >= Some(3), "{tab} draws {drawn} shapes");
            fits_every_window(page)?;
        }
        Ok(())
    })
}

#[test]
fn the_curve_above_all_views_explains_itself_too() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        page.open()?;
        page.press("Try the sample")?;
        SAMPLE.is_shown(page)?;
        page.click("//summary[.='How to read the timeline']")?;
        page.says("The curve shows live bytes over time")?;
        page.says("Rising low points.")?;
        fits_every_window(page)
    })
}

/// How many answers are open in the view; none where it has no question.
fn n_open(page: &Page) -> Result<Option<u64>> {
    let script = "
        const readings = [...document.querySelectorAll('.view .reading')];
        return readings.length ? readings.filter((reading) => reading.open).length : null";
    Ok(page.browser.run(script, json!([]))?.as_u64())
}
