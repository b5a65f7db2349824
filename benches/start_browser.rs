//! Measures how long a visitor waits over three networks: from the navigation until the page accepts a file, until the worker is
//! ready, until the whole page is ready, and until the timeline is drawn for a file that was dropped as early as possible. The
//! arguments are the addresses of pages to compare. Visits alternate between them.

use std::path::PathBuf;
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Context, Result, bail};
use base64::prelude::{BASE64_STANDARD, Engine as _};
use camlscope_browser_tests::browser::Browser;
use camlscope_browser_tests::engine::Engine;
use camlscope_testkit::fixtures;
use serde_json::{Value, json};

/// The number of visits with a fresh browser, for each page and network.
const ROUNDS: usize = 5;
const LATER_VISITS: usize = 2;
const PATIENCE: Duration = Duration::from_secs(30);
/// The pause between two visits, in which the browser writes its caches.
const PAUSE: Duration = Duration::from_millis(1500);

struct Network {
    name: &'static str,
    mbit_per_s: f64,
    latency_ms: f64,
}

const NETWORKS: [Network; 3] = [
    Network { name: "none", mbit_per_s: 0.0, latency_ms: 0.0 },
    Network { name: "50 Mbit/s, 20 ms", mbit_per_s: 50.0, latency_ms: 20.0 },
    Network { name: "10 Mbit/s, 40 ms", mbit_per_s: 10.0, latency_ms: 40.0 },
];

/// Records when the page accepts a file, when its worker is ready, and when the whole page is ready. If there is a file to drop,
/// drops it as soon as the page accepts one, and records when the timeline is drawn. An older page, without the marks, accepts a
/// file only when the whole page is ready.
const WATCH: &str = "
    const times = window.times = {};
    const drop = () => {
        if (!window.dropped) return;
        const bytes = Uint8Array.from(atob(window.dropped), (character) => character.charCodeAt(0));
        const dataTransfer = new DataTransfer();
        dataTransfer.items.add(new File([bytes], 'dropped.ctf'));
        window.dropped = null;
        window.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    };
    const look = () => {
        for (const { name, startTime } of performance.getEntriesByType('mark')) times[name] ??= startTime;
        if (times['camlscope-start']) drop();
    };
    new PerformanceObserver(look).observe({ type: 'mark', buffered: true });
    new MutationObserver(() => {
        if (!document.querySelector('.app[data-worker=ready]')) return;
        look();
        if (!times.ready) {
            times.ready = performance.now();
            drop();
        }
        if (document.querySelector('.app[data-screen=loaded] canvas.timeline-canvas')) times.curve ??= performance.now();
    }).observe(document, { subtree: true, childList: true, attributes: true });";

/// The names of the times in the page and in the table. Times are in milliseconds after the navigation.
const TIMES: [(&str, &str); 3] =
    [("camlscope-start", "takes a file"), ("camlscope-worker", "worker ready"), ("ready", "all ready")];

/// The times of one page, in milliseconds.
#[derive(Default)]
struct Times {
    first: [Vec<f64>; TIMES.len()],
    later: Vec<f64>,
    /// From the navigation until the timeline is drawn, for a file dropped as soon as the page accepts one.
    curve: Vec<f64>,
}

fn main() -> Result<()> {
    let pages: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let headings = TIMES.map(|(_, heading)| heading).join(" | ");
    println!(
        "| network |{}",
        format!(" {headings} | later visits, all ready | curve of a dropped file |").repeat(pages.len())
    );
    println!("| --- |{}", " ---: |".repeat((TIMES.len() + 2) * pages.len()));
    for network in &NETWORKS {
        let mut times: Vec<Times> = pages.iter().map(|_| Times::default()).collect();
        for _ in 0..ROUNDS {
            for (page, times) in pages.iter().zip(&mut times) {
                visit(page, network, times).with_context(|| format!("visiting {page}"))?;
            }
        }
        let cells = times.iter_mut().flat_map(|Times { first, later, curve }| first.iter_mut().chain([later, curve]));
        println!("| {} |{}", network.name, cells.map(|times| format!(" {} |", median(times))).collect::<String>());
    }
    Ok(())
}

/// Makes a first visit, some later visits, and another first visit with a file.
fn visit(page: &str, network: &Network, times: &mut Times) -> Result<()> {
    let browser = start(network, "")?;
    let first = timed(&browser, page, "ready")?;
    for ((name, _), times) in TIMES.iter().zip(&mut times.first) {
        times.extend(first[*name].as_f64());
    }
    for _ in 0..LATER_VISITS {
        thread::sleep(PAUSE);
        // Otherwise, the browser treats the next visit as a reload.
        browser.go("about:blank")?;
        times.later.extend(timed(&browser, page, "ready")?["ready"].as_f64());
    }
    drop(browser);
    let trace = fs::read(fixtures::folder().join("typecore-1e-4-v2.ctf"))?;
    let browser = start(network, &BASE64_STANDARD.encode(trace))?;
    times.curve.extend(timed(&browser, page, "curve")?["curve"].as_f64());
    Ok(())
}

/// Starts a fresh browser with the network's speed. `file` is a trace to drop, as base64, or empty.
fn start(network: &Network, file: &str) -> Result<Browser> {
    let net_log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("start.json");
    let browser = Browser::start(Engine::Chromium, &net_log)?;
    let source = format!("window.dropped = '{file}';{WATCH}");
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": source }))?;
    if network.mbit_per_s > 0.0 {
        let bytes_per_s = network.mbit_per_s * 1e6 / 8.0;
        let conditions = json!({
            "offline": false,
            "latency": network.latency_ms,
            "downloadThroughput": bytes_per_s,
            "uploadThroughput": bytes_per_s,
        });
        browser.devtools("Network.enable", json!({}))?;
        browser.devtools("Network.emulateNetworkConditions", conditions)?;
    }
    Ok(browser)
}

/// Opens the page and returns all times once the one named `last` is available.
fn timed(browser: &Browser, page: &str, last: &str) -> Result<Value> {
    browser.go(page)?;
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        let times = browser.run("return window.times ?? {}", json!([]))?;
        if times[last].is_number() {
            return Ok(times);
        }
        thread::sleep(Duration::from_millis(50));
    }
    bail!("no time of {last} after {PATIENCE:?}")
}

/// Returns the median in whole milliseconds.
fn median(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    let (low, high) = (times.len().saturating_sub(1) / 2, times.len() / 2);
    match (times.get(low), times.get(high)) {
        (Some(low), Some(high)) => format!("{:.0}", f64::midpoint(*low, *high)),
        _ => "–".to_owned(),
    }
}
