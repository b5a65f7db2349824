//! Gestures, keys and searches, which are the same in the flame graph and in the difference graph of Compare.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::flame::{click, crumbs, hover, point, tip, wait_for_picture};
use crate::keys::{ENTER, ESCAPE};
use crate::page::Page;
use crate::traces::TYPECORE;
use crate::visit::visit;

/// The tabs with a flame graph, and the key of the zoomed frame in their addresses.
const GRAPHS: [(&str, &str); 2] = [("flame", "&root="), ("compare", "&versus.root=")];
/// As in events of the mouse and of the keyboard.
const CONTROL: u32 = 2;
const SHIFT: char = '\u{e008}';

#[test]
fn click_selects_and_double_click_zooms_to_the_frame_of_the_first_click() -> Result<()> {
    visit(|page| {
        open(page, GRAPHS[0].0)?;
        for (tab, root) in GRAPHS {
            open_graph(page, tab)?;
            // Near the right edge, where the panel opens at the first click.
            let (at, name) = frame(page, 0.93, 2..9)?;
            click(page, at, "left", 1)?;
            page.wait_for("the frame in the panel", || {
                Ok(page.attribute(".panel-name", "data-value")?.is_some() && page.address()?.contains("&selected="))
            })?;
            ensure!(!page.address()?.contains(root), "one click zoomed");
            let under = page.browser.run(
                "return !!document.elementFromPoint(arguments[0], arguments[1]).closest('.panel')",
                json!([at.0, at.1]),
            )?;
            ensure!(under == true, "the panel isn't under the pointer, so the test checks nothing");
            page.click("//button[@aria-label='Deselect']")?;
            page.wait_for("no panel", || Ok(page.attribute(".panel-name", "data-value")?.is_none()))?;
            page.wait_until_idle()?;

            for count in [1, 2] {
                click(page, at, "left", count)?;
            }
            page.wait_for_address(root)?;
            page.wait_until_idle()?;
            ensure!(last_crumb(page)? == name, "zoomed to {}, not to {name}", last_crumb(page)?);
            ensure!(page.attribute(".panel-name", "data-value")?.is_some(), "the second click deselected the frame");
            page.browser.press(ESCAPE)?;
            page.wait_for("the whole graph", || Ok(!page.address()?.contains(root)))?;
        }
        Ok(())
    })
}

#[test]
fn wheel_scrolls_and_zooms_with_control_and_drag_pans() -> Result<()> {
    visit(|page| {
        page.prefer_no_motion()?;
        open(page, GRAPHS[0].0)?;
        for (tab, _) in GRAPHS {
            open_graph(page, tab)?;
            let (x, y) = point(page, 0.3, 3)?;
            let wheel = |delta: i32, modifiers: u32| {
                page.mouse(json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": delta, "modifiers": modifiers }))
            };
            page.mouse(json!({ "type": "mouseMoved", "x": x, "y": y }))?;
            let page_top = || page.browser.run("return scrollY", json!([]));
            let top = page_top()?;
            wheel(100, 0)?;
            page.wait_for("rows above", || rows_above(page))?;
            ensure!(
                page_top()? == top && !page.text()?.contains("zoomed "),
                "the wheel did more than scroll the graph"
            );
            wheel(-100, 0)?;
            page.wait_for("the top", || Ok(!rows_above(page)?))?;

            wheel(-120, CONTROL)?;
            page.wait_for("a zoomed graph", || Ok(page.text()?.contains("zoomed ")))?;
            let extent = || page.attribute("[aria-label^='showing ']", "aria-label");
            let before = extent()?;
            let button = |kind: &str, x: f64| {
                page.mouse(json!({ "type": kind, "x": x, "y": y, "button": "left", "buttons": 1, "clickCount": 1 }))
            };
            let drag = |from: f64, to: f64| {
                button("mousePressed", from)?;
                button("mouseMoved", (from + to) / 2.0)?;
                button("mouseMoved", to)?;
                button("mouseReleased", to)
            };
            drag(x, x - 300.0)?;
            page.wait_for("another part", || Ok(extent()? != before))?;
            ensure!(!page.address()?.contains("&selected="), "dragging selected a frame");
            drag(x - 300.0, x)?;
            page.wait_for("the same part", || Ok(extent()? == before))?;
            page.browser.press("--------")?;
            page.wait_for("the whole graph", || Ok(!page.text()?.contains("zoomed ")))?;
            page.browser.press("+")?;
            page.wait_for("a zoomed graph", || Ok(page.text()?.contains("zoomed ")))?;
            page.browser.press(ESCAPE)?;
            page.wait_for("the whole graph", || Ok(!page.text()?.contains("zoomed ")))?;
        }
        Ok(())
    })
}

#[test]
fn graph_starts_at_its_top_after_a_change_of_the_filter() -> Result<()> {
    visit(|page| {
        open(page, GRAPHS[0].0)?;
        for (tab, _) in GRAPHS {
            open_graph(page, tab)?;
            let (at, _) = frame(page, 0.1, 2..9)?;
            click(page, at, "left", 1)?;
            page.wait_for("the panel", || Ok(page.attribute(".panel-name", "data-value")?.is_some()))?;
            page.wait_until_idle()?;
            let (x, y) = point(page, 0.3, 3)?;
            page.mouse(json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": 200 }))?;
            page.wait_for("rows above", || rows_above(page))?;
            page.click("//aside//button[.='Filter']")?;
            page.wait_for_address("&function-is=")?;
            page.wait_until_idle()?;
            ensure!(!rows_above(page)?, "the graph is still scrolled");
        }
        Ok(())
    })
}

#[test]
fn one_search_finds_the_same_in_flame_graph_table_and_compare() -> Result<()> {
    visit(|page| {
        open(page, "flame")?;
        page.browser.press("/")?;
        page.browser.press("/type_(exp|pat)/")?;
        page.wait_for("the number of matches", || Ok(found(page)?.ends_with(" matches")))?;
        walks(page)?;
        page.wait_for("the tooltip of a match", || Ok(tip(page)?.contains("type_")))?;

        page.click("//*[@id='tab-table']")?;
        page.wait_for("the number of matches", || Ok(found(page)?.ends_with(" matches")))?;
        let rows =
            "return [...document.querySelectorAll('.table-body [aria-level=\"1\"] .name')].map((row) => row.title)";
        let names: Vec<String> = serde_json::from_value(page.browser.run(rows, json!([]))?)?;
        let is_match = |name: &String| name.contains("type_exp") || name.contains("type_pat");
        ensure!(!names.is_empty() && names.iter().all(is_match), "the table shows {names:?}");
        page.browser.press("/")?;
        walks(page)?;
        let active = "const grid = document.querySelector('[role=treegrid]');
            return document.getElementById(grid.getAttribute('aria-activedescendant'))?.querySelector('.name').title";
        page.wait_for("the first row", || Ok(page.browser.run(active, json!([]))? == names[0].as_str()))?;

        page.click("//*[@id='tab-compare']")?;
        page.wait_for("the number of matches", || Ok(found(page)?.ends_with(" matches")))?;
        page.browser.press("/")?;
        walks(page)?;
        page.wait_for("the tooltip of a match", || Ok(tip(page)?.contains("type_")))?;

        // An error quotes what was typed.
        for tab in ["compare", "table", "flame"] {
            page.click(&format!("//*[@id='tab-{tab}']"))?;
            page.browser.press("/")?;
            page.browser.press("/type_(/")?;
            page.wait_for_text("“/type_(/” isn't a valid regular expression")?;
            ensure!(page.attribute("[data-search]", "aria-invalid")?.as_deref() == Some("true"));
            page.browser.press(ESCAPE)?;
            page.wait_for("an empty field", || Ok(found(page)?.is_empty()))?;
        }
        // Plain text is no pattern.
        page.browser.press("/")?;
        page.browser.press("type_(")?;
        page.wait_for("no match", || Ok(found(page)? == "no match"))
    })
}

/// With the focus in the search field, walks to the second match and back. While one types, there are matches of parts of the text.
fn walks(page: &Page) -> Result<()> {
    page.wait_until_idle()?;
    page.browser.press(ENTER)?;
    page.wait_for("the first match", || Ok(found(page)?.contains("1 of ")))?;
    page.browser.press(ENTER)?;
    page.wait_for("the second match", || Ok(found(page)?.contains("2 of ")))?;
    page.browser.press_with(SHIFT, ENTER)?;
    page.wait_for("the first match", || Ok(found(page)?.contains("1 of ")))
}

fn open(page: &Page, tab: &str) -> Result<()> {
    page.resize(1440, 900)?;
    page.browser.go(&format!("{}#tab={tab}", page.url))?;
    page.wait_for_worker("ready")?;
    page.drop_path(&TYPECORE.path())?;
    page.wait_for_screen("loaded")?;
    wait_for_picture(page)
}

/// Opens the tab of one of the graphs, as it is at first.
fn open_graph(page: &Page, tab: &str) -> Result<()> {
    page.browser.run("location.hash = arguments[0]", json!([format!("tab={tab}")]))?;
    page.wait_for("the tab", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some(tab)))?;
    wait_for_picture(page)?;
    page.wait_until_idle()
}

/// Returns the position and the name of a frame at a fraction of the width, in one of these rows.
fn frame(page: &Page, x: f64, rows: std::ops::Range<u32>) -> Result<((f64, f64), String)> {
    for row in rows {
        hover(page, x, row)?;
        page.wait_until_idle()?;
        let words = "return document.querySelector('.flame-tip b')?.innerText ?? ''";
        let name = page.browser.run(words, json!([]))?.as_str().unwrap_or_default().to_owned();
        if !name.is_empty() && !name.contains(" collapsed frames") && !name.contains(" too narrow") {
            return Ok((point(page, x, row)?, name));
        }
    }
    anyhow::bail!("no frame there")
}

fn last_crumb(page: &Page) -> Result<String> {
    crumbs(page)?.rsplit('/').next().map(str::to_owned).context("no path")
}

fn rows_above(page: &Page) -> Result<bool> {
    Ok(page.text()?.contains(" above"))
}

/// Returns what the search field says about the matches.
fn found(page: &Page) -> Result<String> {
    let words = page.browser.run("return document.querySelector('#search-found')?.innerText ?? ''", json!([]))?;
    Ok(words.as_str().unwrap_or_default().to_owned())
}
