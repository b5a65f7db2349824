//! Exported files match what the command line writes for the same filter.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::leaks::{open, printed};
use crate::page::Page;
use crate::visit::visit;

const FILE: &str = "leak-1e-4-v3.ctf";

#[test]
pub fn exported_stacks_and_table_match_the_command_line() -> Result<()> {
    visit(|page| {
        open(page, FILE)?;
        watch_saves(page)?;
        page.browser.run("location.hash = 'tab=flame&show=promoted&size=3..'", json!([]))?;
        let view = ["--measure", "promoted", "--size", "3.."];
        let of = |command: &[&str]| printed(&[command, &view].concat());

        save(page, "Folded stacks")?;
        ensure!(saved(page)? == of(&["flame", FILE])?, "the folded stacks differ");
        save(page, "speedscope profile")?;
        let written: Value = serde_json::from_str(&saved(page)?)?;
        let expected: Value = serde_json::from_str(&of(&["convert", FILE, "--output", "-", "--to", "speedscope"])?)?;
        ensure!(written["profiles"] == expected["profiles"], "the stacks for speedscope differ");
        save(page, "Firefox Profiler profile")?;
        let written: Value = serde_json::from_str(&saved(page)?)?;
        let expected: Value = serde_json::from_str(&of(&["convert", FILE, "--output", "-", "--to", "firefox"])?)?;
        ensure!(written["threads"] == expected["threads"], "the stacks for the Firefox Profiler differ");
        save(page, "pprof profile")?;
        let size = page.browser.run("return window.saved.size", json!([]))?;
        let begins = page
            .browser
            .run("return window.saved.arrayBuffer().then((bytes) => [...new Uint8Array(bytes, 0, 2)])", json!([]))?;
        ensure!(begins == json!([0x1f, 0x8b]) && size.as_u64() > Some(100), "not gzip: {begins}, {size} bytes");
        save(page, "Table of functions")?;
        ensure!(saved(page)? == of(&["table", FILE, "--csv"])?, "the table differs");
        Ok(())
    })
}

#[test]
pub fn exported_histograms_events_and_report_match_the_command_line() -> Result<()> {
    visit(|page| {
        open(page, FILE)?;
        watch_saves(page)?;
        page.browser.run("location.hash = 'tab=table&show=allocated&size=3..'", json!([]))?;
        let of_command = |command: &[&str]| printed(&[command, &["--size", "3.."]].concat());

        for (what, of, bins) in [("sizes", "size", "classic"), ("lifetimes", "lifetime", "log2")] {
            save(page, &format!("Histogram of {what}"))?;
            let printed = of_command(&["histogram", FILE, "--json", "--of", of, "--bins", bins])?;
            ensure!(samples_in(&saved(page)?) == samples_of(&serde_json::from_str(&printed)?), "the {what} differ");
        }
        save(page, "Events")?;
        ensure!(saved(page)? == of_command(&["dump", FILE])?, "the events differ");
        save(page, "Static report")?;
        let report = of_command(&["convert", FILE, "--output", "-", "--to", "html", "--measure", "allocated"])?;
        ensure!(saved(page)? == report, "the report differs");
        ensure!(name(page)? == "leak-1e-4-v3.static.html", "{}", name(page)?);
        Ok(())
    })
}

/// The tab of each picture, its name in the menu, its file name, and a part of its legend.
const PICTURES: [(&str, &str, &str, &str); 5] = [
    ("tab=flame", "Flame graph", "leak-1e-4-v3.flame", "library code"),
    ("tab=histograms", "Histogram of sizes", "leak-1e-4-v3.sizes", "minor heap only"),
    ("tab=histograms&bars=size-lifetime", "Heat map of size", "leak-1e-4-v3.size-lifetime", "from "),
    ("tab=compare", "Difference", "leak-1e-4-v3.difference", "not significant"),
    ("tab=table&pin=1s%20Look%20%3Cb%3Ehere", "Timeline", "leak-1e-4-v3.timeline", "Leak"),
];

#[test]
pub fn every_picture_is_saved_as_svg_with_text_and_as_png_of_twice_the_size() -> Result<()> {
    visit(|page| {
        open(page, FILE)?;
        watch_saves(page)?;
        // The pictures differ in the page's code, not in the engine's, so two of them are enough in the others.
        let n_pictures = if page.browser.engine == Engine::Chromium { PICTURES.len() } else { 2 };
        for (tab, picture, file, legend) in PICTURES.into_iter().take(n_pictures) {
            show(page, tab)?;
            save(page, picture)?;
            ensure!(name(page)? == format!("{file}.svg"), "{}", name(page)?);
            let text = saved(page)?;
            let heading = if picture == "Timeline" { "Live bytes over time" } else { picture };
            for words in [heading, "leak-head.exe", "larger than 2 words", FILE, legend] {
                ensure!(text.contains(words), "{picture}: no “{words}”");
            }
            let note = "Look &lt;b&gt;here";
            ensure!(picture != "Timeline" || text.contains(note), "{picture}: no “{note}”");
            ensure!(!text.contains("oklch") && !text.contains("var("), "{picture}: colors that few programs support");
            let [width, _, red] = drawn(page)?;
            ensure!(red >= 128, "{picture}: dark on a light page");
            save_png(page, picture)?;
            ensure!(name(page)? == format!("{file}.png"), "{}", name(page)?);
            // The height can change, because a notice appears and disappears. Half a pixel is a full one in the PNG.
            let [in_png, _, red] = drawn(page)?;
            ensure!(red >= 128, "{picture}: dark on a light page, as PNG");
            ensure!(in_png.abs_diff(2 * width) <= 1, "{picture}: {in_png} is not twice {width}");
        }
        Ok(())
    })
}

#[test]
fn pictures_are_dark_in_dark_mode() -> Result<()> {
    visit(|page| {
        open(page, FILE)?;
        watch_saves(page)?;
        page.prefer("dark")?;
        for (tab, picture, ..) in PICTURES {
            show(page, tab)?;
            save(page, picture)?;
            let [.., in_svg] = drawn(page)?;
            ensure!(in_svg < 128, "{picture}: {in_svg}");
        }
        save_png(page, PICTURES[PICTURES.len() - 1].1)?;
        let [.., in_png] = drawn(page)?;
        ensure!(in_png < 128, "as PNG: {in_png}");
        Ok(())
    })
}

fn show(page: &Page, tab: &str) -> Result<()> {
    page.browser.run(&format!("location.hash = '{tab}&size=3..&show=allocated'"), json!([]))?;
    page.wait_until_idle()
}

fn save_png(page: &Page, picture: &str) -> Result<()> {
    save_item(page, &format!("//*[@role='menuitem'][starts-with(., '{picture}')][contains(., 'PNG')]"))
}

/// Returns the samples in each bin of a saved histogram. The last line is for objects that were never freed.
fn samples_in(csv: &str) -> Vec<u64> {
    csv.lines().skip(1).filter_map(|line| line.split(',').nth(2)?.parse().ok()).collect()
}

/// Returns the same from the command line's JSON.
fn samples_of(histogram: &Value) -> Vec<u64> {
    let bins = histogram["bins"].as_array().into_iter().flatten().chain([&histogram["never"]]);
    bins.filter_map(|bin| bin["samples"].as_u64()).collect()
}

/// Opens the saved picture in the browser, and returns its width, its height, and the red value of a pixel in its corner.
fn drawn(page: &Page) -> Result<[u64; 3]> {
    let script = "const type = window.saved.type || 'image/svg+xml';
        const url = URL.createObjectURL.plain(new Blob([window.saved], { type }));
        return new Promise((done, fail) => {
            const image = new Image();
            image.onerror = () => fail(new Error('no picture'));
            image.onload = () => {
                const canvas = document.createElement('canvas');
                const context = canvas.getContext('2d');
                context.drawImage(image, 0, 0);
                done([image.naturalWidth, image.naturalHeight, context.getImageData(2, 2, 1, 1).data[0]]);
            };
            image.src = url;
        })";
    Ok(serde_json::from_value(page.browser.run(script, json!([]))?)?)
}

/// Records the files that the page saves.
pub fn watch_saves(page: &Page) -> Result<()> {
    let script = "const make = URL.createObjectURL.bind(URL);
        URL.createObjectURL = (blob) => { window.saved = blob; return make(blob); };
        URL.createObjectURL.plain = make;
        const click = HTMLAnchorElement.prototype.click;
        HTMLAnchorElement.prototype.click = function () { window.savedName = this.download; click.call(this); }";
    page.browser.run(script, json!([])).map(drop)
}

pub fn save(page: &Page, what: &str) -> Result<()> {
    save_item(page, &format!("//*[@role='menuitem'][starts-with(., '{what}')]"))
}

fn save_item(page: &Page, item: &str) -> Result<()> {
    page.browser.run("window.saved = null", json!([]))?;
    page.press("Share")?;
    page.click(item)?;
    page.wait_for("a file", || Ok(page.browser.run("return window.saved !== null", json!([]))? == true))?;
    page.wait_for_text("Saved ")
}

pub fn saved(page: &Page) -> Result<String> {
    let text = page.browser.run("return window.saved.text()", json!([]))?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// Returns the name of the saved file.
pub fn name(page: &Page) -> Result<String> {
    let name = page.browser.run("return window.savedName", json!([]))?;
    Ok(name.as_str().unwrap_or_default().to_owned())
}
