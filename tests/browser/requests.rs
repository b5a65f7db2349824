//! What the browser asked the network for, from its own record.
//!
//! The record is of the network stack itself, so the requests of workers are in it too, which DevTools leaves out. The
//! browser's own errands (updates, its start page) are told from the page's by who set them off.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use serde_json::Value;

/// The addresses that code of the page's `origin` asked for.
pub fn made_by(origin: &str, net_log: &Path) -> Result<Vec<String>> {
    made_where(net_log, |initiator| initiator == origin)
}

/// The addresses that code of pages from the disk asked for, whose origin is none or their own.
pub fn made_by_files(net_log: &Path) -> Result<Vec<String>> {
    made_where(net_log, |initiator| initiator == "null" || initiator.starts_with("file:"))
}

fn made_where(net_log: &Path, is_meant: impl Fn(&str) -> bool) -> Result<Vec<String>> {
    let text = fs::read_to_string(net_log).context("reading the browser's record of its requests")?;
    let log: Value = serde_json::from_str(&text).context("the browser's record of its requests is not whole")?;
    let started = &log["constants"]["logEventTypes"]["URL_REQUEST_START_JOB"];
    let events = log["events"].as_array().context("the browser's record has no events")?;
    let requests = events.iter().filter(|event| !started.is_null() && event["type"] == *started);
    let by_page =
        requests.map(|event| &event["params"]).filter(|request| request["initiator"].as_str().is_some_and(&is_meant));
    Ok(by_page.filter_map(|request| request["url"].as_str()).map(str::to_owned).collect())
}
