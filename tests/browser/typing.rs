//! Text that is typed faster than the page is drawn: every letter counts, where it was typed.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::leaks::{open, press_tab};
use crate::page::Page;
use crate::traces::TYPECORE;
use crate::visit::visit;

const TEXT: &str = "Types_of_the_compiler_and_its_sorrows";

#[test]
fn no_letter_is_lost_in_a_field_of_a_busy_page() -> Result<()> {
    visit(|page| {
        open(page, TYPECORE.file)?;
        press_tab(page, "Flame graph")?;
        hold_what_is_typed(page, &[".flame [data-search]"])?;
        page.press("Notes")?;
        hold_what_is_typed(page, &["#notes-title", "#notes-remarks"])?;
        page.press("Done")?;
        page.wait_for("both notes", || Ok(page.text()?.matches(TEXT).count() == 2))
    })
}

/// Types a text with a gap into one field after the other, and then what belongs into the gap. The page is not drawn
/// meanwhile.
fn hold_what_is_typed(page: &Page, fields: &[&str]) -> Result<()> {
    page.wait_until_idle()?;
    let script = "
        const [fields, text] = arguments;
        const type = (letters) => [...letters].forEach((letter) => document.execCommand('insertText', false, letter));
        for (const field of fields.map((css) => document.querySelector(css))) {
            field.focus();
            type(text.slice(0, 10) + text.slice(20));
            field.setSelectionRange(10, 10);
            type(text.slice(10, 20));
        }";
    page.browser.run(script, json!([fields, TEXT]))?;
    page.wait_until_idle()?;
    for field in fields {
        let held = page.browser.run("return document.querySelector(arguments[0]).value", json!([field]))?;
        ensure!(held == TEXT, "{field} holds {held}");
    }
    Ok(())
}
