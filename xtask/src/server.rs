//! A static server for the built page, on this machine's own addresses and no other. Like a good host it sends the gzipped
//! twin of a file where the browser takes it, and lets the browser keep what is named after its content.

use std::future::IntoFuture;
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener};
use std::path::Path;

use anyhow::{Context, Result, bail};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, header};
use axum::middleware::{self, Next};
use axum::response::Response;
use tokio::runtime::{Builder, Runtime};
use tower_http::services::ServeDir;

/// Serves until it is dropped.
#[derive(Debug)]
pub struct Server {
    pub port: u16,
    _runtime: Runtime,
}

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
    let port = listeners.first().context("there is no listener")?.local_addr()?.port();
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let entered = runtime.enter();
    let files = ServeDir::new(dist).precompressed_gzip();
    let router = Router::new().fallback_service(files).layer(middleware::from_fn(with_headers));
    for listener in listeners {
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        runtime.spawn(axum::serve(listener, router.clone()).into_future());
    }
    drop(entered);
    Ok(Server { port, _runtime: runtime })
}

/// What is named after its content never changes; the rest is asked for each time.
async fn with_headers(request: Request, next: Next) -> Response {
    let is_asset = request.uri().path().starts_with("/assets/");
    let mut response = next.run(request).await;
    let is_kept = is_asset && response.status().is_success();
    let caching = if is_kept { "public, max-age=31536000, immutable" } else { "no-cache" };
    response.headers_mut().insert(header::CACHE_CONTROL, HeaderValue::from_static(caching));
    response.headers_mut().insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    response
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    use super::*;

    /// Sends these lines and returns the answer, its head in lower case.
    fn ask(port: u16, lines: &str) -> String {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("it listens");
        write!(stream, "{lines}\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("it takes the request");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("it answers");
        String::from_utf8_lossy(&answer).to_lowercase()
    }

    #[test]
    fn files_come_with_type_length_and_caching_gzipped_or_in_part_where_that_is_asked_for() {
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
            ("GET / HTTP/1.1", &["200 ok", "text/html", "no-cache", "nosniff", "\r\n\r\n<p>"][..]),
            ("GET /assets/a.wasm HTTP/1.1", &["application/wasm", "content-length: 4", "immutable", "\r\n\r\n0123"]),
            ("GET /assets/a.wasm HTTP/1.1\r\nAccept-Encoding: gzip", &["application/wasm", "gzip", "\r\n\r\nzip"]),
            ("GET /assets/a.wasm HTTP/1.1\r\nRange: bytes=1-2", &["206", "bytes 1-2/4", "\r\n\r\n12"]),
            ("HEAD /assets/a.wasm HTTP/1.1", &["200 ok", "content-length: 4"]),
            ("POST / HTTP/1.1", &["405"]),
            ("GET /assets/b.wasm HTTP/1.1", &["404", "no-cache"]),
            ("GET /%2e%2e/secret HTTP/1.1", &["404"]),
            ("GET /../secret HTTP/1.1", &["404"]),
        ] {
            let answer = ask(server.port, lines);
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
