//! How long a visitor waits: from the navigation to a worker that takes files, on first and on later visits, over three
//! networks. The arguments are the addresses of pages; each is visited in turn, so that they can be compared.

use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use camlscope_browser_tests::browser::Browser;
use camlscope_browser_tests::engine::Engine;
use serde_json::{Value, json};

/// Visits with a fresh browser, for each page and network.
const ROUNDS: usize = 5;
const LATER_VISITS: usize = 2;
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two visits: the browser writes its caches.
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

/// Notes when the page says that its worker is ready.
const WATCH: &str = "
    new MutationObserver((_, watch) => {
        if (!document.querySelector('.app[data-worker=ready]')) return;
        window.readyAtMs = performance.now();
        watch.disconnect();
    }).observe(document, { subtree: true, childList: true, attributes: true });";

/// In milliseconds.
#[derive(Default)]
struct Times {
    first: Vec<f64>,
    later: Vec<f64>,
}

fn main() -> Result<()> {
    let pages: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    println!("| network |{}", " first visit | later visits |".repeat(pages.len()));
    println!("| --- |{}", " ---: | ---: |".repeat(pages.len()));
    for network in &NETWORKS {
        let mut times: Vec<Times> = pages.iter().map(|_| Times::default()).collect();
        for _ in 0..ROUNDS {
            for (page, times) in pages.iter().zip(&mut times) {
                visit(page, network, times).with_context(|| format!("visiting {page}"))?;
            }
        }
        let cells =
            times.iter_mut().map(|times| format!(" {} | {} |", median(&mut times.first), median(&mut times.later)));
        println!("| {} |{}", network.name, cells.collect::<String>());
    }
    Ok(())
}

/// A first visit and some later ones.
fn visit(page: &str, network: &Network, times: &mut Times) -> Result<()> {
    let net_log = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("start.json");
    let browser = Browser::start(Engine::Chromium, &net_log)?;
    browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": WATCH }))?;
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
    times.first.push(ready_ms(&browser, page)?);
    for _ in 0..LATER_VISITS {
        thread::sleep(PAUSE);
        // Else the browser takes the next visit for a reload.
        browser.go("about:blank")?;
        times.later.push(ready_ms(&browser, page)?);
    }
    Ok(())
}

fn ready_ms(browser: &Browser, page: &str) -> Result<f64> {
    browser.go(page)?;
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if let Value::Number(ms) = browser.run("return window.readyAtMs ?? null", json!([]))? {
            return ms.as_f64().context("not a time");
        }
        thread::sleep(Duration::from_millis(50));
    }
    bail!("no worker is ready after {PATIENCE:?}")
}

/// In whole milliseconds.
fn median(times: &mut [f64]) -> String {
    times.sort_by(f64::total_cmp);
    let (low, high) = (times.len().saturating_sub(1) / 2, times.len() / 2);
    match (times.get(low), times.get(high)) {
        (Some(low), Some(high)) => format!("{:.0}", f64::midpoint(*low, *high)),
        _ => "–".to_owned(),
    }
}
