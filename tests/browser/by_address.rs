//! Opens traces from the page's address (`?trace=`).

use std::sync::{Mutex, mpsc};

use anyhow::{Result, ensure};
use serde_json::json;

use crate::page::Page;
use crate::traces::{TINY, TYPECORE};
use crate::visit::Visit;

fn with_traces() -> Result<Visit> {
    Ok(Visit::default().with_file("runs/type%20core.ctf", TYPECORE.bytes()?))
}

#[test]
pub fn trace_next_to_the_page_opens_from_a_link_with_its_view() -> Result<()> {
    with_traces()?.run(|page| {
        for name in ["runs/type%20core.ctf".to_owned(), format!("{}runs/type%20core.ctf", page.url)] {
            go(page, &format!("?memory=1G&trace={name}#tab=table"))?;
            page.wait_for_screen("loaded")?;
            page.wait_for("the table", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table")))?;
            page.press("Summary")?;
            TYPECORE.is_shown(page)?;
            page.says("type core.ctf")?;
        }
        // Another trace removes the name from the address.
        page.drop_path(&TINY.path())?;
        page.press("Replace")?;
        TINY.is_shown(page)?;
        let search = page.browser.run("return location.search", json!([]))?;
        ensure!(search == "?memory=1G", "the address still has {search}");
        Ok(())
    })
}

#[test]
fn page_shows_that_it_is_downloading_the_trace() -> Result<()> {
    let (let_go, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let visit = with_traces()?.served(move |name, bytes| {
        if name.starts_with("runs/") {
            held.lock().ok()?.recv().ok();
        }
        Some(bytes)
    });
    visit.run(|page| {
        go(page, "?trace=runs/type%20core.ctf")?;
        page.wait_for_text("Downloading the file…")?;
        page.says("type core.ctf")?;
        drop(let_go);
        TYPECORE.is_shown(page)
    })
}

#[test]
pub fn missing_trace_is_reported() -> Result<()> {
    Visit::default().served(|_, bytes| Some(bytes)).tolerating("404").run(|page| {
        go(page, "?trace=runs/gone.ctf")?;
        page.wait_for_screen("failed")?;
        page.says("runs/gone.ctf: the file doesn't exist.")?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)
    })
}

/// Every visit ends with a check that the page requested only its own files.
#[test]
pub fn trace_on_another_host_is_rejected_without_a_request() -> Result<()> {
    for address in ["https://example.org/a.ctf", "//example.org/a.ctf", "file:///a.ctf", "data:,a", "http://%"] {
        Visit::default().run(|page| {
            go(page, &format!("?trace={address}"))?;
            page.wait_for_screen("failed")?;
            page.says("this page can only fetch files from its own host.")?;
            page.drop_path(&TINY.path())?;
            TINY.is_shown(page)
        })?;
    }
    Ok(())
}

fn go(page: &Page, rest: &str) -> Result<()> {
    // Without this, only the part after `#` might change, and the page wouldn't reload.
    page.browser.go("about:blank")?;
    page.browser.go(&format!("{}{rest}", page.url))
}
