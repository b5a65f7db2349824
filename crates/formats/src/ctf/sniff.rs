//! Guesses what a file that isn't a trace is, so that the error can name it.

use super::error::LooksLike;

/// The number of leading bytes that the guess needs.
pub const SNIFF_BYTES: usize = 512;

/// Guesses a file's type by its first bytes.
pub fn looks_like(head: &[u8]) -> LooksLike {
    const SIGNATURES: [(&[u8], LooksLike); 15] = [
        (b"\x7fELF", LooksLike::ElfExecutable),
        (b"\xcf\xfa\xed\xfe", LooksLike::MachOExecutable),
        (b"\xce\xfa\xed\xfe", LooksLike::MachOExecutable),
        (b"\xca\xfe\xba\xbe", LooksLike::MachOExecutable),
        (b"MZ", LooksLike::WindowsExecutable),
        (b"\x1f\x8b", LooksLike::Gzip),
        (b"\x28\xb5\x2f\xfd", LooksLike::Zstd),
        (b"\xfd7zXZ\0", LooksLike::Xz),
        (b"PK\x03\x04", LooksLike::Zip),
        (b"\x89PNG", LooksLike::Png),
        (b"%PDF", LooksLike::Pdf),
        (b"\xc1\xfc\x1f\xc1", LooksLike::BigEndianCtf),
        (SPACETIME_HEAD, LooksLike::Spacetime),
        (b"\x84\x95\xa6\xbe", LooksLike::OcamlMarshal),
        (b"\x84\x95\xa6\xbf", LooksLike::OcamlMarshal),
    ];
    if let Some((_, look)) = SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)) {
        return *look;
    }
    if !head.is_empty() && head.iter().all(|&byte| byte == 0) {
        return LooksLike::Zeros;
    }
    text_kind(head).unwrap_or(LooksLike::Unknown)
}

impl LooksLike {
    /// Whether a damaged trace can look like this.
    pub fn may_hide_a_trace(self) -> bool {
        matches!(self, LooksLike::Unknown | LooksLike::Zeros)
    }
}

/// The marshaled integer `0xace00ace` with version 0 in its upper bits, and any features.
const SPACETIME_HEAD: &[u8] = b"\x84\x95\xa6\xbe\0\0\0\x09\0\0\0\0\0\0\0\0\0\0\0\0\x03";

fn text_kind(head: &[u8]) -> Option<LooksLike> {
    let valid = match std::str::from_utf8(&head[..head.len().min(SNIFF_BYTES)]) {
        Ok(text) => text,
        // The last character may be incomplete.
        Err(error) if error.error_len().is_none() => std::str::from_utf8(&head[..error.valid_up_to()]).ok()?,
        Err(_) => return None,
    };
    let is_text = !valid.is_empty() && valid.chars().all(|c| !c.is_control() || c.is_ascii_whitespace());
    if !is_text {
        return None;
    }
    let start = valid.trim_start();
    Some(if start.starts_with('<') {
        LooksLike::Html
    } else if start.starts_with('{') || start.starts_with('[') {
        LooksLike::Json
    } else if ["(*", "let ", "open ", "module ", "type "].iter().any(|word| start.starts_with(word)) {
        LooksLike::OcamlSource
    } else {
        LooksLike::Text
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_files_are_recognized_by_their_first_bytes() {
        for (head, look) in [
            (&b"\x7fELF\x02\x01\x01"[..], LooksLike::ElfExecutable),
            (b"\x89PNG\r\n\x1a\n", LooksLike::Png),
            (b"\x1f\x8b\x08\0", LooksLike::Gzip),
            (b"hello world\n", LooksLike::Text),
            ("caf\u{e9}".as_bytes(), LooksLike::Text),
            (b"caf\xc3", LooksLike::Text),
            (b"{\"traceEvents\": []}", LooksLike::Json),
            (b"<!doctype html>", LooksLike::Html),
            (b"let () = print_endline \"hi\"", LooksLike::OcamlSource),
            (b"\0\0\0\0", LooksLike::Zeros),
            (b"\x84\x95\xa6\xbe\0\0\0\x09\0\0\0\0\0\0\0\0\0\0\0\0\x03\0\x01\0\0\xac\xe0\x0a\xce", LooksLike::Spacetime),
            (b"\x84\x95\xa6\xbe\0\0\x15\xc1", LooksLike::OcamlMarshal),
            (b"\x01\x02\x03", LooksLike::Unknown),
            (b"", LooksLike::Unknown),
        ] {
            assert_eq!(looks_like(head), look, "{head:?}");
        }
    }
}
