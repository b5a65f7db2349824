//! The list of events. It matches `camlscope dump`, and can be scrolled, filtered and saved.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::keys::{DOWN, END, ENTER};
use crate::leaks::{camlscope, choose, open, press_tab, printed};
use crate::looks::fits_every_window;
use crate::page::Page;
use crate::traces::explain;
use crate::visit::visit;

const FILE: &str = "leak-1e-4-v3.ctf";

#[test]
pub fn events_match_the_command_lines_dump() -> Result<()> {
    visit(|page| {
        open_events(page)?;
        let dump = camlscope(&["dump", FILE, "--json", "--frames", "1"])?;
        let events = dump["events"].as_array().context("no events")?;
        ensure!(page.count("total")? == events.len() as u64, "the page lists {} events", page.count("total")?);
        shows(page, 0, &events[..12])?;
        page.browser.run("document.querySelector('.events-scroll').scrollTop = 1e9", json!([]))?;
        let last = events.len() - 12;
        shows(page, last, &events[last..])
    })
}

#[test]
fn events_can_be_limited_to_one_type_or_by_the_filter() -> Result<()> {
    visit(|page| {
        open_events(page)?;
        let summary = camlscope(&["summary", FILE, "--json"])?;
        for (kind, figure) in [("promote", "promote"), ("collect", "collect"), ("alloc", "alloc")] {
            choose(page, "Event type", kind)?;
            let expected = summary["events"][figure].as_u64();
            page.wait_for(&format!("all {kind}s"), || Ok(page.count("total").ok() == expected))?;
            page.wait_for(&format!("only {kind}s"), || Ok(column(page, "kind")?.iter().all(|word| word == kind)))?;
        }
        choose(page, "Event type", "")?;
        page.browser.run("location.hash = 'tab=events&size=5..'", json!([]))?;
        let dump = camlscope(&["dump", FILE, "--json", "--frames", "1", "--size", "5.."])?;
        let events = dump["events"].as_array().context("no events")?;
        page.wait_for("the filter's events", || Ok(page.count("total")? == events.len() as u64))?;
        shows(page, 0, &events[..12])
    })
}

#[test]
fn jump_goes_to_a_time_or_an_object_and_its_other_events() -> Result<()> {
    visit(|page| {
        open_events(page)?;
        go_to(page, "1.5s")?;
        let from = camlscope(&["dump", FILE, "--json", "--frames", "1", "--from-time", "1.5s", "--limit", "1"])?;
        let first = from["first"].as_u64().context("no first")?;
        page.wait_for("the event at 1.5 s", || Ok(active(page)? == Some(first)))?;

        // An object that was promoted and collected.
        let dump = camlscope(&["dump", FILE, "--json", "--frames", "1"])?;
        let events = dump["events"].as_array().context("no events")?;
        let of = |kind: &str, object: &Value| {
            events.iter().find(|event| event["kind"] == kind && event["object"] == *object)
        };
        let is_whole = |event: &&Value| of("collect", &event["object"]).is_some();
        let promoted =
            events.iter().filter(|event| event["kind"] == "promote").find(is_whole).context("no such object")?;
        let object = &promoted["object"];
        let (alloc, collect) = (of("alloc", object).context("no alloc")?, of("collect", object).context("no collect")?);
        go_to(page, &format!("#{object}"))?;
        page.wait_for("its allocation", || Ok(active(page)? == alloc["number"].as_u64()))?;
        page.wait_for("its life", || Ok(page.figure("life.collected_us").is_ok()))?;
        for (step, event) in [("allocated", alloc), ("promoted", promoted), ("collected", collect)] {
            let shown = page.count(&format!("life.{step}_us"))?;
            ensure!(Some(shown) == event["time_us"].as_u64(), "{step} at {shown}, not at {}", event["time_us"]);
        }
        page.press("collected at")?;
        page.wait_for("its collection", || Ok(active(page)? == collect["number"].as_u64()))?;
        page.wait_for("its life in one line", || {
            let line =
                page.browser.run("return document.querySelector('.event-line.is-active')?.innerText", json!([]))?;
            let line = line.as_str().unwrap_or_default();
            Ok(["allocated", "promoted", "collected", "lived"].iter().all(|word| line.contains(word)))
        })?;

        go_to(page, "yesterday")?;
        page.wait_for_text("“yesterday” isn't a time (1.5s, peak) or an object (#12).")
    })
}

#[test]
fn saved_events_match_the_command_lines_output() -> Result<()> {
    visit(|page| {
        open_events(page)?;
        page.browser.run(
            "const make = URL.createObjectURL;
             URL.createObjectURL = (blob) => { window.saved = blob; return make.call(URL, blob); }",
            json!([]),
        )?;
        page.browser.run("location.hash = 'tab=events&heap=major,promoted'", json!([]))?;
        let expected = printed(&["dump", FILE, "--frames", "256", "--heap", "major,promoted"])?;
        let n = expected.lines().count() as u64;
        page.wait_for("the filter's events", || Ok(page.count("total")? == n))?;
        page.press("Save as text")?;
        page.wait_for_text("Saved ")?;
        let saved = page.browser.run("return window.saved.text()", json!([]))?;
        ensure!(saved.as_str() == Some(&expected), "the file differs from the command line's output");
        Ok(())
    })
}

#[test]
pub fn keyboard_moves_through_events_and_opens_an_object() -> Result<()> {
    visit(|page| {
        open_events(page)?;
        page.browser.run("document.querySelector('.events-grid').focus()", json!([]))?;
        for _ in 0..3 {
            page.browser.press(DOWN)?;
        }
        page.wait_for("the third event", || Ok(active(page)? == Some(2)))?;
        page.browser.press(ENTER)?;
        page.wait_for("its object", || Ok(page.figure("object").is_ok()))?;
        page.browser.press(END)?;
        let last = page.count("total")? - 1;
        page.wait_for("the last event", || Ok(active(page)? == Some(last)))
    })
}

#[test]
fn events_fit_any_window_size() -> Result<()> {
    visit(|page| {
        open_events(page)?;
        go_to(page, "#4711")?;
        page.wait_for("the object", || Ok(page.figure("life.allocated_us").is_ok()))?;
        fits_every_window(page)?;
        explain(page)?;
        page.says("Each sampled object represents many similar ones")?;
        fits_every_window(page)
    })
}

fn open_events(page: &Page) -> Result<()> {
    open(page, FILE)?;
    press_tab(page, "Events")?;
    page.wait_for("events", || Ok(page.count("total").unwrap_or(0) > 0 && !column(page, "kind")?.is_empty()))
}

fn go_to(page: &Page, place: &str) -> Result<()> {
    page.browser.run("document.querySelector('.events-go').value = ''", json!([]))?;
    page.type_into(".events-go", &format!("{place}{ENTER}"))
}

/// Returns the number of the selected event, if it's visible.
fn active(page: &Page) -> Result<Option<u64>> {
    let row = page.attribute(".event-line.is-active", "aria-rowindex")?;
    Ok(row.and_then(|row| row.parse::<u64>().ok()).map(|row| row - 2))
}

fn column(page: &Page, name: &str) -> Result<Vec<String>> {
    let script =
        "return [...document.querySelectorAll(`.events-body [data-cell=${arguments[0]}]`)].map((e) => e.dataset.value)";
    let values = page.browser.run(script, json!([name]))?;
    Ok(values.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Waits until the lines starting at `first` show these events.
fn shows(page: &Page, first: usize, expected: &[Value]) -> Result<()> {
    let script = "
        const [first, n] = arguments;
        return Array.from({ length: n }, (_, nth) => {
            const row = document.querySelector(`#event-${first + nth}`);
            return ['time_us', 'kind', 'object'].map((cell) => row?.querySelector(`[data-cell=${cell}]`)?.dataset.value).join(' ');
        })";
    let text = |event: &Value| {
        format!("{} {} {}", event["time_us"], event["kind"].as_str().unwrap_or_default(), event["object"])
    };
    let wanted = json!(expected.iter().map(text).collect::<Vec<_>>());
    let mut shown = Value::Null;
    let waited = page.wait_for("the command line's events", || {
        shown = page.browser.run(script, json!([first, expected.len()]))?;
        Ok(shown == wanted)
    });
    waited.with_context(|| format!("the page shows {shown}, the command line {wanted}"))
}
