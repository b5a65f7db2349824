//! The Source tab: figures next to the code of a folder that the user chooses. They match `camlscope annotate --json`.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::exporting::{save, saved, watch_saves};
use crate::histograms::chips;
use crate::leaks::{camlscope, open, press_tab};
use crate::looks::fits_every_window;
use crate::page::Page;
use crate::visit::{file_url, visit};

const TRACE: &str = "orders-1e-4-v2.ctf";
const PROFILE: &str = "spacetime-11710";

#[test]
fn chosen_folder_shows_the_command_lines_figures_next_to_the_code() -> Result<()> {
    visit(|page| {
        let folder = project(page)?;
        open(page, PROFILE)?;
        press_tab(page, "Source")?;
        choose(page, &folder)?;
        shows(page, &annotated_file(PROFILE, "leak.ml", &folder)?)?;

        open(page, TRACE)?;
        press_tab(page, "Source")?;
        page.wait_for_text("Files with the most memory")?;
        page.screenshot("source-empty")?;
        choose(page, &folder)?;
        shows(page, &annotated(&folder)?)?;
        let line = page.browser.run(
            "const line = document.querySelector('.source-rows .source-line');
            return [line.dataset.line, line.querySelector('code').textContent]",
            json!([]),
        )?;
        let number: usize = line[0].as_str().unwrap_or_default().parse()?;
        let text = fs::read_to_string(folder.join("src/orders.ml"))?;
        ensure!(line[1].as_str() == text.lines().nth(number - 1), "{line} is not the code");
        page.screenshot("source")?;
        page.prefer("dark")?;
        page.wait_until_idle()?;
        page.screenshot("source-dark")?;
        page.resize(390, 800)?;
        page.wait_until_idle()?;
        page.screenshot("source-narrow")?;
        fits_every_window(page)
    })
}

#[test]
fn click_on_a_line_filters_by_it_and_shows_its_callers_and_the_link_keeps_it() -> Result<()> {
    visit(|page| {
        let folder = project(page)?;
        open(page, TRACE)?;
        press_tab(page, "Source")?;
        choose(page, &folder)?;
        let line = hottest_line(page)?;
        click_line(page, line)?;
        page.wait_for("the filter", || Ok(chips(page)? == [format!("line=orders.ml:{line}")]))?;
        page.wait_until_idle()?;
        ensure!(page.figure("selected.line")?.ends_with(&format!("orders.ml:{line}")), "another line is selected");
        ensure!(page.text()?.contains("Called by"), "no callers");
        page.screenshot("source-line")?;

        // The link names file and line, but not the folder.
        page.browser.reload()?;
        page.wait_for_worker("ready")?;
        page.drop_path(&camlscope_testkit::fixtures::folder().join(TRACE))?;
        page.wait_for_screen("loaded")?;
        ensure!(page.figure("selected.line")?.ends_with(&format!("orders.ml:{line}")), "the link lost its line");
        choose(page, &folder)?;
        page.wait_for("the line", || {
            Ok(page.attribute(".source-pane .is-selected", "data-line")? == Some(line.to_string()))
        })
    })
}

#[test]
fn report_has_the_sources_only_if_asked_and_says_which() -> Result<()> {
    visit(|page| {
        /// Part of a comment.
        const CODE: &str = "the oldest entry leaves when a new one comes";
        let folder = project(page)?;
        open(page, TRACE)?;
        press_tab(page, "Source")?;
        choose(page, &folder)?;
        for usual in ["Report with the trace", "Report, anonymized"] {
            watch_saves(page)?;
            save(page, usual)?;
            ensure!(!saved(page)?.contains(CODE), "“{usual}” has source code");
        }
        watch_saves(page)?;
        page.pick("Share", "Report with sources…")?;
        page.says("Everyone who has the report can read this file")?;
        page.says("src/orders.ml")?;
        page.screenshot("source-report")?;
        page.browser.run("window.saved = null", json!([]))?;
        page.press("Save report with sources")?;
        page.wait_for("a file", || Ok(page.browser.run("return window.saved !== null", json!([]))? == true))?;
        let report = page.make_file("report.html", saved(page)?.as_bytes())?;
        page.browser.go(&file_url(&report)?)?;
        page.wait_for("the code", || Ok(page.attribute(".source-pane", "data-source")?.as_deref() == Some("read")))?;
        page.wait_until_idle()?;
        shows(page, &annotated(&folder)?)
    })
}

#[test]
fn selected_function_shows_its_source_and_leads_to_its_hottest_line() -> Result<()> {
    visit(|page| {
        let folder = project(page)?;
        open(page, TRACE)?;
        press_tab(page, "Source")?;
        choose(page, &folder)?;
        press_tab(page, "Table")?;
        page.click("//*[@role='row'][contains(., 'Orders.Render.article')]//*[contains(@class, 'name')]")?;
        page.wait_for("the excerpt", || Ok(page.attribute(".panel-source .is-selected", "data-line")?.is_some()))?;
        page.wait_until_idle()?;
        page.screenshot("source-panel")?;
        let hottest = &annotated(&folder)?["functions"];
        let hottest =
            hottest.as_array().into_iter().flatten().find(|function| function["label"] == "Orders.Render.article");
        let line = &hottest.context("the function")?["hottest_line"];
        page.press(&format!("orders.ml:{line}"))?;
        page.wait_for("the line", || {
            Ok(page.attribute(".source-pane .is-selected", "data-line")? == Some(line.to_string()))
        })
    })
}

#[test]
fn dropped_folder_with_a_newer_and_shorter_file_says_so() -> Result<()> {
    visit(|page| {
        let folder = project(page)?;
        let file = folder.join("src/orders.ml");
        let text: Vec<String> = fs::read_to_string(&file)?.lines().take(90).map(str::to_owned).collect();
        fs::write(&file, text.join("\n"))?;
        open(page, TRACE)?;
        page.drop_path(&folder)?;
        page.wait_for_text("src/orders.ml was changed after the trace was recorded.")?;
        page.says("past the end of src/orders.ml, which has 90 lines.")?;
        page.wait_until_idle()?;
        page.screenshot("source-newer")
    })
}

/// Makes a project whose files are older than the trace.
fn project(page: &Page) -> Result<PathBuf> {
    let folder = page.make_folder("shop")?;
    fs::create_dir_all(folder.join("src"))?;
    for name in ["orders.ml", "leak.ml"] {
        let file = folder.join("src").join(name);
        fs::copy(camlscope_testkit::fixtures::folder().join("source").join(name), &file)?;
        fs::File::options().write(true).open(&file)?.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1))?;
    }
    Ok(folder)
}

fn annotated(folder: &Path) -> Result<Value> {
    annotated_file(TRACE, "orders.ml", folder)
}

/// Returns the command line's figures of the page's first view.
fn annotated_file(trace: &str, file: &str, folder: &Path) -> Result<Value> {
    let source = folder.display().to_string();
    let printed = camlscope(&["annotate", trace, file, "--source", &source, "--measure", "peak", "--json"])?;
    Ok(printed["files"][0].clone())
}

fn choose(page: &Page, folder: &Path) -> Result<()> {
    page.type_into("#view input[webkitdirectory]", &folder.display().to_string())?;
    page.wait_for("the code", || Ok(page.attribute(".source-pane", "data-source")?.as_deref() == Some("read")))?;
    page.wait_until_idle()
}

/// Checks the lines that are drawn.
fn shows(page: &Page, expected: &Value) -> Result<()> {
    let lines = expected["lines"].as_array().context("lines")?;
    let script = "
        const value = (line, cell) => +line.querySelector(`[data-cell=${cell}]`).dataset.value;
        return [...document.querySelectorAll('.source-rows .source-line')]
            .map((line) => [+line.dataset.line, value(line, 'self'), value(line, 'total')])";
    let mut n_compared = 0;
    for shown in page.browser.run(script, json!([]))?.as_array().context("rows")? {
        let found = lines.iter().find(|line| line["line"] == shown[0]);
        let [own, total] =
            ["self", "total"].map(|name| found.map_or(0.0, |line| line[name].as_f64().unwrap_or(f64::NAN)));
        ensure!(shown[1].as_f64() == Some(own) && shown[2].as_f64() == Some(total), "{shown} is not {found:?}");
        n_compared += usize::from(found.is_some());
    }
    ensure!(n_compared > 3, "only {n_compared} lines with figures are drawn");
    Ok(())
}

/// Returns the line with the largest total among those that are drawn.
fn hottest_line(page: &Page) -> Result<u64> {
    let script = "
        const total = (line) => +line.querySelector('[data-cell=total]').dataset.value;
        const lines = [...document.querySelectorAll('.source-rows .source-line')].sort((a, b) => total(b) - total(a));
        return +lines[0].dataset.line";
    page.browser.run(script, json!([]))?.as_u64().context("a line")
}

fn click_line(page: &Page, line: u64) -> Result<()> {
    page.click(&format!("//*[contains(@class, 'source-pane')]//*[@data-line='{line}']//code"))
}
