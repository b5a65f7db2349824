//! A second trace beside the first: what changed, with the figures of the command line.

use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::looks::fits_every_window;
use crate::page::Page;
use crate::traces::{TINY, TYPECORE};
use crate::visit::visit;

#[test]
pub fn a_second_trace_is_compared_and_the_figures_are_those_of_the_command_line() -> Result<()> {
    visit(|page| {
        open(page, "leak-1e-6-v3")?;
        page.drop_path(&fixture("leak-1e-4-v3"))?;
        page.wait_for_text("Replace, or compare?")?;
        page.browser.click("//dialog//button[text()='Compare']")?;
        page.wait_for_text("Allocated by")?;
        let told = cli(&["compare", "leak-1e-6-v3", "leak-1e-4-v3", "--measure", "peak", "--self", "--json"])?;
        let change = told["all"]["change"].as_f64().context("no change in the command line's answer")?;
        let shown: f64 = page.figure("compare.change")?.parse()?;
        ensure!((shown - change).abs() <= change.abs() * 1e-9, "the page says {shown}, the command line {change}");
        fits_every_window(page)
    })
}

#[test]
pub fn two_moments_of_one_trace_are_compared_without_a_second() -> Result<()> {
    visit(|page| {
        open(page, "orders-1e-4-v2")?;
        page.browser.click("//*[@id='tab-compare']")?;
        page.wait_for_text("more than chance")?;
        page.says("Drop a second trace to compare two runs.")?;
        page.browser.click("(//button[contains(@class, 'compare-name')])[1]")?;
        page.wait_for("the flame graph", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("flame")))
    })
}

#[test]
pub fn escape_keeps_the_trace_that_is_open() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        page.drop_path(&TYPECORE.path())?;
        page.wait_for_text("Replace, or compare?")?;
        page.browser.press("\u{e00c}")?;
        page.wait_for("the dialog to go", || Ok(!page.text()?.contains("Replace, or compare?")))?;
        TINY.is_shown(page)
    })
}

fn open(page: &Page, trace: &str) -> Result<()> {
    page.open()?;
    page.drop_path(&fixture(trace))?;
    page.wait_for_screen("loaded")
}

fn fixture(trace: &str) -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(format!("{trace}.ctf"))
}

/// What `camlscope` says; words that name a fixture stand for its file.
fn cli(words: &[&str]) -> Result<Value> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_camlscope"));
    for word in words {
        let file = fixture(word);
        if file.is_file() {
            command.arg(file)
        } else {
            command.arg(word)
        };
    }
    let output = command.output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    Ok(serde_json::from_slice(&output.stdout)?)
}
