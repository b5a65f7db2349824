//! Takes screenshots of the page for review, and saves them in `target/browser/`. These aren't tests: `cargo xtask pictures` runs
//! them, and `cargo xtask test` doesn't.

use anyhow::Result;
use serde_json::json;

use crate::accessible::tabs;
use crate::flame;
use crate::keys::DOWN;
use crate::leaks::fixture;
use crate::page::Page;
use crate::traces::{DOMAINS, SAMPLE, TYPECORE};
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
        for file in [TYPECORE.file, DOMAINS.file, "orders-1e-4-v2.ctf", "empty-1e-6-v3.ctf"] {
            page.open()?;
            page.drop_path(&fixture(file))?;
            page.wait_for_screen("loaded")?;
            let trace = file.split('-').next().unwrap_or(file);
            for tab in tabs(page)? {
                page.click(&format!("//*[@id='{tab}']"))?;
                take(page, &format!("{trace}-{tab}"))?;
            }
        }
        Ok(())
    })
}

#[test]
#[ignore = "taken by `cargo xtask pictures`"]
fn pictures_of_every_explanation() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.press("Try the sample")?;
        SAMPLE.is_shown(page)?;
        for tab in tabs(page)? {
            page.click(&format!("//*[@id='{tab}']"))?;
            page.click("//button[.='What am I looking at?']")?;
            take(page, &format!("{tab}-reading"))?;
        }
        Ok(())
    })
}

/// Takes screenshots in light and dark mode, from the size of a phone to a large screen.
fn take(page: &Page, name: &str) -> Result<()> {
    for scheme in ["light", "dark"] {
        page.prefer(scheme)?;
        for (width, height) in [(390, 844), (1024, 700), (1440, 900), (2560, 1440)] {
            page.resize(width, height)?;
            page.wait_until_idle()?;
            // A click scrolls to its element, which would leave the header in the middle of the screenshot.
            page.browser.run("scrollTo(0, 0)", json!([]))?;
            page.screenshot(&format!("{name}-{scheme}-{width}"))?;
        }
    }
    Ok(())
}
