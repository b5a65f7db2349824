//! The bytes of a browser's `File`, slice by slice, and what it means when they cannot be had.
//!
//! The next slice is asked for before this one is handed out, so the disk works while the decoder does.

use js_sys::{ArrayBuffer, Uint8Array};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, DomException};

use crate::protocol::UserError;

/// Large enough that the browser's cost of a read vanishes, small enough to decode well within a tenth of a second.
const SLICE_BYTES: u64 = 4 << 20;

pub(super) struct Slices {
    file: Blob,
    bytes_total: u64,
    /// Where the slice after `ahead` begins.
    offset: u64,
    ahead: Option<JsFuture>,
    buffer: Vec<u8>,
}

impl Slices {
    pub(super) fn new(file: Blob) -> Result<Slices, UserError> {
        let bytes_total = file.size() as u64;
        let buffer = Vec::with_capacity(bytes_total.min(SLICE_BYTES) as usize);
        let mut slices = Slices { file, bytes_total, offset: 0, ahead: None, buffer };
        slices.read_ahead()?;
        Ok(slices)
    }

    pub(super) fn bytes_total(&self) -> u64 {
        self.bytes_total
    }

    pub(super) async fn next(&mut self) -> Result<Option<&[u8]>, UserError> {
        let Some(reading) = self.ahead.take() else { return Ok(None) };
        let read = reading.await.map_err(|error| unreadable(&error))?;
        self.read_ahead()?;
        let bytes = Uint8Array::new(read.unchecked_ref::<ArrayBuffer>());
        self.buffer.resize(bytes.length() as usize, 0);
        bytes.copy_to(&mut self.buffer);
        Ok(Some(&self.buffer))
    }

    fn read_ahead(&mut self) -> Result<(), UserError> {
        if self.offset >= self.bytes_total {
            return Ok(());
        }
        let end = (self.offset + SLICE_BYTES).min(self.bytes_total);
        let slice =
            self.file.slice_with_f64_and_f64(self.offset as f64, end as f64).map_err(|error| unreadable(&error))?;
        self.ahead = Some(JsFuture::from(slice.array_buffer()));
        self.offset = end;
        Ok(())
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
