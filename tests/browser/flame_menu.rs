//! The context menu of a frame, opened with the keyboard. The pointer opens the same menu.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::flame;
use crate::keys::{DOWN, ENTER, ESCAPE};
use crate::page::Page;
use crate::visit::visit;

/// A function, below the program and its module.
const LEVEL: u32 = 3;

#[test]
fn name_and_stack_of_a_frame_can_be_copied() -> Result<()> {
    visit(|page| {
        open(page)?;
        let name = menu(page)?;
        choose(page, "Copy name")?;
        page.wait_for("the name", || Ok(copied(page)? == name))?;
        page.wait_for_text(&format!("Copied: {name}"))?;

        menu(page)?;
        choose(page, "Copy stack")?;
        page.wait_for("the stack", || Ok(copied(page)?.lines().count() > 1))?;
        let stack = copied(page)?;
        let functions: Vec<&str> = stack.lines().map(|line| line.split(" (").next().unwrap_or(line)).collect();
        ensure!(stack.lines().last() == Some(&format!("{name} (orders.ml)")), "{stack}");
        // The stack is the same as the breadcrumbs after zooming to the frame.
        menu(page)?;
        choose(page, "Zoom in")?;
        page.wait_for("the breadcrumbs", || Ok(crumbs(page)?.len() > 1))?;
        ensure!(crumbs(page)?[1..] == functions, "{:?}, not {functions:?}", crumbs(page)?);
        Ok(())
    })
}

#[test]
fn hiding_a_function_keeps_its_memory_in_the_total() -> Result<()> {
    visit(|page| {
        open(page)?;
        let before = page.figure("passing.passing.value")?;
        let name = menu(page)?;
        page.browser.press(ESCAPE)?;
        page.browser.press("/")?;
        page.browser.press(&name)?;
        page.wait_for_text("matched ")?;
        menu(page)?;
        choose(page, "Hide")?;
        page.wait_for_text(&format!("with “{name}” hidden"))?;
        page.wait_for_text("no match")?;
        ensure!(page.figure("passing.passing.value")? == before, "hiding a frame changed the total");
        page.wait_for("the focus on its caller", || {
            let script = "return document.querySelector('#flame-current').innerText";
            let current = page.browser.run(script, json!([]))?;
            Ok(current.as_str().is_some_and(|current| current.starts_with("Orders, ") && current.contains('%')))
        })
    })
}

#[test]
fn panel_follows_the_focus_when_its_function_is_hidden() -> Result<()> {
    visit(|page| {
        open(page)?;
        let name = menu(page)?;
        page.browser.press(ESCAPE)?;
        page.browser.press(" ")?;
        page.wait_for("the function in the panel", || Ok(selected(page)? == Some(name.clone())))?;
        menu(page)?;
        choose(page, "Hide")?;
        page.wait_for("another function in the panel", || Ok(selected(page)?.is_some_and(|other| other != name)))?;
        let caller = selected(page)?.context("nothing is selected")?;
        page.wait_for("the focus on the same function", || {
            Ok(flame::current(page)?.starts_with(&format!("{caller}, ")))
        })?;
        // The panel can also hide a function.
        page.click("//aside//button[.='Hide']")?;
        page.wait_for("its caller in the panel", || Ok(selected(page)?.as_ref() != Some(&caller)))?;
        let next = selected(page)?;
        let keyboard = flame::current(page)?;
        ensure!(next.is_none_or(|next| keyboard.starts_with(&format!("{next}, "))), "the focus is on {keyboard}");
        Ok(())
    })
}

#[test]
fn panel_follows_the_focused_row_when_its_function_is_hidden() -> Result<()> {
    visit(|page| {
        open(page)?;
        page.press("Table")?;
        page.wait_until_idle()?;
        page.browser.run("document.querySelector('[role=treegrid]').focus()", json!([]))?;
        [DOWN, DOWN, " "].into_iter().try_for_each(|key| page.browser.press(key))?;
        page.wait_for("a function in the panel", || Ok(selected(page)?.is_some()))?;
        let name = selected(page)?;
        page.click("//aside//button[.='Hide']")?;
        page.wait_for("the function of the focused row in the panel", || {
            let script = "const grid = document.querySelector('[role=treegrid]');
                const row = document.getElementById(grid.getAttribute('aria-activedescendant'));
                return row?.getAttribute('aria-selected') === 'true'";
            Ok(selected(page)? != name && page.browser.run(script, json!([]))? == json!(true))
        })
    })
}

fn selected(page: &Page) -> Result<Option<String>> {
    page.attribute(".panel-name", "data-value")
}

#[test]
fn nothing_is_left_of_a_menu_a_panel_or_a_form() -> Result<()> {
    const TIP: &str = "return document.querySelector('.flame-tip')?.innerText ?? ''";
    visit(|page| {
        open(page)?;
        // With the mouse, as most people do.
        let at = flame::point(page, 0.1, 2)?;
        flame::click(page, at, "right", 1)?;
        choose(page, "Copy name")?;
        page.wait_for_text("Copied: ")?;
        page.wait_until_idle()?;
        ensure!(page.browser.run(TIP, json!([]))? == "", "a tooltip is left of the menu");

        flame::click(page, at, "left", 1)?;
        page.wait_for("the panel", || Ok(selected(page)?.is_some()))?;
        page.click("//button[@aria-label='Deselect']")?;
        page.wait_for("no panel", || Ok(selected(page)?.is_none()))?;
        page.wait_until_idle()?;
        ensure!(page.browser.run(TIP, json!([]))? == "", "a tooltip is left of the panel");

        flame::click(page, at, "right", 1)?;
        choose(page, "Set source link…")?;
        page.wait_for("the form", || Ok(page.attribute("dialog[open] .flame-form", "class")?.is_some()))?;
        let sizes = "return ['dialog[open]', 'dialog[open] .flame-form'].map((css) => {
            const { width, height } = document.querySelector(css).getBoundingClientRect();
            return [Math.round(width / 4), Math.round(height / 4)];
        })";
        let sizes = page.browser.run(sizes, json!([]))?;
        ensure!(sizes[0] == sizes[1], "there is another box around the form: {sizes}");
        page.fits_its_width()
    })
}

#[test]
fn source_link_opens_at_the_users_address() -> Result<()> {
    visit(|page| {
        open(page)?;
        menu(page)?;
        choose(page, "Set source link…")?;
        page.type_into("#flame-source", "src/orders.ml")?;
        page.browser.press(ENTER)?;
        page.wait_for_text("Start with a URL scheme")?;
        page.browser.run("document.querySelector('#flame-source').select()", json!([]))?;
        page.type_into("#flame-source", "https://example.org/shop/{file}?line={line}")?;
        page.browser.press(ENTER)?;
        page.wait_for("no form", || Ok(page.attribute("#flame-source", "id")?.is_none()))?;
        menu(page)?;
        source_is(page, "https://example.org/shop/orders.ml?line=1")?;

        // The browser remembers it.
        open(page)?;
        menu(page)?;
        source_is(page, "https://example.org/shop/orders.ml?line=1")?;
        page.says("Change source link…")
    })
}

fn open(page: &Page) -> Result<()> {
    page.resize(1440, 900)?;
    flame::open(page)?;
    page.browser.run("navigator.clipboard.writeText = async (text) => { window.copied = text }", json!([])).map(drop)
}

/// Opens the menu of a frame some levels down, and returns the frame's name.
fn menu(page: &Page) -> Result<String> {
    page.browser.run("document.querySelector('.flame-tree').focus()", json!([]))?;
    page.wait_for("a frame some levels down", || {
        let level = page.attribute("#flame-current", "aria-level")?.and_then(|level| level.parse::<u32>().ok());
        let is_there = level >= Some(LEVEL);
        if !is_there {
            page.browser.press(DOWN)?;
        }
        Ok(is_there)
    })?;
    page.browser.press("m")?;
    page.wait_for("the menu", || Ok(page.attribute("[role=menu]", "aria-label")?.is_some()))?;
    page.attribute("[role=menu]", "aria-label")?.context("a menu without a name")
}

fn choose(page: &Page, entry: &str) -> Result<()> {
    page.click(&format!("//*[@role='menu']//*[@role='menuitem'][.='{entry}']"))
}

fn copied(page: &Page) -> Result<String> {
    let text = page.browser.run("return window.copied ?? ''", json!([]))?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

fn crumbs(page: &Page) -> Result<Vec<String>> {
    let script =
        "return [...document.querySelectorAll('.flame-crumbs li')].map((crumb) => crumb.textContent).join('/')";
    let crumbs = page.browser.run(script, json!([]))?;
    Ok(crumbs.as_str().unwrap_or_default().split('/').map(str::to_owned).collect())
}

fn source_is(page: &Page, address: &str) -> Result<()> {
    let shown = page.attribute("[role=menu] a[role=menuitem]", "href")?;
    ensure!(shown.as_deref() == Some(address), "the source is at {shown:?}");
    let target = page.attribute("[role=menu] a[role=menuitem]", "target")?;
    ensure!(target.as_deref() == Some("_blank"), "the link would replace the page");
    Ok(())
}
