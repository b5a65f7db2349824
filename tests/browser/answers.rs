//! The page must not mislead: a figure means the same everywhere, and advice fits its subject.

use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use crate::accessible::is_accessible;
use crate::leaks::{self, press_tab};
use crate::page::Page;
use crate::sentence::open as open_sample;
use crate::traces::TYPECORE;
use crate::visit::visit;

/// Returns the names and self figures of the table's first ten rows.
const SELF_FIGURES: &str = "return [...document.querySelectorAll('.table-line')]
    .filter((line) => line.querySelector('[data-cell=self_bytes]'))
    .map((line) => [line.querySelector('.name').title, line.querySelector('[data-cell=self_bytes]').dataset.value]).slice(0, 10)";

#[test]
fn folding_recursion_keeps_self_figures_and_adds_a_chip() -> Result<()> {
    visit(|page| {
        open(page, "#tab=table&by=module&order=self", "typecore-1e-4-v2.ctf")?;
        let plain = page.browser.run(SELF_FIGURES, json!([]))?;
        ensure!(plain.as_array().is_some_and(|rows| rows.len() == 10), "the table shows {plain}");
        open(page, "#tab=table&by=module&order=self&recursion=folded", "typecore-1e-4-v2.ctf")?;
        page.says("recursion folded")?;
        let folded = page.browser.run(SELF_FIGURES, json!([]))?;
        ensure!(folded == plain, "folding changed {plain} to {folded}");
        is_accessible(page, "a folded table")?;
        page.click("//button[@aria-label='Remove: recursion folded']")?;
        page.wait_for("the chip to disappear", || Ok(!page.text()?.contains("recursion folded")))
    })
}

#[test]
fn library_switch_set_by_a_finding_is_reset_but_the_users_own_stays() -> Result<()> {
    visit(|page| {
        open(page, "", TYPECORE.file)?;
        let is_on = || {
            let script = "return document.querySelector('[data-reading=library] input').checked";
            Ok::<_, anyhow::Error>(page.browser.run(script, json!([]))? == true)
        };
        ensure!(!is_on()?, "the library switch is on from the start");
        page.click("(//a[@data-finding])[1]")?;
        page.wait_for("the switch to be on", is_on)?;
        page.click("//*[@id='tab-flame']")?;
        page.wait_for("the switch to be off again", || Ok(!is_on()?))?;
        page.wait_until_idle()?;
        page.click("//*[@data-reading='library']/input")?;
        page.wait_for("the switch to be on", is_on)?;
        page.click("//*[@id='tab-table']")?;
        page.wait_until_idle()?;
        ensure!(is_on()?, "the user's own setting was reset");
        let library = "return [...document.querySelectorAll('.table-line .name')].filter((name) => name.title.startsWith('Stdlib')).length";
        ensure!(page.browser.run(library, json!([]))? == 0, "library functions still have their own rows");
        Ok(())
    })
}

#[test]
fn both_peaks_can_be_chosen_when_the_filter_moves_the_peak() -> Result<()> {
    visit(|page| {
        // Objects that die within the first ten seconds aren't live at the sample's peak.
        open_sample(page, "#tab=table&collected=..10s")?;
        page.wait_for_text("Nothing that passes the filter is live at the trace’s peak.")?;
        let timeline = || page.attribute(".timeline-canvas", "aria-valuetext");
        page.wait_for("both peaks on the timeline", || {
            Ok(timeline()?.is_some_and(|text| text.contains("filter’s peak") && text.contains("trace’s peak")))
        })?;
        is_accessible(page, "a filter with its own peak")?;
        page.press("Show it")?;
        let chosen =
            "const all = document.querySelector('select[aria-label=\"Measure\"]'); return all.selectedOptions[0].text";
        page.wait_for("the filter's peak", || Ok(page.browser.run(chosen, json!([]))? == "Live at the filter’s peak"))?;
        page.wait_for("live objects", || Ok(page.count("passing.passing.samples").is_ok_and(|n| n > 0)))?;
        page.press("trace’s peak")?;
        page.wait_for("the trace's peak", || Ok(page.browser.run(chosen, json!([]))? == "Live at the trace’s peak"))?;
        page.press("filter’s peak")?;
        page.wait_for("the filter's peak", || Ok(page.browser.run(chosen, json!([]))? == "Live at the filter’s peak"))
    })
}

#[test]
fn empty_result_names_the_filter_that_hides_everything() -> Result<()> {
    for tab in ["table", "flame", "histograms"] {
        visit(|page| {
            // The newest filter hides nothing. The older one hides everything.
            open_sample(page, &format!("#tab={tab}&show=allocated&size=134217728..&lifetime=1us.."))?;
            let named = "return [...document.querySelectorAll('[data-loosen]')].map((hint) => hint.dataset.loosen)";
            page.wait_for("a hint in the sentence and in the view", || {
                Ok(page.browser.run(named, json!([]))?.as_array().is_some_and(|hints| hints.len() == 2))
            })?;
            let hints = page.browser.run(named, json!([]))?;
            let names_size = |hint: &Value| hint.as_str().is_some_and(|hint| hint.contains("larger than"));
            ensure!(hints.as_array().is_some_and(|hints| hints.iter().all(names_size)), "the hints are {hints}");
            page.press("Disable it")?;
            page.wait_for("objects that pass", || Ok(page.count("passing.passing.samples").is_ok_and(|n| n > 0)))
        })?;
    }
    Ok(())
}

#[test]
fn views_of_a_trace_without_samples_offer_no_actions() -> Result<()> {
    visit(|page| {
        leaks::open(page, "empty-1e-6-v3.ctf")?;
        for tab in ["Summary", "Flame graph", "Table", "Histograms", "Leaks", "Events"] {
            press_tab(page, tab)?;
            page.wait_until_idle()?;
            page.says("No allocations were sampled.")?;
            ensure!(
                page.browser.find("css selector", ".nothing button, .flame-empty button").is_err(),
                "{tab} offers an action"
            );
        }
        Ok(())
    })
}

#[test]
fn panel_sections_have_the_right_headings() -> Result<()> {
    visit(|page| {
        open_sample(page, "#tab=table")?;
        page.click("(//*[contains(@class, 'table-line')])[3]")?;
        page.wait_for("the panel", || Ok(page.figure("selected.mean_lifetime_us").is_ok()))?;
        // Returns the heading above an element.
        let heading = "
            const before = [...document.querySelectorAll('.panel h3')].filter((heading) =>
                heading.compareDocumentPosition(document.querySelector(arguments[0])) & Node.DOCUMENT_POSITION_FOLLOWING);
            return before.at(-1)?.textContent ?? ''";
        let of_figures = page.browser.run(heading, json!(["[data-figure='selected.mean_lifetime_us']"]))?;
        ensure!(of_figures == "Bytes live at the peak", "the figures are below “{of_figures}”");
        let of_pictures = page.browser.run(heading, json!([".panel-lifetimes"]))?;
        ensure!(of_pictures == "All allocations", "the lifetimes are below “{of_pictures}”");
        is_accessible(page, "the panel")
    })
}

#[test]
fn bigarrays_are_outside_the_heap_and_get_no_minor_heap_advice() -> Result<()> {
    visit(|page| {
        open(page, "", "strings-0.01-v2.ctf")?;
        page.wait_for_text("outside the OCaml heap (such as Bigarrays)")?;
        ensure!(!page.text()?.contains("A larger minor heap"), "the page suggests a larger minor heap");
        ensure!(!page.text()?.contains("is promoted and then dies"), "Bigarrays are called promoted");
        Ok(())
    })
}

#[test]
fn finding_opens_a_view_with_the_same_figure() -> Result<()> {
    for trace in ["typecore-1e-4-v2.ctf", "orders-1e-4-v2.ctf", "leak-1e-4-v3.ctf"] {
        visit(|page| {
            // The address has another grain, another order and a search.
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
                    bail!("{kind} of {trace} highlights these figures: {marked}");
                };
                let shown: f64 = marked.as_str().context("no figure")?.parse()?;
                ensure!((shown - promised).abs() < 1.0, "{kind} of {trace}: {promised} became {shown}");
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
fn live_values_cannot_be_compared_per_second() -> Result<()> {
    visit(|page| {
        open(page, "#tab=compare&versus=traces&versus.scale=per-second&show=blocks&live-at=peak", "leak-1e-6-v3.ctf")?;
        page.drop_path(&fixture("leak-1e-4-v3.ctf"))?;
        page.wait_for("the comparison", || Ok(page.text()?.contains("per second")))?;
        page.wait_until_idle()?;
        let per_second = "
            const option = [...document.querySelectorAll('option')].find((option) => option.text === 'per second');
            return [option.disabled, option.selected]";
        let state = page.browser.run(per_second, json!([]))?;
        ensure!(state == json!([true, false]), "[disabled, selected] is {state}");
        Ok(())
    })
}

#[test]
fn total_bytes_are_not_labeled_count() -> Result<()> {
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
fn peak_is_shown_as_time_of_day_with_the_wall_clock() -> Result<()> {
    visit(|page| {
        open(page, "#clock=wall&tab=table", TYPECORE.file)?;
        let label = || page.attribute(".timeline-canvas", "aria-valuetext");
        page.wait_for("the peak", || Ok(label()?.is_some_and(|text| text.contains("peak "))))?;
        let label = label()?.context("no text")?;
        let (_, at) = label.rsplit_once(" at ").context("no time")?;
        let is_of_day = at.len() == "12:03:11.042".len() && at.matches(':').count() == 2;
        ensure!(is_of_day, "the peak is shown as {label}");
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
