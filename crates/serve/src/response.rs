//! Responses, and how their bodies are sent.

use std::any::Any;
use std::borrow::Cow;
use std::fs::File;
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::net::TcpStream;
use std::time::Duration;

/// How often a held response sends a byte. Browsers give up on a connection that is silent for minutes.
const TICK: Duration = Duration::from_secs(15);

#[derive(Debug)]
pub struct Response {
    pub status: u16,
    /// Without `Content-Length` and `Connection`, which the server handles itself.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    pub body: Body,
}

#[derive(Debug)]
pub enum Body {
    Bytes(Vec<u8>),
    /// The next `len` bytes of a file. They are never in memory as a whole.
    File {
        file: File,
        len: u64,
    },
    /// Doesn't end before the client disconnects. Then the server drops the guard.
    Held {
        guard: Box<dyn Any + Send>,
    },
}

impl Response {
    pub fn new(status: u16, content_type: &'static str, body: Vec<u8>) -> Response {
        Response::empty(status).with_header("Content-Type", content_type).with_body(Body::Bytes(body))
    }

    pub fn empty(status: u16) -> Response {
        Response { status, headers: Vec::new(), body: Body::Bytes(Vec::new()) }
    }

    /// Returns a file, or the part of it that a `Range` header requests.
    pub fn file(mut file: File, content_type: &'static str, range: Option<&str>) -> io::Result<Response> {
        let total = file.metadata()?.len();
        let Some((first, last)) = range.and_then(byte_range) else {
            let body = Body::File { file, len: total };
            return Ok(Response::empty(200).with_header("Content-Type", content_type).with_body(body));
        };
        if first >= total {
            return Ok(Response::empty(416).with_header("Content-Range", format!("bytes */{total}")));
        }
        let last = last.unwrap_or(u64::MAX).min(total - 1);
        file.seek(SeekFrom::Start(first))?;
        Ok(Response::empty(206)
            .with_header("Content-Type", content_type)
            .with_header("Content-Range", format!("bytes {first}-{last}/{total}"))
            .with_body(Body::File { file, len: last - first + 1 }))
    }

    pub fn with_header(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Response {
        self.headers.push((name, value.into()));
        self
    }

    pub fn with_body(self, body: Body) -> Response {
        Response { body, ..self }
    }

    pub(crate) fn send(self, connection: &mut TcpStream, has_body: bool) -> io::Result<()> {
        let headers: String = self.headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
        let framing = match &self.body {
            Body::Bytes(bytes) => format!("Content-Length: {}", bytes.len()),
            Body::File { len, .. } => format!("Content-Length: {len}"),
            Body::Held { .. } => "Connection: close".to_owned(),
        };
        let head = format!("HTTP/1.1 {} .\r\n{headers}{framing}\r\n\r\n", self.status);
        match self.body {
            Body::Bytes(bytes) if has_body => connection.write_all(&[head.as_bytes(), &bytes].concat()),
            Body::File { file, len } if has_body => {
                connection.write_all(head.as_bytes())?;
                let sent = io::copy(&mut file.take(len), connection)?;
                // The file got shorter. Closing the connection tells the client.
                if sent == len { Ok(()) } else { Err(ErrorKind::UnexpectedEof.into()) }
            }
            Body::Held { guard } if has_body => {
                connection.write_all(head.as_bytes())?;
                hold(connection, guard)
            }
            Body::Bytes(_) | Body::File { .. } | Body::Held { .. } => connection.write_all(head.as_bytes()),
        }
    }
}

/// Returns once the client has disconnected.
fn hold(connection: &mut TcpStream, _guard: Box<dyn Any + Send>) -> io::Result<()> {
    connection.set_read_timeout(Some(TICK))?;
    loop {
        match connection.peek(&mut [0]) {
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                connection.write_all(b"\n")?;
            }
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            // A client sends nothing else before the response ends.
            Ok(_) | Err(_) => return Err(ErrorKind::ConnectionAborted.into()),
        }
    }
}

/// Parses `bytes=0-255` and `bytes=1000-`. A server may ignore other ranges and send the whole file.
fn byte_range(header: &str) -> Option<(u64, Option<u64>)> {
    let (first, last) = header.strip_prefix("bytes=")?.split_once('-')?;
    let first = first.parse().ok()?;
    let last = if last.is_empty() { None } else { Some(last.parse().ok()?) };
    last.is_none_or(|last| last >= first).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_ranges_from_a_byte_on_are_understood() {
        for (header, range) in [
            ("bytes=0-255", Some((0, Some(255)))),
            ("bytes=1000-", Some((1000, None))),
            ("bytes=-500", None),
            ("bytes=5-4", None),
            ("bytes=0-1,5-6", None),
            ("lines=0-1", None),
            ("bytes=99999999999999999999-", None),
        ] {
            assert_eq!(byte_range(header), range, "{header}");
        }
    }
}
