//! Loads the traces of the decode benchmark in the built page: the first load of a fresh Chromium, one second after the page is
//! ready. Visits alternate with native loads of the same file, and the best of each are compared. So other load on the machine
//! affects both equally.

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

/// The time from a ready page to the choice of a file.
const READER_FINDS_FILE: Duration = Duration::from_secs(1);
/// The number of first loads, each in a fresh browser.
const VISITS: usize = 12;
/// Larger files are loaded only once.
const LARGE_BYTES: usize = 300 << 20;
/// The polling interval. Polling takes CPU time from the load: at 20 polls per second, a compiler's trace took a sixth longer.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// Enough for a load of several gigabytes.
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

/// The loading time for a visitor who has just opened the page and drags a file over it.
struct Visit {
    /// Decoding only. It's compared with a native load, whose bytes are already in memory.
    decode_s: f64,
    /// From the drop until the model is complete.
    total_s: f64,
}

fn first_load(file: &Path) -> Result<Visit> {
    let (page, _server) = open_page()?;
    page.browser.run("window.dispatchEvent(new DragEvent('dragenter'))", Value::Array(Vec::new()))?;
    // Nobody drops a file faster, and the worker prepares in this time.
    std::thread::sleep(READER_FINDS_FILE);
    page.pick_file(file)?;
    wait_for_load(&page)
}

/// Waits for the load to end, and reads its times from the page.
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
