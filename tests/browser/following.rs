//! Following a live trace: the page reads new data and keeps the user's view.

use std::io::Write;

use anyhow::{Result, bail, ensure};
use camlscope_engine::protocol::Slot;
use camlscope_engine::session::Session;
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::json;

use crate::page::Page;
use crate::traces::{TINY, TYPECORE, packets};
use crate::visit::visit;

/// Makes the picker return a file in the page's own storage, which the test can append to.
const GIVE_HANDLE: &str = "window.showOpenFilePicker = () => navigator.storage.getDirectory()
    .then((folder) => folder.getFileHandle('growing.ctf')).then((handle) => [handle])";

const APPEND: &str = "const [bytes, keep] = arguments;
    return navigator.storage.getDirectory()
        .then((folder) => folder.getFileHandle('growing.ctf', { create: true }))
        .then(async (handle) => {
            const size = (await handle.getFile()).size;
            const file = await handle.createWritable({ keepExistingData: keep });
            if (keep) await file.seek(size);
            await file.write(new Uint8Array(bytes));
            await file.close();
        })";

#[test]
fn live_trace_is_followed_and_the_view_stays() -> Result<()> {
    let bytes = TYPECORE.bytes()?;
    let ends: Vec<usize> = packets(&bytes)?.iter().map(|packet| packet.end).collect();
    // The second part ends inside a packet.
    let (first, second) = (ends[ends.len() / 3], ends[2 * ends.len() / 3] + 100);
    visit(|page| {
        page.open()?;
        page.browser.run(GIVE_HANDLE, json!([]))?;
        page.browser.run(APPEND, json!([bytes[..first], false]))?;
        page.click("//label[contains(., 'Open a file')]")?;
        page.wait_for_screen("loaded")?;
        page.browser.run("location.hash = 'tab=summary&show=allocated&size=3..&zoom=10ms..200ms'", json!([]))?;
        page.wait_until_idle()?;
        ensure!(!page.text()?.contains("still being written"), "the file hasn't grown yet");
        says_what_opening_it_says(page, &bytes[..first])?;
        let view = page.address()?;

        page.browser.run(APPEND, json!([bytes[first..second], true]))?;
        page.wait_for_text("still being written")?;
        page.wait_for("the new data", || Ok(shown(page)? == second))?;
        says_what_opening_it_says(page, &bytes[..second])?;
        page.says("Provisional: the program is still running")?;
        ensure!(!page.text()?.contains("truncated"), "an incomplete packet is reported as damage");
        ensure!(page.address()? == view, "the view was {view}, and is {}", page.address()?);

        page.press("Pause")?;
        page.browser.run(APPEND, json!([bytes[second..], true]))?;
        page.wait_for_text("still being written, paused")?;
        ensure!(shown(page)? == second, "the page reads new data while it's paused");
        page.press("Follow")?;
        page.wait_for("the rest", || Ok(shown(page)? == bytes.len()))?;
        says_what_opening_it_says(page, &bytes)?;
        ensure!(page.address()? == view, "the view was {view}, and is {}", page.address()?);

        // Another run overwrites the file.
        page.browser.run(APPEND, json!([TINY.bytes()?, false]))?;
        page.wait_for_text("The file was overwritten")?;
        TINY.is_shown(page)
    })
}

#[test]
fn growing_compressed_file_is_opened_again_with_one_click() -> Result<()> {
    let packed = |bytes: &[u8]| -> Result<Vec<u8>> {
        let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
        packer.write_all(bytes)?;
        Ok(packer.finish()?)
    };
    let bytes = TYPECORE.bytes()?;
    let packets = packets(&bytes)?;
    let half = packets[packets.len() / 2].end;
    let (first, rest) = (packed(&bytes[..half])?, packed(&bytes[half..])?);
    visit(|page| {
        page.open()?;
        page.browser.run(GIVE_HANDLE, json!([]))?;
        page.browser.run(APPEND, json!([first, false]))?;
        page.click("//label[contains(., 'Open a file')]")?;
        page.wait_for_screen("loaded")?;
        page.wait_until_idle()?;
        says_what_opening_it_says(page, &bytes[..half])?;
        page.browser.run(APPEND, json!([rest, true]))?;
        page.wait_for_text("the file has changed")?;
        page.press("Open again")?;
        page.wait_for("the whole file", || Ok(shown(page)? == first.len() + rest.len()))?;
        page.wait_until_idle()?;
        says_what_opening_it_says(page, &bytes)
    })
}

#[test]
pub fn without_file_handles_a_button_opens_the_file_again() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.browser.run("window.showOpenFilePicker = undefined", json!([]))?;
        page.drop_path(&page.make_fresh_file("growing.ctf", &TINY.bytes()?)?)?;
        TINY.is_shown(page)?;
        page.wait_for_text("this browser can't follow files")?;
        page.browser.find("xpath", "//label[contains(., 'Open again…')]").map(drop)
    })
}

#[test]
fn fresh_file_that_ends_inside_a_packet_may_still_be_growing() -> Result<()> {
    let bytes = TYPECORE.bytes()?;
    visit(|page| {
        page.open()?;
        page.drop_path(&page.make_fresh_file("cut.ctf", &bytes[..bytes.len() - 100])?)?;
        page.wait_for_text("truncated, or still being written")
    })
}

fn says_what_opening_it_says(page: &Page, bytes: &[u8]) -> Result<()> {
    let mut session = Session::new();
    session.begin(Slot::Main, None);
    session.push(bytes).and_then(|()| session.finish()).map_or_else(
        |error| bail!("{error:?}"),
        |says| {
            for (figure, expected) in [
                ("events.alloc", says.events.alloc.to_string()),
                ("events.collect", says.events.collect.to_string()),
                ("samples.live_at_end", says.samples.live_at_end.to_string()),
                ("peak.bytes", says.peak.bytes.to_string()),
                ("allocated_bytes", says.allocated_bytes.to_string()),
                ("end_us", says.end_us.to_string()),
            ] {
                let shown = page.figure(figure)?;
                ensure!(shown == expected, "{figure} is {shown}, not {expected}");
            }
            Ok(())
        },
    )
}

/// Returns how many bytes of the file the page shows.
fn shown(page: &Page) -> Result<usize> {
    let shown = page.browser.run("return document.querySelector('.app').dataset.bytes", json!([]))?;
    Ok(shown.as_str().and_then(|bytes| bytes.parse().ok()).unwrap_or(0))
}
