//! What the page says must not mislead: a figure keeps its meaning wherever it stands, and advice fits what it is about.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::accessible::is_accessible;
use crate::leaks::{self, press_tab};
use crate::page::Page;
use crate::sentence::open as open_sample;
use crate::traces::TYPECORE;
use crate::visit::visit;

/// By name, what each row of the table has itself.
const SELF_FIGURES: &str = "return [...document.querySelectorAll('.table-line')]
    .filter((line) => line.querySelector('[data-cell=self_bytes]'))
    .map((line) => [line.querySelector('.name').title, line.querySelector('[data-cell=self_bytes]').dataset.value]).slice(0, 10)";

#[test]
fn folded_recursion_changes_no_figure_of_the_table_and_shows_in_the_sentence() -> Result<()> {
    visit(|page| {
        open(page, "#tab=table&by=module&order=self", "typecore-1e-4-v2.ctf")?;
        let plain = page.browser.run(SELF_FIGURES, json!([]))?;
        ensure!(plain.as_array().is_some_and(|rows| rows.len() == 10), "the table shows {plain}");
        open(page, "#tab=table&by=module&order=self&recursion=folded", "typecore-1e-4-v2.ctf")?;
        page.says("recursion folded")?;
        let folded = page.browser.run(SELF_FIGURES, json!([]))?;
        ensure!(folded == plain, "folding turns {plain} into {folded}");
        is_accessible(page, "a folded table")?;
        page.click("//button[@aria-label='Remove: recursion folded']")?;
        page.wait_for("the chip to go", || Ok(!page.text()?.contains("recursion folded")))
    })
}

#[test]
fn library_code_is_one_switch_that_a_finding_does_not_leave_behind() -> Result<()> {
    visit(|page| {
        open(page, "", TYPECORE.file)?;
        let is_on = || {
            let script = "return document.querySelector('[data-reading=library] input').checked";
            Ok::<_, anyhow::Error>(page.browser.run(script, json!([]))? == true)
        };
        ensure!(!is_on()?, "library code is not told apart from the start");
        page.click("(//a[@data-finding])[1]")?;
        page.wait_for("the switch to be on", is_on)?;
        page.click("//*[@id='tab-flame']")?;
        page.wait_for("the switch to be off again", || Ok(!is_on()?))?;
        page.wait_until_idle()?;
        page.click("//*[@data-reading='library']/input")?;
        page.wait_for("the switch to be on", is_on)?;
        page.click("//*[@id='tab-table']")?;
        page.wait_until_idle()?;
        ensure!(is_on()?, "the reader's own switch is gone");
        let library = "return [...document.querySelectorAll('.table-line .name')].filter((name) => name.title.startsWith('Stdlib')).length";
        ensure!(page.browser.run(library, json!([]))? == 0, "library code is still told apart");
        Ok(())
    })
}

#[test]
fn where_the_filter_moves_the_peak_both_are_named_and_can_be_chosen() -> Result<()> {
    visit(|page| {
        // What dies within the first ten seconds is gone at the sample's peak.
        open_sample(page, "#tab=table&collected=..10s")?;
        page.wait_for_text("Nothing that passes the filter is live at the trace’s peak.")?;
        let timeline = || page.attribute(".timeline-canvas", "aria-valuetext");
        page.wait_for("both peaks beside the timeline", || {
            Ok(timeline()?.is_some_and(|text| text.contains("filter’s peak") && text.contains("trace’s peak")))
        })?;
        is_accessible(page, "a filter with a peak of its own")?;
        page.press("Show it")?;
        let chosen =
            "const all = document.querySelector('select[aria-label=\"Measure\"]'); return all.selectedOptions[0].text";
        page.wait_for("the filter's peak", || Ok(page.browser.run(chosen, json!([]))? == "live at the filter’s peak"))?;
        page.wait_for("something that is live", || Ok(page.count("passing.passing.samples").is_ok_and(|n| n > 0)))?;
        page.press("trace’s peak")?;
        page.wait_for("the trace's peak", || Ok(page.browser.run(chosen, json!([]))? == "live at the trace’s peak"))?;
        page.press("filter’s peak")?;
        page.wait_for("the filter's peak", || Ok(page.browser.run(chosen, json!([]))? == "live at the filter’s peak"))
    })
}

#[test]
fn the_hint_for_an_empty_result_names_a_clause_that_brings_something_back() -> Result<()> {
    for tab in ["table", "flame", "histograms"] {
        visit(|page| {
            // The newest clause is harmless: it is the older one that nothing passes.
            open_sample(page, &format!("#tab={tab}&show=allocated&size=134217728..&lifetime=1us.."))?;
            let named = "return [...document.querySelectorAll('[data-loosen]')].map((hint) => hint.dataset.loosen)";
            page.wait_for("a hint in the sentence and in the view", || {
                Ok(page.browser.run(named, json!([]))?.as_array().is_some_and(|hints| hints.len() == 2))
            })?;
            let hints = page.browser.run(named, json!([]))?;
            let names_size = |hint: &Value| hint.as_str().is_some_and(|hint| hint.contains("larger than"));
            ensure!(hints.as_array().is_some_and(|hints| hints.iter().all(names_size)), "the hints are {hints}");
            page.press("Disable it")?;
            page.wait_for("what comes back", || Ok(page.count("passing.passing.samples").is_ok_and(|n| n > 0)))
        })?;
    }
    Ok(())
}

#[test]
fn where_nothing_was_sampled_no_view_offers_something_else_instead() -> Result<()> {
    visit(|page| {
        leaks::open(page, "empty-1e-6-v3.ctf")?;
        for tab in ["Summary", "Flame graph", "Table", "Histograms", "Leaks", "Events"] {
            press_tab(page, tab)?;
            page.wait_until_idle()?;
            page.says("No allocations were sampled.")?;
            ensure!(
                page.browser.find("css selector", ".nothing button, .flame-empty button").is_err(),
                "{tab} offers more"
            );
        }
        Ok(())
    })
}

#[test]
fn each_block_of_the_panel_says_what_it_is_about() -> Result<()> {
    visit(|page| {
        open_sample(page, "#tab=table")?;
        page.click("(//*[contains(@class, 'table-line')])[3]")?;
        page.wait_for("the panel", || Ok(page.figure("selected.mean_lifetime_us").is_ok()))?;
        // The heading that an element stands under.
        let heading = "
            const before = [...document.querySelectorAll('.panel h3')].filter((heading) =>
                heading.compareDocumentPosition(document.querySelector(arguments[0])) & Node.DOCUMENT_POSITION_FOLLOWING);
            return before.at(-1)?.textContent ?? ''";
        let of_figures = page.browser.run(heading, json!(["[data-figure='selected.mean_lifetime_us']"]))?;
        ensure!(of_figures == "Bytes live at the peak", "the figures stand under “{of_figures}”");
        let of_pictures = page.browser.run(heading, json!([".panel-lifetimes"]))?;
        ensure!(of_pictures == "All allocations", "the lifetimes stand under “{of_pictures}”");
        is_accessible(page, "the panel")
    })
}

#[test]
fn bigarrays_are_outside_the_heap_and_a_larger_minor_heap_is_not_advised_for_them() -> Result<()> {
    visit(|page| {
        open(page, "", "strings-0.01-v2.ctf")?;
        page.wait_for_text("outside the OCaml heap (such as Bigarrays)")?;
        ensure!(!page.text()?.contains("A larger minor heap"), "a larger minor heap is advised");
        ensure!(!page.text()?.contains("is promoted and then dies"), "Bigarrays are called promoted");
        Ok(())
    })
}

#[test]
fn a_finding_leads_to_the_figure_that_it_promised() -> Result<()> {
    for trace in ["typecore-1e-4-v2.ctf", "orders-1e-4-v2.ctf", "leak-1e-4-v3.ctf"] {
        visit(|page| {
            // The last reader had another grain, another order, a search.
            open(page, "#by=module&order=name&search=zzz", trace)?;
            page.wait_for("findings", || Ok(page.attribute("[data-finding]", "class")?.is_some()))?;
            let kinds = page.browser.run(
                "return [...document.querySelectorAll('[data-finding]')].map((one) => one.dataset.finding)",
                json!([]),
            )?;
            let marked_kinds = [
                "Growing",
                "PeakHolder",
                "Allocator",
                "PromotedDies",
                "NeverFreed",
                "LargeBlocks",
                "OutsideHeap",
                "Rush",
            ];
            for (at, kind) in kinds.as_array().context("no findings")?.iter().enumerate() {
                if !marked_kinds.iter().any(|marked| kind == marked) {
                    continue;
                }
                let figure = if kind == "Growing" { "bytes_per_second" } else { "bytes" };
                let promised: f64 = page.figure(&format!("findings.{at}.figures.{figure}"))?.parse()?;
                page.click(&format!("(//*[@data-finding])[{}]", at + 1))?;
                page.wait_until_idle()?;
                let marked = page.browser.run(
                    "return [...document.querySelectorAll('.promised')].map((mark) => mark.closest('[data-value]').dataset.value)",
                    json!([]),
                )?;
                let [marked] = marked.as_array().map_or(&[][..], Vec::as_slice) else {
                    bail!("{kind} of {trace} leads to these marks: {marked}");
                };
                let shown: f64 = marked.as_str().context("no figure")?.parse()?;
                ensure!((shown - promised).abs() < 1.0, "{kind} of {trace} promised {promised}; {shown} is marked");
                page.go_back()?;
                page.wait_for("summary", || Ok(page.figure("findings.0.figures.share").is_ok()))?;
                page.wait_until_idle()?;
            }
            Ok(())
        })?;
    }
    Ok(())
}

#[test]
fn what_is_live_is_never_divided_by_a_time_in_whatever_it_is_counted() -> Result<()> {
    visit(|page| {
        open(page, "#tab=compare&versus=traces&versus.scale=per-second&show=blocks&live-at=peak", "leak-1e-6-v3.ctf")?;
        page.drop_path(&fixture("leak-1e-4-v3.ctf"))?;
        page.wait_for("the comparison", || Ok(page.text()?.contains("per second")))?;
        page.wait_until_idle()?;
        let per_second = "
            const option = [...document.querySelectorAll('option')].find((option) => option.text === 'per second');
            return [option.disabled, option.selected]";
        let state = page.browser.run(per_second, json!([]))?;
        ensure!(state == json!([true, false]), "per second is disabled and chosen: {state}");
        Ok(())
    })
}

#[test]
fn a_sum_of_bytes_is_not_called_a_count() -> Result<()> {
    visit(|page| {
        open_sample(page, "#tab=histograms")?;
        page.wait_for("the statistics", || Ok(page.figure("stats.count").is_ok()))?;
        let name = "return document.querySelector('[data-figure=\"stats.count\"]').closest('tr').querySelector('th').textContent";
        let name = page.browser.run(name, json!([]))?;
        ensure!(name == "total", "the sum is called {name}");
        Ok(())
    })
}

#[test]
fn with_the_time_of_day_the_peak_is_told_by_it_too() -> Result<()> {
    visit(|page| {
        open(page, "#clock=wall&tab=table", TYPECORE.file)?;
        let told = || page.attribute(".timeline-canvas", "aria-valuetext");
        page.wait_for("the peak", || Ok(told()?.is_some_and(|text| text.contains("peak "))))?;
        let told = told()?.context("no text")?;
        let (_, at) = told.rsplit_once(" at ").context("no time")?;
        let is_of_day = at.len() == "12:03:11.042".len() && at.matches(':').count() == 2;
        ensure!(is_of_day, "the peak is told as {told}");
        Ok(())
    })
}

fn open(page: &Page, hash: &str, trace: &str) -> Result<()> {
    page.browser.go("about:blank")?;
    page.browser.go(&format!("{}{hash}", page.url))?;
    page.wait_for_worker("ready")?;
    page.drop_path(&fixture(trace))?;
    page.wait_for_screen("loaded")?;
    page.wait_until_idle()
}

fn fixture(trace: &str) -> PathBuf {
    camlscope_testkit::fixtures::folder().join(trace)
}
