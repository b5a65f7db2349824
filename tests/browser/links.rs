//! Links to a trace that isn't open, and recent files.

use anyhow::{Result, ensure};
use serde_json::json;

use crate::page::Page;
use crate::traces::{DOMAINS, TINY};
use crate::visit::visit;

#[test]
fn link_names_the_trace_it_needs_and_applies_when_it_is_opened() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)?;
        page.press("Table")?;
        page.wait_for_address("tab=table")?;
        page.wait_for_address("trace=")?;
        let link = page.address()?;
        ensure!(link.contains(TINY.file), "{link}");
        ensure!(!link.contains("opt") && !link.contains("gen"), "the link contains folders: {link}");

        open_link(page, &link)?;
        page.wait_for_text("This link shows a view of tiny-v023.exe, pid ")?;
        page.says("started ")?;
        page.says(TINY.file)?;
        page.drop_path(&TINY.path())?;
        page.wait_for_screen("loaded")?;
        page.wait_for("the table", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table")))?;
        ensure!(!page.text()?.contains("This link was made for"), "the page takes the same trace for another one");

        open_link(page, &link)?;
        page.wait_for_text("This link shows a view of")?;
        page.drop_path(&DOMAINS.path())?;
        page.wait_for_screen("loaded")?;
        page.wait_for_text("This link was made for another trace (tiny-v023.exe, pid ")?;
        page.wait_for_address(DOMAINS.file)
    })
}

#[test]
fn recent_file_is_listed_after_a_reload_and_can_be_opened_and_removed() -> Result<()> {
    visit(|page| {
        page.open()?;
        give_handles(page)?;
        // Files in the page's own storage have handles like other files, but need no picker dialog.
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
        ensure!(kept == json!(["FileSystemFileHandle"]), "the browser stores {kept}");
        page.click("//button[.='tiny.ctf']")?;
        TINY.is_shown(page)?;

        page.open()?;
        page.click("//button[@aria-label='Remove tiny.ctf from the list']")?;
        page.wait_for("the list to disappear", || Ok(!page.text()?.contains("Recent files")))?;
        page.open()?;
        page.wait_until_idle()?;
        ensure!(!page.text()?.contains("Recent files"), "the file is listed again");
        Ok(())
    })
}

/// Makes the picker return the file in the page's own storage.
fn give_handles(page: &Page) -> Result<()> {
    let script = "window.showOpenFilePicker = () => navigator.storage.getDirectory()
        .then((folder) => folder.getFileHandle('tiny.ctf')).then((handle) => [handle])";
    page.browser.run(script, json!([])).map(drop)
}

/// Opens a link as in a new window, with no open trace.
fn open_link(page: &Page, link: &str) -> Result<()> {
    page.browser.run("location.href = arguments[0]; location.reload()", json!([link]))?;
    page.wait_for_screen("empty")
}
