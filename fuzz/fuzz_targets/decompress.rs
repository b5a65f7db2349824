//! Decompresses any bytes. Nothing panics, and the contents and the damage don't depend on the chunks.

#![no_main]

mod input;

use std::convert::Infallible;

use camlscope_formats::decompress::Decompressor;
use input::number_and_rest;
use libfuzzer_sys::fuzz_target;

/// Limits the memory, because an archive can decompress to a thousand times its size.
const ENOUGH: usize = 16 << 20;

fuzz_target!(|input: &[u8]| {
    let (chunk_bytes, file) = number_and_rest(input);
    assert_eq!(decompress(file, chunk_bytes.max(1)), decompress(file, file.len().max(1)));
});

fn decompress(file: &[u8], chunk_bytes: usize) -> (Vec<u8>, Option<u64>) {
    let mut decompressed = Vec::new();
    let mut out = |piece: &[u8]| {
        let room = ENOUGH - decompressed.len();
        decompressed.extend_from_slice(&piece[..piece.len().min(room)]);
        Ok::<(), Infallible>(())
    };
    let mut decompressor = Decompressor::new();
    for chunk in file.chunks(chunk_bytes) {
        let Ok(()) = decompressor.push(chunk, &mut out);
    }
    let Ok(()) = decompressor.finish(&mut out);
    (decompressed, decompressor.damaged_at())
}
