//! If the worker fails, the page opens the trace again once, and reports it. Views never wait for a worker that no longer exists.

use anyhow::{Context, Result, ensure};
use camlscope_engine::protocol::{Channel, Question, Request, RequestId, ToWorker, View, encoding};
use serde_json::json;

use crate::loading::IS_DRAWN;
use crate::page::Page;
use crate::server::is_built_from;
use crate::traces::{DOMAINS, TINY, TYPECORE, packets};
use crate::visit::Visit;

/// The number of copies of a real trace. Their model takes about 40 MB, more than an idle worker has free.
const COPIES: usize = 300;

/// Allocates all memory that WebAssembly can address when a file arrives, unless the page requests half the memory. So the
/// decoder's own allocations fail, as in a browser that is out of memory.
const TAKES_ALL_MEMORY: &str = "
    addEventListener('message', ({ data }) => {
        if (!data.beside || data.message.at(-1) === 1) return;
        for (let pages = 65536; pages >= 1; pages >>= 1) {
            try { while (true) globalThis.program.memory.grow(pages); } catch {}
        }
    });\n";

#[test]
fn load_that_runs_out_of_memory_restarts_with_half_the_memory() -> Result<()> {
    let visit = served_with(TAKES_ALL_MEMORY.to_owned());
    visit.tolerating("unreachable").run(|page| {
        page.open()?;
        set_view(page)?;
        let trace = TYPECORE.bytes()?;
        let (info, events) = trace.split_at(packets(&trace)?.first().context("the trace has packets")?.end);
        page.drop_repeated("large.ctf", info, events, COPIES)?;
        page.wait_for_text("was reopened with half the memory")?;
        page.wait_for_screen("loaded")?;
        keeps_its_view(page)
    })
}

#[test]
fn trace_is_reopened_with_half_the_memory_when_a_query_runs_out() -> Result<()> {
    // Fails at the first query. The second load waits for the test, so that the test can read the loading screen.
    let dies = format!(
        "let [dies, isHeld] = [false, false];
        addEventListener('message', (event) => {{
            const {{ data }} = event;
            const isHalved = data.message?.at(-1) === 1;
            if (data.beside && !isHalved) dies = true;
            if (data.beside && isHalved && !isHeld) {{
                isHeld = true;
                event.stopImmediatePropagation();
                new BroadcastChannel('go').addEventListener('message', () => dispatchEvent(new MessageEvent('message', {{ data }})), {{ once: true }});
            }}
            if (dies && data.message?.[0] === {ask}) throw new WebAssembly.RuntimeError('unreachable');
        }});\n",
        ask = ask_kind()?
    );
    served_with(dies).tolerating("unreachable").run(|page| {
        page.open()?;
        set_view(page)?;
        page.drop_path(&TYPECORE.path())?;
        page.wait_for_text("is being reopened with half the memory")?;
        page.wait_for_screen("loading")?;
        // Sent repeatedly, because the worker may not be listening yet.
        page.browser.run("setInterval(() => new BroadcastChannel('go').postMessage('go'), 200)", json!([]))?;
        page.wait_for_text("was reopened with half the memory")?;
        page.wait_for_screen("loaded")?;
        keeps_its_view(page)?;
        page.click("//button[@aria-label='Dismiss']")?;
        page.wait_for("the notice to disappear", || Ok(!page.text()?.contains("ran out of memory")))?;
        page.browser.run("location.hash = ''", json!([]))?;
        TYPECORE.is_shown(page)
    })
}

#[test]
fn trace_that_runs_out_of_memory_twice_returns_to_the_start_screen() -> Result<()> {
    let dies = format!(
        "let isPoisoned = false;
        addEventListener('message', ({{ data }}) => {{
            if (data.beside) isPoisoned = data.beside.name === 'poison.ctf';
            if (data.message?.[0] === {ask} && isPoisoned) throw new WebAssembly.RuntimeError('unreachable');
        }});\n",
        ask = ask_kind()?
    );
    served_with(dies).tolerating("unreachable").run(|page| {
        page.open()?;
        page.drop_bytes("poison.ctf", &TINY.bytes()?)?;
        page.wait_for_text("ran out of memory again")?;
        page.wait_for_screen("empty")?;
        page.wait_for_worker("ready")?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)
    })
}

#[test]
fn second_trace_that_crashes_the_worker_is_closed_and_the_first_reopened() -> Result<()> {
    let visit = served_with(BREAKS.to_owned());
    visit.tolerating("made to break").run(|page| {
        page.open()?;
        page.drop_path(&DOMAINS.path())?;
        DOMAINS.is_shown(page)?;
        page.drop_bytes("poison.ctf", &TINY.bytes()?)?;
        page.wait_for_text("Replace or compare?")?;
        page.click("//dialog//button[text()='Compare']")?;
        page.wait_for_text("The second trace was closed")?;
        page.says("The analysis stopped, so the trace was reopened")?;
        DOMAINS.is_shown(page)?;
        page.drop_path(&TINY.path())?;
        page.press("Replace")?;
        TINY.is_shown(page)
    })
}

#[test]
fn trace_that_crashes_the_worker_twice_is_reported_without_a_way_back() -> Result<()> {
    let visit = served_with(BREAKS.to_owned());
    visit.tolerating("made to break").run(|page| {
        page.open()?;
        page.drop_path(&DOMAINS.path())?;
        DOMAINS.is_shown(page)?;
        page.drop_bytes("poison.ctf", &TINY.bytes()?)?;
        page.press("Replace")?;
        page.wait_for_screen("failed")?;
        page.says("The analysis stopped again")?;
        page.says("made to break")?;
        ensure!(
            !page.text()?.contains("Back to"),
            "the page offers to go back to a trace that the new worker doesn't have"
        );
        page.wait_for_worker("ready")?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)
    })
}

/// Fails like a panic in the decoder: with an uncaught error.
const BREAKS: &str = "
    addEventListener('message', ({ data }) => {
        if (data.beside?.name === 'poison.ctf') throw new Error('made to break');
    });\n";

/// Serves the page with extra lines at the start of the worker's script. They can access the worker's exports.
fn served_with(lines: String) -> Visit {
    Visit::default().served(move |name, bytes| {
        if !is_built_from(name, "worker", ".js") {
            return Some(bytes);
        }
        let own = String::from_utf8(bytes).ok()?;
        Some(
            format!(
                "{lines}{}",
                own.replace("wasm = instance.exports", "globalThis.program = wasm = instance.exports")
            )
            .into_bytes(),
        )
    })
}

/// Returns the first byte of a query's message.
fn ask_kind() -> Result<u8> {
    let request = Request { view: View::default(), question: Question::Amounts };
    Ok(encoding::encode(&ToWorker::Ask { id: RequestId(0), channel: Channel(0), request })?[0])
}

const VIEW: &str = "#tab=flame&show=allocated&by=site";

fn set_view(page: &Page) -> Result<()> {
    page.browser.run("location.hash = arguments[0]", json!([VIEW])).map(drop)
}

/// Checks that the view from before is shown and drawn, and that no query is pending.
fn keeps_its_view(page: &Page) -> Result<()> {
    page.wait_for("the flame graph and the timeline", || {
        let drawn = [".flame-canvas", ".timeline-canvas"].map(|canvas| page.browser.run(IS_DRAWN, json!([canvas])));
        let [flame, timeline] = drawn;
        Ok(flame? == json!(true) && timeline? == json!(true))
    })?;
    page.wait_for("all responses", || Ok(page.attribute("progress.working", "class")?.is_none()))?;
    ensure!(!page.text()?.contains("Counting stacks"), "the flame graph has no response");
    let hash = page.browser.run("return location.hash", json!([]))?;
    ensure!(hash.as_str().is_some_and(|hash| hash.starts_with(VIEW)), "the address changed to {hash}");
    Ok(())
}
