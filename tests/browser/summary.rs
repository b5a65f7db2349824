//! The findings on the summary, and the views that they link to.

use std::fs;

use anyhow::{Result, anyhow, ensure};
use camlscope_engine::protocol::{Answer, Error, Question, Request, Slot, View};
use camlscope_engine::query::findings::{Finding, View as Place, library};
use camlscope_engine::session::Session;
use camlscope_present::format::Units;
use camlscope_present::words::findings::headline;
use serde_json::json;

use crate::looks::fits_every_window;
use crate::page::Page;
use crate::visit::visit;

const TRACES: [&str; 3] = ["orders-1e-4-v2.ctf", "leak-1e-4-v3.ctf", "leak-1e-6-v3.ctf"];

#[test]
fn findings_have_the_native_figures() -> Result<()> {
    for trace in TRACES {
        visit(|page| {
            open(page, trace)?;
            let native = findings(trace)?;
            for (at, finding) in native.iter().enumerate() {
                page.wait_for_text(&headline(finding, Units::Binary))?;
                if finding.figures.samples > 0 {
                    let shown = page.figure(&format!("findings.{at}.figures.bytes"))?;
                    ensure!(shown == finding.figures.bytes.to_string(), "{shown} is not {:?}", finding.figures);
                }
            }
            let n = page.browser.run("return document.querySelectorAll('[data-finding]').length", json!([]))?;
            ensure!(n == native.len(), "the page shows {n} of {} findings", native.len());
            fits_every_window(page)
        })?;
    }
    Ok(())
}

#[test]
fn summary_ignores_filters_and_says_so_and_is_computed_once_per_trace() -> Result<()> {
    const WORDS: &str = "The summary covers the entire trace, regardless of filters.";
    visit(|page| {
        open(page, TRACES[0])?;
        ensure!(!page.text()?.contains(WORDS), "there are no filters");
        let allocated = page.figure("allocated_bytes")?;
        page.browser.run("location.hash = 'size=3..'", json!([]))?;
        page.wait_for_text(WORDS)?;
        ensure!(page.figure("allocated_bytes")? == allocated, "the filter changed the summary");
        fits_every_window(page)?;

        page.browser.run("location.hash = ''", json!([]))?;
        page.wait_for("no filters", || Ok(!page.text()?.contains(WORDS)))?;
        page.wait_until_idle()?;
        page.click("//*[@id='tab-table']")?;
        page.wait_until_idle()?;
        // Watches what is sent to the worker, and what is shown right after the click.
        let script = "
            window.sent = 0;
            const post = Worker.prototype.postMessage;
            Worker.prototype.postMessage = function (...parts) { window.sent++; return post.apply(this, parts); };
            document.querySelector('#tab-summary').click();
            return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
                const n = document.querySelectorAll('[data-finding]').length;
                done([n > 0, document.querySelector('#view').innerText.includes('Counting')]);
            })))";
        let shown = page.browser.run(script, json!([]))?;
        ensure!(shown == json!([true, false]), "[findings, counting] is {shown} right after opening the summary");
        page.wait_until_idle()?;
        let sent = page.browser.run("return window.sent", json!([]))?;
        ensure!(sent == 0, "the summary made the worker do {sent} things");
        // Another trace has its own summary.
        page.drop_path(&path(TRACES[1]))?;
        page.press("Replace")?;
        page.wait_for_text(&headline(&findings(TRACES[1])?[0], Units::Binary))
    })
}

#[test]
pub fn findings_lead_to_a_view_and_back() -> Result<()> {
    visit(|page| {
        let trace = TRACES[0];
        open(page, trace)?;
        for (at, finding) in findings(trace)?.iter().enumerate() {
            let Some(mut tab) = tab(finding.view) else { continue };
            page.wait_for_text(&headline(finding, Units::Binary))?;
            if page.attribute(&format!("#tab-{tab}"), "role")?.is_none() {
                tab = "flame";
            }
            page.click(&format!("(//a[@data-finding])[{}]", at + 1))?;
            page.wait_for(tab, || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some(tab)))?;
            let script = "return [...document.querySelectorAll('[data-clause]')].map((chip) => chip.dataset.clause)";
            let of_chips = finding.filter.clauses.iter().filter(|clause| **clause != library());
            let clauses: Vec<String> = of_chips.map(ToString::to_string).collect();
            let chips = page.browser.run(script, json!([]))?;
            ensure!(chips == json!(clauses), "the chips are {chips}, not {clauses:?}");
            if let Some(function) = finding.function_of_figures() {
                page.wait_for_address(&format!("selected={}", function.name))?;
            }
            page.go_back()?;
            page.wait_for("summary", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("summary")))?;
        }
        Ok(())
    })
}

#[test]
fn summary_shows_block_sizes() -> Result<()> {
    visit(|page| {
        open(page, TRACES[0])?;
        page.wait_for("the sizes", || Ok(page.attribute("[data-figure='sizes.max']", "data-value")?.is_some()))?;
        let shares = [4, 16, 256].map(|bound| page.figure(&format!("sizes.{bound}")));
        let shares = shares.into_iter().map(|share| Ok(share?.parse()?)).collect::<Result<Vec<f64>>>()?;
        ensure!(shares.is_sorted() && shares[0] > 0.0 && shares[2] <= 1.0, "{shares:?}");
        Ok(())
    })
}

fn open(page: &Page, trace: &str) -> Result<()> {
    page.open()?;
    page.drop_path(&path(trace))?;
    page.wait_for_screen("loaded")
}

fn findings(trace: &str) -> Result<Vec<Finding>> {
    let in_words = |error: Error| anyhow!("{error:?}");
    let mut session = Session::new();
    session.begin(Slot::Main, None);
    session.push(&fs::read(path(trace))?).map_err(in_words)?;
    session.finish().map_err(in_words)?;
    match session.handle(&Request { view: View::default(), question: Question::Findings }).map_err(in_words)? {
        Answer::Findings(findings) => Ok(findings),
        other => Err(anyhow!("not findings: {other:?}")),
    }
}

fn path(trace: &str) -> std::path::PathBuf {
    camlscope_testkit::fixtures::folder().join(trace)
}

fn tab(place: Place) -> Option<&'static str> {
    match place {
        Place::Flame => Some("flame"),
        Place::Table => Some("table"),
        Place::Histograms => Some("histograms"),
        Place::Leaks => Some("leaks"),
        Place::Summary | Place::Timeline => None,
    }
}
