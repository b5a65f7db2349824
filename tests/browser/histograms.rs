//! Histograms. Their figures match the command line's.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::keys::{END, ENTER, ESCAPE, HOME, LEFT, RIGHT};
use crate::looks::fits_every_window;
use crate::page::Page;
use crate::traces::{command_line, explain};
use crate::visit::visit;

const ORDERS: &str = "orders-1e-4-v2";
const STRINGS: &str = "strings-0.01-v2";
const SHIFT: char = '\u{e008}';

#[test]
pub fn bars_and_statistics_match_the_command_line() -> Result<()> {
    visit(|page| {
        open(page, ORDERS, "")?;
        shows(
            page,
            &native(ORDERS, &["--of", "size", "--bins", "classic", "--weight", "bytes", "--measure", "peak"])?,
        )?;
        choose(page, "Weight", "blocks")?;
        choose(page, "Bins", "log2")?;
        shows(page, &native(ORDERS, &["--of", "size", "--bins", "log2", "--weight", "blocks", "--measure", "peak"])?)?;
        page.press("Lifetimes")?;
        choose(page, "Weight", "samples")?;
        shows(
            page,
            &native(ORDERS, &["--of", "lifetime", "--bins", "log2", "--weight", "samples", "--measure", "peak"])?,
        )?;
        choose(page, "Bins", "log10")?;
        shows(
            page,
            &native(ORDERS, &["--of", "lifetime", "--bins", "log10", "--weight", "samples", "--measure", "peak"])?,
        )
    })
}

#[test]
fn sizes_and_lifetimes_match_memtraces_own_reader() -> Result<()> {
    let facts = camlscope_testkit::fixtures::folder().join(format!("{STRINGS}.facts.json"));
    let facts: Value = serde_json::from_slice(&fs::read(facts)?)?;
    visit(|page| {
        open(page, STRINGS, "&show=allocated&bars.cuts=log2")?;
        waits(page)?;
        let sizes = facts["size_log2_samples"].as_object().context("no sizes")?;
        // The first bin is for one word, and no later bin is empty.
        for (log, samples) in sizes {
            let log: usize = log.parse()?;
            ensure!(Some(page.count(&format!("bins.{log}.samples"))?) == samples.as_u64(), "2^{log}: not {samples}");
        }
        let n_bins = page.browser.run("return document.querySelectorAll('[role=option]').length", json!([]))?;
        ensure!(n_bins == sizes.len(), "{n_bins} bars for {} ranges", sizes.len());

        page.press("Lifetimes")?;
        page.wait_for_address("bars=lifetimes")?;
        page.browser.run("location.hash += '&bars.cuts=log10'", json!([]))?;
        let never = facts["live_end"]["samples"].as_u64().context("no survivors")?;
        page.wait_for("the objects that were never freed", || Ok(page.count("never.samples").ok() == Some(never)))?;
        let lifetimes = facts["lifetime_log10us_samples"].as_object().context("no lifetimes")?;
        let expected: Vec<u64> = lifetimes.values().filter_map(Value::as_u64).collect();
        page.wait_for("one bar per decade", || {
            let shown: Vec<u64> = (0..).map_while(|at| page.count(&format!("bins.{at}.samples")).ok()).collect();
            Ok(shown == expected)
        })
    })
}

#[test]
fn large_and_external_blocks_have_different_colors() -> Result<()> {
    visit(|page| {
        open(page, STRINGS, "&show=allocated&bars.count=samples")?;
        waits(page)?;
        // In samples: 110,381 of memory that the program reported, and 109,819 of custom blocks.
        ensure!(page.count("parts.external")? == 110_381 + 109_819);
        ensure!(page.count("parts.major")? == 14_946);
        page.says("allocated in the major heap")?;
        page.says("outside the heap")?;
        let fills =
            "return ['.part-2', '.part-3'].map((css) => getComputedStyle(document.querySelector('.bars ' + css)).fill)";
        let fills = page.browser.run(fills, json!([]))?;
        ensure!(fills[0] != fills[1] && fills[0] != Value::Null, "both have the same color: {fills}");
        choose(page, "Split", "fate")?;
        page.wait_for("fates", || Ok(page.count("parts.still alive").ok() == Some(41_304)))
    })
}

#[test]
fn hover_shows_a_bars_figures_and_click_filters_by_it() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page, ORDERS, "&show=allocated")?;
        waits(page)?;
        let bar = 33;
        let (x, y) = page.point_in(&format!("#bar-{} .bars-room", bar - 1), 0.5, 0.5)?;
        page.mouse_at("mouseMoved", (x, y))?;
        page.wait_for("the bar's text", || Ok(page.figure("read.range").ok().as_deref() == Some("33 to 256 words")))?;
        let bytes = page.figure(&format!("bins.{bar}.bytes"))?;
        ensure!(page.figure("read.weight")? == bytes, "the text doesn't show the bar's {bytes} bytes");
        let readout = text(page, ".readout")?;
        ensure!(readout.contains('±') && readout.contains("% of total"), "{readout}");
        page.wait_for("the sites", || Ok(n_of(page, "[data-figure='read.site']")? == 3))?;
        let whole = native(ORDERS, &["--of", "size", "--bins", "classic", "--weight", "bytes"])?;

        page.mouse_at("mousePressed", (x, y))?;
        page.mouse_at("mouseReleased", (x, y))?;
        page.wait_for("the chip", || Ok(chips(page)?.contains(&"size=33..256".to_owned())))?;
        page.wait_for("only its bytes", || Ok(page.figure("stats.count")? == bytes))?;
        shows(
            page,
            &native(ORDERS, &["--of", "size", "--bins", "classic", "--weight", "bytes", "--size", "33..256"])?,
        )?;
        page.wait_for("the change", || Ok(text(page, ".stats")?.contains("entire trace")))?;
        let mean = whole["stats"]["mean"].as_f64().context("no mean")?.to_string();
        let shown =
            page.browser.run("return document.querySelector('[data-figure=\"stats.mean\"] + td')?.title", json!([]))?;
        ensure!(shown == mean.as_str(), "the mean of the entire trace is {mean}, not {shown}");
        page.go_back()?;
        page.wait_for("no chip", || Ok(chips(page)?.is_empty()))
    })
}

#[test]
fn drag_selects_bars_and_never_freed_is_a_separate_bar() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page, ORDERS, "&show=allocated&bars=lifetimes&bars.cuts=log10&bars.count=samples")?;
        waits(page)?;
        let (from, to) = (page.point_in("#bar-1 .bars-room", 0.5, 0.5)?, page.point_in("#bar-3 .bars-room", 0.5, 0.5)?);
        page.drag(from, to)?;
        let expected: u64 = (1..=3).map(|bin| page.count(&format!("bins.{bin}.samples"))).sum::<Result<u64>>()?;
        page.wait_for("three bars", || Ok(page.figure("read.weight").ok() == Some(expected.to_string())))?;
        ensure!(n_of(page, "[role=option][aria-selected=true]")? == 3);
        page.press("Filter by selection")?;
        // Exactly these objects, without live objects of the same age.
        page.wait_for("only their samples", || Ok(page.figure("stats.count")? == expected.to_string()))?;
        page.wait_for("no live objects", || Ok(page.count("never.samples")? == 0))?;

        page.go_back()?;
        page.wait_for("all bars", || Ok(chips(page)?.is_empty() && page.count("never.samples")? > 0))?;
        let never = page.count("never.samples")?;
        let at = page.point_in(".column-never .bars-room", 0.5, 0.5)?;
        page.mouse_at("mouseMoved", at)?;
        page.wait_for("the separate bar", || Ok(page.figure("read.range").ok().as_deref() == Some("never freed")))?;
        page.mouse_at("mousePressed", at)?;
        page.mouse_at("mouseReleased", at)?;
        page.wait_for("the chip", || Ok(chips(page)? == ["collected=never"]))?;
        page.wait_for("the same samples", || Ok(page.count("never.samples")? == never))
    })
}

#[test]
pub fn keyboard_moves_along_the_bars_selects_and_filters() -> Result<()> {
    visit(|page| {
        open(page, ORDERS, "&show=allocated&bars.count=samples")?;
        waits(page)?;
        page.browser.run("document.querySelector('.bars-stage').focus()", json!([]))?;
        page.browser.press(HOME)?;
        is_active(page, "1 word:")?;
        page.browser.press(RIGHT)?;
        page.browser.press(RIGHT)?;
        is_active(page, "3 words:")?;
        shift_press(page, &[RIGHT, RIGHT])?;
        is_active(page, "5 words:")?;
        ensure!(n_of(page, "[role=option][aria-selected=true]")? == 3);
        page.browser.press(ESCAPE)?;
        page.wait_for("no selection", || Ok(n_of(page, "[role=option][aria-selected=true]")? == 0))?;
        page.browser.press(END)?;
        is_active(page, "more than 10,000 words:")?;
        page.browser.press(LEFT)?;
        is_active(page, "257 to 10,000 words:")?;
        let samples = page.count("bins.34.samples")?;
        page.browser.press(ENTER)?;
        page.wait_for("only large blocks", || Ok(page.figure("stats.count")? == samples.to_string()))?;
        page.wait_for("the chip", || Ok(chips(page)? == ["size=257..10000"]))
    })
}

#[test]
fn bars_are_available_as_a_table_and_as_csv() -> Result<()> {
    visit(|page| {
        open(page, ORDERS, "&show=allocated")?;
        waits(page)?;
        page.browser.run("navigator.clipboard.writeText = async (text) => { window.copied = text }", json!([]))?;
        page.press("Copy as CSV")?;
        page.wait_for_text("Copied 37 rows.")?;
        let copied = page.browser.run("return window.copied", json!([]))?;
        let second = copied.as_str().and_then(|text| text.lines().nth(2)).context("nothing was copied")?;
        let samples = page.count("bins.1.samples")?;
        ensure!(second.starts_with(&format!("1,2,{samples},")), "{second}");
        page.click("//summary[.='Show as table']")?;
        let rows = n_of(page, ".behind tbody tr")?;
        ensure!(rows == n_of(page, "[role=option]")?, "{rows} rows");
        explain(page)?;
        page.says("One size dominates.")
    })
}

#[test]
fn histograms_report_when_there_are_not_enough_samples() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-6-v3", "&show=allocated")?;
        page.wait_for_text("Not enough samples (66 samples)")?;
        for kind in ["Lifetimes", "Size × lifetime", "Time × lifetime"] {
            page.press(kind)?;
            page.wait_for_text("Not enough samples (66 samples)")?;
        }
        fits_every_window(page)
    })
}

#[test]
fn empty_histogram_reports_that_nothing_passes_the_filter() -> Result<()> {
    visit(|page| {
        open(page, ORDERS, "&show=allocated&size=1..2&collected=never&lifetime=0us..1us")?;
        page.wait_for_text("Nothing passes the filter.")?;
        page.press("Time × lifetime")?;
        page.wait_for_text("Nothing passes the filter.")
    })
}

#[test]
fn selected_function_shows_its_timeline_lifetimes_and_sizes() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page, ORDERS, "&show=allocated")?;
        waits(page)?;
        page.mouse_at("mouseMoved", page.point_in("#bar-33 .bars-room", 0.5, 0.5)?)?;
        page.wait_for("a site", || Ok(n_of(page, "[data-figure='read.site']")? > 0))?;
        page.click("(//*[@data-figure='read.site'])[1]")?;
        for part in [".curve-line", ".panel-lifetimes .bar-died", ".panel-sizes .bar-died"] {
            page.wait_for(part, || Ok(n_of(page, &format!(".panel {part}"))? > 0))?;
        }
        Ok(())
    })
}

#[test]
fn histograms_fit_any_window_size() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page, ORDERS, "")?;
        waits(page)?;
        page.mouse_at("mouseMoved", page.point_in("#bar-32 .bars-room", 0.5, 0.5)?)?;
        page.wait_for("a site", || Ok(n_of(page, "[data-figure='read.site']")? > 0))?;
        fits_every_window(page)?;
        page.press("Lifetimes")?;
        choose(page, "Scale", "log")?;
        choose(page, "Split", "fate")?;
        waits(page)?;
        explain(page)?;
        fits_every_window(page)?;
        page.browser.press(ESCAPE)?;
        for kind in ["Size × lifetime", "Time × lifetime"] {
            page.press(kind)?;
            page.wait_for("a map", || Ok(page.count("heat.total").unwrap_or(0) > 0))?;
            fits_every_window(page)?;
        }
        Ok(())
    })
}

/// Opens a trace with a link to its histograms.
pub fn open(page: &Page, trace: &str, more: &str) -> Result<()> {
    page.browser.go(&format!("{}#tab=histograms{more}", page.url))?;
    page.wait_for_worker("ready")?;
    page.drop_path(&path(trace))?;
    page.wait_for_screen("loaded")
}

/// Waits until the bars show the response to the latest query.
fn waits(page: &Page) -> Result<()> {
    page.wait_for("bars", || {
        Ok(n_of(page, "[role=option]")? > 0
            && page.attribute("[data-waiting]", "data-waiting")?.as_deref() == Some("false"))
    })
}

/// Returns the output of `camlscope histogram --json`.
pub fn native(trace: &str, arguments: &[&str]) -> Result<Value> {
    let output = command_line()?
        // The page's default split. It sums the parts first, which affects rounding.
        .args(["histogram", "--json", "--split", "heap"])
        .args(arguments)
        .arg(path(trace))
        .output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}

pub fn path(trace: &str) -> PathBuf {
    camlscope_testkit::fixtures::folder().join(format!("{trace}.ctf"))
}

/// Waits until every figure equals the command line's exactly.
fn shows(page: &Page, expected: &Value) -> Result<()> {
    let bins = expected["bins"].as_array().context("no bins")?;
    let mut figures = Vec::new();
    for (at, bin) in bins.iter().enumerate() {
        // The bin for empty blocks is only shown if there are any.
        let is_left_out = bin["from"] == 0 && bin["to"] == 1 && bin["samples"] == 0;
        for name in ["samples", "bytes", "blocks"].into_iter().filter(|_| !is_left_out) {
            figures.push((format!("bins.{at}.{name}"), &bin[name]));
        }
    }
    for name in ["samples", "bytes", "blocks"].into_iter().filter(|_| !expected["never"].is_null()) {
        figures.push((format!("never.{name}"), &expected["never"][name]));
    }
    for name in ["count", "mean", "variance", "sd", "median", "p90", "p99", "max", "large_percent"] {
        figures.push((format!("stats.{name}"), &expected["stats"][name]));
    }
    let script = "return arguments[0].map((path) => document.querySelector(`[data-figure='${path}']`)?.dataset.value)";
    let paths = json!([figures.iter().map(|(path, _)| path).collect::<Vec<_>>()]);
    let mut wrong = String::new();
    let waited = page.wait_for("the command line's figures", || {
        let shown = page.browser.run(script, paths.clone())?;
        let shown = shown.as_array().context("no figures")?.clone();
        let is_same = |shown: &Value, expected: &Value| {
            shown.as_str().and_then(|text| text.parse::<f64>().ok()) == expected.as_f64() && shown.is_string()
        };
        let first = figures.iter().zip(&shown).find(|((_, expected), shown)| !is_same(shown, expected));
        wrong = first.map_or_else(String::new, |((path, expected), shown)| format!("{path}: {shown}, not {expected}"));
        Ok(wrong.is_empty())
    });
    waited.context(wrong)
}

pub fn choose(page: &Page, control: &str, value: &str) -> Result<()> {
    page.wait_until_idle()?;
    page.click(&format!("//select[@aria-label='{control}']/option[@value='{value}']"))
}

pub fn chips(page: &Page) -> Result<Vec<String>> {
    let script = "return [...document.querySelectorAll('[data-clause]')].map((chip) => chip.dataset.clause)";
    let chips = page.browser.run(script, json!([]))?;
    Ok(chips.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}

pub fn n_of(page: &Page, css: &str) -> Result<u64> {
    let n = page.browser.run("return document.querySelectorAll(arguments[0]).length", json!([css]))?;
    n.as_u64().context("no number")
}

pub fn text(page: &Page, css: &str) -> Result<String> {
    let text = page.browser.run("return document.querySelector(arguments[0])?.innerText ?? ''", json!([css]))?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// Waits until the focused bar's label, as read by a screen reader, starts with `words`.
fn is_active(page: &Page, words: &str) -> Result<()> {
    let script = "
        const id = document.querySelector('[role=listbox]').getAttribute('aria-activedescendant');
        return document.getElementById(id)?.getAttribute('aria-label') ?? ''";
    page.wait_for(&format!("the bar “{words}”"), || {
        Ok(page.browser.run(script, json!([]))?.as_str().is_some_and(|label| label.starts_with(words)))
    })
}

pub fn shift_press(page: &Page, keys: &[&str]) -> Result<()> {
    for key in keys {
        page.browser.press_with(SHIFT, key)?;
    }
    Ok(())
}
