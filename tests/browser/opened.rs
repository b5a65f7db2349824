//! The page that `camlscope open` serves: it shows the trace, and the server stops with the tab.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::engine::named;
use crate::exporting::{save, saved, watch_saves};
use crate::page::Page;
use crate::traces::{TINY, TYPECORE, command_line, packets};
use crate::visit::{Visit, visit};

/// A running `camlscope open`. It's killed at the end.
struct Opened {
    child: Child,
    address: String,
}

impl Opened {
    fn start(files: &[&Path], options: &[&str]) -> Result<Opened> {
        let page = named("CAMLSCOPE_DIST")?.join("camlscope.html");
        let mut command = command_line()?;
        command.args(["open", "--no-browser", "--page"]).arg(page).args(options).args(files);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let output = child.stdout.take().context("it has no output")?;
        let mut opened = Opened { child, address: String::new() };
        BufReader::new(output).read_line(&mut opened.address)?;
        opened.address = opened.address.trim().to_owned();
        Ok(opened)
    }

    fn has_ended(&mut self) -> Result<bool> {
        Ok(self.child.try_wait()?.is_some())
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
pub fn trace_is_shown_until_its_tab_is_closed() -> Result<()> {
    visit(|page| {
        page.open()?;
        let mut opened = Opened::start(&[&TYPECORE.path()], &[])?;
        page.browser.go(&opened.address)?;
        TYPECORE.is_shown(page)?;
        page.says(TYPECORE.file)?;
        page.browser.reload()?;
        TYPECORE.is_shown(page)?;
        ensure!(!opened.has_ended()?, "a reload stops the server");
        // Closes all other tabs.
        page.browser.reset()?;
        page.wait_for("the server to stop", || opened.has_ended())?;
        ensure!(opened.child.wait()?.success(), "it failed");
        Ok(())
    })
}

#[test]
fn report_saved_from_it_has_neither_its_address_nor_its_policy() -> Result<()> {
    visit(|page| {
        page.open()?;
        let opened = Opened::start(&[&TINY.path()], &[])?;
        page.browser.go(&opened.address)?;
        TINY.is_shown(page)?;
        watch_saves(page)?;
        save(page, "Report with the trace")?;
        let report = saved(page)?;
        ensure!(report.contains("camlscope-trace"), "the report has the trace");
        ensure!(!report.contains("127.0.0.1") && !report.contains("connect-src"), "the report can make requests");
        Ok(())
    })
}

#[test]
fn two_traces_are_compared_in_their_order() -> Result<()> {
    visit(|page| {
        page.open()?;
        let files = [page.make_file("b new.ctf", &TYPECORE.bytes()?)?, page.make_file("a#1%.ctf", &TYPECORE.bytes()?)?];
        let opened = Opened::start(&files.each_ref().map(PathBuf::as_path), &[])?;
        page.browser.go(&opened.address)?;
        page.wait_for_screen("loaded")?;
        page.wait_for(
            "the comparison",
            || Ok(page.attribute(".workspace", "data-tab")?.as_deref() == Some("compare")),
        )?;
        page.wait_until_idle()?;
        let text = page.text()?;
        let at = |name: &str| text.find(name).with_context(|| format!("no {name} in {text}"));
        ensure!(at("b new.ctf")? < at("a#1%.ctf")?, "they are in another order: {text}");
        Ok(())
    })
}

#[test]
fn live_trace_is_followed_over_the_network() -> Result<()> {
    let bytes = TYPECORE.bytes()?;
    let packets = packets(&bytes)?;
    let half = packets[packets.len() / 2].end;
    visit(|page| {
        page.open()?;
        let path = page.make_file("live.ctf", &bytes[..half])?;
        let opened = Opened::start(&[&path], &["--follow"])?;
        page.browser.go(&opened.address)?;
        page.wait_for_screen("loaded")?;
        ensure!(shown(page)? == half.to_string(), "it shows {} bytes", shown(page)?);
        File::options().append(true).open(&path)?.write_all(&bytes[half..])?;
        page.wait_for_text("still being written")?;
        page.wait_for("the rest", || Ok(shown(page)? == bytes.len().to_string()))?;
        TYPECORE.is_shown(page)?;
        // Another run overwrites the file.
        std::fs::write(&path, TINY.bytes()?)?;
        page.wait_for_text("The file was overwritten")?;
        TINY.is_shown(page)
    })
}

/// How many bytes of the file the page shows.
fn shown(page: &Page) -> Result<String> {
    Ok(page.attribute(".app", "data-bytes")?.unwrap_or_default())
}

#[test]
fn it_may_request_nothing_outside_its_own_folder() -> Result<()> {
    Visit::default().tolerating("Content Security Policy").run_with_server(|page, server| {
        page.open()?;
        let opened = Opened::start(&[&TINY.path()], &[])?;
        page.browser.go(&opened.address)?;
        TINY.is_shown(page)?;
        let refused = "return fetch(arguments[0]).then(() => false, () => true)";
        for address in [server.page_url(), page.browser.run("return location.origin + '/'", json!([]))?.to_string()] {
            let address = address.trim_matches('"');
            ensure!(page.browser.run(refused, json!([address]))? == true, "{address} isn't refused");
        }
        Ok(())
    })
}
