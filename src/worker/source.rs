//! Reads a local file or a download in chunks, and explains why it can't be read.
//!
//! Chunks are streamed into a buffer that is passed to the browser and back. If the browser allocated a new one for
//! each chunk, it would cost the worker almost a millisecond per MB. If the worker can't read files, the page reads
//! them and sends the chunks.

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
use camlscope_view::page::worker::source::reason;

/// Small enough to stay in the processor's cache while it is decoded, and large enough to need few reads.
const PIECE_BYTES: u32 = 1 << 20;

pub(super) enum ByteSource {
    File(FileSource),
    Download(Download),
}

impl ByteSource {
    /// Returns `None` if the server doesn't report the size.
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

/// A file as received with a message.
pub(super) struct FileSource {
    /// A `Blob`, or a port through which the page sends its chunks.
    pub file: JsValue,
    pub bytes_total: u64,
    /// The original trace's totals, if the file is a downsampled copy.
    pub whole: Option<Whole>,
}

pub(super) struct Pieces {
    /// Kept while reading, because Chromium has been seen to drop a stream that only a promise refers to.
    reader: Reader,
    offset: u64,
    piece: Vec<u8>,
}

enum Reader {
    /// Reads into our buffer.
    Filling { origin: Origin, reader: ReadableStreamByobReader, buffer: ArrayBuffer },
    /// For browsers whose file streams don't support this. They allocate the buffers.
    Plain { origin: Origin, reader: ReadableStreamDefaultReader },
    /// The page reads the file. The next chunk is requested before the current one is decoded.
    Port { port: MessagePort, requested: Promise },
}

/// The origin of a stream, which is needed to explain errors.
enum Origin {
    File(Blob),
    Download(Download),
}

impl Pieces {
    pub(super) fn new(source: ByteSource) -> Result<Pieces, Error> {
        let reader = match source {
            ByteSource::Download(download) => Reader::of_stream(&download.stream()?, Origin::Download(download))?,
            ByteSource::File(source) => match source.file.dyn_into::<MessagePort>() {
                Ok(port) => Reader::Port { requested: request(&port), port },
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
            Reader::Port { requested, .. } => requested.clone(),
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

    /// Cancels the rest. The result is irrelevant, but the promise must be handled.
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

    /// Returns the reason for an error. A failed stream doesn't provide one, but reading a slice does. A deleted file
    /// appears to have no bytes, so it is read as a whole.
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

    /// Returns the chunk that was read, or `None` at the end of the file.
    fn bytes(&mut self, read: JsValue) -> Result<Option<Uint8Array>, Error> {
        if let Reader::Port { port, requested } = self {
            let piece = read.unchecked_into::<MessageEvent>().data();
            if let Some(name) = piece.dyn_ref::<JsString>() {
                return Err(Error::Unreadable(reason(&String::from(name)).to_owned()));
            }
            let Ok(buffer) = piece.dyn_into::<ArrayBuffer>() else { return Ok(None) };
            *requested = request(port);
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

/// Requests the next chunk from the page.
fn request(port: &MessagePort) -> Promise {
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
