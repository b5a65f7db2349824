//! The requests that Chromium made, from its own record.
//!
//! The record is of the network stack, so it includes the requests of workers, which DevTools leaves out. Requests of the
//! browser itself (updates, its start page) differ from the page's in who initiated them.

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

/// A host that doesn't exist. The browser writes its record in batches, so requests to this host push out what is before.
pub const MARKER: &str = "http://end-of-visit.invalid/";
/// Far more requests than a batch holds.
const MAX_MARKERS: usize = 1000;

const EVENTS_HEAD: &str = "\"events\": [";

impl Record {
    /// The bytes that the record has so far: a visit's own part starts there.
    pub fn length(browser: &Browser) -> Result<u64> {
        if browser.engine != Engine::Chromium {
            return Ok(0);
        }
        Ok(fs::metadata(&browser.net_log).context("the browser keeps no record of its requests")?.len())
    }

    /// Reads the part after `start` to the last request before this call.
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

    /// The addresses that code of the page's `origin` requested.
    pub fn made_by(&self, origin: &str) -> Vec<&str> {
        self.made_where(|initiator| initiator == origin)
    }

    /// The addresses that pages from the disk requested. Their origin is `null` or their own address.
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

    /// Each line is an event. The first may be the rest of an earlier line, and the last may be incomplete. In a new browser's
    /// record the events have a head.
    fn parse(text: &str, job_start: u64) -> Result<Record> {
        let mut requests = Vec::new();
        let (complete, _) = text.rsplit_once('\n').unwrap_or_default();
        for (index, line) in complete.lines().enumerate() {
            let event: Value = match serde_json::from_str(line.trim_end_matches(',')) {
                Ok(event) => event,
                Err(_) if index == 0 || line == EVENTS_HEAD => continue,
                Err(error) => bail!("the browser's record has a line that is no event: {error}: {line}"),
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

/// The number of the events that start a request. The record's first line defines it.
fn job_start(browser: &Browser) -> Result<u64> {
    let mut constants = String::new();
    BufReader::new(File::open(&browser.net_log)?).read_line(&mut constants)?;
    let number = constants.split_once("\"URL_REQUEST_START_JOB\":").map(|(_, rest)| rest);
    let number = number.and_then(|rest| rest.split([',', '}']).next()?.parse().ok());
    number.context("the browser's record defines no event for the start of a request")
}
