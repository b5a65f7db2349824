//! What is shown as files: the same that the command line writes of the same filter.

use anyhow::{Result, ensure};
use serde_json::{Value, json};

use crate::leaks::{open, printed};
use crate::page::Page;
use crate::visit::visit;

const FILE: &str = "leak-1e-4-v3.ctf";

#[test]
pub fn stacks_and_table_are_saved_as_the_command_line_writes_them() -> Result<()> {
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
        save(page, "pprof profile")?;
        let size = page.browser.run("return window.saved.size", json!([]))?;
        let begins = page
            .browser
            .run("return window.saved.arrayBuffer().then((bytes) => [...new Uint8Array(bytes, 0, 2)])", json!([]))?;
        ensure!(begins == json!([0x1f, 0x8b]) && size.as_u64() > Some(100), "no gzip: {begins}, {size} bytes");
        save(page, "Table of functions")?;
        ensure!(saved(page)? == of(&["table", FILE, "--csv"])?, "the table differs");
        Ok(())
    })
}

#[test]
pub fn histograms_events_and_the_report_are_saved_as_the_command_line_writes_them() -> Result<()> {
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

/// Where a picture is, what it is called in the menu and as a file, and what its legend says.
const PICTURES: [(&str, &str, &str, &str); 5] = [
    ("tab=flame", "Flame graph", "leak-1e-4-v3.flame", "library code"),
    ("tab=histograms", "Histogram of sizes", "leak-1e-4-v3.sizes", "minor heap only"),
    ("tab=histograms&bars=size-lifetime", "Heat map of size", "leak-1e-4-v3.size-lifetime", "from "),
    ("tab=compare", "Difference", "leak-1e-4-v3.difference", "not significant"),
    ("tab=table", "Timeline", "leak-1e-4-v3.timeline", "Leak"),
];

#[test]
pub fn every_picture_is_saved_with_its_words_and_as_png_of_twice_the_size() -> Result<()> {
    visit(|page| {
        open(page, FILE)?;
        watch_saves(page)?;
        for (tab, picture, file, legend) in PICTURES {
            show(page, tab)?;
            save(page, picture)?;
            ensure!(name(page)? == format!("{file}.svg"), "{}", name(page)?);
            let text = saved(page)?;
            let heading = if picture == "Timeline" { "Live bytes over time" } else { picture };
            for words in [heading, "leak-head.exe", "larger than 2 words", FILE, legend] {
                ensure!(text.contains(words), "the {picture} does not say {words}");
            }
            ensure!(!text.contains("oklch") && !text.contains("var("), "{picture}: colors that few programs read");
            let [width, _, red] = drawn(page)?;
            ensure!(red >= 128, "{picture}: dark on a light page");
            save_png(page, picture)?;
            ensure!(name(page)? == format!("{file}.png"), "{}", name(page)?);
            // The height may change: a notice comes and goes. Half a pixel is a whole one in the PNG.
            let [in_png, _, red] = drawn(page)?;
            ensure!(red >= 128, "{picture}: dark on a light page, as PNG");
            ensure!(in_png.abs_diff(2 * width) <= 1, "{picture}: {in_png} is not twice {width}");
        }
        Ok(())
    })
}

#[test]
fn pictures_of_a_dark_page_are_dark() -> Result<()> {
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

/// How many samples each bin of a histogram has, as the file says it; the last line is what was never freed.
fn samples_in(csv: &str) -> Vec<u64> {
    csv.lines().skip(1).filter_map(|line| line.split(',').nth(2)?.parse().ok()).collect()
}

/// The same of what the command line prints.
fn samples_of(histogram: &Value) -> Vec<u64> {
    let bins = histogram["bins"].as_array().into_iter().flatten().chain([&histogram["never"]]);
    bins.filter_map(|bin| bin["samples"].as_u64()).collect()
}

/// Of the picture that was saved, as the browser reads it: its width, its height, and how red its first pixel is.
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

/// Keeps what the page offers as a file.
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
    page.press("Export")?;
    page.click(item)?;
    page.wait_for("a file", || Ok(page.browser.run("return window.saved !== null", json!([]))? == true))?;
    page.wait_for_text("Saved ")
}

pub fn saved(page: &Page) -> Result<String> {
    let text = page.browser.run("return window.saved.text()", json!([]))?;
    Ok(text.as_str().unwrap_or_default().to_owned())
}

/// What the file that was saved is called.
fn name(page: &Page) -> Result<String> {
    let name = page.browser.run("return window.savedName", json!([]))?;
    Ok(name.as_str().unwrap_or_default().to_owned())
}
