//! When a part of the page does not come: the page says so in words and does not hang.

use std::sync::{Mutex, mpsc};

use anyhow::{Result, ensure};

use crate::server::is_built_from;
use crate::traces::{DOMAINS, TINY};
use crate::visit::Visit;

/// How the file with the page's WebAssembly ends.
const PROGRAM: &str = ".wasm";

#[test]
pub fn a_worker_that_cannot_start_is_told_in_words() -> Result<()> {
    let visit = Visit::default().served(|name, bytes| (!is_built_from(name, "worker-boot", ".js")).then_some(bytes));
    visit.tolerating("404").tolerating("Uncaught").run(|page| {
        page.visit()?;
        page.wait_for_worker("dead")?;
        page.wait_for_text("The decoder could not be started")?;
        // Opening a file asks for a worker again, and fails with the same words, not with a bar that never moves.
        page.drop_path(&TINY.path())?;
        page.wait_for_screen("failed")?;
        page.says("The decoder could not be started")
    })
}

#[test]
pub fn a_file_dropped_before_the_worker_is_ready_waits_for_it() -> Result<()> {
    let (let_go, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let visit = Visit::default().served(move |name, bytes| {
        if is_built_from(name, "worker-boot", ".js") {
            // Until the test lets go of it.
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
pub fn a_page_whose_code_does_not_come_says_so() -> Result<()> {
    let visit = Visit::default().served(|name, bytes| (!is_built_from(name, "app", PROGRAM)).then_some(bytes));
    visit.tolerating("404").run(|page| {
        page.visit()?;
        page.wait_for_text("The page could not start")?;
        let title = page.title()?;
        ensure!(title == "camlscope", "the title is “{title}”");
        Ok(())
    })
}

#[test]
fn a_page_whose_code_comes_in_part_says_so() -> Result<()> {
    let visit = Visit::default().served(|name, bytes| {
        let part = if is_built_from(name, "app", PROGRAM) { bytes.len() / 2 } else { bytes.len() };
        Some(bytes[..part].to_vec())
    });
    visit.run(|page| {
        page.visit()?;
        page.wait_for_text("The page could not start")?;
        page.says("CompileError")
    })
}
