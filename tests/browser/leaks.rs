//! The Leaks tab. Its figures match `camlscope leaks --json`.

use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::keys::{ENTER, ESCAPE, RIGHT};
use crate::looks::{columns_line_up, fits_every_window};
use crate::page::Page;
use crate::traces::{command_line, explain};
use crate::visit::visit;

#[test]
fn one_click_leads_from_a_dropped_trace_to_the_leaking_function() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-4-v3.ctf")?;
        press_tab(page, "Leaks")?;
        page.wait_for("a verdict", || Ok(page.figure("heap.verdict").ok().as_deref() == Some("growing")))?;
        page.says("Leak.make_session")?;
        page.says("A cache that is filling up")
    })
}

#[test]
pub fn verdict_matches_the_command_line() -> Result<()> {
    for trace in ["leak-late.ctf", "fill-30.ctf", "phases-1e-4-v2.ctf", "leak-1e-6-v3.ctf"] {
        visit(|page| {
            let heap = &camlscope(&["leaks", trace, "--json"])?["heap"];
            open(page, trace)?;
            press_tab(page, "Leaks")?;
            page.wait_for("a verdict", || Ok(page.figure("heap.verdict").is_ok()))?;
            let verdict = page.figure("heap.verdict")?;
            ensure!(heap["verdict"] == verdict.as_str(), "{trace}: {verdict} is not {heap}");
            let rate = page.figure("heap.growth_bytes_per_s").ok().and_then(|rate| rate.parse::<f64>().ok());
            ensure!(heap["growth_bytes_per_s"].as_f64() == rate, "{trace}: {rate:?} is not {heap}");
            fits_every_window(page)
        })?;
    }
    Ok(())
}

#[test]
fn click_on_a_bar_filters_by_its_time_and_a_second_click_undoes_it() -> Result<()> {
    visit(|page| {
        open(page, "leak-late.ctf")?;
        press_tab(page, "Leaks")?;
        let verdict = headline(page)?;
        let place = place_at(page, 0.7)?;
        page.click_at(place)?;
        let clause = "return document.querySelector('[data-clause]')?.dataset.clause ?? ''";
        page.wait_for("a time range", || {
            let clause = page.browser.run(clause, json!([]))?;
            Ok(clause.as_str().is_some_and(|clause| clause.contains("allocated=4")))
        })?;
        page.says("This applies to the entire trace, regardless of filters.")?;
        ensure!(headline(page)? == verdict, "a time range changed the verdict");
        page.wait_until_idle()?;
        page.click_at(place_at(page, 0.7)?)?;
        page.wait_for("no time range", || Ok(page.browser.run(clause, json!([]))? == ""))?;

        page.drag(place_at(page, 0.5)?, place_at(page, 0.8)?)?;
        page.wait_for("a longer time range", || {
            let clause = page.browser.run(clause, json!([]))?;
            Ok(clause.as_str().is_some_and(|clause| clause.contains("allocated=")))
        })
    })
}

#[test]
pub fn keyboard_moves_along_the_bars_and_filters() -> Result<()> {
    visit(|page| {
        open(page, "leak-late.ctf")?;
        press_tab(page, "Leaks")?;
        headline(page)?;
        page.wait_until_idle()?;
        page.browser.run("document.querySelector('.leaks-canvas').focus()", json!([]))?;
        page.browser.press(RIGHT)?;
        page.wait_for_text("Allocated from 0 s to")?;
        page.browser.press(RIGHT)?;
        page.browser.press(ENTER)?;
        page.wait_for("a time range", || Ok(page.attribute("[data-clause^=allocated]", "data-on")?.is_some()))
    })
}

#[test]
fn selected_frame_has_its_own_bars() -> Result<()> {
    visit(|page| {
        open(page, "leak-late.ctf")?;
        press_tab(page, "Leaks")?;
        headline(page)?;
        page.wait_until_idle()?;
        ensure!(page.figure("bars.0.passing").is_err(), "without a selection, all bars are of the whole heap");
        let script = "
            const canvas = document.querySelector('.leaks-detail .flame-canvas');
            canvas.scrollIntoView({ block: 'center' });
            const { left, top, width } = canvas.getBoundingClientRect();
            return [left + width * 0.05, top + 50]";
        let place: (f64, f64) = serde_json::from_value(page.browser.run(script, json!([]))?)?;
        page.click_at(place)?;
        page.wait_for("the frame's bars", || Ok(page.figure("bars.0.passing").is_ok()))?;
        page.wait_until_idle()?;
        let sum = |name: &str| -> Result<f64> {
            let script = "
                const cells = [...document.querySelectorAll(`[data-figure$='.${arguments[0]}'][data-figure^='bars.']`)];
                return cells.reduce((sum, cell) => sum + Number(cell.dataset.value), 0)";
            page.browser.run(script, json!([name]))?.as_f64().context("no sum")
        };
        let (all, passing) = (sum("all")?, sum("passing")?);
        ensure!(passing > 0.0 && passing < all, "the frame has {passing} of {all}");
        page.says("of the growth")?;
        page.press("Deselect")?;
        page.wait_for("the heap's bars", || Ok(page.figure("bars.0.passing").is_err()))
    })
}

#[test]
fn time_range_does_not_change_the_verdict() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-4-v3.ctf")?;
        press_tab(page, "Leaks")?;
        let verdict = headline(page)?;
        let hash = "location.hash = '#tab=leaks&allocated=1s..2s'";
        page.browser.run(hash, json!([]))?;
        page.wait_for_text("This applies to the entire trace, regardless of filters.")?;
        page.wait_until_idle()?;
        ensure!(headline(page)? == verdict, "{} is not {verdict}", headline(page)?);
        ensure!(page.figure("heap.verdict")? == "growing", "a time range changed the verdict");
        Ok(())
    })
}

#[test]
fn growth_table_survives_a_reload() -> Result<()> {
    visit(|page| {
        open(page, "leak-late.ctf")?;
        press_tab(page, "Leaks")?;
        headline(page)?;
        page.click("//*[@aria-label='Show growth as']/button[.='Table']")?;
        page.wait_for("rates", || Ok(first_cell(page)?.ends_with("/s")))?;
        page.wait_for_address("leak.view=table")?;
        page.browser.reload()?;
        page.wait_for_worker("ready")?;
        page.drop_path(&fixture("leak-late.ctf"))?;
        page.wait_for_screen("loaded")?;
        page.wait_for("rates again", || Ok(first_cell(page)?.ends_with("/s")))?;
        columns_line_up(page, ".table-line")
    })
}

#[test]
fn leaks_group_by_function_and_call_sites_of_a_line_can_be_told_apart() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-4-v3.ctf")?;
        press_tab(page, "Table")?;
        choose(page, "Group by", "site")?;
        press_tab(page, "Leaks")?;
        page.click("//*[@aria-label='Show growth as']/button[.='Table']")?;
        let grain = "return document.querySelector('select[aria-label=\"Group by\"]').value";
        page.wait_for("functions, as from a finding", || Ok(page.browser.run(grain, json!([]))? == "function"))?;
        choose(page, "Group by", "site")?;
        for width in [1440, 390] {
            page.resize(width, 900)?;
            let lines = "return [...document.querySelectorAll('.table-body .table-line')].map((line) =>
                [...line.querySelectorAll('.cell-name, .cell-file')].map((cell) => cell.innerText.trim()).join(' '))";
            let mut lines_shown = Value::Null;
            page.wait_for("three call sites of one line", || {
                lines_shown = page.browser.run(lines, json!([]))?;
                let lines: Vec<&str> = lines_shown.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
                Ok(lines.iter().filter(|line| line.contains("leak.ml:5:")).count() == 3)
            })?;
            let lines = lines_shown.as_array().context("no lines")?;
            let is_repeated = (1..lines.len()).any(|at| lines[..at].contains(&lines[at]));
            ensure!(!is_repeated, "lines look the same: {lines_shown}");
        }
        page.resize(1440, 900)?;
        // The Table tab keeps its own grouping.
        choose(page, "Group by", "module")?;
        press_tab(page, "Table")?;
        page.wait_for("call sites", || Ok(page.browser.run(grain, json!([]))? == "site"))
    })
}

#[test]
fn growth_is_available_as_a_measure_in_every_view() -> Result<()> {
    visit(|page| {
        open(page, "leak-late.ctf")?;
        press_tab(page, "Table")?;
        choose(page, "Measure", "Growth")?;
        page.wait_for("a rate", || Ok(first_cell(page)?.ends_with("/s")))?;
        let script =
            "return document.querySelector(\"[data-figure='passing.passing.value']\")?.textContent.trim() ?? ''";
        for (unit, words) in [("samples", "samples/s"), ("blocks", "blocks/s"), ("bytes", "KiB/s")] {
            choose(page, "Unit", unit)?;
            page.wait_for(words, || {
                Ok(page.browser.run(script, json!([]))?.as_str().is_some_and(|text| text.ends_with(words)))
            })?;
        }
        page.click("(//*[contains(@class, 'table-body')]//*[@role='row'])[1]")?;
        page.wait_for("the panel", || {
            Ok(page.attribute(".panel [data-figure='selected.total_bytes']", "title")?.is_some())
        })?;
        let total = "return document.querySelector(\".panel [data-figure='selected.total_bytes']\").textContent";
        let total = page.browser.run(total, json!([]))?;
        ensure!(total.as_str().is_some_and(|total| total.contains("/s")), "the panel shows {total}");
        for tab in ["Flame graph", "Histograms", "Compare", "Summary"] {
            press_tab(page, tab)?;
            page.wait_until_idle()?;
        }
        Ok(())
    })
}

#[test]
fn heap_that_stopped_growing_shows_what_was_never_freed() -> Result<()> {
    visit(|page| {
        open(page, "fill-30.ctf")?;
        press_tab(page, "Leaks")?;
        page.wait_for("a verdict", || Ok(page.figure("heap.verdict").ok().as_deref() == Some("stopped")))?;
        page.says("Allocated before 30.0 s and never freed")?;
        page.click("//*[@aria-label='Show growth as']/button[.='Table']")?;
        page.wait_for("rates", || Ok(first_cell(page)?.ends_with("/s")))
    })
}

#[test]
fn leaks_fit_any_window_size_with_everything_expanded() -> Result<()> {
    visit(|page| {
        open(page, "orders-1e-4-v2.ctf")?;
        press_tab(page, "Leaks")?;
        headline(page)?;
        fits_every_window(page)?;
        explain(page)?;
        page.says("Record a longer trace to find out.")?;
        fits_every_window(page)?;
        page.browser.press(ESCAPE)?;
        page.click("//summary[.='Show as table']")?;
        fits_every_window(page)
    })
}

#[test]
fn bars_have_enough_contrast_in_light_and_dark_mode() -> Result<()> {
    visit(|page| {
        open(page, "leak-late.ctf")?;
        page.browser.run("location.hash = '#tab=leaks&function-is=Dune__exe__Growth.Row.make'", json!([]))?;
        page.wait_for("the bars of the filter", || Ok(page.figure("bars.0.passing").is_ok()))?;
        // Returns the contrast of each color of the bars with the background.
        let script = "
            const canvas = document.querySelector('.leaks-canvas');
            const { width, height } = canvas;
            const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
            copy.drawImage(canvas, 0, 0);
            const pixels = copy.getImageData(width * 0.5, height * 0.4, width * 0.4, height * 0.5).data;
            const seen = new Map();
            for (let at = 0; at < pixels.length; at += 4) if (pixels[at + 3] === 255) {
                const color = pixels.slice(at, at + 3).join();
                seen.set(color, (seen.get(color) ?? 0) + 1);
            }
            const light = (color) => color.match(/\\d+/g).slice(0, 3).map(Number).map((c) => c / 255)
                .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
                .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0.05);
            const ground = light(getComputedStyle(document.querySelector('.leaks-view')).backgroundColor);
            const wide = [...seen].sort((one, two) => two[1] - one[1]).slice(0, 2).map(([color]) => light(color));
            return wide.map((color) => Math.max(color, ground) / Math.min(color, ground))";
        for scheme in ["light", "dark"] {
            page.prefer(scheme)?;
            let mut contrasts = Value::Null;
            let waited = page.wait_for("bars with enough contrast", || {
                contrasts = page.browser.run(script, json!([]))?;
                let contrasts = contrasts.as_array().into_iter().flatten().filter_map(Value::as_f64);
                Ok(contrasts.filter(|contrast| *contrast >= 3.0).count() == 2)
            });
            waited.with_context(|| format!("{scheme}: the contrasts are {contrasts}"))?;
        }
        Ok(())
    })
}

/// Drops a fixture and waits until it's open.
pub fn open(page: &Page, file: &str) -> Result<()> {
    page.resize(1440, 900)?;
    page.open()?;
    page.drop_path(&fixture(file))?;
    page.wait_for_screen("loaded")
}

pub fn press_tab(page: &Page, title: &str) -> Result<()> {
    page.click(&format!("//button[@role='tab'][.='{title}']"))
}

/// Returns the output of the command line. File names of fixtures are replaced with their paths.
pub fn printed(arguments: &[&str]) -> Result<String> {
    let arguments = arguments.iter().map(|argument| match fixture(argument) {
        path if path.is_file() => path.into_os_string(),
        _ => argument.into(),
    });
    let output = command_line()?.args(arguments).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

pub fn camlscope(arguments: &[&str]) -> Result<Value> {
    Ok(serde_json::from_str(&printed(arguments)?)?)
}

/// Chooses an option in the select with this name.
pub fn choose(page: &Page, name: &str, value: &str) -> Result<()> {
    let option = format!("//select[@aria-label='{name}']/option[@value='{value}']");
    page.click(&option).with_context(|| format!("choosing {value}"))
}

pub fn fixture(file: &str) -> PathBuf {
    camlscope_testkit::fixtures::folder().join(file)
}

/// Waits for the verdict and returns the headline.
fn headline(page: &Page) -> Result<String> {
    page.wait_for("a verdict", || Ok(page.figure("heap.verdict").is_ok()))?;
    let text = page.browser.run("return document.querySelector('.leaks-headline').textContent", json!([]))?;
    Ok(text.as_str().context("no headline")?.to_owned())
}

/// Returns a point in the bars, at a fraction of the trace's time.
fn place_at(page: &Page, share: f64) -> Result<(f64, f64)> {
    let [left, top, width, height] = page.area(".leaks-canvas")?;
    Ok((left + 64.0 + (width - 80.0) * share, top + height / 2.0))
}

/// Returns the text of the first row's rate.
fn first_cell(page: &Page) -> Result<String> {
    let script = "return document.querySelector('.table-body [data-cell=total_bytes] > span')?.textContent ?? ''";
    Ok(page.browser.run(script, json!([]))?.as_str().unwrap_or_default().to_owned())
}
