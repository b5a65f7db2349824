//! Every view explains itself to users who don't understand the data yet.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::keys::ESCAPE;
use crate::looks::fits_every_window;
use crate::page::Page;
use crate::traces::{SAMPLE, explain, open_sample};
use crate::visit::visit;

const ANSWERS: [(&str, &str); 8] = [
    ("Summary", "memory sizes are estimates"),
    ("Flame graph", "Width is memory. Height is only stack depth."),
    ("Table", "only self values add up to 100%"),
    ("Histograms", "A tall bar on the right."),
    ("Leaks", "Record a longer trace to find out."),
    ("Events", "Many at the same time."),
    ("Source", "Marks are lines with memory."),
    ("Compare", "Changes that aren't significant are gray"),
];

#[test]
pub fn every_view_has_an_explanation_in_the_same_place_that_moves_nothing() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        let tabs = page.browser.run("return document.querySelectorAll('[role=tab]').length", json!([]))?;
        ensure!(tabs == ANSWERS.len(), "the page has {tabs} views");
        let mut button = Value::Null;
        for (tab, words) in ANSWERS {
            page.click(&format!("//button[@role='tab'][.='{tab}']"))?;
            page.wait_until_idle()?;
            ensure!(!page.text()?.contains(words), "{tab} shows its explanation without a click");
            let (own_button, before) = (place(page, ".sentence .reading-button")?, place(page, "#view")?);
            ensure!(button.is_null() || button == own_button, "{tab} has its button at {own_button}, not at {button}");
            button = own_button;
            explain(page).with_context(|| tab)?;
            page.says(words).with_context(|| tab)?;
            ensure!(place(page, "#view")? == before, "the explanation moves {tab}");
            let drawn = "return document.querySelectorAll('.sentence .reading-sheet li path').length";
            let drawn = page.browser.run(drawn, json!([]))?;
            ensure!(drawn.as_u64() >= Some(3), "{tab} draws {drawn} shapes");
            fits_every_window(page)?;
        }
        page.browser.press(ESCAPE)?;
        page.click("//button[@aria-label='How to read the timeline']")?;
        page.says("The curve shows live bytes over time")?;
        page.says("Rising low points.")?;
        fits_every_window(page)
    })
}

/// Returns the top, right and bottom edge of an element in the window, in pixels.
fn place(page: &Page, css: &str) -> Result<Value> {
    let script = "
        const { top, right, bottom } = document.querySelector(arguments[0]).getBoundingClientRect();
        return [top, right, bottom].map(Math.round)";
    page.browser.run(script, json!([css]))
}
