//! The page without a network: what the service worker keeps, how a newer version comes, and that no trace is ever kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::page::Page;
use crate::traces::{SAMPLE, TINY, TYPECORE};
use crate::visit::{Visit, visit};

#[test]
pub fn after_one_visit_the_page_works_with_the_server_stopped() -> Result<()> {
    // The browser says that the server has nothing new to say.
    Visit::default().tolerating("service-worker.js").tolerating("ERR_CONNECTION_REFUSED").run_with_server(
        |page, server| {
            page.open()?;
            wait_until_kept(page)?;
            server.stop();
            page.open()?;
            page.drop_path(&TINY.path())?;
            TINY.is_shown(page)?;
            page.browser.go(&format!("{}?memory=1G#tab=table", page.url))?;
            page.wait_for_worker("ready")?;
            page.press("Try the sample")?;
            page.wait_for_screen("loaded")?;
            page.press("Summary")?;
            SAMPLE.is_shown(page)
        },
    )
}

/// Serves one build, and another one, of which the page differs, once the test says so.
#[test]
fn a_newer_build_is_kept_beside_the_old_one_and_replaces_it_when_the_reader_wants_it() -> Result<()> {
    let second: Arc<AtomicBool> = Arc::default();
    let changed: Arc<std::sync::Mutex<Vec<(String, String)>>> = Arc::default();
    let (is_second, changes) = (Arc::clone(&second), Arc::clone(&changed));
    let visit = Visit::default().served(move |name, bytes| {
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
        let version = old.first().and_then(|name| name.rsplit(' ').next()).context("nothing is kept")?.to_owned();
        let [hash, new_hash] = hashes(page)?;
        *changed.lock().map_err(|_| anyhow::anyhow!("the server has failed"))? = vec![
            ("<html lang=\"en\">".to_owned(), SECOND.to_owned()),
            (hash, new_hash),
            (version.clone(), "0123456789".to_owned()),
        ];
        second.store(true, Ordering::Relaxed);

        // The old page shows at once; the new one is fetched behind it.
        page.open()?;
        ensure!(build(page)?.is_null(), "the page was not taken from what is kept");
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        page.wait_for_text("A new version is available. Reloading closes the trace")?;
        ensure!(caches(page)?.len() == 2, "{:?}", caches(page)?);
        page.click("//*[contains(@class, 'newer-version')]//button[. = 'Reload']")?;
        page.wait_for("the new page", || Ok(build(page)? == "2"))?;
        page.wait_for("the old cache to go", || Ok(caches(page)?.len() == 1))?;
        let left = caches(page)?;
        ensure!(left[0].ends_with(" 0123456789"), "{left:?}");
        page.wait_for_worker("ready")?;
        ensure!(!page.text()?.contains("A new version"), "the newest version calls itself old");
        Ok(())
    })
}

#[test]
pub fn what_is_kept_is_the_page_and_nothing_of_a_trace() -> Result<()> {
    Visit::default().with_file("runs/typecore.ctf", TYPECORE.bytes()?).run(|page| {
        page.open()?;
        wait_until_kept(page)?;
        let before = kept(page)?;
        ensure!(before.contains(&page.url), "the page itself is not kept: {before:?}");
        let is_own = |url: &&String| **url == page.url || url.starts_with(&format!("{}assets/", page.url));
        ensure!(before.iter().all(|url| is_own(&url)), "{before:?}");
        ensure!(before.len() == 14, "the page has other files than this test knows: {before:?}");

        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        page.browser.go(&format!("{}?trace=runs/typecore.ctf", page.url))?;
        TYPECORE.is_shown(page)?;
        ensure!(kept(page)? == before, "opening traces changed what is kept: {:?}", kept(page)?);
        // Nor does the browser's database hold any bytes: only handles, where it gives any.
        let script = "return indexedDB.databases().then((all) => all.map((one) => one.name))";
        let databases = page.browser.run(script, json!([]))?;
        ensure!(databases == json!([]) || databases == json!(["camlscope"]), "{databases}");
        Ok(())
    })
}

#[test]
fn the_page_can_be_installed_and_its_icons_are_what_they_say() -> Result<()> {
    visit(|page| {
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

/// Hands a file to the page as the system does that opens it with the installed page.
const LAUNCHES: &str = "
    const handle = { kind: 'file', name: 'launched.ctf', getFile: async () => new File([new Uint8Array(BYTES)], 'launched.ctf') };
    Object.defineProperty(window, 'launchQueue', { value: { setConsumer: (take) => take({ files: [handle] }) } });";

#[test]
fn a_file_that_the_system_opens_with_the_installed_page_opens() -> Result<()> {
    visit(|page| {
        let script = LAUNCHES.replace("BYTES", &json!(TINY.bytes()?).to_string());
        page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": script }))?;
        page.visit()?;
        TINY.is_shown(page)?;
        page.says("launched.ctf")
    })
}

#[test]
fn a_browser_without_service_workers_shows_the_page_all_the_same() -> Result<()> {
    visit(|page| {
        let patch = json!({ "source": "delete Navigator.prototype.serviceWorker" });
        page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", patch)?;
        page.open()?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        ensure!(caches(page)?.is_empty(), "something is kept all the same");
        Ok(())
    })
}

/// WebKit on a busy machine names the first version's worker as the page's controller before that worker is active.
#[test]
fn the_first_version_is_not_called_a_newer_one() -> Result<()> {
    visit(|page| {
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
        page.browser.devtools("Page.addScriptToEvaluateOnNewDocument", json!({ "source": names_it_early }))?;
        page.open()?;
        wait_until_kept(page)?;
        page.wait_until_idle()?;
        ensure!(!page.text()?.contains("A new version"), "the first version calls itself old");
        Ok(())
    })
}

const SECOND: &str = "<html lang=\"en\" data-build=\"2\">";

/// Waits until the page is kept and under the service worker.
fn wait_until_kept(page: &Page) -> Result<()> {
    page.wait_for("the service worker", || {
        Ok(page.browser.run("return navigator.serviceWorker.controller?.state === 'activated'", json!([]))? == true)
    })
}

fn caches(page: &Page) -> Result<Vec<String>> {
    texts(page.browser.run("return caches.keys()", json!([]))?)
}

/// The addresses of all that is in any cache.
fn kept(page: &Page) -> Result<Vec<String>> {
    let script = "
        const all = await Promise.all((await caches.keys()).map(async (name) => (await caches.open(name)).keys()));
        return all.flat().map((request) => request.url).sort()";
    texts(page.browser.run(&format!("return (async () => {{ {script} }})()"), json!([]))?)
}

fn texts(value: Value) -> Result<Vec<String>> {
    serde_json::from_value(value).context("the browser lists something else")
}

/// Which build the shown page is of.
fn build(page: &Page) -> Result<Value> {
    page.browser.run("return document.documentElement.dataset.build ?? null", json!([]))
}

/// The hash of the page's file, and that of the second build's, as the service worker names them.
fn hashes(page: &Page) -> Result<[String; 2]> {
    let script = "
        const text = await (await fetch(location.pathname)).text();
        const hash = async (text) => {
            const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)));
            return btoa(String.fromCharCode(...digest));
        };
        return [await hash(text), await hash(text.replace('<html lang=\"en\">', second))]";
    let script = format!("const [second] = arguments; return (async () => {{ {script} }})()");
    serde_json::from_value(page.browser.run(&script, json!([SECOND]))?).context("there are no hashes")
}
