//! A file server like any static host: it only has the page's files.
//!
//! The page is under a sub-path, as on GitHub Pages, so addresses that only work at the root fail. Every request is recorded. A
//! test can change, delay or remove a file to see how the page reacts.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io;
use std::mem;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use camlscope_serve::{Request, Response, content_type, file_in};

const SUB_PATH: &str = "/tools/camlscope/";

/// Takes a file's name and content, and returns the content to send. `None` is a 404.
pub type Rewrite = dyn Fn(&str, Vec<u8>) -> Option<Vec<u8>> + Send + Sync;

/// Whether a file of the page was built from `stem` and `extension`. The build adds a hash between them.
pub fn is_built_from(name: &str, stem: &str, extension: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let hash = file.strip_prefix(stem).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(extension));
    hash.is_some_and(|hash| hash.chars().all(|digit| digit.is_ascii_hexdigit()))
}

#[derive(Debug)]
pub struct Server {
    server: camlscope_serve::Server,
    log: Arc<Mutex<Vec<Answered>>>,
}

/// A request and its response.
#[derive(Clone, Debug)]
pub struct Answered {
    pub method: String,
    pub path: String,
    /// Without the question mark.
    pub query: String,
    pub body: String,
    pub status: u16,
}

impl Server {
    /// Serves `dist` and the files in `extra`, by name, on a free port until dropped.
    pub fn start(dist: &Path, rewrite: Box<Rewrite>, extra_files: BTreeMap<String, Vec<u8>>) -> Result<Server> {
        let listener = listen_on_unused_port().context("starting the file server")?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let files = Files { dist: dist.to_owned(), rewrite, extra_files, log: Arc::clone(&log) };
        let server = camlscope_serve::Server::start(vec![listener], move |request| files.answer(request))?;
        Ok(Server { server, log })
    }

    /// Returns the address of the page, with its sub-path.
    pub fn page_url(&self) -> String {
        format!("{}{SUB_PATH}", self.origin())
    }

    /// Host and port.
    pub fn host(&self) -> String {
        self.server.address().to_string()
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        format!("http://{}", self.host())
    }

    pub fn answered(&self) -> Vec<Answered> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Removes the responses so far, so that the checks at the end of the visit ignore them.
    pub fn take_answered(&self) -> Vec<Answered> {
        mem::take(&mut self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the paths of requests outside the page's folder.
    pub fn strays(&self) -> Vec<String> {
        let paths = self.answered().into_iter().map(|answered| answered.path);
        paths.filter(|path| !path.starts_with(SUB_PATH)).collect()
    }

    /// Stops listening.
    pub fn stop(&self) {
        self.server.stop();
    }
}

/// Returns a listener on a port that no other server of this run had. Tests share browsers, which keep storage, caches and
/// service workers by origin, and the system may assign a free port again.
fn listen_on_unused_port() -> io::Result<TcpListener> {
    static USED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    // Kept until the end, so that each server has its own port.
    let mut rejected = Vec::new();
    loop {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        if USED.lock().unwrap_or_else(PoisonError::into_inner).insert(port) {
            return Ok(listener);
        }
        rejected.push(listener);
    }
}

/// Answers requests from a folder.
struct Files {
    dist: PathBuf,
    rewrite: Box<Rewrite>,
    extra_files: BTreeMap<String, Vec<u8>>,
    log: Arc<Mutex<Vec<Answered>>>,
}

impl Files {
    fn answer(&self, request: &Request) -> Response {
        let content = self.content(&request.path).filter(|_| request.method == "GET");
        let response = content.unwrap_or_else(|| Response::new(404, "text/plain", b"Not here.".to_vec()));
        let Request { method, path, query, body, .. } = request.clone();
        let body = String::from_utf8_lossy(&body).into_owned();
        let answered = Answered { method, path, query, body, status: response.status };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(answered);
        response
    }

    fn content(&self, path: &str) -> Option<Response> {
        let file = file_in(&self.dist, path.strip_prefix(SUB_PATH)?)?;
        let name = file.strip_prefix(&self.dist).ok()?.to_str()?;
        let bytes = self.extra_files.get(name).cloned().or_else(|| fs::read(&file).ok())?;
        Some(Response::new(200, content_type(&file), (self.rewrite)(name, bytes)?))
    }
}
