//! Sends the queries of the query benchmark to the page's worker in Chromium, one message at a time, as the page does. The times
//! are compared with the native ones of the same run.

#[path = "shared/in_browser.rs"]
mod in_browser;

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use camlscope_browser_tests::page::Page;
use camlscope_engine::protocol::{Answer, FromWorker, LoadTiming, RequestId, Slot, ToWorker, encoding};
use in_browser::{native_results, open_page};
use serde_json::{Value, json};

/// Enough for a load of a few hundred megabytes.
const PATIENCE: Duration = Duration::from_secs(120);

fn main() -> Result<()> {
    for native in native_results()? {
        measure(&native)?;
    }
    Ok(())
}

/// Starts a worker of the page, and adds a file picker for the trace.
const START: &str = r#"
    const picker = document.createElement('input');
    picker.type = 'file';
    picker.id = 'bench';
    document.body.append(picker);
    window.bench = { worker: camlscope.startWorker().worker, heard: [] };
    bench.worker.onmessage = ({ data: { message } }) => bench.heard.push(message);
"#;
/// The first byte of a message is its kind.
const HAS_HEARD: &str = "return bench.heard.some((message) => message[0] === arguments[0])";
const OPEN: &str = r#"
    const file = document.getElementById('bench').files[0];
    bench.worker.postMessage({ message: new Uint8Array(arguments[0]), beside: file });
"#;
/// Returns the shortest time of all requests, from message to message.
const ASK: &str = r#"
    const [requests, answered] = arguments;
    return new Promise((resolve, reject) => {
        const times = [];
        let began;
        const next = () => {
            if (times.length === requests.length) return resolve(Math.min(...times));
            began = performance.now();
            bench.worker.postMessage({ message: new Uint8Array(requests[times.length]) });
        };
        bench.worker.onmessage = ({ data: { message } }) => {
            if (message[0] !== answered) return;
            // After the kind and the ID: 0 is a response, anything else is an error.
            if (message[2] !== 0) return reject(new Error('the worker answered with an error'));
            times.push(performance.now() - began);
            next();
        };
        next();
    });
"#;

fn measure(native: &Value) -> Result<()> {
    let file = Path::new(native["file"].as_str().context("no file in the native results")?).canonicalize()?;
    let (page, _server) = open_page()?;
    page.browser.run(START, json!([]))?;
    wait_for(&page, &FromWorker::Ready)?;
    page.browser.type_into("#bench", &file.display().to_string())?;
    let open = ToWorker::Open {
        id: RequestId(0),
        slot: Slot::Main,
        bytes_total: file.metadata()?.len(),
        whole: None,
        memory: None,
        is_halved: false,
        may_grow: false,
    };
    page.browser.run(OPEN, json!([encoding::encode(&open)?]))?;
    let opened = FromWorker::Opened {
        id: RequestId(0),
        slot: Slot::Main,
        summary: Box::default(),
        names: Default::default(),
        timing: LoadTiming::default(),
        ends_inside_packet: false,
    };
    wait_for(&page, &opened)?;
    let answered = kind(&FromWorker::Answered {
        id: RequestId(0),
        answer: Ok(Box::new(Answer::Findings(Vec::new()))),
        took_ms: 0.0,
    })?;

    let name = file.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
    println!("{name}, in Chromium");
    println!("{:42} {:>9} {:>9} {:>9} {:>7}", "", "ms", "÷ native", "passes", "goal");
    let pass_ms = native["pass_ms"].as_f64().context("no pass in the native results")?;
    for case in native["cases"].as_array().context("no cases in the native results")? {
        let ms = page.browser.run(ASK, json!([case["requests"], answered]))?.as_f64().context("no time came back")?;
        let native_ms = case["ms"].as_f64().context("no time in the native results")?;
        let goal = case["goal_ms"].as_f64().map_or_else(String::new, |goal_ms| format!("≤ {}", 2.0 * goal_ms));
        println!(
            "{:42} {ms:>9.1} {:>9.2} {:>9.1} {goal:>7}",
            case["name"].as_str().unwrap_or_default(),
            ms / native_ms,
            ms / pass_ms
        );
    }
    println!();
    Ok(())
}

/// Returns the kind of a message, which is its first byte.
fn kind(message: &FromWorker) -> Result<u8> {
    Ok(encoding::encode(message)?[0])
}

fn wait_for(page: &Page, message: &FromWorker) -> Result<()> {
    let kind = kind(message)?;
    let began = Instant::now();
    while began.elapsed() < PATIENCE {
        if page.browser.run(HAS_HEARD, json!([kind]))? == json!(true) {
            return Ok(());
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    bail!("nothing within {PATIENCE:?}")
}
