//! Links without their files, and files that were opened before.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::page::Page;
use crate::traces::{DOMAINS, TINY};
use crate::visit::visit;

#[test]
fn a_link_without_its_file_says_what_it_waits_for_and_applies_when_it_comes() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        page.press("Table")?;
        page.wait_for("the address to name the trace", || Ok(hash(page)?.contains("trace=")))?;
        let link = hash(page)?;
        ensure!(link.contains("tab=table") && link.contains(TINY.file), "{link}");
        ensure!(!link.contains("opt") && !link.contains("gen"), "the link tells folders: {link}");

        open_link(page, &link)?;
        page.wait_for_text("This link shows a view of tiny-v023.exe, pid ")?;
        page.says("started ")?;
        page.says(TINY.file)?;
        page.drop_path(&TINY.path())?;
        page.wait_for_screen("loaded")?;
        page.wait_for("the table", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table")))?;
        ensure!(!page.text()?.contains("This link was made for"), "the same trace is called another one");

        open_link(page, &link)?;
        page.wait_for_text("This link shows a view of")?;
        page.drop_path(&DOMAINS.path())?;
        page.wait_for_screen("loaded")?;
        page.wait_for_text("This link was made for another trace (tiny-v023.exe, pid ")?;
        ensure!(hash(page)?.contains(DOMAINS.file), "the address still names the other trace");
        Ok(())
    })
}

#[test]
fn a_file_opened_before_is_listed_after_a_reload_opens_by_a_click_and_can_be_forgotten() -> Result<()> {
    visit(|page| {
        page.open()?;
        give_handles(page)?;
        // A file of the page's own folder has a handle as any other has, and no picker needs a hand.
        let bytes = TINY.bytes()?;
        let write = "const [name, bytes] = arguments;
            return navigator.storage.getDirectory()
                .then((folder) => folder.getFileHandle(name, { create: true }))
                .then((handle) => handle.createWritable())
                .then((file) => file.write(new Uint8Array(bytes)).then(() => file.close()))";
        page.browser.run(write, json!(["tiny.ctf", bytes]))?;
        page.click("//label[contains(., 'Open a file')]")?;
        TINY.is_shown(page)?;

        page.browser.run("location.hash = ''", json!([]))?;
        page.open()?;
        give_handles(page)?;
        page.wait_for_text("Recent files")?;
        let kept = "return new Promise((done) => {
            const request = indexedDB.open('camlscope');
            request.onsuccess = () => {
                const all = request.result.transaction('recent-files').objectStore('recent-files').getAll();
                all.onsuccess = () => done(all.result.flat().map((one) => one.constructor.name));
            };
        })";
        let kept = page.browser.run(kept, json!([]))?;
        ensure!(kept == json!(["FileSystemFileHandle"]), "the browser keeps {kept}");
        page.click("//button[.='tiny.ctf']")?;
        TINY.is_shown(page)?;

        page.open()?;
        page.click("//button[@aria-label='Remove tiny.ctf from the list']")?;
        page.wait_for("the list to go", || Ok(!page.text()?.contains("Recent files")))?;
        page.open()?;
        page.wait_until_idle()?;
        ensure!(!page.text()?.contains("Recent files"), "the file is listed again");
        Ok(())
    })
}

/// The picker gives the file that the page itself holds.
fn give_handles(page: &Page) -> Result<()> {
    let script = "window.showOpenFilePicker = () => navigator.storage.getDirectory()
        .then((folder) => folder.getFileHandle('tiny.ctf')).then((handle) => [handle])";
    page.browser.run(script, json!([])).map(drop)
}

fn hash(page: &Page) -> Result<String> {
    let hash = page.browser.run("return decodeURIComponent(location.hash)", json!([]))?;
    Ok(hash.as_str().unwrap_or_default().to_owned())
}

/// As in a new window: nothing is open.
fn open_link(page: &Page, link: &str) -> Result<()> {
    page.browser.run("location.hash = arguments[0]; location.reload()", json!([link]))?;
    page.wait_for_screen("empty")
}
