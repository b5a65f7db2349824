//! The whole way by keyboard alone: no pointer, and no focus that a script has set.

use anyhow::{Context, Result};
use serde_json::{Value, json};

use crate::histograms::path;
use crate::keys::{DOWN, ENTER, TAB};
use crate::page::Page;
use crate::visit::visit;

#[test]
pub fn from_the_file_to_the_culprits_name() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        page.open()?;
        tabs_to(page, "the picker", "return document.activeElement.type === 'file'")?;
        page.pick_file(&path("leak-1e-4-v3"))?;
        page.wait_for_screen("loaded")?;
        // The fifth view is that of the leaks.
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
pub fn from_the_sample_to_what_stands_out_in_it() -> Result<()> {
    visit(|page| {
        page.open()?;
        tabs_to(page, "the sample", "return document.activeElement.innerText === 'Try the sample'")?;
        page.browser.press(ENTER)?;
        page.wait_for_screen("loaded")?;
        page.wait_for("what stands out", || Ok(page.attribute("[data-finding=Growing]", "href")?.is_some()))?;
        tabs_to(page, "what grows", "return document.activeElement.dataset.finding === 'Growing'")?;
        page.browser.press(ENTER)?;
        page.wait_for("the leaks", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("leaks")))?;
        page.wait_for("a verdict", || Ok(page.figure("heap.verdict").is_ok()))
    })
}

/// Presses Tab until the focus is there; on the way, whatever has the focus must be seen to have it.
fn tabs_to(page: &Page, what: &str, script: &str) -> Result<()> {
    const ENOUGH: usize = 60;
    for _ in 0..ENOUGH {
        page.browser.press(TAB)?;
        let mut hidden = Value::Null;
        let seen = page.wait_for("the focus to be seen", || {
            hidden = page.browser.run(FOCUS_NOT_SEEN, json!([]))?;
            Ok(hidden.is_null())
        });
        seen.with_context(|| format!("on the way to {what}, nothing shows that this has the focus: {hidden}"))?;
        if page.browser.run(script, json!([]))? == Value::Bool(true) {
            return Ok(());
        }
    }
    anyhow::bail!("{ENOUGH} times Tab do not lead to {what}")
}

/// The element that has the focus, if neither it, nor what is around it, nor what it says is active has an outline or a
/// shadow for it. Between two rounds the focus is the browser's own, and the page's body has it.
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
