//! No typed letter is lost or misplaced, even when typing is faster than the page draws.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::leaks::{open, press_tab};
use crate::page::Page;
use crate::traces::TYPECORE;
use crate::visit::visit;

const TEXT: &str = "Types_of_the_compiler_and_its_sorrows";

#[test]
fn no_letter_is_lost_in_text_fields_of_a_busy_page() -> Result<()> {
    visit(|page| {
        open(page, TYPECORE.file)?;
        press_tab(page, "Flame graph")?;
        hold_what_is_typed(page, &[".flame [data-search]"])?;
        page.pick("Share", "Notes for the report…")?;
        hold_what_is_typed(page, &["#notes-title", "#notes-remarks"])?;
        page.press("Done")?;
        page.wait_for("both notes", || Ok(page.text()?.matches(TEXT).count() == 2))
    })
}

/// In each field, types a text with a gap and then fills the gap. The page doesn't draw in between.
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
        ensure!(held == TEXT, "{field} contains {held}");
    }
    Ok(())
}
