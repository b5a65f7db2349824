//! The page without a network: what the service worker caches, how it updates, and that it never caches a trace. All other
//! tests in Chromium show that the page works without a service worker.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::page::Page;
use crate::traces::{SAMPLE, TINY, TYPECORE, open_sample};
use crate::visit::Visit;

#[test]
pub fn page_works_offline_after_one_visit() -> Result<()> {
    // The browser logs that it can't check for an update.
    with_service_worker().tolerating("service-worker.js").tolerating("ERR_CONNECTION_REFUSED").run_with_server(
        |page, server| {
            page.open()?;
            wait_until_kept(page)?;
            server.stop();
            page.open()?;
            page.drop_path(&TINY.path())?;
            TINY.is_shown(page)?;
            page.browser.go(&format!("{}?memory=1G#tab=table", page.url))?;
            page.wait_for_worker("ready")?;
            open_sample(page)?;
            page.wait_for_screen("loaded")?;
            page.press("Summary")?;
            SAMPLE.is_shown(page)
        },
    )
}

/// Serves one build and then, when the test switches to it, a second build with a different `index.html`.
#[test]
fn new_build_replaces_the_old_one_when_the_user_reloads() -> Result<()> {
    let second: Arc<AtomicBool> = Arc::default();
    let changed: Arc<std::sync::Mutex<Vec<(String, String)>>> = Arc::default();
    let (is_second, changes) = (Arc::clone(&second), Arc::clone(&changed));
    let visit = with_service_worker().served(move |name, bytes| {
        if !is_second.load(Ordering::Relaxed) || !["index.html", "service-worker.js"].contains(&name) {
            return Some(bytes);
        }
        let text = String::from_utf8(bytes).ok()?;
        let changes = changes.lock().ok()?;
        Some(changes.iter().fold(text, |text, (old, new)| text.replace(old, new)).into_bytes())
    });
    visit.run(|page| {
        page.open()?;
        wait_until_kept(page)?;
        let old = caches(page)?;
        let version = old.first().and_then(|name| name.rsplit(' ').next()).context("nothing is cached")?.to_owned();
        let [hash, new_hash] = hashes(page)?;
        *changed.lock().map_err(|_| anyhow::anyhow!("the server failed"))? = vec![
            ("<html lang=\"en\">".to_owned(), SECOND.to_owned()),
            (hash, new_hash),
            (version.clone(), "0123456789".to_owned()),
        ];
        second.store(true, Ordering::Relaxed);

        // The old page is shown immediately, and the new one is downloaded in the background.
        page.open()?;
        ensure!(build(page)?.is_null(), "the page didn't come from the cache");
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        page.wait_for_text("A new version is available. Reloading closes the trace")?;
        ensure!(caches(page)?.len() == 2, "{:?}", caches(page)?);
        page.click("//*[contains(@class, 'newer-version')]//button[. = 'Reload']")?;
        page.wait_for("the new page", || Ok(build(page)? == "2"))?;
        page.wait_for("the old cache to be deleted", || Ok(caches(page)?.len() == 1))?;
        let left = caches(page)?;
        ensure!(left[0].ends_with(" 0123456789"), "{left:?}");
        page.wait_for_worker("ready")?;
        ensure!(!page.text()?.contains("A new version"), "the new version offers an update");
        Ok(())
    })
}

#[test]
pub fn cache_contains_the_page_and_no_trace() -> Result<()> {
    with_service_worker().with_file("runs/typecore.ctf", TYPECORE.bytes()?).run(|page| {
        page.open()?;
        wait_until_kept(page)?;
        let before = kept(page)?;
        ensure!(before.contains(&page.url), "the page itself isn't cached: {before:?}");
        let is_own = |url: &&String| **url == page.url || url.starts_with(&format!("{}assets/", page.url));
        ensure!(before.iter().all(|url| is_own(&url)), "{before:?}");
        ensure!(before.len() == 15, "the page has more or fewer files than this test expects: {before:?}");

        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        page.browser.go(&format!("{}?trace=runs/typecore.ctf", page.url))?;
        TYPECORE.is_shown(page)?;
        ensure!(kept(page)? == before, "opening traces changed the cache: {:?}", kept(page)?);
        // The browser's database has no trace data either. It only has handles, if the browser supports them.
        let script = "return indexedDB.databases().then((all) => all.map((one) => one.name))";
        let databases = page.browser.run(script, json!([]))?;
        ensure!(databases == json!([]) || databases == json!(["camlscope"]), "{databases}");
        Ok(())
    })
}

#[test]
fn page_can_be_installed_and_its_icons_have_the_declared_sizes() -> Result<()> {
    with_service_worker().run(|page| {
        page.open()?;
        wait_until_kept(page)?;
        let manifest = page.browser.devtools("Page.getAppManifest", json!({}))?;
        ensure!(manifest["errors"] == json!([]), "{}", manifest["errors"]);
        let errors = page.browser.devtools("Page.getInstallabilityErrors", json!({}))?;
        ensure!(errors["installabilityErrors"] == json!([]), "{errors}");
        let script = "
            const manifest = JSON.parse(arguments[0]);
            const load = async ({ src, sizes, type }) => {
                if (sizes === 'any') return true;
                const image = Object.assign(new Image(), { src: new URL(src, arguments[1]) });
                await image.decode();
                return type === 'image/png' && `${image.naturalWidth}x${image.naturalHeight}` === sizes;
            };
            return Promise.all(manifest.icons.map(load))";
        let sizes = page.browser.run(script, json!([manifest["data"], manifest["url"]]))?;
        ensure!(sizes == json!([true, true, true, true]), "{sizes}");
        Ok(())
    })
}

/// Passes a file to the page like a system that opens it with the installed page.
const LAUNCHES: &str = "
    const handle = { kind: 'file', name: 'launched.ctf', getFile: async () => new File([new Uint8Array(BYTES)], 'launched.ctf') };
    Object.defineProperty(window, 'launchQueue', { value: { setConsumer: (take) => take({ files: [handle] }) } });";

#[test]
fn installed_page_opens_a_file_from_the_system() -> Result<()> {
    with_service_worker().run(|page| {
        let script = LAUNCHES.replace("BYTES", &json!(TINY.bytes()?).to_string());
        page.before_scripts(&script)?;
        page.visit()?;
        TINY.is_shown(page)?;
        page.says("launched.ctf")
    })
}

/// On a busy machine, WebKit reports the first version's worker as the page's controller before that worker is active.
#[test]
fn first_version_is_not_reported_as_an_update() -> Result<()> {
    with_service_worker().run(|page| {
        let names_it_early = "
            const container = ServiceWorkerContainer.prototype;
            const { get } = Object.getOwnPropertyDescriptor(container, 'controller');
            const register = container.register;
            let first = null;
            Object.defineProperty(container, 'controller', { get() { return get.call(this) ?? first; } });
            container.register = async function (...address) {
                const registration = await register.apply(this, address);
                first = registration.installing;
                return registration;
            };";
        page.before_scripts(names_it_early)?;
        page.open()?;
        wait_until_kept(page)?;
        page.wait_until_idle()?;
        ensure!(!page.text()?.contains("A new version"), "the first version offers an update");
        Ok(())
    })
}

fn with_service_worker() -> Visit {
    Visit::default().with_service_worker()
}

const SECOND: &str = "<html lang=\"en\" data-build=\"2\">";

/// Waits until the page is cached and controlled by the service worker.
fn wait_until_kept(page: &Page) -> Result<()> {
    page.wait_for("the service worker", || {
        Ok(page.browser.run("return navigator.serviceWorker.controller?.state === 'activated'", json!([]))? == true)
    })
}

fn caches(page: &Page) -> Result<Vec<String>> {
    texts(page.browser.run("return caches.keys()", json!([]))?)
}

/// Returns the addresses of all cached files.
fn kept(page: &Page) -> Result<Vec<String>> {
    let script = "
        const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
        return all.flat().map((request) => request.url).sort()";
    texts(page.browser.run(&format!("return (async () => {{ {script} }})()"), json!([]))?)
}

fn texts(value: Value) -> Result<Vec<String>> {
    serde_json::from_value(value).context("unexpected data from the browser")
}

/// Returns the build of the page, or `null` for the first.
fn build(page: &Page) -> Result<Value> {
    page.browser.run("return document.documentElement.dataset.build ?? null", json!([]))
}

/// Returns the hashes of `index.html` in both builds, as in the service worker's list.
fn hashes(page: &Page) -> Result<[String; 2]> {
    let script = "
        const text = await (await fetch(location.pathname)).text();
        const hash = async (text) => {
            const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
            return btoa(String.fromCharCode(...digest));
        };
        return [await hash(text), await hash(text.replace('<html lang=\"en\">', second))]";
    let script = format!("const [second] = arguments; return (async () => {{ {script} }})()");
    serde_json::from_value(page.browser.run(&script, json!([SECOND]))?).context("no hashes")
}
