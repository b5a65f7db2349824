//! Sorting, searching and expanding the table, with the pointer and the keyboard. All figures match the engine's.

use anyhow::{Context, Result, bail, ensure};
use camlscope_engine::protocol::{Answer, Question, Request, View};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::table::{Column, Order, Row, Table, TableConfig};
use serde_json::{Value, json};

use crate::keys::{DOWN, ENTER, LEFT, RIGHT};
use crate::looks::fits_every_window;
use crate::page::Page;
use crate::traces::{SAMPLE, answer, open_sample};
use crate::visit::visit;

/// The number of rows to compare, which fit into any window.
const N_COMPARED: usize = 10;

#[test]
pub fn click_on_a_heading_sorts_and_a_second_click_reverses_the_order() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        shows(page, &table(Column::TotalBytes, true, "")?)?;
        ensure!(sort_of(page, "total")? == "descending", "the default order isn't announced");

        press_heading(page, "self")?;
        shows(page, &table(Column::SelfBytes, true, "")?)?;
        ensure!(
            sort_of(page, "self")? == "descending" && sort_of(page, "total")? == "none",
            "the order isn't announced"
        );
        press_heading(page, "self")?;
        shows(page, &table(Column::SelfBytes, false, "")?)?;
        press_heading(page, "name")?;
        shows(page, &table(Column::Name, false, "")?)?;

        page.browser.run("history.back()", json!([]))?;
        shows(page, &table(Column::SelfBytes, false, "")?)?;

        page.click("//select[@aria-label='Group by']/option[@value='module']")?;
        page.wait_for("modules", || Ok(page.text()?.contains("modules")))?;
        ensure!(sort_of(page, "self")? == "ascending", "grouping changed the order");
        Ok(())
    })
}

#[test]
fn search_keeps_matching_rows_and_reports_when_nothing_matches() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        page.browser.press("/")?;
        page.browser.press("json")?;
        let found = table(Column::TotalBytes, true, "json")?;
        ensure!(found.n_rows > 1, "the sample has no such functions");
        shows(page, &found)?;
        page.browser.press("§")?;
        page.wait_for_text("No function or file matches “json§”.")?;
        page.press("Clear search")?;
        shows(page, &table(Column::TotalBytes, true, "")?)
    })
}

#[test]
pub fn row_expands_to_callers_and_callees_at_any_depth() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        page.type_into("[data-search]", "Json.print")?;
        shows(page, &table(Column::TotalBytes, true, "Json.print")?)?;
        page.click("(//*[@aria-level='1']//button[@aria-label='Show callers and callees'])[1]")?;
        page.wait_for("callers and callees", || Ok(levels(page)?.contains(&3)))?;
        page.says("Called by")?;
        page.says("Calls")?;
        // Expands the first caller below “Called by”.
        page.click("(//*[@aria-level='3']//button)[1]")?;
        page.wait_for("the callers' callers", || Ok(levels(page)?.contains(&4)))?;
        let callers = page.browser.run(
            "return [...document.querySelectorAll('[aria-level=\"4\"] [data-cell=total_bytes]')].map((e) => +e.dataset.value)",
            json!([]),
        )?;
        let sum: f64 = callers.as_array().into_iter().flatten().filter_map(Value::as_f64).sum();
        let of_caller = page.attribute("[aria-level='3'] [data-cell=total_bytes]", "data-value")?;
        let of_caller: f64 = of_caller.context("no total of the caller")?.parse()?;
        ensure!((sum - of_caller).abs() < 1.0, "the callers of a caller add up to {sum}, not {of_caller}");

        page.click("//*[@aria-level='1'][@aria-expanded='true']//button[@aria-label='Close']")?;
        page.wait_for("the row to close", || Ok(levels(page)?.iter().all(|level| *level == 1)))
    })
}

#[test]
pub fn keyboard_moves_expands_selects_and_opens_the_flame_graph() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        let expected = table(Column::TotalBytes, true, "")?;
        page.browser.run("document.querySelector('.table-grid').focus()", json!([]))?;
        for _ in 0..3 {
            page.browser.press(DOWN)?;
        }
        active_is(page, 2)?;
        page.browser.press(RIGHT)?;
        page.wait_for("the row to open", || Ok(levels(page)?.contains(&2)))?;
        page.browser.press(RIGHT)?;
        active_is(page, 3)?;
        page.browser.press(DOWN)?;
        active_is(page, 4)?;
        page.browser.press(LEFT)?;
        active_is(page, 3)?;
        page.browser.press(LEFT)?;
        page.browser.press(LEFT)?;
        active_is(page, 2)?;
        page.browser.press(LEFT)?;
        page.wait_for("the row to close", || Ok(levels(page)?.iter().all(|level| *level == 1)))?;

        page.browser.press(" ")?;
        let name = &expected.rows[2].name;
        page.wait_for("the selection", || Ok(page.figure("selected.name").ok().as_ref() == Some(name)))?;
        page.browser.press(ENTER)?;
        page.wait_for("the flame graph", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("flame")))
    })
}

#[test]
pub fn entire_table_is_copied_as_csv() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        // A headless browser has no clipboard to read.
        let script = "navigator.clipboard.writeText = async (text) => { window.copied = text }";
        page.browser.run(script, json!([]))?;
        page.press("Copy as CSV")?;
        let expected = table(Column::TotalBytes, true, "")?;
        page.wait_for_text(&format!("Copied {} rows.", expected.n_rows))?;
        let copied = page.browser.run("return window.copied", json!([]))?;
        let copied = copied.as_str().context("nothing was copied")?;
        ensure!(copied.lines().count() == expected.n_rows + 1, "{} lines", copied.lines().count());
        ensure!(copied == camlscope_present::export::table_csv(&expected), "the CSV differs from the command line's");
        Ok(())
    })
}

#[test]
fn only_visible_rows_are_rendered_and_the_last_can_be_scrolled_to() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open_table(page)?;
        press_heading(page, "name")?;
        let expected = table(Column::Name, false, "")?;
        shows(page, &expected)?;
        let drawn = page.browser.run("return document.querySelectorAll('.table-body [role=row]').length", json!([]))?;
        ensure!(drawn.as_u64().is_some_and(|n| n < 80), "{drawn} rows are drawn");
        page.browser
            .run("const s = document.querySelector('.table-scroll'); s.scrollTop = s.scrollHeight", json!([]))?;
        let last = expected.rows.last().context("no rows")?;
        page.wait_for("the last row", || {
            let script = "return [...document.querySelectorAll('.table-body .name')].at(-1)?.title";
            Ok(page.browser.run(script, json!([]))? == last.name.as_str())
        })
    })
}

#[test]
fn table_fits_any_window_size() -> Result<()> {
    visit(|page| {
        open_table(page)?;
        let name = table(Column::TotalBytes, true, "")?.rows[1].name.clone();
        page.click("(//*[@role='row'][@aria-level='1'])[2]//*[@role='rowheader']/*[@class='name']")?;
        page.wait_for("the selection", || Ok(page.figure("selected.name").ok().as_ref() == Some(&name)))?;
        page.click("(//*[@aria-level='1']//button[@aria-label='Show callers and callees'])[2]")?;
        page.wait_for("callers and callees", || Ok(levels(page)?.contains(&3)))?;
        page.wait_for_text("Called by")?;
        fits_every_window(page)
    })
}

/// Opens the sample, goes to the table, and waits for its rows.
pub fn open_table(page: &Page) -> Result<()> {
    page.open()?;
    open_sample(page)?;
    SAMPLE.is_shown(page)?;
    page.click("//button[@role='tab'][.='Table']")?;
    page.wait_for("rows", || Ok(page.count("n_rows").unwrap_or(0) > 0))
}

/// Returns the engine's table of the sample, for the page's default view.
pub fn table(column: Column, descending: bool, search: &str) -> Result<Table> {
    let view = View { measure: Measure::Live(When::Peak), ..View::default() };
    let config = TableConfig { order: Order { column, descending }, search: search.to_owned(), rows: 0..100_000 };
    match answer(&Request { view, question: Question::Table(config) })? {
        Answer::Table(table) => Ok(table),
        other => bail!("not a table: {other:?}"),
    }
}

/// Waits until the first rows have exactly these figures.
fn shows(page: &Page, expected: &Table) -> Result<()> {
    let script = "
        const rows = [...document.querySelectorAll('.table-body [aria-level=\"1\"]')].slice(0, arguments[0]);
        const columns = ['self_bytes', 'total_bytes', 'blocks', 'total_samples', 'promoted_bytes', 'end_bytes'];
        return rows.map((row) => [row.querySelector('.name')?.title,
            ...columns.map((column) => row.querySelector(`[data-cell=${column}]`)?.dataset.value)].join(' '))";
    let text = |row: &Row| {
        let Row { name, self_bytes, total_bytes, blocks, total_samples, promoted_bytes, end_bytes, .. } = row;
        format!("{name} {self_bytes} {total_bytes} {blocks} {total_samples} {promoted_bytes} {end_bytes}")
    };
    let rows = json!(expected.rows.iter().take(N_COMPARED).map(text).collect::<Vec<_>>());
    let mut shown = Value::Null;
    let waited = page.wait_for("the engine's rows", || {
        shown = page.browser.run(script, json!([N_COMPARED]))?;
        Ok(shown == rows && page.count("n_rows")? == expected.n_rows as u64)
    });
    waited.with_context(|| format!("shown: {shown}\nexpected: {rows}"))
}

fn press_heading(page: &Page, title: &str) -> Result<()> {
    page.click(&format!("//*[@role='columnheader']/button[starts-with(., '{title}')]"))
}

fn sort_of(page: &Page, title: &str) -> Result<String> {
    let script = "return [...document.querySelectorAll('[role=columnheader]')]
        .find((e) => e.textContent.startsWith(arguments[0]))?.getAttribute('aria-sort')";
    let sort = page.browser.run(script, json!([title]))?;
    Ok(sort.as_str().with_context(|| format!("no heading {title}"))?.to_owned())
}

fn levels(page: &Page) -> Result<Vec<u64>> {
    let script = "return [...document.querySelectorAll('.table-body [aria-level]')].map((e) => +e.ariaLevel)";
    let levels = page.browser.run(script, json!([]))?;
    Ok(levels.as_array().into_iter().flatten().filter_map(Value::as_u64).collect())
}

fn active_is(page: &Page, line: usize) -> Result<()> {
    let id = format!("table-line-{line}");
    page.wait_for(&format!("the active line {line}"), || {
        let is_drawn = page.browser.run("return !!document.getElementById(arguments[0])", json!([id]))?;
        Ok(is_drawn == true && page.attribute(".table-grid", "aria-activedescendant")?.as_ref() == Some(&id))
    })
}
