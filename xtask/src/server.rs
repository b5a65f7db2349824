//! A static host for the built page, on this machine's own addresses and no other. Like a good host it sends the gzipped
//! twin of a file where the browser takes it, and lets the browser keep what is named after its content.

use std::fs;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use camlscope_serve::{Request, Response, Server, content_type, file_in};

/// Listens on both of this machine's own addresses, as `localhost` may mean either.
pub fn listen(port: u16) -> Result<Vec<TcpListener>> {
    let bind = |ip: IpAddr, port: u16| match TcpListener::bind(SocketAddr::new(ip, port)) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            bail!(
                "port {port} is taken by another program: choose another with `cargo xtask serve --port {}`",
                port.wrapping_add(1).max(1024)
            )
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            bail!("port {port} is reserved for the system: choose another with `cargo xtask serve --port 8080`")
        }
        Err(_) => Ok(None),
    };
    let Some(first) = bind(Ipv4Addr::LOCALHOST.into(), port)? else { bail!("127.0.0.1:{port} cannot be listened on") };
    let port = first.local_addr()?.port();
    // A machine without IPv6 does without.
    let second = bind(Ipv6Addr::LOCALHOST.into(), port)?;
    Ok([first].into_iter().chain(second).collect())
}

/// Starts answering with the files of `dist`.
pub fn start(listeners: Vec<TcpListener>, dist: &Path) -> Result<Server> {
    let dist = dist.to_owned();
    Ok(Server::start(listeners, move |request| answer(&dist, request))?)
}

fn answer(dist: &Path, request: &Request) -> Response {
    let mut response = match file_in(dist, &request.path) {
        _ if !matches!(request.method.as_str(), "GET" | "HEAD") => text(405, "Files can only be read."),
        Some(path) => file(&path, request).unwrap_or_else(|| text(404, "Not here.")),
        None => text(404, "Not here."),
    };
    // What is named after its content never changes; the rest is asked for each time.
    let is_kept = request.path.starts_with("/assets/") && response.status == 200;
    let caching = if is_kept { "public, max-age=31536000, immutable" } else { "no-cache" };
    response.headers.extend([("Cache-Control", caching), ("X-Content-Type-Options", "nosniff")]);
    response
}

fn file(path: &Path, request: &Request) -> Option<Response> {
    let takes_gzip = request.header("accept-encoding").is_some_and(|encodings| encodings.contains("gzip"));
    let gzipped = PathBuf::from(format!("{}.gz", path.display()));
    let gzipped = takes_gzip.then(|| fs::read(gzipped).ok()).flatten();
    let encoding = gzipped.is_some().then_some(("Content-Encoding", "gzip"));
    let mut response = Response::new(200, content_type(path), gzipped.or_else(|| fs::read(path).ok())?);
    response.headers.extend(encoding.into_iter().chain([("Vary", "Accept-Encoding")]));
    Some(response)
}

fn text(status: u16, text: &str) -> Response {
    Response::new(status, "text/plain; charset=utf-8", text.into())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    /// Sends these lines and returns the answer, its head in lower case.
    fn ask(server: &Server, lines: &str) -> String {
        let mut stream = TcpStream::connect(server.address()).expect("it listens");
        write!(stream, "{lines}\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("it takes the request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        String::from_utf8_lossy(&answer).to_lowercase()
    }

    #[test]
    fn files_come_with_type_length_and_caching_and_gzipped_where_that_is_asked_for() {
        let dir = std::env::temp_dir().join(format!("camlscope-xtask-server-{}", std::process::id()));
        fs::create_dir_all(dir.join("dist/assets")).expect("the directory can be made");
        let files = [
            ("secret", "s"),
            ("dist/index.html", "<p>"),
            ("dist/assets/a.wasm", "0123"),
            ("dist/assets/a.wasm.gz", "zip"),
        ];
        for (path, content) in files {
            fs::write(dir.join(path), content).expect("it can be written");
        }
        let server = start(listen(0).expect("a free port"), &dir.join("dist")).expect("it starts");
        for (lines, parts) in [
            ("GET / HTTP/1.1", &["1.1 200", "text/html", "no-cache", "nosniff", "\r\n\r\n<p>"][..]),
            ("GET /assets/a.wasm HTTP/1.1", &["application/wasm", "content-length: 4", "immutable", "\r\n\r\n0123"]),
            ("GET /assets/a.wasm HTTP/1.1\r\nAccept-Encoding: gzip", &["application/wasm", "gzip", "\r\n\r\nzip"]),
            ("HEAD /assets/a.wasm HTTP/1.1", &["1.1 200", "content-length: 4"]),
            ("POST / HTTP/1.1", &["405"]),
            ("GET /assets/b.wasm HTTP/1.1", &["404", "no-cache"]),
            ("GET /%2e%2e/secret HTTP/1.1", &["404"]),
            ("GET /../secret HTTP/1.1", &["404"]),
        ] {
            let answer = ask(&server, lines);
            assert!(parts.iter().all(|part| answer.contains(part)), "{lines}: {answer}");
        }
        fs::remove_dir_all(&dir).expect("the directory can be removed");
    }

    #[test]
    fn a_taken_port_names_the_option_to_use() {
        let taken = listen(0).expect("a free port");
        let port = taken[0].local_addr().expect("it is bound").port();
        let error = listen(port).expect_err("the port is taken");
        assert!(error.to_string().contains("cargo xtask serve --port"), "{error}");
    }
}
