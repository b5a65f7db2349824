//! From a dropped trace to what grows in it, with the figures of `camlscope leaks --json`.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::looks::fits_every_window;
use crate::page::Page;
use crate::visit::visit;

const DOWN: &str = "\u{e015}";
const TAB: &str = "\u{e004}";

#[test]
fn from_a_dropped_trace_to_the_culprits_name_is_one_click() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-4-v3.ctf")?;
        press_tab(page, "Leaks")?;
        page.wait_for("the culprit", || Ok(page.figure("site.name").ok().as_deref() == Some("Leak.make_session")))?;
        ensure!(page.figure("sites.0.verdict")? == "growing", "the first site is not the one that grows");
        page.says("3 functions keep growing.")?;
        page.says("a cache that is still filling")?;
        page.wait_for_text("The stack that leads to it")
    })
}

#[test]
pub fn every_site_has_the_command_lines_figures() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-4-v3.ctf")?;
        press_tab(page, "Leaks")?;
        shows(page, &camlscope(&["leaks", "leak-1e-4-v3.ctf", "--json"])?)?;

        choose(page, "What a site is", "function")?;
        shows(page, &camlscope(&["leaks", "leak-1e-4-v3.ctf", "--json", "--by", "function"])?)?;
        choose(page, "What a site is", "module")?;
        shows(page, &camlscope(&["leaks", "leak-1e-4-v3.ctf", "--json", "--by", "module"])?)
    })
}

#[test]
fn a_site_opens_with_what_survived_by_age_and_leads_to_the_flame_graph() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-4-v3.ctf")?;
        press_tab(page, "Leaks")?;
        let site = &camlscope(&["leaks", "leak-1e-4-v3.ctf", "--json"])?["sites"][1];
        page.wait_for("the list", || Ok(page.figure("sites.1.name").is_ok()))?;
        page.click("//*[@id='leak-1']")?;
        page.wait_for("the second site", || Ok(page.figure("site.name").ok().as_deref() == site["name"].as_str()))?;
        page.wait_for("its ages", || Ok(page.figure("ages.3.kept").is_ok()))?;
        let sum = |name: &str| -> Result<f64> {
            (0..4).map(|nth| Ok(page.figure(&format!("ages.{nth}.{name}"))?.parse::<f64>()?)).sum()
        };
        let (allocated, end) = (site["allocated_bytes"].as_f64(), site["end_bytes"].as_f64());
        ensure!(
            Some(sum("allocated")?) == allocated,
            "the ages allocated {}, the site {allocated:?}",
            sum("allocated")?
        );
        ensure!(Some(sum("kept")?) <= end && sum("kept")? > 0.0, "the ages keep {}, the site {end:?}", sum("kept")?);

        page.press("Show in flame graph")?;
        page.wait_for("the flame graph", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("flame")))?;
        page.wait_for("the selection", || Ok(page.figure("selected.name").ok().as_deref() == site["name"].as_str()))?;
        let hash = page.browser.run("return location.hash", json!([]))?;
        ensure!(hash.as_str().is_some_and(|hash| hash.contains("show=end") && hash.contains("by=site")), "{hash}");
        Ok(())
    })
}

#[test]
fn so_few_samples_do_not_carry_a_conclusion_and_the_page_says_so() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-6-v3.ctf")?;
        press_tab(page, "Leaks")?;
        page.wait_for_text("66 samples do not carry a conclusion.")?;
        page.says("66 samples are too few to tell what grows.")?;
        page.says("MEMTRACE_RATE=1e-4")?;
        shows(page, &camlscope(&["leaks", "leak-1e-6-v3.ctf", "--json"])?)?;
        let verdicts =
            "return [...new Set([...document.querySelectorAll('[data-verdict]')].map((e) => e.dataset.verdict))]";
        let verdicts = page.browser.run(verdicts, json!([]))?;
        ensure!(verdicts == json!(["too few samples"]), "the page judges nevertheless: {verdicts}");
        fits_every_window(page)
    })
}

#[test]
pub fn other_thresholds_make_other_verdicts_and_a_link_keeps_them() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-4-v3.ctf")?;
        press_tab(page, "Leaks")?;
        page.wait_for_text("3 functions keep growing")?;
        page.click("//summary[contains(., 'What a verdict needs')]")?;
        set(page, "sigmas", "50")?;
        page.wait_for_text("Nothing grows beyond chance")?;
        page.says("changed")?;
        let hash = page.browser.run("return location.hash", json!([]))?;
        ensure!(hash.as_str().is_some_and(|hash| hash.contains("leak.needs=sigmas:50")), "{hash}");
        page.go_back()?;
        page.wait_for_text("3 functions keep growing")?;
        set(page, "trace", "1000000")?;
        page.wait_for_text("samples do not carry a conclusion.")?;
        page.press("As usual")?;
        page.wait_for_text("3 functions keep growing")
    })
}

#[test]
fn arrow_keys_open_one_site_after_the_other() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-4-v3.ctf")?;
        press_tab(page, "Leaks")?;
        page.wait_for("the list", || Ok(page.figure("sites.2.name").is_ok()))?;
        page.browser.run("document.querySelector('#leak-0').focus()", json!([]))?;
        page.browser.press(DOWN)?;
        page.browser.press(DOWN)?;
        let name = page.figure("sites.2.name")?;
        page.wait_for("the third site", || Ok(page.figure("site.name")? == name))?;
        let focus = page.browser.run("return document.activeElement.id", json!([]))?;
        ensure!(focus == "leak-2", "the focus is on {focus}");
        page.browser.press(TAB)?;
        let focus = page.browser.run("return document.activeElement.textContent", json!([]))?;
        ensure!(focus == "Show in flame graph", "behind the list comes {focus}");
        Ok(())
    })
}

#[test]
fn leaks_fit_every_window_and_stack_in_a_narrow_one() -> Result<()> {
    visit(|page| {
        open(page, "orders-1e-4-v2.ctf")?;
        press_tab(page, "Leaks")?;
        page.wait_for("the site", || Ok(page.figure("ages.0.kept").is_ok()))?;
        for (width, is_beside) in [(1440, true), (390, false)] {
            page.resize(width, 900)?;
            let places = page.browser.run(
                "const [list, site] = ['.leaks-list', '.leak-site'].map((css) => document.querySelector(css).getBoundingClientRect());
                 return [site.left >= list.right, site.top >= list.bottom]",
                json!([]),
            )?;
            ensure!(places == json!([is_beside, !is_beside]), "at {width} px: beside, below = {places}");
        }
        fits_every_window(page)?;
        page.click("//summary[.='What am I looking at?']")?;
        page.says("Only a longer trace tells them apart")?;
        fits_every_window(page)
    })
}

#[test]
fn what_was_allocated_and_what_of_it_is_alive_are_seen_in_both_colour_schemes() -> Result<()> {
    visit(|page| {
        open(page, "orders-1e-4-v2.ctf")?;
        press_tab(page, "Leaks")?;
        page.wait_for("the site", || Ok(page.figure("ages.0.kept").is_ok()))?;
        // Each colour of the bars, with its contrast to the ground.
        let script = "
            const canvas = document.querySelector('.leak-chart canvas');
            const { width, height } = canvas;
            const copy = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
            copy.drawImage(canvas, 0, 0);
            const pixels = copy.getImageData(0, height * 0.7, width, height * 0.2).data;
            const seen = new Map();
            for (let at = 0; at < pixels.length; at += 4) if (pixels[at + 3] === 255) {
                const color = pixels.slice(at, at + 3).join();
                seen.set(color, (seen.get(color) ?? 0) + 1);
            }
            const light = (color) => color.match(/\\d+/g).slice(0, 3).map(Number).map((c) => c / 255)
                .map((c) => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
                .reduce((sum, c, at) => sum + c * [0.2126, 0.7152, 0.0722][at], 0.05);
            const ground = light(getComputedStyle(document.querySelector('.leaks-view')).backgroundColor);
            const wide = [...seen].sort((one, two) => two[1] - one[1]).slice(0, 2).map(([color]) => light(color));
            return wide.map((color) => Math.max(color, ground) / Math.min(color, ground))";
        for scheme in ["light", "dark"] {
            page.prefer(scheme)?;
            let mut contrasts = Value::Null;
            let waited = page.wait_for("bars that stand out", || {
                contrasts = page.browser.run(script, json!([]))?;
                let contrasts = contrasts.as_array().into_iter().flatten().filter_map(Value::as_f64);
                Ok(contrasts.filter(|contrast| *contrast >= 3.0).count() == 2)
            });
            waited.with_context(|| format!("{scheme}: the contrasts are {contrasts}"))?;
        }
        Ok(())
    })
}

/// Drops a fixture and waits until it is open.
pub fn open(page: &Page, file: &str) -> Result<()> {
    page.resize(1440, 900)?;
    page.open()?;
    page.drop_path(&fixture(file))?;
    page.wait_for_screen("loaded")
}

pub fn press_tab(page: &Page, title: &str) -> Result<()> {
    page.click(&format!("//button[@role='tab'][.='{title}']"))
}

/// What the command line prints; an argument that is a fixture's name stands for the fixture.
pub fn printed(arguments: &[&str]) -> Result<String> {
    let arguments = arguments.iter().map(|argument| match argument.ends_with(".ctf") {
        true => fixture(argument).into_os_string(),
        false => argument.into(),
    });
    let output = Command::new(env!("CARGO_BIN_EXE_camlscope")).args(arguments).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(String::from_utf8(output.stdout)?)
}

pub fn camlscope(arguments: &[&str]) -> Result<Value> {
    Ok(serde_json::from_str(&printed(arguments)?)?)
}

/// Chooses in the select of this name.
pub fn choose(page: &Page, name: &str, value: &str) -> Result<()> {
    let option = format!("//select[@aria-label='{name}']/option[@value='{value}']");
    page.click(&option).with_context(|| format!("choosing {value}"))
}

pub fn fixture(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(file)
}

fn set(page: &Page, name: &str, value: &str) -> Result<()> {
    let script = "
        const input = document.querySelector(`.leaks-fields input[name=${arguments[0]}]`);
        input.value = arguments[1];
        input.dispatchEvent(new Event('change', { bubbles: true }))";
    page.browser.run(script, json!([name, value])).map(drop)
}

/// Waits until the list is the command line's, figure by figure, to the last digit.
fn shows(page: &Page, expected: &Value) -> Result<()> {
    let words = ["name", "verdict", "reason"];
    let figures = ["growth_bytes_per_s", "growth_error_bytes_per_s", "end_bytes"];
    let script = "
        const [words, figures, n] = arguments;
        const value = (at, name) => document.querySelector(`[data-figure='sites.${at}.${name}']`)?.dataset.value;
        return Array.from({ length: n }, (_, at) =>
            [...words.map((name) => value(at, name)), ...figures.map((name) => Number(value(at, name)))])";
    let sites = expected["sites"].as_array().context("no sites")?;
    let wanted: Vec<Vec<Value>> = sites
        .iter()
        .map(|site| {
            let figures = figures.iter().map(|name| json!(site[name].as_f64()));
            words.iter().map(|name| site[name].clone()).chain(figures).collect()
        })
        .collect();
    let mut shown = Value::Null;
    let same = |shown: &Value| {
        let rows = shown.as_array().into_iter().flatten().zip(&wanted);
        shown.as_array().is_some_and(|rows| rows.len() == wanted.len())
            && rows
                .flat_map(|(row, wanted)| row.as_array().into_iter().flatten().zip(wanted))
                .all(|(one, two)| one == two || one.as_f64().is_some() && one.as_f64() == two.as_f64())
    };
    let waited = page.wait_for("the command line's sites", || {
        shown = page.browser.run(script, json!([words, figures, sites.len()]))?;
        Ok(same(&shown) && page.count("n_sites")? == sites.len() as u64)
    });
    waited.with_context(|| format!("the page shows {shown}, the command line {}", json!(wanted)))
}
