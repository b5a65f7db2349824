//! Uses the page with the keyboard only: no pointer, and no focus set by a script.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::histograms::path;
use crate::keys::{DOWN, ENTER, TAB};
use crate::page::Page;
use crate::visit::visit;

#[test]
pub fn keyboard_leads_from_a_file_to_the_leaking_function() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        page.open()?;
        tabs_to(page, "the picker", "return document.activeElement.type === 'file'")?;
        page.pick_file(&path("leak-1e-4-v3"))?;
        page.wait_for_screen("loaded")?;
        // The fifth tab is Leaks.
        page.browser.press("5")?;
        page.wait_for("a verdict", || Ok(page.figure("heap.verdict").ok().as_deref() == Some("growing")))?;
        page.says("Leak.make_session")?;
        tabs_to(page, "the bars", "return document.activeElement.className === 'leaks-canvas'")?;
        tabs_to(page, "the table", "return document.activeElement.innerText === 'Table'")?;
        page.browser.press(ENTER)?;
        tabs_to(page, "the rows", "return document.activeElement.getAttribute('role') === 'treegrid'")?;
        page.browser.press(DOWN)?;
        page.browser.press(ENTER)?;
        page.wait_for("the bars of a function", || Ok(page.figure("bars.0.passing").is_ok()))
    })
}

#[test]
pub fn keyboard_leads_from_the_sample_to_its_findings() -> Result<()> {
    visit(|page| {
        page.open()?;
        tabs_to(page, "the sample", "return document.activeElement.innerText === 'Try the sample'")?;
        page.browser.press(ENTER)?;
        page.wait_for_screen("loaded")?;
        page.wait_for("findings", || Ok(page.attribute("[data-finding=Growing]", "href")?.is_some()))?;
        tabs_to(page, "the growing function", "return document.activeElement.dataset.finding === 'Growing'")?;
        page.browser.press(ENTER)?;
        page.wait_for("the leaks", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("leaks")))?;
        page.wait_for("a verdict", || Ok(page.figure("heap.verdict").is_ok()))
    })
}

/// Presses Tab until `script` returns true. Every element on the way must show that it has the focus.
fn tabs_to(page: &Page, what: &str, script: &str) -> Result<()> {
    const ENOUGH: usize = 60;
    for _ in 0..ENOUGH {
        page.browser.press(TAB)?;
        let mut hidden = Value::Null;
        let seen = page.wait_for("a visible focus", || {
            hidden = page.browser.run(FOCUS_NOT_SEEN, json!([]))?;
            Ok(hidden.is_null())
        });
        seen.with_context(|| {
            format!("on the way to {what}, this element has the focus but doesn't show it: {hidden}")
        })?;
        if page.browser.run(script, json!([]))? == Value::Bool(true) {
            return Ok(());
        }
    }
    anyhow::bail!("pressing Tab {ENOUGH} times doesn't reach {what}")
}

/// Returns the element that has the focus, unless it, its parent or its active descendant has an outline. Between two rounds, the
/// focus is in the browser's own UI and the page's body has it.
const FOCUS_NOT_SEEN: &str = "
    const at = document.activeElement;
    if (at === document.body) return null;
    const active = document.getElementById(at.getAttribute('aria-activedescendant'));
    const isMarked = (element) => {
        const { outlineStyle, outlineWidth } = getComputedStyle(element);
        return outlineStyle !== 'none' && parseFloat(outlineWidth) > 0;
    };
    const marks = [at, at.parentElement, active].filter((element) => element !== null);
    return marks.some(isMarked) ? null : at.outerHTML.slice(0, 200)";
