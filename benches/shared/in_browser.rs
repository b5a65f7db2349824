//! Opens the built page in a fresh Chromium.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Result};
use serde_json::Value;

use camlscope_browser_tests::browser::Browser;
use camlscope_browser_tests::engine::{Engine, named};
use camlscope_browser_tests::page::Page;
use camlscope_browser_tests::server::{Rewrite, Server};

/// Returns the results of the native benchmark.
pub fn native_results() -> Result<Vec<Value>> {
    let results = fs::read_to_string(named("CAMLSCOPE_BENCH_RESULTS")?).context("run the native benchmark first")?;
    Ok(serde_json::from_str(&results)?)
}

/// Opens the page. The server must outlive it.
pub fn open_page() -> Result<(Page, Server)> {
    open_page_served(Box::new(|_, bytes| Some(bytes)))
}

/// Opens the page, with some of its files replaced.
pub fn open_page_served(rewrite: Box<Rewrite>) -> Result<(Page, Server)> {
    let scratch = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench");
    fs::create_dir_all(&scratch)?;
    let server = Server::start(&named("CAMLSCOPE_DIST")?, rewrite, BTreeMap::new())?;
    let net_log = scratch.join("requests.json");
    let browser = Browser::start(Engine::Chromium, &net_log)?;
    let page = Page::new(browser, server.page_url(), scratch);
    page.open()?;
    Ok((page, server))
}
