//! `camlscope open`: who gets what from its server, and when it stops. The page itself is tested in browsers.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};

use expect_test::expect;
use serde_json::Value;

use crate::program::{TempPath, check_refused, fixture, run, stderr_of};

/// The parts of `camlscope.html` that the command line uses.
pub const PAGE: &str = "<html><head><meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:\">\
                    </head><body><script id=\"camlscope-glue\">glue</script></body></html>";

/// A running server. It's killed at the end.
pub struct Opened {
    pub child: Child,
    /// Without `http://`.
    host: String,
    /// The path of the page, with the secret.
    pub home: String,
    query: String,
    _page: TempPath,
}

impl Opened {
    fn start(name: &str, args: &[&str]) -> Opened {
        Opened::start_with(name, &[&["--no-browser"], args].concat(), &[])
    }

    fn start_with(name: &str, args: &[&str], environment: &[(&str, &str)]) -> Opened {
        let page = TempPath::new(&format!("{name}-page.html"));
        fs::write(page.path(), PAGE).expect("written");
        let mut child = Command::new(env!("CARGO_BIN_EXE_camlscope"))
            .args([&["open", "--page", page.path()], args].concat())
            .envs(environment.iter().copied())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("starts");
        let mut address = String::new();
        BufReader::new(child.stdout.take().expect("piped")).read_line(&mut address).expect("an address");
        Opened::at(child, &address, page)
    }

    /// A server with this address.
    pub fn at(child: Child, address: &str, page: TempPath) -> Opened {
        let (host, path) =
            address.trim().strip_prefix("http://").and_then(|rest| rest.split_once('/')).expect("a path");
        let (home, query) = path.split_once('?').expect("a query");
        let (host, home, query) = (host.to_owned(), format!("/{home}"), query.to_owned());
        Opened { child, host, home, query, _page: page }
    }

    fn connect(&self) -> TcpStream {
        TcpStream::connect(&self.host).expect("it listens")
    }

    /// Returns the response to a request with these lines.
    fn ask(&self, lines: &str) -> String {
        let mut stream = self.connect();
        write!(stream, "{lines}\r\nConnection: close\r\n\r\n").expect("sent");
        let mut response = Vec::new();
        stream.read_to_end(&mut response).expect("a response");
        String::from_utf8_lossy(&response).into_owned()
    }

    /// Opens a tab, until it's dropped.
    pub fn tab(&self) -> TcpStream {
        let mut stream = self.connect();
        write!(stream, "GET {}alive HTTP/1.1\r\nHost: {}\r\n\r\n", self.home, self.host).expect("sent");
        stream.read_exact(&mut [0; 12]).expect("a response");
        stream
    }

    /// Returns the response to a browser's request for this path.
    pub fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.1\r\nHost: {}", self.host))
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn page_and_trace_are_served_below_the_secret() {
    let trace = fixture("tiny-0.1-v2.ctf");
    let opened = Opened::start("open-serves", &[&trace]);
    assert_eq!(opened.query, "trace=0%2Ftiny-0.1-v2.ctf");
    let page = opened.get(&opened.home);
    let policy = format!("default-src 'none'; connect-src http://{}{}; img-src data:", opened.host, opened.home);
    assert!(page.starts_with("HTTP/1.1 200") && page.contains(&policy), "{page}");
    let bytes = fs::read(&trace).expect("a fixture");
    let mut response = Vec::new();
    let mut stream = opened.connect();
    let (path, host) = (format!("{}0/tiny-0.1-v2.ctf", opened.home), &opened.host);
    write!(stream, "GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n").expect("sent");
    stream.read_to_end(&mut response).expect("a response");
    assert!(response.ends_with(&bytes), "the trace arrives unchanged");
    let part = opened.ask(&format!("GET {path} HTTP/1.1\r\nHost: {host}\r\nRange: bytes=0-3"));
    assert!(part.contains("206") && part.contains(&format!("bytes 0-3/{}", bytes.len())), "{part}");
}

/// Every refusal is the same, so nobody learns which files exist.
#[test]
fn requests_without_the_secret_or_from_elsewhere_get_nothing() {
    let opened = Opened::start("open-refuses", &[&fixture("tiny-0.1-v2.ctf")]);
    let Opened { host, home, .. } = &opened;
    let trace = format!("{home}0/tiny-0.1-v2.ctf");
    let port = host.rsplit(':').next().expect("a port");
    let nothing = opened.get("/");
    assert!(nothing.starts_with("HTTP/1.1 404") && nothing.ends_with("Content-Length: 0\r\n\r\n"), "{nothing}");
    let guess = format!("/{}/", "0".repeat(home.len() - 2));
    for path in ["/0/tiny-0.1-v2.ctf", &home[..home.len() - 1], &home[..home.len() - 2], &guess, "//", "/../", "*"] {
        assert_eq!(opened.get(path), nothing, "{path}");
    }
    for path in ["1/tiny-0.1-v2.ctf", "../", "0/", "0/../0/tiny-0.1-v2.ctf", "etc/passwd"] {
        assert_eq!(opened.get(&format!("{home}{path}")), nothing, "{path}");
    }
    for header in [
        "Host: example.org",
        "Host: 127.0.0.1",
        &format!("Host: localhost:{port}"),
        &format!("Host: example.org:{port}"),
        "X-Host: none",
        &format!("Host: {host}\r\nOrigin: https://example.org"),
        &format!("Host: {host}\r\nOrigin: http://127.0.0.1:1"),
        &format!("Host: {host}\r\nOrigin: null"),
        &format!("Host: {host}\r\nSec-Fetch-Site: cross-site\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image"),
        &format!("Host: {host}\r\nSec-Fetch-Site: same-site\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: iframe"),
    ] {
        for path in [home, &trace] {
            assert_eq!(opened.ask(&format!("GET {path} HTTP/1.1\r\n{header}")), nothing, "{header}");
        }
    }
    for method in ["POST", "PUT", "OPTIONS", "DELETE"] {
        assert_eq!(opened.ask(&format!("{method} {trace} HTTP/1.1\r\nHost: {host}")), nothing, "{method}");
    }
    let own = opened.ask(&format!("GET {trace} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}"));
    assert!(own.starts_with("HTTP/1.1 200") && !own.to_lowercase().contains("access-control"), "{own}");
}

/// Other users can see the arguments of the browser's process.
#[cfg(target_os = "linux")]
#[test]
fn browser_gets_a_link_that_works_once() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempPath::new("open-browser");
    let file = |name: &str| std::path::Path::new(folder.path()).join(name);
    fs::create_dir_all(folder.path()).expect("a folder");
    let script = "#!/bin/sh\ncd \"$(dirname \"$0\")\" && printf %s \"$1\" > part && mv part link\n";
    fs::write(file("xdg-open"), script).expect("written");
    fs::set_permissions(file("xdg-open"), fs::Permissions::from_mode(0o755)).expect("executable");
    let path = format!("{}:{}", folder.path(), std::env::var("PATH").expect("a path"));
    let environment = [("PATH", path.as_str()), ("DISPLAY", ":0")];
    let opened = Opened::start_with("open-browser", &[&fixture("tiny-0.1-v2.ctf")], &environment);
    let link = loop {
        match fs::read_to_string(file("link")) {
            Ok(link) => break link,
            Err(_) => std::thread::sleep(std::time::Duration::from_millis(10)),
        }
    };
    assert!(!link.contains(&opened.home), "the link has the secret: {link}");
    let path = link.strip_prefix(&format!("http://{}", opened.host)).expect("the same server");
    let first = opened.get(path);
    let location = format!("Location: http://{}{}?{}", opened.host, opened.home, opened.query);
    assert!(first.starts_with("HTTP/1.1 303") && first.contains(&location), "{first}");
    assert!(opened.get(path).starts_with("HTTP/1.1 404"), "it works again");
}

#[test]
fn it_stops_once_the_last_tab_has_closed() {
    let mut opened = Opened::start("open-stops", &[&fixture("tiny-0.1-v2.ctf"), &fixture("leak-1e-4-v3.ctf")]);
    assert_eq!(opened.query, "trace=0%2Ftiny-0.1-v2.ctf&compare=1%2Fleak-1e-4-v3.ctf");
    let (first, second) = (opened.tab(), opened.tab());
    drop(first);
    let page = opened.get(&format!("{}camlscope.html", opened.home));
    assert!(page.starts_with("HTTP/1.1 200"), "a tab is still open");
    drop(second);
    assert!(opened.child.wait().expect("ends").success());
}

#[cfg(unix)]
#[test]
fn control_c_stops_it() {
    let mut opened = Opened::start("open-interrupted", &[&fixture("tiny-0.1-v2.ctf")]);
    let sent = Command::new("kill").args(["-INT", &opened.child.id().to_string()]).status().expect("kill runs");
    assert!(sent.success());
    assert!(opened.child.wait().expect("ends").success());
}

#[test]
fn follow_waits_for_the_file() {
    let file = TempPath::new("open-follow.ctf");
    let path = file.path().to_owned();
    let writer = std::thread::spawn(move || fs::copy(fixture("leak-1e-4-v3.ctf"), path).expect("copied"));
    let opened = Opened::start("open-follow", &["--follow", file.path()]);
    assert!(opened.query.ends_with("&follow=1"), "{}", opened.query);
    writer.join().expect("written");
}

/// The peak of its memory, in bytes.
#[cfg(target_os = "linux")]
fn peak_memory(process: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{process}/status")).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") << 10
}

#[cfg(target_os = "linux")]
#[test]
fn large_file_is_never_in_memory() {
    const BYTES: u64 = 256 << 20;
    let file = TempPath::new("open-large.ctf");
    fs::copy(fixture("leak-1e-4-v3.ctf"), file.path()).expect("copied");
    // The rest is a hole.
    File::options().write(true).open(file.path()).and_then(|file| file.set_len(BYTES)).expect("grown");
    let opened = Opened::start("open-large", &[file.path()]);
    let mut stream = opened.connect();
    let name = opened.query.replace("trace=", "").replace("%2F", "/");
    let head = format!("GET {}{name} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n", opened.home, opened.host);
    stream.write_all(head.as_bytes()).expect("sent");
    let n = std::io::copy(&mut stream, &mut std::io::sink()).expect("a response");
    assert!(n > BYTES, "{n} bytes");
    let peak = peak_memory(opened.child.id());
    assert!(peak < 64 << 20, "{peak} bytes of memory");
}

#[test]
fn what_cannot_be_opened_is_rejected_at_once() {
    let page = TempPath::new("open-refused-page.html");
    fs::write(page.path(), PAGE).expect("written");
    for (file, status, words) in [
        ("-", 2, "open can't read standard input. Save it to a file first."),
        ("missing.ctf", 1, "missing.ctf: Can't read the file: it doesn't exist."),
        (&*std::env::temp_dir().display().to_string(), 1, "This is a folder, not a trace."),
        (&fixture("tiny-0.1-v2.facts.json"), 1, "This isn't a memtrace trace"),
    ] {
        let output = run(&["open", "--no-browser", "--page", page.path(), file], b"");
        assert_eq!(output.status.code(), Some(status), "{}", stderr_of(&output));
        assert!(stderr_of(&output).contains(words), "{}", stderr_of(&output));
    }
    let old = TempPath::new("open-old-page.html");
    fs::write(old.path(), PAGE.replace("default-src", "script-src")).expect("written");
    let output = run(&["open", "--page", old.path(), &fixture("tiny-0.1-v2.ctf")], b"");
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr_of(&output).contains("isn't a valid camlscope.html"), "{}", stderr_of(&output));
}

#[test]
fn address_is_also_printed_as_json() {
    let page = TempPath::new("open-json-page.html");
    fs::write(page.path(), PAGE).expect("written");
    let mut child = Command::new(env!("CARGO_BIN_EXE_camlscope"))
        .args(["open", "--json", "--no-browser", "--page", page.path(), &fixture("tiny-0.1-v2.ctf")])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("starts");
    let mut line = String::new();
    BufReader::new(child.stdout.take().expect("piped")).read_line(&mut line).expect("a line");
    child.kill().and_then(|()| child.wait()).expect("ends");
    let address: Value = serde_json::from_str(&line).expect("JSON");
    assert!(address["address"].as_str().is_some_and(|address| address.starts_with("http://127.0.0.1:")), "{line}");
}

/// The message of a program built without the page.
#[cfg(not(feature = "page"))]
#[test]
fn without_a_page_the_error_explains_where_to_get_it() {
    check_refused(
        &["open", &fixture("tiny-0.1-v2.ctf")],
        expect![[r#"
            error: This build of camlscope doesn't include camlscope.html, the page. Get it from a release, or build it with `cargo xtask build` (dist/camlscope.html). Then use --page camlscope.html, or put it next to the program. camlscope view works without it.
        "#]],
    );
}
