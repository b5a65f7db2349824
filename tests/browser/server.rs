//! A plain file server, as any static host is one: it knows the page's files by name and nothing else.
//!
//! The page lies under a sub-path, as on GitHub Pages, so that an address which only works at the root is found out. Every
//! request is written down. A test can have one file answered otherwise, to see what the page makes of it.

use std::fs;
use std::io::Write;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use anyhow::{Context, Result, bail};
use tiny_http::Request;

const SUB_PATH: &str = "/tools/camlscope/";

/// Given a file's name and content: what is sent in its place. `None` is a 404.
pub type Twist = dyn Fn(&str, Vec<u8>) -> Option<Vec<u8>> + Send + Sync;

/// Whether a file of the page is the one built from `stem` and `extension`: the build puts a hash between the two.
pub fn is_built_from(name: &str, stem: &str, extension: &str) -> bool {
    let file = name.rsplit('/').next().unwrap_or(name);
    let hash = file.strip_prefix(stem).and_then(|rest| rest.strip_prefix('-')?.strip_suffix(extension));
    hash.is_some_and(|hash| hash.chars().all(|digit| digit.is_ascii_hexdigit()))
}

pub struct Server {
    http: Arc<tiny_http::Server>,
    address: SocketAddr,
    log: Arc<Mutex<Vec<Answered>>>,
}

/// A request and how it went.
#[derive(Clone, Debug)]
pub struct Answered {
    pub path: String,
    pub status: u16,
}

impl Server {
    /// Serves `dist` on a free port until dropped.
    pub fn start(dist: &Path, twist: Box<Twist>) -> Result<Server> {
        let http = match tiny_http::Server::http("127.0.0.1:0") {
            Ok(http) => Arc::new(http),
            Err(error) => bail!("the file server could not be started: {error}"),
        };
        let address = http.server_addr().to_ip().context("the file server has no address")?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let desk = Arc::new(Desk { dist: dist.to_owned(), twist, log: Arc::clone(&log) });
        let listening = Arc::clone(&http);
        thread::spawn(move || {
            for request in listening.incoming_requests() {
                // One thread each: a file that a twist holds back must not hold back the others.
                let desk = Arc::clone(&desk);
                thread::spawn(move || desk.answer(request));
            }
        });
        Ok(Server { http, address, log })
    }

    /// The address of the page, with its sub-path.
    pub fn page_url(&self) -> String {
        format!("http://{}{SUB_PATH}", self.address)
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn answered(&self) -> Vec<Answered> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// What was asked for outside the page's own folder.
    pub fn strays(&self) -> Vec<String> {
        let paths = self.answered().into_iter().map(|answered| answered.path);
        paths.filter(|path| !path.starts_with(SUB_PATH)).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.http.unblock();
    }
}

/// What answering a request takes.
struct Desk {
    dist: PathBuf,
    twist: Box<Twist>,
    log: Arc<Mutex<Vec<Answered>>>,
}

impl Desk {
    fn answer(&self, request: Request) {
        let path = request.url().split(['?', '#']).next().unwrap_or_default().to_owned();
        let (status, kind, bytes) = match self.content(&path) {
            Some((name, bytes)) => (200, type_of(&name), bytes),
            None => (404, "text/plain", b"Not here.".to_vec()),
        };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(Answered { path, status });
        // Written by hand for its last header: the library keeps a thread for each connection that stays open, has a few,
        // and lets the next connection wait for ever.
        let head = format!(
            "HTTP/1.1 {status} .\r\nContent-Type: {kind}\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
            bytes.len()
        );
        let mut out = request.into_writer();
        // A browser that has left meanwhile is no concern of the server's.
        let _ = out.write_all(head.as_bytes()).and_then(|()| out.write_all(&bytes)).and_then(|()| out.flush());
    }

    /// Name and content of the file behind a path.
    fn content(&self, path: &str) -> Option<(String, Vec<u8>)> {
        let name = match path.strip_prefix(SUB_PATH)? {
            "" => "index.html",
            name if name.split('/').any(|part| part == "..") => return None,
            name => name,
        };
        let bytes = fs::read(self.dist.join(name)).ok()?;
        Some((name.to_owned(), (self.twist)(name, bytes)?))
    }
}

fn type_of(name: &str) -> &'static str {
    match name.rsplit('.').next().unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}
