//! The command palette: commands and names of the trace, by what the user types.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::histograms::chips;
use crate::keys::{DOWN, ENTER, ESCAPE};
use crate::page::Page;
use crate::sentence::open;
use crate::visit::visit;

const CONTROL: char = '\u{e009}';

#[test]
fn palette_runs_commands_and_finds_names_with_the_keyboard_alone() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        // A tab.
        find(page, "flame", "Flame graph")?;
        page.browser.press(ENTER)?;
        page.wait_for("the tab", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("flame")))?;
        ensure!(page.attribute(".palette", "aria-label")?.is_none(), "the palette is still open");
        // A function is selected, by parts of its name in any order.
        find(page, "visit session", "Orders.Session.visit")?;
        page.browser.press(ENTER)?;
        page.wait_for("the function", || {
            Ok(page.figure("selected.name").is_ok_and(|name| name.ends_with("Session.visit")))
        })?;
        // A module becomes a filter. Arrow keys move through the list.
        type_text(page, "json")?;
        page.wait_for("a module", || {
            page.browser.press(DOWN)?;
            Ok(active(page)?.ends_with("filter by module"))
        })?;
        page.browser.press(ENTER)?;
        page.wait_for("a filter", || Ok(chips(page)?.iter().any(|chip| chip.starts_with("module-is="))))?;
        // Escape closes the palette and changes nothing.
        type_text(page, "no such name anywhere")?;
        page.says("No command or name matches.")?;
        page.browser.press(ESCAPE)?;
        page.wait_for("no palette", || Ok(page.attribute(".palette", "aria-label")?.is_none()))
    })
}

#[test]
fn palette_opens_from_the_menu_and_its_entries_can_be_clicked() -> Result<()> {
    visit(|page| {
        open(page, "#size=..256")?;
        page.resize(390, 844)?;
        page.pick("⋯", "Command palette (Ctrl K)")?;
        page.wait_for_text("Clear all filters")?;
        page.fits_its_width()?;
        page.click("//dialog[@class='palette']//li[contains(., 'Clear all filters')]")?;
        page.wait_for("no filter", || Ok(chips(page)?.is_empty()))?;
        // A command that opens another dialog.
        type_text(page, "shortcuts")?;
        page.browser.press(ENTER)?;
        page.wait_for("the shortcuts", || {
            let open = page.browser.run("return !!document.querySelector('dialog.help[open]')", json!([]))?;
            Ok(open == true)
        })
    })
}

/// Opens the palette and types.
fn type_text(page: &Page, text: &str) -> Result<()> {
    page.wait_for("the palette", || {
        if page.attribute(".palette", "aria-label")?.is_none() {
            page.browser.press_with(CONTROL, "k")?;
        }
        Ok(page.attribute(".palette", "aria-label")?.is_some())
    })?;
    page.type_into(".palette-input", text)
}

/// Types until this is the best match.
fn find(page: &Page, text: &str, expected: &str) -> Result<()> {
    type_text(page, text)?;
    page.wait_for("the best match", || Ok(active(page)?.starts_with(expected)))
}

/// Returns the text of the active entry, as a screen reader finds it.
fn active(page: &Page) -> Result<String> {
    let script = "
        const input = document.querySelector('.palette-input');
        const id = input && input.getAttribute('aria-activedescendant');
        return id ? document.getElementById(id).textContent : ''";
    Ok(page.browser.run(script, json!([]))?.as_str().unwrap_or_default().to_owned())
}
