//! A report is the page with a trace inside. Opened from disk, it shows the same view as the page that saved it.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::engine::named;
use crate::exporting::{name, save, saved, watch_saves};
use crate::histograms::chips;
use crate::leaks::{open, printed};
use crate::one_file::asked_for_nothing;
use crate::page::Page;
use crate::traces::TYPECORE;
use crate::visit::{Visit, file_url, visit};

const TITLE: &str = "Types <b>&</b> \"sorrows\"";

#[test]
pub fn report_opens_with_the_view_and_notes_it_was_saved_with() -> Result<()> {
    visit(|page| {
        open(page, TYPECORE.file)?;
        // A few rows, because the number of drawn rows depends on the height of the window.
        let view_hash = "tab=table&show=promoted&size=3..&search=type_let&pin=2s%20Look%20%3Ci%3Ehere";
        page.browser.run("location.hash = arguments[0]", json!([view_hash]))?;
        write_notes(page, TITLE, "Look at 45 s.")?;
        let shown = view(page)?;
        watch_saves(page)?;
        save(page, "Report with the trace")?;
        let made = saved(page)?;

        go_to(page, &page.make_file("report.html", made.as_bytes())?)?;
        page.wait_for_screen("loaded")?;
        ensure!(view(page)? == shown, "the report shows {:?}, but the page showed {shown:?}", view(page)?);
        let note = page.attribute(".pin", "aria-label")?;
        ensure!(note.as_deref().is_some_and(|note| note.starts_with("Note: Look <i>here")), "{note:?}");
        ensure!(shown.contains(TITLE) && shown.contains("Look at 45 s."), "no notes in {shown}");
        asked_for_nothing(page)?;

        // A report can save reports.
        page.press("Edit notes")?;
        page.type_into("#notes-remarks", " Or at 46 s.")?;
        page.press("Done")?;
        watch_saves(page)?;
        save(page, "Report with the trace")?;
        go_to(page, &page.make_file("again.html", saved(page)?.as_bytes())?)?;
        page.wait_for_screen("loaded")?;
        page.says("Or at 46 s.")?;
        let again = view(page)?;
        ensure!(again.replace(" Or at 46 s.", "") == shown, "the second report shows {again}");
        asked_for_nothing(page)
    })
}

#[test]
fn anonymized_report_has_its_own_name_and_no_notes_and_opens_on_the_same_view() -> Result<()> {
    visit(|page| {
        open(page, TYPECORE.file)?;
        page.browser.run("location.hash = 'tab=table&show=promoted&size=3..&function-contains=Typecore'", json!([]))?;
        write_notes(page, TITLE, "Typecore looks wrong.")?;
        watch_saves(page)?;
        save(page, "Report, anonymized")?;
        page.says("Notes were left out, because they may contain names.")?;
        ensure!(name(page)? == "anonymized.report.html", "the file is {}", name(page)?);

        go_to(page, &page.make_file("anonymized.html", saved(page)?.as_bytes())?)?;
        page.wait_for_screen("loaded")?;
        page.says("Names are anonymized.")?;
        ensure!(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table"), "it opens on another tab");
        ensure!(chips(page)? == ["size=3.."], "the filters are {:?}", chips(page)?);
        let shown = page.text()?.to_lowercase();
        ensure!(!shown.contains("typecore") && !shown.contains("sorrows"), "names are left: {shown}");
        Ok(())
    })
}

#[test]
fn static_report_has_the_notes_and_plain_names() -> Result<()> {
    visit(|page| {
        open(page, TYPECORE.file)?;
        write_notes(page, TITLE, "Look at 45 s.\nOr at 46 s.")?;
        watch_saves(page)?;
        save(page, "Static report")?;
        let made = saved(page)?;
        ensure!(made.contains("<h2>Types &lt;b&gt;&amp;&lt;/b&gt; &quot;sorrows&quot;</h2>"), "the title is missing");
        ensure!(made.contains("Look at 45 s.\nOr at 46 s."), "the remarks are missing");
        ensure!(made.contains("Hashtbl.") && !made.contains("Stdlib__"), "names aren't plain");
        Ok(())
    })
}

fn write_notes(page: &Page, title: &str, remarks: &str) -> Result<()> {
    page.pick("Share", "Notes for the report…")?;
    page.type_into("#notes-title", title)?;
    page.type_into("#notes-remarks", remarks)?;
    page.press("Done")?;
    page.wait_until_idle()
}

#[test]
pub fn damaged_report_opens_with_a_message() -> Result<()> {
    Visit::default().on_disk().run(|page| {
        let report = report(page, &[])?;
        let (head, trace) = report.split_once("id=\"camlscope-trace\">").context("a report has a trace")?;
        let damaged = |head: &str, trace: &str| format!("{head}id=\"camlscope-trace\">{trace}");
        let middle = trace.len() / 2;
        let with = |patch: &str| format!("{}{patch}{}", &trace[..middle], &trace[middle + patch.len()..]);

        // Invalid base64.
        go_to(page, &page.make_file("a.html", damaged(head, &with("!!!!")).as_bytes())?)?;
        page.wait_for_screen("failed")?;
        page.says("Can't read the trace in this report")?;
        page.drop_path(&TYPECORE.path())?;
        TYPECORE.is_shown(page)?;

        // Valid base64 of other bytes.
        go_to(page, &page.make_file("b.html", damaged(head, &with(&"/".repeat(400))).as_bytes())?)?;
        page.wait_for_screen("loaded")?;
        page.says("damaged at byte")?;

        // A header that isn't valid JSON.
        let head = head.replace("{\"name\"", "{{\"name\"");
        go_to(page, &page.make_file("c.html", damaged(&head, trace).as_bytes())?)?;
        page.wait_for_screen("loaded")?;
        page.says("The notes and view in this report are damaged")
    })
}

#[test]
fn downsampled_report_says_so_and_has_exact_counts() -> Result<()> {
    Visit::default().on_disk().run(|page| {
        let most = fs::metadata(one_file()?)?.len() + 60_000;
        let report = report(page, &["--max", &most.to_string(), "--view", "#tab=summary"])?;
        ensure!(report.len() as u64 <= most, "{} bytes are more than {most}", report.len());
        go_to(page, &page.make_file("small.html", report.as_bytes())?)?;
        TYPECORE.is_shown(page)?;
        page.says("samples to stay small")?;
        page.says("Allocation totals stay exact")
    })
}

fn one_file() -> Result<PathBuf> {
    Ok(named("CAMLSCOPE_DIST")?.join("camlscope.html"))
}

/// Returns a report that the command line wrote.
fn report(page: &Page, options: &[&str]) -> Result<String> {
    let out = page.make_file("written.html", b"")?.display().to_string();
    let built = one_file()?.display().to_string();
    printed(&[&["report", TYPECORE.file, "-o", &out, "--page", &built], options].concat())?;
    Ok(fs::read_to_string(out)?)
}

fn go_to(page: &Page, file: &Path) -> Result<()> {
    page.browser.go(&file_url(file)?)?;
    page.wait_for("the page", || Ok(page.attribute(".app", "data-worker")?.is_some()))
}

/// Returns all text in the workspace.
fn view(page: &Page) -> Result<String> {
    page.wait_until_idle()?;
    let text = page.browser.run("return document.querySelector('.workspace').innerText", json!([]))?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}
