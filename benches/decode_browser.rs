//! The traces of the decode bench in Chromium's worker: the built page, real files, the first load of a fresh browser, one
//! second after the page is ready.
//! Its times stand beside the native ones of the same run.

#[path = "../tests/browser/browser.rs"]
#[allow(dead_code, reason = "shared with the browser tests, which use all of it")]
mod browser;
#[path = "../tests/browser/page.rs"]
#[allow(dead_code, reason = "shared with the browser tests, which use all of it")]
mod page;
#[path = "../tests/browser/server.rs"]
#[allow(dead_code, reason = "shared with the browser tests, which use all of it")]
mod server;

#[path = "shared/in_browser.rs"]
mod in_browser;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use in_browser::{native_results, open_page};
use page::Page;
use serde_json::Value;

/// From the page's being ready to the file's being chosen.
const READER_FINDS_FILE: Duration = Duration::from_secs(1);
/// A load of some gigabytes.
const PATIENCE: Duration = Duration::from_secs(600);

fn main() -> Result<()> {
    println!(
        "{:28} {:>7} {:>9} {:>9} {:>9} {:>8} {:>8}",
        "trace, in Chromium", "MB", "decode s", "MB/s", "native s", "÷native", "÷floor"
    );
    for native in native_results()? {
        measure(&native)?;
    }
    Ok(())
}

fn measure(native: &Value) -> Result<()> {
    let field = |name: &str| native[name].as_f64().with_context(|| format!("no {name} in the native results"));
    let file = Path::new(native["file"].as_str().context("no file in the native results")?).canonicalize()?;
    let (page, _server) = open_page()?;
    // Nobody finds a file faster; the worker warms up meanwhile.
    std::thread::sleep(READER_FINDS_FILE);
    page.pick_file(&file)?;
    let seconds = decode_seconds(&page)?;
    let (mb, native_s) = (field("bytes")? / 1e6, field("model_s")?);
    println!(
        "{:28} {mb:>7.1} {seconds:>9.2} {:>9.0} {native_s:>9.2} {:>8.2} {:>8.2}",
        file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        mb / seconds,
        seconds / native_s,
        seconds / field("floor_s")?,
    );
    Ok(())
}

/// Waits for the load to end, and reads what the page says of it.
fn decode_seconds(page: &Page) -> Result<f64> {
    let began = Instant::now();
    let script = "
        const root = document.querySelector('[data-screen]');
        const figure = document.querySelector('[data-figure=\"timing.decode_ms\"]');
        return [root.dataset.screen, figure ? Number(figure.dataset.value) : null]";
    while began.elapsed() < PATIENCE {
        let answer = page.browser.run(script, Value::Array(Vec::new()))?;
        match (answer[0].as_str(), answer[1].as_f64()) {
            (Some("loaded"), Some(ms)) => return Ok(ms / 1e3),
            (Some("failed"), _) => bail!("the page refused the trace"),
            _ => std::thread::sleep(Duration::from_millis(50)),
        }
    }
    bail!("the load did not end within {PATIENCE:?}")
}
