//! Files that are no traces: each gets a sentence that says what it is, and leaves the page as able as before.

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
pub fn an_empty_file_is_called_empty() -> Result<()> {
    refuses("nothing.ctf", b"", "empty", "This file is empty")
}

#[test]
pub fn a_text_file_is_called_a_text_file() -> Result<()> {
    refuses("notes.txt", b"Buy milk.\nRecord a trace.\n", "not-a-trace", "it looks like a text file")
}

#[test]
fn a_program_is_called_an_executable() -> Result<()> {
    let mut head = Vec::new();
    File::open(std::env::current_exe()?)?.take(100_000).read_to_end(&mut head)?;
    refuses("program.exe", &head, "not-a-trace", "executable")
}

#[test]
fn a_picture_is_called_a_picture() -> Result<()> {
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\0\0\0\0\x3a\x7e\x9b\x55\
        \0\0\0\nIDAT\x78\x9c\x63\x60\0\0\0\x02\0\x01\x48\xaf\xa4\x71\0\0\0\0IEND\xae\x42\x60\x82";
    refuses("flames.png", png, "not-a-trace", "it looks like a PNG image")
}

#[test]
pub fn a_trace_cut_in_its_first_packet_is_told_from_a_foreign_file() -> Result<()> {
    let head = TINY.bytes()?.into_iter().take(100).collect::<Vec<u8>>();
    refuses("cut.ctf", &head, "cut-in-info", "before its first event")
}

#[test]
fn a_folder_is_called_a_folder() -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_path(&page.make_folder("traces")?)?;
        page.wait_for_text("folder")?;
        still_opens_a_trace(page)
    })
}

#[test]
fn a_file_that_changed_after_it_was_chosen_is_not_read_as_if_it_had_not() -> Result<()> {
    cannot_be_read("changed.ctf", "it changed while being read", |path| Ok(fs::write(path, b"shorter")?))
}

#[test]
fn a_file_that_is_gone_is_called_gone() -> Result<()> {
    cannot_be_read("gone.ctf", "it was moved or deleted", |path| Ok(fs::remove_file(path)?))
}

/// Chooses a trace, does something to it, and only then lets the page have it.
fn cannot_be_read(name: &str, reason: &str, harm: impl Fn(&Path) -> Result<()>) -> Result<()> {
    visit(|page| {
        page.open()?;
        let path = page.make_file(name, &TINY.bytes()?)?;
        page.browser.run(ADD_PICKER, json!([]))?;
        page.browser.type_into("#chosen", &path.display().to_string())?;
        // Chromium looks at a chosen file only when it is asked about it.
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
pub fn a_refused_file_leads_back_to_the_trace_before_it() -> Result<()> {
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

fn refuses(name: &str, bytes: &[u8], kind: &str, sentence: &str) -> Result<()> {
    visit(|page| {
        page.open()?;
        page.drop_bytes(name, bytes)?;
        page.wait_for_screen("failed")?;
        page.says(name)?;
        page.says(sentence)?;
        let told = page.attribute("[data-error]", "data-error")?.context("the page shows no error")?;
        ensure!(told == kind, "the error is {told}, not {kind}");
        fits_every_window(page)?;
        still_opens_a_trace(page)
    })
}

fn still_opens_a_trace(page: &Page) -> Result<()> {
    page.drop_path(&TINY.path())?;
    TINY.is_shown(page)
}
