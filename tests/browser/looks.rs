//! The look of the page: its content, colors and sizes.

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::page::Page;
use crate::traces::{SAMPLE, open_sample};
use crate::visit::visit;

#[test]
fn start_screen_offers_every_way_to_start() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.says("Drop a memtrace trace (.ctf) or Spacetime profile here")?;
        page.says("Open a file…")?;
        page.says("Try the sample")?;
        page.says("MEMTRACE=trace.ctf")?;
        page.says("Your trace never leaves this computer")?;
        let pickers = page.browser.run("return document.querySelectorAll('input[type=file]').length", json!([]))?;
        ensure!(pickers == 1, "the page has {pickers} pickers");
        fits_every_window(page)
    })
}

#[test]
fn theme_can_be_chosen_and_is_remembered() -> Result<()> {
    visit(|page| {
        page.prefer("light")?;
        page.open()?;
        let bright = background(page)?;
        shows_theme(page, None)?;
        page.pick("⋯", "Light")?;
        shows_theme(page, Some("light"))?;
        ensure!(background(page)? == bright, "light mode differs from the system's");
        page.pick("⋯", "Dark")?;
        shows_theme(page, Some("dark"))?;
        ensure!(background(page)? != bright, "dark mode looks like light mode");

        page.browser.reload()?;
        page.wait_for_screen("empty")?;
        shows_theme(page, Some("dark"))?;
        page.pick("⋯", "System")?;
        shows_theme(page, None)?;
        ensure!(background(page)? == bright, "the page doesn't return to the system's colors");
        page.prefer("dark")?;
        ensure!(background(page)? != bright, "the page doesn't follow the system");
        Ok(())
    })
}

#[test]
fn flame_graph_has_most_of_the_window_and_the_timeline_becomes_a_strip_when_the_page_scrolls() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        let left_of_tabs =
            "return [...document.querySelectorAll('[role=tab]')].map((tab) => tab.getBoundingClientRect().left)";
        let before = page.browser.run(left_of_tabs, json!([]))?;
        page.click("//*[@id='tab-flame']")?;
        page.wait_for("a flame graph", || Ok(page.attribute(".flame-canvas", "class")?.is_some()))?;
        page.wait_until_idle()?;
        ensure!(page.browser.run(left_of_tabs, json!([]))? == before, "the tabs moved");
        let script = "const { top, height } = document.querySelector('.flame-canvas').getBoundingClientRect(); return [top, height]";
        let [top, height]: [f64; 2] = serde_json::from_value(page.browser.run(script, json!([]))?)?;
        ensure!(top <= 340.0 && height >= 520.0, "it starts at {top} px and is {height} px high");

        // The second is as at 200% zoom.
        for (width, height) in [(1024, 700), (720, 450)] {
            page.resize(width, height)?;
            for tab in ["flame", "compare"] {
                page.click(&format!("//*[@id='tab-{tab}']"))?;
                page.wait_until_idle()?;
                let cut = "
                    const rows = document.querySelectorAll('.what b, .tabs, .top, .timeline-actions, .chips, .flame-bar');
                    const cut = [...rows].filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
                    return cut.map((row) => row.className || row.localName)";
                let cut = page.browser.run(cut, json!([]))?;
                ensure!(cut == json!([]), "labels are cut in {tab} at {width} px: {cut}");
            }
        }
        page.resize(1440, 900)?;

        page.click("//*[@id='tab-summary']")?;
        page.wait_until_idle()?;
        let content = "return document.querySelector('#view').getBoundingClientRect().top + scrollY";
        let before = page.browser.run(content, json!([]))?;
        page.browser.run("scrollTo(0, 500)", json!([]))?;
        let strip = "const { top, height } = document.querySelector('.timeline-stage').getBoundingClientRect();
            return height === 40 && Math.abs(top - document.querySelector('.top').getBoundingClientRect().bottom) <= 1";
        page.wait_for("the strip", || Ok(page.browser.run(strip, json!([]))? == true))?;
        ensure!(page.browser.run(content, json!([]))? == before, "the content moved");
        page.browser.run("scrollTo(0, 0)", json!([]))?;
        let full = "return document.querySelector('.timeline-stage').getBoundingClientRect().height > 100";
        page.wait_for("the timeline", || Ok(page.browser.run(full, json!([]))? == true))
    })
}

/// Checks that nothing is cut off or needs horizontal scrolling, from wide to narrow windows.
pub fn fits_every_window(page: &Page) -> Result<()> {
    for width in [1440, 360] {
        page.resize(width, 900)?;
        page.fits_its_width().with_context(|| format!("in a window of {width} px"))?;
    }
    page.resize(1440, 900)
}

/// Checks that all lines of a table, with its header, have their cells at the same places.
pub fn columns_line_up(page: &Page, line: &str) -> Result<()> {
    let script = "
        const edges = (element) => {
            const { left, right } = element.getBoundingClientRect();
            return [left, right].map(Math.round);
        };
        const lines = [...document.querySelectorAll(arguments[0])];
        return [lines.length, ...new Set(lines.map((line) => [...line.children].map(edges).join(' | ')))]";
    let places = page.browser.run(script, json!([line]))?;
    ensure!(places[0].as_u64() > Some(2), "the table has no rows");
    ensure!(places.as_array().is_some_and(|places| places.len() == 2), "columns don't line up: {places}");
    Ok(())
}

fn shows_theme(page: &Page, theme: Option<&str>) -> Result<()> {
    page.wait_for(&format!("the theme {theme:?}"), || Ok(page.attribute("html", "data-theme")?.as_deref() == theme))
}

fn background(page: &Page) -> Result<String> {
    let script =
        "return [document.documentElement, document.body].map((e) => getComputedStyle(e).backgroundColor).join()";
    Ok(page.browser.run(script, json!([]))?.to_string())
}
