//! Spacetime profiles open like traces. The page shows the data that they have, and hides views that need other data.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail, ensure};
use camlscope_engine::protocol::{Answer, Error, Question, Request, Slot, Versus, View};
use camlscope_engine::query::compare::{CompareConfig, Scale, Sum};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::flame::{BoxSelector, BranchConfig, Branches, Direction};
use camlscope_engine::query::measure::Measure;
use camlscope_engine::query::profile::ProfileSummary;
use camlscope_engine::query::table::{Column, Order, Row, Table, TableConfig};
use camlscope_engine::query::tree::Grain;
use camlscope_engine::session::Session;
use serde_json::{Value, json};

use crate::accessible::{PANEL, TIMELINE, VIEW, is_accessible, part_is_accessible, tabs};
use crate::exporting::{save, saved, watch_saves};
use crate::flame::wait_for_picture;
use crate::histograms::chips;
use crate::keys::{ENTER, HOME, LEFT, RIGHT};
use crate::looks::fits_every_window;
use crate::page::Page;
use crate::timeline::point_at;
use crate::traces::TINY;
use crate::visit::visit;

const RAW: &str = "spacetime-11710";
const SERIES: &str = "spacetime-11710.p";
/// A snapshot in the middle of the profile.
const MIDDLE_US: u64 = 2_193_764;

#[test]
pub fn both_files_of_a_profile_open_with_their_snapshots_and_events() -> Result<()> {
    for file in [RAW, SERIES] {
        let profile = profile_of(&fixture(file))?;
        visit(|page| {
            open(page, "", file)?;
            ensure!(page.count("snapshots")? == profile.snapshots.len() as u64, "another number of snapshots");
            ensure!(page.figure("format")? == "spacetime");
            page.says("of CPU time")?;
            for mark in &profile.marks {
                page.says(&mark.name)?;
            }
            page.says("not objects. Sizes, lifetimes and promotions aren't available.")?;
            fits_every_window(page)
        })?;
    }
    Ok(())
}

#[test]
pub fn views_and_filters_that_a_profile_cannot_support_are_hidden() -> Result<()> {
    visit(|page| {
        open(page, "#tab=histograms&size=3..&show=promoted", RAW)?;
        let shown = tabs(page)?;
        ensure!(
            shown == ["tab-summary", "tab-flame", "tab-table", "tab-leaks", "tab-source", "tab-compare"],
            "tabs: {shown:?}"
        );
        ensure!(
            page.attribute(".workspace", "data-tab")?.as_deref() == Some("summary"),
            "the address opened another tab"
        );
        ensure!(chips(page)?.is_empty(), "the size filter is still there: {:?}", chips(page)?);
        let options = "return [...document.querySelectorAll('option')].map((option) => option.textContent.trim())";
        let options: Vec<String> = serde_json::from_value(page.browser.run(options, json!([]))?)?;
        for word in ["Promoted", "Bytes × lifetime", "samples", "stacked by heap", "stacked by domain"] {
            ensure!(!options.iter().any(|option| option == word), "“{word}” can be chosen");
        }
        // The fourth tab is Leaks, and the next one is Source.
        page.browser.press("4")?;
        is_on(page, "leaks")?;
        page.browser.press("]")?;
        is_on(page, "source")?;
        for tab in ["flame", "table", "leaks", "source", "compare"] {
            page.click(&format!("//*[@id='tab-{tab}']"))?;
            page.wait_until_idle()?;
            let text = page.text()?;
            for word in ["±", "samples", "promotions", "lifetime", "chance"] {
                ensure!(!text.contains(word), "“{word}” is in {tab}: {text}");
            }
        }
        page.press("+ Filter")?;
        let items = "return [...document.querySelectorAll('[role=menuitem]')].map((item) => item.textContent)";
        let items: Vec<String> = serde_json::from_value(page.browser.run(items, json!([]))?)?;
        let expected = [
            "Allocated between snapshots",
            "Line, file or module",
            "One line calls another",
            "Hide lines",
            "Focus on a line",
        ];
        ensure!(items == expected, "filters: {items:?}");
        Ok(())
    })
}

#[test]
pub fn three_graphs_show_the_engines_figures() -> Result<()> {
    let profile = profile_of(&fixture(RAW))?;
    let middle = profile.snapshot_at(MIDDLE_US).cloned().context("no snapshot")?;
    visit(|page| {
        open(page, &format!("#tab=flame&show={MIDDLE_US}us"), RAW)?;
        amount_is(page, middle.live_words as f64 * 8.0)?;
        pressed(page, "Live bytes")?;
        page.press("Live blocks")?;
        amount_is(page, middle.live_blocks as f64)?;
        pressed(page, "Live blocks")?;
        ensure!(heard(page)?.contains("blocks at"), "a screen reader hears {}", heard(page)?);
        page.press("Allocated so far")?;
        amount_is(page, middle.allocated_words as f64 * 8.0)?;
        pressed(page, "Allocated so far")?;
        page.press("Live bytes")?;
        amount_is(page, middle.live_words as f64 * 8.0)?;
        page.go_back()?;
        amount_is(page, middle.allocated_words as f64 * 8.0)
    })
}

#[test]
fn time_moves_from_snapshot_to_snapshot() -> Result<()> {
    let profile = profile_of(&fixture(RAW))?;
    let times: Vec<u64> = profile.snapshots.iter().map(|snapshot| snapshot.at_us).collect();
    visit(|page| {
        // A time in an address or a text field selects the last snapshot before it.
        open(page, "#tab=table&show=2.3s", RAW)?;
        time_is(page, times[3])?;
        page.browser.run("document.querySelector('.say-time').select()", json!([]))?;
        page.browser.press("2.5s")?;
        page.browser.press(ENTER)?;
        time_is(page, times[4])?;
        page.browser.run("document.querySelector('.timeline-canvas').focus()", json!([]))?;
        page.browser.press(RIGHT)?;
        time_is(page, times[5])?;
        page.browser.press(LEFT)?;
        page.browser.press(LEFT)?;
        time_is(page, times[3])?;
        page.browser.press(HOME)?;
        time_is(page, times[0])?;
        ensure!(heard(page)?.contains("of CPU time"), "a screen reader hears {}", heard(page)?);
        // A click on the axis.
        let (x, _) = point_at(page, 0.79, 0.5)?;
        let (_, y) = point_at(page, 0.5, 0.93)?;
        page.click_at((x, y))?;
        time_is(page, times[4])?;
        // The panel has the figures of that snapshot.
        let gc = profile.snapshots[4].gc.context("no GC figures")?;
        page.wait_for("the snapshot in the panel", || Ok(page.count("snapshot.at_us").ok() == Some(times[4])))?;
        ensure!(page.count("gc.minor_collections")? == gc.minor_collections, "other minor collections");
        ensure!(page.count("gc.heap_words")? == gc.heap_words, "another heap");
        ensure!(page.count("snapshot.unattributed_words")? == profile.snapshots[4].unattributed_words);
        Ok(())
    })
}

#[test]
pub fn table_and_flame_graph_of_a_snapshot_have_the_engines_figures() -> Result<()> {
    let view = View { measure: Measure::Live(When::At(MIDDLE_US)), grain: Grain::Site, ..View::default() };
    let order = Order { column: Column::SelfBytes, descending: true };
    let Answer::Table(expected) =
        ask(RAW, view.clone(), Question::Table(TableConfig { order, search: String::new(), rows: 0..1_000 }))?
    else {
        bail!("no table")
    };
    visit(|page| {
        open(page, &format!("#tab=table&by=site&show={MIDDLE_US}us"), RAW)?;
        table_is(page, &expected)?;
        watch_saves(page)?;
        save(page, "Table of lines")?;
        ensure!(saved(page)? == camlscope_present::export::table_csv(&expected), "the saved table differs");
        page.click("//*[@id='tab-flame']")?;
        wait_for_picture(page)?;
        let config = BranchConfig { direction: Direction::TopDown, parent: BoxSelector::Top, rows: 0..10 };
        let Answer::Branches(Branches { total, .. }) = ask(RAW, view, Question::Branches(config))? else {
            bail!("no stacks")
        };
        amount_is(page, total)?;
        save(page, "Folded stacks")?;
        let folded = saved(page)?;
        ensure!(folded.lines().any(|line| line.contains("leak.ml:4")), "no line of the program in {folded}");
        Ok(())
    })
}

#[test]
fn click_on_a_layer_leads_to_its_callers_and_back() -> Result<()> {
    visit(|page| {
        open(page, "#tab=flame", RAW)?;
        let (x, y) = point_at(page, 0.85, 0.6)?;
        page.click_at((x, y))?;
        page.wait_for("two filters", || Ok(chips(page)?.len() == 2))?;
        let first = chips(page)?;
        let name = first[1].strip_prefix("hide-is=").context("nothing is hidden")?.to_owned();
        ensure!(first[0].contains(&name), "{first:?} aren't about the same line");
        page.wait_for_address("hide-is=")?;
        page.click("(//div[@class='legend']//button)[1]")?;
        page.wait_for("two more", || Ok(chips(page)?.len() == 4))?;
        let second = chips(page)?;
        ensure!(second[2].starts_with("calls=") && second[2].contains(&name), "{second:?} has no call to {name}");
        page.go_back()?;
        page.wait_for("the first layer", || Ok(chips(page)? == first))?;
        page.go_back()?;
        page.wait_for("all layers", || Ok(chips(page)?.is_empty()))
    })
}

#[test]
fn two_snapshots_or_two_profiles_can_be_compared() -> Result<()> {
    let times = profile_of(&fixture(RAW))?.snapshots;
    let (before, after) = (When::At(times[1].at_us), When::At(times[5].at_us));
    let measure = Measure::Live(after);
    let config = CompareConfig { measure, sum: Sum::Own, scale: Scale::AsIs, limit: 10, gate: None };
    let question = Question::Compare { versus: Versus::Times { before, after }, config };
    let Answer::Compare(expected) = ask(RAW, View { measure, ..View::default() }, question)? else {
        bail!("no comparison")
    };
    visit(|page| {
        // These times are shortly after the two snapshots.
        open(page, "#tab=compare&versus=1.8s,2.8s", RAW)?;
        let change = expected.all.change.to_string();
        page.wait_for("the change", || Ok(page.figure("compare.change").ok().as_ref() == Some(&change)))?;
        page.browser.run("document.querySelector('.time-handle.is-b').focus()", json!([]))?;
        page.browser.press(RIGHT)?;
        let at = format!("{:.6}", times[6].at_us as f64 / 1e6);
        page.wait_for("the next snapshot", || {
            Ok(page.attribute(".time-handle.is-b", "aria-valuenow")?.as_ref() == Some(&at))
        })?;
        is_accessible(page, "two snapshots")?;
        page.drop_path(&fixture(SERIES))?;
        page.says("profile A with profile B")?;
        page.wait_until_idle()?;
        fits_every_window(page)
    })
}

#[test]
fn profile_and_trace_cannot_be_compared() -> Result<()> {
    visit(|page| {
        open(page, "", RAW)?;
        page.drop_path(&TINY.path())?;
        page.says("one is a trace, the other a profile")?;
        let buttons =
            "return [...document.querySelectorAll('dialog[open] button')].map((button) => button.textContent)";
        let buttons = page.browser.run(buttons, json!([]))?;
        ensure!(buttons == json!(["Replace", "Cancel"]), "the dialog offers {buttons}");
        is_accessible(page, "the dialog")?;
        page.press("Replace")?;
        TINY.is_shown(page)
    })
}

#[test]
fn profile_of_a_killed_program_shows_its_curve() -> Result<()> {
    visit(|page| {
        page.open()?;
        let bytes = fs::read(fixture(RAW))?;
        let killed = killed(&bytes)?;
        page.drop_bytes("killed", killed)?;
        page.wait_for_screen("loaded")?;
        page.says("missing: the program was killed before writing them")?;
        ensure!(page.count("snapshots")? == profile_of_bytes(killed)?.snapshots.len() as u64);
        for tab in ["flame", "table", "leaks", "compare", "summary"] {
            page.click(&format!("//*[@id='tab-{tab}']"))?;
            is_on(page, tab)?;
            page.wait_until_idle()?;
        }
        is_accessible(page, "a killed program's profile")?;
        fits_every_window(page)
    })
}

#[test]
pub fn damaged_profile_opens_with_a_warning() -> Result<()> {
    visit(|page| {
        page.open()?;
        let mut bytes = fs::read(fixture(RAW))?;
        bytes.truncate(bytes.len() * 9 / 10);
        page.drop_bytes("damaged", &bytes)?;
        page.wait_for_screen("loaded")?;
        page.says("This profile is damaged. All readable data is shown.")?;
        ensure!(page.attribute("[data-warning]", "data-warning")?.is_some(), "no warning about the lost data");
        fits_every_window(page)
    })
}

#[test]
fn every_view_of_a_profile_is_accessible_and_fits_the_window() -> Result<()> {
    visit(|page| {
        open(page, "", RAW)?;
        is_accessible(page, "the profile")?;
        for tab in tabs(page)? {
            page.click(&format!("//*[@id='{tab}']"))?;
            page.wait_until_idle()?;
            part_is_accessible(page, VIEW, &tab)?;
            fits_every_window(page)?;
        }
        page.click("//*[@id='tab-table']")?;
        page.click("//*[@role='row'][@aria-rowindex='2']")?;
        part_is_accessible(page, PANEL, "the panel of the selected line")?;
        for graph in ["Live blocks", "Allocated so far"] {
            page.press(graph)?;
            page.wait_until_idle()?;
            part_is_accessible(page, TIMELINE, graph)?;
        }
        Ok(())
    })
}

fn fixture(file: &str) -> PathBuf {
    camlscope_testkit::fixtures::folder().join(file)
}

fn open(page: &Page, hash: &str, file: &str) -> Result<()> {
    page.browser.go(&format!("{}{hash}", page.url))?;
    page.wait_for_worker("ready")?;
    page.wait_for_screen("empty")?;
    page.drop_path(&fixture(file))?;
    page.wait_for_screen("loaded")
}

fn in_words(error: Error) -> anyhow::Error {
    anyhow!("{error:?}")
}

fn session(bytes: &[u8]) -> Result<Session> {
    let mut session = Session::new();
    session.begin(Slot::Main, None);
    session.push(bytes).map_err(in_words)?;
    session.finish().map_err(in_words)?;
    Ok(session)
}

fn ask(file: &str, view: View, question: Question) -> Result<Answer> {
    session(&fs::read(fixture(file))?)?.handle(&Request { view, question }).map_err(in_words)
}

fn profile_of(path: &Path) -> Result<ProfileSummary> {
    profile_of_bytes(&fs::read(path)?)
}

fn profile_of_bytes(bytes: &[u8]) -> Result<ProfileSummary> {
    let request = Request { view: View::default(), question: Question::Summary };
    match session(bytes)?.handle(&request).map_err(in_words)? {
        Answer::Summary(summary) => Ok(*summary.profile.context("not a profile")?),
        other => bail!("not a summary: {other:?}"),
    }
}

/// Returns the file of a program that was killed after its snapshots. It lacks the last and largest values.
fn killed(bytes: &[u8]) -> Result<&[u8]> {
    let is_killed = |n: &usize| {
        profile_of_bytes(&bytes[..*n])
            .is_ok_and(|profile| profile.allocation_points.is_none() && profile.snapshots.len() >= 3)
    };
    let n = (1..20).map(|part| bytes.len() * part / 20).find(is_killed);
    Ok(&bytes[..n.context("no such position in the profile")?])
}

fn is_on(page: &Page, tab: &str) -> Result<()> {
    page.wait_for(tab, || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some(tab)))
}

/// Waits until the sentence shows this amount.
fn amount_is(page: &Page, expected: f64) -> Result<()> {
    let expected = expected.to_string();
    page.wait_for(&format!("an amount of {expected}"), || {
        Ok(page.figure("passing.passing.value").ok().as_ref() == Some(&expected))
    })
}

fn pressed(page: &Page, graph: &str) -> Result<()> {
    let script =
        "return [...document.querySelectorAll('.timeline-graphs [aria-pressed=true]')].map((e) => e.textContent)";
    page.wait_for(graph, || Ok(page.browser.run(script, json!([]))? == json!([graph])))
}

fn time_is(page: &Page, us: u64) -> Result<()> {
    let expected = format!("{:.6}", us as f64 / 1e6);
    page.wait_for(&format!("the snapshot at {expected} s"), || {
        Ok(page.attribute(".timeline-canvas", "aria-valuenow")?.as_ref() == Some(&expected))
    })
}

fn heard(page: &Page) -> Result<String> {
    page.wait_until_idle()?;
    Ok(page.attribute(".timeline-canvas", "aria-valuetext")?.unwrap_or_default())
}

fn table_is(page: &Page, expected: &Table) -> Result<()> {
    const N: usize = 10;
    let script = "
        const rows = [...document.querySelectorAll('.table-body [aria-level=\"1\"]')].slice(0, arguments[0]);
        const columns = ['self_bytes', 'total_bytes', 'blocks', 'self_calls'];
        return rows.map((row) => [row.querySelector('.name')?.title,
            ...columns.map((column) => row.querySelector(`[data-cell=${column}]`)?.dataset.value)].join(' '))";
    let text = |row: &Row| {
        let Row { name, self_bytes, total_bytes, blocks, self_calls, .. } = row;
        format!("{name} {self_bytes} {total_bytes} {blocks} {}", self_calls.unwrap_or_default())
    };
    let rows = json!(expected.rows.iter().take(N).map(text).collect::<Vec<_>>());
    let mut shown = Value::Null;
    let waited = page.wait_for("the engine's rows", || {
        shown = page.browser.run(script, json!([N]))?;
        Ok(shown == rows)
    });
    waited.with_context(|| format!("shown: {shown}\nexpected: {rows}"))
}
