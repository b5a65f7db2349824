//! `camlscope.html`, the page as one file, opened from disk. It does everything that the site does, without any request.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::exporting::{save, saved, watch_saves};
use crate::leaks::printed;
use crate::page::Page;
use crate::traces::{DOMAINS, SAMPLE, TINY, TYPECORE, open_sample};
use crate::visit::Visit;

#[test]
pub fn dropped_trace_is_shown_in_every_tab_without_requests() -> Result<()> {
    Visit::default().on_disk().run(|page| {
        page.open()?;
        page.drop_path(&DOMAINS.path())?;
        DOMAINS.is_shown(page)?;
        for tab in ["flame", "table", "histograms", "leaks", "events", "compare", "summary"] {
            page.click(&format!("//*[@id='tab-{tab}']"))?;
            page.wait_for(tab, || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some(tab)))?;
            page.wait_until_idle()?;
            page.wait_for_worker("ready")?;
        }
        asked_for_nothing(page)
    })
}

#[test]
pub fn sample_is_included_and_a_second_trace_can_be_compared() -> Result<()> {
    Visit::default().on_disk().run(|page| {
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        page.drop_path(&TYPECORE.path())?;
        let compare = "//dialog//button[text()='Compare']";
        page.wait_for("the dialog", || Ok(page.browser.find("xpath", compare).is_ok()))?;
        page.click(compare)?;
        page.wait_for("both traces", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("compare")))?;
        page.wait_until_idle()?;
        asked_for_nothing(page)
    })
}

#[test]
pub fn links_and_exports_work_as_on_the_site() -> Result<()> {
    Visit::default().on_disk().run(|page| {
        page.browser.go(&format!("{}#tab=table&show=promoted&size=3..", page.url))?;
        page.wait_for_worker("ready")?;
        page.drop_path(&TYPECORE.path())?;
        page.wait_for_screen("loaded")?;
        ensure!(
            page.attribute(".workspace", "data-tab")?.as_deref() == Some("table"),
            "the address doesn't open the table"
        );
        watch_saves(page)?;
        save(page, "Folded stacks")?;
        let expected = printed(&["flame", TYPECORE.file, "--measure", "promoted", "--size", "3.."])?;
        ensure!(saved(page)? == expected, "the folded stacks differ");
        asked_for_nothing(page)
    })
}

#[test]
pub fn text_and_empty_files_are_reported() -> Result<()> {
    Visit::default().on_disk().run(|page| {
        page.open()?;
        page.drop_bytes("words.txt", b"These are words.")?;
        page.wait_for_screen("failed")?;
        page.says("text file")?;
        page.drop_bytes("empty.ctf", b"")?;
        page.says("empty")?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)
    })
}

#[test]
fn policy_allows_only_the_files_own_code() -> Result<()> {
    Visit::default().on_disk().tolerating("Content Security Policy").run(|page| {
        page.open()?;
        let script = "
            const refused = window.refused = [];
            addEventListener('securitypolicyviolation', (event) => refused.push(event.effectiveDirective));
            const add = (name, properties) => document.body.append(Object.assign(document.createElement(name), properties));
            for (const url of ['http://127.0.0.1:9/', 'file:///etc/hostname', 'data:text/plain,1']) {
                fetch(url).catch(() => {});
            }
            add('script', { textContent: 'window.ran = true' });
            add('style', { textContent: 'body { display: none }' });
            add('iframe', { src: 'http://127.0.0.1:9/' });
            return document.querySelector('meta[http-equiv=Content-Security-Policy]').content";
        let policy = page.browser.run(script, json!([]))?.as_str().unwrap_or_default().to_owned();
        for hole in ["'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:", "'self'", "connect-src"] {
            ensure!(!policy.contains(hole), "the policy allows {hole}: {policy}");
        }
        page.wait_for("all requests to be refused", || {
            let refused = page.browser.run("return window.refused", json!([]))?;
            let n_of = |kind: &str| refused.as_array().into_iter().flatten().filter(|one| *one == kind).count();
            Ok(n_of("connect-src") == 3 && ["script-src-elem", "style-src-elem", "frame-src"].map(n_of) == [1; 3])
        })?;
        ensure!(page.browser.run("return window.ran === undefined", json!([]))? == true, "a script ran");
        Ok(())
    })
}

/// Checks the browser's list of resources. Blobs are allowed, because the page creates them.
pub fn asked_for_nothing(page: &Page) -> Result<()> {
    let script = "return performance.getEntriesByType('resource').map((entry) => entry.name)";
    let asked = page.browser.run(script, json!([]))?;
    let is_own = |name: &serde_json::Value| name.as_str().is_some_and(|name| name.starts_with("blob:"));
    let foreign: Vec<_> = asked.as_array().into_iter().flatten().filter(|name| !is_own(name)).collect();
    ensure!(foreign.is_empty(), "the page requested {foreign:?}");
    Ok(())
}
