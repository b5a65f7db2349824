//! Using the timeline: selecting time ranges, choosing a time, and zooming.

use anyhow::{Context, Result, ensure};
use camlscope_engine::query::filter::{Clause, Filter, When};
use camlscope_engine::query::measure::Measure;
use serde_json::json;

use crate::histograms::chips;
use crate::keys::{ENTER, ESCAPE, HOME, RIGHT};
use crate::page::Page;
use crate::sentence::{open, shows};
use crate::visit::visit;

const PEAK: Measure = Measure::Live(When::Peak);
/// The sample lasts 60.1 s.
const END_S: f64 = 60.1;

#[test]
fn time_range_can_be_dragged_resized_typed_and_cleared() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        drag(page, 0.2, 0.4)?;
        let (from, to) = marked(page)?;
        ensure!(is_near(from, 0.2 * END_S) && is_near(to, 0.4 * END_S), "{from} s to {to} s is selected");
        shows(page, &chip(page)?, Measure::Allocated)?;

        drag(page, 0.4, 0.6)?;
        page.wait_for("a longer time range", || Ok(is_near(marked(page)?.1, 0.6 * END_S)))?;
        ensure!(is_near(marked(page)?.0, from), "the other handle moved");
        shows(page, &chip(page)?, Measure::Allocated)?;

        drag(page, 0.4, 0.5)?;
        page.wait_for("a later time range", || Ok(is_near(marked(page)?.0, 0.3 * END_S)))?;
        ensure!(is_near(marked(page)?.1, 0.7 * END_S), "its length changed");

        type_range(page, "10s..20s")?;
        page.wait_for("the typed time range", || Ok(marked(page)? == (10.0, 20.0)))?;
        shows(page, "allocated=10s..20s", Measure::Allocated)?;
        type_range(page, "soon")?;
        page.says("“soon” isn't a time range.")?;
        page.browser.press(ESCAPE)?;
        page.wait_for("the typed time range again", || Ok(!page.text()?.contains("soon")))?;
        shows(page, "allocated=10s..20s", Measure::Allocated)?;

        page.click("//button[@aria-label='Clear selection']")?;
        page.wait_for("no selection", || Ok(chips(page)?.is_empty()))?;
        shows(page, "", Measure::Allocated)
    })
}

#[test]
fn selecting_time_shows_its_allocations_during_and_after_the_drag() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        let ((from, y), (to, _)) = (point(page, 0.2)?, point(page, 0.4)?);
        page.mouse_at("mouseMoved", (from, y))?;
        page.mouse_at("mousePressed", (from, y))?;
        page.mouse_at("mouseMoved", (to, y))?;
        // The mouse button is still down, so nothing is filtered yet.
        page.wait_for("start, length, amount and rate", || {
            let text = page.attribute(".timeline-canvas", "aria-valuetext")?.unwrap_or_default();
            Ok(["selected from 1", " s long · about ", "MiB allocated, ", "/s"]
                .iter()
                .all(|words| text.contains(words)))
        })?;
        ensure!(chips(page)?.is_empty(), "the drag filters before it ends");
        page.mouse_at("mouseReleased", (to, y))?;
        page.wait_for("a selection", || Ok(!chips(page)?.is_empty()))?;
        shows(page, &chip(page)?, Measure::Allocated)?;

        // If the user then switches to live bytes, changing the selection keeps that measure.
        page.click("//select[@aria-label='Measure']/option[.='Live at peak']")?;
        shows(page, &chip(page)?, PEAK)?;
        let before = chip(page)?;
        drag(page, 0.4, 0.6)?;
        page.wait_for("a longer time range", || Ok(chip(page)? != before))?;
        shows(page, &chip(page)?, PEAK)?;
        page.wait_until_idle()?;
        page.browser.run("history.back(); history.back(); history.back()", json!([]))?;
        page.wait_for("the initial view", || Ok(chips(page)?.is_empty()))?;
        shows(page, "", PEAK)
    })
}

#[test]
fn keyboard_selects_a_time_range_and_shows_its_allocations() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        let press = "document.querySelector('.timeline-canvas').dispatchEvent(
            new KeyboardEvent('keydown', { key: 'ArrowRight', shiftKey: true, bubbles: true, cancelable: true }))";
        page.browser.run(press, json!([]))?;
        page.wait_for("a selection", || Ok(!chips(page)?.is_empty()))?;
        shows(page, &chip(page)?, Measure::Allocated)
    })
}

#[test]
fn time_is_chosen_by_click_moved_with_arrow_keys_and_set_to_the_peak() -> Result<()> {
    visit(|page| {
        let range = "allocated=10s..20s";
        open(page, &format!("#show=allocated&{range}"))?;
        shows(page, range, Measure::Allocated)?;
        let at = point(page, 0.5)?;
        page.click_at(at)?;
        page.wait_for("the clicked time", || Ok(is_near(time(page)?, 0.5 * END_S)))?;
        let clicked = micros(time(page)?);
        ensure!(chips(page)?.is_empty(), "the time range from before the click is still a filter");
        shows(page, "", Measure::Live(When::At(clicked)))?;
        page.browser.run("document.querySelector('.timeline-canvas').focus()", json!([]))?;
        for _ in 0..3 {
            page.browser.press(RIGHT)?;
        }
        page.wait_for("a later time", || Ok(is_near(time(page)?, 0.53 * END_S)))?;
        shows(page, "", Measure::Live(When::At(micros(time(page)?))))?;
        page.press("peak")?;
        shows(page, "", PEAK)?;
        let text = page.attribute(".timeline-canvas", "aria-valuetext")?.unwrap_or_default();
        ensure!(text.contains("live at the peak") && text.contains("peak 32.8 MiB at"), "a screen reader hears {text}");
        page.go_back()?;
        page.wait_for("the previous time", || Ok(is_near(time(page)?, 0.53 * END_S)))?;
        page.go_back()?;
        page.wait_for("the time range from before the click", || Ok(chips(page)? == [range]))?;
        shows(page, range, Measure::Allocated)
    })
}

#[test]
fn time_can_be_dragged_and_all_figures_follow() -> Result<()> {
    visit(|page| {
        open(page, "#tab=flame&show=live")?;
        // The time axis is below the curve.
        let (x, below) = point_at(page, 0.3, 0.95)?;
        page.mouse_at("mousePressed", (x, below))?;
        for step in 1..=5 {
            page.mouse_at("mouseMoved", (x + f64::from(step) * 20.0, below))?;
        }
        page.mouse_at("mouseReleased", (x + 100.0, below))?;
        // It started at the peak, after 50 s.
        page.wait_for("the time it was dragged to", || Ok((0.3..0.5).contains(&(time(page)? / END_S))))?;
        page.wait_until_idle()?;
        let at = Measure::Live(When::At(micros(time(page)?)));
        shows(page, "", at)
    })
}

#[test]
fn wheel_zooms_at_the_pointer_and_one_click_resets_the_zoom() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        let (x, y) = point(page, 0.5)?;
        let event = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": -200 });
        page.mouse(event)?;
        page.wait_for_text("Reset zoom")?;
        // The middle stays where it was, and the first quarter now starts later.
        drag(page, 0.25, 0.5)?;
        let (from, to) = marked(page)?;
        ensure!(is_near(to, 0.5 * END_S) && from > 0.3 * END_S, "{from} s to {to} s is selected");
        page.press("Reset zoom")?;
        page.wait_for("the full time axis", || Ok(!page.text()?.contains("Reset zoom")))
    })
}

#[test]
fn address_keeps_the_layers_and_the_time_of_day() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        page.click("//select[@aria-label='Stack by']/option[@value='heap']")?;
        page.wait_for("heaps in the legend", || Ok(legend(page)?.contains("promoted")))?;
        page.click("//select[@aria-label='Time axis']/option[@value='wall']")?;
        page.wait_for_address("heap")?;
        page.wait_for_address("wall")?;
        page.click("//div[@class='legend']//button[contains(., 'promoted')]")?;
        page.wait_for("a chip", || Ok(chips(page)? == ["heap=promoted"]))
    })
}

#[test]
fn filtering_by_a_layer_leaves_only_that_layer() -> Result<()> {
    visit(|page| {
        open(page, "#show=allocated")?;
        page.wait_for("layers", || Ok(!legend(page)?.is_empty()))?;
        let name = legend(page)?.lines().next().context("no layer")?.to_owned();
        page.click("(//div[@class='legend']//button)[1]")?;
        let clause = format!("responsible-module-is={name}");
        page.wait_for("the filter", || Ok(chips(page)? == [clause.clone()]))?;
        page.wait_until_idle()?;
        page.wait_for("one layer", || Ok(legend(page)?.lines().collect::<Vec<_>>() == [name.as_str()]))
    })
}

#[test]
fn notes_are_pinned_with_the_button_and_with_the_keyboard() -> Result<()> {
    visit(|page| {
        open(page, "")?;
        ensure!(!page.text()?.contains("Pin note"), "there is no selected time yet");
        page.click_at(point(page, 0.5)?)?;
        page.press("Pin note")?;
        page.type_into("#pin-text", &format!("Deploy <b>{ENTER}"))?;
        page.wait_for("a note", || Ok(notes(page)?.len() == 1))?;
        ensure!(notes(page)?[0].starts_with("Note: Deploy <b> · 30."), "{:?}", notes(page)?);
        // With the keyboard alone.
        page.browser.run("document.querySelector('.timeline-canvas').focus()", json!([]))?;
        page.browser.press(HOME)?;
        page.browser.press("n")?;
        page.wait_for("the editor", || Ok(page.attribute("#pin-text", "class")?.is_some()))?;
        page.browser.press("Start")?;
        page.browser.press(ENTER)?;
        page.wait_for("two notes", || Ok(notes(page)?.len() == 2))?;
        let pinned = notes(page)?;
        page.wait_for_address("Start")?;
        page.wait_for_address("Deploy")?;
        page.browser.reload()?;
        page.wait_for_screen("loaded")?;
        page.wait_for("the notes of the link", || Ok(notes(page)? == pinned))
    })
}

fn notes(page: &Page) -> Result<Vec<String>> {
    let script = "return [...document.querySelectorAll('.pin')].map(pin => pin.getAttribute('aria-label'))";
    Ok(serde_json::from_value(page.browser.run(script, json!([]))?)?)
}

fn point(page: &Page, part: f64) -> Result<(f64, f64)> {
    point_at(page, part, 0.4)
}

/// Returns the point at these fractions of the time and of the height.
pub fn point_at(page: &Page, part: f64, height: f64) -> Result<(f64, f64)> {
    let [left, top, full_width, full_height] = page.area(".timeline-canvas")?;
    // The curve is between its scale and a margin.
    Ok((left + 64.0 + part * (full_width - 80.0), top + height * full_height))
}

fn drag(page: &Page, from: f64, to: f64) -> Result<()> {
    let (from, to) = (point(page, from)?, point(page, to)?);
    page.drag(from, to)?;
    page.wait_for("a selection", || Ok(!chips(page)?.is_empty()))
}

fn type_range(page: &Page, text: &str) -> Result<()> {
    page.browser.run("document.querySelector('.brush-input').select()", json!([]))?;
    page.browser.press(text)?;
    page.browser.press(ENTER)
}

fn chip(page: &Page) -> Result<String> {
    chips(page)?.pop().context("no selection")
}

/// Returns the selected time range, in seconds.
fn marked(page: &Page) -> Result<(f64, f64)> {
    let filter = Filter::parse(&chip(page)?)?;
    let Some(Clause::Allocated(span)) = filter.clauses.first() else { anyhow::bail!("{filter:?} isn't a time range") };
    let seconds = |us: Option<u64>| Ok::<f64, anyhow::Error>(us.context("an open end")? as f64 / 1e6);
    Ok((seconds(span.from)?, seconds(span.to)?))
}

/// Returns the chosen time, in seconds.
fn time(page: &Page) -> Result<f64> {
    Ok(page.attribute(".timeline-canvas", "aria-valuenow")?.context("no time")?.parse()?)
}

fn micros(seconds: f64) -> u64 {
    (seconds * 1e6).round() as u64
}

fn legend(page: &Page) -> Result<String> {
    let text = page.browser.run("return document.querySelector('.legend')?.innerText ?? ''", json!([]))?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// Allows a difference of a few pixels.
fn is_near(one: f64, two: f64) -> bool {
    (one - two).abs() < 0.5
}
