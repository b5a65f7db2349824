//! The bytes of a browser's `File`, or of a file that the host has, as they come, and what it means when they cannot be had.
//!
//! They are streamed into a buffer that is handed to the browser and back. Slices that the browser makes anew each time cost
//! the worker almost a millisecond for each MB. Where a worker cannot read files, the page does, and hands over slices.

use js_sys::{ArrayBuffer, JsString, Promise, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{
    Blob, DomException, MessageEvent, MessagePort, ReadableStream, ReadableStreamByobReader,
    ReadableStreamDefaultReader, ReadableStreamReadResult,
};

use super::download::Download;
use camlscope_engine::protocol::Error;
use camlscope_engine::trace::Whole;

/// Small enough to stay in the processor's cache while it is decoded, large enough that reads are few.
const PIECE_BYTES: u32 = 1 << 20;

/// Where a trace comes from.
pub(super) enum ByteSource {
    File(FileSource),
    Download(Download),
}

impl ByteSource {
    /// `None` where the host does not say.
    pub(super) fn bytes_total(&self) -> Option<u64> {
        match self {
            ByteSource::File(file) => Some(file.bytes_total),
            ByteSource::Download(download) => download.bytes_total(),
        }
    }

    pub(super) fn whole(&self) -> Option<Whole> {
        match self {
            ByteSource::File(file) => file.whole.clone(),
            ByteSource::Download(_) => None,
        }
    }
}

/// A file as it came with its message.
pub(super) struct FileSource {
    /// A `Blob`, or a port on which the page hands over its pieces.
    pub file: JsValue,
    pub bytes_total: u64,
    /// The totals that a downsampled copy has of its trace.
    pub whole: Option<Whole>,
}

pub(super) struct Pieces {
    /// Held while it reads: Chromium was seen to drop a stream of which nothing was left but a promise.
    reader: Reader,
    offset: u64,
    piece: Vec<u8>,
}

enum Reader {
    /// Reads into what it is given.
    Filling { origin: Origin, reader: ReadableStreamByobReader, buffer: ArrayBuffer },
    /// For browsers whose files do not stream that way: what they read is theirs.
    Plain { origin: Origin, reader: ReadableStreamDefaultReader },
    /// The page reads. The next piece is asked for before this one is decoded.
    Port { port: MessagePort, asked: Promise },
}

/// What a stream is of, which knows why it breaks off.
enum Origin {
    File(Blob),
    Download(Download),
}

impl Pieces {
    pub(super) fn new(source: ByteSource) -> Result<Pieces, Error> {
        let reader = match source {
            ByteSource::Download(download) => Reader::of_stream(&download.stream()?, Origin::Download(download))?,
            ByteSource::File(source) => match source.file.dyn_into::<MessagePort>() {
                Ok(port) => Reader::Port { asked: ask(&port), port },
                Err(file) => {
                    let file: Blob = file.dyn_into().map_err(|file| unreadable(&file))?;
                    Reader::of_stream(&file.stream(), Origin::File(file))?
                }
            },
        };
        Ok(Pieces { reader, offset: 0, piece: Vec::new() })
    }

    pub(super) async fn next(&mut self) -> Result<Option<&[u8]>, Error> {
        let reading = match &self.reader {
            Reader::Filling { reader, buffer, .. } => reader.read_with_array_buffer_view(&Uint8Array::new(buffer)),
            Reader::Plain { reader, .. } => reader.read(),
            Reader::Port { asked, .. } => asked.clone(),
        };
        let read = match JsFuture::from(reading).await {
            Ok(read) => read,
            Err(error) => return Err(self.why_unreadable(&error).await),
        };
        let Some(bytes) = self.reader.bytes(read)? else { return Ok(None) };
        self.piece.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut self.piece);
        self.offset += u64::from(bytes.length());
        Ok(Some(&self.piece))
    }

    /// The rest is not wanted. What the browser says to that is of no interest, but must be heard.
    pub(super) fn stop(self) {
        let stopped = match &self.reader {
            Reader::Filling { reader, .. } => reader.cancel(),
            Reader::Plain { reader, .. } => reader.cancel(),
            Reader::Port { port, .. } => {
                let _ = port.post_message(&JsValue::FALSE);
                return;
            }
        };
        spawn_local(async move { drop(JsFuture::from(stopped).await) });
    }

    /// A stream that breaks off does not say why. A part that cannot be read does; or, of a file that is gone and seems to
    /// have no parts any more, the whole.
    async fn why_unreadable(&self, error: &JsValue) -> Error {
        let file = match &self.reader {
            Reader::Filling { origin: Origin::File(file), .. } | Reader::Plain { origin: Origin::File(file), .. } => {
                file
            }
            Reader::Filling { origin: Origin::Download(download), .. }
            | Reader::Plain { origin: Origin::Download(download), .. } => return download.broke_off(self.offset),
            Reader::Port { .. } => return unreadable(error),
        };
        let (size, offset) = (file.size(), self.offset as f64);
        let part = if size > 0.0 { file.slice_with_f64_and_f64(offset, offset + 1.0) } else { Ok(file.clone()) };
        let Ok(part) = part else { return unreadable(error) };
        match JsFuture::from(part.array_buffer()).await {
            Ok(_) => unreadable(error),
            Err(error) => unreadable(&error),
        }
    }
}

impl Reader {
    fn of_stream(stream: &ReadableStream, origin: Origin) -> Result<Reader, Error> {
        Ok(match ReadableStreamByobReader::new(stream) {
            Ok(reader) => Reader::Filling { origin, reader, buffer: ArrayBuffer::new(PIECE_BYTES) },
            Err(_) => {
                let reader = ReadableStreamDefaultReader::new(stream).map_err(|error| unreadable(&error))?;
                Reader::Plain { origin, reader }
            }
        })
    }

    /// What was read; `None` at the file's end.
    fn bytes(&mut self, read: JsValue) -> Result<Option<Uint8Array>, Error> {
        if let Reader::Port { port, asked } = self {
            let piece = read.unchecked_into::<MessageEvent>().data();
            if let Some(name) = piece.dyn_ref::<JsString>() {
                return Err(Error::Unreadable(reason(&String::from(name)).to_owned()));
            }
            let Ok(buffer) = piece.dyn_into::<ArrayBuffer>() else { return Ok(None) };
            *asked = ask(port);
            return Ok(Some(Uint8Array::new(&buffer)));
        }
        let read: ReadableStreamReadResult = read.unchecked_into();
        if read.get_done() != Some(false) {
            return Ok(None);
        }
        let bytes: Uint8Array = read.get_value().unchecked_into();
        if let Reader::Filling { buffer, .. } = self {
            *buffer = bytes.buffer();
        }
        Ok(Some(bytes))
    }
}

/// Asks the page for the next piece.
fn ask(port: &MessagePort) -> Promise {
    Promise::new(&mut |resolve, reject| {
        port.set_onmessage(Some(&resolve));
        if let Err(error) = port.post_message(&JsValue::TRUE) {
            let _ = reject.call1(&JsValue::UNDEFINED, &error);
        }
    })
}

fn unreadable(error: &JsValue) -> Error {
    let name = error.dyn_ref::<DomException>().map(DomException::name);
    Error::Unreadable(reason(name.as_deref().unwrap_or_default()).to_owned())
}

/// The browser's reasons, by the names the File API gives them.
fn reason(name: &str) -> &'static str {
    match name {
        "NotFoundError" => "it was moved or deleted, or it's a folder",
        "NotReadableError" => "it changed while being read, or you don't have permission to read it",
        "NotAllowedError" | "SecurityError" => "the browser denied access",
        _ => "the browser gave no reason",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use camlscope_present::words::errors::UserError;

    #[test]
    fn a_file_that_changed_while_read_is_told_apart_from_one_that_is_gone() {
        assert!(reason("NotReadableError").contains("changed"));
        assert!(reason("NotFoundError").contains("moved or deleted"));
    }

    #[test]
    fn an_unknown_reason_still_makes_a_sentence() {
        assert_eq!(UserError::unreadable(reason("")).text, "Can't read the file: the browser gave no reason.");
    }
}
