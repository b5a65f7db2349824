//! The bytes of a browser's `File`, as they come, and what it means when they cannot be had.
//!
//! They are streamed into a buffer that is handed to the browser and back. Slices that the browser makes anew each time cost
//! the worker almost a millisecond for each MB.

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Blob, DomException, ReadableStreamByobReader, ReadableStreamDefaultReader, ReadableStreamReadResult};

use crate::protocol::UserError;

/// Small enough to stay in the processor's cache while it is decoded, large enough that reads are few.
const PIECE_BYTES: u32 = 1 << 20;

pub(super) struct Pieces {
    file: Blob,
    /// Held while it reads: Chromium was seen to drop a stream of which nothing was left but a promise.
    reader: Reader,
    offset: u64,
    piece: Vec<u8>,
}

enum Reader {
    /// Reads into what it is given.
    Filling { reader: ReadableStreamByobReader, buffer: ArrayBuffer },
    /// For browsers whose files do not stream that way: what they read is theirs.
    Plain(ReadableStreamDefaultReader),
}

impl Pieces {
    pub(super) fn new(file: Blob) -> Result<Pieces, UserError> {
        let stream = file.stream();
        let reader = match ReadableStreamByobReader::new(&stream) {
            Ok(reader) => Reader::Filling { reader, buffer: ArrayBuffer::new(PIECE_BYTES) },
            Err(_) => Reader::Plain(ReadableStreamDefaultReader::new(&stream).map_err(|error| unreadable(&error))?),
        };
        Ok(Pieces { file, reader, offset: 0, piece: Vec::new() })
    }

    pub(super) fn bytes_total(&self) -> u64 {
        self.file.size() as u64
    }

    pub(super) async fn next(&mut self) -> Result<Option<&[u8]>, UserError> {
        let reading = match &self.reader {
            Reader::Filling { reader, buffer } => reader.read_with_array_buffer_view(&Uint8Array::new(buffer)),
            Reader::Plain(reader) => reader.read(),
        };
        let read: ReadableStreamReadResult = match JsFuture::from(reading).await {
            Ok(read) => read.unchecked_into(),
            Err(error) => return Err(self.why_unreadable(&error).await),
        };
        if read.get_done() != Some(false) {
            return Ok(None);
        }
        let bytes: Uint8Array = read.get_value().unchecked_into();
        self.piece.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut self.piece);
        self.offset += u64::from(bytes.length());
        if let Reader::Filling { buffer, .. } = &mut self.reader {
            *buffer = bytes.buffer();
        }
        Ok(Some(&self.piece))
    }

    /// The rest is not wanted. What the browser says to that is of no interest, but must be heard.
    pub(super) fn stop(self) {
        let stopped = match &self.reader {
            Reader::Filling { reader, .. } => reader.cancel(),
            Reader::Plain(reader) => reader.cancel(),
        };
        spawn_local(async move { drop(JsFuture::from(stopped).await) });
    }

    /// A stream that breaks off does not say why. A part that cannot be read does; or, of a file that is gone and seems to
    /// have no parts any more, the whole.
    async fn why_unreadable(&self, error: &JsValue) -> UserError {
        let (size, offset) = (self.file.size(), self.offset as f64);
        let part =
            if size > 0.0 { self.file.slice_with_f64_and_f64(offset, offset + 1.0) } else { Ok(self.file.clone()) };
        let Ok(part) = part else { return unreadable(error) };
        match JsFuture::from(part.array_buffer()).await {
            Ok(_) => unreadable(error),
            Err(error) => unreadable(&error),
        }
    }
}

fn unreadable(error: &JsValue) -> UserError {
    let name = error.dyn_ref::<DomException>().map(DomException::name);
    UserError::unreadable(reason(name.as_deref().unwrap_or_default()))
}

/// The browser's reasons, by the names the File API gives them.
fn reason(name: &str) -> &'static str {
    match name {
        "NotFoundError" => "it is no longer there, or it is a folder",
        "NotReadableError" => "it changed while it was being read, or you have no right to read it",
        "NotAllowedError" | "SecurityError" => "the browser is not allowed to",
        _ => "the browser gives no reason",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_changed_while_read_is_told_apart_from_one_that_is_gone() {
        assert!(reason("NotReadableError").contains("changed"));
        assert!(reason("NotFoundError").contains("no longer there"));
    }

    #[test]
    fn an_unknown_reason_still_makes_a_sentence() {
        assert_eq!(UserError::unreadable(reason("")).text, "The file could not be read: the browser gives no reason.");
    }
}
