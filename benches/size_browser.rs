//! Opens large traces in the page, then each tab, and changes the view. For each step, it prints the time until all responses
//! have arrived, the peak memory of the tab's process, and the worker's WebAssembly memory.
//!
//! `cargo xtask bench size` generates the traces and runs this after the command line. It also accepts Spacetime profiles.

#[path = "shared/in_browser.rs"]
#[allow(dead_code, reason = "this benchmark has no native results")]
mod in_browser;
#[path = "shared/renderer.rs"]
mod renderer;

use std::fs;
use std::io::Read;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use camlscope_browser_tests::engine::named;
use camlscope_browser_tests::page::Page;
use camlscope_browser_tests::server::is_built_from;
use camlscope_formats::spacetime::{HEAD_BYTES, is_profile};
use in_browser::open_page_served;
use renderer::Renderers;
use serde_json::{Value, json};

/// Enough for a load of five gigabytes on a busy machine.
const PATIENCE: Duration = Duration::from_secs(600);
/// The polling interval. Polling takes CPU time from the page.
const LOOK_EVERY: Duration = Duration::from_millis(250);

/// Each step is a name and an address. The first visit of a tab comes before changes in it.
const STEPS: [(&str, &str); 17] = [
    ("flame graph", "tab=flame"),
    ("table", "tab=table"),
    ("histograms", "tab=histograms"),
    ("leaks", "tab=leaks"),
    ("events", "tab=events"),
    ("compare two times", "tab=compare"),
    ("timeline by function", "tab=flame&stack=function"),
    ("flame graph of allocated", "tab=flame&show=allocated"),
    ("flame graph of promoted", "tab=flame&show=promoted"),
    ("flame graph by call site", "tab=flame&show=allocated&by=site"),
    ("flame graph by module", "tab=flame&show=allocated&by=module"),
    ("flame graph, inverted", "tab=flame&show=allocated&way=up"),
    ("flame graph, new filter", "tab=flame&show=allocated&size=..16"),
    ("table, new filter", "tab=table&show=allocated&size=..17"),
    ("histograms, new filter", "tab=histograms&show=allocated&size=..18"),
    ("leaks, new filter", "tab=leaks&show=allocated&size=..19"),
    ("summary", "tab=summary"),
];

fn main() -> Result<()> {
    let second = named("CAMLSCOPE_BENCH_SECOND")?.canonicalize()?;
    for file in std::env::args().skip(1).filter(|argument| !argument.starts_with("--")) {
        measure(&Path::new(&file).canonicalize()?, &second)?;
    }
    Ok(())
}

fn measure(file: &Path, second: &Path) -> Result<()> {
    let (page, _server) = open_page_served(Box::new(|name, bytes| {
        let own = is_built_from(name, "worker", ".js").then(|| String::from_utf8(bytes.clone()).ok()).flatten();
        Some(own.map_or(bytes, |own| own.replace("wasm = instance.exports", TELLS_MEMORY).into_bytes()))
    }))?;
    page.resize(1440, 900)?;
    page.browser.run(HEARS_MEMORY, json!([]))?;
    println!("\n{}, in Chromium\n", file.file_name().unwrap_or_default().display());
    println!("| step | s | tab, MiB | WebAssembly, MiB |\n| --- | ---: | ---: | ---: |");
    step(&page, "open, summary", ".workspace", || page.drop_path(file))?;
    let mut head = [0; HEAD_BYTES];
    fs::File::open(file)?.read_exact(&mut head)?;
    let is_profile = is_profile(&head);
    for (name, hash) in STEPS.into_iter().filter(|(_, hash)| !is_profile || can_be_asked_of_a_profile(hash)) {
        let tab = hash.split(['=', '&']).nth(1).unwrap_or_default();
        let shown = format!(".workspace[data-tab={tab}]");
        step(&page, name, &shown, || page.browser.run("location.hash = arguments[0]", json!([hash])).map(drop))?;
    }
    if is_profile {
        return Ok(());
    }
    step(&page, "open a second, compare", ".workspace[data-tab=compare]", || {
        page.drop_path(second)?;
        page.wait_for_text("Replace or compare?")?;
        page.click("//dialog//button[text()='Compare']")
    })
}

/// A profile has no objects.
fn can_be_asked_of_a_profile(hash: &str) -> bool {
    !["histograms", "events", "promoted", "size="].iter().any(|objects| hash.contains(objects))
}

/// Calls `act` and waits until the page shows the result.
fn step(page: &Page, name: &str, shown: &str, act: impl FnOnce() -> Result<()>) -> Result<()> {
    let renderers = Renderers::of_this_process();
    renderers.forget_peaks();
    page.browser.run(WATCH, json!([shown]))?;
    act()?;
    let began = Instant::now();
    let mut seen = Value::Null;
    while seen["done"] != json!(true) {
        ensure!(began.elapsed() < PATIENCE, "“{name}” did not end within {PATIENCE:?}");
        thread::sleep(LOOK_EVERY);
        seen = page.browser.run("return window.bench.step", json!([]))?;
    }
    let peak = renderers.peak_mib().map_or_else(|| "–".to_owned(), |mib| format!("{mib:.0}"));
    let memory = page.browser.run(ASK_MEMORY, json!([]))?;
    let memory = memory.as_f64().map_or_else(|| "–".to_owned(), |bytes| format!("{:.0}", bytes / f64::from(1 << 20)));
    let notice = seen["notice"].as_str().unwrap_or_default();
    println!("| {name} | {:.2} | {peak} | {memory} |{notice}", seen["ms"].as_f64().unwrap_or(f64::NAN) / 1e3);
    Ok(())
}

/// Inserted into the worker's script. The worker then reports the size of its memory on request.
const TELLS_MEMORY: &str = "const ask = new BroadcastChannel('bench-ask');
    ask.onmessage = () => new BroadcastChannel('bench-tell').postMessage(globalThis.program.memory.buffer.byteLength);
    globalThis.program = wasm = instance.exports";
const HEARS_MEMORY: &str = "
    const [ask, tell] = [new BroadcastChannel('bench-ask'), new BroadcastChannel('bench-tell')];
    window.bench = { ask, tell };";
/// The worker is idle at this time, so it responds immediately. Returns `null` if there is no worker.
const ASK_MEMORY: &str = "return new Promise((resolve) => {
    bench.tell.onmessage = ({ data }) => resolve(data);
    bench.ask.postMessage('');
    setTimeout(() => resolve(null), 5000);
})";
/// Waits until the view is shown and no query is pending. A response can lead to more queries, so a step ends when no query has
/// been pending for 300 ms. These 300 ms don't count.
const WATCH: &str = "
    const [began, shown] = [performance.now(), arguments[0]];
    const step = (window.bench.step = { ms: 0, done: false, notice: '' });
    let quietSince = began;
    const look = () => {
        const now = performance.now();
        const app = document.querySelector('.app');
        const isBack = app.dataset.screen === 'failed' || (app.dataset.screen === 'empty' && document.querySelector('.notice'));
        const isBusy = app.getAttribute('aria-busy') === 'true' || document.querySelector('progress.working, [aria-busy=true]');
        if (!isBack && (isBusy || !document.querySelector(shown))) quietSince = now;
        if (now - quietSince < 300) return setTimeout(look, 10);
        const words = document.querySelector('.notice p, .failure-text')?.textContent;
        Object.assign(step, { ms: quietSince - began, done: true, notice: words ? ' ' + words : '' });
    };
    setTimeout(look, 0);";
