//! Accessibility: axe-core finds no violations on any screen, in light and dark mode. Its rules include WCAG A and AA, with
//! contrast.

use std::fs;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::engine::named;
use crate::keys::{ESCAPE, HOME, RIGHT};
use crate::page::Page;
use crate::traces::{SAMPLE, TYPECORE, open_sample};
use crate::visit::visit;

/// Summary, flame graph, table, histograms, leaks, events, source, compare.
const N_VIEWS: usize = 8;

#[test]
fn start_screen_errors_and_warnings_are_accessible() -> Result<()> {
    visit(|page| {
        page.open()?;
        is_accessible(page, "the start screen")?;
        page.drop_bytes("notes.txt", b"buy milk\n")?;
        page.wait_for_screen("failed")?;
        is_accessible(page, "the error")?;
        let bytes = TYPECORE.bytes()?;
        page.drop_bytes("cut.ctf", &bytes[..bytes.len() / 2])?;
        page.wait_for_screen("loaded")?;
        is_accessible(page, "the summary of a damaged trace")
    })
}

#[test]
fn every_view_is_accessible() -> Result<()> {
    visit(|page| {
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        let tabs = tabs(page)?;
        ensure!(tabs.len() == N_VIEWS, "{} views, not {N_VIEWS}: {tabs:?}", tabs.len());
        for tab in tabs {
            page.click(&format!("//*[@id='{tab}']"))?;
            let name = tab.trim_start_matches("tab-");
            page.wait_for(name, || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some(name)))?;
            // The first view is checked with everything around it. Compare changes the timeline.
            let part = if matches!(name, "summary" | "compare") { "html" } else { VIEW };
            part_is_accessible(page, part, &tab)?;
        }
        Ok(())
    })
}

#[test]
fn every_histogram_and_heat_map_is_accessible() -> Result<()> {
    visit(|page| {
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        page.click("//*[@id='tab-histograms']")?;
        for kind in ["Sizes", "Lifetimes", "Size × lifetime", "Time × lifetime"] {
            page.press(kind)?;
            page.wait_until_idle()?;
            // With a selection, and everything expanded.
            page.browser.run("document.querySelector('.bars-stage, .heat-canvas').focus()", json!([]))?;
            page.browser.press(HOME)?;
            page.browser.press(RIGHT)?;
            page.browser
                .run("document.querySelectorAll('.view details').forEach((one) => one.open = true)", json!([]))?;
            page.wait_for("the selection", || Ok(page.figure("read.range").is_ok()))?;
            part_is_accessible(page, VIEW, &format!("{kind}, with everything expanded"))?;
        }
        Ok(())
    })
}

#[test]
fn panel_menus_and_dialogs_are_accessible() -> Result<()> {
    visit(|page| {
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        page.click("//*[@id='tab-table']")?;
        page.click("//*[@role='row'][@aria-rowindex='2']")?;
        // The flame graph has fewer elements than the table, so each check takes half the time.
        page.click("//*[@id='tab-flame']")?;
        part_is_accessible(page, PANEL, "the panel of the selected function")?;
        page.press("+ Filter")?;
        part_is_accessible(page, POPOVER, "the filter menu")?;
        page.click("//*[@role='menuitem'][1]")?;
        part_is_accessible(page, POPOVER, "the filter editor")?;
        page.browser.press(ESCAPE)?;
        page.press("⋯")?;
        part_is_accessible(page, POPOVER, "the menu")?;
        page.click("//*[@role='menuitem'][.='Keyboard shortcuts']")?;
        part_is_accessible(page, DIALOG, "the list of shortcuts")?;
        page.browser.press(ESCAPE)?;
        page.pick("⋯", "About camlscope")?;
        part_is_accessible(page, DIALOG, "the dialog about camlscope")
    })
}

pub const VIEW: &str = "#view";
pub const PANEL: &str = ".panel";
pub const TIMELINE: &str = ".timeline";
const POPOVER: &str = ":popover-open";
const DIALOG: &str = "dialog[open]";

/// Returns the violations, each with the first three elements. Of the rows of a table and the items of a list, only the first six
/// are checked. The others are alike, and the check of contrast takes a millisecond per element.
const RUN_AXE: &str = "
    const [part, options] = arguments;
    const context = { include: [[part]], exclude: [[':is(tr, li, [role=row]):nth-child(n + 7)']] };
    return axe.run(context, { resultTypes: ['violations'], ...options }).then(({ violations }) =>
    violations.map(({ id, help, nodes }) => `${id}: ${help}: `
        + nodes.slice(0, 3).map((node) => `${node.target} (${node.any[0]?.message ?? ''})`).join(', ')))";

/// Returns the IDs of all tabs, in order.
pub fn tabs(page: &Page) -> Result<Vec<String>> {
    let tabs = "return [...document.querySelectorAll('[role=tab]')].map((tab) => tab.id)";
    Ok(serde_json::from_value(page.browser.run(tabs, json!([]))?)?)
}

/// Checks the whole page.
pub fn is_accessible(page: &Page, what: &str) -> Result<()> {
    part_is_accessible(page, "html", what)
}

/// Checks what the selector matches, if the rest of the page hasn't changed since the last check.
pub fn part_is_accessible(page: &Page, css: &str, what: &str) -> Result<()> {
    if page.browser.run("return window.axe === undefined", json!([]))? == true {
        page.browser.run(&fs::read_to_string(named("CAMLSCOPE_AXE")?)?, json!([]))?;
    }
    // Dark mode changes only colors.
    for (scheme, options) in [("light", json!({})), ("dark", json!({ "runOnly": ["color-contrast"] }))] {
        page.prefer(scheme)?;
        let look = || -> Result<Vec<Value>> {
            // Waits until all responses have arrived and no color transition is running.
            page.wait_until_idle()?;
            let found = page.browser.run(RUN_AXE, json!([css, options]))?;
            Ok(found.as_array().context("axe returned nothing")?.clone())
        };
        let mut found = look()?;
        if !found.is_empty() {
            // axe takes seconds, and the page may change in that time. A real violation is found again.
            println!("{what}, {scheme}, first run: {found:#?}");
            found = look()?;
        }
        ensure!(found.is_empty(), "{what}, {scheme}: {found:#?}");
    }
    page.prefer("light")
}
