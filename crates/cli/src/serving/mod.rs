//! The page and traces, on this machine's own address: for `camlscope open` and `camlscope record --open`.
//!
//! The files are only for the user who started the command. Each address contains a secret, and [`access`] says who else
//! is refused. The browser gets a link that works once, because other users can see the arguments of its process.

mod access;
pub mod browser;
mod peer;
mod presence;

use std::fs::File;
use std::io;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use camlscope_serve::{Body, Request, Response, Server};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use self::access::{Access, new_secret};
pub use self::presence::{Ended, Presence};

/// Serves until it's dropped.
#[derive(Debug)]
pub struct Served {
    server: Server,
    presence: Arc<Presence>,
    /// The address of the page with the traces, including the secret.
    address: String,
    /// Redirects to the address once.
    link: String,
}

/// What to serve.
#[derive(Clone, Copy, Debug)]
pub struct Contents<'a> {
    /// The text of `camlscope.html`.
    pub page: &'a str,
    /// One trace, or two to compare.
    pub traces: &'a [&'a Path],
    /// Whether the page loads what a program adds to the trace.
    pub follows: bool,
}

impl Served {
    /// Returns `None` if the page isn't a valid `camlscope.html`.
    pub fn start(contents: Contents<'_>) -> io::Result<Option<Served>> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let host = listener.local_addr()?;
        let (secret, once) = (new_secret()?, new_secret()?);
        let home = format!("http://{host}/{secret}/");
        let Some(page) = page_for(contents.page, &home) else { return Ok(None) };
        let traces = contents.traces.iter().enumerate().map(|(at, path)| Trace::new(at, path));
        let traces = traces.collect::<io::Result<Vec<Trace>>>()?;
        let address = address(&home, &traces, contents.follows);
        let presence = Arc::<Presence>::default();
        let site = Site {
            access: Access::new(host),
            secret,
            once: once.clone(),
            is_used: AtomicBool::new(false),
            address: address.clone(),
            page,
            original: contents.page.to_owned(),
            traces,
            presence: Arc::clone(&presence),
        };
        let server = Server::start(vec![listener], move |request| site.respond(request))?;
        let link = format!("http://{host}/{once}");
        Ok(Some(Served { server, presence, address, link }))
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    pub fn link(&self) -> &str {
        &self.link
    }

    pub fn port(&self) -> u16 {
        self.server.address().port()
    }

    pub fn presence(&self) -> &Arc<Presence> {
        &self.presence
    }
}

/// A file, and its path below the secret.
struct Trace {
    name: String,
    path: PathBuf,
}

impl Trace {
    fn new(at: usize, path: &Path) -> io::Result<Trace> {
        let file = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let name = format!("{at}/{}", utf8_percent_encode(&file, ENCODED));
        // The program may change its folder later.
        Ok(Trace { name, path: std::path::absolute(path)? })
    }
}

const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

fn address(home: &str, traces: &[Trace], follows: bool) -> String {
    let parameters = ["trace", "compare"].into_iter().zip(traces);
    // The page decodes the parameter first, and then the path in it.
    let parameters = parameters.map(|(key, trace)| format!("{key}={}", utf8_percent_encode(&trace.name, ENCODED)));
    let follow = follows.then(|| "follow=1".to_owned());
    format!("{home}?{}", parameters.chain(follow).collect::<Vec<_>>().join("&"))
}

/// Returns the page with two changes. Its content security policy also allows requests below `home`, and nowhere else.
/// And it knows the request that it keeps open, and where the original page is, for reports.
fn page_for(page: &str, home: &str) -> Option<String> {
    const POLICY: &str = "content=\"default-src 'none'; ";
    let (before, after) = page.split_once(POLICY)?;
    let (middle, after) = after.split_once("</head>")?;
    let more = "<meta name=\"camlscope-alive\" content=\"alive\">\n\
                <meta name=\"camlscope-one-file\" content=\"camlscope.html\">\n";
    Some(format!("{before}{POLICY}connect-src {home}; {middle}{more}</head>{after}"))
}

struct Site {
    access: Access,
    secret: String,
    once: String,
    is_used: AtomicBool,
    address: String,
    page: String,
    original: String,
    traces: Vec<Trace>,
    presence: Arc<Presence>,
}

const HTML: &str = "text/html; charset=utf-8";

impl Site {
    fn respond(&self, request: &Request) -> Response {
        // The same for every refusal, so that nobody learns which files exist.
        let response = self.response(request).unwrap_or_else(|| Response::empty(404));
        [
            ("Cache-Control", "no-store"),
            ("Content-Security-Policy", "frame-ancestors 'none'"),
            ("Cross-Origin-Opener-Policy", "same-origin"),
            ("Cross-Origin-Resource-Policy", "same-origin"),
            ("Referrer-Policy", "no-referrer"),
            ("X-Content-Type-Options", "nosniff"),
        ]
        .into_iter()
        .fold(response, |response, (name, value)| response.with_header(name, value))
    }

    fn response(&self, request: &Request) -> Option<Response> {
        if !matches!(request.method.as_str(), "GET" | "HEAD") || !self.access.allows(request) {
            return None;
        }
        let (first, rest) = match request.path.strip_prefix('/')?.split_once('/') {
            Some((first, rest)) => (first, Some(rest)),
            None => (request.path.strip_prefix('/')?, None),
        };
        match rest {
            None if access::is_same(first, &self.once) && !self.is_used.swap(true, Ordering::Relaxed) => {
                Some(Response::empty(303).with_header("Location", self.address.clone()))
            }
            Some(rest) if access::is_same(first, &self.secret) => self.file(rest, request),
            _ => None,
        }
    }

    /// `path` is the part after the secret.
    fn file(&self, path: &str, request: &Request) -> Option<Response> {
        match path {
            "" => {
                self.presence.on_page();
                Some(Response::new(200, HTML, self.page.clone().into()))
            }
            "alive" if request.method == "GET" => {
                let guard = Box::new(Presence::open_tab(&self.presence));
                Some(Response::empty(200).with_header("Content-Type", "text/plain").with_body(Body::Held { guard }))
            }
            "camlscope.html" => Some(Response::new(200, HTML, self.original.clone().into())),
            _ => {
                let trace = self.traces.iter().find(|trace| trace.name == path)?;
                let file = File::open(&trace.path).ok()?;
                Response::file(file, "application/octet-stream", request.header("range")).ok()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_may_only_request_its_own_folder() {
        let page = "<head>\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; img-src data:\">\n\
                    </head>\n<body>default-src 'none'</body>";
        let served = page_for(page, "http://127.0.0.1:1/s/").expect("a page");
        assert!(served.contains("content=\"default-src 'none'; connect-src http://127.0.0.1:1/s/; img-src data:\""));
        assert_eq!(served.matches("connect-src").count(), 1);
        assert!(served.contains("<meta name=\"camlscope-alive\" content=\"alive\">"));
        assert_eq!(page_for("<head></head>", "http://127.0.0.1:1/s/"), None, "a page without a policy");
    }

    #[test]
    fn names_of_traces_survive_the_address() {
        let traces = [Trace::new(0, Path::new("a/b c#1.ctf")), Trace::new(1, Path::new("100%.ctf"))];
        let traces = traces.map(|trace| trace.expect("a path"));
        assert_eq!(
            address("http://h/s/", &traces, true),
            "http://h/s/?trace=0%2Fb%2520c%25231.ctf&compare=1%2F100%2525.ctf&follow=1"
        );
    }
}
