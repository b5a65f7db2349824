//! The traces of the decode bench in Chromium's worker: the built page, real files, the first load of a fresh browser, one
//! second after the page is ready. Each visit is followed by a native load of the same file, and the best of each is
//! compared: what else the machine does falls on both, and both have the same chances of a quiet moment.

#[path = "decode/floor.rs"]
mod floor;
#[path = "shared/in_browser.rs"]
mod in_browser;
#[path = "shared/native.rs"]
mod native;

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use camlscope_browser_tests::page::Page;
use in_browser::{native_results, open_page};
use native::{load, timed};
use serde_json::Value;

/// From the page's being ready to the file's being chosen.
const READER_FINDS_FILE: Duration = Duration::from_secs(1);
/// First loads, each in a fresh browser.
const VISITS: usize = 12;
/// Files above this are loaded once.
const LARGE_BYTES: usize = 300 << 20;
/// How often the page is asked whether it is done. Asking takes a core's time from the load: twenty times a second, a
/// compiler's trace took a sixth longer.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// A load of some gigabytes.
const PATIENCE: Duration = Duration::from_secs(600);

fn main() -> Result<()> {
    println!(
        "{:28} {:>7} {:>9} {:>9} {:>9} {:>8} {:>8} {:>9}",
        "trace, in Chromium", "MB", "decode s", "MB/s", "native s", "÷native", "÷floor", "and read"
    );
    for native in native_results()? {
        let file = native["file"].as_str().context("no file in the native results")?;
        measure(&Path::new(file).canonicalize()?)?;
    }
    Ok(())
}

fn measure(file: &Path) -> Result<()> {
    let bytes = fs::read(file)?;
    let n_visits = if bytes.len() > LARGE_BYTES { 1 } else { VISITS };
    let mut visits = Vec::new();
    let (mut native_s, mut floor_s) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..n_visits {
        visits.push(first_load(file)?);
        floor_s = timed(|| floor::walk(&bytes)).min(floor_s);
        native_s = timed(|| load(&bytes, &mut 0)).min(native_s);
    }
    let mb = bytes.len() as f64 / 1e6;
    let seconds = visits.iter().map(|visit| visit.decode_s).fold(f64::INFINITY, f64::min);
    let total_s = visits.iter().map(|visit| visit.total_s).fold(f64::INFINITY, f64::min);
    let all: Vec<f64> = visits.iter().map(|visit| visit.decode_s).collect();
    println!(
        "{:28} {mb:>7.1} {seconds:>9.2} {:>9.0} {native_s:>9.2} {:>8.2} {:>8.2} {total_s:>9.2}   all: {all:.2?}",
        file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
        mb / seconds,
        seconds / native_s,
        seconds / floor_s,
    );
    Ok(())
}

/// How long a reader waits who has just come to the page and drags a file over it.
struct Visit {
    /// For the decoder alone, as natively the bytes lie there.
    decode_s: f64,
    /// From the drop until the model stands.
    total_s: f64,
}

fn first_load(file: &Path) -> Result<Visit> {
    let (page, _server) = open_page()?;
    page.browser.run("window.dispatchEvent(new DragEvent('dragenter'))", Value::Array(Vec::new()))?;
    // Nobody lets go of it faster; the worker gets ready meanwhile.
    std::thread::sleep(READER_FINDS_FILE);
    page.pick_file(file)?;
    wait_for_load(&page)
}

/// Waits for the load to end, and reads what the page says of it.
fn wait_for_load(page: &Page) -> Result<Visit> {
    let began = Instant::now();
    let script = "
        const root = document.querySelector('[data-screen]');
        const figures = ['decode', 'total'].map((name) => document.querySelector(`[data-figure=\"timing.${name}_ms\"]`));
        return [root.dataset.screen, ...figures.map((figure) => (figure ? Number(figure.dataset.value) : null))]";
    while began.elapsed() < PATIENCE {
        let answer = page.browser.run(script, Value::Array(Vec::new()))?;
        match (answer[0].as_str(), answer[1].as_f64(), answer[2].as_f64()) {
            (Some("loaded"), Some(decode_ms), Some(total_ms)) => {
                return Ok(Visit { decode_s: decode_ms / 1e3, total_s: total_ms / 1e3 });
            }
            (Some("failed"), ..) => bail!("the page refused the trace"),
            _ => std::thread::sleep(LOOK_EVERY),
        }
    }
    bail!("the load did not end within {PATIENCE:?}")
}
