//! Zooming the flame graph with the wheel, fingers, keys and search, and what else is shown while it's zoomed.

use anyhow::{Context, Result, ensure};
use camlscope_engine::protocol::{Answer, Question, Request, View};
use camlscope_engine::query::filter::When;
use camlscope_engine::query::flame::{BoxSelector, Direction, Flame, FlameConfig};
use camlscope_engine::query::measure::Measure;
use serde_json::json;

use crate::flame::{choose, click, hover, open, point, tip};
use crate::keys::ENTER;
use crate::page::Page;
use crate::traces::answer;
use crate::visit::visit;

/// The width of the minimap.
const MINIMAP: f64 = 160.0;

#[test]
fn ctrl_wheel_and_keys_zoom_at_the_pointer() -> Result<()> {
    visit(|page| {
        open(page)?;
        let (x, y) = point(page, 0.1, 1)?;
        hover(page, 0.1, 1)?;
        for _ in 0..4 {
            // A busy browser merges several wheel events into one, and the zoom of one event is limited.
            let before = window(page)?.map_or(MINIMAP, |(_, width)| width);
            let wheel = json!({ "type": "mouseWheel", "x": x, "y": y, "deltaX": 0, "deltaY": -120, "modifiers": 2 });
            page.mouse(wheel)?;
            page.wait_for("a larger zoom", || Ok(window(page)?.is_some_and(|(_, width)| width < before)))?;
        }
        wait_for_zoom_at(page, 0.1)?;
        page.browser.press("0")?;
        page.wait_for("all", || Ok(window(page)?.is_none()))?;

        hover(page, 0.1, 1)?;
        page.browser.press("+++++")?;
        wait_for_zoom_at(page, 0.1)?;
        page.browser.press("-----")?;
        page.wait_for("all", || Ok(window(page)?.is_none()))
    })
}

#[test]
fn pinch_zooms_between_the_fingers() -> Result<()> {
    visit(|page| {
        page.browser.devtools("Emulation.setTouchEmulationEnabled", json!({ "enabled": true, "maxTouchPoints": 2 }))?;
        open(page)?;
        let (x, y) = point(page, 0.3, 1)?;
        for (kind, apart) in [("touchStart", 20.0), ("touchMove", 60.0), ("touchMove", 120.0)] {
            let fingers = json!([{ "x": x - apart, "y": y, "id": 0 }, { "x": x + apart, "y": y, "id": 1 }]);
            page.browser.devtools("Input.dispatchTouchEvent", json!({ "type": kind, "touchPoints": fingers }))?;
        }
        page.browser.devtools("Input.dispatchTouchEvent", json!({ "type": "touchEnd", "touchPoints": [] }))?;
        wait_for_zoom_at(page, 0.3)
    })
}

#[test]
fn safari_trackpad_pinch_zooms() -> Result<()> {
    visit(|page| {
        open(page)?;
        let (x, y) = point(page, 0.3, 1)?;
        // Chromium doesn't have these events, so the test creates them like Safari's.
        let script = "const [x, y] = arguments;
            for (const [kind, scale] of [['gesturestart', 1], ['gesturechange', 1.5], ['gesturechange', 4]]) {
                const event = new Event(kind, { bubbles: true, cancelable: true });
                Object.assign(event, { scale, clientX: x, clientY: y });
                document.querySelector('.flame-canvas').dispatchEvent(event);
            }";
        page.browser.run(script, json!([x, y]))?;
        wait_for_zoom_at(page, 0.3)
    })
}

#[test]
fn enter_zooms_to_a_match_too_narrow_to_see() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page)?;
        let picture = picture()?;
        let width = |name: u32| {
            let of_it = picture.boxes.iter().filter(|of| of.n_merged == 0 && of.name == name);
            of_it.map(|of| of.x1 - of.x0).fold(0.0, f64::max)
        };
        // All frames with this name are at most a few pixels wide.
        let mut names = 0..picture.names.len() as u32;
        let is_plain = |name: &str| name.chars().all(|c| c.is_ascii_alphanumeric() || "._'".contains(c));
        let name_of = |name: u32| &picture.names[name as usize].label.name;
        let is_narrow = |name: &u32| (0.001..0.006).contains(&width(*name)) && is_plain(name_of(*name));
        let name = name_of(names.find(is_narrow).context("no narrow frame")?);
        page.browser.press("/")?;
        page.browser.press(&format!("/^{}$/", name.replace('.', "\\.")))?;
        page.wait_for_text("matched ")?;
        page.wait_until_idle()?;
        page.browser.press(ENTER)?;
        page.wait_for_text("1 of ")?;
        page.wait_for("a visible match", || Ok(window(page)?.is_some_and(|(_, w)| w < MINIMAP / 8.0)))?;
        page.wait_for("the tooltip of the match", || Ok(!tip(page)?.is_empty()))
    })
}

#[test]
fn sandwich_halves_are_labeled_and_the_minimap_covers_no_frames() -> Result<()> {
    visit(|page| {
        open(page)?;
        hover(page, 0.5, 1)?;
        page.browser.press("+++")?;
        page.wait_for("the minimap", || Ok(window(page)?.is_some()))?;
        let overlap = "
            const [map, stage] = ['.flame-minimap', '.flame-stage'].map((css) => document.querySelector(css).getBoundingClientRect());
            return map.bottom > stage.top && map.top < stage.bottom && map.right > stage.left && map.left < stage.right";
        ensure!(page.browser.run(overlap, json!([]))? == false, "the minimap covers the picture");
        page.browser.press("0")?;
        click(page, point(page, 0.1, 2)?, "left", 1)?;
        page.wait_for("a selection", || Ok(page.attribute(".panel-name", "title")?.is_some()))?;
        choose(page, "Direction", "sandwich")?;
        page.wait_for("the names of the halves", || {
            let words =
                page.browser.run("return document.querySelector('.flame-halves')?.textContent ?? ''", json!([]))?;
            Ok(words.as_str().is_some_and(|words| words.contains("callers") && words.contains("callees")))
        })
    })
}

/// Returns the start and the width of the visible range in the minimap, or `None` if everything is visible.
fn window(page: &Page) -> Result<Option<(f64, f64)>> {
    let number = |name: &str| page.attribute(".flame-minimap-window", name);
    Ok(match (number("x")?, number("width")?) {
        (Some(x), Some(width)) => Some((x.parse()?, width.parse()?)),
        _ => None,
    })
}

/// Waits until the picture is zoomed, with the same frame as before at this fraction of its width.
fn wait_for_zoom_at(page: &Page, part: f64) -> Result<()> {
    page.wait_for("a zoomed picture", || Ok(window(page)?.is_some_and(|(_, width)| width < MINIMAP / 2.0)))?;
    page.wait_for("the same frame at the pointer", || {
        Ok(window(page)?.is_some_and(|(x, width)| (x + part * width - part * MINIMAP).abs() < 1.0))
    })
}

/// Returns the sample's flame graph for the page's first query.
fn picture() -> Result<Flame> {
    let config = FlameConfig {
        direction: Direction::TopDown,
        root: BoxSelector::Top,
        x: 0.0..1.0,
        width_px: 1000.0,
        depths: 0..64,
    };
    let view = View { measure: Measure::Live(When::Peak), ..View::default() };
    match answer(&Request { view, question: Question::Flame(config) })? {
        Answer::Flame(picture) => Ok(picture),
        _ => anyhow::bail!("no picture"),
    }
}
