//! A static server for the built page, which listens only on this machine's own addresses. It sends gzipped copies to browsers
//! that accept them, and lets browsers cache files whose names have a hash.

use std::fs;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use camlscope_serve::{Request, Response, Server, content_type, file_in};

/// Listens on 127.0.0.1 and ::1, because `localhost` can mean either.
pub fn listen(port: u16) -> Result<Vec<TcpListener>> {
    let bind = |ip: IpAddr, port: u16| match TcpListener::bind(SocketAddr::new(ip, port)) {
        Ok(listener) => Ok(Some(listener)),
        Err(error) if error.kind() == ErrorKind::AddrInUse => {
            bail!(
                "port {port} is in use. Choose another with `cargo xtask serve --port {}`",
                port.wrapping_add(1).max(1024)
            )
        }
        Err(error) if error.kind() == ErrorKind::PermissionDenied => {
            bail!("port {port} is reserved for the system. Choose another with `cargo xtask serve --port 8080`")
        }
        Err(_) => Ok(None),
    };
    let Some(first) = bind(Ipv4Addr::LOCALHOST.into(), port)? else { bail!("can't listen on 127.0.0.1:{port}") };
    let port = first.local_addr()?.port();
    // Machines without IPv6 have only the first.
    let second = bind(Ipv6Addr::LOCALHOST.into(), port)?;
    Ok([first].into_iter().chain(second).collect())
}

/// Starts serving the files in `dist`.
pub fn start(listeners: Vec<TcpListener>, dist: &Path) -> Result<Server> {
    let dist = dist.to_owned();
    Ok(Server::start(listeners, move |request| answer(&dist, request))?)
}

fn answer(dist: &Path, request: &Request) -> Response {
    let mut response = match file_in(dist, &request.path) {
        _ if !matches!(request.method.as_str(), "GET" | "HEAD") => text(405, "Files can only be read."),
        Some(path) => file(&path, request).unwrap_or_else(|| text(404, "Not found.")),
        None => text(404, "Not found."),
    };
    // Files with a hash in their name never change. Browsers check for new versions of the others each time.
    let is_kept = request.path.starts_with("/assets/") && response.status == 200;
    let caching = if is_kept { "public, max-age=31536000, immutable" } else { "no-cache" };
    response.headers.extend([("Cache-Control", caching.into()), ("X-Content-Type-Options", "nosniff".into())]);
    response
}

fn file(path: &Path, request: &Request) -> Option<Response> {
    let takes_gzip = request.header("accept-encoding").is_some_and(|encodings| encodings.contains("gzip"));
    let gzipped = PathBuf::from(format!("{}.gz", path.display()));
    let gzipped = takes_gzip.then(|| fs::read(gzipped).ok()).flatten();
    let encoding = gzipped.is_some().then_some(("Content-Encoding", "gzip".into()));
    let mut response = Response::new(200, content_type(path), gzipped.or_else(|| fs::read(path).ok())?);
    response.headers.extend(encoding.into_iter().chain([("Vary", "Accept-Encoding".into())]));
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

    /// Sends a request and returns the response in lower case.
    fn ask(server: &Server, lines: &str) -> String {
        let mut stream = TcpStream::connect(server.address()).expect("connected");
        write!(stream, "{lines}\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("request sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("a response");
        String::from_utf8_lossy(&answer).to_lowercase()
    }

    #[test]
    fn files_are_sent_with_type_length_and_caching_headers_and_gzipped_if_accepted() {
        let dir = std::env::temp_dir().join(format!("camlscope-xtask-server-{}", std::process::id()));
        fs::create_dir_all(dir.join("dist/assets")).expect("directory created");
        let files = [
            ("secret", "s"),
            ("dist/index.html", "<p>"),
            ("dist/assets/a.wasm", "0123"),
            ("dist/assets/a.wasm.gz", "zip"),
        ];
        for (path, content) in files {
            fs::write(dir.join(path), content).expect("file written");
        }
        let server = start(listen(0).expect("a free port"), &dir.join("dist")).expect("server started");
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
    fn error_for_a_port_in_use_suggests_another_port() {
        let taken = listen(0).expect("a free port");
        let port = taken[0].local_addr().expect("a bound port").port();
        let error = listen(port).expect_err("the port is in use");
        assert!(error.to_string().contains("cargo xtask serve --port"), "{error}");
    }
}
