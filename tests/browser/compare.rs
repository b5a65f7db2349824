//! Compares two traces, or two times of one trace, as a graph and as a table. The figures match the command line's.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::accessible::is_accessible;
use crate::keys::{DOWN, ENTER, ESCAPE, LEFT, RIGHT, UP};
use crate::looks::{columns_line_up, fits_every_window};
use crate::page::Page;
use crate::traces::{TINY, TYPECORE, command_line};
use crate::visit::visit;

#[test]
pub fn comparison_of_two_traces_matches_the_command_line() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-6-v3")?;
        page.drop_path(&fixture("leak-1e-4-v3"))?;
        page.wait_for_text("Replace or compare?")?;
        page.click("//dialog//button[text()='Compare']")?;
        is_compared(page)?;
        let expected = cli(&["compare", "leak-1e-6-v3", "leak-1e-4-v3", "--measure", "peak", "--json"])?;
        shows_figure(page, "compare.change", &expected["all"]["change"])?;
        ensure!(
            page.count("compare.n_changed")? == expected["n_changed"],
            "the command line has {}",
            expected["n_changed"]
        );
        page.says("The sampling rates differ by 100×")?;
        columns_line_up(page, ".changes-line")?;
        // A change and its margin have a column each.
        let ends = "return [...new Set([...document.querySelectorAll('.changes-body .changes-change > :first-child')]
            .map((amount) => Math.round(amount.getBoundingClientRect().right)))]";
        let ends = page.browser.run(ends, json!([]))?;
        ensure!(ends.as_array().is_some_and(|ends| ends.len() == 1), "amounts end at {ends}");
        fits_every_window(page)
    })
}

#[test]
pub fn two_times_of_one_trace_are_compared() -> Result<()> {
    visit(|page| {
        open(page, "orders-1e-4-v2")?;
        page.click("//*[@id='tab-compare']")?;
        page.wait_for_text("functions changed significantly")?;
        page.says("Drop a second trace to compare two runs.")?;
        let name = rows(page)?.first().context("no rows")?.clone();
        page.click("(//button[contains(@class, 'compare-name')])[1]")?;
        page.wait_for("the function in the panel", || {
            Ok(page.text()?.contains("A (before)") && selected(page)? == name)
        })?;
        ensure!(page.attribute(".workspace", "data-tab")?.as_deref() == Some("compare"), "the page left the tab");
        page.wait_for("the function in the graph", || Ok(current(page)?.starts_with(&name)))
    })
}

#[test]
pub fn escape_keeps_the_open_trace() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        page.drop_path(&TYPECORE.path())?;
        page.wait_for_text("Replace or compare?")?;
        page.browser.press(ESCAPE)?;
        page.wait_for("the dialog to close", || Ok(!page.text()?.contains("Replace or compare?")))?;
        TINY.is_shown(page)
    })
}

#[test]
fn selection_sets_the_times_to_compare_and_does_not_filter() -> Result<()> {
    visit(|page| {
        open_at(page, "#tab=compare&allocated=30s..50s", "orders-1e-4-v2")?;
        page.says("The selection sets times A and B. It doesn't filter here.")?;
        let expected = cli(&["compare", "orders-1e-4-v2", "--times", "30s,50s", "--json"])?;
        ensure!(
            expected["all"]["before"].as_f64().is_some_and(|bytes| bytes > 0.0),
            "nothing is live at A, so the test checks nothing"
        );
        shows_figure(page, "compare.change", &expected["all"]["change"])
    })
}

#[test]
pub fn times_can_be_typed_and_moved_with_keys_and_are_in_the_address() -> Result<()> {
    visit(|page| {
        open_at(page, "#tab=compare&versus=10s,end", "orders-1e-4-v2")?;
        ensure!(handle(page, "A")? == 10.0, "A is at {} s", handle(page, "A")?);
        page.browser.run("document.querySelector('.time-handle.is-a').focus()", json!([]))?;
        page.browser.press(RIGHT)?;
        // One step is a hundredth of 60.1 s.
        page.wait_for("A one step later", || Ok((handle(page, "A")? - 10.6).abs() < 0.01))?;
        page.browser.press(LEFT)?;
        page.wait_for("A back", || Ok((handle(page, "A")? - 10.0).abs() < 0.01))?;

        let script = "const field = document.querySelectorAll('.say-ab input')[1]; field.focus(); field.select()";
        page.browser.run(script, json!([]))?;
        page.browser.press("50s")?;
        page.browser.press(ENTER)?;
        page.wait_for("B at the typed time", || Ok(handle(page, "B")? == 50.0))?;
        page.wait_until_idle()?;
        let expected = cli(&["compare", "orders-1e-4-v2", "--times", "10s,50s", "--json"])?;
        shows_figure(page, "compare.change", &expected["all"]["change"])?;
        page.wait_for_address("versus=10s,50s")
    })
}

#[test]
fn times_can_be_dragged_on_the_timeline_without_adding_a_filter() -> Result<()> {
    visit(|page| {
        open_at(page, "#tab=compare&versus=10s,end", "orders-1e-4-v2")?;
        let (x, y) = page.point_in(".time-handle.is-a .time-pill", 0.5, 0.5)?;
        page.drag((x, y), (x + 200.0, y))?;
        page.wait_for("A to move right", || Ok(handle(page, "A")? > 15.0))?;
        let canvas = page.point_in(".timeline-canvas", 0.5, 0.5)?;
        page.drag((canvas.0 - 100.0, canvas.1), (canvas.0 + 100.0, canvas.1))?;
        page.wait_for("a new time range", || Ok(handle(page, "B")? < 40.0 && handle(page, "A")? > 20.0))?;
        let chips = page.browser.run("return document.querySelectorAll('[data-clause]').length", json!([]))?;
        ensure!(chips == 0, "setting two times added {chips} filters");
        Ok(())
    })
}

#[test]
fn diff_graph_shows_changes_selects_on_click_and_zooms_on_enter() -> Result<()> {
    visit(|page| {
        open_at(page, "#tab=compare&versus=30s,end", "orders-1e-4-v2")?;
        let (x, y) = page.point_in(".diff-stage", 0.0, 0.0)?;
        // The widest frame of the fourth row.
        page.mouse(json!({ "type": "mouseMoved", "x": x + 60.0, "y": y + 70.0 }))?;
        page.wait_for("a tooltip", || Ok(page.figure("diff.change").is_ok()))?;
        page.says("samples:")?;
        page.click_at((x + 60.0, y + 70.0))?;
        page.wait_for_address("selected=")?;
        ensure!(!page.address()?.contains("versus.root="), "a click zoomed");
        page.wait_for("the figures of both sides", || Ok(page.figure("compared.total.change").is_ok()))?;

        page.click("//button[@aria-label='Deselect']")?;
        page.wait_until_idle()?;
        page.browser.press(UP)?;
        page.browser.press(UP)?;
        page.browser.press(UP)?;
        page.wait_for("the root", || Ok(current(page)?.starts_with("all: 22.1 MiB → 20.8 MiB")))?;
        page.browser.press(DOWN)?;
        page.browser.press(DOWN)?;
        page.wait_for("a deeper frame", || Ok(current(page)?.starts_with("Orders")))?;
        page.browser.press(ENTER)?;
        page.wait_for_address("versus.root=")?;
        page.says("Orders.Server.serve")
    })
}

#[test]
fn row_of_a_new_or_removed_function_shows_it_in_the_graph() -> Result<()> {
    visit(|page| {
        open_at(page, "#tab=compare", "orders-1e-4-v2")?;
        page.drop_path(&fixture("phases-1e-4-v2"))?;
        is_compared(page)?;
        let expected = cli(&["compare", "orders-1e-4-v2", "phases-1e-4-v2", "--measure", "peak", "--json"])?;
        let rows = expected["rows"].as_array().context("no rows")?;
        for (verdict, side) in [("gone", "before"), ("new", "after")] {
            let row = rows.iter().find(|row| row["change"]["verdict"] == verdict);
            let row = row.with_context(|| format!("no {verdict} row in {expected}"))?;
            let name = row["label"]["label"].as_str().context("no label")?;
            page.click(&format!("//button[@class='compare-name'][.='{name}']"))?;
            page.wait_for("the function in the panel", || Ok(selected(page)? == name))?;
            page.wait_for("the function in the graph", || Ok(current(page)?.starts_with(&format!("{name}: "))))?;
            let width = page.attribute("[aria-label='Box width'] [aria-pressed=true]", "title")?.unwrap_or_default();
            ensure!(width.contains(side), "{name} is {verdict}, but {width}");
            let is_current = page.attribute(".changes-line[aria-current]", "aria-rowindex")?;
            ensure!(is_current.is_some(), "the table doesn't mark the row");
            shows_figure(page, "compared.total.before", &row["change"]["before"])?;
            shows_figure(page, "compared.total.after", &row["change"]["after"])?;
        }
        fits_every_window(page)?;
        is_accessible(page, "a selection of a comparison")
    })
}

#[test]
pub fn table_can_be_searched_sorted_and_limited_to_changes() -> Result<()> {
    visit(|page| {
        open_at(page, "#tab=compare&versus=30s,end", "orders-1e-4-v2")?;
        let n_changed = page.count("compare.n_changed")? as usize;
        ensure!(n_changed > 0 && rows(page)?.len() > n_changed, "all {n_changed} rows changed");
        page.click("//label[contains(., 'Changed only')]/input")?;
        page.wait_for("only changed rows", || Ok(rows(page)?.len() == n_changed))?;
        page.click("//*[@role='columnheader']/button[contains(., 'function')]")?;
        page.wait_for("names in order", || {
            let rows = rows(page)?;
            Ok(rows.is_sorted_by_key(|row| row.to_lowercase()))
        })?;
        page.click("//*[@aria-label='Self or total']/button[text()='self']")?;
        page.wait_for_address("versus.sum=self")?;
        page.click("//label[contains(., 'Changed only')]/input")?;
        page.type_into("input[data-search]", "session")?;
        page.wait_for("the search results", || {
            let rows = rows(page)?;
            Ok(!rows.is_empty() && rows.iter().all(|row| row.contains("Session")))
        })
    })
}

#[test]
fn two_dropped_files_are_compared_oldest_first_and_can_be_swapped_and_closed() -> Result<()> {
    visit(|page| {
        page.open()?;
        let (orders, phases) = (fixture("orders-1e-4-v2"), fixture("phases-1e-4-v2"));
        let start = |trace: &str| -> Result<u64> {
            cli(&["summary", trace, "--json"])?["info"]["start_time_us"].as_u64().context("no start")
        };
        let is_orders_older = start("orders-1e-4-v2")? < start("phases-1e-4-v2")?;
        let older = if is_orders_older { "orders" } else { "phases" };
        page.drop_both([&phases, &orders])?;
        is_compared(page)?;
        let sides = || -> Result<Vec<String>> {
            let script = "return [...document.querySelectorAll('.what-side')].map((side) => `${side.innerText} ${side.querySelector('b').title}`)";
            Ok(serde_json::from_value(page.browser.run(script, json!([]))?)?)
        };
        page.wait_for("both names", || Ok(sides()?.len() == 2))?;
        page.says("The programs differ")?;
        page.says("B (after)")?;
        let before: f64 = page.figure("compare.change")?.parse()?;
        let names = sides()?;
        ensure!(names[0].contains(older), "{older} is older, but the order is {names:?}");
        page.pick("⋯", "Swap A and B")?;
        page.wait_for("the other order", || {
            let swapped = sides()?;
            Ok(swapped[0].ends_with(&names[1][2..]) && swapped[1].ends_with(&names[0][2..]))
        })?;
        page.wait_until_idle()?;
        let after: f64 = page.figure("compare.change")?.parse()?;
        ensure!((before + after).abs() < 1.0, "swapping changed {before} to {after}");
        let link = page.address()?;

        page.pick("⋯", "Close B")?;
        page.wait_for("one trace", || Ok(sides()?.is_empty()))?;
        page.says("Drop a second trace to compare two runs.")?;

        // The address keeps the order of the two traces, in whatever order the files are dropped.
        page.browser.go("about:blank")?;
        page.browser.go(&link)?;
        page.wait_for_worker("ready")?;
        page.drop_both([&orders, &phases])?;
        is_compared(page)?;
        page.wait_for("the same figure", || Ok(page.figure("compare.change")?.parse::<f64>()? == after))?;

        // A file dropped on this tab is compared without a dialog.
        page.drop_path(&copied(page, "orders-1e-4-v2", "later.ctf")?)?;
        page.wait_for("the new trace", || Ok(sides()?.iter().any(|side| side.contains("later.ctf"))))
    })
}

#[test]
fn comparing_a_trace_with_itself_is_reported_and_accessible() -> Result<()> {
    visit(|page| {
        open_at(page, "#tab=compare", "orders-1e-4-v2")?;
        page.drop_path(&copied(page, "orders-1e-4-v2", "copy.ctf")?)?;
        page.says("A and B are the same trace, so nothing differs.")?;
        page.says("No function changed significantly")?;
        page.click("//select[@aria-label='Alignment']/option[@value='stretched']")?;
        page.wait_for_address("versus.times=stretched")?;
        page.click("//summary[text()='Sizes and lifetimes']")?;
        page.says("Lifetimes (share of bytes)")?;
        fits_every_window(page)?;
        is_accessible(page, "two traces")
    })
}

/// Waits for the figures of two traces.
fn is_compared(page: &Page) -> Result<()> {
    page.wait_for("a comparison", || Ok(page.figure("compare.change").is_ok() && page.text()?.contains("B (after)")))?;
    page.wait_until_idle()
}

fn shows_figure(page: &Page, figure: &str, expected: &Value) -> Result<()> {
    let expected = expected.as_f64().with_context(|| format!("no {figure} in the command line's output"))?;
    let is_shown = || -> Result<bool> {
        let shown: f64 = page.figure(figure)?.parse()?;
        Ok((shown - expected).abs() <= expected.abs() * 1e-9)
    };
    page.wait_for(&format!("{figure} to be {expected}"), is_shown)
}

fn selected(page: &Page) -> Result<String> {
    let name = page.browser.run("return document.querySelector('.panel-name')?.innerText ?? ''", json!([]))?;
    Ok(name.as_str().unwrap_or_default().to_owned())
}

/// Returns what a screen reader reads for the current frame.
fn current(page: &Page) -> Result<String> {
    let text = page.browser.run("return document.querySelector('#diff-current')?.textContent ?? ''", json!([]))?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// Returns the names in the table's visible rows.
fn rows(page: &Page) -> Result<Vec<String>> {
    let script = "return [...document.querySelectorAll('.compare-name')].map((name) => name.textContent)";
    Ok(serde_json::from_value(page.browser.run(script, json!([]))?)?)
}

/// Returns time A or B, in seconds.
fn handle(page: &Page, letter: &str) -> Result<f64> {
    let css = format!(".time-handle.is-{}", letter.to_lowercase());
    Ok(page.attribute(&css, "aria-valuenow")?.context("no handle")?.parse()?)
}

fn open(page: &Page, trace: &str) -> Result<()> {
    page.open()?;
    page.drop_path(&fixture(trace))?;
    page.wait_for_screen("loaded")
}

/// Opens a trace with the view in an address.
fn open_at(page: &Page, hash: &str, trace: &str) -> Result<()> {
    page.browser.go(&format!("{}{hash}", page.url))?;
    page.wait_for_worker("ready")?;
    page.drop_path(&fixture(trace))?;
    page.wait_for_screen("loaded")
}

/// Copies a trace to a file with another name.
fn copied(page: &Page, trace: &str, name: &str) -> Result<PathBuf> {
    page.make_file(name, &fs::read(fixture(trace))?)
}

fn fixture(trace: &str) -> PathBuf {
    camlscope_testkit::fixtures::folder().join(format!("{trace}.ctf"))
}

/// Returns the JSON output of `camlscope`. Names of fixtures are replaced with their paths.
fn cli(words: &[&str]) -> Result<Value> {
    let mut command = command_line()?;
    for word in words {
        let file = fixture(word);
        if file.is_file() {
            command.arg(file)
        } else {
            command.arg(word)
        };
    }
    let output = command.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}
