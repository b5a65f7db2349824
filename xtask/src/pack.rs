//! The WebAssembly as it travels: packed with LZMA, whose long memory and models of context suit code far better than
//! the gzip of a host does, after [`crate::split`] has taken it apart. `www/unpack.js` is the other end. The file is an
//! ordinary `.lzma`, which `xz` reads too.

use std::io::Write;

use anyhow::Result;
use lzma_rust2::{LzmaOptions, LzmaWriter};

use crate::page::Effort;

/// Code is not aligned, so the position says nothing; the two high bits of the byte before say something.
const POSITION_BITS: u32 = 0;
const LITERAL_CONTEXT_BITS: u32 = 2;

pub fn pack(content: &[u8], effort: Effort) -> Result<Vec<u8>> {
    let mut options = match effort {
        Effort::Quick => LzmaOptions::with_preset(1),
        Effort::Full => LzmaOptions { nice_len: LzmaOptions::NICE_LEN_MAX, ..LzmaOptions::with_preset(9) },
    };
    options.pb = POSITION_BITS;
    options.lc = LITERAL_CONTEXT_BITS;
    let size = u64::try_from(content.len())?;
    let mut writer = LzmaWriter::new_use_header(Vec::new(), &options, Some(size))?;
    writer.write_all(content)?;
    Ok(writer.finish()?)
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use lzma_rust2::LzmaReader;

    use super::*;

    #[test]
    fn what_is_packed_comes_out_again() {
        let content: Vec<u8> = (0..200_000_u32).map(|i| (i.wrapping_mul(i) >> 7) as u8).collect();
        for effort in [Effort::Quick, Effort::Full] {
            let packed = pack(&content, effort).expect("memory suffices");
            let mut unpacked = Vec::new();
            let mut reader = LzmaReader::new_mem_limit(packed.as_slice(), u32::MAX, None).expect("a header");
            reader.read_to_end(&mut unpacked).expect("a whole stream");
            assert!(unpacked == content && packed.len() < content.len());
        }
    }
}
