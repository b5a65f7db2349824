//! The side panel. Its figures for a selection match the command line's.

use anyhow::{Context, Result, ensure};
use camlscope_engine::query::table::{Column, Row};
use serde_json::{Value, json};

use crate::page::Page;
use crate::table::{open_table, table};
use crate::traces::TINY;
use crate::visit::visit;

#[test]
pub fn selected_row_shows_the_command_lines_figures() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        let has_panel = || Ok::<_, anyhow::Error>(page.attribute(".panel", "aria-label")?.is_some());
        ensure!(!has_panel()?, "the panel is open although nothing is selected");
        let expected = table(Column::TotalBytes, true, "")?;
        for nth in [1, 4] {
            let row = &expected.rows[nth];
            select(page, nth)?;
            shows(page, row, expected.all_bytes)?;
        }
        page.click("//button[@aria-label='Deselect']")?;
        page.wait_for("the panel to close", || Ok(!has_panel()?))?;
        let focused = page.browser.run("return !!document.activeElement.closest('#view')", json!([]))?;
        ensure!(focused == true, "the focus isn't in the table");
        Ok(())
    })
}

#[test]
fn another_file_opens_without_the_selection() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        select(page, 1)?;
        page.wait_for("the panel", || Ok(page.figure("selected.name").is_ok()))?;
        page.pick_file(&TINY.path())?;
        page.wait_for("the other trace", || {
            Ok(page.attribute(".app", "data-bytes")? == Some(TINY.bytes()?.len().to_string()))
        })?;
        page.wait_until_idle()?;
        ensure!(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table"), "the tab changed");
        ensure!(page.figure("selected.name").is_err(), "the panel shows a function of the other trace");
        Ok(())
    })
}

#[test]
fn link_to_a_selection_opens_the_panel() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        select(page, 3)?;
        let row = table(Column::TotalBytes, true, "")?.rows[3].clone();
        page.wait_for_address("selected=")?;
        page.browser.reload()?;
        page.wait_for("the panel", || Ok(page.figure("selected.name").ok().as_ref() == Some(&row.name)))?;
        ensure!(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table"), "the link lost its tab");
        Ok(())
    })
}

#[test]
fn panel_leads_to_callees_and_filters_by_a_function() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        select(page, 1)?;
        page.wait_for("callers", || Ok(page.attribute("[data-list=callees] button", "title")?.is_some()))?;
        let shares = page.browser.run(
            "return [...document.querySelectorAll('[data-list=callees] .bar rect')].map((e) => parseFloat(e.getAttribute('width')))",
            json!([]),
        )?;
        let sum: f64 = shares.as_array().into_iter().flatten().filter_map(Value::as_f64).sum();
        ensure!(sum > 50.0 && sum < 100.1, "the callees' shares add up to {sum}%");

        let callee = page.attribute("[data-list=callees] button", "title")?.unwrap_or_default();
        page.click("(//*[@data-list='callees']//button)[1]")?;
        page.wait_for("the callee", || Ok(page.figure("selected.name").is_ok_and(|name| callee.starts_with(&name))))?;
        page.click("//*[contains(@class, 'panel')]//button[.='Filter']")?;
        let name = page.figure("selected.name")?;
        page.wait_for_address(&format!("function-is={name}"))?;
        // Everything that passes the filter is in this function.
        page.wait_for("a share of all", || Ok(page.figure("selected.share")? == "1"))
    })
}

#[test]
fn panel_layout_stays_the_same_while_responses_arrive() -> Result<()> {
    const TOPS: &str = "['.panel-figures', '.panel-curve', '.panel-lifetimes', '.panel-lists']
        .map((css) => Math.round(document.querySelector(css).getBoundingClientRect().top))";
    visit(|page| {
        page.resize(1440, 900)?;
        open_table(page)?;
        // Records the positions in each frame from the first with a panel, which is drawn before any response arrives.
        let places = page.browser.run(
            &format!(
                "const parts = ['.curve-line', '.bar-died', '[data-verdict]', '[data-list=callers]'];
                 const isWhole = () => parts.every((css) => document.querySelector('.panel ' + css));
                 const places = new Set();
                 document.querySelectorAll('.table-body [role=row]')[2].click();
                 return new Promise((done) => {{
                     const look = () => {{
                         if (document.querySelector('.panel-lists')) places.add({TOPS}.join());
                         isWhole() ? done([...places]) : requestAnimationFrame(look);
                     }};
                     requestAnimationFrame(look);
                 }})"
            ),
            json!([]),
        )?;
        ensure!(places.as_array().is_some_and(|places| places.len() == 1), "the panel moved: {places}");
        Ok(())
    })
}

#[test]
fn panel_is_next_to_the_view_or_below_it_in_a_narrow_window() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        select(page, 1)?;
        for (width, is_beside) in [(1440, true), (900, true), (899, false), (360, false)] {
            page.resize(width, 900)?;
            page.fits_its_width()?;
            let places = page.browser.run(
                "const [view, panel] = ['#view', '.panel'].map((css) => document.querySelector(css).getBoundingClientRect());
                 return [panel.left >= view.right - 1, panel.top >= view.bottom - 1]",
                json!([]),
            )?;
            ensure!(places == json!([is_beside, !is_beside]), "at {width} px: [next to it, below it] = {places}");
        }
        Ok(())
    })
}

fn select(page: &Page, nth: usize) -> Result<()> {
    let row = format!("(//*[@role='row'][@aria-level='1'])[{}]//*[@class='name']", nth + 1);
    page.click(&row).with_context(|| format!("selecting row {nth}"))
}

fn shows(page: &Page, row: &Row, all_bytes: f64) -> Result<()> {
    page.wait_for(&format!("{} in the panel", row.name), || {
        Ok(page.figure("selected.name").ok().as_ref() == Some(&row.name)
            && page.attribute("[data-figure='selected.total_bytes']", "data-value")?.is_some())
    })?;
    let figures = [
        ("total_bytes", Some(row.total_bytes)),
        ("self_bytes", Some(row.self_bytes)),
        ("total_samples", Some(row.total_samples as f64)),
        ("mean_lifetime_us", row.mean_lifetime_us),
        ("promoted_bytes", Some(row.promoted_bytes)),
        ("end_bytes", Some(row.end_bytes)),
        ("blocks", Some(row.blocks)),
        ("share", Some(row.total_bytes / all_bytes)),
    ];
    for (name, expected) in figures {
        let shown: f64 = page.figure(&format!("selected.{name}"))?.parse()?;
        ensure!(Some(shown) == expected, "{name} of {} is {expected:?}, but the panel shows {shown}", row.name);
    }
    Ok(())
}
