//! In a window of 390 px, everything can be reached, and rows keep their names in view.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::accessible::tabs;
use crate::leaks::{open, printed};
use crate::page::Page;
use crate::visit::visit;

const FILE: &str = "leak-1e-4-v3.ctf";

#[test]
fn selected_tab_is_in_view_rows_keep_their_names_and_every_command_can_be_reached() -> Result<()> {
    visit(|page| {
        open(page, FILE)?;
        page.resize(390, 844)?;
        for tab in tabs(page)? {
            page.browser.run(&format!("location.hash = 'tab={}'", tab.trim_start_matches("tab-")), json!([]))?;
            page.wait_for("the tab to be in view", || {
                let script = "const tab = document.querySelector('[role=tab][aria-selected=true]');
                    const { left, right } = tab.getBoundingClientRect();
                    return tab.id === arguments[0] && left >= 0 && right <= innerWidth";
                Ok(page.browser.run(script, json!([tab]))? == true)
            })?;
            page.fits_its_width()?;
        }
        let script = "return [...document.querySelectorAll('.top-actions > :not(dialog, [hidden])')].map((action) => {
            const { left, right, width } = action.getBoundingClientRect();
            return width > 0 && left >= 0 && right <= innerWidth;
        })";
        let reachable = page.browser.run(script, json!([]))?;
        ensure!(reachable.as_array().is_some_and(|all| all.iter().all(|one| one == true)), "{reachable}");
        page.press("Share")?;
        page.click("//*[@role='menuitem'][starts-with(., 'Report')]")?;
        page.wait_for_text("Saved leak-1e-4-v3.report.html.")?;

        let tables = [
            ("table", ".table-scroll", ".table-body .cell-name"),
            ("compare", ".changes-scroll", ".changes-body .changes-line > :first-child"),
            ("events", ".events-scroll", ".events-body .cell-where"),
        ];
        for (tab, scroller, name) in tables {
            page.browser.run(&format!("location.hash = 'tab={tab}'"), json!([]))?;
            page.wait_for("a row", || {
                Ok(page.browser.run("return !!document.querySelector(arguments[0])", json!([name]))? == true)
            })?;
            ensure!(stays(page, scroller, name)?, "{tab}: the name scrolls out of view");
        }
        Ok(())
    })
}

#[test]
fn report_tables_keep_the_name_in_place() -> Result<()> {
    visit(|page| {
        let report = printed(&["convert", FILE, "--output", "-", "--to", "html"])?;
        page.open()?;
        let path = page.make_file("report.html", report.as_bytes())?;
        page.resize(390, 844)?;
        page.browser.go(&format!("file://{}", path.display()))?;
        page.fits_its_width()?;
        ensure!(stays(page, ".scroll", "td:first-child")?, "the name scrolls out of view");
        Ok(())
    })
}

/// Returns whether an element stays visible at the left when its table is scrolled to the right.
fn stays(page: &Page, scroller: &str, name: &str) -> Result<bool> {
    let script = "const scroller = document.querySelector(arguments[0]);
        scroller.scrollLeft = scroller.scrollWidth;
        const moved = scroller.scrollLeft > 0;
        const { left, right } = document.querySelector(arguments[1]).getBoundingClientRect();
        const room = scroller.getBoundingClientRect();
        return moved && left >= room.left - 1 && right <= room.right && right - left <= room.width * 0.75";
    Ok(page.browser.run(script, json!([scroller, name]))? == true)
}
