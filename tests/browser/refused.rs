//! Files that aren't traces. The page reports what each file is, and can still open a trace afterwards.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::looks::fits_every_window;
use crate::page::{ADD_PICKER, Page, TAKE_CHOSEN};
use crate::traces::{DOMAINS, TINY};
use crate::visit::visit;

#[test]
pub fn files_that_are_not_traces_are_reported_with_what_they_are() -> Result<()> {
    let mut program = Vec::new();
    File::open(std::env::current_exe()?)?.take(100_000).read_to_end(&mut program)?;
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\
        \0\0\0\nIDAT\x78\x9c\x63\x60\0\0\0\x02\0\x01\x48\xaf\xa4\x71\0\0\0\0IEND\xae\x42\x60\x82";
    let head = TINY.bytes()?.into_iter().take(100).collect::<Vec<u8>>();
    visit(|page| {
        page.open()?;
        for (name, bytes, kind, sentence) in [
            ("nothing.ctf", &b""[..], "empty", "This file is empty"),
            ("notes.txt", b"Buy milk.\nRecord a trace.\n", "not-a-trace", "it looks like a text file"),
            ("program.exe", &program, "not-a-trace", "executable"),
            ("flames.png", png, "not-a-trace", "it looks like a PNG image"),
            ("cut.ctf", &head, "cut-in-info", "before its first event"),
        ] {
            page.drop_bytes(name, bytes)?;
            page.says(name)?;
            page.says(sentence)?;
            let shown = page.attribute("[data-error]", "data-error")?.context("the page shows no error")?;
            ensure!(shown == kind, "{name}: the error is {shown}, not {kind}");
            fits_every_window(page)?;
        }
        still_opens_a_trace(page)
    })
}

#[test]
fn folder_is_reported_as_a_folder() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&page.make_folder("traces")?)?;
        page.wait_for_text("folder")?;
        still_opens_a_trace(page)
    })
}

#[test]
fn file_that_changed_after_it_was_chosen_is_reported() -> Result<()> {
    cannot_be_read("changed.ctf", "it changed while being read", |path| Ok(fs::write(path, b"shorter")?))
}

#[test]
fn deleted_file_is_reported() -> Result<()> {
    cannot_be_read("gone.ctf", "it was moved or deleted", |path| Ok(fs::remove_file(path)?))
}

/// Chooses a trace, changes its file, and only then passes it to the page.
fn cannot_be_read(name: &str, reason: &str, harm: impl Fn(&Path) -> Result<()>) -> Result<()> {
    visit(|page| {
        page.open()?;
        let path = page.make_file(name, &TINY.bytes()?)?;
        page.browser.run(ADD_PICKER, json!([]))?;
        page.browser.type_into("#chosen", &path.display().to_string())?;
        // Chromium reads a chosen file's metadata only when a script accesses it.
        page.browser
            .run("const [file] = document.querySelector('#chosen').files; return file.lastModified", json!([]))?;
        harm(&path)?;
        page.drop_made_by(TAKE_CHOSEN, json!([]))?;
        page.wait_for_screen("failed")?;
        page.says("Can't read the file")?;
        page.says(reason)?;
        still_opens_a_trace(page)
    })
}

#[test]
pub fn rejected_file_leads_back_to_the_previous_trace() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&DOMAINS.path())?;
        DOMAINS.is_shown(page)?;
        page.drop_bytes("notes.txt", b"Buy milk.\n")?;
        page.press("Replace")?;
        page.wait_for_screen("failed")?;
        page.press("Back to domains-multi.exe")?;
        DOMAINS.is_shown(page)
    })
}

fn still_opens_a_trace(page: &Page) -> Result<()> {
    page.drop_path(&TINY.path())?;
    TINY.is_shown(page)
}
