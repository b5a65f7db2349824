//! A plain file server, as any static host is one: it knows the page's files by name and nothing else.
//!
//! The page lies under a sub-path, as on GitHub Pages, so that an address which only works at the root is found out. Every
//! request is written down. A test can have one file answered otherwise, to see what the page makes of it.

use std::fs;
use std::future::IntoFuture;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result};
use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::runtime::{Builder, Runtime};
use tokio::task;

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
    /// `None` only while it is dropped.
    runtime: Option<Runtime>,
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
        let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
        let listener =
            runtime.block_on(TcpListener::bind("127.0.0.1:0")).context("the file server could not be started")?;
        let address = listener.local_addr()?;
        let log = Arc::new(Mutex::new(Vec::new()));
        let files = Arc::new(Files { dist: dist.to_owned(), twist, log: Arc::clone(&log) });
        let router = Router::new().fallback(answer).with_state(files);
        runtime.spawn(axum::serve(listener, router).into_future());
        Ok(Server { runtime: Some(runtime), address, log })
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
        // Without waiting for a file that a twist still holds back.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// Answers on a thread of its own: a file that a twist holds back must not hold back the others.
async fn answer(State(files): State<Arc<Files>>, uri: Uri) -> Response {
    let answered = task::spawn_blocking(move || files.answer(uri.path())).await;
    answered.unwrap_or_else(|_| StatusCode::INTERNAL_SERVER_ERROR.into_response())
}

struct Files {
    dist: PathBuf,
    twist: Box<Twist>,
    log: Arc<Mutex<Vec<Answered>>>,
}

impl Files {
    fn answer(&self, path: &str) -> Response {
        let (status, kind, bytes) = match self.content(path) {
            Some((name, bytes)) => (StatusCode::OK, type_of(&name), bytes),
            None => (StatusCode::NOT_FOUND, "text/plain", b"Not here.".to_vec()),
        };
        let answered = Answered { path: path.to_owned(), status: status.as_u16() };
        self.log.lock().unwrap_or_else(PoisonError::into_inner).push(answered);
        (status, [(header::CONTENT_TYPE, kind)], bytes).into_response()
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
