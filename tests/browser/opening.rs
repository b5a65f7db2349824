//! All ways to open a trace.

use std::collections::BTreeMap;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::engine::named;
use crate::keys::{ENTER, TAB};
use crate::server::Server;
use crate::traces::{DOMAINS, SAMPLE, TINY, TYPECORE, open_sample};
use crate::visit::visit;

#[test]
pub fn dropped_trace_shows_its_counts() -> Result<()> {
    for trace in [TINY, TYPECORE, DOMAINS] {
        visit(|page| {
            page.open()?;
            page.drop_path(&trace.path())?;
            trace.is_shown(page)?;
            page.says(trace.file)
        })?;
    }
    Ok(())
}

#[test]
fn trace_dropped_while_crossing_into_another_element_opens() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_crossing(&TINY.path(), "h1", ".drop-zone button")?;
        TINY.is_shown(page)?;
        let text = page.text()?;
        ensure!(!text.contains("Drop to open"), "the page is still waiting for the drop");
        Ok(())
    })
}

#[test]
pub fn trace_chosen_in_the_picker_shows_its_counts() -> Result<()> {
    visit(|page| {
        page.open()?;
        // The first file uses the picker of the start screen, the others use the one in the header.
        for trace in [TINY, TYPECORE, DOMAINS] {
            page.pick_file(&trace.path())?;
            trace.is_shown(page)?;
        }
        Ok(())
    })
}

#[test]
fn page_in_a_frame_of_another_origin_opens_files() -> Result<()> {
    let opens_picker = "
        window.isOpening = false;
        const heard = new AbortController();
        addEventListener('click', (event) => {
            if (event.target.type === 'file') { window.isOpening = !event.defaultPrevented; event.preventDefault(); }
        }, { signal: heard.signal });
        [...document.querySelectorAll('label')].find((label) => label.textContent.includes('Open')).click();
        heard.abort();
        return window.isOpening";
    visit(|page| {
        let frame = format!("<iframe src='{}' style='width: 100%; height: 90vh'></iframe>", page.url);
        let extra_files = BTreeMap::from([("frame.html".to_owned(), frame.into_bytes())]);
        // Another port is another origin.
        let other = Server::start(&named("CAMLSCOPE_DIST")?, Box::new(|_, bytes| Some(bytes)), extra_files)?;
        page.browser.go(&format!("{}frame.html", other.page_url()))?;
        page.browser.enter_frame()?;
        page.wait_for_worker("ready")?;
        for trace in [TINY, TYPECORE] {
            let is_opening = page.browser.run(opens_picker, json!([]))?;
            ensure!(is_opening == true, "the button doesn't open the browser's file picker");
            page.pick_file(&trace.path())?;
            trace.is_shown(page)?;
        }
        Ok(())
    })
}

/// Removes a feature from workers that not every browser has: reading a file into an existing buffer.
const READS_INTO_NO_BUFFER: &str = "
    window.Blob = class extends Blob {
        constructor(parts, options) {
            const isWorker = options?.type === 'text/javascript';
            super(isWorker ? ['delete self.ReadableStreamBYOBReader;', ...parts] : parts, options);
        }
    }";

#[test]
fn traces_open_without_byob_readers() -> Result<()> {
    visit(|page| {
        page.before_scripts(READS_INTO_NO_BUFFER)?;
        page.open()?;
        for trace in [TINY, TYPECORE] {
            page.pick_file(&trace.path())?;
            trace.is_shown(page)?;
        }
        Ok(())
    })
}

#[test]
pub fn file_picked_twice_is_opened_twice() -> Result<()> {
    visit(|page| {
        page.open()?;
        let path = page.make_file("same-name.ctf", &TINY.bytes()?)?;
        page.pick_file(&path)?;
        TINY.is_shown(page)?;
        page.make_file("same-name.ctf", &DOMAINS.bytes()?)?;
        page.pick_file(&path)?;
        DOMAINS.is_shown(page)
    })
}

#[test]
pub fn sample_opens_and_the_title_names_its_program() -> Result<()> {
    visit(|page| {
        page.open()?;
        open_sample(page)?;
        SAMPLE.is_shown(page)?;
        let title = page.title()?;
        ensure!(title.contains("orders.exe"), "the title is “{title}”");
        Ok(())
    })
}

#[test]
pub fn keyboard_opens_the_sample() -> Result<()> {
    visit(|page| {
        page.open()?;
        let focused = || page.browser.run("return document.activeElement?.textContent", json!([]));
        page.wait_for("the focus to reach “Try the sample”", || {
            page.browser.press(TAB)?;
            Ok(focused()? == "Try the sample")
        })?;
        page.browser.press(ENTER)?;
        SAMPLE.is_shown(page)
    })
}

#[test]
pub fn second_file_replaces_the_first() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&TYPECORE.path())?;
        TYPECORE.is_shown(page)?;
        page.drop_path(&DOMAINS.path())?;
        page.wait_for_text("Replace or compare?")?;
        page.press("Replace")?;
        DOMAINS.is_shown(page)?;
        let text = page.text()?;
        ensure!(!text.contains(TYPECORE.file), "the page still shows {}", TYPECORE.file);
        Ok(())
    })
}

#[test]
pub fn names_in_a_trace_are_shown_as_text() -> Result<()> {
    visit(|page| {
        page.open()?;
        let mut bytes = TINY.bytes()?;
        // Both have the same length, so that the packet stays valid.
        let (name, html): (&[u8; 35], &[u8; 35]) =
            (b"/opt/sample/gen/progs/tiny-v023.exe", b"<img src=x onerror=document.body=1>");
        let place = bytes.windows(name.len()).position(|window| window == name).context("the name is in the trace")?;
        bytes[place..place + name.len()].copy_from_slice(html);
        page.drop_bytes("<b>bold<b>.ctf", &bytes)?;
        TINY.is_shown(page)?;
        page.says(std::str::from_utf8(html)?)?;
        page.says("<b>bold<b>.ctf")?;
        let made = page.browser.run("return document.querySelectorAll('main img, main b b').length", json!([]))?;
        ensure!(made == 0, "a name became {made} elements");
        Ok(())
    })
}
