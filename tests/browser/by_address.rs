//! Traces that the page's own address names, behind `?trace=`.

use std::sync::{Mutex, mpsc};

use anyhow::{Result, ensure};
use serde_json::json;

use crate::page::Page;
use crate::traces::{TINY, TYPECORE};
use crate::visit::Visit;

fn beside() -> Result<Visit> {
    Ok(Visit::default().with_file("runs/type%20core.ctf", TYPECORE.bytes()?))
}

#[test]
pub fn a_trace_beside_the_page_opens_by_its_name_in_the_view_of_the_link() -> Result<()> {
    beside()?.run(|page| {
        for name in ["runs/type%20core.ctf".to_owned(), format!("{}runs/type%20core.ctf", page.url)] {
            go(page, &format!("?memory=1G&trace={name}#tab=table"))?;
            page.wait_for_screen("loaded")?;
            page.wait_for("the table", || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("table")))?;
            page.press("Summary")?;
            TYPECORE.is_shown(page)?;
            page.says("type core.ctf")?;
        }
        // Another trace is not the one that the address names.
        page.drop_path(&TINY.path())?;
        page.press("Replace")?;
        TINY.is_shown(page)?;
        let search = page.browser.run("return location.search", json!([]))?;
        ensure!(search == "?memory=1G", "the address still says {search}");
        Ok(())
    })
}

#[test]
fn the_page_says_that_it_fetches_the_trace_until_it_comes() -> Result<()> {
    let (let_go, held) = mpsc::channel::<()>();
    let held = Mutex::new(held);
    let visit = beside()?.served(move |name, bytes| {
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
pub fn a_trace_that_is_not_there_is_told_in_words() -> Result<()> {
    Visit::default().served(|_, bytes| Some(bytes)).tolerating("404").run(|page| {
        go(page, "?trace=runs/gone.ctf")?;
        page.wait_for_screen("failed")?;
        page.says("runs/gone.ctf: the file doesn't exist.")?;
        page.drop_path(&TINY.path())?;
        TINY.is_shown(page)
    })
}

/// The visit ends with the question whether anything was asked for that is not the page's own.
#[test]
pub fn a_trace_of_another_host_is_refused_in_words_and_not_asked_for() -> Result<()> {
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
    // A page that is there already would only follow the part behind the `#`.
    page.browser.go("about:blank")?;
    page.browser.go(&format!("{}{rest}", page.url))
}
