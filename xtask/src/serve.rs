//! The page on this machine, for whoever tries it or works on it. The server hands out files of one directory and
//! nothing else, to this machine and nobody else.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, ErrorKind, Write};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use notify::event::ModifyKind;
use notify::{Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

use crate::assemble::PAGE;
use crate::page::{self, Effort};
use crate::{shell, toolchain};

#[derive(Debug, Args)]
pub struct Options {
    /// Port to listen on
    #[arg(long, default_value_t = 8080)]
    port: u16,
    /// Open the page in the browser
    #[arg(long)]
    open: bool,
    /// Build again whenever a source changes
    #[arg(long)]
    watch: bool,
}

pub fn run(root: &Path, options: &Options) -> Result<()> {
    // A taken port is better told now than after the build. It is bound in earnest when there is something to serve.
    drop(listen(options.port)?);
    let compiler = shell::step("looking for a compiler for the browser", toolchain::set_up)?;
    let dist = root.join("dist");
    // Watching starts before the build, so that an edit made meanwhile is not missed.
    let watch = if options.watch { Some(watch(root)?) } else { None };
    let effort = if options.watch { Effort::Quick } else { Effort::Full };
    page::build(root, &compiler, &dist, effort)?;
    let port = start(listen(options.port)?, &dist)?;
    let url = format!("http://localhost:{port}");
    check_answers(port)?;
    if options.open {
        open_browser(&url);
    }
    let Some((_watcher, changes)) = watch else {
        println!("Stop with Ctrl+C. The page is at {url}");
        loop {
            thread::park();
        }
    };
    println!("Sources are watched. Stop with Ctrl+C. The page is at {url}");
    while let Some(path) = next_change(&changes) {
        println!("{} has changed", path.strip_prefix(root).unwrap_or(&path).display());
        match page::build(root, &compiler, &dist, effort) {
            Ok(()) => println!("Reload {url}"),
            Err(error) => println!("The build failed, and {url} stays as it was: {error:#}"),
        }
    }
    Ok(())
}

/// Listens on both of this machine's own addresses, as `localhost` may mean either.
fn listen(port: u16) -> Result<Vec<TcpListener>> {
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

/// Starts answering, and says on which port.
fn start(listeners: Vec<TcpListener>, dist: &Path) -> Result<u16> {
    let port = listeners.first().context("there is a listener")?.local_addr()?.port();
    let dist: Arc<Path> = dist.into();
    for listener in listeners {
        let server = Server::from_listener(listener, None).map_err(|error| anyhow!(error))?;
        let server = Arc::new(server);
        for _ in 0..4 {
            let (server, dist) = (Arc::clone(&server), Arc::clone(&dist));
            thread::spawn(move || {
                for request in server.incoming_requests() {
                    // A browser that has gone away is no reason to stop.
                    let _ = answer(request, &dist);
                }
            });
        }
    }
    Ok(port)
}

fn answer(request: Request, dist: &Path) -> Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        let response = Response::from_string("only GET and HEAD are answered here\n");
        let response = response.with_status_code(405).with_header(header("Allow", "GET, HEAD")?);
        return Ok(request.respond(response)?);
    }
    let Some((path, file)) = file_of(request.url()).and_then(|path| open_inside(dist, &path)) else {
        let response = Response::from_string("there is no such file\n").with_status_code(404);
        return Ok(request.respond(response)?);
    };
    let length = usize::try_from(file.metadata()?.len())?;
    let headers = vec![
        header("Content-Type", mime_type(&path))?,
        header("Cache-Control", cache_control(&path))?,
        header("X-Content-Type-Options", "nosniff")?,
    ];
    let response = Response::new(StatusCode(200), headers, file, Some(length), None);
    // With its length told, a download can show how far it has come.
    Ok(request.respond(response.with_chunked_threshold(usize::MAX))?)
}

/// The path below the served directory that a request asks for, if it is one that stays below.
fn file_of(url: &str) -> Option<PathBuf> {
    let path = percent_decoded(url.split(['?', '#']).next()?)?;
    let relative = path.strip_prefix('/')?;
    let mut file = PathBuf::new();
    for part in relative.split('/').filter(|part| !part.is_empty() && *part != ".") {
        if part == ".." || part.contains(['\\', ':', '\0']) {
            return None;
        }
        file.push(part);
    }
    if relative.is_empty() || relative.ends_with('/') {
        file.push(PAGE);
    }
    Some(file)
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte == b'%' {
            let digits = [rest.next()?, rest.next()?];
            bytes.push(u8::from_str_radix(str::from_utf8(&digits).ok()?, 16).ok()?);
        } else {
            bytes.push(byte);
        }
    }
    String::from_utf8(bytes).ok()
}

/// Opens a regular file, unless a link leads out of the directory.
fn open_inside(dist: &Path, path: &Path) -> Option<(PathBuf, File)> {
    let real = fs::canonicalize(dist.join(path)).ok()?;
    let inside = real.starts_with(fs::canonicalize(dist).ok()?);
    (inside && real.is_file()).then(|| File::open(&real).ok().map(|file| (path.to_owned(), file)))?
}

fn mime_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("wasm") => "application/wasm",
        Some("css") => "text/css; charset=utf-8",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("json") => "application/json",
        Some("webmanifest") => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// What is named after its content never changes; the rest is asked for each time.
fn cache_control(path: &Path) -> &'static str {
    if path.starts_with("assets") { "public, max-age=31536000, immutable" } else { "no-cache" }
}

fn header(name: &str, value: &str) -> Result<Header> {
    Header::from_bytes(name, value).map_err(|()| anyhow!("{name}: {value} is no header"))
}

/// Asks for the page as a browser would, so that the address is printed only when it works.
fn check_answers(port: u16) -> Result<()> {
    let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_read_timeout(Some(Duration::from_secs(10)))?;
    write!(stream, "GET / HTTP/1.1\r\nHost: localhost:{port}\r\nConnection: close\r\n\r\n")?;
    let mut status = String::new();
    BufReader::new(stream).read_line(&mut status).context("the server does not answer")?;
    if !status.contains(" 200 ") {
        bail!("the server answers with {}", status.trim());
    }
    Ok(())
}

fn open_browser(url: &str) {
    let opener = match std::env::consts::OS {
        "macos" => vec!["open"],
        "windows" => vec!["cmd", "/c", "start"],
        _ => vec!["xdg-open"],
    };
    let mut command = Command::new(opener[0]);
    command.args(&opener[1..]).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    if command.spawn().is_err() {
        println!("No browser could be opened ({} is missing).", opener[0]);
    }
}

/// Watches the sources. The root itself is watched for its files alone: an editor that saves by renaming would take a
/// watch on the file with it.
fn watch(root: &Path) -> Result<(RecommendedWatcher, Receiver<PathBuf>)> {
    let (sender, receiver) = mpsc::channel();
    let root_of_watch = root.to_owned();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let changed = event.ok().filter(|event| is_change(event.kind)).map(|event| event.paths).unwrap_or_default();
        for path in changed.into_iter().filter(|path| is_source(&root_of_watch, path)) {
            // The receiver is gone only when the program ends.
            let _ = sender.send(path);
        }
    })?;
    watcher.watch(root, RecursiveMode::NonRecursive)?;
    for dir in SOURCE_DIRS {
        watcher.watch(&root.join(dir), RecursiveMode::Recursive).with_context(|| format!("watching {dir}/"))?;
    }
    Ok((watcher, receiver))
}

const SOURCE_DIRS: [&str; 2] = ["src", "www"];
const SOURCE_FILES: [&str; 3] = [PAGE, "Cargo.toml", "Cargo.lock"];

fn is_source(root: &Path, path: &Path) -> bool {
    let Ok(path) = path.strip_prefix(root) else {
        return false;
    };
    SOURCE_DIRS.iter().any(|dir| path.starts_with(dir)) || SOURCE_FILES.iter().any(|file| path == Path::new(file))
}

fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Create(_) | EventKind::Remove(_) => true,
        EventKind::Modify(what) => !matches!(what, ModifyKind::Metadata(_)),
        _ => false,
    }
}

/// Waits for a change and then for a moment of quiet, as saving one file is several events and saving all is many.
fn next_change(changes: &Receiver<PathBuf>) -> Option<PathBuf> {
    let first = changes.recv().ok()?;
    while changes.recv_timeout(Duration::from_millis(200)).is_ok() {}
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_root_and_directories_mean_their_page() {
        assert_eq!(file_of("/"), Some("index.html".into()));
        assert_eq!(file_of("/?trace=a.ctf#x"), Some("index.html".into()));
        assert_eq!(file_of("/sub/"), Some("sub/index.html".into()));
    }

    #[test]
    fn paths_are_decoded_before_they_are_judged() {
        assert_eq!(file_of("/assets/app-1.js?v=2"), Some("assets/app-1.js".into()));
        assert_eq!(file_of("/a%20b.ctf"), Some("a b.ctf".into()));
        assert_eq!(file_of("/%zz"), None);
        assert_eq!(file_of("/%ff"), None);
        assert_eq!(file_of("/%"), None);
    }

    #[test]
    fn no_path_leads_out_of_the_directory() {
        for url in
            ["/../x", "/a/../../x", "/%2e%2e/x", "/..%2fx", "/a/%2e%2e/b", "/..\\x", "/C:/x", "/x%00.html", "x", ""]
        {
            assert_eq!(file_of(url), None, "{url}");
        }
        assert_eq!(file_of("//etc/passwd"), Some("etc/passwd".into()), "it stays below the directory");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_out_of_the_directory_is_not_followed() {
        let dir = std::env::temp_dir().join(format!("camlscope-xtask-link-{}", std::process::id()));
        fs::create_dir_all(dir.join("dist")).expect("the directory can be made");
        fs::write(dir.join("secret"), "s").expect("it can be written");
        fs::write(dir.join("dist/page"), "p").expect("it can be written");
        std::os::unix::fs::symlink("../secret", dir.join("dist/link")).expect("it can be linked");
        assert!(open_inside(&dir.join("dist"), Path::new("page")).is_some());
        assert!(open_inside(&dir.join("dist"), Path::new("link")).is_none());
        assert!(open_inside(&dir.join("dist"), Path::new("missing")).is_none());
        fs::remove_dir_all(&dir).expect("the directory can be removed");
    }

    #[test]
    fn each_kind_of_file_has_its_type() {
        assert_eq!(mime_type(Path::new("a.wasm")), "application/wasm");
        assert_eq!(mime_type(Path::new("a.js")), "text/javascript; charset=utf-8");
        assert_eq!(mime_type(Path::new("m.webmanifest")), "application/manifest+json");
        assert_eq!(mime_type(Path::new("sample.ctf")), "application/octet-stream");
    }

    #[test]
    fn only_what_is_named_by_content_is_kept() {
        assert_eq!(cache_control(Path::new("index.html")), "no-cache");
        assert!(cache_control(Path::new("assets/app-0123456789.js")).contains("immutable"));
    }

    #[test]
    fn a_taken_port_names_the_option_to_use() {
        let taken = listen(0).expect("a free port");
        let port = taken[0].local_addr().expect("it is bound").port();
        let error = listen(port).expect_err("the port is taken");
        assert!(error.to_string().contains("cargo xtask serve --port"), "{error}");
    }

    #[test]
    fn only_sources_are_watched() {
        let root = Path::new("/r");
        for path in ["src/lib.rs", "www/style.css", "index.html", "Cargo.lock"] {
            assert!(is_source(root, &root.join(path)), "{path}");
        }
        for path in ["dist/index.html", ".dist.new", "target/x", "README.md"] {
            assert!(!is_source(root, &root.join(path)), "{path}");
        }
    }
}
