//! One visit to the page, from an empty tab to the final checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Result, anyhow, ensure};
use serde_json::json;

use crate::browser::Line;
use crate::engine::{Engine, named};
use crate::engines;
use crate::page::Page;
use crate::pool::Place;
use crate::requests::{MARKER, Record};
use crate::server::{Answered, Rewrite, Server};

/// Makes a visit to the page as it is, in a browser without service workers. The console must have no errors.
pub fn visit(acts: impl FnOnce(&Page) -> Result<()>) -> Result<()> {
    Visit::default().run(acts)
}

#[derive(Default)]
pub struct Visit {
    rewrite: Option<Box<Rewrite>>,
    extra_files: BTreeMap<String, Vec<u8>>,
    tolerated: Vec<String>,
    expected_requests: Vec<String>,
    is_on_disk: bool,
    has_service_worker: bool,
}

impl Visit {
    /// Replaces the content of some files.
    pub fn served(mut self, rewrite: impl Fn(&str, Vec<u8>) -> Option<Vec<u8>> + Send + Sync + 'static) -> Visit {
        self.rewrite = Some(Box::new(rewrite));
        self
    }

    /// Adds a file next to the page.
    pub fn with_file(mut self, name: &str, bytes: Vec<u8>) -> Visit {
        self.extra_files.insert(name.to_owned(), bytes);
        self
    }

    /// Opens the page as one file from disk.
    pub fn on_disk(mut self) -> Visit {
        self.is_on_disk = true;
        self
    }

    /// Lets the page install its service worker, as it does for users. Installing it takes a sixth of a test's CPU time.
    pub fn with_service_worker(mut self) -> Visit {
        self.has_service_worker = true;
        self
    }

    /// Allows errors in the console that contain these words, for tests that break something on purpose.
    pub fn tolerating(mut self, words: impl Into<String>) -> Visit {
        self.tolerated.push(words.into());
        self
    }

    /// Allows requests to these addresses, which the test makes on purpose.
    pub fn expecting_requests_to(mut self, start_of_url: impl Into<String>) -> Visit {
        self.expected_requests.push(start_of_url.into());
        self
    }

    pub fn run(self, acts: impl FnOnce(&Page) -> Result<()>) -> Result<()> {
        self.run_with_server(|page, _| acts(page))
    }

    pub fn run_with_server(self, acts: impl FnOnce(&Page, &Server) -> Result<()>) -> Result<()> {
        let name = thread::current().name().unwrap_or("visit").replace("::", "-");
        let scratch = fresh_folder(&name)?;
        let is_rewritten = self.rewrite.is_some();
        let rewrite = self.rewrite.unwrap_or_else(|| Box::new(|_, bytes| Some(bytes)));
        let dist = named("CAMLSCOPE_DIST")?;
        let server = Server::start(&dist, rewrite, self.extra_files)?;
        let engine = engines::current();
        let place = Place::take(engine);
        let browser = place.browser()?;
        let earlier = Record::length(&browser)?;
        let url = if self.is_on_disk { file_url(&dist.join("camlscope.html"))? } else { server.page_url() };
        let page = Page::new(browser, url, scratch.clone());
        if engine == Engine::Chromium && !self.has_service_worker {
            page.before_scripts("delete Navigator.prototype.serviceWorker")?;
        }

        let outcome = acts(&page, &server).and_then(|()| check_console(&page.browser.console()?, &self.tolerated));
        outcome.map_err(|error| told_with_page(&error, &page, &server, &name))?;
        let browser = page.into_browser();
        browser.run(EMPTY_STORAGE_OF_FILES, json!([]))?;
        browser.reset()?;

        check_answers(&server, is_rewritten)?;
        if engine == Engine::Chromium {
            let record = Record::read(&browser, earlier)?;
            check_requests_of_files(&record)?;
            if !self.is_on_disk {
                check_requests(&server, &record, &self.expected_requests)?;
            }
        }
        place.put_back(browser);
        fs::remove_dir_all(scratch)?;
        Ok(())
    }
}

/// All pages on disk share their storage. Sites don't: each test has its own port.
const EMPTY_STORAGE_OF_FILES: &str = "
    if (location.protocol !== 'file:') return;
    localStorage.clear();
    sessionStorage.clear();
    const finished = (request) => new Promise((resolve, reject) => {
        request.onsuccess = () => resolve(request.result);
        request.onerror = () => reject(request.error);
    });
    return (async () => {
        for (const { name } of await indexedDB.databases()) {
            const database = await finished(indexedDB.open(name));
            for (const store of database.objectStoreNames) {
                await finished(database.transaction(store, 'readwrite').objectStore(store).clear());
            }
            database.close();
        }
    })()";

fn check_console(console: &[Line], tolerated: &[String]) -> Result<()> {
    for line in console.iter().filter(|line| matches!(line.level.as_str(), "SEVERE" | "WARNING")) {
        // From the end of the previous visit.
        let is_marker = line.message.starts_with(MARKER);
        let is_tolerated = is_marker || tolerated.iter().any(|words| line.message.contains(words));
        ensure!(is_tolerated, "error in the console: {}", line.message);
    }
    Ok(())
}

/// Checks that the page only requested existing files in its own folder, and sent no data to the server.
fn check_answers(server: &Server, is_rewritten: bool) -> Result<()> {
    let is_sent = |answered: &Answered| answered.method != "GET" || !answered.body.is_empty();
    let sent: Vec<_> = server.answered().into_iter().filter(is_sent).collect();
    ensure!(sent.is_empty(), "the page sent data to its host: {sent:?}");
    let strays = server.strays();
    ensure!(strays.is_empty(), "requests outside {}: {strays:?}", server.page_url());
    if !is_rewritten {
        let missing: Vec<_> = server.answered().into_iter().filter(|answered| answered.status != 200).collect();
        ensure!(missing.is_empty(), "requests for missing files: {missing:?}");
    }
    Ok(())
}

/// Checks that the page requested only its own files, from any server.
fn check_requests(server: &Server, record: &Record, expected: &[String]) -> Result<()> {
    let home = server.page_url();
    let requests = record.made_by(&server.origin());
    ensure!(!requests.is_empty(), "the browser's record has no requests by the page, so it has an unexpected format");
    let is_expected = |url: &str| url.starts_with(&home) || expected.iter().any(|start| url.starts_with(start));
    let foreign: Vec<_> = requests.iter().filter(|url| !is_expected(url)).collect();
    ensure!(foreign.is_empty(), "the page requested other files: {foreign:?}");
    Ok(())
}

/// Checks that pages on disk made no requests.
fn check_requests_of_files(record: &Record) -> Result<()> {
    let requests = record.made_by_files();
    ensure!(requests.is_empty(), "a page on disk requested {requests:?}");
    Ok(())
}

/// Returns the address of a file on disk.
pub fn file_url(path: &Path) -> Result<String> {
    Ok(format!("file://{}", fs::canonicalize(path)?.display()))
}

/// Adds the page's text, the console and the server's log to an error.
fn told_with_page(error: &anyhow::Error, page: &Page, server: &Server, name: &str) -> anyhow::Error {
    let lines = |lines: Vec<String>| lines.join("\n    ");
    let text = page.text().unwrap_or_else(|error| format!("(not available: {error})"));
    let console = match page.browser.console() {
        Ok(console) => console.into_iter().map(|line| format!("{}: {}", line.level, line.message)).collect(),
        Err(error) => vec![format!("(not available: {error})")],
    };
    let answered = server.answered().into_iter().map(|answered| format!("{} {}", answered.status, answered.path));
    let picture = match page.screenshot(&format!("failed-{name}")) {
        Ok(()) => String::new(),
        Err(error) => format!("\n  no screenshot: {error}"),
    };
    anyhow!(
        "{error:#}\n  the page shows:\n    {}\n  the console:\n    {}\n  the server's responses:\n    {}{picture}",
        text.replace('\n', "\n    "),
        lines(console),
        lines(answered.collect()),
    )
}

/// Creates an empty folder in the target directory.
pub fn fresh_folder(name: &str) -> Result<PathBuf> {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir_all(&folder)?;
    Ok(folder)
}
