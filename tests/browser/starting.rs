//! Before the whole page is loaded, the start screen already accepts files. If a part fails to load, the page reports it and
//! doesn't hang.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};

use anyhow::{Result, ensure};
use serde_json::json;

use crate::page::Page;
use crate::server::is_built_from;
use crate::traces::{DOMAINS, SAMPLE, TINY, open_sample};
use crate::visit::Visit;

/// The extension of the page's WebAssembly files.
const PROGRAM: &str = ".wasm";

#[test]
pub fn worker_that_cannot_start_is_reported() -> Result<()> {
    let visit = Visit::default().served(|name, bytes| (!is_built_from(name, "worker", ".js")).then_some(bytes));
    visit.tolerating("404").tolerating("Uncaught").run(|page| {
        page.visit()?;
        page.wait_for_worker("dead")?;
        page.wait_for_text("The decoder couldn't start")?;
        // Opening a file starts a worker again. This fails with the same message, and doesn't leave a stuck progress bar.
        page.drop_path(&TINY.path())?;
        page.wait_for_screen("failed")?;
        page.says("The decoder couldn't start")
    })
}

#[test]
pub fn file_dropped_before_the_worker_is_ready_waits_for_it() -> Result<()> {
    let (let_go, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let visit = Visit::default().served(move |name, bytes| {
        if is_built_from(name, "worker", ".js") {
            // Waits until the test drops the sender.
            held.lock().ok()?.recv().ok();
        }
        Some(bytes)
    });
    visit.run(|page| {
        page.visit()?;
        page.wait_for_screen("empty")?;
        page.drop_path(&DOMAINS.path())?;
        page.wait_for_text("Starting the decoder")?;
        drop(let_go);
        DOMAINS.is_shown(page)
    })
}

#[test]
pub fn file_dropped_before_the_page_is_loaded_opens() -> Result<()> {
    before_the_program(|page, let_go| {
        page.drop_path(&DOMAINS.path())?;
        page.wait_for_text("Opening domains")?;
        drop(let_go);
        DOMAINS.is_shown(page)
    })
}

#[test]
fn last_of_two_files_dropped_before_the_page_is_loaded_opens() -> Result<()> {
    before_the_program(|page, let_go| {
        page.drop_path(&TINY.path())?;
        page.drop_path(&DOMAINS.path())?;
        drop(let_go);
        DOMAINS.is_shown(page)
    })
}

#[test]
fn sample_chosen_before_the_page_is_loaded_opens() -> Result<()> {
    before_the_program(|page, let_go| {
        open_sample(page)?;
        page.wait_for_text("Opening the sample")?;
        drop(let_go);
        SAMPLE.is_shown(page)
    })
}

#[test]
fn text_file_dropped_before_the_page_is_loaded_is_rejected() -> Result<()> {
    before_the_program(|page, let_go| {
        page.drop_bytes("notes.txt", b"buy milk\n")?;
        drop(let_go);
        page.wait_for_screen("failed")?;
        page.says("notes.txt")
    })
}

/// Opens a page whose worker is ready and whose program is sent only when the sender is dropped.
fn before_the_program(act: impl FnOnce(&Page, mpsc::Sender<()>) -> Result<()>) -> Result<()> {
    let (let_go, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let visit = Visit::default().served(move |name, bytes| {
        if is_built_from(name, "page", PROGRAM) {
            held.lock().ok()?.recv().ok();
        }
        Some(bytes)
    });
    visit.run(|page| {
        page.visit()?;
        page.wait_for("a worker", || {
            let n = page.browser.run("return performance.getEntriesByName('camlscope-worker').length", json!([]))?;
            Ok(n == 1)
        })?;
        act(page, let_go)
    })
}

#[test]
pub fn missing_page_program_is_reported() -> Result<()> {
    let visit = Visit::default().served(|name, bytes| (!is_built_from(name, "page", PROGRAM)).then_some(bytes));
    visit.tolerating("404").run(|page| {
        page.visit()?;
        page.wait_for_text("The page couldn't start")?;
        let title = page.title()?;
        ensure!(title == "camlscope", "the title is “{title}”");
        Ok(())
    })
}

#[test]
fn truncated_page_program_is_reported() -> Result<()> {
    let visit = Visit::default().served(|name, bytes| {
        let part = if is_built_from(name, "page", PROGRAM) { bytes.len() / 2 } else { bytes.len() };
        Some(bytes[..part].to_vec())
    });
    visit.run(|page| {
        page.visit()?;
        page.wait_for_text("The page couldn't start")?;
        page.says("CompileError")
    })
}

#[test]
pub fn view_that_fails_to_load_is_reported_and_can_be_retried() -> Result<()> {
    let is_there = Arc::new(AtomicBool::new(false));
    let serves = Arc::clone(&is_there);
    let visit = Visit::default().served(move |name, bytes| {
        (!is_built_from(name, "later", PROGRAM) || serves.load(Ordering::Relaxed)).then_some(bytes)
    });
    visit.tolerating("404").run(|page| {
        page.visit()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        page.press("Table")?;
        page.wait_for_text("Part of the page didn't load")?;
        is_there.store(true, Ordering::Relaxed);
        page.click("//*[@id='view']//button[.='Try again']")?;
        page.wait_for_text("Copy as CSV")
    })
}

#[test]
fn summary_is_shown_before_the_other_views_are_loaded() -> Result<()> {
    let (let_go, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let visit = Visit::default().served(move |name, bytes| {
        if is_built_from(name, "later", PROGRAM) {
            held.lock().ok()?.recv().ok();
        }
        Some(bytes)
    });
    visit.run(|page| {
        page.visit()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        page.press("Table")?;
        page.wait_for_text("Loading…")?;
        drop(let_go);
        page.wait_for_text("Copy as CSV")
    })
}
