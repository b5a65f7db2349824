//! The requests that Chromium made, from its own record.
//!
//! The record comes from the network stack, so it includes requests by workers, which DevTools leaves out. Requests by the
//! browser itself (updates, its start page) have a different initiator than the page's.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use crate::browser::Browser;
use crate::engine::Engine;

/// The requests of one visit.
pub struct Record {
    requests: Vec<Request>,
}

struct Request {
    initiator: String,
    url: String,
}

/// A host that doesn't exist. The browser writes its record in batches, and requests to this host make it write earlier ones.
pub const MARKER: &str = "http://end-of-visit.invalid/";
/// Far more requests than there are in a batch.
const MAX_MARKERS: usize = 1000;

const EVENTS_HEAD: &str = "\"events\": [";

impl Record {
    /// Returns the size of the record so far, in bytes. The part for the next visit starts there.
    pub fn length(browser: &Browser) -> Result<u64> {
        if browser.engine != Engine::Chromium {
            return Ok(0);
        }
        Ok(fs::metadata(&browser.net_log).context("the browser keeps no record of its requests")?.len())
    }

    /// Reads the record from `start` up to the last request before this call.
    pub fn read(browser: &Browser, start: u64) -> Result<Record> {
        let marker = format!("{MARKER}{start}");
        for _ in 0..MAX_MARKERS {
            browser.run("return fetch(arguments[0]).catch(() => null)", json!([marker]))?;
            let text = read_from(browser, start)?;
            if text.contains(&marker) {
                return Record::parse(&text, job_start(browser)?);
            }
        }
        bail!("the browser's record doesn't show the end of the visit")
    }

    /// Returns the addresses that code from this origin requested.
    pub fn made_by(&self, origin: &str) -> Vec<&str> {
        self.made_where(|initiator| initiator == origin)
    }

    /// Returns the addresses that pages on disk requested. Their origin is `null` or their own address.
    pub fn made_by_files(&self) -> Vec<&str> {
        self.made_where(|initiator| initiator == "null" || initiator.starts_with("file:"))
    }

    fn made_where(&self, is_meant: impl Fn(&str) -> bool) -> Vec<&str> {
        self.requests
            .iter()
            .filter(|request| is_meant(&request.initiator))
            .map(|request| request.url.as_str())
            .collect()
    }

    /// Parses one event per line. The first line may be the rest of an earlier one, and the last line may be incomplete. In a new
    /// browser's record, the events have a header.
    fn parse(text: &str, job_start: u64) -> Result<Record> {
        let mut requests = Vec::new();
        let (complete, _) = text.rsplit_once('\n').unwrap_or_default();
        for (index, line) in complete.lines().enumerate() {
            let event: Value = match serde_json::from_str(line.trim_end_matches(',')) {
                Ok(event) => event,
                Err(_) if index == 0 || line == EVENTS_HEAD => continue,
                Err(error) => bail!("the browser's record has a line that isn't an event: {error}: {line}"),
            };
            let [initiator, url] = ["initiator", "url"].map(|key| event["params"][key].as_str().unwrap_or_default());
            if event["type"] == job_start && !url.starts_with(MARKER) {
                requests.push(Request { initiator: initiator.to_owned(), url: url.to_owned() });
            }
        }
        Ok(Record { requests })
    }
}

fn read_from(browser: &Browser, start: u64) -> Result<String> {
    let mut file = File::open(&browser.net_log)?;
    file.seek(SeekFrom::Start(start))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Returns the type number of events that start a request. The record's first line defines it.
fn job_start(browser: &Browser) -> Result<u64> {
    let mut constants = String::new();
    BufReader::new(File::open(&browser.net_log)?).read_line(&mut constants)?;
    let number = constants.split_once("\"URL_REQUEST_START_JOB\":").map(|(_, rest)| rest);
    let number = number.and_then(|rest| rest.split([',', '}']).next()?.parse().ok());
    number.context("the browser's record defines no event for the start of a request")
}
