//! A plain file server, like any static host: it has the page's files by name and nothing else.
//!
//! The page is under a sub-path, as on GitHub Pages, so that an address which only works at the root is found. Every request
//! is recorded. A test can change a file, hold it back or leave it out, to see how the page reacts.
//!
//! `cargo xtask serve` has a server too, for browsers of people: compression, ranges and caching by axum and tower-http. These
//! tests would use none of that. They need a record, faults, and a port that is closed when `stop` returns, in a few lines of
//! std; axum would add some 40 crates to every `cargo test`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::mem;
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};

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
    address: SocketAddr,
    log: Arc<Mutex<Vec<Answered>>>,
    is_closed: Arc<AtomicBool>,
}

/// A request and how it was answered.
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
    /// Serves `dist`, and the files `beside` it by their names, on a free port until dropped.
    pub fn start(dist: &Path, twist: Box<Twist>, beside: BTreeMap<String, Vec<u8>>) -> Result<Server> {
        let listener = listen_on_unused_port().context("starting the file server")?;
        let address = listener.local_addr()?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let is_closed = Arc::new(AtomicBool::new(false));
        let files = Arc::new(Files { dist: dist.to_owned(), twist, beside, log: Arc::clone(&log) });
        let closed = Arc::clone(&is_closed);
        thread::spawn(move || {
            for connection in listener.incoming().flatten() {
                if closed.load(Ordering::Relaxed) {
                    return;
                }
                // One thread each: a file that a twist holds back must not hold back the others. A browser that leaves
                // in the middle is no concern of the server's.
                let files = Arc::clone(&files);
                thread::spawn(move || files.answer(connection).ok());
            }
        });
        Ok(Server { address, log, is_closed })
    }

    /// The address of the page, with its sub-path.
    pub fn page_url(&self) -> String {
        format!("http://{}{SUB_PATH}", self.address)
    }

    /// Host and port.
    pub fn host(&self) -> String {
        self.address.to_string()
    }

    /// Scheme, host and port.
    pub fn origin(&self) -> String {
        format!("http://{}", self.address)
    }

    pub fn answered(&self) -> Vec<Answered> {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Takes the answers recorded so far, so that the checks at the end of the visit leave them out.
    pub fn take_answered(&self) -> Vec<Answered> {
        mem::take(&mut self.log.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// What was asked for outside the page's own folder.
    pub fn strays(&self) -> Vec<String> {
        let paths = self.answered().into_iter().map(|answered| answered.path);
        paths.filter(|path| !path.starts_with(SUB_PATH)).collect()
    }
}

impl Server {
    /// From now on nobody listens.
    pub fn stop(&self) {
        self.is_closed.store(true, Ordering::Relaxed);
        // Wakes the thread that waits for connections, until it has ended.
        while TcpStream::connect(self.address).is_ok() {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The system may give out a port again once it is free. Browsers pass from test to test and keep storage, caches and
/// service workers by origin, so no two servers of a run have the same port.
fn listen_on_unused_port() -> io::Result<TcpListener> {
    static USED: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());
    // Until the end, so that each one has a port of its own.
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
    twist: Box<Twist>,
    beside: BTreeMap<String, Vec<u8>>,
    log: Arc<Mutex<Vec<Answered>>>,
}

/// How long a connection may stay open without a word; browsers open some ahead and use them later, or never.
const IDLE_LIMIT: Duration = Duration::from_secs(60);

impl Files {
    /// Answers one request and closes the connection, so that there is nothing to keep track of.
    fn answer(&self, mut connection: TcpStream) -> io::Result<()> {
        connection.set_read_timeout(Some(IDLE_LIMIT))?;
        let mut reader = BufReader::new(&connection);
        let request = next_line(&mut reader)?;
        let [method, target] = [0, 1].map(|index| request.split(' ').nth(index).unwrap_or_default().to_owned());
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let mut n_body_bytes = 0;
        loop {
            let header = next_line(&mut reader)?.to_ascii_lowercase();
            if header.is_empty() {
                break;
            }
            n_body_bytes = header
                .strip_prefix("content-length:")
                .map_or(Ok(n_body_bytes), |n| n.trim().parse())
                .map_err(io::Error::other)?;
        }
        let mut body = Vec::new();
        reader.take(n_body_bytes).read_to_end(&mut body)?;
        // A browser opens some connections ahead, and closes them unused.
        if path.is_empty() {
            return Ok(());
        }
        let (status, kind, bytes) = match self.content(path).filter(|_| method == "GET") {
            Some((name, bytes)) => (200, type_of(&name), bytes),
            None => (404, "text/plain", b"Not here.".to_vec()),
        };
        let (path, query) = (path.to_owned(), query.to_owned());
        let body = String::from_utf8_lossy(&body).into_owned();
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(Answered { method, path, query, body, status });
        let length = bytes.len();
        let head = format!(
            "HTTP/1.1 {status} .\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
        );
        connection.write_all(&[head.as_bytes(), &bytes].concat())?;
        // Closing a connection before the browser does could take from it what it has not read yet.
        connection.shutdown(Shutdown::Write)?;
        io::copy(&mut connection, &mut io::sink()).map(drop)
    }

    /// Name and content of the file behind a path.
    fn content(&self, path: &str) -> Option<(String, Vec<u8>)> {
        let name = match path.strip_prefix(SUB_PATH)? {
            "" => "index.html",
            name if name.split('/').any(|part| part == "..") => return None,
            name => name,
        };
        let bytes = self.beside.get(name).cloned().or_else(|| fs::read(self.dist.join(name)).ok())?;
        Some((name.to_owned(), (self.twist)(name, bytes)?))
    }
}

/// Without the end of the line; empty at the end of the connection.
fn next_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    Ok(line.trim_end().to_owned())
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
