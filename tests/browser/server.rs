//! A plain file server, as any static host is one: it knows the page's files by name and nothing else.
//!
//! The page lies under a sub-path, as on GitHub Pages, so that an address which only works at the root is found out. Every
//! request is written down. A test can have one file answered otherwise, to see what the page makes of it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, BufRead, BufReader, Write};
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

/// A request and how it went.
#[derive(Clone, Debug)]
pub struct Answered {
    pub path: String,
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
        let mut lines = BufReader::new(&connection).lines();
        let request = lines.next().transpose()?.unwrap_or_default();
        let Some(target) = request.strip_prefix("GET ").and_then(|rest| rest.split(' ').next()) else { return Ok(()) };
        let path = target.split(['?', '#']).next().unwrap_or_default().to_owned();
        for header in lines {
            if header?.is_empty() {
                break;
            }
        }
        let (status, kind, bytes) = match self.content(&path) {
            Some((name, bytes)) => (200, type_of(&name), bytes),
            None => (404, "text/plain", b"Not here.".to_vec()),
        };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(Answered { path, status });
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
