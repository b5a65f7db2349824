//! Takes screenshots of the page for review, and saves them in `target/browser/`. These aren't tests: `cargo xtask pictures` runs
//! them, and `cargo xtask test` doesn't.

use anyhow::Result;
use serde_json::json;

use crate::accessible::tabs;
use crate::flame;
use crate::keys::DOWN;
use crate::leaks::fixture;
use crate::page::Page;
use crate::traces::{DOMAINS, SAMPLE, TYPECORE, explain, open_sample};
use crate::visit::visit;

#[test]
#[ignore = "taken by `cargo xtask pictures`"]
fn readme_pictures() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        flame::open(page)?;
        // Selects a function with callers and callees, for the panel.
        page.browser.run("document.querySelector('.flame-tree').focus()", json!([]))?;
        for key in [DOWN, DOWN, DOWN, " "] {
            page.browser.press(key)?;
            page.wait_until_idle()?;
        }
        page.wait_for_text("Called by")?;
        for scheme in ["light", "dark"] {
            page.prefer(scheme)?;
            page.wait_until_idle()?;
            page.screenshot(&format!("readme-{scheme}"))?;
        }
        Ok(())
    })
}

#[test]
#[ignore = "taken by `cargo xtask pictures`"]
fn pictures_of_every_screen() -> Result<()> {
    visit(|page| {
        page.open()?;
        take(page, "empty")?;
        page.drop_bytes("notes.txt", b"Buy milk.\n")?;
        page.wait_for_screen("failed")?;
        take(page, "refused")?;
        let bytes = TYPECORE.bytes()?;
        page.drop_bytes("cut.ctf", &bytes[..bytes.len() / 2])?;
        page.wait_for_screen("loaded")?;
        take(page, "damaged")
    })
}

#[test]
#[ignore = "taken by `cargo xtask pictures`"]
fn pictures_of_every_view() -> Result<()> {
    visit(|page| {
        for file in [TYPECORE.file, DOMAINS.file, "orders-1e-4-v2.ctf", "empty-1e-6-v3.ctf", "spacetime-11710"] {
            open_fixture(page, file)?;
            take_tabs(page, file.split('-').next().unwrap_or(file))?;
        }
        Ok(())
    })
}

#[test]
#[ignore = "taken by `cargo xtask pictures`"]
fn pictures_of_two_traces() -> Result<()> {
    visit(|page| {
        open_fixture(page, "leak-1e-6-v3.ctf")?;
        page.drop_path(&fixture("leak-1e-4-v3.ctf"))?;
        page.wait_for_text("Replace or compare?")?;
        page.click("//dialog//button[text()='Compare']")?;
        page.wait_for_text("changed significantly")?;
        take_tabs(page, "two")
    })
}

#[test]
#[ignore = "taken by `cargo xtask pictures`"]
fn pictures_of_every_explanation() -> Result<()> {
    visit(|page| {
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        for tab in tabs(page)? {
            page.click(&format!("//*[@id='{tab}']"))?;
            explain(page)?;
            take(page, &format!("{tab}-reading"))?;
        }
        Ok(())
    })
}

fn open_fixture(page: &Page, file: &str) -> Result<()> {
    page.open()?;
    page.drop_path(&fixture(file))?;
    page.wait_for_screen("loaded")
}

fn take_tabs(page: &Page, name: &str) -> Result<()> {
    for tab in tabs(page)? {
        page.click(&format!("//*[@id='{tab}']"))?;
        take(page, &format!("{name}-{tab}"))?;
    }
    Ok(())
}

/// Widths and heights in pixels of the screen, from a phone to a large screen, and the zoom.
const WINDOWS: [(u32, u32, u32); 5] = [(390, 844, 1), (1024, 700, 1), (1440, 900, 1), (2560, 1440, 1), (1440, 900, 2)];

/// Takes screenshots in light and dark mode.
fn take(page: &Page, name: &str) -> Result<()> {
    for scheme in ["light", "dark"] {
        page.prefer(scheme)?;
        for (width, height, zoom) in WINDOWS {
            page.resize_zoomed(width, height, zoom)?;
            page.wait_until_idle()?;
            // A click scrolls to its element, which would leave the header in the middle of the screenshot.
            page.browser.run("scrollTo(0, 0)", json!([]))?;
            let zoomed = if zoom == 1 { String::new() } else { format!("-{zoom}00%") };
            page.screenshot(&format!("{name}-{scheme}-{width}{zoomed}"))?;
        }
    }
    page.resize(1440, 900)
}
