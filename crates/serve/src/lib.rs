//! A small HTTP server for local files. `camlscope open` and `cargo xtask serve` serve the page with it, and the browser
//! tests use it to record requests and break responses.
//!
//! It uses one thread per connection and only std. An async server would do more than we need, and every fresh clone
//! would compile 40 more crates before its first command.

mod response;

use std::io::{self, BufRead, BufReader, Read};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

pub use self::response::{Body, Response};

/// Far more than a browser sends when it requests a file.
const MAX_HEAD_BYTES: u64 = 64 << 10;
/// Nothing is uploaded, but the tests need to see what a page tries to send.
const MAX_BODY_BYTES: u64 = 1 << 20;
/// How long a connection may stay open without a request. Browsers open some in advance and use them later or never.
const IDLE_LIMIT: Duration = Duration::from_secs(60);

/// Handles requests until it's dropped.
#[derive(Debug)]
pub struct Server {
    /// Never empty.
    addresses: Vec<SocketAddr>,
    is_stopped: Arc<AtomicBool>,
}

#[derive(Clone, Debug, Default)]
pub struct Request {
    pub method: String,
    /// The path as sent, without the query.
    pub path: String,
    /// The query without the question mark.
    pub query: String,
    /// Names are lowercase.
    headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// The client's address.
    pub peer: Option<SocketAddr>,
}

impl Server {
    pub fn start(
        listeners: Vec<TcpListener>,
        answer: impl Fn(&Request) -> Response + Send + Sync + 'static,
    ) -> io::Result<Server> {
        let addresses = listeners.iter().map(TcpListener::local_addr).collect::<io::Result<Vec<_>>>()?;
        if addresses.is_empty() {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "there is no listener"));
        }
        let is_stopped = Arc::new(AtomicBool::new(false));
        let answer = Arc::new(answer);
        for listener in listeners {
            let (answer, is_stopped) = (Arc::clone(&answer), Arc::clone(&is_stopped));
            thread::spawn(move || {
                for connection in listener.incoming().flatten() {
                    if is_stopped.load(Ordering::Relaxed) {
                        return;
                    }
                    let (answer, is_stopped) = (Arc::clone(&answer), Arc::clone(&is_stopped));
                    // The browser may disconnect at any time, and the system may refuse another thread, so errors are
                    // ignored.
                    let _ = thread::Builder::new().spawn(move || converse(connection, &*answer, &is_stopped).ok());
                }
            });
        }
        Ok(Server { addresses, is_stopped })
    }

    /// The address of the first listener.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// Stops listening. Open connections get no more responses.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
        for address in &self.addresses {
            // Connecting wakes the thread that waits for connections. Repeats until that thread has ended.
            while TcpStream::connect(address).is_ok() {
                thread::sleep(Duration::from_millis(1));
            }
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Request {
    /// Returns the value of a header. `name` must be lowercase.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(its_name, _)| its_name == name).map(|(_, value)| value.as_str())
    }

    /// Returns `None` at the end of the connection.
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Request>> {
        let mut head = reader.by_ref().take(MAX_HEAD_BYTES);
        let line = next_line(&mut head)?;
        let mut words = line.split(' ');
        let (Some(method), Some(target)) = (words.next().filter(|word| !word.is_empty()), words.next()) else {
            return Ok(None);
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let mut request =
            Request { method: method.to_owned(), path: path.to_owned(), query: query.to_owned(), ..Request::default() };
        loop {
            let line = next_line(&mut head)?;
            let Some((name, value)) = line.split_once(':') else { break };
            request.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let n_bytes = request.header("content-length").map_or(Ok(0), str::parse).map_err(io::Error::other)?;
        if n_bytes > MAX_BODY_BYTES {
            return Err(io::Error::other("the body is too large"));
        }
        reader.take(n_bytes).read_to_end(&mut request.body)?;
        Ok(Some(request))
    }
}

/// Returns the file that a request path refers to, or `None` if the path leads outside the folder. A path that ends in
/// `/` refers to that folder's `index.html`.
pub fn file_in(folder: &Path, path: &str) -> Option<PathBuf> {
    let path = path.trim_start_matches('/');
    let name = if path.is_empty() || path.ends_with('/') { format!("{path}index.html") } else { path.to_owned() };
    let is_inside = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
    is_inside.then(|| folder.join(name))
}

/// Returns the content type of a file by its extension.
pub fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()).unwrap_or_default() {
        "html" => "text/html; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "wasm" => "application/wasm",
        "webmanifest" => "application/manifest+json",
        "txt" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

/// Handles the requests of a connection until either side closes it.
fn converse(
    mut connection: TcpStream,
    answer: &dyn Fn(&Request) -> Response,
    is_stopped: &AtomicBool,
) -> io::Result<()> {
    connection.set_read_timeout(Some(IDLE_LIMIT))?;
    let mut reader = BufReader::new(connection.try_clone()?);
    let peer = connection.peer_addr().ok();
    while let Some(request) = Request::read(&mut reader)? {
        let request = Request { peer, ..request };
        let response = answer(&request);
        if is_stopped.load(Ordering::Relaxed) {
            return Ok(());
        }
        response.send(&mut connection, request.method != "HEAD")?;
        if request.header("connection").is_some_and(|value| value.eq_ignore_ascii_case("close")) {
            break;
        }
    }
    // Closing before the browser does could discard data that it hasn't read yet.
    connection.shutdown(Shutdown::Write)?;
    io::copy(&mut reader, &mut io::sink()).map(drop)
}

/// Reads a line without its line ending. It's empty at the end of the connection. A line without an ending is an error:
/// it's too long, or the browser has disconnected.
fn next_line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.read_line(&mut line)?;
    if line.is_empty() || line.ends_with('\n') {
        Ok(line.trim_end().to_owned())
    } else {
        Err(io::ErrorKind::UnexpectedEof.into())
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::io::Write;
    use std::sync::mpsc;

    use super::*;

    fn ask(server: &Server, text: &str) -> String {
        let mut stream = TcpStream::connect(server.address()).expect("can't connect");
        let mut answer = String::new();
        // A reset connection counts as no response.
        let _ = stream
            .write_all(text.as_bytes())
            .and_then(|()| stream.shutdown(Shutdown::Write))
            .and_then(|()| stream.read_to_string(&mut answer));
        answer
    }

    fn echo() -> Server {
        let listener = TcpListener::bind("127.0.0.1:0").expect("no free port");
        let answer = |request: &Request| {
            let Request { method, path, query, body, .. } = request;
            let text = format!("{method} {path} {query} {:?} {}", request.header("x-a"), body.escape_ascii());
            Response::new(200, "text/plain", text.into_bytes())
        };
        Server::start(vec![listener], answer).expect("can't start the server")
    }

    #[test]
    fn a_request_has_its_query_headers_and_body() {
        let answer = ask(&echo(), "POST /a/b?c=d HTTP/1.1\r\nX-A:  1 \r\nContent-Length: 2\r\n\r\nhi");
        assert!(
            answer.starts_with("HTTP/1.1 200 .\r\nContent-Type: text/plain\r\nContent-Length: 26\r\n\r\n"),
            "{answer}"
        );
        assert!(answer.ends_with("\r\n\r\nPOST /a/b c=d Some(\"1\") hi"), "{answer}");
    }

    #[test]
    fn a_connection_serves_several_requests_and_head_gets_no_body() {
        let answers =
            ask(&echo(), "HEAD /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\nConnection: close\r\n\r\nGET /c HTTP/1.1\r\n\r\n");
        assert_eq!(answers.matches("HTTP/1.1 200").count(), 2, "{answers}");
        assert!(!answers.contains("HEAD /a") && answers.ends_with("GET /b  None "), "{answers}");
    }

    #[test]
    fn malformed_and_oversized_requests_get_no_response() {
        let server = echo();
        let long = format!("GET /{} HTTP/1.1\r\n\r\n", "a".repeat(MAX_HEAD_BYTES as usize));
        let large = format!("POST / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", MAX_BODY_BYTES + 1);
        for text in ["", "\r\n\r\n", "GET /", "GET / HTTP/1.1\r\nContent-Length: many\r\n\r\n", &large, &long] {
            assert_eq!(ask(&server, text), "", "{text}");
        }
    }

    #[test]
    fn part_of_a_file_is_sent_on_request() {
        let path = std::env::temp_dir().join(format!("camlscope-serve-{}", std::process::id()));
        fs::write(&path, "0123456789").expect("written");
        let served = path.clone();
        let server = Server::start(vec![TcpListener::bind("127.0.0.1:0").expect("no free port")], move |request| {
            let file = File::open(&served).expect("the file");
            Response::file(file, "text/plain", request.header("range")).expect("a response")
        });
        let server = server.expect("can't start the server");
        let part =
            |range: &str| ask(&server, &format!("GET / HTTP/1.1\r\nRange: {range}\r\nConnection: close\r\n\r\n"));
        for (range, parts) in [
            ("bytes=2-4", ["HTTP/1.1 206", "Content-Range: bytes 2-4/10", "\r\n\r\n234"]),
            ("bytes=8-99", ["HTTP/1.1 206", "Content-Range: bytes 8-9/10", "\r\n\r\n89"]),
            ("bytes=7-", ["HTTP/1.1 206", "Content-Length: 3", "\r\n\r\n789"]),
            ("bytes=10-", ["HTTP/1.1 416", "Content-Range: bytes */10", "Content-Length: 0"]),
            ("bytes=-3", ["HTTP/1.1 200", "Content-Length: 10", "\r\n\r\n0123456789"]),
        ] {
            let answer = part(range);
            assert!(parts.iter().all(|part| answer.contains(part)), "{range}: {answer}");
        }
        fs::remove_file(path).expect("removed");
    }

    #[test]
    fn held_response_ends_when_the_client_disconnects() {
        let (guard, dropped) = mpsc::channel::<()>();
        let guard = std::sync::Mutex::new(Some(guard));
        let server = Server::start(vec![TcpListener::bind("127.0.0.1:0").expect("no free port")], move |_| {
            let guard = guard.lock().expect("not poisoned").take();
            Response::empty(200).with_body(Body::Held { guard: Box::new(guard) })
        });
        let server = server.expect("can't start the server");
        let mut client = TcpStream::connect(server.address()).expect("can't connect");
        client.write_all(b"GET / HTTP/1.1\r\n\r\n").expect("sent");
        client.read_exact(&mut [0; 12]).expect("a response");
        assert_eq!(dropped.try_recv(), Err(mpsc::TryRecvError::Empty), "it ended too early");
        drop(client);
        assert_eq!(dropped.recv(), Err(mpsc::RecvError), "the guard is dropped");
    }

    #[test]
    fn a_stopped_server_sends_no_responses() {
        let server = echo();
        let mut open = TcpStream::connect(server.address()).expect("can't connect");
        server.stop();
        assert!(TcpStream::connect(server.address()).is_err());
        let mut answer = String::new();
        let _ = open.write_all(b"GET / HTTP/1.1\r\n\r\n").and_then(|()| open.read_to_string(&mut answer));
        assert_eq!(answer, "");
    }

    #[test]
    fn paths_outside_the_folder_are_rejected() {
        let folder = Path::new("dist");
        for (path, file) in [
            ("/", Some("dist/index.html")),
            ("/a/", Some("dist/a/index.html")),
            ("/a/b.js", Some("dist/a/b.js")),
            ("//a", Some("dist/a")),
            ("/../secret", None),
            ("/a/../../secret", None),
        ] {
            assert_eq!(file_in(folder, path), file.map(PathBuf::from), "{path}");
        }
    }
}
