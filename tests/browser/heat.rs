//! Heat maps. Their figures match the command line's.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::histograms::{chips, choose, n_of, native, open, path, shift_press, text};
use crate::keys::{ENTER, RIGHT, UP};
use crate::page::Page;
use crate::traces::command_line;
use crate::visit::visit;

const ORDERS: &str = "orders-1e-4-v2";
const PHASES: &str = "phases-1e-4-v2";

#[test]
fn heat_map_shows_the_phases_and_a_selected_rectangle_filters() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page, PHASES, "&show=allocated&bars=time-lifetime")?;
        page.wait_for("all samples", || Ok(page.count("heat.total").ok() == Some(6_026)))?;
        let mut runs = Vec::new();
        page.wait_for("phases", || {
            runs = painted(page)?;
            Ok(!runs.is_empty())
        })?;
        // The program allocates for 10 s, is idle until a spike near 50 s, and allocates again from 52 s.
        ensure!(runs.len() == 3, "{} phases: {runs:?}", runs.len());
        ensure!(runs[1].0 - runs[0].1 > 3.0 * (runs[0].1 - runs[0].0), "no long idle phase: {runs:?}");

        let area = page.area(".heat-canvas")?;
        let (first, last) = runs[0];
        let top = area[1] + 40.0;
        let bottom = area[1] + area[3] - 26.0;
        page.drag((area[0] + first, bottom), (area[0] + last - 1.0, top))?;
        // A selection only filters on request, as in a histogram.
        page.wait_for("the button", || Ok(page.text()?.contains("Filter by selection")))?;
        ensure!(chips(page)?.is_empty(), "the selection filters without a click");
        page.press("Filter by selection")?;
        // All lifetimes, but only objects that were freed.
        page.wait_for("no more clauses than needed", || {
            let chips = chips(page)?;
            Ok(chips.len() == 2
                && ["allocated=", "collected="].iter().all(|key| chips.iter().any(|chip| chip.starts_with(key))))
        })?;
        let left = filtered(page, PHASES, &["--of", "lifetime"])?;
        let left = left["stats"]["count"].as_f64().context("no count")? as u64;
        ensure!(left > 0 && left < 6_026, "{left} samples are left");
        page.wait_for("the command line's count", || Ok(page.count("heat.total")? == left))
    })
}

#[test]
fn heat_map_opens_with_all_allocations_and_its_times_line_up_with_the_timeline() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page, PHASES, "")?;
        page.press("Time × lifetime")?;
        page.wait_for("all samples", || Ok(page.count("heat.total").ok() == Some(6_026)))?;
        for width in [1440, 390] {
            page.resize(width, 900)?;
            page.wait_until_idle()?;
            page.fits_its_width()?;
            let [timeline, map] = [".timeline-canvas", ".heat-canvas"].map(|css| page.area(css));
            let ([left, _, width, _], [map_left, _, map_width, _]) = (timeline?, map?);
            ensure!(
                (left, width) == (map_left, map_width),
                "the map is at {map_left} + {map_width}, not {left} + {width}"
            );
        }
        // Zooming the timeline zooms the map.
        page.browser.run("location.hash += '&zoom=0s..20s'", json!([]))?;
        page.wait_for("only the first phase", || Ok((1..6_026).contains(&page.count("heat.total")?)))?;
        page.go_back()?;
        page.go_back()?;
        page.wait_for("the histogram from before", || Ok(page.attribute(".heat-canvas", "role")?.is_none()))?;
        let measure = "return document.querySelector('select[aria-label=Measure]').selectedOptions[0].text";
        page.wait_for("the measure from before", || Ok(page.browser.run(measure, json!([]))? == "Live at peak"))
    })
}

#[test]
fn selected_rectangle_adds_only_the_filters_it_needs() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page, PHASES, "&show=allocated&bars=size-lifetime")?;
        page.wait_for("all samples", || Ok(page.count("heat.total").ok() == Some(6_026)))?;
        page.browser.run("document.querySelector('.heat-canvas').focus()", json!([]))?;
        // Selects the first row: any size, and only the shortest lifetimes.
        page.browser.press(RIGHT)?;
        shift_press(page, &[RIGHT; 60])?;
        page.browser.press(ENTER)?;
        page.wait_for("a filter", || Ok(!chips(page)?.is_empty()))?;
        let chips = chips(page)?;
        ensure!(chips.iter().all(|chip| !chip.starts_with("size=")), "a size filter for all sizes: {chips:?}");
        Ok(())
    })
}

#[test]
fn heat_map_works_with_the_keyboard() -> Result<()> {
    visit(|page| {
        open(page, PHASES, "&show=allocated&bars=size-lifetime")?;
        page.wait_for("all samples", || Ok(page.count("heat.total").ok() == Some(6_026)))?;
        page.browser.run("document.querySelector('.heat-canvas').focus()", json!([]))?;
        page.browser.press(RIGHT)?;
        page.wait_for("the first cell", || {
            Ok(page.figure("read.range").is_ok_and(|range| range.starts_with("2 to 3 words")))
        })?;
        shift_press(page, &[UP; 30])?;
        let all = 4_030.0 * 80_000.0;
        page.wait_for("the column", || {
            let weight: f64 = page.figure("read.weight")?.parse()?;
            Ok(weight > 0.9 * all && weight <= all)
        })?;
        let weight: f64 = page.figure("read.weight")?.parse()?;
        page.browser.press(ENTER)?;
        page.wait_for("only the column", || Ok(page.count("heat.total")? as f64 * 80_000.0 == weight))
    })
}

#[test]
fn cell_shows_the_command_lines_bytes_samples_and_blocks() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page, ORDERS, "&show=allocated&bars=size-lifetime")?;
        page.wait_for("a map", || Ok(page.count("heat.total").unwrap_or(0) > 0))?;
        text_is(page, ".heat-legend span", "bytes per cell, log scale")?;
        point(page, 0.2, 0.5)?;
        let mut read = Vec::new();
        for (weight, words) in [("", "iB"), ("samples", "samples"), ("blocks", "blocks")] {
            choose(page, "Weight", weight)?;
            page.wait_for(words, || Ok(text(page, "[data-figure='read.weight']")?.contains(words)))?;
            read.push(page.figure("read.weight")?.parse::<f64>()?);
        }
        text_is(page, ".heat-legend span", "blocks per cell, log scale")?;
        page.click_at(place(page, 0.2, 0.5)?)?;
        page.wait_for("only that cell", || Ok(chips(page)?.len() == 3))?;
        for (weight, read) in ["bytes", "samples", "blocks"].into_iter().zip(read) {
            let count = filtered(page, ORDERS, &["--of", "size", "--weight", weight])?;
            let count = count["stats"]["count"].as_f64().context("no count")?;
            ensure!((read - count).abs() <= 1e-9 * count, "{weight}: {read}, not {count}");
        }
        Ok(())
    })
}

#[test]
fn cell_shows_its_three_largest_allocation_sites() -> Result<()> {
    visit(|page| {
        page.resize(1440, 900)?;
        open(page, ORDERS, "&show=allocated&bars=time-lifetime")?;
        page.wait_for("a map", || Ok(page.count("heat.total").unwrap_or(0) > 0))?;
        let area = page.area(".heat-canvas")?;
        // Objects that lived for more than about a second and were freed.
        let (from, to) = ((area[0] + 70.0, area[1] + 32.0), (area[0] + area[2] - 20.0, area[1] + 90.0));
        page.drag(from, to)?;
        page.press("Filter by selection")?;
        page.wait_for("a filter", || Ok(chips(page)?.iter().any(|chip| chip.starts_with("lifetime="))))?;
        let expected = sites(ORDERS, &filters(page)?)?;
        page.browser.run("history.back()", json!([]))?;
        page.wait_for("no filter", || Ok(chips(page)?.is_empty()))?;
        page.wait_until_idle()?;
        page.mouse_at("mouseMoved", from)?;
        page.mouse_at("mousePressed", from)?;
        let held = json!({ "type": "mouseMoved", "x": to.0, "y": to.1, "button": "left", "buttons": 1 });
        page.mouse(held)?;
        let mut named = Vec::new();
        let waited = page.wait_for("the sites", || {
            named = named_sites(page)?;
            Ok(named == expected)
        });
        waited.with_context(|| format!("{named:?}, not {expected:?}"))?;
        let words = text(page, ".readout-sites")?;
        ensure!(words.matches('%').count() == expected.len(), "no shares: {words}");
        Ok(())
    })
}

#[test]
fn row_of_the_heat_maps_table_shows_its_cell() -> Result<()> {
    visit(|page| {
        // High enough that the button with the explanation doesn't cover the table.
        page.resize(1440, 1200)?;
        open(page, ORDERS, "&show=allocated&bars=size-lifetime&bars.count=samples")?;
        page.wait_for("a map", || Ok(page.count("heat.total").unwrap_or(0) > 0))?;
        page.click("//details[@class='behind']/summary")?;
        let first = text(page, ".behind tbody tr")?;
        page.click("//details[@class='behind']//tbody/tr[1]//button")?;
        page.wait_for("the cell's text", || {
            let (range, weight) =
                (page.figure("read.range").unwrap_or_default(), text(page, "[data-figure='read.weight']")?);
            let words: Vec<&str> = first.split('\t').map(str::trim).collect();
            Ok(range == format!("{}, {}", words[0], words[1]) && weight.starts_with(words[2]))
        })?;
        page.wait_for("the allocation sites", || Ok(!named_sites(page)?.is_empty()))?;
        // A site can be selected.
        page.click("(//*[@data-figure='read.site'])[1]")?;
        page.wait_for("the panel", || Ok(page.figure("selected.name").is_ok()))?;
        ensure!(n_of(page, ".behind [aria-pressed=true]")? == 1, "the table doesn't mark the cell");
        Ok(())
    })
}

/// Returns the horizontal ranges of the heat map that have colored cells, in pixels.
fn painted(page: &Page) -> Result<Vec<(f64, f64)>> {
    let script = "
        const canvas = document.querySelector('.heat-canvas');
        const ratio = canvas.width / canvas.getBoundingClientRect().width;
        const [left, top, bottom] = [66 * ratio, 34 * ratio, canvas.height - 26 * ratio];
        const width = canvas.width - 18 * ratio - left;
        const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext('2d', { willReadFrequently: true });
        copy.drawImage(canvas, 0, 0);
        const data = copy.getImageData(left, top, width, bottom - top);
        const runs = [];
        for (let x = 0; x < data.width; x++) {
            let is_painted = false;
            for (let y = 0; y < data.height && !is_painted; y++) is_painted = data.data[(y * data.width + x) * 4 + 3] > 0;
            const last = runs.at(-1);
            if (is_painted && last?.[1] === x) last[1] = x + 1;
            else if (is_painted) runs.push([x, x + 1]);
        }
        return runs.map((run) => run.map((x) => (x + left) / ratio))";
    let runs = page.browser.run(script, json!([]))?;
    let run = |run: &Value| Some((run[0].as_f64()?, run[1].as_f64()?));
    Ok(runs.as_array().into_iter().flatten().filter_map(run).collect())
}

/// Runs `camlscope histogram --json` with the page's filter.
fn filtered(page: &Page, trace: &str, arguments: &[&str]) -> Result<Value> {
    let filters = filters(page)?;
    let filters: Vec<&str> = filters.iter().map(String::as_str).collect();
    native(trace, &[arguments, &filters].concat())
}

/// Returns the page's filter as command-line options.
fn filters(page: &Page) -> Result<Vec<String>> {
    let words = |chip: String| {
        let (key, value) = chip.split_once('=').unwrap_or((&chip, ".."));
        [format!("--{key}"), value.to_owned()]
    };
    Ok(chips(page)?.into_iter().flat_map(words).collect())
}

/// Returns the three functions with the largest self figures, each with its samples.
fn sites(trace: &str, filters: &[String]) -> Result<Vec<String>> {
    let mut command = command_line()?;
    command.args(["table", "--json", "--top", "100000"]).args(filters).arg(path(trace));
    let table: Value = serde_json::from_slice(&command.output()?.stdout)?;
    let row = |row: &Value| Some((row["self_samples"].as_u64()?, row["name"].as_str()?.to_owned()));
    let mut rows: Vec<(u64, String)> = table["rows"].as_array().into_iter().flatten().filter_map(row).collect();
    rows.sort_by(|one, two| two.0.cmp(&one.0).then_with(|| one.1.cmp(&two.1)));
    Ok(rows.into_iter().take(3).map(|(samples, name)| format!("{name} {samples}")).collect())
}

fn named_sites(page: &Page) -> Result<Vec<String>> {
    let script =
        "return [...document.querySelectorAll('[data-figure=\"read.site\"]')].map((site) => site.dataset.value)";
    let sites = page.browser.run(script, json!([]))?;
    Ok(sites.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned).collect())
}

/// Returns the point at these fractions of the map's width and height.
fn place(page: &Page, x: f64, y: f64) -> Result<(f64, f64)> {
    page.point_in(".heat-canvas", x, y)
}

fn point(page: &Page, x: f64, y: f64) -> Result<()> {
    page.mouse_at("mouseMoved", place(page, x, y)?)?;
    page.wait_for("a cell", || Ok(page.figure("read.range").is_ok()))
}

fn text_is(page: &Page, css: &str, words: &str) -> Result<()> {
    page.wait_for(&format!("the text “{words}”"), || Ok(text(page, css)? == words))
}
